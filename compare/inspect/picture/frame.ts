/** Section of the world in a panel. */
import type { Contacts, Vector } from '../contactsAt.ts'
import type { PairBody } from '../pairFile.ts'
import type { Solid } from './solid.ts'
import { at, dot, minus, unit } from './vector.ts'
import { project, type View } from './view.ts'

/** The view from the side is at most so many of the largest gap wide, so that it can be seen. */
const gapsAcross = 44
/** Of a single point it is this part of that, and in any case this part of the whole. */
const closeUp = 0.22
const atLeast = 0.12
/** A body more than so many times the size of the other is cut off by the frame. */
const cutOff = 3

/** Directions of edges and axes, for the view from the side. */
export function edgesOf(bodies: readonly PairBody[]): Vector[] {
  return bodies.flatMap(({ shape, convex, R }): Vector[] => {
    const axis = (x: Vector): Vector => [dot(at(R, 0), x), dot(at(R, 1), x), dot(at(R, 2), x)]
    if (shape.type === 'box' || shape.type === 'ellipsoid') return [axis([1, 0, 0]), axis([0, 1, 0]), axis([0, 0, 1])]
    if (shape.type === 'cylinder' || shape.type === 'capsule') return [axis([0, 0, 1])]
    if (convex?.type !== 'hull') return []
    const { vertices, edges } = convex.polyhedron
    return Array.from({ length: edges.length / 2 }, (_, e) =>
      unit(axis(minus(at(vertices, edges[2 * e + 1]), at(vertices, edges[2 * e])))),
    )
  })
}

export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Section of the world in a panel: its middle in the view, and units of the picture for a metre. */
export interface Frame {
  readonly x: number
  readonly y: number
  readonly scale: number
}

type Bounds = readonly [x0: number, y0: number, x1: number, y1: number]

function boundsOf(view: View, points: readonly Vector[]): Bounds {
  const seen = points.map((p) => project(view, p))
  const xs = seen.map(([x]) => x)
  const ys = seen.map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

/** The largest scale at which bounds fit a panel with some air around. */
function fitting([x0, y0, x1, y1]: Bounds, panel: Rectangle, air: number): Frame {
  const scale = Math.min((panel.width - 2 * air) / Math.max(x1 - x0, 1e-9), (panel.height - 2 * air) / Math.max(y1 - y0, 1e-9))
  return { x: 0.5 * (x0 + x1), y: 0.5 * (y0 + y1), scale }
}

const sizeOf = ([x0, y0, x1, y1]: Bounds) => Math.max(x1 - x0, y1 - y0)

/** Both bodies; of one much larger than the other, the part around that. */
function wholeBounds(view: View, solids: readonly Solid[]): Bounds {
  const [a, b] = solids.map(({ vertices }) => boundsOf(view, vertices))
  const [small, large] = sizeOf(a) < sizeOf(b) ? [a, b] : [b, a]
  const around = sizeOf(large) > cutOff * sizeOf(small) ? 0.8 * sizeOf(small) : Infinity
  return [
    Math.min(small[0], Math.max(large[0], small[0] - around)),
    Math.min(small[1], Math.max(large[1], small[1] - around)),
    Math.max(small[2], Math.min(large[2], small[2] + around)),
    Math.max(small[3], Math.min(large[3], small[3] + around)),
  ]
}

export function frameOfAll(view: View, solids: readonly Solid[], panel: Rectangle): Frame {
  return fitting(wholeBounds(view, solids), panel, 16)
}

/** Around all points of all readings, but no wider than lets gaps be seen; then around the deepest. */
export function frameOfContacts(view: View, solids: readonly Solid[], contacts: Contacts, panel: Rectangle): Frame {
  const { manifold, penalty, features, distance, pointA, pointB } = contacts
  const points: Vector[] = [
    ...[pointA, pointB].filter((p) => p !== null),
    ...manifold.map(({ point }) => point),
    ...(penalty?.bottom.map(({ point }) => point) ?? []),
    ...features.filter(({ applicable }) => applicable).map(({ point }) => point),
  ]
  const whole = wholeBounds(view, solids)
  if (points.length === 0) return fitting(whole, panel, 24)
  const gaps = [distance ?? 0, penalty?.deepest.depth ?? 0, ...manifold.map(({ gap }) => gap)].map(Math.abs)
  const all = boundsOf(view, points)
  const most = Math.max(gapsAcross * Math.max(...gaps), 0)
  const wide = sizeOf(all)
  const size = most > 0 ? Math.min(Math.max(1.5 * wide, closeUp * most), most) : 1.5 * wide
  const kept = Math.min(Math.max(size, atLeast * sizeOf(whole)), sizeOf(whole))
  const center = wide <= kept ? [0.5 * (all[0] + all[2]), 0.5 * (all[1] + all[3])] : project(view, pointB ?? points[0])
  return {
    x: center[0],
    y: center[1],
    scale: Math.min(panel.width - 48, 1.25 * (panel.height - 48)) / Math.max(kept, 1e-9),
  }
}
