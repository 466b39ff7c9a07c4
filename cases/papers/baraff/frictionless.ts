/** Section 4.1: the frictionless problem a_N = A f_N + b of equations 6 to 8, by every registered complementarity solver. */

import { eigenvalues } from '../../../compare/inspect/eigenvalues.ts'
import { Random } from '../../../compare/scenario/world/random.ts'
import { complementaritySolvers, type SavedProblem } from '../../../contact/index.ts'
import { dot } from '../../../dynamics/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import type { Robot } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { type Claim, judged, type Part } from '../page.ts'
import { between } from '../uniform.ts'
import { solveColumns, solveDense } from './numerics.ts'
import { boxOf, difference, fixture, g, length, loadOf, short, type Vector, worst } from './scene.ts'

/** Equations 6 to 8: A, b, and the map from forces to body accelerations. */
export interface Frictionless {
  readonly A: readonly (readonly number[])[]
  readonly b: readonly number[]
  /** J a generalised: one row a contact; and M, and the accelerations without contact forces. */
  readonly J: readonly (readonly number[])[]
  readonly M: readonly (readonly number[])[]
  readonly free: readonly number[]
}

/** The problem of a world's last step. */
export function savedOf({ contactModel, robot }: World): SavedProblem {
  const problem = contactModel.problem?.()
  if (problem === undefined) throw new Error(`the step of ${robot.name} had no problem of contact`)
  return problem
}

/** The problem of the first step of a world whose bodies are at rest and touch: vFree is h a0. */
function firstProblem(world: World): Frictionless {
  world.step()
  const { M, J, vFree, dt } = savedOf(world)
  const normals = J.filter((_, r) => r % 3 === 0)
  const free = vFree.map((v) => v / dt)
  return problemOf(M, normals, free)
}

function problemOf(M: Frictionless['M'], J: Frictionless['J'], free: readonly number[]): Frictionless {
  const Y = solveColumns(
    M,
    M.map((_, k) => J.map((row) => row[k])),
  )
  const A = J.map((row) => J.map((_, j) => row.reduce((sum, x, k) => sum + x * Y[k][j], 0)))
  return { A, b: J.map((row) => dot(row, free)), J, M, free }
}

type Answer = ReturnType<typeof answersOf>[number]

/** How each solver answers: f, A f + b, and accelerations of the bodies, a0 + M⁻¹ Jᵀ f. */
export function answersOf({ A, b, J, M, free }: Frictionless) {
  const n = b.length
  return Object.entries(complementaritySolvers).map(([solver, create]) => {
    const made = create()
    const status = made.solve(n, Float64Array.from(A.flat()), Float64Array.from(b), new Uint8Array(n), new Float64Array(n))
    const f = Array.from(made.z.subarray(0, n))
    const load = free.map((_, k) => J.reduce((sum, row, i) => sum + row[k] * f[i], 0))
    return {
      solver,
      solved: status === 'solved',
      f,
      a: A.map((row, i) => dot(row, f) + b[i]),
      accelerations: solveDense(M, load).map((x, k) => x + free[k]),
    }
  })
}

/** How many solvers find an answer, and by how much these differ: forces relative to the largest, accelerations of bodies to the largest without contact. */
export function spread(problem: Frictionless) {
  const { b, free } = problem
  const solved = answersOf(problem).filter((answer) => answer.solved)
  const of = (what: (answer: Answer) => readonly number[]) =>
    Math.max(0, ...solved.flatMap((x) => solved.map((y) => Math.max(...difference(what(x), what(y)).map(Math.abs)))))
  const largest = Math.max(1e-300, ...solved.flatMap(({ f }) => f))
  return {
    contacts: b.length,
    solved: solved.length,
    forces: of(({ f }) => f) / largest,
    accelerations: of(({ accelerations }) => accelerations) / Math.max(...free.map(Math.abs)),
  }
}

/** A box under its weight and a push off its middle: on four corners, or in the corner of a wall and the floor, on eight contacts. */
export function boxProblem(contacts: 4 | 8): Frictionless {
  const walls = [
    fixture('floor', { type: 'halfspace', normal: [0, 0, 1], offset: 0 }),
    fixture('wall', { type: 'halfspace', normal: [1, 0, 0], offset: 0 }),
  ]
  const robot = boxOf('box', [0.4, 0.3, 0.2], 2, [0.2, 0, 0.1])
  const world = new World({
    robot,
    contactModel: 'lcp',
    dt: 1e-3,
    fixtures: walls.slice(0, contacts / 4),
    physical: { friction: 0 },
    controller: loadOf(() => [contacts === 8 ? -7 : 0, 0, -5, 0.3, 0.4, 0]),
  })
  return firstProblem(world)
}

/** A robot on the floor in its home pose without motor efforts. */
export const robotProblem = (robot: Robot): Frictionless =>
  firstProblem(new World({ robot, contactModel: 'lcp', dt: 1e-3, physical: { friction: 0 } }))

/** Rigid bodies of random inertia at n random points with random normals, on something fixed or on each other, under a random force and moment. */
export function randomProblem(random: Random, n: number, bodies = 1): Frictionless {
  const rows = 6 * bodies
  const M = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: rows }, (_, j) => (i === j ? between(random, 0.2, 2) : 0)),
  )
  const J = Array.from({ length: n }, (_, i) => {
    const p = [random.within(1), random.within(1), random.within(1)]
    const d = [random.within(1), random.within(1), between(random, 0.2, 1)]
    const [x, y, z] = d.map((value) => value / length(d))
    const own = [p[1] * z - p[2] * y, p[2] * x - p[0] * z, p[0] * y - p[1] * x, x, y, z]
    const on = i % bodies
    const other = bodies === 1 ? 0 : Math.floor(random.next() * (on + 1)) // on: the ground
    return Array.from({ length: bodies }, (_, k) =>
      own.map((value) => (k === on ? value : k === other && other < on ? -value : 0)),
    ).flat()
  })
  const free = Array.from({ length: bodies }, () => [...Array.from({ length: 5 }, () => random.within(5)), -g])
  return problemOf(M, J, free.flat())
}

/** Results over `count` random problems of each number of contacts. */
export function randomProblems(count: number, seed = 1) {
  const random = new Random(seed)
  let [least, asymmetry, unsolved, motions, forces, several] = [Infinity, 0, 0, 0, 0, 0]
  const sizes = [1, 2, 4, 6, 8, 10]
  for (const n of sizes) {
    for (let k = 0; k < count; k++) {
      const problem = randomProblem(random, n)
      const { A } = problem
      const values = eigenvalues(A)
      least = Math.min(least, values[0] / values[n - 1])
      for (let i = 0; i < n; i++)
        for (let j = 0; j < i; j++) asymmetry = Math.max(asymmetry, Math.abs(A[i][j] - A[j][i]) / values[n - 1])
      const { solved, forces: f, accelerations } = spread(problem)
      if (solved === 0) unsolved++
      motions = Math.max(motions, accelerations)
      forces = Math.max(forces, f)
      if (f > 1e-3) several++
    }
  }
  return { problems: sizes.length * count, least, asymmetry, unsolved, motions, forces, several }
}

/** Bricks of figure 3, each farther out than the one below: width, height, depth [m], mass [kg]; how far the middle of each is out [m]. */
export const brick = { size: [1, 0.5, 0.3] as Vector, mass: 2 }
export const bricks = [0, 0.2, 0.45, 0.75, 1.15]

/** Of a brick: the middle of the one below, and the two ends of where they overlap. */
function supportOf(k: number): { below: number; ends: [number, number] } {
  const [x, below, half] = [bricks[k], bricks[Math.max(0, k - 1)], brick.size[0] / 2]
  return { below, ends: [Math.max(x, below) - half, Math.min(x, below) + half] }
}

/** Planar: the two ends of each brick's lower side touch the one below; 10 contacts. */
export function bricksProblem(): Frictionless {
  const [width, height] = brick.size
  const inertia = (brick.mass * (width * width + height * height)) / 12
  const n = bricks.length
  const M = Array.from({ length: 3 * n }, (_, i) =>
    Array.from({ length: 3 * n }, (_, j) => (i !== j ? 0 : i % 3 === 2 ? inertia : brick.mass)),
  )
  const J: number[][] = []
  bricks.forEach((x, k) => {
    const { below, ends } = supportOf(k)
    for (const end of ends) {
      const row = new Array<number>(3 * n).fill(0)
      row[3 * k + 1] = 1
      row[3 * k + 2] = end - x
      if (k > 0) {
        row[3 * k - 2] = -1
        row[3 * k - 1] = -(end - below)
      }
      J.push(row)
    }
  })
  return problemOf(
    M,
    J,
    Array.from({ length: 3 * n }, (_, i) => (i % 3 === 1 ? -g : 0)),
  )
}

/** The first step of the same bricks under a model: the force at each of the 10 places, those across the depth taken together [N]. */
export function bricksOf(model: 'lcp' | 'stewart-trinkle'): { force: number[]; opening: number[] } {
  const [width, height, depth] = brick.size
  const dt = 1e-4
  const world = new World({
    robots: bricks.map((x, k) => ({
      robot: boxOf(`brick${k + 1}`, [width, depth, height], brick.mass, [x, 0, (k + 0.5) * height]),
    })),
    contactModel: model,
    dt,
    physical: { friction: 0 },
  })
  world.step()
  const force = new Array<number>(2 * bricks.length).fill(0)
  const opening = new Array<number>(2 * bricks.length).fill(0)
  const { count, point, impulse } = world.contacts
  for (let i = 0; i < count; i++) {
    const k = Math.round(point[3 * i + 2] / height)
    const middle = 0.5 * (bricks[k] + supportOf(k).below)
    force[2 * k + (point[3 * i] > middle ? 1 : 0)] += impulse[3 * i] / dt
  }
  bricks.forEach((_, k) => {
    const rise = (body: number, at: number) => {
      if (body < 0) return 0
      const { v } = world.robots[body].state
      return v[5] - v[1] * (at - bricks[body])
    }
    supportOf(k).ends.forEach((end, side) => {
      opening[2 * k + side] = (rise(k, end) - rise(k - 1, end)) / dt
    })
  })
  return { force, opening }
}

/** Section 4.1, equations 6 to 8, and figure 3. */
export function frictionlessPart(): Part {
  const problems = randomProblems(30)
  const { least, asymmetry, motions } = problems
  const matrix: Claim = {
    where: 'Equation 6',
    claim: 'a_N = A f_N + b with A symmetric and positive semidefinite',
    found: `least eigenvalue ${short(least)} of the largest, asymmetry ${short(asymmetry)}, over ${problems.problems} bodies on 1 to 10 random contacts`,
    judgement: judged(least > -1e-14 && asymmetry < 1e-14),
    why: 'Rounding. Eigenvalues by Jacobi’s rotations in the experiment.',
  }
  const several = [
    { what: 'box on 4 corners', problem: boxProblem(4) },
    { what: 'box on 8 contacts', problem: boxProblem(8) },
    { what: 'diffdrive', problem: robotProblem(loadOwnRobot('diffdrive')) },
    { what: 'humanoid', problem: robotProblem(loadOwnRobot('humanoid')) },
  ].map(({ what, problem }) => ({ what, ...spread(problem) }))
  const unique: Claim = {
    where: 'Equation 8',
    claim:
      'forces need not be unique, accelerations are: a box on the floor and against a wall too, and two robots on theirs, by every solver',
    paper: 'A singular',
    found: `${several.map(({ what, contacts, solved, forces, accelerations }) => `${what} (${contacts} contacts): ${solved} solvers differ by ${short(100 * forces)} % of the largest force, by ${short(accelerations)} of the largest acceleration`).join('; ')}. Of ${problems.problems} random problems forces differ in ${problems.several}, accelerations by ${short(motions)} at most`,
    judgement: judged(
      several.every(({ forces, accelerations }) => forces > 0.1 && accelerations < 1e-6) &&
        problems.several > 0 &&
        motions < 1e-6,
    ),
    why: 'Judged by 1e-6: the iterative solvers stop at 1e-8.',
  }
  const problem = bricksProblem()
  const truth = answersOf(problem).find(({ solver }) => solver === 'enumeration')
  if (truth === undefined) throw new Error('there is no solver "enumeration"')
  const opens = (a: readonly number[]) => a.flatMap((value, i) => (value > 1e-2 ? [i + 1] : [])).join(', ')
  const stack = (['lcp', 'stewart-trinkle'] as const).map((model) => ({ model, ...bricksOf(model) }))
  const load = worst(truth.f)
  const miss = worst(stack.flatMap(({ force }) => force.map((f, i) => Math.abs(f - truth.f[i]) / load)))
  const bricksClaim: Claim = {
    where: 'Figure 3',
    claim: 'overbalanced bricks, ten contacts: which of them break follows from all together',
    paper: 'drawn, without sizes',
    found: `of five bricks, each farther out, contact ${opens(truth.a)} opens, under ${stack.map(({ model, opening }) => `${model} ${opens(opening)}`).join(', under ')}; forces within ${short(miss)} of the largest`,
    judgement: judged(stack.every(({ opening }) => opens(opening) === opens(truth.a)) && miss < 1e-4),
    why: `Sizes of our own. The truth is that of all ${2 ** 10} sets of active contacts, of planar bricks written out in the experiment; contacts are counted from the ground, left before right. Not the top brick tips, but the four upper ones as one.`,
  }
  return { claims: [matrix, ...existenceOfForces(problems), unique, bricksClaim] }
}

/** Equation 8 as printed, and as it holds. */
function existenceOfForces(problems: ReturnType<typeof randomProblems>): Claim[] {
  const exists: Claim = {
    where: 'Equation 8',
    claim: 'a solution exists where b is in the range of A, as in every frictionless configuration at rest',
    paper: '“always has at least one solution”',
    found: `${problems.problems - problems.unsolved} of ${problems.problems} random bodies at rest solved`,
    judgement: judged(problems.unsolved === 0),
    why: 'At rest b = J a0 = J M⁻¹ (M a0), and J M⁻¹ᐟ² has the range of A = J M⁻¹ Jᵀ. With b = A c the form fᵀ A f / 2 + bᵀ f = |f + c|²_A / 2 − |c|²_A / 2 is bounded below, so that it has a least value over f ≥ 0 (Frank and Wolfe), whose conditions are equation 8.',
  }
  const A = [
    [1, -1],
    [-1, 1],
  ]
  const stuck = answersOf({ A, b: [-1, -1], J: [[1], [-1]], M: [[1]], free: [0] })
  const notAlways: Claim = {
    where: 'Equation 8',
    claim: 'as printed: because A is positive semidefinite a solution always exists, of b no more being said',
    paper: '“As a result, equation (8) always has at least one solution”',
    found: `A = (1 −1; −1 1), b = (−1, −1): ${stuck.filter(({ solved }) => solved).length} of ${stuck.length} solvers find one, for a_1 + a_2 = −2 whatever f is`,
    judgement: 'not reproduced',
    why: 'b has a term of velocity besides J a0: a particle that moves through the widest place of a gap of its own width is squeezed from both sides, and no acceleration saves it. The printed conclusion needs b in the range of A, which has the row above.',
  }
  return [exists, notAlways]
}
