/** Section 7.1: dynamic friction without an answer, or with several, on Painlevé's rod; and Lötstedt's law there. */
import { Random } from '../../../compare/scenario/world/random.ts'
import { type ContactModelOptions, LemkeSolver } from '../../../contact/index.ts'
import { dot } from '../../../dynamics/index.ts'
import type { World } from '../../../simulation/index.ts'
import { between } from '../uniform.ts'
import { staticProblem } from './friction.ts'
import { solveDense } from './numerics.ts'
import { g, impulseOf, models, worldOf } from './scene.ts'

/** Half its length [m] and mass [kg]; a uniform rod, its tip on the ground. */
export const rod = { half: 1, mass: 1, inertia: 1 / 3 } as const

/** A rod whose tip slides ahead of it. */
export interface Start {
  /** To the ground [rad]. */
  readonly angle: number
  readonly mu: number
  /** Of the tip [m/s]; and how fast the rod falls over backwards [rad/s]. */
  readonly speed: number
  readonly turning: number
}

/**
 * The problem of one force, a_N = A f + b, of the tip that slides: friction mu f against the slip. A < 0 and b < 0: inconsistent, A < 0 and b > 0:
 * indeterminate, with f = 0 and f = -b / A.
 */
export function tipProblem({ angle, mu, turning }: Start): { A: number; b: number; answers: number[] } {
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const A = (1 + 3 * c * (c - mu * s)) / rod.mass
  const b = rod.half * turning * turning * s - g
  const answers = [...(b >= 0 ? [0] : []), ...(-b / A > 0 ? [-b / A] : [])]
  return { A, b, answers }
}

export type Kind = 'one answer' | 'inconsistent' | 'indeterminate'
export const kindOf = (start: Start): Kind => {
  const { answers } = tipProblem(start)
  return answers.length === 1 ? 'one answer' : answers.length === 0 ? 'inconsistent' : 'indeterminate'
}

/** The coefficient from which on a rod at this angle has A < 0. */
export const criticalFriction = (angle: number) => (1 + 3 * Math.cos(angle) ** 2) / (3 * Math.sin(angle) * Math.cos(angle))

const sixty = Math.PI / 3
/** Below the critical friction of 60 degrees, 1.347; above it; and above it while turning lifts the tip. */
export const starts: Readonly<Record<Kind, Start>> = {
  'one answer': { angle: sixty, mu: 0.5, speed: 1, turning: 0 },
  inconsistent: { angle: sixty, mu: 1.9, speed: 1, turning: 0 },
  indeterminate: { angle: sixty, mu: 1.9, speed: 1, turning: 4 },
}

/** Which point of the rod its coordinates are of: where velocities of a step are those of its start, they see turning differently. */
type Base = 'tip' | 'middle'

interface Springs {
  /** Without dampers [N/m]. */
  readonly stiffness?: number
  readonly options?: ContactModelOptions
}

function rodWorld(model: string, dt: number, start: Start, base: Base = 'tip', { stiffness, options }: Springs = {}): World {
  const { angle, mu, speed, turning } = start
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  // the rod's axis x points from its middle to the tip, ahead and down
  const reach = base === 'tip' ? 0 : rod.half
  return worldOf({
    model,
    dt,
    options,
    shape: { type: 'sphere', radius: 0 },
    at: [reach, 0, 0],
    mass: rod.mass,
    centerOfMass: [reach - rod.half, 0, 0],
    inertia: [1e-2, rod.inertia, rod.inertia, 0, 0, 0],
    position: [-reach * c, 0, reach * s],
    quaternion: [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)],
    v: [0, turning, 0, speed * c, 0, speed * s + reach * turning],
    physical: { friction: mu, ...(stiffness === undefined ? {} : { stiffness, damping: 0 }) },
  })
}

/** Whether the tip has stopped along the ground and sinks no more, to a speed [m/s]. */
function stands({ state: { q, v }, shapes }: World, least: number): boolean {
  const angle = 2 * Math.atan2(q[4], q[6])
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const down = v[5] - v[1] * shapes[0].p[0]
  return Math.abs(v[3] * c + down * s) < least && down * c - v[3] * s > -least
}

/** The branch that a model takes within its first steps. */
export interface Branch {
  readonly model: string
  readonly kind: Kind
  readonly base: Base
  /** The tip slid on under a force; it left the ground; it stopped dead, by an impulse. */
  readonly branch: 'slides' | 'takes off' | 'stops dead'
  /** Along the normal, of all steps [N s]. */
  readonly impulse: number
  /** Steps in which a solver gave no answer. */
  readonly failures: number
}

const dt = 1e-4
/** Long enough for a spring of 1e8 N/m, and for friction that follows the load from step to step [s]. */
const watched = 1e-2

export function branchOf(model: string, kind: Kind, base: Base = 'tip'): Branch {
  const world = rodWorld(model, dt, starts[kind], base, { stiffness: 1e8 })
  let impulse = 0
  let [stopped, touched] = [false, false]
  for (let k = 0; k < watched / dt && !stopped; k++) {
    world.step()
    const given = impulseOf(world)[2]
    impulse += given
    if (given > 1e-6) touched = true
    stopped = touched && stands(world, 0.02)
  }
  return {
    model,
    kind,
    base,
    branch: stopped ? 'stops dead' : touched ? 'slides' : 'takes off',
    impulse,
    failures: world.events.failures,
  }
}

/** All models: one answer, inconsistent, indeterminate, and that with the coordinates of the rod's middle. */
export const branches = (): Branch[][] =>
  models.map((model) => [
    branchOf(model, 'one answer'),
    branchOf(model, 'inconsistent'),
    branchOf(model, 'indeterminate'),
    branchOf(model, 'indeterminate', 'middle'),
  ])

/**
 * The first step of `lcp` on rods over angle, friction and turning, by coordinates of either point: per kind how many rods there are, how many it
 * names so, and how many of their next three steps have a name.
 */
export function firstSteps(): { kind: Kind; rods: number; named: number; later: number }[] {
  const counts = (['one answer', 'inconsistent', 'indeterminate'] as const).map((kind) => ({ kind, rods: 0, named: 0, later: 0 }))
  for (const base of ['tip', 'middle'] as const)
    for (let degrees = 20; degrees <= 75; degrees += 11)
      for (let mu = 0.25; mu < 3; mu += 0.35)
        for (const turning of [-4, 0, 2, 4, 6]) {
          const start = { angle: (degrees * Math.PI) / 180, mu, speed: 1, turning }
          const { A, b } = tipProblem(start)
          if (Math.min(Math.abs(A), Math.abs(b)) < 0.02) continue
          const world = rodWorld('lcp', dt, start, base)
          const count = counts.find(({ kind }) => kind === kindOf(start)) as (typeof counts)[number]
          world.step()
          count.rods++
          if (nameOf(world) === count.kind) count.named++
          const before = impulsesOf(world)
          for (let k = 0; k < 3; k++) world.step()
          count.later += impulsesOf(world) - before
        }
  return counts
}

const counted = ({ events }: World, name: string) => events.solvers.find(({ solver }) => solver === name)?.solved ?? 0
const impulsesOf = (world: World) => counted(world, 'impulse-inconsistent') + counted(world, 'impulse-indeterminate')
const nameOf = (world: World): Kind =>
  counted(world, 'impulse-inconsistent') > 0
    ? 'inconsistent'
    : counted(world, 'impulse-indeterminate') > 0
      ? 'indeterminate'
      : 'one answer'

/** The impulse that stops the tip dead without letting it sink, two equations: normal and along the ground [N s]. */
export function stoppingImpulse({ angle, speed }: Start): [number, number] {
  const [x, z] = [Math.cos(angle), -Math.sin(angle)]
  const [a, b, c] = [1 + (x * x) / rod.inertia, (-x * z) / rod.inertia, 1 + (z * z) / rod.inertia]
  const determinant = a * c - b * b
  return [(b * speed) / determinant, (-a * speed) / determinant]
}

/** The whole normal impulse of a spring without damping until the tip has stopped, at stiffness k [N s]. */
export function springImpulse(k: number): number {
  const step = 0.02 / Math.sqrt(k)
  const world = rodWorld('penalty-deepest', step, starts.inconsistent, 'tip', { stiffness: k, options: { impacts: 'none' } })
  let impulse = 0
  for (let n = 0; n < 100_000; n++) {
    world.step()
    impulse += impulseOf(world)[2]
    if (stands(world, 1e-3)) break
  }
  return impulse
}

/** Section 7.1 under `lotstedt`: steps of 1 ms until the tip stands, the largest load over the weight, and whether each step was solved by the first solver. */
export function underLotstedt(kind: Kind): { steps: number; load: number; unsolved: number } {
  const world = rodWorld('lotstedt', 1e-3, starts[kind])
  let [steps, load] = [0, 0]
  for (; steps < 50; steps++) {
    world.step()
    load = Math.max(load, impulseOf(world)[2] / 1e-3 / g)
    if (stands(world, 0.02)) break
  }
  const { failures, fallbacks } = world.events
  return { steps: steps + 1, load, unsolved: failures + fallbacks }
}

/** All f of equation 8, f >= 0 and a = A f + b >= 0 with f · a = 0, by all sets of contacts that press. */
export function allForces(A: readonly (readonly number[])[], b: readonly number[]): number[][] {
  return Array.from({ length: 2 ** b.length }, (_, set) => {
    const S = b.flatMap((_, i) => ((set >> i) & 1 ? [i] : []))
    const part = solveDense(
      S.map((i) => S.map((j) => A[i][j])),
      S.map((i) => -b[i]),
    )
    const f = b.map((_, i) => part[S.indexOf(i)] ?? 0)
    return f.every((x) => x >= 0) && A.every((row, i) => S.includes(i) || dot(row, f) + b[i] >= 0) ? [f] : []
  }).flat()
}

/**
 * Random bodies that slide at n points, A_ij = W_ni,nj - mu_j W_ni,tj: by number of answers, none, one or more, how many there are, in how many
 * Lemke's algorithm ends on a ray from some of `covers` covering vectors, from all of them, and in how many its ends are several. A ray is a
 * motion by an impulse: contacts press of which none separates. And its pivots, mean.
 */
export function arbitraryChoices(n: number, count: number, covers = 20) {
  const [random, vectors] = [new Random(3, n), new Random(5, n)]
  const lemke = new LemkeSolver()
  const counts = Array.from({ length: 3 }, () => ({ problems: 0, ray: 0, rayAlone: 0, several: 0 }))
  let pivots = 0
  for (let k = 0; k < count; k++) {
    const { W, rhs, limit } = staticProblem(random, n)
    const at = (i: number, j: number) => W[9 * n * i + 3 * j] - limit[j] * W[9 * n * i + 3 * j + 1]
    const b = Array.from(limit, (_, i) => rhs[3 * i])
    const A = b.map((_, i) => b.map((_, j) => at(i, j)))
    const ends = new Set<string>()
    for (let trial = 0; trial < covers; trial++) {
      // rows over d have the path of the covering vector d
      const d = b.map(() => 10 ** between(vectors, -1, 1))
      const rows = Float64Array.from(A.flatMap((row, i) => row.map((x) => x / d[i])))
      const status = lemke.solve(
        n,
        rows,
        Float64Array.from(b, (x, i) => x / d[i]),
      )
      pivots += lemke.iterations / (count * covers)
      ends.add(status === 'solved' ? Array.from(lemke.z.subarray(0, n), (x) => x.toPrecision(5)).join() : status)
    }
    const of = counts[Math.min(2, allForces(A, b).length)]
    of.problems++
    if (ends.has('ray')) of.ray++
    if (ends.size > 1) of.several++
    else if (ends.has('ray')) of.rayAlone++
  }
  return { contacts: n, counts, pivots }
}
