import type { Solid } from './solid.ts'
import { trianglesOf } from './solid.ts'
import { across, cross, dot, lengthOf, minus, plus, unit, type Vector } from './vector.ts'

/** An orthographic camera: `right` and `up` span the picture, `toward` points at the viewer. */
export interface View {
  readonly right: Vector
  readonly up: Vector
  readonly toward: Vector
}

/** Looking from where `toward` points, with z upwards as far as it can be. */
export function viewFrom(direction: Vector): View {
  const toward = unit(direction)
  const upright: Vector = Math.abs(toward[2]) > 0.999 ? [0, 1, 0] : [0, 0, 1]
  const right = unit(cross(upright, toward))
  return { toward, right, up: cross(toward, right) }
}

/** From the right, the front and above. */
export const threeQuarter = viewFrom([0.52, -0.78, 0.46])

/** Edges more than this from right angles to the normal, as a cosine, are not along the contact. */
const levelEdge = 0.02
/** An edge turned by less than about 46 degrees from the usual direction is looked along. */
const nearest = 0.69

/**
 * A view along a tangent of the contact, so that gaps are seen at their full length: along an edge of one of the bodies, if one
 * lies across the normal and is less than 46 degrees from the default view: along +y, or -x where the normal is close to y.
 */
export function sideView(normal: Vector, edges: readonly Vector[]): View {
  const usual: Vector = Math.abs(normal[1]) > 0.7 ? [1, 0, 0] : [0, -1, 0]
  let best = unit(across(usual, normal))
  const base = best
  let closest = nearest
  for (const edge of edges) {
    if (Math.abs(dot(edge, normal)) > levelEdge) continue
    const along = unit(across(edge, normal))
    const cosine = dot(along, base)
    if (Math.abs(cosine) <= closest + 1e-9) continue
    closest = Math.abs(cosine)
    best = cosine > 0 ? along : [-along[0], -along[1], -along[2]]
  }
  return viewFrom(best)
}

/** x to the right, y up, z towards the eye [m]. */
export const project = ({ right, up, toward }: View, p: Vector): Vector => [dot(right, p), dot(up, p), dot(toward, p)]

/** A piece of a line in the picture, seen or hidden behind a body. */
export interface Stroke {
  readonly from: Vector
  readonly to: Vector
  readonly isSeen: boolean
}

/** Cells across the grid that finds which triangles may hide a point. */
const cells = 48
/** How much nearer to the eye something must be to hide, relative to the size of the drawing. */
const nearer = 1e-5
/** How far inside a triangle's outline, relative likewise. */
const inside = 1e-6
const samples = 40
const bisections = 12

/** Occlusion test. */
export class Hiding {
  readonly #view: View
  readonly #triangles: (readonly [Vector, Vector, Vector])[] = []
  readonly #cells: number[][] = Array.from({ length: cells * cells }, () => [])
  readonly #low: [number, number] = [Infinity, Infinity]
  readonly #size: number

  constructor(view: View, solids: readonly Solid[]) {
    this.#view = view
    const high = [-Infinity, -Infinity]
    for (const solid of solids) {
      for (const triangle of trianglesOf(solid)) {
        const seen = triangle.map((p) => project(view, p)) as unknown as readonly [Vector, Vector, Vector]
        this.#triangles.push(seen)
        for (const corner of seen) {
          for (let k = 0; k < 2; k++) {
            this.#low[k] = Math.min(this.#low[k], corner[k])
            high[k] = Math.max(high[k], corner[k])
          }
        }
      }
    }
    this.#size = Math.max(high[0] - this.#low[0], high[1] - this.#low[1], Number.MIN_VALUE)
    this.#triangles.forEach((triangle, t) => {
      const [x0, y0] = this.#cellOf(Math.min(...triangle.map((c) => c[0])), Math.min(...triangle.map((c) => c[1])))
      const [x1, y1] = this.#cellOf(Math.max(...triangle.map((c) => c[0])), Math.max(...triangle.map((c) => c[1])))
      for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) this.#cells[y * cells + x].push(t)
    })
  }

  #cellOf(x: number, y: number): [number, number] {
    const place = (value: number, k: 0 | 1) =>
      Math.max(0, Math.min(cells - 1, Math.floor((cells * (value - this.#low[k])) / this.#size)))
    return [place(x, 0), place(y, 1)]
  }

  /** Whether a point, in the coordinates of the picture, lies behind some face. */
  isHidden([x, y, z]: Vector): boolean {
    const [column, row] = this.#cellOf(x, y)
    for (const t of this.#cells[row * cells + column]) {
      const [a, b, c] = this.#triangles[t]
      const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
      if (Math.abs(area) < 1e-14 * this.#size * this.#size) continue
      const u = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
      const v = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
      if (u < -inside || v < -inside || u + v > 1 + inside) continue
      if (a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2]) > z + nearer * this.#size) return true
    }
    return false
  }

  /** A line in the world as strokes in the picture. */
  strokes(p: Vector, q: Vector): Stroke[] {
    const from = project(this.#view, p)
    const way = minus(project(this.#view, q), from)
    if (!(lengthOf(way) > 0)) return []
    const place = (s: number) => plus(from, way, s)
    const isHidden = (s: number) => this.isHidden(place(s))
    const out: Stroke[] = []
    let start = 0
    let last = 0.5 / samples
    let hidden = isHidden(last)
    for (let i = 1; i < samples; i++) {
      const s = (i + 0.5) / samples
      const now = isHidden(s)
      if (now !== hidden) {
        let [low, high] = [last, s]
        for (let k = 0; k < bisections; k++) {
          const middle = 0.5 * (low + high)
          if (isHidden(middle) === hidden) low = middle
          else high = middle
        }
        out.push({ from: place(start), to: place(high), isSeen: !hidden })
        start = high
        hidden = now
      }
      last = s
    }
    out.push({ from: place(start), to: place(1), isSeen: !hidden })
    return out
  }
}
