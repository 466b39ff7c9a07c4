import type { ContactModelName } from '../../contact/index.ts'

/**
 * How a model misses a form. `limit`: the values tend to `value`; at the shortest step they are `within` so much of it, by default a
 * twentieth of how far off it is. `half`: errors fall like the square root of the step. `uneven`: errors have no order at these steps, and
 * stay below `most`. `failed`: the run ends with an error.
 */
export type Miss =
  | { readonly kind: 'limit'; readonly value: number; readonly within?: number }
  | { readonly kind: 'half' }
  | { readonly kind: 'uneven'; readonly most: number }
  | { readonly kind: 'failed' }

/** Forms that models do not meet at first order, by reason. */
interface Reason {
  readonly reason: string
  readonly models: readonly ContactModelName[]
  readonly forms: Readonly<Record<string, Miss>>
}

export type Known = Miss & { readonly reason: string }

const tendsTo = (value: number, within?: number): Miss => ({ kind: 'limit', value, within })
const uneven = (most: number): Miss => ({ kind: 'uneven', most })
const half: Miss = { kind: 'half' }
const failed: Miss = { kind: 'failed' }

const springs = ['penalty-deepest', 'penalty', 'hunt-crossley'] as const

/** Every pair of a form and a model that is not here has to be exact or of first order. */
export const reasons: readonly Reason[] = [
  // springs
  {
    reason:
      'holding friction is a damper up to `stickSpeed`, 1e-4 m/s: it creeps at `stickSpeed` times the share of μ N that it holds',
    models: springs,
    forms: { 'block that stays on a slope': tendsTo(8.932e-5) },
  },
  {
    reason: 'holding friction is a damper up to `stickSpeed`: a body held from two sides creeps too',
    models: ['penalty', 'hunt-crossley'],
    forms: { 'jack between two walls that holds itself': tendsTo(3.92e-5) },
  },
  {
    reason:
      'a slip below `stickSpeed`, 1e-4 m/s, has friction below μ N: a body that starts to move is ahead by up to that speed',
    models: ['penalty', 'hunt-crossley'],
    forms: { 'box down a slope on six joints': uneven(1e-3) },
  },
  {
    reason: 'the implicit step ends its passes when friction is within 1e-3 of μ N, and here the load follows friction',
    models: springs,
    forms: { "Painlevé's rod below its critical friction": tendsTo(0.55725, 5e-5) },
  },
  {
    reason: 'the impact ends within a step of the springs',
    models: [...springs, 'drake'],
    forms: { "Painlevé's rod: impulse that stops its tip": half },
  },
  {
    reason: 'springs that are as deep as a step is long take √(sink / g) for an impact',
    models: ['hunt-crossley', 'drake'],
    forms: {
      'ball that bounces': half,
      'two balls dropped one above the other': half,
      'rod that falls on one end': half,
      'ball that strikes at an angle and grips': half,
      'billiard ball on a cushion with spin against its way': half,
      'centre of percussion': half,
    },
  },
  {
    reason: 'restitution is fitted to one speed, here the first, and tends to 1 for slower impacts',
    models: ['hunt-crossley', 'drake'],
    forms: { 'third bounce': tendsTo(0.113, 0.004), 'bounces without end: way until rest': tendsTo(0.983, 0.01) },
  },
  {
    reason: 'its springs and dampers return 2 % of this speed at restitution 0',
    models: ['hunt-crossley', 'drake'],
    forms: { 'ball without restitution': tendsTo(0.035, 3e-3) },
  },
  {
    reason:
      'springs of 10 dt² take up their loads over some steps, and release them in one: errors of first order whose share varies',
    models: ['penalty'],
    forms: { 'ball that rolls off a larger one': uneven(6e-3), 'ball that slides off a larger one': uneven(3e-3) },
  },
  {
    reason: 'springs of exponent 3/2 in a row: (-0.07, 0.08, 0.99) v',
    models: ['hunt-crossley'],
    forms: { "Newton's cradle: the last of three balls in touch": tendsTo(0.985) },
  },
  {
    reason: 'one point at a time carries a face or an edge, which rocks on it',
    models: ['penalty-deepest'],
    forms: {
      'load of the lower edge of a sliding box': tendsTo(0),
      'box laid on a conveyor belt': uneven(0.1),
      'two blocks pushed in a row': uneven(1.5),
      'line that spins down, patch: uniform': uneven(4e-3),
      'line that spins down, patch: corners': uneven(9e-3),
      'disc that spins down, patch: uniform': uneven(0.1),
      'disc that spins down, patch: corners': uneven(0.02),
      'spool pulled by its thread': uneven(2e-3),
      'wheel pulled over a step': half,
      'rocking block after its impact': uneven(8e-3),
      'stack of ten boxes: load on the second': uneven(2),
      'centre of pressure of a lopsided box': tendsTo(0.1),
      'jack between two walls that holds itself': tendsTo(0.188),
    },
  },
  {
    reason: 'the ton falls off the one point that carries it, and the gram is thrown until its motion is not finite',
    models: ['penalty-deepest'],
    forms: { 'a ton on a gram': failed },
  },
  // rigid
  {
    reason: 'impacts at once share the speed: (-1/3, 2/3, 2/3) v, which keeps momentum and energy as well as (0, 0, v) does',
    models: ['lcp', 'lotstedt', 'stewart-trinkle', 'anitescu-potra', 'convex', 'ncp', 'lnc', 'peg'],
    forms: { "Newton's cradle: the last of three balls in touch": tendsTo(2 / 3) },
  },
  {
    reason:
      'a contact is active within `activeDistance`, 10 µm, or not at all: its delay, a share of a step, differs from step to step',
    models: ['anitescu-potra'],
    forms: {
      'ball that rolls off a larger one': uneven(8e-3),
      'box that tips on a slope': uneven(8e-3),
      'ladder that slides down and leaves the wall': uneven(4e-3),
    },
  },
  {
    reason:
      'beyond `activeDistance`, 10 µm, gaps have no effect: the body may end a step inside by the motion of that step; within, it stays at +γ',
    models: ['anitescu-potra'],
    forms: { 'gap that closes within a step': uneven(1.01), 'what a rotation lets in within a step': tendsTo(0.5) },
  },
  {
    reason:
      'the gap of a sliding contact is at least μ h |u|: set down at speed it is thrown up at μ |u| / (1 + μ²), whatever the step, as high as (μ v / (1 + μ²))² / 2 g, and has no friction in flight',
    models: ['convex'],
    forms: {
      'height of a box that slides at 5 m/s': tendsTo(0.3032),
      'square puck that slides and spins: yaw': tendsTo(0.6385),
      'puck on three feet that slides and spins: yaw': tendsTo(1.7456, 3e-3),
      'square that spins down, patch: corners': tendsTo(4.51),
      "Painlevé's rod below its critical friction": tendsTo(0.55766, 1e-4),
      'ball that rolls off a larger one': half,
    },
  },
  {
    reason: 'corners that lie on the border of a face, or beyond it, choose the face beside: what lies flush on it falls through',
    models: ['lnc'],
    forms: {
      'two blocks pushed in a row': tendsTo(0),
      'stack of ten boxes: load on the second': tendsTo(0),
      'a ton on a gram': tendsTo(0),
      'brick over an edge that stays': uneven(1.5),
      'three bricks over an edge that stay': uneven(1.5),
    },
  },
  // mujoco, at its own time constant of 20 ms
  {
    reason: 'it yields along the normal whatever the step: 0.37 mm under the weight of a ball, 0.11 mm on four points',
    models: ['mujoco'],
    forms: {
      'ellipsoid that rocks: period': tendsTo(0.36536),
      'pushed box that does not tip': tendsTo(2.03e-3),
      'box that tips on a slope': tendsTo(0.481, 3e-3),
      'ladder at a smooth wall that stays': tendsTo(1.01e-3),
      'stack of ten boxes: load on the second': uneven(1e-4),
      'brick over an edge that stays': tendsTo(1.9e-3),
      'three bricks over an edge that stay': tendsTo(9.75e-3),
      'centre of pressure of a lopsided box': tendsTo(0.030019, 2e-6),
      'load of a cart on its caster, driven': tendsTo(18.9, 1e-3),
      'arm pressed on a table by its joint': uneven(1e-4),
      'coin that rolls on a circle': tendsTo(0.2562, 1e-3),
      'top on its point': tendsTo(2.0636),
    },
  },
  {
    reason: 'holding friction is soft, at any μ: by 0.66 mm/s on a slope of 15°; rolling and carried bodies slip by as much',
    models: ['mujoco'],
    forms: {
      'block that stays on a slope': tendsTo(6.62e-4),
      'jack between two walls that holds itself': tendsTo(9.1e-4),
      'sphere rolling down a slope': tendsTo(1.4368),
      'cylinder rolling down a slope': tendsTo(1.3414),
      'hoop rolling down a slope': tendsTo(1.00602),
      'bowling ball': half,
      'sphere rolling down a V-groove': tendsTo(0.68674),
      'ball thrown along a V-groove': tendsTo(1.0154, 2e-4),
      'ball on a turntable': uneven(5e-4),
      'ball with rolling resistance that rolls out': tendsTo(1.7804, 5e-4),
      'ball with rolling resistance down a slope': tendsTo(0.08367),
      'cylinder on a plank that is pulled away': tendsTo(0.51483),
      'plank on two rollers': uneven(1.2e-4),
      'spool pulled by its thread': tendsTo(0.36563),
      'ball that rolls off a larger one': tendsTo(1.0336),
      'two-wheeled cart on its circle': tendsTo(1.147),
      'cart with torque on both wheels': tendsTo(0.89549),
    },
  },
  {
    reason: 'a sliding body leaves the contact and comes back: it moves up and down by 0.1 mm at 1 ms, and its loads with it',
    models: ['mujoco'],
    forms: {
      'block shot up a slope and back': uneven(0.025),
      'load of the lower edge of a sliding box': uneven(2.2),
      'force at an angle': uneven(0.015),
      'pull between the axes that just slides': uneven(0.035),
      'square puck that slides and spins: yaw': uneven(0.07),
      'block that static friction has let go': uneven(0.01),
      'slide with viscous friction': uneven(0.04),
      'line that spins down, patch: corners': uneven(0.05),
      'disc that spins down, patch: uniform': uneven(0.03),
      'disc that spins down, patch: corners': uneven(0.02),
      'cart whose wheels spin': uneven(6e-3),
      'ladder that slides down and leaves the wall': uneven(0.01),
    },
  },
  {
    reason:
      'an impact lasts several time constants of 20 ms, returns 13 % of the speed, and a gap is no contact until it is closed',
    models: ['mujoco'],
    forms: {
      'rocking block after its impact': uneven(0.02),
      "Painlevé's rod: impulse that stops its tip": uneven(0.8),
      'ball without restitution': tendsTo(0.263),
      'gap that closes within a step': tendsTo(-1),
      'what a rotation lets in within a step': tendsTo(0.5),
    },
  },
  {
    reason: 'softness is that of the lighter of two: a ton sinks into a gram',
    models: ['mujoco'],
    forms: { 'a ton on a gram': tendsTo(10) },
  },
  // drake
  {
    reason:
      'friction comes up to its bound with slip, as v / √(v² + v_s²), v_s 1e-4 m/s: held at a share s of it a body creeps at v_s s / √(1 - s²), and a body that starts to move is ahead by up to 4 v_s',
    models: ['drake'],
    forms: {
      'block down a slope': tendsTo(0.1024, 1e-4),
      'box down a slope on six joints': tendsTo(0.1024, 1e-4),
      'pull between the axes that just slides': uneven(1e-3),
      'block that stays on a slope': tendsTo(1.986e-4),
      'jack between two walls that holds itself': tendsTo(1.986e-4),
    },
  },
  {
    reason: 'regularised static friction ends at a slip of ten times its tolerance, where it is at 0.995 of its bound',
    models: ['drake'],
    forms: {
      'slope on which static friction lets go': tendsTo(0.6723),
      'block that static friction has let go': uneven(0.02),
    },
  },
  {
    reason:
      'friction is bounded by the springs at the start of the step, from which a body that turns has come out by a share of 10 dt² that no step changes',
    models: ['drake'],
    forms: {
      'ball that rolls off a larger one': tendsTo(1.0566),
      "Painlevé's rod below its critical friction": tendsTo(0.559, 5e-4),
    },
  },
  {
    reason: 'a contact takes part from the first step that begins inside it, and springs of 10 dt² then throw it, or miss it',
    models: ['drake'],
    forms: {
      'rocking block after its impact': uneven(0.06),
      'ladder that slides down and leaves the wall': uneven(1.5e-3),
    },
  },
  {
    reason:
      'springs that are as deep as a step is long take √(sink / g) for an impact, and its steps are of first order within one',
    models: ['drake'],
    forms: {
      'elastic ball, after four bounces': half,
      'two balls head-on': half,
      'ball that strikes at an angle and slips': half,
      'bar struck off its centre': half,
      'pendulum that strikes a wall': half,
    },
  },
  {
    reason: 'springs of exponent 1 in a row: (-0.13, 0.15, 0.98) v, reached like the root of the step',
    models: ['drake'],
    forms: { "Newton's cradle: the last of three balls in touch": tendsTo(0.97, 0.01) },
  },
  {
    reason:
      'a pair is stiff for the heavier of the two that meet, and not for bodies that stand on them: a gram on the ground for a gram',
    models: ['drake'],
    forms: { 'a ton on a gram': uneven(1) },
  },
]

export function knownOf(form: string, model: ContactModelName): Known | undefined {
  for (const { reason, models, forms } of reasons) {
    const miss = models.includes(model) ? forms[form] : undefined
    if (miss) return { ...miss, reason }
  }
  return undefined
}
