import type { ContactModel, ContactModelContext, ReportedParameter } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { options as rows } from '../modelOptions.ts'
import { type OptionReader, shown as shownOption } from '../options.ts'
import { memorySizeOfSum } from './forgettingSum.ts'
import { PairLoads } from './pairLoads.ts'
import { PairPhysics } from './physicalGains.ts'

/**
 * Angle omega dt (omega² = K / m, m the pair's reduced mass) beyond which a pair has no integral term: it is evaluated at the start of the
 * step, and drives springs that the step does not resolve. With it, a kilogram between tons, on springs for their weight, was thrown out
 * within seconds.
 */
const MOST_RESOLVED = 3

/**
 * The gains of F = kp d - kv vn + ki I for one pair of shapes, from the physical inputs or by the mass rule of Drumwright's paper. With an
 * integral term I = Σ lambda^j d kp is lowered so that the static stiffness kp + ki / (1 - lambda) remains the requested one.
 */
export interface PenaltyGains {
  readonly integral: boolean
  /** Factor on I from step to step. */
  readonly lambda: number
  readonly parameters: ContactModel['parameters']
  /** Memory size of the integral, then the loads. */
  readonly memorySize: number
  /** Loads of the pairs; undefined if a stiffness is stated for all, or gains follow from masses. */
  readonly loads: PairLoads | undefined
  /** out = [kp, kv, ki] of contact i [N/m, N s/m, N/m; the integral is in metres times steps]. */
  write(out: Float64Array, contacts: ContactSet, i: number, memory: Float64Array): void
}

export interface PenaltyGainsUse {
  /** Default of the option for the integral term. */
  readonly integral: boolean
  /** Whether stiffness follows the load of a pair (`PairLoads`), beyond the weight of the heavier tree. */
  readonly loads: boolean
  /** Whether impulses give restitution, so that dampers serve resting contact alone. */
  readonly impulsive: boolean
}

/** Gains stated for all pairs; NaN for those that follow from the rule. */
interface Stated {
  readonly kp: number
  readonly kv: number
  readonly ki: number
}

/**
 * Options: integral, lambda, kiRatio, gains ('physical' or 'paper'), and kp [N/m], kv [N s/m], ki [N/m] for all pairs. Stated gains are
 * used unchanged; by the physical rule the others follow such that kp + ki / (1 - lambda) is the static stiffness.
 */
export function readPenaltyGains(
  options: OptionReader,
  context: ContactModelContext,
  use: PenaltyGainsUse,
  shownFriction: ReportedParameter,
): PenaltyGains {
  const stated: Stated = {
    kp: options.read(rows.gains.kp),
    kv: options.read(rows.gains.kv),
    ki: options.read(rows.gains.ki),
  }
  const integral = options.read(rows.gains.integral, { default: use.integral || stated.ki > 0 })
  const lambda = integral ? options.read(rows.gains.lambda) : 0
  const kiRatio = integral ? options.read(rows.gains.kiRatio) : 0
  const rule = options.read(rows.gains.gains)
  const used: ReportedParameter[] = [
    { name: 'friction', value: context.physical.friction, unit: '1', meaning: 'Coulomb friction of surfaces that state none' },
    shownOption(rows.gains.gains, rule),
  ]
  if (integral) {
    used.push(shownOption(rows.gains.lambda, lambda))
    if (rule === 'physical' && Number.isNaN(stated.ki)) used.push(shownOption(rows.gains.kiRatio, kiRatio))
  }
  const memory: ReportedParameter[] = integral ? [memoryTime(lambda, context.dt)] : []
  const shown = [...memory, shownFriction]
  return rule === 'paper'
    ? paperGains(context, integral, lambda, stated, used, shown)
    : physicalGains(context, integral, lambda, kiRatio, stated, use, used, shown)
}

function memoryTime(lambda: number, dt: number): ReportedParameter {
  return {
    name: 'integralMemory',
    value: dt / (1 - lambda),
    unit: 's',
    meaning: 'time over which the integral term forgets, dt / (1 - lambda)',
  }
}

/** Reports each gain under `used` if stated, under `derived` if computed. */
function showGains(
  stated: Stated,
  derivedGains: Stated,
  integral: boolean,
  of: string,
  used: ReportedParameter[],
  derived: ReportedParameter[],
): void {
  for (const name of ['kp', 'kv', 'ki'] as const) {
    if (name === 'ki' && !integral) continue
    const given = !Number.isNaN(stated[name])
    const row = rows.gains[name]
    const value = given ? stated[name] : derivedGains[name]
    const shown = shownOption(row, value, `${row.meaning} of ${given ? 'every pair' : of}`)
    if (given) used.push(shown)
    else derived.push(shown)
  }
}

/** Gains [kp, kv, ki] of the heaviest tree on a fixed body, of static stiffness K; stated ones go to `used`. */
function derivedGains(
  stated: Stated,
  [kp, kv, ki]: Float64Array,
  K: number,
  mass: number,
  integral: boolean,
  used: ReportedParameter[],
): ReportedParameter[] {
  const derived: ReportedParameter[] = [
    { name: 'staticStiffness', value: K, unit: 'N/m', meaning: 'load over depth at rest of the heaviest on something fixed' },
  ]
  showGains(stated, { kp, kv, ki }, integral, 'the heaviest on something fixed', used, derived)
  derived.push({
    name: 'dampingRatio',
    value: K * mass > 0 ? kv / (2 * Math.sqrt(K * mass)) : 0,
    unit: '1',
    meaning: 'kv over critical for the mass on the static stiffness',
  })
  return derived
}

function physicalGains(
  context: ContactModelContext,
  integral: boolean,
  lambda: number,
  kiRatio: number,
  stated: Stated,
  { impulsive, loads: follows }: PenaltyGainsUse,
  used: ReportedParameter[],
  shown: readonly ReportedParameter[],
): PenaltyGains {
  const memory = integral ? 1 / (1 - lambda) : 0
  const kpShare = 1 / (1 + kiRatio * memory)
  const kpGiven = !Number.isNaN(stated.kp)
  const kvGiven = !Number.isNaN(stated.kv)
  const kiGiven = !Number.isNaN(stated.ki)
  const isGiven = Float64Array.of(stated.kp, stated.kv, kiGiven ? stated.ki : kiRatio * stated.kp)
  const sumSize = integral ? memorySizeOfSum(context.pairCount) : 0
  const isStated = kpGiven || context.physical.stiffness !== undefined
  const loads = follows && !isStated ? new PairLoads(context, sumSize) : undefined
  const pairs = new PairPhysics(context, impulsive, kpGiven ? isGiven[0] + isGiven[2] * memory : Number.NaN, loads)

  const stiffest = (MOST_RESOLVED * MOST_RESOLVED) / (context.dt * context.dt)
  /** Replaces [K, kv] by [kp, kv, ki]. */
  const complete = (gains: Float64Array): void => {
    const K = gains[0]
    const rest = K - isGiven[2] * memory
    gains[0] = kpGiven ? isGiven[0] : kiGiven ? (rest > 0 ? rest : 0) : K * kpShare
    if (kvGiven) gains[1] = isGiven[1]
    gains[2] = !integral ? 0 : kiGiven ? isGiven[2] : kiRatio * gains[0]
  }

  const gains = Float64Array.of(pairs.heaviest.stiffness, pairs.heaviest.damping, 0)
  complete(gains)
  const derived = derivedGains(stated, gains, gains[0] + gains[2] * memory, pairs.heaviest.mass, integral, used)
  const unused = [...pairs.parameters.unused]
  for (const parameter of pairs.parameters.used) {
    const ofDamper = parameter.name === 'restitution' || parameter.name === 'damping'
    if (ofDamper && kvGiven) unused.push(parameter.name)
    else used.push(parameter)
  }
  return {
    integral,
    lambda,
    parameters: { used, derived: [...derived, ...shown], unused },
    memorySize: sumSize + (loads?.memorySize ?? 0),
    loads,
    write(out, contacts, i, loaded) {
      pairs.write(out, contacts, i, loaded)
      const resolves = kpGiven || kiGiven || out[0] <= stiffest * out[2]
      const K = out[0]
      complete(out)
      if (resolves) return
      out[0] = K
      out[2] = 0
    },
  }
}

/** Multiple of the lighter mass beyond which 50 (m1 + m2) h is outside the stable region of explicit integration. */
const explicitLimit = 2.5

/**
 * kp = 100 (m1 + m2), kv = 50 (m1 + m2), ki = 2 (m1 + m2), with the masses of the two bodies; fixed bodies count as massless. If 50 (m1 +
 * m2) h exceeds 2.5 times the mass of the lighter body, kv is 50 times the reduced mass.
 */
function paperGains(
  { model, dt, trees, pairCount }: ContactModelContext,
  integral: boolean,
  lambda: number,
  stated: Stated,
  used: ReportedParameter[],
  shown: readonly ReportedParameter[],
): PenaltyGains {
  const mass = Float64Array.from(model.I, (I, body) => (trees.treeOf[body] < 0 ? 0 : I[0]))
  const step = Float64Array.of(dt)
  const given = Float64Array.of(stated.kp, stated.kv, stated.ki)

  const write: PenaltyGains['write'] = (out, { bodyA, bodyB }, i) => {
    const ma = mass[bodyA[i]]
    const mb = mass[bodyB[i]]
    const sum = ma + mb
    const two = ma > 0 && mb > 0
    const lighter = two ? (ma < mb ? ma : mb) : sum
    const reduced = two ? (ma * mb) / sum : sum
    const damped = 50 * sum * step[0] > explicitLimit * lighter ? reduced : sum
    out[0] = Number.isNaN(given[0]) ? 100 * sum : given[0]
    out[1] = Number.isNaN(given[1]) ? 50 * damped : given[1]
    out[2] = !integral ? 0 : Number.isNaN(given[2]) ? 2 * sum : given[2]
  }
  const heaviest = Math.max(...mass)
  const derived: ReportedParameter[] = []
  const rule = { kp: 100 * heaviest, kv: 50 * heaviest, ki: 2 * heaviest }
  showGains(stated, rule, integral, 'the heaviest body on something fixed', used, derived)
  return {
    integral,
    lambda,
    parameters: {
      used,
      derived: [...derived, ...shown],
      unused: ['allowedPenetration', 'stiffness', 'damping', 'restitution'],
    },
    memorySize: integral ? memorySizeOfSum(pairCount) : 0,
    loads: undefined,
    write,
  }
}
