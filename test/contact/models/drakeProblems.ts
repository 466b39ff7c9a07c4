import type { ContactModelOptions, SavedProblem } from '../../../contact/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import type { World } from '../../../simulation/index.ts'
import { choleskySolve } from '../../oracle/dense.ts'
import { box, makeWorld, quadruped, sphere } from '../laws/scenes.ts'

/*
 * Drake's contact laws as their papers print them, in loops over plain numbers, and steps of thrown robots to hold them against. Nothing
 * here is shared with the solver: of a step come M, J, v*, the gaps, and the impulses that it reported.
 *
 *   sap               Castro, Permenter and Han, An unconstrained convex formulation of compliant contact, IEEE T-RO 39 (2022)
 *   lagged, similar   Castro, Han and Masterjohn, Irrotational contact fields, arXiv 2312.03908 (2023)
 *   tamsi             Castro, Qu, Kuppuswamy, Alspach and Sherman, A transition-aware method, IEEE RA-L 5 (2020)
 */

export const approximations = ['lagged', 'similar', 'sap', 'tamsi'] as const
export type Approximation = (typeof approximations)[number]
export type Triple = readonly [number, number, number]

/** What a contact is beside its friction; along normal, tangent 1, tangent 2. */
export interface Contact {
  readonly mu: number
  /** sap: [R_n, R_t, v_hat_n]. */
  readonly sap?: Triple
  /** The others: f0 h [N s], h² k [kg], d [s/m], n_0 [N s], epsilon [m/s]. */
  readonly springs?: readonly number[]
}

/** n(z) = h (f0 - h k z)+ (1 - d z)+ and its antiderivative, constant where n has ended. */
const huntCrossley = ([a, b, d]: readonly number[], z: number) => Math.max(0, a - b * z) * Math.max(0, 1 - d * z)
function antiderivative([a, b, d]: readonly number[], z: number): number {
  const x = Math.min(z, a / b, d > 0 ? 1 / d : Number.POSITIVE_INFINITY)
  return a * x - (b + a * d) * (x * x) * 0.5 + (b * d * x * x * x) / 3
}
const softNorm = (x: number, y: number, e: number) => Math.sqrt(x * x + y * y + e * e) - e

/** The impulse of a contact whose points move at u. */
export function impulseOf(law: Approximation, { mu, sap, springs }: Contact, [un, u1, u2]: Triple): Triple {
  if (law === 'sap') {
    const [Rn, Rt, hat] = sap as Triple
    // the projection on the cone in the norm of R, of y = -R⁻¹ (u - u_hat)
    const [yn, y1, y2] = [(hat - un) / Rn, -u1 / Rt, -u2 / Rt]
    const yr = Math.hypot(y1, y2)
    const ratio = (mu * Rt) / Rn
    if (yr <= mu * yn) return [yn, y1, y2]
    if (yn <= -ratio * yr) return [0, 0, 0]
    const n = (yn + ratio * yr) / (1 + mu * ratio)
    return [n, (mu * n * y1) / yr, (mu * n * y2) / yr]
  }
  const numbers = springs as readonly number[]
  const [, , , before, e] = numbers
  if (law === 'tamsi') {
    // the direction is softened by a hundredth of the stiction tolerance, as in Drake's solver
    const n = huntCrossley(numbers, un)
    const slip = Math.hypot(u1, u2, 0.01 * e)
    const s = Math.min(1, slip / e)
    const friction = (-mu * n * s * (2 - s)) / slip
    return [n, friction * u1, friction * u2]
  }
  const soft = softNorm(u1, u2, e)
  const n = huntCrossley(numbers, law === 'similar' ? un - mu * soft : un)
  const friction = (-mu * (law === 'similar' ? n : before)) / (soft + e)
  return [n, friction * u1, friction * u2]
}

/** The potential l(u) whose negative gradient that is; `tamsi` has none. */
export function potentialOf(law: Exclude<Approximation, 'tamsi'>, contact: Contact, u: Triple): number {
  const { mu, sap, springs } = contact
  if (law === 'sap') {
    const [Rn, Rt] = sap as Triple
    const [n, x, y] = impulseOf(law, contact, u)
    return 0.5 * (Rn * n * n + Rt * (x * x + y * y))
  }
  const numbers = springs as readonly number[]
  const soft = softNorm(u[1], u[2], numbers[4])
  return law === 'similar' ? -antiderivative(numbers, u[0] - mu * soft) : -antiderivative(numbers, u[0]) + mu * numbers[3] * soft
}

/** One step of a thrown robot, after it was taken. */
export interface Step {
  readonly law: Approximation
  readonly scene: string
  readonly saved: SavedProblem
  /** The velocity at its start. */
  readonly v0: Float64Array
  readonly options: ContactModelOptions
  readonly allowedPenetration: number
  /** Of the trees [kg]. */
  readonly masses: readonly number[]
  /** Per contact of `saved`: the impulse reported. */
  readonly impulses: readonly Triple[]
}

/** Thrown robots that have come down, and every few steps of theirs. */
export function collectSteps(law: Approximation, count: number, seed: number): Step[] {
  const random = createRandom(seed)
  const own = [loadOwnRobot('diffdrive'), loadOwnRobot('humanoid')]
  const scenes = [
    ['quadruped', [quadruped()]],
    ['box', [box([0.3, 0.2, 0.1], 2)]],
    ['diffdrive', [own[0]]],
    ['ball on a box', [box([0.5, 0.5, 0.1], 5), sphere(0.1, 0.4)]],
    ['humanoid', [own[1]]],
  ] as const
  const steps: Step[] = []
  for (let k = 0; steps.length < count; k++) {
    const [scene, robots] = scenes[k % scenes.length]
    const dt = random.next() < 0.5 ? 1e-3 : 5e-3
    const allowedPenetration = random.between(1e-4, 3e-3)
    const options = {
      approximation: law,
      jointFriction: 'regularised',
      sigma: 1e-3,
      ...(law === 'sap'
        ? { relaxationTime: random.between(0, 0.02), beta: random.between(0, 1) }
        : { dissipation: random.between(0, 50), stictionTolerance: random.between(1e-4, 1e-3) }),
    }
    const placed = robots.map((robot, r) => {
      const q = Float64Array.from(robot.home)
      const v = Float64Array.from({ length: robot.model.nv }, () => random.between(-1, 1))
      if (scene === 'ball on a box') q.set([0, 0, r === 0 ? 0.051 : 0.203, 0, 0, 0, 1])
      else {
        q[2] += scene === 'quadruped' ? 0.45 : random.between(0.05, 0.2)
        turn(q, random, 0.2)
      }
      return { name: `${robot.name} ${r}`, robot, q, v }
    })
    const world = makeWorld({
      robots: placed,
      model: 'drake',
      dt,
      physical: { friction: random.between(0.1, 1.2), allowedPenetration },
      options,
    } as never)
    const masses = robots.map(({ massUsed }) => massUsed)
    let wanted = 0
    for (let n = 0; n < 1 / dt && wanted < 4 && steps.length < count; n++) {
      const v0 = world.state.v.slice()
      world.step()
      const saved = world.contactModel.problem?.()
      // limits of joints have impulses that nothing reports
      if (saved === undefined || saved.gap.length === 0 || (saved.rows ?? []).length > 0 || random.next() < 0.9) continue
      const impulses = reported(world, saved)
      if (impulses.every(([n]) => n === 0)) continue
      wanted++
      steps.push({ law, scene, saved, v0, options, allowedPenetration, masses, impulses })
    }
  }
  return steps
}

function turn(q: Float64Array, random: Random, most: number): void {
  const [x, y] = [random.between(-most, most), random.between(-most, most)]
  q.set([x, y, 0, Math.sqrt(1 - x * x - y * y)], 3)
}

function reported({ contacts: { count, gap, impulse } }: World, saved: SavedProblem): Triple[] {
  let i = -1
  return saved.gap.map((psi) => {
    do i++
    while (i < count && gap[i] !== psi)
    return [impulse[3 * i], impulse[3 * i + 1], impulse[3 * i + 2]] as const
  })
}

export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k]
  return sum
}

/** J v of contact i. */
export const velocityAt = ({ J }: SavedProblem, v: ArrayLike<number>, i: number): Triple => [
  dot(J[3 * i], v),
  dot(J[3 * i + 1], v),
  dot(J[3 * i + 2], v),
]

/** v* + M⁻¹ Jᵀ gamma by a dense factor. */
export function endOf({ M, J, vFree }: SavedProblem, impulses: readonly Triple[]): Float64Array {
  const rhs = new Float64Array(vFree.length)
  impulses.forEach((p, i) => {
    for (let r = 0; r < 3; r++) for (let k = 0; k < rhs.length; k++) rhs[k] += J[3 * i + r][k] * p[r]
  })
  const change = choleskySolve(Float64Array.from(M.flat()), rhs)
  return change.map((x, k) => x + vFree[k])
}

/** w of contact i: the norm over 3 of J diag(M)⁻¹ Jᵀ. */
export function sizeOf({ M, J }: SavedProblem, i: number): number {
  let squares = 0
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      const entry = M.reduce((sum, row, k) => sum + (J[3 * i + r][k] * J[3 * i + c][k]) / row[k], 0)
      squares += entry * entry
    }
  }
  return Math.sqrt(squares) / 3
}
