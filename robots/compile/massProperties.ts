import { cornersOf, hullOf, solidOf, supportPoint } from '../../contact/geometry/index.ts'
import { cos, eigenSymmetric, place3, sin } from '../../dynamics/index.ts'
import type { InertialDescription } from '../description.ts'
import type { PlacedLink } from './groups.ts'
import { compose, type Pose, poseOfOrigin } from './pose.ts'
import type { SeatedShape } from './shapes.ts'

/**
 * Mass, first and second moments about a body's origin in the body's axes; moments of parts add up.
 */
export interface MassMoments {
  /** [kg] */
  mass: number
  /** 3: mass times the centre of mass [kg m]. */
  readonly first: Float64Array
  /** Rotational inertia about the body's origin, [xx, yy, zz, xy, xz, yz] [kg m^2]. */
  readonly inertia: Float64Array
}

/** [xx, yy, zz, xy, xz, yz], with products of inertia as entries of the matrix (Ixy = -sum m x y). */
export type SymmetricInertia = InertialDescription['inertia']

export function emptyMoments(): MassMoments {
  return { mass: 0, first: new Float64Array(3), inertia: new Float64Array(6) }
}

/**
 * Adds a body of which the inertia about its own centre of mass is known, at the centre and in the axes of `pose`: turned
 * by R I R^T and moved by the parallel-axis theorem.
 */
export function addBody(out: MassMoments, mass: number, inertia: SymmetricInertia, { R, p }: Pose): void {
  const [xx, yy, zz, xy, xz, yz] = inertia
  const entry = (i: number, j: number) => {
    const [a, b, c] = [R[3 * i], R[3 * i + 1], R[3 * i + 2]]
    const [d, e, f] = [R[3 * j], R[3 * j + 1], R[3 * j + 2]]
    return a * (xx * d + xy * e + xz * f) + b * (xy * d + yy * e + yz * f) + c * (xz * d + yz * e + zz * f)
  }
  const [x, y, z] = p
  out.mass += mass
  out.first[0] += mass * x
  out.first[1] += mass * y
  out.first[2] += mass * z
  out.inertia[0] += entry(0, 0) + mass * (y * y + z * z)
  out.inertia[1] += entry(1, 1) + mass * (x * x + z * z)
  out.inertia[2] += entry(2, 2) + mass * (x * x + y * y)
  out.inertia[3] += entry(0, 1) - mass * x * y
  out.inertia[4] += entry(0, 2) - mass * x * z
  out.inertia[5] += entry(1, 2) - mass * y * z
}

/** Adds those of another part of the same body. */
export function addMoments(out: MassMoments, { mass, first, inertia }: MassMoments): void {
  out.mass += mass
  for (let k = 0; k < 3; k++) out.first[k] += first[k]
  for (let k = 0; k < 6; k++) out.inertia[k] += inertia[k]
}

/** Centre of mass, and inertia about it in the body's axes. Without mass, the origin and zeros. */
export function centralOf({ mass, first, inertia }: MassMoments): {
  centerOfMass: [number, number, number]
  inertia: SymmetricInertia
} {
  if (mass === 0) return { centerOfMass: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0] }
  const [x, y, z] = [first[0] / mass, first[1] / mass, first[2] / mass]
  return {
    centerOfMass: [x, y, z],
    inertia: [
      inertia[0] - mass * (y * y + z * z),
      inertia[1] - mass * (x * x + z * z),
      inertia[2] - mass * (x * x + y * y),
      inertia[3] + mass * x * y,
      inertia[4] + mass * x * z,
      inertia[5] + mass * y * z,
    ],
  }
}

/** Of links that move as one, in the axes of their body. */
export function momentsOfLinks(links: readonly PlacedLink[]): MassMoments {
  const moments = emptyMoments()
  for (const { link, pose } of links) {
    if (!link.inertial) continue
    addBody(moments, link.inertial.mass, link.inertial.inertia, compose(pose, poseOfOrigin(link.inertial.origin)))
  }
  return moments
}

/** Of shapes filled at a density [kg/m^3], in the axes of their poses. Overlaps count twice. */
export function solidMoments(shapes: readonly SeatedShape[], density: number): MassMoments {
  const moments = emptyMoments()
  for (const { shape, R, p } of shapes) {
    const { volume, centroid, inertia } = solidOf(shape)
    if (volume === 0) continue
    const turn = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
    const atCentroid = compose({ R, p }, { R: turn, p: Float64Array.from(centroid) })
    addBody(moments, density * volume, scaledInertia(inertia, density), atCentroid)
  }
  return moments
}

/** Up to this number of shapes their hull is made of all points. */
const mostShapes = 100
/** Most support points computed; more shapes are sampled in fewer directions. */
const mostSupports = 1_000_000

/**
 * Volume of the convex hull of several shapes [m^3], an upper bound of that of their union. Curved surfaces are sampled
 * at `directions`, which makes a ball 3 % too small; of many shapes only the support point in each is used.
 */
export function commonVolume(shapes: readonly SeatedShape[]): number {
  const points: number[] = []
  const point = new Float64Array(3)
  if (shapes.length > mostShapes) {
    const step = Math.ceil((shapes.length * directions.length) / mostSupports)
    for (let d = 0; d < directions.length; d += step) {
      const direction = directions[d]
      let farthest = -Infinity
      const best = [0, 0, 0]
      for (const { shape, R, p } of shapes) {
        supportPoint(shape, R, p, direction, point)
        const reach = point[0] * direction[0] + point[1] * direction[1] + point[2] * direction[2]
        if (reach <= farthest) continue
        farthest = reach
        for (let k = 0; k < 3; k++) best[k] = point[k]
      }
      points.push(...best)
    }
    return solidOf({ type: 'hull', polyhedron: hullOf(Float64Array.from(points)) }).volume
  }
  for (const { shape, R, p } of shapes) {
    const corners = cornersOf(shape)
    for (let i = 0; i < (corners?.length ?? 0); i += 3) {
      place3(point, R, p, corners!.subarray(i, i + 3))
      points.push(point[0], point[1], point[2])
    }
    for (const direction of corners ? [] : directions) {
      supportPoint(shape, R, p, direction, point)
      points.push(point[0], point[1], point[2])
    }
  }
  return points.length === 0 ? 0 : solidOf({ type: 'hull', polyhedron: hullOf(Float64Array.from(points)) }).volume
}

/** A grid of unit vectors: 16 rounds of latitude of 24 each. */
const directions = Array.from({ length: 16 * 24 }, (_, k) => {
  const polar = (Math.PI * (Math.floor(k / 24) + 0.5)) / 16
  const azimuth = (2 * Math.PI * (k % 24)) / 24
  return Float64Array.of(sin(polar) * cos(azimuth), sin(polar) * sin(azimuth), cos(polar))
})

export function scaledInertia([xx, yy, zz, xy, xz, yz]: SymmetricInertia, k: number): SymmetricInertia {
  return [k * xx, k * yy, k * zz, k * xy, k * xz, k * yz]
}

/** Of a ball of this mass and density [kg/m^3] about its centre. */
export function ballInertia(mass: number, density: number): SymmetricInertia {
  const radius = Math.cbrt((3 * mass) / (4 * Math.PI * density))
  const moment = 0.4 * mass * radius * radius
  return [moment, moment, moment, 0, 0, 0]
}

/**
 * Physical consistency of the three moments of an inertia. A body with density rho >= 0 has the second-moment
 * matrix Sigma = integral of rho x x', which is positive semidefinite, and I = tr(Sigma) 1 - Sigma. Sigma's eigenvalues
 * are half the sum of two principal moments less half the third: non-negative if and only if the triangle inequalities
 * hold. A body is `slender` if it has none about one axis, as an ideal rod.
 */
export type InertiaVerdict = 'valid' | 'slender' | 'triangle' | 'not-positive' | 'zero'

/** Tolerance for rounding of printed digits, as a fraction of the largest moment. */
const printedRounding = 1e-6
/** Smallest second moment after a repair, as a fraction of the largest. */
const repairFloor = 1e-6

/** Radius of gyration below which moments are rounding and the body is a point, squared: 1 nm [m^2]. */
const leastGyration = 1e-18

/** Moments below this count as 0: their inverse would overflow [kg m^2]. */
const leastMoment = 1e-60

/**
 * Checks an inertia and returns the nearest physically consistent one: eigenvalues of Sigma below a floor of 1e-6 of the
 * largest are raised to it, the axes stay. Among all Sigma with no eigenvalue below the floor this one is nearest in the
 * Frobenius norm, and its moments are positive. A valid inertia is returned unchanged, flat bodies are valid; so is one without a
 * positive eigenvalue, to which none is near.
 *
 * @param mass of the body [kg]
 */
export function nearestInertia(
  inertia: SymmetricInertia,
  mass = 0,
): {
  verdict: InertiaVerdict
  moments: [number, number, number]
  inertia: SymmetricInertia
} {
  const { values, vectors } = eigenSymmetric3(inertia)
  const moments = [...values].sort((a, b) => a - b) as [number, number, number]
  const largest = Math.max(Math.abs(moments[0]), Math.abs(moments[2]))
  if (largest < Math.max(leastMoment, leastGyration * mass)) return { verdict: 'zero', moments, inertia }
  const halfTrace = (values[0] + values[1] + values[2]) / 2
  const sigma = values.map((moment) => halfTrace - moment)
  const triangleHolds = sigma.every((s) => s >= -printedRounding * largest)
  const positive = moments[0] > 1e-12 * largest
  if (triangleHolds && positive) return { verdict: 'valid', moments, inertia }

  const floor = repairFloor * Math.max(...sigma)
  if (!(floor > 0)) return { verdict: 'not-positive', moments, inertia }
  const raised = sigma.map((s) => Math.max(s, floor))
  const sum = raised[0] + raised[1] + raised[2]
  const entry = (i: number, j: number) => {
    let total = 0
    for (let k = 0; k < 3; k++) total += vectors[3 * i + k] * (sum - raised[k]) * vectors[3 * j + k]
    return total
  }
  return {
    verdict: triangleHolds ? 'slender' : positive ? 'triangle' : 'not-positive',
    moments,
    inertia: [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)],
  }
}

/** `eigenSymmetric` of an inertia. @unchecked */
export const eigenSymmetric3 = ([xx, yy, zz, xy, xz, yz]: SymmetricInertia): { values: number[]; vectors: Float64Array } =>
  eigenSymmetric(Float64Array.of(xx, xy, xz, xy, yy, yz, xz, yz, zz), 3)
