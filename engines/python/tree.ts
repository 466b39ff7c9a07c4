/**
 * A world's mechanism as a tree of bodies in JSON, for engines in other processes. Units are SI, quaternions x, y, z, w; a body's origin is
 * that of its joint, whose axes at zero are its own.
 */
import type { PlacedShape, Shape } from '../../contact/geometry/index.ts'
import {
  JointType,
  type Model,
  quaternionOfRotation,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
} from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'
import { type EngineScene, UnsupportedScene } from '../engine.ts'
import { givenBodies } from '../prescribed.ts'
import { type Combining, surfacesBy } from '../surfaces.ts'

export interface TreeBody {
  readonly name: string
  /** Index of `bodies`; -1 is the world. */
  readonly parent: number
  /** Its origin in the parent's axes where its joint is at zero. */
  readonly position: readonly number[]
  readonly quaternion: readonly number[]
  readonly joint: TreeJoint
  readonly mass: number
  /** In its own axes; the inertia about it: xx, yy, zz, xy, xz, yz. */
  readonly center: readonly number[]
  readonly inertia: readonly number[]
  /** Its motion is prescribed: its pose comes with each step. Its joint floats. */
  readonly given: boolean
  readonly shapes: readonly TreeShape[]
}

export type TreeJoint = Readonly<ReturnType<typeof jointOf>>

export interface TreeShape {
  /** Counts the shapes of all bodies, then those of the world. */
  readonly index: number
  readonly position: readonly number[]
  readonly quaternion: readonly number[]
  /** As in `Shape`; hulls and meshes have `points` (3 each) and `triangles` of their faces, height fields `heights`. */
  readonly shape: Readonly<Record<string, unknown>> & { readonly type: Shape['type'] }
  /** So that the engine's own rule of combining gives those of each pair. */
  readonly friction: number
  readonly restitution: number
}

/**
 * The state in q and v: floating joints have position and quaternion of the body's origin in the world, and angular velocity and velocity of
 * its origin, both in world axes. Efforts are as v: of a floating joint moment about its origin and force, in world axes.
 */
export interface TreeScene {
  readonly nq: number
  readonly nv: number
  readonly dt: number
  readonly gravity: readonly number[]
  readonly bodies: readonly TreeBody[]
  readonly fixtures: readonly TreeShape[]
  /** Pairs of shapes of two bodies that never meet, that of the lower body first; and which of them do so although others of their two bodies meet. */
  readonly apart: readonly (readonly [number, number])[]
  readonly alone: readonly number[]
  /** Points of two bodies (-1: the world) held together. */
  readonly loops: readonly {
    readonly a: number
    readonly b: number
    readonly pointA: readonly number[]
    readonly pointB: readonly number[]
  }[]
  readonly q: readonly number[]
  readonly v: readonly number[]
}

/** How the engine makes a pair's surface of two shapes' */
export interface SurfaceRules {
  readonly friction: Combining
  readonly restitution: Combining
}

/** @param lacks gets phrases on surfaces that differ. @throws UnsupportedScene */
export function treeScene(scene: EngineScene, rules: SurfaceRules, lacks: string[]): TreeScene {
  const { world } = scene
  const { model, state, dt } = world
  const { placed } = world.touching
  const given = new Set(givenBodies(scene).map(({ body }) => body))
  const surfaces = {
    friction: surfacesBy(world, 'friction', rules.friction, lacks),
    restitution: surfacesBy(world, 'restitution', rules.restitution, lacks),
  }
  const told = placed.map((shape, index) => ({
    index,
    ...placeOf(shape.R, shape.p),
    shape: shapeOf(shape.shape),
    friction: surfaces.friction[index],
    restitution: surfaces.restitution[index],
  }))
  const [q, v] = [Float64Array.from(state.q), Float64Array.from(state.v)]
  toWorldAxes(model, q, v, v)
  return {
    nq: model.nq,
    nv: model.nv,
    dt,
    gravity: [...model.gravity.subarray(3)],
    bodies: Array.from({ length: model.nb - 1 }, (_, k) => ({
      ...bodyOf(model, k + 1, given.has(k + 1)),
      shapes: told.filter((_, s) => placed[s].body === k + 1),
    })),
    fixtures: told.filter((_, s) => placed[s].body === 0),
    ...keptApart(world, placed),
    loops: world.loops.map(({ kind, bodyA, bodyB, pointA, pointB }) => {
      if (kind !== 'point') throw new UnsupportedScene(`loops closed by a ${kind}`)
      return { a: bodyA - 1, b: bodyB - 1, pointA: [...pointA], pointB: [...pointB] }
    }),
    q: [...q],
    v: [...v],
  }
}

/** Velocities or efforts of floating joints into world axes, from the body's. */
export const toWorldAxes = (model: Model, q: Float64Array, x: Float64Array, out: Float64Array): void =>
  turn(model, q, x, out, rotate3)
/** And back. */
export const toOwnAxes = (model: Model, q: Float64Array, x: Float64Array, out: Float64Array): void =>
  turn(model, q, x, out, rotateTransposed3)

const R = new Float64Array(9)
const [angular, linear] = [new Float64Array(3), new Float64Array(3)]
function turn(
  { nb, jointType, qStart, vStart }: Model,
  q: Float64Array,
  x: Float64Array,
  out: Float64Array,
  by: typeof rotate3,
): void {
  if (out !== x) out.set(x)
  for (let i = 1; i < nb; i++) {
    if (jointType[i] !== JointType.floating) continue
    rotationOfQuaternion(R, q, qStart[i] + 3)
    const k = vStart[i]
    by(angular, R, x.subarray(k, k + 3))
    by(linear, R, x.subarray(k + 3, k + 6))
    out.set(angular, k)
    out.set(linear, k + 3)
  }
}

const kinds: Readonly<Partial<Record<JointType, 'fixed' | 'revolute' | 'prismatic' | 'floating'>>> = {
  [JointType.fixed]: 'fixed',
  [JointType.revolute]: 'revolute',
  [JointType.prismatic]: 'prismatic',
  [JointType.floating]: 'floating',
}

function bodyOf(model: Model, i: number, given: boolean): Omit<TreeBody, 'shapes'> {
  const X = model.XT[i]
  const [m, hx, hy, hz, xx, yy, zz, xy, xz, yz] = model.I[i]
  const [x, y, z] = m > 0 ? [hx / m, hy / m, hz / m] : [0, 0, 0]
  const E = X.subarray(0, 9)
  const back = Float64Array.of(E[0], E[3], E[6], E[1], E[4], E[7], E[2], E[5], E[8])
  return {
    name: model.bodyName[i],
    parent: model.parent[i] - 1,
    ...placeOf(back, X.subarray(9, 12)),
    joint: jointOf(model, i),
    mass: m,
    center: [x, y, z],
    inertia: [
      ...[xx - m * (y * y + z * z), yy - m * (x * x + z * z), zz - m * (x * x + y * y)],
      ...[xy + m * x * y, xz + m * x * z, yz + m * y * z],
    ],
    given,
  }
}

function jointOf(model: Model, i: number) {
  const kind = kinds[model.jointType[i] as JointType]
  if (kind === undefined)
    throw new UnsupportedScene(model.jointType[i] === JointType.mocap ? 'mocap bodies' : 'planar or spherical joints')
  if (kind === 'floating' && model.parent[i] !== 0) throw new UnsupportedScene('floating joints between two bodies')
  const lead = model.follows[i]
  const k = kind === 'fixed' || kind === 'floating' || lead >= 0 ? -1 : model.vStart[i]
  const of = (values: Float64Array, none = 0) => (k < 0 ? none : values[k])
  const bound = (x: number) => (Number.isFinite(x) ? x : null)
  return {
    kind,
    name: model.jointName[i],
    axis: [...model.jointAxis.subarray(3 * i, 3 * i + 3)],
    /** Its first numbers in q and v: 1 and 1, of a floating joint 7 and 6; -1 of a joint that follows another. */
    q: lead >= 0 || kind === 'fixed' ? -1 : model.qStart[i],
    v: lead >= 0 || kind === 'fixed' ? -1 : model.vStart[i],
    /** null where there is none. */
    lower: bound(of(model.lower, -Infinity)),
    upper: bound(of(model.upper, Infinity)),
    damping: of(model.damping),
    friction: of(model.friction),
    armature: of(model.armature),
    stiffness: of(model.stiffness),
    springReference: of(model.springReference),
    /** Position = ratio times that of the joint of another body, plus offset. */
    follows: lead < 0 ? null : { body: lead - 1, ratio: model.multiplier[i], offset: model.offset[i] },
  }
}

function placeOf(rotation: Float64Array, p: ArrayLike<number>) {
  const quaternion = new Float64Array(4)
  quaternionOfRotation(quaternion, 0, rotation)
  return { position: Array.from(p), quaternion: [...quaternion] }
}

/** In place of a ball of no radius, which some engines refuse and others have touch the ground wherever it is [m]. */
const LEAST_RADIUS = 1e-6

function shapeOf(shape: Shape): TreeShape['shape'] {
  switch (shape.type) {
    case 'sphere':
      return { type: 'sphere', radius: Math.max(shape.radius, LEAST_RADIUS) }
    case 'capsule':
      return shape.length > 0 ? { ...shape } : shapeOf({ type: 'sphere', radius: shape.radius })
    case 'hull':
      return { type: 'hull', points: [...shape.polyhedron.vertices], triangles: shape.polyhedron.faces.flatMap(fan) }
    case 'mesh':
      return { type: 'mesh', points: [...shape.mesh.vertices], triangles: [...shape.mesh.triangles] }
    case 'heightfield':
      return { ...shape, heights: [...shape.heights] }
    default:
      return { ...shape }
  }
}

/** Triangles of a convex face. */
const fan = (loop: Int32Array): number[] => Array.from(loop.subarray(2), (last, k) => [loop[0], loop[k + 1], last]).flat()

/** Shapes that never meet although nothing but a rule keeps them apart; `alone` where others of the two bodies do. */
function keptApart({ pairs }: World, placed: readonly PlacedShape[]): Pick<TreeScene, 'apart' | 'alone'> {
  const between = new Map<string, { meets: boolean; kept: [number, number][] }>()
  for (let b = 0; b < placed.length; b++)
    for (let a = 0; a < b; a++) {
      if (placed[a].body === placed[b].body) continue
      const pair: [number, number] = placed[a].body < placed[b].body ? [a, b] : [b, a]
      const key = pair.map((s) => placed[s].body).join(' ')
      const one = between.get(key) ?? { meets: false, kept: [] }
      between.set(key, one)
      if (pairs.allows(a, b)) one.meets = true
      else one.kept.push(pair)
    }
  const keptIf = (some: boolean) => [...between.values()].flatMap(({ meets, kept }) => (meets === some ? kept : []))
  return { apart: [...keptIf(false), ...keptIf(true)], alone: [...new Set(keptIf(true).flat())] }
}
