/** Methods that Drumwright names beside his own, each beside a closed form: rest by impulses alone, deformed fields. */
import { median } from '../../../compare/measure/statistics.ts'
import { pointToEllipsoid } from '../../../contact/geometry/index.ts'
import { type CreateContactModel, contactModels, ImpactPhase } from '../../../contact/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { World } from '../../../simulation/index.ts'
import { boxOf } from '../baraff/scene.ts'
import { type Claim, judged } from '../page.ts'
import { significant } from './numbers.ts'
import { cube, timeStep } from './paper.ts'

/**
 * Hahn (1988): every contact is a collision, at any speed, and nothing else holds bodies apart. Impulses by Newton's law at the start of the
 * step, on all that overlaps and approaches.
 */
const impulsesAlone: CreateContactModel = (context) => {
  // without gravity the threshold of approach is rounding
  const phase = new ImpactPhase({ ...context, gravity: 0 }, { impacts: 'newton', restitutionThreshold: 0 }, 0)
  const motion = contactModels['penalty-deepest'](context, { kp: 0, kv: 0, impacts: 'none' })
  return {
    ...motion,
    name: 'impulses alone',
    memorySize: phase.memorySize + motion.memorySize,
    advance(step) {
      // no pair is known to rest
      step.memory.fill(0)
      phase.resolve(step)
      motion.advance(step)
      phase.report(step.contacts)
    },
  }
}

const restingTime = 1

/** A cube that is set down on the ground: how deep it has sunk after some time [m]. */
export function rest(restitution: number) {
  const { size, mass, gravity } = cube
  const world = new World({
    robot: boxOf('cube', [size, size, size], mass, [0, 0, size / 2], gravity),
    contactModel: impulsesAlone,
    physical: { friction: 0, restitution },
    dt: timeStep,
  })
  for (let k = Math.round(restingTime / timeStep); k > 0; k--) world.step()
  return { restitution, sunk: size / 2 - world.state.q[2] }
}

/** Approaching at x, a step turns the speed to e x and gravity to e x - g h, so that it settles at x = g h / (1 + e). */
const sinking = (restitution: number) => (cube.gravity * timeStep * restingTime) / (1 + restitution)

function restClaims(): Claim[] {
  const held = [0, 0.5].map(rest)
  const misses = held.map(({ restitution, sunk }) => Math.abs(sunk / sinking(restitution) - 1))
  return [
    {
      where: 'Footnote 2 (Hahn)',
      claim: `a cube at rest whose contacts are collisions alone: how deep it sinks in ${restingTime} s in steps of ${1e3 * timeStep} ms`,
      paper: 'drift',
      found: held
        .map(
          ({ restitution: e, sunk }) =>
            `${significant(1e3 * sunk)} mm at e = ${e}, ${significant(1e3 * sinking(e))} in closed form`,
        )
        .join('; '),
      judgement: judged(Math.max(...misses) < 0.01),
      why: 'An impulse takes the speed of approach, and gravity gives g h before the next: it sinks with g h / (1 + e), for ever. Judged by 1 %.',
    },
  ]
}

/**
 * Fisher and Lin (2001): a distance field, made once, is carried along by the deformation of the body: d(x) = d0(X) where x is X deformed. A
 * ball of 1 m is stretched along z and thinned across at a constant volume, so that the true distance is that of an ellipsoid.
 *
 * @returns error over true depth, median over points up to a tenth of the radius deep: as carried, and divided by the carried field's gradient
 */
export function carriedDepth(stretch: number, points = 500) {
  const random = createRandom(3)
  const radii = Float64Array.of(stretch ** -0.5, stretch ** -0.5, stretch)
  const [x, truth] = [new Float64Array(3), new Float64Array(4)]
  const [carried, scaled]: number[][] = [[], []]
  while (carried.length < points) {
    const X = [0, 1, 2].map(() => random.between(-1, 1))
    const r = Math.hypot(...X)
    if (r < 0.9 || r > 0.999) continue
    for (let d = 0; d < 3; d++) x[d] = radii[d] * X[d]
    pointToEllipsoid(x, radii, truth)
    const depth = 1 - r
    // of d0(X(x)): F⁻ᵀ X / r
    const slope = Math.hypot(...X.map((c, d) => c / (r * radii[d])))
    carried.push(Math.abs(depth / -truth[0] - 1))
    scaled.push(Math.abs(depth / slope / -truth[0] - 1))
  }
  return { stretch, carried: median(carried), scaled: median(scaled) }
}

function fieldClaim(): Claim {
  const found = [1.02, 1.1, 1.5].map((stretch) => carriedDepth(stretch))
  const percent = (part: number) => `${significant(100 * part, 2)} %`
  return {
    where: 'Appendix I (Fisher and Lin)',
    claim: 'depth in a stretched ball by its undeformed distance field, carried along, beside the distance of the ellipsoid',
    paper: 'an approximate method',
    found: found
      .map(
        ({ stretch, carried, scaled }) =>
          `stretched by ${stretch}: ${percent(carried)} off, divided by its gradient ${percent(scaled)}`,
      )
      .join('; '),
    judgement: judged(found.every(({ stretch, carried, scaled }) => carried < stretch - 1 && scaled < 0.3 * carried)),
    why: 'The surface stays exact, and depth errs by the strain; divided by the gradient, by strain times depth. Bodies here are rigid, so that no model needs it. Judged by the strain, and by less than a third of that for the other.',
  }
}

export const relatedClaims = (): Claim[] => [...restClaims(), fieldClaim()]
