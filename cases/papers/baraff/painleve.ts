/** Section 7.1: dynamic friction without an answer, or with several, on Painlevé's rod; and Lötstedt's law there. */

import { Random } from '../../../compare/scenario/world/random.ts'
import { type ContactModelOptions, LemkeSolver } from '../../../contact/index.ts'
import { dot } from '../../../dynamics/index.ts'
import type { World } from '../../../simulation/index.ts'
import { type Claim, judged, type Part } from '../page.ts'
import { between } from '../uniform.ts'
import { laggedConfigurations, staticProblem } from './friction.ts'
import { solveDense } from './numerics.ts'
import { g, impulseOf, isRigid, models, range, rigid, short, worldOf, worst } from './scene.ts'

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

type Branch = ReturnType<typeof branchOf>
const kinds = ['one answer', 'inconsistent', 'indeterminate'] as const

const dt = 1e-4
/** Long enough for a spring of 1e8 N/m, and for friction that follows the load from step to step [s]. */
const watched = 1e-2

/**
 * The branch that a model takes within its first steps: the tip slides on under a force; it leaves the ground; it stops dead, by an impulse.
 *
 * @returns impulse along the normal, of all steps [N s]; steps in which a solver gave no answer (`failures`)
 */
export function branchOf(model: string, kind: Kind, base: Base = 'tip') {
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
  const branch: 'slides' | 'takes off' | 'stops dead' = stopped ? 'stops dead' : touched ? 'slides' : 'takes off'
  return { model, kind, base, branch, impulse, failures: world.events.failures }
}

/** All models: one answer, inconsistent, indeterminate, and that with the coordinates of the rod's middle. */
const branches = (): Branch[][] =>
  models.map((model) => [...kinds.map((kind) => branchOf(model, kind)), branchOf(model, 'indeterminate', 'middle')])

/**
 * The first step of `lcp` on rods over angle, friction and turning, by coordinates of either point: per kind how many rods there are, how many it
 * names so, and how many of their next three steps have a name.
 */
export function firstSteps(): { kind: Kind; rods: number; named: number; later: number }[] {
  const counts = kinds.map((kind) => ({ kind, rods: 0, named: 0, later: 0 }))
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

/** Section 7.1. */
export function painlevePart(): Part & { branches: Branch[][] } {
  const all = branches()
  const [normal] = stoppingImpulse(starts.inconsistent)
  const ks = [1e5, 1e6, 1e7, 1e8, 1e9]
  const springs = ks.map(springImpulse)
  const angles = Array.from({ length: 61 }, (_, k) => 15 + k)
  return {
    branches: all,
    claims: [...existenceClaims(), ...branchClaims(all, normal), laggedClaim()],
    figures: [
      {
        id: 'painleve',
        title: 'Section 7.1: friction from which on a rod that slides has no force, or two',
        x: 'angle to the ground [°]',
        y: 'critical friction',
        logarithmic: false,
        curves: [
          {
            name: '(1 + 3 cos² θ) / (3 sin θ cos θ), least 4/3',
            x: angles,
            y: angles.map((a) => criticalFriction((a * Math.PI) / 180)),
          },
        ],
      },
      {
        id: 'wedge',
        title: 'Section 7.1: impulse of springs on the inconsistent rod against k',
        x: 'k [N/m]',
        y: 'normal impulse until it stands [N s]',
        logarithmic: false,
        logarithmicX: true,
        curves: [
          { name: 'penalty-deepest, no damper', x: ks, y: springs },
          { name: 'the impulse that stops the tip', x: ks, y: ks.map(() => normal), dashed: true },
        ],
      },
    ],
  }
}

function existenceClaims(): Claim[] {
  const rodWords = (start: Start) => {
    const { A, b, answers } = tipProblem(start)
    const forces = answers.length === 0 ? 'no force' : `f = ${answers.map(short).join(' and ')} N`
    return `mu ${start.mu}${start.turning > 0 ? `, turning at ${start.turning} rad/s` : ''}: ${forces} (A = ${short(A)} /kg, b = ${short(b)} m/s²)`
  }
  const exist: Claim = {
    where: 'Section 7.1',
    claim:
      'with dynamic friction there may be no solution, and there may be several with different accelerations: one contact, Painlevé’s rod',
    paper: 'inconsistency and indeterminacy',
    found: `rod at 60°, critical friction ${short(criticalFriction(Math.PI / 3))}: ${kinds.map((kind) => rodWords(starts[kind])).join('; ')}`,
    judgement: judged(kinds.every((kind) => kindOf(starts[kind]) === kind)),
    why: 'A and b in closed form, and both signs of f tried.',
  }
  const grid = firstSteps()
  const named: Claim = {
    where: 'Section 7.1',
    claim: 'the first step of lcp names every rod right, over angle, friction, turning and the point that coordinates are of',
    found: `${grid.map(({ kind, named: n, rods }) => `${n} of ${rods} with ${kind === 'one answer' ? kind : `an ${kind} configuration`}`).join(', ')}, and no later step names one`,
    judgement: judged(grid.every(({ named: n, rods, later }) => n === rods && rods > 20 && later === 0)),
    why: 'Signs of A and b in closed form; left out where either is nearer to zero than 0.02.',
  }
  return [exist, named]
}

/** @param normal the impulse that stops the tip of the inconsistent rod along the normal [N s] */
function branchClaims(all: readonly (readonly Branch[])[], normal: number): Claim[] {
  const took = (index: number, what: Branch['branch']) =>
    all.filter((list) => list[index].branch === what).map(([{ model }]) => model)
  const stops = all.map((list) => list[1]).filter(({ branch }) => branch === 'stops dead')
  const solved = stops.filter(({ model }) => isRigid(model))
  const rest = all.map((list) => list[1]).filter(({ branch }) => branch !== 'stops dead')
  const inconsistent: Claim = {
    where: 'Section 7.1',
    claim: 'an inconsistent configuration has a motion all the same if forces may be impulses: what each model makes of it',
    paper: 'a reinterpretation [3]',
    found: `${stops.length} of ${all.length} models stop the tip dead; rigid ones by ${range(solved.map(({ impulse }) => impulse))} N s, the limit being ${short(normal)}${rest.map(({ model, impulse }) => `; ${model} slides on, ${short(impulse)} N s in 10 ms`).join('')}`,
    judgement: judged(
      rigid.every((model) => solved.some((one) => one.model === model && Math.abs(one.impulse / normal - 1) < 0.05)) &&
        all.every((list) => list[1].failures === 0),
    ),
    why: 'The impulse that stops the tip along the ground and along the normal is two equations. Judged by the rigid models, to 5 %.',
  }
  const branchWords = (index: number) =>
    (['takes off', 'stops dead', 'slides'] as const).flatMap((what) => {
      const list = took(index, what)
      return list.length === 0 ? [] : [`${what}: ${list.length === models.length ? 'all' : list.join(', ')}`]
    })
  const indeterminate: Claim = {
    where: 'Section 7.1',
    claim: 'an indeterminate configuration: which branch each model takes',
    paper: 'an arbitrary choice among several possible motions [3]',
    found: `${rodMotions(normal)}. By coordinates of the tip ${branchWords(2).join('; ')}. By those of the middle ${branchWords(3).join('; ')}`,
    judgement: judged(
      tipProblem(starts.indeterminate).answers.length === 2 && new Set(all.map((list) => list[2].branch)).size === 3,
    ),
    why: 'Judged by two forces in closed form, and each of the three motions being taken by some model. That a model takes one is a property of its step, no choice: by either point as coordinates it is the same. What chooses is in the row below.',
  }
  return [inconsistent, indeterminate]
}

/** The motions of the indeterminate rod, of forces and of an impulse. */
function rodMotions(normal: number): string {
  const { A, b, answers } = tipProblem(starts.indeterminate)
  const motions = answers.map((f) =>
    f === 0 ? `f = 0, takes off at ${short(b)} m/s²` : `f = ${short(f)} N, slides at ${short(A * f + b)} m/s²`,
  )
  return `motions: ${[...motions, `an impulse of ${short(normal)} N s, stops dead`].join('; ')}`
}

function laggedClaim(): Claim {
  const lagged = kinds.map(underLotstedt)
  const random = (['interval', 'disc'] as const).flatMap((bound) => [1, 2, 4, 8].map((n) => laggedConfigurations(bound, n, 200)))
  const total = random.reduce((sum, { problems }) => sum + problems, 0)
  return {
    where: 'Section 7.1 (Lötstedt)',
    claim: 'his friction law has neither inconsistency nor indeterminacy, and its problem is convex',
    found: `${random.reduce((sum, { solved: n }) => sum + n, 0)} of ${total} random configurations of 1 to 8 contacts solved, half of them with his intervals, half with the disc of lotstedt; accelerations by two methods within ${short(worst(random.map(({ apart: x }) => x)))}. On the three rods ${lagged.reduce((sum, { unsolved }) => sum + unsolved, 0)} steps without an answer; the inconsistent one stands after ${lagged[1].steps} steps of 1 ms, under ${short(lagged[1].load)} times its weight`,
    judgement: judged(
      random.every(({ problems, solved: n, apart: x }) => n === problems && x < 1e-6) &&
        lagged.every(({ unsolved }) => unsolved === 0),
    ),
    why: 'Friction is bounded by the load of the step before, along each of two tangents, in the model by a disc. The price is that it lags: it is not Coulomb’s law while the load changes.',
  }
}

export function choiceClaim(count = 500): Claim {
  const sizes = [1, 2, 3, 4, 6]
  const done = sizes.map((n) => arbitraryChoices(n, count))
  const sum = (answers: 0 | 1 | 2, what: 'problems' | 'ray' | 'rayAlone' | 'several') =>
    done.reduce((total, { counts }) => total + counts[answers][what], 0)
  return {
    where: 'Section 7.1 (Baraff)',
    claim:
      'inconsistent configurations read as impulses leave an algorithm that chooses arbitrarily among several motions: Lemke’s, a ray being the impulse',
    paper: 'an arbitrary choice among several possible motion behaviors, in expected polynomial time',
    found:
      `${sizes.length * count} random bodies that slide on ${sizes.join(', ')} points, each from 20 covering vectors. Without forces: ${sum(0, 'rayAlone')} of ${sum(0, 'problems')} end on a ray from all. ` +
      `With several: of ${sum(2, 'problems')} the vector decides the motion in ${sum(2, 'several')}, in ${sum(2, 'ray')} between forces and an impulse. With one: an impulse all the same in ${sum(1, 'ray')} of ${sum(1, 'problems')}. Pivots ${done.map(({ pivots }) => short(pivots)).join(', ')}`,
    judgement: judged(sum(0, 'rayAlone') === sum(0, 'problems') && sum(2, 'several') > 0),
    why: 'The survey does not print the algorithm [3]; this is the one that fits its words. A solve tries two covering vectors more before it ends on a ray. All forces are known by trying all sets of contacts. lcp does not choose so: it counts both kinds apart and takes an impulse.',
  }
}
