import { addWork } from '../../../dynamics/index.ts'
import { meshDistance, meshTreeOf } from '../distance/meshDistance.ts'
import { GeometryError } from '../geometryError.ts'
import type { TriangleMesh } from '../shapes/index.ts'

/**
 * The signed distance of a closed mesh, sampled at the corners of the cells of an octree and interpolated trilinearly within them. A
 * cell is divided if its error is too large. S. Frisken, R. Perry, A. Rockwood and T. Jones, Adaptively Sampled Distance Fields (2000).
 */
export type SampledField = Readonly<ReturnType<typeof sampledFieldOf>>

/** Greatest depth of the octree: cells are at least the cube's size divided by 2 to this power. */
const deepest = 8
/** Padding of the cube beyond the mesh, relative to the largest extent. */
const pad = 0.05
/** Allowed error of cells away from the surface, relative to their distance. */
const farError = 0.1
const most = 2_000_000

/** Cost in multiply-adds: of one level of the tree, and of a cell's interpolation. */
const LEVEL = 6
const CELL = 40

/**
 * @unchecked @param error greatest error of undivided cells, of at most 8 levels [m]
 * @throws GeometryError if the mesh is not closed, the error is not positive, or it needs too many cells
 */
export function sampledFieldOf(mesh: TriangleMesh, error: number) {
  if (!(error > 0)) throw new GeometryError(`a field was to be sampled to ${error} m, expected a positive length`)
  const tree = meshTreeOf(mesh)
  const { corner, side } = cubeAround(mesh)
  const known = new Map<number, number>()
  const cells = 2 ** (deepest + 1)
  const x = new Float64Array(3)
  const out = new Float64Array(4)
  const feature = new Int32Array(2)
  /** Distance at a point of the lattice with half the smallest cells' size. */
  const distanceAt = (i: number, j: number, k: number): number => {
    const key = (i * (cells + 1) + j) * (cells + 1) + k
    const before = known.get(key)
    if (before !== undefined) return before
    x[0] = corner[0] + (i / cells) * side
    x[1] = corner[1] + (j / cells) * side
    x[2] = corner[2] + (k / cells) * side
    meshDistance(tree, x, out, feature)
    known.set(key, out[0])
    return out[0]
  }
  const children: number[] = [-1]
  const values: number[] = new Array(8).fill(0)
  const open = [{ cell: 0, at: [0, 0, 0], width: cells, level: 0 }]
  let worst = 0
  while (open.length > 0) {
    const { cell, at, width, level } = open.pop()!
    const corners = eight((a, b, c) => distanceAt(at[0] + a * width, at[1] + b * width, at[2] + c * width))
    const half = width / 2
    const middle = distanceAt(at[0] + half, at[1] + half, at[2] + half)
    let erring = 0
    for (let m = 0; m < 27; m++) {
      const [a, b, c] = [m % 3, Math.floor(m / 3) % 3, Math.floor(m / 9)]
      if (a !== 1 && b !== 1 && c !== 1) continue
      const exact = distanceAt(at[0] + a * half, at[1] + b * half, at[2] + c * half)
      erring = Math.max(erring, Math.abs(exact - trilinear(corners, a / 2, b / 2, c / 2)))
    }
    const isFar = Math.abs(middle) > ((Math.sqrt(3) / 2) * width * side) / cells
    if (erring > (isFar ? Math.max(error, farError * Math.abs(middle)) : error) && level < deepest) {
      const first = children.length
      if (first + 8 > most) throw new GeometryError(`a field of ${error} m takes more than ${most} cells; expect less of it`)
      children[cell] = first
      for (let i = 0; i < 8; i++) {
        children.push(-1)
        for (let v = 0; v < 8; v++) values.push(0)
        const low = [i & 1, (i >> 1) & 1, i >> 2]
        open.push({ cell: first + i, at: at.map((start, k) => start + low[k] * half), width: half, level: level + 1 })
      }
      continue
    }
    // away from the surface a lower bound of the distance, since it serves for culling
    for (let i = 0; i < 8; i++) values[8 * cell + i] = isFar ? corners[i] - Math.sign(middle) * erring : corners[i]
    if (!isFar) worst = Math.max(worst, erring)
  }
  return {
    /** Least corner of the cube, and its side [m]. */
    corner,
    side: Float64Array.of(side),
    /** Per cell: the first of its 8 children, or -1; bit 0, 1, 2 of i is set for child i in the upper half along x, y, z. */
    children: Int32Array.from(children),
    /** 8 a cell: signed distances at its corners, numbered like children [m]; 0 for divided cells. */
    values: Float64Array.from(values),
    /** 1: greatest error at the midpoints of edges, faces and cells, near the surface [m]. */
    error: Float64Array.of(worst),
  }
}

function cubeAround({ vertices }: TriangleMesh) {
  const [least, greatest] = [Math.min, Math.max].map((pick) =>
    [0, 1, 2].map((k) => vertices.reduce((best, v, i) => (i % 3 === k ? pick(best, v) : best), vertices[k])),
  )
  const side = (1 + 2 * pad) * Math.max(...greatest.map((high, k) => high - least[k]))
  return { side, corner: Float64Array.from(least, (low, k) => 0.5 * (low + greatest[k] - side)) }
}

const eight = (at: (a: number, b: number, c: number) => number) =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((i) => at(i & 1, (i >> 1) & 1, i >> 2))

const trilinear = (v: readonly number[], a: number, b: number, c: number) =>
  v.reduce((sum, value, i) => sum + value * (i & 1 ? a : 1 - a) * (i & 2 ? b : 1 - b) * (i & 4 ? c : 1 - c), 0)

const inside = new Float64Array(3)
const part = new Float64Array(3)

/**
 * Signed distance of a point and its gradient. Outside the cube a lower bound: √(d² + f²), d the distance to the cube, f the value there. @unchecked
 *
 * @param x   3, in the mesh's axes [m]
 * @param out 4: distance [m], then a unit vector; 0 if the field has no slope
 */
export function sampledDistance({ corner, side, children, values }: SampledField, x: Float64Array, out: Float64Array): void {
  let beyond = 0
  for (let k = 0; k < 3; k++) {
    inside[k] = Math.min(Math.max(x[k], corner[k]), corner[k] + side[0])
    beyond += (x[k] - inside[k]) * (x[k] - inside[k])
    part[k] = (inside[k] - corner[k]) / side[0]
  }
  let cell = 0
  let width = side[0]
  let levels = 0
  while (children[cell] >= 0) {
    let child = children[cell]
    for (let k = 0; k < 3; k++) {
      part[k] *= 2
      if (part[k] < 1) continue
      part[k] -= 1
      child += 1 << k
    }
    cell = child
    width *= 0.5
    levels++
  }
  addWork(levels, LEVEL, CELL)
  const v = 8 * cell
  const [a, b, c] = [part[0], part[1], part[2]]
  const v00 = values[v] + a * (values[v + 1] - values[v])
  const v10 = values[v + 2] + a * (values[v + 3] - values[v + 2])
  const v01 = values[v + 4] + a * (values[v + 5] - values[v + 4])
  const v11 = values[v + 6] + a * (values[v + 7] - values[v + 6])
  const v0 = v00 + b * (v10 - v00)
  const v1 = v01 + b * (v11 - v01)
  const distance = v0 + c * (v1 - v0)
  const x0 = values[v + 1] - values[v] + b * (values[v + 3] - values[v + 2] - values[v + 1] + values[v])
  const x1 = values[v + 5] - values[v + 4] + b * (values[v + 7] - values[v + 6] - values[v + 5] + values[v + 4])
  out[1] = (x0 + c * (x1 - x0)) / width
  out[2] = (v10 - v00 + c * (v11 - v01 - v10 + v00)) / width
  out[3] = (v1 - v0) / width
  if (beyond > 0) {
    const there = Math.max(distance, 0)
    for (let k = 0; k < 3; k++) out[1 + k] = x[k] - inside[k] + there * out[1 + k]
    out[0] = Math.sqrt(beyond + there * there)
  } else out[0] = distance
  const length = Math.sqrt(out[1] * out[1] + out[2] * out[2] + out[3] * out[3])
  if (!(length > 0)) return
  for (let k = 1; k < 4; k++) out[k] /= length
}
