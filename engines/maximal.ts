/**
 * A world's mechanism for engines that know bodies and joints between pairs of them, not a tree: every body by itself, its origin in its centre
 * of mass, its axes those that it has in the world where all joints but floating ones are at zero. So the axis of a joint is one vector for both of its bodies.
 */
import type { PlacedShape } from '../contact/geometry/index.ts'
import {
  createData,
  createState,
  dot,
  JointType,
  kinematics,
  mulMatrix3,
  passiveForces,
  quaternionOfRotation,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
  type State,
  transposed3,
  velocities,
} from '../dynamics/index.ts'
import { eigenSymmetric3 } from '../robots/index.ts'
import { type Engine, type EngineScene, UnsupportedScene } from './engine.ts'
import { lacksOf } from './lacks.ts'
import { type GivenBody, givenBodies } from './prescribed.ts'
import { surfacesBy } from './surfaces.ts'

/** A body of the scene. Index k is body k + 1 of the model. */
export interface MaximalBody {
  readonly name: string
  /** [kg]; 0: its motion is prescribed. */
  readonly mass: number
  /** About the centre of mass, in its axes: xx, yy, zz, xy, xz, yz [kg m²]. */
  readonly inertia: readonly [number, number, number, number, number, number]
  /** 7: centre of mass [m], quaternion x, y, z, w. */
  readonly pose: Float64Array
  /** 6: angular, then linear velocity of the centre of mass, in world axes. */
  readonly velocity: Float64Array
  /** Placed from the centre of mass, in these axes; friction and restitution are always stated. */
  readonly shapes: readonly MaximalShape[]
}

export type MaximalShape = PlacedShape & { readonly friction: number; readonly restitution: number }

export interface MaximalJoint {
  readonly name: string
  readonly kind: 'revolute' | 'prismatic' | 'fixed' | 'point'
  /** Indices of `bodies`; -1 is the world. */
  readonly a: number
  readonly b: number
  /** 3: where it is, from the centre of mass of either body in its axes (of the world: in the world's) [m]. */
  readonly anchorA: Float64Array
  readonly anchorB: Float64Array
  /** 3: unit axis, the same in both bodies' axes. */
  readonly axis: Float64Array
  readonly lower: number
  readonly upper: number
}

export type MaximalScene = Readonly<ReturnType<typeof maximalScene>>

/** A scene for the adapter of such an engine. Arrays are as in `MaximalBody`. */
export interface MaximalEngine {
  readonly lacks: readonly string[]
  /** @param wrenches 6 a body: moment and force on its centre of mass over the step, in world axes, gravity left out [N m, N] */
  step(wrenches: Float64Array): void
  /** Writes 7 and 6 a body. */
  read(poses: Float64Array, velocities: Float64Array): void
  /** Puts a body whose motion is prescribed where it is at the start of a step, with its velocity over it. */
  place(body: number, pose: Float64Array, velocity: Float64Array): void
  contacts(): number
  delete(): void
}

/** What an engine of this kind has, or states itself that it has not. */
const expressed = new Set(['joint limits', 'damping by powers of the speed', 'restitution'])

/** Makes an engine of one that knows bodies and joints. */
export function ofMaximal(scene: EngineScene, make: (scene: MaximalScene) => MaximalEngine): Engine {
  return new Maximal(scene, make)
}

/** Principal moments, and the quaternion from principal axes into the body's. */
export function principalAxes(inertia: MaximalBody['inertia']): { readonly values: Float64Array; readonly turn: Float64Array } {
  const { values, vectors } = eigenSymmetric3(inertia)
  const R = Float64Array.from(vectors)
  const det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) + R[2] * (R[3] * R[7] - R[4] * R[6])
  if (det < 0) for (const k of [2, 5, 8]) R[k] = -R[k]
  const turn = new Float64Array(4)
  quaternionOfRotation(turn, 0, R)
  return { values: Float64Array.from(values), turn }
}

class Maximal implements Engine {
  readonly lacks: readonly string[]
  private readonly engine: MaximalEngine
  private readonly scene: EngineScene
  private readonly given: readonly GivenBody[]
  private readonly frames: readonly BodyFrame[]
  private readonly poses: Float64Array
  private readonly velocities: Float64Array
  private readonly wrenches: Float64Array
  private readonly state: State
  private readonly efforts: Float64Array

  constructor(scene: EngineScene, make: (scene: MaximalScene) => MaximalEngine) {
    const { model } = scene.world
    this.scene = scene
    this.given = givenBodies(scene)
    this.frames = framesOf(scene)
    this.poses = new Float64Array(7 * (model.nb - 1))
    this.velocities = new Float64Array(6 * (model.nb - 1))
    this.wrenches = new Float64Array(6 * (model.nb - 1))
    this.state = createState(model)
    this.efforts = new Float64Array(model.nv)
    this.engine = make(maximalScene(scene, this.frames, this.given))
    this.lacks = [...this.engine.lacks, ...lacksOf(scene.world, expressed)]
    this.read(this.state)
  }

  step(tau: Float64Array): void {
    const { given, scene, engine, wrenches, state, efforts } = this
    const { model } = scene.world
    for (const one of given) {
      one.next()
      engine.place(one.body - 1, one.pose, one.velocity)
    }
    passiveForces(model, state, efforts)
    for (let k = 0; k < model.nv; k++) efforts[k] += tau[k]
    wrenches.fill(0)
    this.addEfforts(efforts)
    engine.step(wrenches)
    this.read(state)
  }

  read(state: State): void {
    this.engine.read(this.poses, this.velocities)
    this.coordinates(state)
    for (const one of this.given) one.write(state)
  }

  contacts(): number {
    return this.engine.contacts()
  }

  delete(): void {
    this.engine.delete()
  }

  /** Efforts of joints as pairs of wrenches on the bodies that they join. */
  private addEfforts(efforts: Float64Array): void {
    const { scene, frames, wrenches } = this
    const { model } = scene.world
    const axis = new Float64Array(3)
    for (let i = 1; i < model.nb; i++) {
      const type = model.jointType[i]
      if (type !== JointType.revolute && type !== JointType.prismatic) continue
      const effort = efforts[model.vStart[i]]
      rotate3(axis, frames[i].R, model.jointAxis.subarray(3 * i, 3 * i + 3))
      const parent = model.parent[i]
      for (let k = 0; k < 3; k++) {
        const at = type === JointType.revolute ? k : 3 + k
        wrenches[6 * (i - 1) + at] += effort * axis[k]
        if (parent > 0) wrenches[6 * (parent - 1) + at] -= effort * axis[k]
      }
      if (type !== JointType.prismatic) continue
      // the force acts at the origin of the child, for both
      addMoment(wrenches, i, 1, frames[i].p, frames[i].center, axis, effort)
      if (parent > 0) addMoment(wrenches, parent, -1, frames[i].p, frames[parent].center, axis, effort)
    }
  }

  /** From poses of the bodies to coordinates of the joints. */
  private coordinates({ q, v }: State): void {
    const { scene, frames, poses, velocities } = this
    const { model } = scene.world
    for (let i = 1; i < model.nb; i++) frames[i].set(poses, velocities, i - 1)
    const turn = new Float64Array(9)
    const joint = new Float64Array(9)
    const quaternion = new Float64Array(4)
    const offset = new Float64Array(3)
    const local = new Float64Array(3)
    for (let i = 1; i < model.nb; i++) {
      const child = frames[i]
      const parent = frames[model.parent[i]]
      const [at, from] = [model.qStart[i], model.vStart[i]]
      switch (model.jointType[i]) {
        case JointType.floating: {
          q.set(child.p, at)
          quaternionOfRotation(q, at + 3, child.R)
          rotateTransposed3(local, child.R, child.w)
          v.set(local, from)
          rotateTransposed3(local, child.R, child.u)
          v.set(local, from + 3)
          break
        }
        case JointType.revolute: {
          const axis = model.jointAxis.subarray(3 * i, 3 * i + 3)
          // the joint's axes in the world, then the child's in these
          mulMatrix3(joint, parent.R, transposed3(model.XT[i]))
          mulMatrix3(turn, transposed3(joint), child.R)
          quaternionOfRotation(quaternion, 0, turn)
          const angle = 2 * Math.atan2(dot(axis, quaternion), quaternion[3])
          // the turn nearest to where it was
          q[at] = angle + 2 * Math.PI * Math.round((q[at] - angle) / (2 * Math.PI))
          for (let k = 0; k < 3; k++) offset[k] = child.w[k] - parent.w[k]
          rotateTransposed3(local, child.R, offset)
          v[from] = dot(local, axis)
          break
        }
        case JointType.prismatic: {
          const axis = model.jointAxis.subarray(3 * i, 3 * i + 3)
          rotate3(offset, parent.R, model.XT[i].subarray(9, 12))
          for (let k = 0; k < 3; k++) offset[k] = child.p[k] - parent.p[k] - offset[k]
          rotateTransposed3(local, child.R, offset)
          q[at] = dot(local, axis)
          const { w, u, p } = parent
          const [x, y, z] = [child.p[0] - p[0], child.p[1] - p[1], child.p[2] - p[2]]
          offset[0] = child.u[0] - u[0] - (w[1] * z - w[2] * y)
          offset[1] = child.u[1] - u[1] - (w[2] * x - w[0] * z)
          offset[2] = child.u[2] - u[2] - (w[0] * y - w[1] * x)
          rotateTransposed3(local, child.R, offset)
          v[from] = dot(local, axis)
          break
        }
      }
    }
  }
}

/** Where a body's own axes are. */
class BodyFrame {
  /** Own axes, origin and centre of mass in the world; angular velocity, and linear of the origin, in world axes. */
  readonly R = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
  readonly p = new Float64Array(3)
  readonly center = new Float64Array(3)
  readonly w = new Float64Array(3)
  readonly u = new Float64Array(3)
  /** 9: the axes that the engine has for it, in its own: R = (engine's) Z. */
  readonly Z: Float64Array
  /** 3: centre of mass in its own axes. */
  readonly c: Float64Array
  private readonly Q = new Float64Array(9)
  private readonly arm = new Float64Array(3)

  constructor(Z: Float64Array, c: Float64Array) {
    this.Z = Z
    this.c = c
  }

  /** From the engine's report. */
  set(poses: Float64Array, velocities: Float64Array, k: number): void {
    const { R, p, center, w, u, Z, c, Q, arm } = this
    rotationOfQuaternion(Q, poses, 7 * k + 3)
    mulMatrix3(R, Q, Z)
    rotate3(arm, R, c)
    for (let d = 0; d < 3; d++) {
      center[d] = poses[7 * k + d]
      p[d] = center[d] - arm[d]
      w[d] = velocities[6 * k + d]
    }
    u[0] = velocities[6 * k + 3] - (w[1] * arm[2] - w[2] * arm[1])
    u[1] = velocities[6 * k + 4] - (w[2] * arm[0] - w[0] * arm[2])
    u[2] = velocities[6 * k + 5] - (w[0] * arm[1] - w[1] * arm[0])
  }
}

function framesOf({ world }: EngineScene): BodyFrame[] {
  const { model } = world
  const frames = [new BodyFrame(identity(), new Float64Array(3))]
  for (let i = 1; i < model.nb; i++) {
    const type = model.jointType[i]
    if (model.follows[i] >= 0) throw new UnsupportedScene('joints that follow others')
    if (type === JointType.mocap) throw new UnsupportedScene('mocap bodies')
    if (type === JointType.planar || type === JointType.spherical)
      throw new UnsupportedScene(`${type === JointType.planar ? 'planar' : 'spherical'} joints`)
    const [m, x, y, z] = model.I[i]
    const Z = identity()
    if (type !== JointType.floating) mulMatrix3(Z, frames[model.parent[i]].Z, transposed3(model.XT[i]))
    frames.push(new BodyFrame(Z, m > 0 ? Float64Array.of(x / m, y / m, z / m) : new Float64Array(3)))
  }
  return frames
}

function maximalScene(scene: EngineScene, frames: readonly BodyFrame[], given: readonly GivenBody[]) {
  const { world } = scene
  const { model, state, loops, dt } = world
  const { placed } = world.touching
  const data = createData(model)
  kinematics(model, state, data)
  velocities(model, state, data)
  const [friction, restitution] = [surfacesBy(world, 'friction', 'min'), surfacesBy(world, 'restitution', 'max')]
  const own = (k: number) => ({ friction: friction[k], restitution: restitution[k] })
  const bodies = Array.from({ length: model.nb - 1 }, (_, k): MaximalBody => {
    const i = k + 1
    const [R, p] = [data.R_WB[i], data.p_WB[i]]
    const { Z, c } = frames[i]
    const prescribed = given.find(({ body }) => body === i)
    if (model.I[i][0] === 0 && !prescribed) throw new UnsupportedScene('bodies without mass')
    const [pose, Q] = [new Float64Array(7), new Float64Array(9)]
    rotate3(pose, R, c)
    for (let d = 0; d < 3; d++) pose[d] += p[d]
    mulMatrix3(Q, R, transposed3(Z))
    quaternionOfRotation(pose, 3, Q)
    const [w, u, arm] = [new Float64Array(3), new Float64Array(3), new Float64Array(3)]
    rotate3(w, R, data.V[i].subarray(0, 3))
    rotate3(u, R, data.V[i].subarray(3, 6))
    rotate3(arm, R, c)
    const velocity = Float64Array.of(
      ...w,
      u[0] + w[1] * arm[2] - w[2] * arm[1],
      u[1] + w[2] * arm[0] - w[0] * arm[2],
      u[2] + w[0] * arm[1] - w[1] * arm[0],
    )
    return {
      name: model.bodyName[i],
      mass: model.I[i][0],
      inertia: centralInertia(model.I[i], c, Z),
      pose: prescribed?.pose ?? pose,
      velocity: prescribed?.velocity ?? velocity,
      shapes: placed.flatMap((shape, s) => (shape.body === i ? [{ ...seated(shape, Z, c), ...own(s) }] : [])),
    }
  })
  const joints: MaximalJoint[] = []
  for (let i = 1; i < model.nb; i++) {
    const type = model.jointType[i]
    if (type === JointType.floating) continue
    const parent = model.parent[i]
    const axis = new Float64Array(3)
    rotate3(axis, frames[i].Z, model.jointAxis.subarray(3 * i, 3 * i + 3))
    const moves = type !== JointType.fixed
    joints.push({
      name: model.jointName[i],
      kind: type === JointType.revolute ? 'revolute' : type === JointType.prismatic ? 'prismatic' : 'fixed',
      a: parent - 1,
      b: i - 1,
      anchorA: inEngineAxes(frames[parent], model.XT[i].subarray(9, 12)),
      anchorB: inEngineAxes(frames[i], new Float64Array(3)),
      axis,
      lower: moves ? model.lower[model.vStart[i]] : 0,
      upper: moves ? model.upper[model.vStart[i]] : 0,
    })
  }
  for (const { name, kind, bodyA, bodyB, pointA, pointB } of loops) {
    if (kind !== 'point') throw new UnsupportedScene(`loops closed by a ${kind}`)
    const ends = [
      { body: bodyA, point: pointA },
      { body: bodyB, point: pointB },
    ].sort((a, b) => a.body - b.body) // the world is the first of two
    const [a, b] = ends.map(({ body, point }) => inEngineAxes(frames[body], Float64Array.from(point)))
    joints.push({
      name,
      kind: 'point',
      a: ends[0].body - 1,
      b: ends[1].body - 1,
      anchorA: a,
      anchorB: b,
      axis: Float64Array.of(0, 0, 1),
      lower: -Infinity,
      upper: Infinity,
    })
  }
  const meets = meetingsOf(world)
  const [, , , x, y, z] = model.gravity
  return {
    bodies,
    joints,
    fixtures: placed.flatMap((shape, s) => (shape.body === 0 ? [{ ...shape, ...own(s) }] : [])),
    /** [m/s²] */
    gravity: [x, y, z],
    /** [s] */
    dt,
    /** Whether bodies a and b may touch. */
    meet: (a: number, b: number) => meets.has(keyOf(a, b)),
  }
}

/** Pairs of bodies of which two shapes may touch. */
function meetingsOf({ pairs, touching: { placed } }: EngineScene['world']) {
  const meets = new Set<string>()
  placed.forEach((b, s) => {
    for (let r = 0; r < s; r++) if (pairs.allows(r, s)) meets.add(keyOf(placed[r].body - 1, b.body - 1))
  })
  return meets
}

const keyOf = (a: number, b: number) => (a < b ? `${a} ${b}` : `${b} ${a}`)

function seated(shape: PlacedShape, Z: Float64Array, c: Float64Array): PlacedShape {
  const R = new Float64Array(9)
  mulMatrix3(R, Z, shape.R)
  const p = Float64Array.from(shape.p, (x, k) => x - c[k])
  const turned = new Float64Array(3)
  rotate3(turned, Z, p)
  return { ...shape, R, p: turned }
}

/** A point of a body from its centre of mass, in the engine's axes. */
function inEngineAxes({ Z, c }: BodyFrame, point: Float64Array): Float64Array {
  const out = new Float64Array(3)
  rotate3(
    out,
    Z,
    point.map((x, k) => x - c[k]),
  )
  return out
}

/** Inertia about the origin in own axes (layout of `Model.I`) as one about the centre of mass, in the engine's axes. */
function centralInertia(I: Float64Array, [x, y, z]: Float64Array, Z: Float64Array): MaximalBody['inertia'] {
  const m = I[0]
  const [xx, yy, zz] = [I[4] - m * (y * y + z * z), I[5] - m * (x * x + z * z), I[6] - m * (x * x + y * y)]
  const [xy, xz, yz] = [I[7] + m * x * y, I[8] + m * x * z, I[9] + m * y * z]
  const A = Float64Array.of(xx, xy, xz, xy, yy, yz, xz, yz, zz)
  mulMatrix3(A, Z, A)
  mulMatrix3(A, A, transposed3(Z))
  return [A[0], A[4], A[8], A[1], A[2], A[5]]
}

function addMoment(
  wrenches: Float64Array,
  body: number,
  sign: number,
  at: Float64Array,
  center: Float64Array,
  axis: Float64Array,
  force: number,
): void {
  const [x, y, z] = [at[0] - center[0], at[1] - center[1], at[2] - center[2]]
  const o = 6 * (body - 1)
  const f = sign * force
  wrenches[o] += f * (y * axis[2] - z * axis[1])
  wrenches[o + 1] += f * (z * axis[0] - x * axis[2])
  wrenches[o + 2] += f * (x * axis[1] - y * axis[0])
}

const identity = () => Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
