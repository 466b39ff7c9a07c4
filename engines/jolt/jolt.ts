import init from 'jolt-physics/wasm-compat'
import { mulQuaternion, quaternionOfRotation, rotate3 } from '../../dynamics/index.ts'
import { type EngineAdapter, UnsupportedScene } from '../engine.ts'
import {
  type MaximalBody,
  type MaximalEngine,
  type MaximalJoint,
  type MaximalScene,
  type MaximalShape,
  ofMaximal,
} from '../maximal.ts'
import { npmVersion } from '../npm.ts'

type Jolt = Awaited<ReturnType<typeof init>>
type Body = InstanceType<Jolt['Body']>
type Shape = InstanceType<Jolt['Shape']>
type Surface = Pick<MaximalShape, 'friction' | 'restitution'>

/** A quarter turn about x: its capsules and cylinders stand along y. */
const upright = Float64Array.of(Math.SQRT1_2, 0, 0, Math.SQRT1_2)
/** Object layers: static bodies, moving bodies, and bodies that collide with nothing. */
const [FIXED, MOVING, NOTHING] = [0, 1, 2] as const
const layers = 3

let loading: Promise<Jolt> | undefined

/** Jolt, single precision. */
export const adapters: readonly EngineAdapter[] = [
  {
    name: 'Jolt',
    packageName: 'jolt-physics',
    version: npmVersion('jolt-physics'),
    settings:
      'as it comes: 10 velocity and 2 position iterations, 2 cm of slop, no restitution below 1 m/s; edges are sharp, gyroscopic forces on, its damping of bodies and its limit of spin left out; contacts of a body with several surfaces are not merged; bodies do not sleep',
    async load() {
      loading ??= init()
      const jolt = await loading
      return (scene) => ofMaximal(scene, (maximal) => new JoltScene(jolt, maximal))
    },
  },
]

class JoltScene implements MaximalEngine {
  readonly lacks: readonly string[] = []
  private readonly jolt: Jolt
  private readonly engine: InstanceType<Jolt['JoltInterface']>
  private readonly bodies: readonly Body[]
  private readonly kinematic: readonly boolean[]
  private readonly dt: number
  /** Of all shapes: each knows its own by the index here, which is its user data. */
  private readonly surfaces: Surface[] = []
  /** Objects that Jolt copies and does not free: needed until the scene is built. */
  private readonly passing: object[] = []
  private readonly listener: InstanceType<Jolt['ContactListenerJS']>
  private readonly v: InstanceType<Jolt['Vec3']>
  private readonly w: InstanceType<Jolt['Vec3']>
  private readonly at: InstanceType<Jolt['RVec3']>
  private readonly turn: InstanceType<Jolt['Quat']>
  private touching = 0

  constructor(jolt: Jolt, scene: MaximalScene) {
    const { bodies, fixtures, gravity, dt } = scene
    this.jolt = jolt
    this.dt = dt
    this.v = new jolt.Vec3(...gravity)
    this.w = new jolt.Vec3(0, 0, 0)
    this.at = new jolt.RVec3(0, 0, 0)
    this.turn = new jolt.Quat(0, 0, 0, 1)
    this.engine = this.createEngine(2 * (bodies.length + fixtures.length) + 16)
    this.engine.GetPhysicsSystem().SetGravity(this.v)
    this.listener = this.listen()
    this.kinematic = bodies.map(({ mass }) => mass === 0)
    try {
      this.bodies = this.build(scene)
    } catch (error) {
      this.delete()
      throw error
    } finally {
      for (const one of this.passing.splice(0)) jolt.destroy(one)
    }
  }

  private build({ bodies, joints, fixtures, meet }: MaximalScene): Body[] {
    const { jolt } = this
    for (const fixture of fixtures) this.add(this.shapeOf([fixture]), { motion: jolt.EMotionType_Static, layer: FIXED })
    const filter = new jolt.GroupFilterTable(bodies.length)
    for (let a = 0; a < bodies.length; a++) for (let b = 0; b < a; b++) if (!meet(a, b)) filter.DisableCollision(a, b)
    const made = bodies.map((body, k) => this.bodyOf(body, this.pass(new jolt.CollisionGroup(filter, 0, k))))
    const speck = new jolt.SphereShape(1e-3)
    const ground = this.add(speck, { motion: jolt.EMotionType_Static, layer: NOTHING })
    const system = this.engine.GetPhysicsSystem()
    for (const joint of joints)
      system.AddConstraint(this.constraintOf(joint, joint.a < 0 ? ground : made[joint.a], made[joint.b]))
    return made
  }

  step(wrenches: Float64Array): void {
    const { bodies, kinematic, v } = this
    bodies.forEach((body, k) => {
      if (kinematic[k]) return
      v.Set(wrenches[6 * k], wrenches[6 * k + 1], wrenches[6 * k + 2])
      body.AddTorque(v)
      v.Set(wrenches[6 * k + 3], wrenches[6 * k + 4], wrenches[6 * k + 5])
      body.AddForce(v)
    })
    this.touching = 0
    this.engine.Step(this.dt, 1)
  }

  read(poses: Float64Array, velocities: Float64Array): void {
    this.bodies.forEach((body, k) => {
      const p = body.GetCenterOfMassPosition()
      poses.set([p.GetX(), p.GetY(), p.GetZ()], 7 * k)
      const q = body.GetRotation()
      poses.set([q.GetX(), q.GetY(), q.GetZ(), q.GetW()], 7 * k + 3)
      const w = body.GetAngularVelocity()
      velocities.set([w.GetX(), w.GetY(), w.GetZ()], 6 * k)
      const u = body.GetLinearVelocity()
      velocities.set([u.GetX(), u.GetY(), u.GetZ()], 6 * k + 3)
    })
  }

  place(k: number, pose: Float64Array, velocity: Float64Array): void {
    const { jolt, engine, v, w, at, turn } = this
    const id = this.bodies[k].GetID()
    at.Set(pose[0], pose[1], pose[2])
    turn.Set(pose[3], pose[4], pose[5], pose[6])
    w.Set(velocity[0], velocity[1], velocity[2])
    v.Set(velocity[3], velocity[4], velocity[5])
    const bodies = engine.GetPhysicsSystem().GetBodyInterface()
    bodies.SetPositionAndRotation(id, at, turn, jolt.EActivation_Activate)
    bodies.SetLinearAndAngularVelocity(id, v, w)
  }

  contacts(): number {
    return this.touching
  }

  delete(): void {
    const { jolt, engine, listener, v, w, at, turn } = this
    for (const one of [engine, listener, v, w, at, turn]) jolt.destroy(one)
  }

  private pass<T extends object>(made: T): T {
    this.passing.push(made)
    return made
  }

  private vector([x, y, z]: ArrayLike<number> & Iterable<number>) {
    return this.pass(new this.jolt.Vec3(x, y, z))
  }

  private place3([x, y, z]: ArrayLike<number> & Iterable<number>) {
    return this.pass(new this.jolt.RVec3(x, y, z))
  }

  private quaternion(q: Float64Array, at = 0) {
    return this.pass(new this.jolt.Quat(q[at], q[at + 1], q[at + 2], q[at + 3]))
  }

  private createEngine(most: number): InstanceType<Jolt['JoltInterface']> {
    const { jolt } = this
    const settings = new jolt.JoltSettings()
    settings.mMaxWorkerThreads = 0
    settings.mMaxBodies = most
    settings.mMaxBodyPairs = 16 * most + 1024
    settings.mMaxContactConstraints = 16 * most + 1024
    const pairs = new jolt.ObjectLayerPairFilterTable(layers)
    pairs.EnableCollision(FIXED, MOVING)
    pairs.EnableCollision(MOVING, MOVING)
    const broad = new jolt.BroadPhaseLayerInterfaceTable(layers, layers)
    for (let layer = 0; layer < layers; layer++)
      broad.MapObjectToBroadPhaseLayer(layer, this.pass(new jolt.BroadPhaseLayer(layer)))
    settings.mObjectLayerPairFilter = pairs
    settings.mBroadPhaseLayerInterface = broad
    settings.mObjectVsBroadPhaseLayerFilter = new jolt.ObjectVsBroadPhaseLayerFilterTable(broad, layers, pairs, layers)
    const engine = new jolt.JoltInterface(settings)
    jolt.destroy(settings)
    return engine
  }

  /** Counts contacts, and takes the smaller friction and the larger restitution of the two shapes. */
  private listen() {
    const { jolt, surfaces } = this
    const listener = new jolt.ContactListenerJS()
    listener.OnContactValidate = () => jolt.ValidateResult_AcceptAllContactsForThisBodyPair
    const touch = (a: number, b: number, manifold: number, settings: number) => {
      this.touching++
      const { mSubShapeID1, mSubShapeID2 } = jolt.wrapPointer(manifold, jolt.ContactManifold)
      const one = surfaces[jolt.wrapPointer(a, jolt.Body).GetShape().GetSubShapeUserData(mSubShapeID1)]
      const other = surfaces[jolt.wrapPointer(b, jolt.Body).GetShape().GetSubShapeUserData(mSubShapeID2)]
      const contact = jolt.wrapPointer(settings, jolt.ContactSettings)
      contact.mCombinedFriction = Math.min(one.friction, other.friction)
      contact.mCombinedRestitution = Math.max(one.restitution, other.restitution)
    }
    listener.OnContactAdded = touch
    listener.OnContactPersisted = touch
    listener.OnContactRemoved = () => {}
    this.engine.GetPhysicsSystem().SetContactListener(listener)
    return listener
  }

  private bodyOf({ mass, inertia, pose, velocity, shapes }: MaximalBody, group: InstanceType<Jolt['CollisionGroup']>): Body {
    const { jolt } = this
    const [first] = shapes
    const isFree = mass > 0
    return this.add(first === undefined ? new jolt.SphereShape(1e-3) : this.shapeOf(shapes), {
      motion: isFree ? jolt.EMotionType_Dynamic : jolt.EMotionType_Kinematic,
      layer: first === undefined ? NOTHING : MOVING,
      tune: (settings) => {
        settings.mPosition = this.place3(pose)
        settings.mRotation = this.quaternion(pose, 3)
        settings.mAngularVelocity = this.vector(velocity)
        settings.mLinearVelocity = this.vector(velocity.subarray(3))
        settings.mCollisionGroup = group
        settings.mCollideKinematicVsNonDynamic = false
        // contacts of several shapes that are merged would all have the surface of the deepest
        settings.mUseManifoldReduction = shapes.every(
          ({ friction, restitution }) => friction === first.friction && restitution === first.restitution,
        )
        if (!isFree) return
        const [xx, yy, zz, xy, xz, yz] = inertia
        settings.mOverrideMassProperties = jolt.EOverrideMassProperties_MassAndInertiaProvided
        settings.mMassPropertiesOverride.mMass = mass
        const I = settings.mMassPropertiesOverride.mInertia
        I.SetAxisX(this.vector([xx, xy, xz]))
        I.SetAxisY(this.vector([xy, yy, yz]))
        I.SetAxisZ(this.vector([xz, yz, zz]))
      },
    })
  }

  private add(
    shape: Shape,
    body: {
      readonly motion: number
      readonly layer: number
      readonly tune?: (settings: InstanceType<Jolt['BodyCreationSettings']>) => void
    },
  ): Body {
    const { jolt, at, turn } = this
    const settings = this.pass(new jolt.BodyCreationSettings(shape, at, turn, body.motion as never, body.layer))
    settings.mLinearDamping = 0
    settings.mAngularDamping = 0
    settings.mMaxAngularVelocity = 1e4
    settings.mApplyGyroscopicForce = true
    settings.mAllowSleeping = false
    body.tune?.(settings)
    const bodies = this.engine.GetPhysicsSystem().GetBodyInterface()
    const made = bodies.CreateBody(settings)
    bodies.AddBody(made.GetID(), jolt.EActivation_Activate)
    return made
  }

  /** One shape of all, with its centre of mass at the body's origin. */
  private shapeOf(shapes: readonly MaximalShape[]): Shape {
    const { jolt, surfaces } = this
    const part = (placed: MaximalShape): Shape => {
      const made = placed.shape.type === 'halfspace' ? this.planeOf(placed) : this.partOf(placed)
      made.SetUserData(surfaces.push(placed) - 1)
      return made
    }
    if (shapes.length === 1 && shapes[0].shape.type === 'halfspace') return part(shapes[0])
    const compound = this.pass(new jolt.StaticCompoundShapeSettings())
    for (const placed of shapes) {
      const turn = new Float64Array(4)
      quaternionOfRotation(turn, 0, placed.R)
      if (placed.shape.type === 'capsule' || placed.shape.type === 'cylinder') mulQuaternion(turn, 0, turn, 0, upright, 0)
      compound.AddShapeShape(this.vector(placed.p), this.quaternion(turn), part(placed), 0)
    }
    const shape = compound.Create().Get()
    const c = shape.GetCenterOfMass()
    return new jolt.OffsetCenterOfMassShape(shape, this.vector([-c.GetX(), -c.GetY(), -c.GetZ()]))
  }

  private planeOf({ shape, R, p }: MaximalShape): Shape {
    if (shape.type !== 'halfspace') throw new UnsupportedScene(`a shape of the kind ${shape.type}`)
    const normal = new Float64Array(3)
    rotate3(normal, R, Float64Array.from(shape.normal))
    const offset = shape.offset + normal[0] * p[0] + normal[1] * p[1] + normal[2] * p[2]
    const { jolt } = this
    return new jolt.PlaneShape(this.pass(new jolt.Plane(this.vector(normal), -offset)), undefined, 100)
  }

  private partOf({ shape }: MaximalShape): Shape {
    const { jolt } = this
    switch (shape.type) {
      case 'sphere':
        return new jolt.SphereShape(Math.max(shape.radius, 1e-6))
      case 'box':
        return new jolt.BoxShape(this.vector(shape.size.map((side) => side / 2)), 0)
      case 'capsule':
        return new jolt.CapsuleShape(shape.length / 2, shape.radius)
      case 'cylinder':
        return new jolt.CylinderShape(shape.length / 2, shape.radius, 0)
      case 'hull': {
        const settings = this.pass(new jolt.ConvexHullShapeSettings())
        const { vertices } = shape.polyhedron
        for (let i = 0; i < vertices.length; i += 3) settings.mPoints.push_back(this.vector(vertices.subarray(i, i + 3)))
        settings.mMaxConvexRadius = 0
        const made = settings.Create()
        if (made.HasError()) throw new UnsupportedScene('a hull that it makes nothing of')
        return made.Get()
      }
      default:
        throw new UnsupportedScene(`a shape of the kind ${shape.type}`)
    }
  }

  private constraintOf({ kind, anchorA, anchorB, axis, lower, upper }: MaximalJoint, a: Body, b: Body) {
    const { jolt } = this
    if (kind === 'fixed') {
      const settings = this.pass(new jolt.FixedConstraintSettings())
      settings.mAutoDetectPoint = true
      return settings.Create(a, b)
    }
    const settings = this.pass(
      kind === 'point'
        ? new jolt.PointConstraintSettings()
        : kind === 'revolute'
          ? new jolt.HingeConstraintSettings()
          : new jolt.SliderConstraintSettings(),
    )
    settings.mSpace = jolt.EConstraintSpace_LocalToBodyCOM
    settings.mPoint1 = this.place3(anchorA)
    settings.mPoint2 = this.place3(anchorB)
    if (settings instanceof jolt.PointConstraintSettings) return settings.Create(a, b)
    const along = this.vector(axis)
    if (settings instanceof jolt.HingeConstraintSettings) settings.mHingeAxis1 = settings.mHingeAxis2 = along
    else settings.mSliderAxis1 = settings.mSliderAxis2 = along
    settings.mNormalAxis1 = settings.mNormalAxis2 = along.GetNormalizedPerpendicular()
    const widest = kind === 'revolute' ? Math.PI : 1e6
    settings.mLimitsMin = Math.min(0, Math.max(lower, -widest))
    settings.mLimitsMax = Math.max(0, Math.min(upper, widest))
    return settings.Create(a, b)
  }
}
