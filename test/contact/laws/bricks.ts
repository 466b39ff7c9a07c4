import { createRequire } from 'node:module'
import { expect } from 'vitest'
import type { ContactModelOptions } from '../../../contact/index.ts'
import type { World, WorldRobot } from '../../../simulation/index.ts'
import { checkForces, type Suite, stickSpeed } from './law.ts'
import { box, fixedBox, g, makeWorld, run } from './scenes.ts'
import { loadBetween } from './stacks.ts'

/** Goldfarb and Idnani's dual method: minimises x'Dx/2 - d'x such that A'x >= b; arrays begin at 1. */
const { solveQP } = createRequire(import.meta.url)('quadprog') as {
  solveQP(D: number[][], d: number[], A: number[][], b: number[]): { solution: number[]; Lagrangian: number[]; message: string }
}

const [length, width, height] = [0.2, 0.1, 0.05]

/** Bricks that fall, and bricks that stand. */
export function brickLaws({ model, rigid, section, law }: Suite): void {
  section('bricks', () => {
    law('of five overbalanced bricks the ten edges that hold and that break are those of the quadratic program', () => {
      checkBreaking(model, rigid)
    })

    law('a wall of bricks in running bond stands without creep, and each course carries what is above it', () => {
      checkWall(model, rigid)
    })
  })
}

interface Stack {
  /** Middle of each brick, from below [m]. */
  readonly at: readonly number[]
  /** Where the table ends [m]. */
  readonly edge: number
  /** Per brick the edge of contact below it on the left and on the right: held or broken. */
  readonly holds: string
}

/** Stacks of which some contacts break at once: of Baraff's kind (survey, figure 3), with ten contacts seen from the side. */
const overbalanced: readonly Stack[] = [
  { at: [0, -0.14, -0.23, -0.14, -0.05], edge: 0, holds: 'xx xo ox ox xx' },
  { at: [0, 0.07, 0.2, 0.29, 0.17], edge: 0.03, holds: 'ox xx xx xo xo' },
  { at: [0, 0.05, -0.01, -0.15, -0.06], edge: 0.1, holds: 'xx xx xo xx ox' },
  { at: [0, -0.11, 0.03, -0.06, 0.09], edge: 0.05, holds: 'xx xx ox xx ox' },
  { at: [0, -0.1, -0.2, -0.08, 0.03], edge: -0.04, holds: 'xx xo xx ox xo' },
]

function placed(at: readonly number[]): WorldRobot[] {
  return at.map((x, k) => ({ robot: box([length, width, height], 1), q: [x, 0, height * (k + 0.5), 0, 0, 0, 1] }))
}

/** How each stack begins to move without friction, and what holds it. */
export function checkBreaking(model: string, rigid: boolean, options: ContactModelOptions = {}): void {
  for (const stack of overbalanced) checkStack(model, stack, rigid, options)
}

function checkStack(model: string, { at, edge, holds }: Stack, rigid: boolean, options: ContactModelOptions): void {
  const { acceleration, forces, opening } = fallOf(at, edge)
  const pattern = at.map((_, k) => [0, 1].map((side) => (forces[2 * k + side] > 0 ? 'x' : 'o')).join('')).join(' ')
  expect(pattern).toBe(holds)
  // nothing near the border between the two
  for (let c = 0; c < 10; c++) expect(Math.max(forces[c], opening[c])).toBeGreaterThan(0.02 * g)

  const dt = rigid ? 1e-3 : 1e-5
  const world = makeWorld({
    robots: placed(at),
    model,
    options,
    dt,
    fixtures: [fixedBox('table', [edge - 0.5, 0, -0.1], [1, 1, 0.2])],
    // springs are to have settled long before anything has moved
    physical: { friction: 0, allowedPenetration: 1e-8 },
  })
  run(world, rigid ? dt : 5e-3)
  const time = world.state.t[0]
  // a compliance of 1e-5 of each contact alone, more in a stack; springs take a tenth of the time to settle
  world.robots.forEach(({ state: { v } }, k) => {
    const fall = [v[3], v[5], -v[1] * 0.5 * length].map((speed) => speed / time)
    const expected = [0, acceleration[3 * k + 1], acceleration[3 * k + 2] * 0.5 * length]
    for (let d = 0; d < 3; d++) expect(Math.abs(fall[d] - expected[d])).toBeLessThan((rigid ? 1e-3 : 2e-2) * g)
  })
  const loads = edgeLoads(world, at)
  for (let c = 0; c < 10; c++) {
    if (holds.replaceAll(' ', '')[c] === 'o') expect(loads[c]).toBe(0)
    else expect(Math.abs(loads[c] - forces[c])).toBeLessThan((rigid ? 2e-3 : 2e-2) * g)
  }
  checkForces(world)
}

/** Force on each brick's left and right edge of contact from below [N]. */
function edgeLoads({ contacts, dt }: World, at: readonly number[]): number[] {
  const loads = at.flatMap(() => [0, 0])
  const { count, bodyA, bodyB, impulse, point } = contacts
  for (let i = 0; i < count; i++) {
    const upper = Math.max(bodyA[i], bodyB[i]) - 1
    const middle = upper === 0 ? at[0] - 0.25 * length : 0.5 * (at[upper] + at[upper - 1])
    loads[2 * upper + (point[3 * i] > middle ? 1 : 0)] += impulse[3 * i] / dt
  }
  return loads
}

/**
 * Accelerations of bricks at rest in a plane, [x, z, turn] each, turning such that what is right goes up; forces of their edges of
 * contact; and accelerations at which these open. Gauss's principle: the least deviation from free fall that lets nothing sink in.
 */
function fallOf(at: readonly number[], edge: number): { acceleration: number[]; forces: number[]; opening: number[] } {
  const n = 3 * at.length
  const oneBased = (rows: number, columns: number) =>
    Array.from({ length: rows + 1 }, () => new Array<number>(columns + 1).fill(0))
  const rows: number[][] = []
  at.forEach((x, k) => {
    const below = k === 0 ? [-Infinity, edge] : [at[k - 1] - length / 2, at[k - 1] + length / 2]
    for (const c of [Math.max(x - length / 2, below[0]), Math.min(x + length / 2, below[1])]) {
      const row = new Array<number>(n).fill(0)
      row[3 * k + 1] = 1
      row[3 * k + 2] = c - x
      if (k > 0) {
        row[3 * k - 2] = -1
        row[3 * k - 1] = at[k - 1] - c
      }
      rows.push(row)
    }
  })
  const D = oneBased(n, n)
  const d = new Array<number>(n + 1).fill(0)
  at.forEach((_, k) => {
    const inertia = [1, 1, (length * length + height * height) / 12]
    inertia.forEach((m, i) => {
      D[3 * k + i + 1][3 * k + i + 1] = m
    })
    d[3 * k + 2] = -g
  })
  const A = oneBased(n, rows.length)
  rows.forEach((row, c) => {
    row.forEach((x, i) => {
      A[i + 1][c + 1] = x
    })
  })
  const { solution, Lagrangian, message } = solveQP(D, d, A, new Array<number>(rows.length + 1).fill(0))
  expect(message).toBe('')
  const acceleration = solution.slice(1)
  const opening = rows.map((row) => row.reduce((sum, x, i) => sum + x * acceleration[i], 0))
  return { acceleration, forces: Lagrangian.slice(1), opening }
}

export function checkWall(model: string, rigid: boolean, options: ContactModelOptions = {}): void {
  const world = wall(model, rigid ? 2e-3 : 2.5e-4, options)
  run(world, rigid ? 0.2 : 1)
  const start = world.state.q.slice()
  run(world, 0.2)
  const moved = Math.max(...start.map((x, k) => Math.abs(world.state.q[k] - x)))
  expect(moved).toBeLessThan(rigid ? 1e-8 : 0.2 * stickSpeed)
  expect(Math.max(...world.state.v.map(Math.abs))).toBeLessThan(rigid ? 1e-7 : stickSpeed)

  const weight = (bricks: number[][]) => bricks.reduce((sum, [, size]) => sum + density * size * width * height * g, 0)
  const first = courses.map((_, k) => courses.slice(0, k).flat().length + 1)
  const bodiesOf = (k: number) => (k < 0 ? [0] : courses[k].map((_, i) => first[k] + i))
  courses.forEach((_, k) => {
    let load = 0
    for (const below of bodiesOf(k - 1)) for (const above of bodiesOf(k)) load += loadBetween(world, below, above)
    const above = courses.slice(k).reduce((sum, bricks) => sum + weight(bricks), 0)
    expect(Math.abs(load / above - 1)).toBeLessThan(rigid ? 1e-6 : 1e-4)
  })
  checkForces(world)
  expect(world.events.failures).toBe(0)
}

const density = 1800
const courses = coursesOfWall()

/** Four courses in running bond, three bricks wide, [middle, length] each; the second and fourth end in half bricks; joints of 1 mm. */
function coursesOfWall(): number[][][] {
  return [0, 1, 2, 3].map((course) => {
    const full = course % 2 === 0 ? [0, 1, 2].map((i) => [(i - 1) * (length + 1e-3), length]) : []
    if (course % 2 === 0) return full
    const half = 0.5 * (length - 1e-3)
    const end = 1.5 * length + 1e-3 - 0.5 * half
    return [
      [-end, half],
      [-0.5 * (length + 1e-3), length],
      [0.5 * (length + 1e-3), length],
      [end, half],
    ]
  })
}

/** The wall on the ground, of fired clay. */
export function wall(model: string, dt: number, options: ContactModelOptions = {}): World {
  const robots = courses.flatMap((bricks, course) =>
    bricks.map(
      ([x, size]): WorldRobot => ({
        robot: box([size, width, height], density * size * width * height),
        q: [x, 0, height * (course + 0.5), 0, 0, 0, 1],
      }),
    ),
  )
  return makeWorld({ robots, model, options, dt, physical: { allowedPenetration: 1e-4 } })
}
