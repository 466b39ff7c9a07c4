import { cos, sin } from '../../../dynamics/index.ts'
import * as is from '../../../dynamics/math/arguments.ts'
import { shapeTolerance } from '../../tolerances.ts'
import { boxPolyhedron, hullOf } from '../mesh/hull.ts'
import type { Polyhedron } from '../mesh/polyhedron.ts'
import { Core, farthestOfPoints, type ShapeKind, type Solid } from './shapeKind.ts'

/** Box centred at the origin; `size` is the full edge length along x, y, z. */
export interface Box {
  readonly type: 'box'
  readonly size: readonly [number, number, number]
  /** Radius of the edges and corners, at most half the least side: the box is the Minkowski sum of a core and a ball [m]. Default 0. */
  readonly rounding?: number
}

export const box: ShapeKind<Box> = {
  expected: is.fields<Box>({ type: is.text, size: is.lengths(3) }, { rounding: is.number(0, 'm') }),
  check({ size, rounding = 0 }, require) {
    require(2 * rounding <= Math.min(...size), `rounding is ${rounding} m, expected at most half the least side`)
  },
  support({ size, rounding = 0 }, d, out) {
    for (let k = 0; k < 3; k++) out[k] = d[k] < 0 ? rounding - 0.5 * size[k] : 0.5 * size[k] - rounding
    const length = rounding > 0 ? Math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) : 0
    if (length > 0) for (let k = 0; k < 3; k++) out[k] += (rounding / length) * d[k]
  },
  reach({ size, rounding = 0 }, d, out, at) {
    const x = Math.abs(d[0])
    const y = Math.abs(d[1])
    const z = Math.abs(d[2])
    const high = 0.5 * (x * size[0] + y * size[1] + z * size[2]) + rounding * (1 - x - y - z)
    out[at] = -high
    out[at + 3] = high
  },
  farthest: (shape, R, p) => farthestOfPoints(coreOfBox(shape).vertices, R, p) + (shape.rounding ?? 0),
  thickness: ({ size }) => Math.min(...size),
  halfExtent: ({ size }) => 0.5 * Math.max(...size),
  solid({ size: [x, y, z], rounding = 0 }) {
    if (rounding > 0) return roundedSolid([x, y, z], rounding)
    const volume = x * y * z
    const k = volume / 12
    return {
      volume,
      centroid: [0, 0, 0],
      inertia: [k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y), 0, 0, 0],
    }
  },
  size: ({ size, rounding = 0 }) => Float64Array.from([...size.map((x) => 0.5 * x - rounding), rounding]),
  core(shape) {
    const core = coreOfBox(shape)
    const polyhedron = Math.min(...core.vertices.subarray(21)) > 0 ? core : hullOf(core.vertices)
    const kind = polyhedron === core ? Core.box : polyhedron.vertices.length > 3 ? Core.few : Core.point
    return { kind, polyhedron, rounding: shape.rounding }
  },
  polyhedral({ size, rounding = 0 }, sides, fit) {
    if (rounding === 0 || fit === 'circumscribed') return boxPolyhedron(size)
    const rounds = Math.ceil(sides / 4) + 1
    const points: number[] = []
    for (let i = 0; i < 8 * rounds * rounds; i++) {
      const [a, b] = [(i >> 3) % rounds, Math.floor((i >> 3) / rounds)].map((k) => (0.5 * Math.PI * k) / (rounds - 1))
      const direction = [cos(a) * cos(b), cos(a) * sin(b), sin(a)]
      for (let k = 0; k < 3; k++) points.push(((i >> k) & 1 ? 1 : -1) * (0.5 * size[k] + rounding * (direction[k] - 1)))
    }
    return hullOf(Float64Array.from(points), points.length)
  },
  corners: ({ size, rounding }) => (rounding ? undefined : boxPolyhedron(size).vertices),
}

/** Sides of the core of less than `shapeTolerance` of the box have no length. */
function coreOfBox({ size, rounding: r = 0 }: Box): Polyhedron {
  const least = r > 0 ? shapeTolerance * Math.max(...size) : 0
  const [x, y, z] = size.map((side) => (side - 2 * r > least ? side - 2 * r : 0))
  return boxPolyhedron([x, y, z])
}

/** Sums over the core, six slabs on its faces, quarters of a cylinder along its edges, and eighths of a ball at its corners. */
function roundedSolid(size: readonly number[], r: number): Solid {
  const [a, b, c] = size.map((x) => x - 2 * r)
  const round = Math.PI * r * r
  /** Integral of x², x along the side of the core of length a. */
  const second = (a: number, b: number, c: number) => {
    const h = 0.5 * a
    const along = (a * a * a * (b * c + 2 * r * (b + c) + round)) / 12
    const slabs = (2 / 3) * b * c * r * (3 * h * h + 3 * h * r + r * r)
    const edges = (b + c) * (round * h * h + (8 / 3) * h * r * r * r + (round * r * r) / 4)
    return along + slabs + edges + round * r * ((4 / 3) * h * h + h * r + (4 / 15) * r * r)
  }
  const [x, y, z] = [second(a, b, c), second(b, a, c), second(c, a, b)]
  const volume = a * b * c + 2 * r * (a * b + b * c + c * a) + round * (a + b + c) + (4 / 3) * round * r
  return { volume, centroid: [0, 0, 0], inertia: [y + z, x + z, x + y, 0, 0, 0] }
}
