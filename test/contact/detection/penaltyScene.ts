import {
  createFieldShape,
  type FieldShape,
  type FieldShapeOptions,
  placeFieldShape,
} from '../../../contact/detection/manifold/fieldShape.ts'
import { PenetrationQuery, penaltyReading } from '../../../contact/detection/penetration/penetrationQuery.ts'
import type { Shape } from '../../../contact/geometry/index.ts'
import { identity, origin } from '../geometry/poses.ts'

export const corners: FieldShapeOptions = { maxArea: Infinity }
export const ground: Shape = { type: 'halfspace', normal: [0, 0, 1], offset: 0 }
/** A box whose upper face is z = 0. */
export const slabAt: ArrayLike<number> = [0, 0, -0.5]
export const slab: Shape = { type: 'box', size: [4, 4, 1] }

export function fieldAt(shape: Shape, R: Float64Array, p: ArrayLike<number>, options?: FieldShapeOptions): FieldShape {
  return placed(createFieldShape(shape, options), R, p)
}

export function placed(field: FieldShape, R: Float64Array, p: ArrayLike<number>): FieldShape {
  placeFieldShape(field, R, Float64Array.from(p), identity, origin)
  return field
}

export interface Listed {
  readonly side: number
  readonly feature: number
  readonly depth: number
  readonly point: number[]
  readonly middle: number[]
}

export function read(a: FieldShape, b: FieldShape, memory: Float64Array = new Float64Array(1)): PenetrationQuery {
  const out = new PenetrationQuery()
  penaltyReading(a, b, memory, 0, out)
  return out
}

export function bottomOf(out: PenetrationQuery): Listed[] {
  return Array.from({ length: out.bottomCount }, (_, i) => ({
    side: out.bottomSide[i],
    feature: out.bottomFeature[i],
    depth: out.bottomDepth[i],
    point: Array.from(out.bottomPoint.subarray(3 * i, 3 * i + 3)),
    middle: Array.from(out.bottomMiddle.subarray(3 * i, 3 * i + 3)),
  }))
}

/** Points as text to so many decimals, in order, for comparison as sets. */
export function asSet(points: readonly ArrayLike<number>[], decimals = 9): string[] {
  return points.map((x) => Array.from(x, (value) => (value + 0).toFixed(decimals).replace(/^-(0\.0*)$/, '$1')).join(' ')).sort()
}

/** The farthest that a point of one list is from all of the other; both lists have to be as long. */
export function apart(these: readonly ArrayLike<number>[], those: readonly ArrayLike<number>[]): number {
  if (these.length !== those.length) return Infinity
  const between = (x: ArrayLike<number>, y: ArrayLike<number>) => Math.hypot(...Array.from(x, (value, k) => value - y[k]))
  const from = (x: ArrayLike<number>, list: readonly ArrayLike<number>[]) => Math.min(...list.map((y) => between(x, y)))
  return Math.max(0, ...these.map((x) => from(x, those)), ...those.map((x) => from(x, these)))
}

/** The convex hull of points in the plane, counter-clockwise, by the monotone chain. */
export function planeHull(points: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const half = (list: typeof sorted) => {
    const out: (readonly [number, number])[] = []
    for (const p of list) {
      while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop()
      out.push(p)
    }
    return out.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.reverse())]
}

export function turn(a: readonly [number, number], b: readonly [number, number], c: readonly [number, number]): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/** How far a point is outside of a convex polygon, counter-clockwise; negative inside. */
export function outsideBy(polygon: readonly (readonly [number, number])[], p: readonly [number, number]): number {
  if (polygon.length < 3) return Infinity
  return Math.max(
    ...polygon.map((a, k) => {
      const b = polygon[(k + 1) % polygon.length]
      return -turn(a, b, p) / Math.hypot(b[0] - a[0], b[1] - a[1])
    }),
  )
}
