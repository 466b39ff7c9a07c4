import {
  type Collider,
  createCollider,
  hullOf,
  type PlacedShape,
  pairMemorySize,
  placeCollider,
  placeCore,
  type Shape,
  separationWarm,
  writeShapeBounds,
} from '../../../contact/geometry/index.ts'
import {
  type CollisionPairs,
  createFieldShape,
  type FieldShape,
  PenetrationQuery,
  penaltyMemorySize,
  penaltyReading,
  placeFieldShape,
} from '../../../contact/index.ts'
import type { Data } from '../../../dynamics/index.ts'
import type { CollisionShape, Robot } from '../../../robots/index.ts'

/** Shapes of a world and their pairs. */
export interface ShapesOfWorld {
  readonly robot: Pick<Robot, 'shapes'>
  readonly shapes: readonly CollisionShape[]
  readonly fixtures: readonly PlacedShape[]
  readonly pairs: CollisionPairs
}

/** Two shapes that overlap, by their names, and how deep [m]. */
export interface Overlap {
  readonly a: string
  readonly b: string
  readonly depth: number
}

/** Overlaps below this are rounding, of arithmetic or of figures in a file [m]. */
export const SMALLEST_OVERLAP = 1e-5

/** How two shapes are measured against each other. */
const Kind = { convex: 0, bent: 1 } as const
/** The bounds of a shape for the quick test whether two are far apart. */
const Around = { ball: 0, plane: 1, box: 2 } as const

/**
 * How deep the shapes of a world are in each other, whatever any contact model thinks touches: of each robot or body in the
 * surroundings and in the others, and in itself where self-collision is on. Pairs that may never touch are left out. @unchecked
 *
 * The depth of two convex shapes is exact: minus their signed distance, the length of the shortest move that parts them. With a
 * mesh or a height field that has no closed form; there it is the distance of the deepest surface point of one inside the other.
 */
export class PenetrationMeter {
  /** 1: depth of the deepest pair at the last `measure` [m]; 0 when nothing penetrates. */
  readonly deepest = new Float64Array(1)
  /** 1: which pair that was, for `namesOf`; -1 when nothing penetrates. */
  readonly deepestPair = Int32Array.of(-1)
  private readonly placed: readonly PlacedShape[]
  private readonly colliders: readonly (Collider | undefined)[]
  private readonly fields: (FieldShape | undefined)[]
  private readonly around: Uint8Array
  /** 6 a shape: a ball's centre and radius, a plane's normal and offset, or the corners of a box [m]. */
  private readonly bounds: Float64Array
  /** Per pair: its shapes in `placed`, and its kind. */
  private readonly pairA: Int32Array
  private readonly pairB: Int32Array
  private readonly pairKind: Uint8Array
  private readonly memory: Float64Array
  private readonly reading = new PenetrationQuery()
  private readonly distance = new Float64Array(10) // separationWarm also writes the normal, and perhaps the points
  private readonly movable: Int32Array

  constructor({
    robot,
    shapes,
    fixtures,
    pairs,
  }: Omit<ShapesOfWorld, 'pairs'> & { readonly pairs: Pick<CollisionPairs, 'allows' | 'shapeCount'> }) {
    const moving = [...shapes, ...robot.shapes.filter(({ body }) => body === 0)].slice(0, pairs.shapeCount)
    this.placed = [...moving, ...fixtures]
    const { placed } = this
    this.colliders = placed.map(({ shape }) => convexCollider(shape))
    this.fields = placed.map(() => undefined)
    this.around = Uint8Array.from(placed, ({ shape: { type } }) =>
      type === 'halfspace' ? Around.plane : type === 'heightfield' ? Around.box : Around.ball,
    )
    this.bounds = new Float64Array(6 * placed.length)
    const list: { a: number; b: number; kind: number }[] = []
    for (let b = 0; b < placed.length; b++) {
      for (let a = 0; a < b; a++) if (pairs.allows(a, b)) list.push({ a, b, kind: this.kindOf(a, b) })
    }
    this.pairA = Int32Array.from(list, ({ a }) => a)
    this.pairB = Int32Array.from(list, ({ b }) => b)
    this.pairKind = Uint8Array.from(list, ({ kind }) => kind)
    this.memory = new Float64Array(list.length * memorySize)
    this.movable = Int32Array.from(moving.flatMap(({ body }, i) => (body > 0 ? [i] : [])))
    const still = placed.flatMap(({ body }, i) => (body > 0 ? [] : [i]))
    for (const i of still) this.place(i, identity, origin)
  }

  private kindOf(a: number, b: number): number {
    const bent = [a, b].filter((i) => isBent(this.placed[i].shape))
    // of a mesh only the hull touches a half-space
    if (bent.length === 0 || [a, b].some((i) => this.placed[i].shape.type === 'halfspace')) return Kind.convex
    for (const i of [a, b]) {
      this.fields[i] ??= createFieldShape(withVolume(this.placed[i].shape))
      if (this.placed[i].body === 0) this.placeField(i, identity, origin)
    }
    return Kind.bent
  }

  /** Reads the places of the bodies from data (after `kinematics`). */
  measure(data: Data): void {
    const { pairA, pairB, deepest, deepestPair, distance } = this
    this.placeAll(data)
    deepest[0] = 0
    deepestPair[0] = -1
    for (let pair = 0; pair < pairA.length; pair++) {
      this.reach(pairA[pair], pairB[pair])
      if (!(distance[0] > deepest[0])) continue
      this.depthOf(pair)
      if (distance[0] > deepest[0]) {
        deepest[0] = distance[0]
        deepestPair[0] = pair
      }
    }
  }

  /** Which shapes a pair is of. */
  namesOf(pair: number): { a: string; b: string } {
    return { a: shortName(this.placed[this.pairA[pair]].name), b: shortName(this.placed[this.pairB[pair]].name) }
  }

  /** As `measure` does, for `overlaps` alone. */
  placeAll({ R_WB, p_WB }: Data): void {
    const { movable, placed } = this
    for (let k = 0; k < movable.length; k++) this.place(movable[k], R_WB[placed[movable[k]].body], p_WB[placed[movable[k]].body])
  }

  /** All pairs that overlapped at the last `measure` by more than rounding, deepest first. */
  overlaps(): Overlap[] {
    const found: Overlap[] = []
    for (let pair = 0; pair < this.pairA.length; pair++) {
      this.reach(this.pairA[pair], this.pairB[pair])
      if (!(this.distance[0] > 0)) continue
      this.depthOf(pair)
      const depth = this.distance[0]
      if (depth > SMALLEST_OVERLAP) found.push({ ...this.namesOf(pair), depth })
    }
    return found.sort((x, y) => y.depth - x.depth)
  }

  private place(i: number, R_WB: Float64Array, p_WB: Float64Array): void {
    const { R, p, shape } = this.placed[i]
    const collider = this.colliders[i]
    if (collider !== undefined) {
      placeCollider(collider, R_WB, p_WB, R, p)
      placeCore(collider)
    }
    if (this.fields[i] !== undefined) this.placeField(i, R_WB, p_WB)
    this.writeAround(i, shape, collider, R, p)
  }

  private placeField(i: number, R_WB: Float64Array, p_WB: Float64Array): void {
    const { R, p } = this.placed[i]
    placeFieldShape(this.fields[i] as FieldShape, R_WB, p_WB, R, p)
  }

  private writeAround(i: number, shape: Shape, collider: Collider | undefined, R: Float64Array, p: Float64Array): void {
    const { bounds } = this
    const k = 6 * i
    if (shape.type === 'heightfield') {
      writeShapeBounds(shape, R, p, nothing, 0, bounds, k) // it is fixed, and so its place on the world is its place
    } else if (shape.type === 'halfspace') {
      const { normal, offset } = shape
      const { R: RW, p: pW } = collider as Collider
      bounds[k + 3] = offset
      for (let axis = 0; axis < 3; axis++) {
        const n = RW[3 * axis] * normal[0] + RW[3 * axis + 1] * normal[1] + RW[3 * axis + 2] * normal[2]
        bounds[k + axis] = n
        bounds[k + 3] += n * pW[axis]
      }
    } else {
      const { centerW, radius } = collider as Collider
      bounds[k] = centerW[0]
      bounds[k + 1] = centerW[1]
      bounds[k + 2] = centerW[2]
      bounds[k + 3] = radius
    }
  }

  /** Writes to distance[0] a bound of how deep a pair can be: where it is not above 0, the two are apart. */
  private reach(a: number, b: number): void {
    const { around, bounds, distance } = this
    if (around[a] !== Around.ball && around[b] !== Around.ball) {
      distance[0] = 0
      return
    }
    const [ball, other] = around[a] === Around.ball ? [a, b] : [b, a]
    const i = 6 * ball
    const k = 6 * other
    const x = bounds[i]
    const y = bounds[i + 1]
    const z = bounds[i + 2]
    const radius = bounds[i + 3]
    if (around[other] === Around.ball) {
      const dx = x - bounds[k]
      const dy = y - bounds[k + 1]
      const dz = z - bounds[k + 2]
      distance[0] = radius + bounds[k + 3] - Math.sqrt(dx * dx + dy * dy + dz * dz)
    } else if (around[other] === Around.plane) {
      distance[0] = radius + bounds[k + 3] - (x * bounds[k] + y * bounds[k + 1] + z * bounds[k + 2])
    } else {
      const dx = Math.max(0, bounds[k] - x, x - bounds[k + 3])
      const dy = Math.max(0, bounds[k + 1] - y, y - bounds[k + 4])
      const dz = Math.max(0, z - bounds[k + 5])
      distance[0] = dx * dx + dy * dy + dz * dz > radius * radius ? 0 : Infinity
    }
  }

  /** Writes to distance[0] how deep a pair is, not above 0 if it is apart. */
  private depthOf(pair: number): void {
    const { pairA, pairB, colliders, fields, memory, reading, distance } = this
    const a = pairA[pair]
    const b = pairB[pair]
    if (this.pairKind[pair] === Kind.convex) {
      separationWarm(colliders[a] as Collider, colliders[b] as Collider, touching, memory, pair * memorySize, distance)
      distance[0] = -distance[0]
    } else {
      penaltyReading(fields[a] as FieldShape, fields[b] as FieldShape, memory, pair * memorySize, reading)
      distance[0] = reading.status === 'apart' ? 0 : reading.distanceDepth[0]
    }
  }
}

const memorySize = Math.max(pairMemorySize, penaltyMemorySize)
const identity = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const origin = new Float64Array(3)
const nothing = new Float64Array(1)
/** Of shapes farther apart than this the distance does not matter [m]. */
const touching = new Float64Array(1)

/** A free body's only link is called as the body is. */
export const shortName = (name: string) => name.replace(/^(.+)\/\1$/, '$1')

const isBent = ({ type }: Shape) => type === 'mesh' || type === 'heightfield'

/** Of a mesh that of its hull; undefined for height fields. */
function convexCollider(shape: Shape): Collider | undefined {
  if (shape.type === 'heightfield') return undefined
  if (shape.type !== 'mesh') return createCollider(shape)
  return createCollider({ type: 'hull', polyhedron: hullOf(shape.mesh.vertices, shape.mesh.vertices.length) })
}

/** Half the thickness that a hull without volume is given, against meshes and height fields [m]. */
const THIN = 1e-6

/** A flat hull has no inside for a point to be in; it is made this thin instead. */
export function withVolume(shape: Shape): Shape {
  if (shape.type !== 'hull' || shape.polyhedron.faces.length >= 4) return shape
  const { vertices } = shape.polyhedron
  const thick: number[] = []
  for (let i = 0; i < vertices.length; i += 3) {
    for (let corner = 0; corner < 8; corner++)
      for (let k = 0; k < 3; k++) thick.push(vertices[i + k] + ((corner >> k) & 1 ? THIN : -THIN))
  }
  return { type: 'hull', polyhedron: hullOf(Float64Array.from(thick), thick.length) }
}
