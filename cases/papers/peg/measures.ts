import { lengthOf, minus, plus, type Vector } from '../../../compare/inspect/picture/vector.ts'
import { grouped } from '../../../compare/measure/grouped.ts'
import { type Place, placed } from './place.ts'
import type { Scene } from './scenes.ts'
import type { Outcome, StepContact } from './step.ts'

/** Impulses below this part of the largest of the step are rounding. */
const least = 1e-6
/** Two impulses act at one point in one direction if they differ by less [m, 1]. */
const one = 1e-6

export const pushing = ({ contacts }: Outcome): StepContact[] => {
  const largest = Math.max(0, ...contacts.map(({ impulse }) => impulse))
  return contacts.filter(({ impulse }) => impulse > least * largest && impulse > 0)
}

/** By how much two bodies overlap at the end of the step [m]. */
export const depthOf = ({ separation }: Outcome) => Math.max(0, -separation)

/** Angle about z by which a body has turned over the step, -pi to pi. */
export const turnOf = (start: Place, end: Place) => {
  const angle = ({ R }: Place) => Math.atan2(R[3], R[0])
  const difference = angle(end) - angle(start)
  return Math.atan2(Math.sin(difference), Math.cos(difference))
}

/**
 * The number of impulses in each contact manifold: of polygons, all that the two share; of blocks, those at one corner of B's. Impulses at one
 * point in one direction are one.
 */
export function impulsesPerManifold(scene: Scene, outcome: Outcome): { distinct: number; listed: number } {
  const list = pushing(outcome)
  const cornerOf = ({ point }: StepContact) => (scene.isPlanar ? 0 : nearestCorner(scene, outcome.end[1], point))
  const counts = [...grouped(list, cornerOf).values()].map((contacts) => ({
    distinct: distinct(contacts).length,
    listed: contacts.length,
  }))
  return {
    distinct: Math.max(0, ...counts.map((count) => count.distinct)),
    listed: Math.max(0, ...counts.map((count) => count.listed)),
  }
}

/** One of each of those that act at one point, and in one direction. */
export function distinct(
  contacts: readonly StepContact[],
  of: readonly ('point' | 'normal')[] = ['point', 'normal'],
): StepContact[] {
  const kept: StepContact[] = []
  for (const contact of contacts) {
    const isKnown = kept.some((other) => of.every((key) => lengthOf(minus(other[key], contact[key])) < one))
    if (!isKnown) kept.push(contact)
  }
  return kept
}

/** In how many places impulses act, whatever their directions. */
export const placesOf = (contacts: readonly StepContact[]) => distinct(contacts, ['point']).length

function nearestCorner({ b }: Scene, place: Place, point: Vector): number {
  const { vertices } = b.polyhedron
  let best = 0
  let distance = Number.POSITIVE_INFINITY
  for (let i = 0; i < vertices.length / 3; i++) {
    const here = lengthOf(minus(placed(place, [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]]), point))
    if (here < distance - 1e-9) [best, distance] = [i, here]
  }
  return best
}

/** How far from a surface the farthest impulse acts [m]; 0 if there is none. */
export const farthestOff = (outcome: Outcome) => Math.max(0, ...pushing(outcome).map(({ offSurface }) => offSurface))

/** Largest difference between two configurations: of origins [m] and of axes. */
export function poseDifference(x: Outcome, y: Outcome): number {
  return Math.max(
    ...[0, 1].flatMap((k) => [
      ...x.end[k].p.map((value, i) => Math.abs(value - y.end[k].p[i])),
      ...x.end[k].R.map((value, i) => Math.abs(value - y.end[k].R[i])),
    ]),
  )
}

/** Of a body on a planar joint: mass, moment of inertia, and its velocity in world axes at the start and at the end, with its angular velocity. */
export type PlanarMotion = ReturnType<typeof planarMotions>[number]

/** @param v velocities after the step as `Outcome.v` has them: of a planar joint in the axes of the body, which has turned */
export function planarMotions(scene: Scene, { start, end, v }: Outcome) {
  return [scene.a, scene.b].map((body, k) => {
    const inWorld = ({ R }: Place, x: number, y: number, w: number): Vector => [R[0] * x + R[1] * y, R[3] * x + R[4] * y, w]
    return {
      mass: body.mass,
      inertia: body.inertia,
      from: start[k].p,
      before: inWorld(start[k], body.v[0], body.v[1], body.v[2]),
      after: inWorld(end[k], v[3 * k], v[3 * k + 1], v[3 * k + 2]),
    }
  })
}

/** x and y of the momentum, and the angular momentum about the origin with bodies where the step starts. */
export function momentum(motions: readonly PlanarMotion[]): Record<'before' | 'after', Vector> {
  const of = (when: 'before' | 'after') =>
    motions.reduce<Vector>(
      (sum, { mass, inertia, from, [when]: u }) => {
        const turning = mass * (from[0] * u[1] - from[1] * u[0]) + inertia * u[2]
        return plus(sum, [mass * u[0], mass * u[1], turning])
      },
      [0, 0, 0],
    )
  return { before: of('before'), after: of('after') }
}

export function kinetic(motions: readonly PlanarMotion[], when: 'before' | 'after'): number {
  return motions.reduce(
    (sum, { mass, inertia, [when]: u }) => sum + 0.5 * (mass * (u[0] * u[0] + u[1] * u[1]) + inertia * u[2] * u[2]),
    0,
  )
}
