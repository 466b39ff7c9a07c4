/** Methods that Drumwright names beside his own, each beside a closed form: rest by impulses alone, overlaps of polyhedra, deformed fields. */
import { median } from '../../../compare/measure/statistics.ts'
import {
  createCollider,
  hullOf,
  placeCollider,
  placeCore,
  pointToEllipsoid,
  signedDistance,
} from '../../../contact/geometry/index.ts'
import { ConvexOverlap, type CreateContactModel, contactModels, ImpactPhase } from '../../../contact/index.ts'
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
  const above = 1.05
  const { sunk } = rest(above)
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
    {
      where: 'Section II-C (Mirtich)',
      claim: `the same with a restitution of ${above}`,
      paper: 'above one, to combat drift: “somewhat unappealing”',
      found: `refused: each impact would make ${significant(100 * (above * above - 1))} % of the energy of its approach. With impulses that may make none it sinks by ${significant(1e3 * sunk)} mm, ${significant(1e3 * sinking(1))} in closed form at e = 1`,
      judgement: judged(sunk < 0.1 * sinking(1)),
      why: 'His impulses meet bodies that are still apart, at the time at which they come near. Where contacts are met at the end of the step nothing drifts, whatever e: his trains of impulses are the solver `micro-impulses`.',
    },
  ]
}

/** Overlaps of polyhedra from 1e-12 m to 0.1 m deep: in any pose, and with faces flush and edges in line. */
export function overlapCounts(pairs: number): { empty: number; off: number } {
  const random = createRandom(5)
  const overlap = new ConvexOverlap()
  const [n, u, v] = [Float64Array.of(0, 0, 1), Float64Array.of(1, 0, 0), Float64Array.of(0, 1, 0)]
  const out = new Float64Array(10)
  let [empty, off] = [0, 0]
  for (let k = 0; k < pairs; k++) {
    const isFlush = k % 2 === 1
    const [a, b] = [0, 1].map(() => {
      const points = Float64Array.from({ length: 60 }, () => random.between(-0.5, 0.5))
      return createCollider(isFlush ? { type: 'box', size: [1, 1, 1] } : { type: 'hull', polyhedron: hullOf(points) })
    })
    const depth = 10 ** random.between(-12, -1)
    let p = isFlush ? [0, 0, 1 - depth] : [0, 0, 3]
    const place = (collider: typeof a, at: readonly number[]) => {
      placeCollider(collider, identity, Float64Array.from(at), identity, new Float64Array(3))
      placeCore(collider)
    }
    place(a, [0, 0, 0])
    // the distance falls no faster than B moves
    for (let pass = 0; pass < 60 && !isFlush; pass++) {
      place(b, p)
      signedDistance(a, b, out)
      p = [0, 0, p[2] - (out[0] + depth)]
    }
    place(b, p)
    signedDistance(a, b, out)
    overlap.begin(b)
    overlap.cutByFaces(a)
    if (overlap.isEmpty) {
      if (out[0] < -1e-15) empty++
      continue
    }
    overlap.integrate(n, u, v)
    if (isFlush && Math.abs(overlap.volume[0] / depth - 1) > 1e-15 / depth + 1e-12) off++
  }
  return { empty, off }
}
const identity = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)

function overlapClaim(): Claim {
  const pairs = 1000
  const { empty, off } = overlapCounts(pairs)
  return {
    where: 'Section II-F (Hasegawa and Sato)',
    claim: 'the intersection of polyhedra, in any pose and flush, 1e-12 m to 0.1 m deep',
    paper: 'fails where the volume is small, unless arithmetic is exact',
    found: `not found in ${empty} of ${pairs}; of those in flush faces ${off} with another volume than area times depth`,
    judgement: judged(empty + off > 0),
    why: 'One is cut by the planes of the other, and an edge at the same point, to the last bit, in both of its faces: nothing is degenerate. Volumes to the rounding of coordinates times the area.',
  }
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

export const relatedClaims = (): Claim[] => [...restClaims(), overlapClaim(), fieldClaim()]
