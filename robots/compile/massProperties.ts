import {
  boxPolyhedron,
  hullOf,
  type Polyhedron,
  type Shape,
  supportPoint,
  type TriangleMesh,
} from '../../contact/geometry/index.ts'
import { cos, place3, sin } from '../../dynamics/index.ts'
import type { InertialDescription } from '../description.ts'
import type { PlacedLink } from './groups.ts'
import { compose, type Pose, poseOfOrigin } from './pose.ts'
import type { SeatedShape } from './shapes.ts'

/**
 * Mass, first and second moments of something about a body's origin in the body's axes. All of it adds up.
 */
export interface MassMoments {
  /** [kg] */
  mass: number
  /** 3: mass times the centre of mass [kg m]. */
  readonly first: Float64Array
  /** Rotational inertia about the body's origin, [xx, yy, zz, xy, xz, yz] [kg m^2]. */
  readonly inertia: Float64Array
}

/** [xx, yy, zz, xy, xz, yz], with products of inertia as they stand in the matrix (Ixy = -sum m x y). */
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
    if (!link.inertial || link.inertial.mass === 0) continue
    addBody(moments, link.inertial.mass, link.inertial.inertia, compose(pose, poseOfOrigin(link.inertial.origin)))
  }
  return moments
}

/** Of shapes filled at a density [kg/m^3], in the axes in which they are seated. Where shapes overlap it counts twice. */
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

/** Of so many shapes the hull is made of all their points. */
const mostShapes = 100
/** Farthest points that are looked for, for more shapes in fewer directions. */
const mostSupports = 1_000_000

/**
 * Volume of the convex hull of several shapes [m^3], which is at least that of all they fill. Curved surfaces are sampled
 * at `directions`, which makes a ball 3 % too small; of many shapes only the farthest point in each is taken.
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
    return solidOfPolyhedron(hullOf(Float64Array.from(points))).volume
  }
  for (const { shape, R, p } of shapes) {
    const cornered = shape.type === 'hull' || shape.type === 'box' || shape.type === 'mesh'
    for (const direction of cornered ? cornersOf(shape) : directions) {
      if (cornered) place3(point, R, p, direction)
      else supportPoint(shape, R, p, direction, point)
      points.push(point[0], point[1], point[2])
    }
  }
  return points.length === 0 ? 0 : solidOfPolyhedron(hullOf(Float64Array.from(points))).volume
}

function cornersOf(shape: Extract<Shape, { type: 'hull' | 'box' | 'mesh' }>): Float64Array[] {
  const { vertices } = shape.type === 'hull' ? shape.polyhedron : shape.type === 'mesh' ? shape.mesh : boxPolyhedron(shape.size)
  return Array.from({ length: vertices.length / 3 }, (_, i) => vertices.slice(3 * i, 3 * i + 3))
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
 * Volume, centroid and inertia (about the centroid, in the shape's axes, for unit density) of a solid shape. Thin shapes
 * and points have volume 0, and so are shapes without end taken.
 */
export function solidOf(shape: Shape): { volume: number; centroid: [number, number, number]; inertia: SymmetricInertia } {
  const origin: [number, number, number] = [0, 0, 0]
  switch (shape.type) {
    case 'sphere': {
      const r2 = shape.radius * shape.radius
      const volume = (4 / 3) * Math.PI * r2 * shape.radius
      const i = 0.4 * volume * r2
      return { volume, centroid: origin, inertia: [i, i, i, 0, 0, 0] }
    }
    case 'ellipsoid': {
      const [a, b, c] = shape.radii
      const volume = (4 / 3) * Math.PI * a * b * c
      const k = 0.2 * volume
      return { volume, centroid: origin, inertia: [k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b), 0, 0, 0] }
    }
    case 'box': {
      const [x, y, z] = shape.size
      const volume = x * y * z
      const k = volume / 12
      return { volume, centroid: origin, inertia: [k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y), 0, 0, 0] }
    }
    case 'cylinder': {
      const r2 = shape.radius * shape.radius
      const volume = Math.PI * r2 * shape.length
      const across = (volume * (3 * r2 + shape.length * shape.length)) / 12
      return { volume, centroid: origin, inertia: [across, across, 0.5 * volume * r2, 0, 0, 0] }
    }
    case 'capsule': {
      const { radius: r, length: l } = shape
      const r2 = r * r
      const tube = Math.PI * r2 * l
      const caps = (4 / 3) * Math.PI * r2 * r
      // two half balls, their own centroids 3/8 r beyond the tube's ends
      const across = (tube * (3 * r2 + l * l)) / 12 + caps * (0.4 * r2 + 0.25 * l * l + 0.375 * l * r)
      return { volume: tube + caps, centroid: origin, inertia: [across, across, (0.5 * tube + 0.4 * caps) * r2, 0, 0, 0] }
    }
    case 'hull':
      return solidOfPolyhedron(shape.polyhedron)
    case 'mesh':
      return solidOfPolyhedron(withLoops(shape.mesh))
    case 'halfspace':
    case 'heightfield':
      return { volume: 0, centroid: origin, inertia: [0, 0, 0, 0, 0, 0] }
  }
}

/**
 * Sums signed tetrahedra from the first vertex to a fan of each face. The second moments of a tetrahedron with corners
 * 0, a, b, c are V/20 (a a' + b b' + c c' + s s') with s = a + b + c.
 */
function solidOfPolyhedron({ vertices, faces }: Pick<Polyhedron, 'vertices' | 'faces'>): ReturnType<typeof solidOf> {
  const [ox, oy, oz] = vertices
  const corner = (k: number) => [vertices[3 * k] - ox, vertices[3 * k + 1] - oy, vertices[3 * k + 2] - oz]
  let volume = 0
  const first = [0, 0, 0]
  const second = new Float64Array(9)
  for (const face of faces) {
    const a = corner(face[0])
    for (let k = 1; k + 1 < face.length; k++) {
      const b = corner(face[k])
      const c = corner(face[k + 1])
      const cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]
      const v = (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6
      volume += v
      const s = [a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]]
      for (let i = 0; i < 3; i++) {
        first[i] += (v * s[i]) / 4
        for (let j = 0; j < 3; j++) second[3 * i + j] += (v * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j])) / 20
      }
    }
  }
  if (!(volume > 0)) return { volume: 0, centroid: [ox, oy, oz], inertia: [0, 0, 0, 0, 0, 0] }
  const [x, y, z] = [first[0] / volume, first[1] / volume, first[2] / volume]
  const xx = second[0] - volume * x * x
  const yy = second[4] - volume * y * y
  const zz = second[8] - volume * z * z
  return {
    volume,
    centroid: [ox + x, oy + y, oz + z],
    inertia: [yy + zz, xx + zz, xx + yy, volume * x * y - second[1], volume * x * z - second[2], volume * y * z - second[5]],
  }
}

/** The triangles of a mesh as loops of three vertices. */
function withLoops({ vertices, triangles }: TriangleMesh): Pick<Polyhedron, 'vertices' | 'faces'> {
  const faces = Array.from({ length: triangles.length / 3 }, (_, t) => triangles.subarray(3 * t, 3 * t + 3))
  return { vertices, faces }
}

/**
 * How far the three moments of an inertia are from those of any body. A body with density rho >= 0 has the second-moment
 * matrix Sigma = integral of rho x x', which is positive semidefinite, and I = tr(Sigma) 1 - Sigma. Sigma's eigenvalues
 * are half the sum of two principal moments less half the third: all non-negative says the same as the triangle
 * inequalities.
 */
export type InertiaVerdict = 'valid' | 'triangle' | 'not-positive' | 'zero'

/** Printed digits round; a violation below this fraction of the largest moment is none. */
const printedRounding = 1e-6
/** Smallest second moment after a repair, as a fraction of the largest. */
const repairFloor = 1e-6

/** Below this a moment is none: its inverse is no number [kg m^2]. */
const leastMoment = 1e-60

/**
 * Checks an inertia and answers the nearest one that a body can have: eigenvalues of Sigma below a floor of 1e-6 of the
 * largest are raised to it, the axes stay. Among all Sigma with no eigenvalue below the floor this one is nearest in the
 * Frobenius norm, and its moments are positive. A valid inertia is answered unchanged; flat bodies are valid.
 */
export function nearestInertia(inertia: SymmetricInertia): {
  verdict: InertiaVerdict
  moments: [number, number, number]
  inertia: SymmetricInertia
} {
  const { values, vectors } = eigenSymmetric3(inertia)
  const moments = [...values].sort((a, b) => a - b) as [number, number, number]
  const largest = Math.max(Math.abs(moments[0]), Math.abs(moments[2]))
  if (largest < leastMoment) return { verdict: 'zero', moments, inertia }
  const halfTrace = (values[0] + values[1] + values[2]) / 2
  const sigma = values.map((moment) => halfTrace - moment)
  const triangleHolds = sigma.every((s) => s >= -printedRounding * largest)
  const positive = moments[0] > 1e-12 * largest
  if (triangleHolds && positive) return { verdict: 'valid', moments, inertia }

  const floor = repairFloor * Math.max(...sigma)
  if (!(floor > 0)) return { verdict: 'zero', moments, inertia }
  const raised = sigma.map((s) => Math.max(s, floor))
  const sum = raised[0] + raised[1] + raised[2]
  const entry = (i: number, j: number) => {
    let total = 0
    for (let k = 0; k < 3; k++) total += vectors[3 * i + k] * (sum - raised[k]) * vectors[3 * j + k]
    return total
  }
  return {
    verdict: positive ? 'triangle' : 'not-positive',
    moments,
    inertia: [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)],
  }
}

/** Eigenvalues of a symmetric 3 x 3 matrix and, in the columns, its eigenvectors, by cyclic Jacobi rotations. */
export function eigenSymmetric3([xx, yy, zz, xy, xz, yz]: SymmetricInertia): { values: number[]; vectors: Float64Array } {
  const a = Float64Array.of(xx, xy, xz, xy, yy, yz, xz, yz, zz)
  const vectors = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
  const pairs = [
    [0, 1],
    [0, 2],
    [1, 2],
  ]
  // converges quadratically: a handful of sweeps reaches the last bit
  for (let sweep = 0; sweep < 30; sweep++) {
    if (a[1] === 0 && a[2] === 0 && a[5] === 0) break
    for (const [p, q] of pairs) {
      const apq = a[3 * p + q]
      if (apq === 0) continue
      const theta = (a[4 * q] - a[4 * p]) / (2 * apq)
      const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
      const c = 1 / Math.sqrt(t * t + 1)
      const s = t * c
      rotateColumns(a, p, q, c, s)
      rotateRows(a, p, q, c, s)
      a[3 * p + q] = 0
      a[3 * q + p] = 0
      rotateColumns(vectors, p, q, c, s)
    }
  }
  return { values: [a[0], a[4], a[8]], vectors }
}

function rotateColumns(a: Float64Array, p: number, q: number, c: number, s: number): void {
  for (let k = 0; k < 3; k++) {
    const x = a[3 * k + p]
    const y = a[3 * k + q]
    a[3 * k + p] = c * x - s * y
    a[3 * k + q] = s * x + c * y
  }
}

function rotateRows(a: Float64Array, p: number, q: number, c: number, s: number): void {
  for (let k = 0; k < 3; k++) {
    const x = a[3 * p + k]
    const y = a[3 * q + k]
    a[3 * p + k] = c * x - s * y
    a[3 * q + k] = s * x + c * y
  }
}
