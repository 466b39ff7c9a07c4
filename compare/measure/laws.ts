/** The laws of mechanics and of contact that every run is held to, whatever its contact model. docs/verdict.md has the reasons. */

import { type LawLimits, type LawName, lawNames } from '../scenario/limits.ts'

/** How far one run broke one law. */
export interface LawCheck {
  readonly law: LawName
  /** In the law's unit; null where it has no meaning in this run, which then keeps it. */
  readonly value: number | null
  readonly limit: number
  /** Where and when it was broken the most, or which inputs were dropped. */
  readonly detail?: string
}

/** An exact limit is kept; an incomparable value (NaN) is not. @unchecked */
export const isKept = ({ value, limit }: LawCheck): boolean => value === null || value <= limit

/** The reading of a `Meter` for one law. */
export type LawFigure = Pick<LawCheck, 'value' | 'detail'>

/** Of all laws but that of inputs, which no meter measures. */
export type LawFigures = Readonly<Record<Exclude<LawName, 'inputs'>, LawFigure>>

export interface LawDefinition {
  readonly label: string
  /** '' for a share, which is shown in per cent; 'm'; or '1' for a count. */
  readonly unit: '' | 'm' | '1'
  readonly formula: string
  readonly source: string
  readonly text: string
  /** Default limit; null where the scenario's limit of penetration is. 0 is exact under every law. */
  readonly limit: number | null
  /** A verb and its object. @param value as it is shown, "340 %" */
  readonly broken: (value: string) => string
}

/** Every law, in the order in which a run is judged by them. */
export const lawDefinitions: Readonly<Record<LawName, LawDefinition>> = {
  energyGain: {
    label: 'Energy gained',
    unit: '',
    formula: 'max over t1 < t2 of (E - W + D) at t2 less (E - W + D + S) at t1, over what the run had to spend',
    source: 'Conservation of energy; Brogliato, Nonsmooth Mechanics (2016), section 4.3, for contact that is passive',
    text: 'Largest rise of E - W + D above its value at any earlier time plus S. E is mechanical energy, W the work of the motors, D the loss of viscous joints. S, the sum of normal force times depth, bounds the energy stored in contact springs then. The rise is divided by kinetic energy at the start + the fall of potential energy + the most that motors gave, at least the weight lifted by a hundredth of the size.',
    limit: 0.02,
    broken: (value) => `gains ${value} of its energy`,
  },
  signorini: {
    label: 'Signorini and Coulomb',
    unit: '',
    formula: 'sum |p - P_K(p - rho w)| / sum p_n, w = [s + mu |u_t|; u_t], rho = p_n / (1 cm/s)',
    source: 'Signorini (1933); De Saxcé and Feng (1998), eq. 32; Le Lidec et al., Contact Models in Robotics (2023), section II',
    text: 'Residual of the natural map of De Saxcé\u2019s form of unilateral contact with Coulomb friction, over the normal impulses. It is the share of them that acted across an open gap, opened the contact, or slipped below the bound of friction. s is the speed at which an active contact opened, beyond restitution; 0 for contacts that stay closed or in penetration.',
    limit: 0.05,
    broken: (value) => `breaks the laws of contact (Signorini, Coulomb) with ${value} of its contact impulses`,
  },
  dissipation: {
    label: 'Maximum dissipation',
    unit: '',
    formula: 'sum (mu p_n |u_t| + p_t \u00b7 u_t) / sum mu p_n |u_t|',
    source: 'Moreau, On unilateral constraints, friction and plasticity (1974); Stewart, SIAM Review 42 (2000), eq. 2.6',
    text: 'Energy that friction failed to take from slip, over what it should have taken, at least a tenth of the run\u2019s energy. Slip is that of either end of the step, or of a direction between.',
    limit: 0.15,
    broken: (value) => `misses ${value} of what friction should take from slip`,
  },
  cone: {
    label: 'Friction cone',
    unit: '',
    formula: 'sum [(|p_t| - mu(v) p_n)\u208a + (-p_n)\u208a + moments] / sum p_n',
    source: 'Coulomb (1785); Contensou (1963) for moments about the normal',
    text: 'Impulse outside of the friction cone over normal impulse: friction beyond static, sliding, Stribeck and viscous friction at the speeds of the step, tension, and torsional or rolling moments beyond their levers.',
    limit: 0.01,
    broken: (value) => `leaves the friction cone with ${value} of its contact impulses`,
  },
  restitution: {
    label: 'Restitution',
    unit: '',
    formula: 'sum u_n\u207b |u_n\u207a + e u_n\u207b| / sum u_n\u207b\u00b2',
    source: 'Newton, Principia (1687), scholium to the laws of motion',
    text: 'Difference of speeds after impacts at one contact point from e times those before, over the latter.',
    limit: 0.1,
    broken: (value) => `leaves impacts at speeds that are wrong by ${value} of those before`,
  },
  loopOpening: {
    label: 'Loops opened',
    unit: 'm',
    formula: 'max |p_A - p_B| - its value at the start',
    source: 'The definition of a closed loop',
    text: 'Largest distance between the two points of a closed loop, beyond that of the start.',
    limit: 1e-3,
    broken: (value) => `opens a loop by ${value}`,
  },
  jointLimits: {
    label: 'Joint limits passed',
    unit: '',
    formula: 'max over joints of the way beyond the range, in rad, or over the size',
    source: 'The definition of a stop',
    text: 'Largest excess of a joint over its range, beyond that of the start: of a turning joint in radians, of a sliding one over the size of the largest robot.',
    limit: 0.02,
    broken: (value) => `passes the limit of a joint by ${value} of a radian or of the size`,
  },
  jointFriction: {
    label: 'Dry friction of joints',
    unit: '',
    formula: 'max over joints of sum |p - clamp(p - rho v, F h)| / sum F h, rho = F h / (1 cm/s or 10 mrad/s)',
    source: 'Coulomb (1785); the natural map as of contacts',
    text: 'Residual of Coulomb\u2019s law at a joint with dry friction F, over F h, at least a tenth of the other impulses on the joint. It is the amount by which the impulse p, by inverse dynamics, is beyond F h, not against the slip, or inside while the joint slips.',
    limit: 0.08,
    broken: (value) => `breaks the law of dry friction at a joint by ${value} of that friction`,
  },
  linearMomentum: {
    label: 'Linear momentum',
    unit: '',
    formula: 'rms |dP/dt - m g - sum f| / m g',
    source: 'Newton, Principia (1687); Euler (1752)',
    text: 'Part of the rate of change of linear momentum that the reported contact forces do not explain, for each floating robot and body, over the weight of all.',
    limit: 0.1,
    broken: (value) => `moves by forces that it does not report, ${value} of the weight`,
  },
  angularMomentum: {
    label: 'Angular momentum',
    unit: '',
    formula: 'rms |dL/dt - sum (x - c) \u00d7 f - sum m| / (m g r)',
    source: 'Euler (1775)',
    text: 'The same of angular momentum about the centre of mass, over the weight times the radius of gyration.',
    limit: 0.1,
    broken: (value) => `turns by torques that it does not report, ${value} of the weight times the radius of gyration`,
  },
  offSurface: {
    label: 'Off the surface',
    unit: '',
    formula: 'sum of p_n beside a surface / sum p_n',
    source: 'Signorini (1933), on the surfaces and not on their planes',
    text: 'Share of normal impulse that acted beside a surface: the contact is open by more than 0.25 mm at the start of the step. At its end its distance to the other shape exceeds that to the plane of the contact by as much.',
    limit: 5e-3,
    broken: (value) => `pushes against nothing with ${value} of its contact impulses`,
  },
  tunnelling: {
    label: 'Passed through',
    unit: '1',
    formula: 'pairs of shapes that passed through each other in a step',
    source: 'Impenetrability',
    text: 'Number of times that two shapes passed through each other within a step.',
    limit: 0,
    broken: (value) => `lets shapes pass through each other, ${value === '1' ? 'once' : `${value} times`}`,
  },
  penetration: {
    label: 'Penetration',
    unit: 'm',
    formula: 'max over pairs and steps of minus the signed distance',
    source: 'Impenetrability',
    text: 'Largest depth of any two shapes, by an exact distance query.',
    limit: null,
    broken: (value) => `lets shapes into each other by ${value}`,
  },
  inputs: {
    label: 'Inputs dropped',
    unit: '1',
    formula: 'stated properties of surfaces that the model cannot do',
    source: 'The scenario',
    text: 'Number of stated properties of friction or restitution, with an effect, that the model ignored.',
    limit: 0,
    broken: (value) => `drops ${value} of the stated properties of surfaces`,
  },
  solver: {
    label: 'Solver failures',
    unit: '',
    formula: 'steps without a valid answer / steps',
    source: 'The residual that every answer is held to (docs/solvers.md)',
    text: 'Share of steps whose solver ended without a valid answer, after every fallback.',
    limit: 0,
    broken: (value) => `has no valid answer in ${value} of its steps`,
  },
}

/**
 * One check a law, in the order of `lawDefinitions`. @unchecked
 *
 * @param figures of `Meter.laws`
 * @param dropped of `ignoredInputs`
 */
export function lawsOf(figures: LawFigures, limits: LawLimits, dropped: readonly string[] = []): LawCheck[] {
  const inputs: LawFigure = { value: dropped.length, detail: dropped.length > 0 ? dropped.join(', ') : undefined }
  const all: Readonly<Record<LawName, LawFigure>> = { ...figures, inputs }
  return lawNames.map((law) => {
    const { value: measured, detail } = all[law]
    // a run that exploded has figures that JSON cannot express
    const value = measured === null || Number.isFinite(measured) ? measured : Number.MAX_VALUE
    const limit = limits.laws?.[law] ?? lawDefinitions[law].limit ?? limits.penetration
    return { law, value, limit, ...(detail === undefined ? {} : { detail }) }
  })
}

/** "gains 340 % of its energy (limit 2 %), most at t = 0.2 s". Of a law that is kept: "Energy gained: 0.1 % (limit 2 %)". @unchecked */
export function lawSentence(check: LawCheck): string {
  const { law, value, limit, detail } = check
  const { label, broken } = lawDefinitions[law]
  const shownLimit = `(limit ${shownValue(law, limit)})`
  if (value === null) return `${label}: nothing to measure`
  if (isKept(check)) return `${label}: ${shownValue(law, value)} ${shownLimit}`
  return `${broken(shownValue(law, value))} ${shownLimit}${detail === undefined ? '' : `, ${detail.startsWith('at t') ? 'most ' : ''}${detail}`}`
}

/** A value in the law's unit: "340 %", "0.3 mm", "2". */
export function shownValue(law: LawName, value: number): string {
  const { unit } = lawDefinitions[law]
  const short = (x: number) => String(Number(x.toPrecision(3)))
  if (value === Number.MAX_VALUE) return 'without bound'
  return unit === 'm' ? `${short(1e3 * value)} mm` : unit === '1' ? short(value) : `${short(1e2 * value)} %`
}
