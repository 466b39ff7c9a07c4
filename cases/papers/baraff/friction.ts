/** Sections 5 and 7.2: Coulomb's conditions, equations 14 to 19, on forces that models and solvers find. */

import { Random } from '../../../compare/scenario/world/random.ts'
import {
  BaraffSolver,
  type ContactProblem,
  ContactProjectedGaussSeidel,
  type ContactSolver,
  contactSolvers,
  GroupKind,
  UNKNOWN_MODE,
} from '../../../contact/index.ts'
import { crossed, dot, rotationOfQuaternion } from '../../../dynamics/index.ts'
import type { World } from '../../../simulation/index.ts'
import { type Claim, judged, type Part } from '../page.ts'
import { between } from '../uniform.ts'
import { difference, g, isRigid, length, models, range, short, worldOf, worst } from './scene.ts'

/** A contact over a step: its force, and its slip at the start and at the end, along the surface, in the world's axes. */
type Held = Readonly<ReturnType<typeof stepped>[number]>

/** Velocity of a point of a free body [m/s]. */
function velocityAt({ q, v }: Motion, point: readonly number[]): number[] {
  const R = new Float64Array(9)
  rotationOfQuaternion(R, q, 3)
  const inWorld = (x: number, y: number, z: number) => [0, 3, 6].map((k) => R[k] * x + R[k + 1] * y + R[k + 2] * z)
  const turning = crossed(
    inWorld(v[0], v[1], v[2]),
    point.map((x, k) => x - q[k]),
  )
  return inWorld(v[3], v[4], v[5]).map((x, k) => x + turning[k])
}

interface Motion {
  readonly q: Float64Array
  readonly v: Float64Array
}

/** The contacts of the next step of a world of one body on something fixed; takes it. */
function stepped(world: World) {
  const start: Motion = { q: world.state.q.slice(), v: world.state.v.slice() }
  world.step()
  const { count, mu, point, normal, impulse, tangent1, tangent2 } = world.contacts
  return Array.from({ length: count }, (_, i) => {
    const of = (values: Float64Array) => Array.from(values.subarray(3 * i, 3 * i + 3))
    const [p, n, t1, t2] = [point, normal, tangent1, tangent2].map(of)
    const slip = (motion: Motion) => {
      const u = velocityAt(motion, p)
      return u.map((x, k) => x - n[k] * dot(u, n))
    }
    return {
      mu: mu[i],
      normal: impulse[3 * i],
      friction: t1.map((x, k) => impulse[3 * i + 1] * x + impulse[3 * i + 2] * t2[k]),
      before: slip(start),
      after: slip(world.state),
    }
  })
}

/** Slower than this a contact is static [m/s]; as the model has it. */
const noSlip = 1e-6

const noContacts = {
  /** Contacts with a force: with dynamic friction; static and staying so (18); static and beginning to slip (19). */
  dynamic: 0,
  staysStatic: 0,
  breaksAway: 0,
  /** Largest |f_t| / (mu f_N) - 1 over all (14). */
  over: -1,
  /** Of dynamic friction: largest |f_t + mu f_N s / |s|| over mu f_N (15 to 17), s the slip of the start; and how often above 1 %. */
  offDirection: 0,
  offCount: 0,
  /** Of those that slip after rest: largest lack of |f_t| over mu f_N, and largest cosine between f_t and a_t (19). */
  lack: 0,
  cosine: -1,
}

/** A box that is thrown on, slides and turns, and stops; and one at rest that is pushed ever harder, off its middle. */
export function conditionsOf(options: Readonly<Record<string, string>> = {}): typeof noContacts {
  const counts = { ...noContacts }
  const scene = { model: 'lcp', dt: 1e-3, options, physical: { friction: 0.4 }, mass: 2 } as const
  const box = { shape: { type: 'box', size: [0.3, 0.2, 0.1] }, position: [0, 0, 0.05] } as const
  const worlds = [
    worldOf({ ...scene, ...box, v: [0, 0, 4, 1, 0.4, 0] }),
    worldOf({ ...scene, ...box, load: (t) => [40 * t, 0, 0, 0, 0, 2.5 * t] }),
  ]
  for (const world of worlds) {
    for (let k = 0; k < 400; k++) for (const held of stepped(world)) note(counts, held)
  }
  return counts
}

function note(counts: typeof noContacts, { mu, normal, friction, before, after }: Held): void {
  const limit = mu * normal
  if (!(limit > 1e-7)) return
  counts.over = Math.max(counts.over, length(friction) / limit - 1)
  const off = (slip: readonly number[]) => length(friction.map((f, k) => f + (limit * slip[k]) / length(slip))) / limit
  const [s0, s1] = [length(before), length(after)]
  if (s0 > noSlip) {
    counts.dynamic++
    // one that has stopped by the end of the step had no more friction than that took
    if (s1 < 1e-6) return
    counts.offDirection = Math.max(counts.offDirection, off(before))
    if (off(before) > 0.01) counts.offCount++
  } else if (s1 <= noSlip) counts.staysStatic++
  else {
    counts.breaksAway++
    counts.lack = Math.max(counts.lack, 1 - length(friction) / limit)
    counts.cosine = Math.max(counts.cosine, dot(friction, after) / (length(friction) * s1))
  }
}

/** W and rhs of n contacts on one body, in forces and accelerations, with friction of random limits. */
export function staticProblem(random: Random, n: number, kind: GroupKind = GroupKind.frictional): ContactProblem {
  const rows = 3 * n
  const mass = Array.from({ length: 6 }, () => between(random, 0.2, 2))
  const free = mass.map(() => random.within(10))
  const J: number[][] = []
  for (let i = 0; i < n; i++) {
    const p = [random.within(1), random.within(1), random.within(1)]
    const d = [random.within(1), random.within(1), random.within(1)]
    const normal = d.map((x) => x / length(d))
    const aside = Math.abs(normal[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0]
    const raw = difference(
      aside,
      normal.map((x) => x * dot(aside, normal)),
    )
    const t1 = raw.map((x) => x / length(raw))
    for (const a of [normal, t1, crossed(normal, t1)]) J.push([...crossed(p, a), ...a])
  }
  const W = new Float64Array(rows * rows)
  const rhs = new Float64Array(rows)
  for (let r = 0; r < rows; r++) {
    rhs[r] = dot(J[r], free)
    for (let s = 0; s < rows; s++) W[rows * r + s] = J[r].reduce((sum, x, k) => sum + (x * J[s][k]) / mass[k], 0)
  }
  return {
    rowCount: rows,
    W,
    rhs,
    groupCount: n,
    first: Int32Array.from({ length: n + 1 }, (_, i) => 3 * i),
    kind: new Uint8Array(n).fill(kind),
    limit: Float64Array.from({ length: n }, () => between(random, 0.1, 2)),
  }
}

const accelerationsOf = ({ rowCount, W, rhs }: ContactProblem, f: ArrayLike<number>) =>
  rhs.map((free, r) => W.subarray(rowCount * r, rowCount * (r + 1)).reduce((sum, w, s) => sum + w * f[s], free))

/** By how much forces miss equations 8, 14, 18 and 19, relative to the largest |rhs|. */
export function missOf(problem: ContactProblem, f: ArrayLike<number>): number {
  const { rowCount, W, rhs, groupCount, limit } = problem
  const a = accelerationsOf(problem, f)
  const size = Math.max(...Array.from(rhs, Math.abs))
  let worst = 0
  for (let i = 0; i < groupCount; i++) {
    const [n, x, y] = [f[3 * i], f[3 * i + 1], f[3 * i + 2]]
    const [an, ax, ay] = [a[3 * i], a[3 * i + 1], a[3 * i + 2]]
    // forces in units of acceleration
    const w = (W[rowCount * 3 * i + 3 * i] + W[rowCount * (3 * i + 1) + 3 * i + 1] + W[rowCount * (3 * i + 2) + 3 * i + 2]) / 3
    const [friction, slips, most] = [Math.hypot(x, y), Math.hypot(ax, ay), limit[i] * n]
    worst = Math.max(worst, -n * w, -an, Math.min(n * w, an), (friction - most) * w)
    // (18), or (19); no force, no condition
    if (n > 0)
      worst = Math.max(worst, Math.min(slips, Math.max((most - friction) * w, slips > 0 ? (x * ax + y * ay) / friction : 0)))
  }
  return worst / size
}

/** Tolerance of an answer, relative to the largest |rhs|. */
const tolerance = 1e-6

/**
 * Random configurations at rest, solved for static friction; by projected Gauss-Seidel where neither of the two methods has an answer.
 *
 * @returns how many are solved, by `missOf`: by Baraff's pivoting, by Newton's method, by any solver; and the largest angle between friction and the
 *   opposite of where the contact goes, in the answers of each [rad]
 */
export function staticConfigurations(contacts: number, count: number, seed = 1) {
  const random = new Random(seed, contacts)
  const methods = { baraff: new BaraffSolver(), newton: contactSolvers.newton('cone', 4) }
  const sweeps = new ContactProjectedGaussSeidel({ law: 'cone', acceleration: 'anderson', limit: 100_000 })
  const counts = { baraff: 0, newton: 0, solved: 0 }
  const angle = { baraff: 0, newton: 0 }
  for (let k = 0; k < count; k++) {
    const problem = staticProblem(random, contacts)
    const answer = (solver: ContactSolver) => {
      const f = new Float64Array(problem.rowCount)
      const status = solver.solve(problem, f, new Int8Array(contacts).fill(UNKNOWN_MODE))
      return status === 'solved' && missOf(problem, f) <= tolerance ? f : undefined
    }
    let some = false
    for (const name of ['baraff', 'newton'] as const) {
      const f = answer(methods[name])
      if (f === undefined) continue
      counts[name]++
      some = true
      angle[name] = Math.max(angle[name], widest(problem, f))
    }
    if (some || answer(sweeps) !== undefined) counts.solved++
  }
  return { contacts, problems: count, ...counts, angle }
}

/**
 * Lötstedt's law (7.1): friction of at most a force that is known before, an interval along each of two tangents, so that the problem is a convex quadratic
 * program; or a disc of that radius, as `lotstedt` has it. Random configurations, solved by Newton's method and by projected Gauss-Seidel.
 *
 * @returns how many either solved; and by how much accelerations differ at most where both did, over the largest |rhs|
 */
export function laggedConfigurations(bound: 'interval' | 'disc', contacts: number, count: number, seed = 1) {
  const random = new Random(seed, contacts)
  const newton = contactSolvers.newton('cone', 4)
  const sweeps = new ContactProjectedGaussSeidel({ law: 'cone', acceleration: 'anderson', limit: 100_000 })
  let [solved, apart] = [0, 0]
  for (let k = 0; k < count; k++) {
    const disc = staticProblem(random, contacts, GroupKind.disc)
    const { rowCount, W, rhs, limit } = disc
    const problem =
      bound === 'disc'
        ? disc
        : {
            ...disc,
            groupCount: rowCount,
            first: Int32Array.from({ length: rowCount + 1 }, (_, r) => r),
            kind: Uint8Array.from({ length: rowCount }, (_, r) => (r % 3 === 0 ? GroupKind.unilateral : GroupKind.bounded)),
            limit: Float64Array.from({ length: rowCount }, (_, r) => (r % 3 === 0 ? 0 : limit[(r - (r % 3)) / 3])),
          }
    const answers = [newton, sweeps].flatMap((solver) => {
      const f = new Float64Array(rowCount)
      return solver.solve(problem, f, new Int8Array(problem.groupCount).fill(UNKNOWN_MODE)) === 'solved' ? [f] : []
    })
    if (answers.length > 0) solved++
    if (answers.length < 2) continue
    const size = Math.max(...Array.from(rhs, Math.abs))
    for (let r = 0; r < rowCount; r++)
      apart = Math.max(
        apart,
        Math.abs(answers[0].reduce((sum, f, s) => sum + W[rowCount * r + s] * (f - answers[1][s]), 0)) / size,
      )
  }
  return { contacts, problems: count, solved, apart }
}

function widest(problem: ContactProblem, f: Float64Array): number {
  const all = accelerationsOf(problem, f)
  let worst = 0
  for (let i = 0; i < problem.groupCount; i++) {
    const a = [all[3 * i + 1], all[3 * i + 2]]
    const t = [f[3 * i + 1], f[3 * i + 2]]
    if (length(a) < 1e-6 || length(t) < 1e-9) continue
    worst = Math.max(worst, Math.acos(Math.max(-1, Math.min(1, -dot(a, t) / (length(a) * length(t))))))
  }
  return worst
}

/**
 * Equation 19 alone, of a particle on a plane that is pulled along it by F times the friction limit: friction of full size at an angle phi to
 * -F leaves f . a = -mu N (F cos phi - mu N), so that all of cos phi >= 1 / F will do. Found by trying 3600 directions with `missOf`.
 *
 * @returns the widest angle that is an answer [rad], and the accelerations at 0 and there, in units of mu g
 */
export function freedomOf(F: number): { angle: number; straight: number; widest: number } {
  const mu = 0.5
  const problem: ContactProblem = {
    rowCount: 3,
    W: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
    rhs: Float64Array.of(-g, F * mu * g, 0),
    groupCount: 1,
    first: Int32Array.of(0, 3),
    kind: Uint8Array.of(GroupKind.frictional),
    limit: Float64Array.of(mu),
  }
  let angle = 0
  const pull = (phi: number) => [g, -mu * g * Math.cos(phi), mu * g * Math.sin(phi)]
  for (let k = 0; k <= 1800; k++)
    if (missOf(problem, pull((k * Math.PI) / 1800)) < 1e-9) angle = Math.max(angle, (k * Math.PI) / 1800)
  const acceleration = (phi: number) => Math.hypot(F - Math.cos(phi), Math.sin(phi))
  return { angle, straight: acceleration(0), widest: acceleration(angle) }
}

/** Section 5.1: friction of rest above that of sliding, of a box of this width and height [m]. Weight over mass is g; so that loads are coefficients. */
export const rough = { mu: 0.4, muStatic: 0.6, size: [0.3, 0.05] } as const
/** Load at the middle at which rear points of a box reach their limit, if all bear the same of it: their normal force is less by load * height / width. */
export const tippedLimit = rough.muStatic / (1 + (rough.muStatic * rough.size[1]) / rough.size[0])

export type Sticking = ReturnType<typeof sticking>

/**
 * Result of a model for a box of 1 kg under a load along the floor that grows, and under one between both coefficients.
 *
 * @returns load at its foot over weight at which it first moves faster than 1 cm/s, and acceleration over g just after, plus mu: the load less
 *   friction; `breaksTipped` likewise with the load at half its height, which presses on the front points by more than on the rear ones; under 0.5
 *   of its weight for half a second how far it has moved from rest [m], and how fast it is when it began at 1 m/s [m/s]
 */
export function sticking(model: string) {
  const dt = 1e-3
  const [width, height] = rough.size
  const body = { shape: { type: 'box', size: [width, width, height] }, position: [0, 0, height / 2] } as const
  const scene = { ...body, model, dt, physical: { friction: rough.mu, allowedPenetration: 1e-5 }, staticFriction: rough.muStatic }
  const settled = 0.2
  /** @param lever of the load below the middle [m] */
  const pulled = (lever: number) => {
    const force = (t: number) => (t < settled ? 0 : g * (t - settled))
    const world = worldOf({ ...scene, load: (t) => [force(t), 0, 0, 0, -lever * force(t), 0] })
    let breaks = Number.NaN
    for (let k = 0; k < 1000; k++) {
      const before = world.state.v[3]
      world.step()
      const load = world.state.t[0] - settled
      if (Number.isNaN(breaks) && world.state.v[3] > 1e-2) breaks = load
      if (load > breaks + 0.05) return { breaks, slides: load - (world.state.v[3] - before) / dt / g }
    }
    return { breaks, slides: Number.NaN }
  }
  const run = (speed: number) => {
    // a box at rest has first to press on the floor
    const from = speed > 0 ? 0 : settled
    const world = worldOf({ ...scene, v: [0, 0, 0, speed, 0, 0], load: (t) => [t < from ? 0 : 0.5 * g, 0, 0] })
    for (let k = 0; k < 500 + from / dt; k++) world.step()
    return world.state
  }
  return { model, ...pulled(height / 2), breaksTipped: pulled(0).breaks, crept: run(0).q[0], speed: run(1).v[3] }
}

/** Section 5.1. */
function roughClaim(sticks: readonly Sticking[]): Claim {
  const constraint = sticks.filter(({ model }) => isRigid(model))
  const holds = constraint.filter(
    ({ breaks, breaksTipped, slides: coefficient, crept, speed }) =>
      Math.abs(breaks - rough.muStatic) < 0.02 &&
      breaksTipped > tippedLimit &&
      breaksTipped < rough.muStatic + 0.02 &&
      Math.abs(coefficient - rough.mu) < 5e-3 &&
      crept < 1e-4 &&
      Math.abs(speed - (1 + 0.5 * (0.5 - rough.mu) * g)) < 0.01,
  )
  const soft = sticks.filter(({ model }) => !isRigid(model))
  return {
    where: 'Section 5.1',
    claim: `static friction (${rough.muStatic}) above dynamic (${rough.mu}), in the ${constraint.length} constraint-based models`,
    paper: 'typically static is larger; for a given instant it is known which applies',
    found: `a box on which a load grows at its foot breaks away at ${range(constraint.map(({ breaks }) => breaks))} of its weight and slides with ${range(constraint.map((s) => s.slides))}; with the load at half its height at ${range(constraint.map((s) => s.breaksTipped))}. Under a load of 0.5, between both, it stays at rest if at rest (${short(worst(constraint.map(({ crept }) => crept)))} m in 0.5 s) and speeds up if it slides, from 1 to ${range(constraint.map(({ speed }) => speed))} m/s`,
    judgement: judged(holds.length === constraint.length),
    why: `The branch between both is that of the slip at the start of the step. A load at half the height takes normal force from the rear points, which let go at ${short(tippedLimit)}, each by itself: how rigid points share friction is open, and the survey has no rule for it. Judged by 0.02 (1 cm/s have to be gained), 0.005, 0.1 mm and 0.01 m/s. Springs: ${soft.map(({ model, breaks, slides: coefficient }) => `${model} breaks at ${short(breaks)}, slides with ${short(coefficient)}`).join('; ')}.`,
  }
}

/** Section 5. */
export function frictionPart(): Part & { sticking: Sticking[] } {
  const [own, baraff] = [conditionsOf(), conditionsOf({ solver: 'baraff' })]
  const dynamic: Claim = {
    where: 'Equations 14 to 17',
    claim: 'dynamic friction of lcp has the size mu f_N and is against the slip: a box that slides, turns and stops',
    found: `over ${own.dynamic} contacts that slip, off by ${short(own.offDirection)} of mu f_N at most; |f_t| above mu f_N by ${short(own.over)} at most`,
    judgement: judged(own.offDirection < 0.01 && own.over < 1e-9 && own.dynamic > 500),
    why: `Against the slip of the start of a step, which turns by 0.002 rad over it. Judged by 1 %, of contacts that slip at the end too. Under solver: baraff ${baraff.offCount} of ${baraff.dynamic} are off by more: where slip is about to stop, friction is found against the slip of the end.`,
  }
  const fixed: Claim = {
    where: 'Equations 18 and 19',
    claim:
      'static friction of lcp either holds, a_t = 0, or is at its limit and opposes: the box at rest under a growing push off its middle',
    found: `${own.staysStatic} contacts hold with |f_t| ≤ mu f_N; of ${own.breaksAway} that begin to slip, |f_t| is short of mu f_N by ${short(Math.max(0, own.lack))} and f_t · a_t / (|f_t| |a_t|) is ${short(own.cosine)} at most`,
    judgement: judged(own.breaksAway > 0 && own.staysStatic > 100 && own.lack < 1e-9 && own.cosine <= 0),
    why: 'Newton’s method, by default, takes friction against the slip that follows, which is one of the answers that equation 19 has.',
  }
  const pulls = [1.1, 1.5, 2, 3, 5]
  const free = pulls.map(freedomOf)
  const off = worst(free.map(({ angle }, i) => Math.abs(angle - Math.acos(1 / pulls[i]))))
  const oblique: Claim = {
    where: 'Equation 19',
    claim: 'where slip begins the direction of friction need not be opposite to the acceleration',
    found: `a particle pulled with twice what friction holds: every direction within ${short((free[2].angle * 180) / Math.PI)}° of the opposite of the pull is an answer, accelerations of ${short(free[2].straight)} to ${short(free[2].widest)} mu g. In the pushed box solver: baraff ends with f_t · a_t / (|f_t| |a_t|) = ${short(baraff.cosine)} at a contact, newton with ${short(own.cosine)}`,
    judgement: judged(off < 2e-3 && baraff.cosine > -0.9),
    why: 'Closed form: cos of the angle is at least mu f_N / F. So equation 19 leaves a whole cone of motions even of one particle: static friction is indeterminate there, and the model’s branch, straight against, is one of them.',
  }
  const sticks = models.map(sticking)
  return {
    sticking: sticks,
    claims: [dynamic, fixed, oblique, roughClaim(sticks)],
    figures: [
      {
        id: '19',
        title: 'Equation 19: how far friction may be from opposite, of a particle that is pulled',
        x: 'pull over mu f_N',
        y: 'angle [°]',
        logarithmic: false,
        curves: [
          { name: 'widest that meets equation 19', x: pulls, y: free.map(({ angle }) => (angle * 180) / Math.PI) },
          { name: 'arccos(mu f_N / F)', x: pulls, y: pulls.map((F) => (Math.acos(1 / F) * 180) / Math.PI), dashed: true },
        ],
      },
    ],
  }
}

/** Section 7.2. */
export function staticPart(): Part & { configurations: ReturnType<typeof staticConfigurations>[] } {
  const configurations = [staticConfigurations(1, 10_000), ...[2, 4, 8].map((n) => staticConfigurations(n, 1000))]
  const [one, ...several] = configurations
  const onePoint: Claim = {
    where: 'Section 7.2',
    claim: 'every configuration with static friction at one point is consistent',
    paper: 'proven in [4]',
    found: `${one.solved} of ${one.problems} random ones solved`,
    judgement: judged(one.solved === one.problems),
    why: 'Each answer is checked in the experiment against equations 8, 14, 18 and 19, to 1e-6.',
  }
  const more: Claim = {
    where: 'Section 7.2',
    claim: 'configurations with static friction at several points are consistent',
    paper: 'speculated; no inconsistent one has been found',
    found: several.map(({ contacts, problems, solved }) => `${contacts} contacts: ${solved} of ${problems} solved`).join('; '),
    judgement: judged(several.every(({ solved, problems }) => solved === problems)),
    why: 'No inconsistent one was found here either, of one body on points with normals in all directions. For friction against the slip that follows, pyramids in place of cones, existence is a theorem since (Anitescu and Potra 1997: the problem is copositive, and no motion is feasible at rest). No single method finds all: Newton’s misses a few in a thousand, Baraff’s own pivoting (SIGGRAPH 1994) most of those wedged by eight (table below).',
  }
  return { configurations, claims: [onePoint, more] }
}
