import { type Collider, hullOf, type Shape } from '../../../contact/geometry/index.ts'
import { createFeatureBody, type FeatureBody } from '../../../contact/peg/features/featureBody.ts'
import { FeatureContactSet, type FeatureOptions, featureLimits } from '../../../contact/peg/features/featureContactSet.ts'
import { featureContacts } from '../../../contact/peg/features/featureContacts.ts'
import type { Random } from '../../../dynamics/index.ts'
import { exactSeparation } from '../geometry/exactOverlap.ts'
import { colliderAt, dot, product, randomRotation, randomUnit, rotation, scaled } from '../geometry/poses.ts'

export const cube: Shape = { type: 'box', size: [1, 1, 1] }

export const hull = (...points: number[]): Shape => ({ type: 'hull', polyhedron: hullOf(Float64Array.from(points)) })

export const bodyAt = (shape: Shape, R: Float64Array, p: ArrayLike<number>): FeatureBody =>
  createFeatureBody(colliderAt(shape, R, p))

/** One contact, as an object. */
export interface Listed {
  readonly id: number
  readonly kind: number
  readonly a: number
  readonly b: number
  readonly point: Float64Array
  readonly normal: Float64Array
  readonly gap: number
  readonly aside: number
  readonly applicability: number
  readonly applicable: number
}

export function listed(out: FeatureContactSet): Listed[] {
  return Array.from({ length: out.count }, (_, i) => ({
    id: out.feature[i],
    kind: out.kind[i],
    a: out.featureA[i],
    b: out.featureB[i],
    point: out.point.slice(3 * i, 3 * i + 3),
    normal: out.normal.slice(3 * i, 3 * i + 3),
    gap: out.gap[i],
    aside: out.aside[i],
    applicability: out.applicability[i],
    applicable: out.applicable[i],
  }))
}

export function contactsOf(a: FeatureBody, b: FeatureBody, options: FeatureOptions): Listed[] {
  const out = new FeatureContactSet()
  featureContacts(a, b, featureLimits(options), out)
  return listed(out)
}

export const largestGap = (contacts: readonly Listed[]) => Math.max(...contacts.map(({ gap }) => gap))

/** Vertex of a hull or box at a point of its own axes. */
export function vertexAt({ collider }: FeatureBody, ...x: number[]): number {
  const { vertices } = collider.core!
  for (let v = 0; v < vertices.length / 3; v++) {
    if (x.every((value, k) => Math.abs(vertices[3 * v + k] - value) < 1e-9)) return v
  }
  throw new Error(`no vertex at ${x}`)
}

/** Face whose outward normal in the shape's axes is nearest to n. */
export function faceAlong({ collider }: FeatureBody, ...n: number[]): number {
  const N = collider.core!.faceNormals
  const along = Array.from({ length: N.length / 3 }, (_, f) => dot(N.subarray(3 * f, 3 * f + 3), n))
  return along.indexOf(Math.max(...along))
}

/** Edge between two vertices. */
export function edgeBetween({ topology }: FeatureBody, v: number, w: number): number {
  const { edgeVertices, edgeCount } = topology
  for (let e = 0; e < edgeCount; e++) {
    if (edgeVertices[2 * e] === Math.min(v, w) && edgeVertices[2 * e + 1] === Math.max(v, w)) return e
  }
  throw new Error(`no edge from ${v} to ${w}`)
}

/** Boxes, tetrahedra, prisms on regular polygons, and hulls of up to 16 points, 0.1 m to 1 m across. */
export function randomPolyhedron(random: Random): Shape {
  const choice = random.index(4)
  const size = () => random.between(0.1, 1)
  if (choice === 0) return { type: 'box', size: [size(), size(), size()] }
  if (choice === 1) return hull(...Array.from({ length: 12 }, () => random.between(-0.5, 0.5)))
  if (choice === 2) {
    const n = 3 + random.index(6)
    const [radius, half] = [size() / 2, size() / 2]
    const points: number[] = []
    for (let i = 0; i < n; i++) {
      const angle = (2 * Math.PI * i) / n
      for (const z of [-half, half]) points.push(radius * Math.cos(angle), radius * Math.sin(angle), z)
    }
    return hull(...points)
  }
  return hull(...Array.from({ length: 3 * (8 + random.index(9)) }, () => random.between(-0.5, 0.5)))
}

/**
 * Two polyhedra within 5 cm of touching. Two of five pairs stand in the same axes, a quarter turn apart or
 * turned by as little as 1e-12, so that faces are flush, edges parallel and corners on corners.
 */
export function randomNearPair(random: Random): [Collider, Collider] {
  const shapeA = randomPolyhedron(random)
  const shapeB = random.next() < 0.2 ? shapeA : randomPolyhedron(random)
  const R = random.next() < 0.3 ? rotation([0, 0, 1], 0) : randomRotation(random)
  const aligned = random.next() < 0.4
  const jitter = random.next() < 0.3 ? 0 : 10 ** random.between(-12, -1)
  const quarter = rotation([0, 0, 1], (random.index(4) * Math.PI) / 2)
  const RB = aligned ? product(R, product(quarter, rotation(randomUnit(random), jitter))) : randomRotation(random)
  const axis = random.index(3)
  const direction = aligned && random.next() < 0.7 ? Float64Array.from([R[axis], R[3 + axis], R[6 + axis]]) : randomUnit(random)
  const a = colliderAt(shapeA, R, [0, 0, 0])
  const at = (t: number) => colliderAt(shapeB, RB, scaled(direction, t))
  let low = 0
  let high = 4
  for (let k = 0; k < 20; k++) {
    const middle = 0.5 * (low + high)
    if (exactSeparation(a, at(middle)) > 0) high = middle
    else low = middle
  }
  return [a, at(high + random.between(-0.05, 0.05))]
}

/**
 * How near features must be to meet within a step, and how far they turn towards each other meanwhile, to first order:
 *
 *     margin = dt (|v_A| + |w_A| r_A + |v_B| + |w_B| r_B + a dt),   sine = min(1, dt (|w_A| + |w_B|))
 *
 * Whatever touches at the end of the step is then within the margin at its start. The applicability of a vertex changes by at
 * most `sine`, so with a relaxation of as much it is listed as applicable. That of two edges at an angle alpha
 * can change by sine (1 + 1 / sin alpha), since their normal turns with both; the choice `all` lists them in any case.
 *
 * @param speeds 7: speed of A's origin [m/s], A's angular speed [rad/s], A's radius about its origin [m], the same three of
 *               B, and the acceleration a that may add to them [m/s²]
 * @param dt     1 [s]
 * @param out    out, 2: margin [m], sine
 */
export function featureMargin(speeds: Float64Array, dt: Float64Array, out: Float64Array): void {
  const h = dt[0]
  const turning = speeds[1] + speeds[4]
  out[0] = h * (speeds[0] + speeds[1] * speeds[2] + speeds[3] + speeds[4] * speeds[5] + speeds[6] * h)
  out[1] = Math.min(1, h * turning)
}
