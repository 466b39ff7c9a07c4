import type { ContactModelName } from '../../contact/index.ts'

/**
 * Forms that a model does not meet at first order, and why. Every other pair of a form and a model has to be exact or of first order.
 *
 * `limit`: the values tend to `value`; at the shortest step they are `within` so much of it, by default a twentieth of how far off it is. `half`: errors fall like the square root of the step. `uneven`: errors have no order at these
 * steps, and stay below `most`. `failed`: the run ends with an error.
 */
export type Known = {
  readonly models: readonly ContactModelName[]
  readonly reason: string
} & (
  | { readonly kind: 'limit'; readonly value: number; readonly within?: number }
  | { readonly kind: 'half' }
  | { readonly kind: 'uneven'; readonly most: number }
  | { readonly kind: 'failed' }
)

const springs = ['penalty-deepest', 'penalty', 'hunt-crossley'] as const
const polyhedra = ['lnc', 'peg'] as const

const creeps =
  'friction that holds is a damper up to `stickSpeed`, 1e-4 m/s: it creeps at `stickSpeed` times the share of μ N that it holds'
const onePoint = 'one point at a time carries a face or an edge, which rocks on it'
const round =
  'against all but half-spaces and points a round body is a polyhedron of 32 sides, which tips from side to side; errors fall like ' +
  '1 / `shapeSides`: a cylinder on a plank that is pulled away is 26, 14 and 8 % fast with 32, 64 and 128'
const fallsPast =
  'corners that lie on the border of a face, or beyond it, choose the face beside: what lies flush on it falls through'
const kicked =
  'the gap of what slides is at least μ h |u|: set down at speed it is thrown up at μ |u| / (1 + μ²), whatever the step, as high as (μ v / (1 + μ²))² / 2 g, and has no friction in flight'
const boxed =
  'friction is bounded along two tangents by the load of the step before, and is not against the slip where that turns'
const twoThirds = 'impacts at once share the speed: (-1/3, 2/3, 2/3) v, which keeps momentum and energy as well as (0, 0, v) does'
const activeAlone =
  'a contact is active within `activeDistance`, 10 µm, or not at all: which share of a step it is late by differs from step to step'
const sinkOfSteps = 'springs that are as deep as a step is long take √(sink / g) for an impact'
const fitted = 'restitution is fitted to one speed, here the first, and tends to 1 for slower impacts'
const setsOff = 'a slip below `stickSpeed`, 1e-4 m/s, is braked by less than μ N: what sets off is ahead by up to that speed'
const settles = 'springs of 10 dt² take their loads over some steps, and let go in one: errors of first order whose share varies'
const withinCone = 'the implicit step ends its passes when friction is within 1e-3 of μ N, and here the load follows friction'

export const known: Readonly<Record<string, readonly Known[]>> = {
  'block that stays on a slope': [{ kind: 'limit', models: springs, value: 8.932e-5, reason: creeps }],
  'box down a slope on six joints': [{ kind: 'uneven', models: ['penalty', 'hunt-crossley'], most: 1e-3, reason: setsOff }],
  'load of the lower edge of a sliding box': [{ kind: 'limit', models: ['penalty-deepest'], value: 0, reason: onePoint }],
  'height of a box that slides at 5 m/s': [{ kind: 'limit', models: ['convex'], value: 0.3032, reason: kicked }],
  'box laid on a conveyor belt': [{ kind: 'uneven', models: ['penalty-deepest'], most: 0.03, reason: onePoint }],
  'two blocks pushed in a row': [
    { kind: 'uneven', models: ['penalty-deepest'], most: 1.5, reason: onePoint },
    { kind: 'limit', models: ['lnc'], value: 0, reason: fallsPast },
  ],
  'square puck that slides and spins: yaw': [
    { kind: 'limit', models: ['lotstedt'], value: 0.972, reason: boxed },
    { kind: 'limit', models: ['convex'], value: 0.6385, reason: kicked },
  ],
  'puck on three feet that slides and spins: yaw': [
    { kind: 'limit', models: ['lotstedt'], value: 1.139, reason: boxed },
    { kind: 'limit', models: ['convex'], value: 1.7456, within: 0.003, reason: kicked },
  ],
  'puck on three feet that slides and spins: way': [{ kind: 'limit', models: ['lotstedt'], value: 0.3417, reason: boxed }],
  'ball on a turntable': [
    { kind: 'half', models: ['penalty'], reason: settles },
    { kind: 'uneven', models: polyhedra, most: 3, reason: round },
  ],
  'cylinder on a plank that is pulled away': [{ kind: 'limit', models: polyhedra, value: 0.646, reason: round }],
  'plank on two rollers': [
    { kind: 'half', models: ['penalty-deepest'], reason: onePoint },
    { kind: 'limit', models: polyhedra, value: 0.4263, within: 0.006, reason: round },
  ],
  'spool pulled by its thread': [{ kind: 'uneven', models: ['penalty-deepest'], most: 2e-3, reason: onePoint }],
  'wheel pulled over a step': [
    { kind: 'half', models: ['penalty-deepest'], reason: onePoint },
    { kind: 'uneven', models: ['lnc'], most: 4, reason: round },
    { kind: 'limit', models: ['peg'], value: 0.725, reason: round },
  ],
  'ball that rolls off a larger one': [
    { kind: 'uneven', models: ['penalty'], most: 6e-3, reason: settles },
    { kind: 'uneven', models: ['anitescu-potra'], most: 8e-3, reason: activeAlone },
    { kind: 'half', models: ['convex'], reason: 'it leaves early, by the float of what slides' },
    { kind: 'uneven', models: polyhedra, most: 0.3, reason: round },
  ],
  'ball that slides off a larger one': [
    { kind: 'uneven', models: ['penalty'], most: 3e-3, reason: settles },
    { kind: 'uneven', models: polyhedra, most: 0.2, reason: round },
  ],
  'box that tips on a slope': [{ kind: 'uneven', models: ['anitescu-potra'], most: 8e-3, reason: activeAlone }],
  'rocking block after its impact': [{ kind: 'uneven', models: ['penalty-deepest'], most: 8e-3, reason: onePoint }],
  'ladder that slides down and leaves the wall': [
    { kind: 'uneven', models: ['anitescu-potra'], most: 4e-3, reason: activeAlone },
  ],
  "Painlevé's rod: impulse that stops its tip": [
    { kind: 'half', models: springs, reason: 'the impact ends within a step of the springs' },
  ],
  "Painlevé's rod below its critical friction": [
    { kind: 'limit', models: springs, value: 0.55725, within: 5e-5, reason: withinCone },
    { kind: 'limit', models: ['convex'], value: 0.55766, within: 1e-4, reason: kicked },
  ],
  'stack of ten boxes: load on the second': [
    { kind: 'uneven', models: ['penalty-deepest'], most: 2, reason: onePoint },
    { kind: 'limit', models: ['lnc'], value: 0, reason: fallsPast },
  ],
  'a ton on a gram': [
    {
      kind: 'failed',
      models: ['penalty-deepest'],
      reason: 'the ton falls off the one point that carries it, and the gram is thrown until its motion is not finite',
    },
    { kind: 'limit', models: ['lnc'], value: 0, reason: fallsPast },
  ],
  'jack between two walls that holds itself': [
    { kind: 'limit', models: ['penalty-deepest'], value: 0.188, reason: 'a flat end touches at one point, and slides on it' },
    { kind: 'limit', models: ['penalty', 'hunt-crossley'], value: 3.92e-5, reason: creeps },
  ],
  'three bricks over an edge that stay': [{ kind: 'uneven', models: ['lnc'], most: 1.5, reason: fallsPast }],
  'brick over an edge that stays': [{ kind: 'uneven', models: ['lnc'], most: 1.5, reason: fallsPast }],
  'centre of pressure of a lopsided box': [{ kind: 'limit', models: ['penalty-deepest'], value: 0.1, reason: onePoint }],
  'ball that bounces': [{ kind: 'half', models: ['hunt-crossley'], reason: sinkOfSteps }],
  'third bounce': [
    {
      kind: 'limit',
      models: ['hunt-crossley'],
      value: 0.114,
      within: 0.003,
      reason: fitted,
    },
  ],
  'bounces without end: way until rest': [{ kind: 'limit', models: ['hunt-crossley'], value: 0.987, reason: fitted }],
  'ball without restitution': [
    {
      kind: 'limit',
      models: ['hunt-crossley'],
      value: 0.0331,
      reason: 'its springs and dampers return 1.7 % of this speed where no restitution is asked for',
    },
  ],
  'two balls head-on': [{ kind: 'limit', models: polyhedra, value: -0.5892, reason: round }],
  "Newton's cradle: the last of three balls in touch": [
    { kind: 'limit', models: ['hunt-crossley'], value: 0.985, reason: 'springs of exponent 3/2 in a row: (-0.07, 0.08, 0.99) v' },
    {
      kind: 'limit',
      models: ['lcp', 'lotstedt', 'stewart-trinkle', 'anitescu-potra', 'convex', 'ncp'],
      value: 2 / 3,
      reason: twoThirds,
    },
    { kind: 'limit', models: polyhedra, value: 0.721, reason: `${twoThirds}; and these balls are polyhedra` },
  ],
  'two balls dropped one above the other': [
    { kind: 'half', models: ['hunt-crossley'], reason: sinkOfSteps },
    { kind: 'limit', models: ['peg'], value: 7.83, reason: round },
  ],
  'rod that falls on one end': [{ kind: 'half', models: ['hunt-crossley'], reason: sinkOfSteps }],
  'ball that strikes at an angle and grips': [{ kind: 'half', models: ['hunt-crossley'], reason: sinkOfSteps }],
  'ball that strikes at an angle and slips': [
    {
      kind: 'limit',
      models: ['convex'],
      value: 5 / 3,
      reason: 'it leaves at e vn + μ |u|, which adds to the impulse of friction: u = 0.8333 m/s',
    },
  ],
  'billiard ball on a cushion with spin against its way': [{ kind: 'half', models: ['hunt-crossley'], reason: sinkOfSteps }],
  'centre of percussion': [{ kind: 'half', models: ['hunt-crossley'], reason: sinkOfSteps }],
  'gap that closes within a step': [
    {
      kind: 'uneven',
      models: ['anitescu-potra'],
      most: 1.01,
      reason: 'beyond `activeDistance`, 10 µm, the gap is not seen and the body ends inside, at -γ; within it stays, at +γ',
    },
  ],
  'what a rotation lets in within a step': [
    {
      kind: 'limit',
      models: ['anitescu-potra'],
      value: 0.5,
      reason: 'beyond `activeDistance` a contact lets in what the step brings: half the gap here',
    },
  ],
}
