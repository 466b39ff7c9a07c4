import init from 'jolt-physics/wasm-compat'
import { mulQuaternion, quaternionOfRotation, rotate3 } from '../../../dynamics/index.ts'
import { type EngineAdapter, UnsupportedScene } from './engine.ts'
import {
  type MaximalBody,
  type MaximalEngine,
  type MaximalJoint,
  type MaximalScene,
  type MaximalShape,
  ofMaximal,
} from './maximal.ts'

type Jolt = Awaited<ReturnType<typeof init>>
type Body = InstanceType<Jolt['Body']>
type Shape = InstanceType<Jolt['Shape']>
type Vec3 = InstanceType<Jolt['Vec3']>

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
    settings:
      'as it comes: 10 velocity and 2 position iterations, 2 cm of slop; edges are sharp, gyroscopic forces on, its damping of bodies and its limit of spin left out; bodies do not sleep',
    async create(scene) {
      loading ??= init()
      const jolt = await loading
      return ofMaximal(scene, (maximal) => new JoltScene(jolt, maximal))
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
  private readonly v: Vec3
  private touching = 0

  constructor(jolt: Jolt, { bodies, joints, fixtures, gravity, dt, meet }: MaximalScene) {
    this.jolt = jolt
    this.dt = dt
    this.v = new jolt.Vec3(0, 0, 0)
    this.engine = this.createEngine(2 * (bodies.length + fixtures.length) + 16)
    const system = this.engine.GetPhysicsSystem()
    system.SetGravity(this.vector(gravity))
    this.listen()
    for (const fixture of fixtures)
      this.add(this.shapeOf([fixture]), { motion: jolt.EMotionType_Static, layer: FIXED, ...fixture })
    const filter = new jolt.GroupFilterTable(bodies.length)
    for (let a = 0; a < bodies.length; a++) for (let b = 0; b < a; b++) if (!meet(a, b)) filter.DisableCollision(a, b)
    this.kinematic = bodies.map(({ mass }) => mass === 0)
    this.bodies = bodies.map((body, k) => this.bodyOf(body, new jolt.CollisionGroup(filter, 0, k)))
    const speck = new jolt.SphereShape(1e-3)
    const ground = this.add(speck, { motion: jolt.EMotionType_Static, layer: NOTHING, friction: 0, restitution: 0 })
    for (const joint of joints)
      system.AddConstraint(this.constraintOf(joint, joint.a < 0 ? ground : this.bodies[joint.a], this.bodies[joint.b]))
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
    const { jolt, engine } = this
    const id = this.bodies[k].GetID()
    const at = new jolt.RVec3(pose[0], pose[1], pose[2])
    const turn = new jolt.Quat(pose[3], pose[4], pose[5], pose[6])
    const [w, u] = [this.vector(velocity), this.vector(velocity.subarray(3))]
    const bodies = engine.GetPhysicsSystem().GetBodyInterface()
    bodies.SetPositionAndRotation(id, at, turn, jolt.EActivation_Activate)
    bodies.SetLinearAndAngularVelocity(id, u, w)
    for (const one of [at, turn, w, u]) jolt.destroy(one)
  }

  contacts(): number {
    return this.touching
  }

  delete(): void {
    this.jolt.destroy(this.engine)
  }

  private vector([x, y, z]: ArrayLike<number> & Iterable<number>): Vec3 {
    return new this.jolt.Vec3(x, y, z)
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
    for (let layer = 0; layer < layers; layer++) broad.MapObjectToBroadPhaseLayer(layer, new jolt.BroadPhaseLayer(layer))
    settings.mObjectLayerPairFilter = pairs
    settings.mBroadPhaseLayerInterface = broad
    settings.mObjectVsBroadPhaseLayerFilter = new jolt.ObjectVsBroadPhaseLayerFilterTable(broad, layers, pairs, layers)
    const engine = new jolt.JoltInterface(settings)
    jolt.destroy(settings)
    return engine
  }

  /** Counts contacts, and takes the smaller friction of two in place of their geometric mean; the larger restitution is taken anyway. */
  private listen(): void {
    const { jolt } = this
    const listener = new jolt.ContactListenerJS()
    listener.OnContactValidate = () => jolt.ValidateResult_AcceptAllContactsForThisBodyPair
    const touch = (a: number, b: number, _manifold: number, settings: number) => {
      this.touching++
      const [one, other] = [jolt.wrapPointer(a, jolt.Body), jolt.wrapPointer(b, jolt.Body)]
      jolt.wrapPointer(settings, jolt.ContactSettings).mCombinedFriction = Math.min(one.GetFriction(), other.GetFriction())
    }
    listener.OnContactAdded = touch
    listener.OnContactPersisted = touch
    listener.OnContactRemoved = () => {}
    this.engine.GetPhysicsSystem().SetContactListener(listener)
  }

  private bodyOf({ mass, inertia, pose, velocity, shapes }: MaximalBody, group: InstanceType<Jolt['CollisionGroup']>): Body {
    const { jolt } = this
    const [first] = shapes
    if (shapes.some(({ friction, restitution }) => friction !== first.friction || restitution !== first.restitution))
      throw new UnsupportedScene('bodies with several surfaces')
    const isFree = mass > 0
    const shape = first === undefined ? new jolt.SphereShape(1e-3) : this.shapeOf(shapes)
    return this.add(shape, {
      motion: isFree ? jolt.EMotionType_Dynamic : jolt.EMotionType_Kinematic,
      layer: first === undefined ? NOTHING : MOVING,
      friction: first?.friction ?? 0,
      restitution: first?.restitution ?? 0,
      tune: (settings) => {
        settings.mPosition = new jolt.RVec3(pose[0], pose[1], pose[2])
        settings.mRotation = new jolt.Quat(pose[3], pose[4], pose[5], pose[6])
        settings.mAngularVelocity = this.vector(velocity)
        settings.mLinearVelocity = this.vector(velocity.subarray(3))
        settings.mCollisionGroup = group
        settings.mCollideKinematicVsNonDynamic = false
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
      readonly friction: number
      readonly restitution: number
      readonly tune?: (settings: InstanceType<Jolt['BodyCreationSettings']>) => void
    },
  ): Body {
    const { jolt } = this
    const [origin, unturned] = [new jolt.RVec3(0, 0, 0), new jolt.Quat(0, 0, 0, 1)]
    const settings = new jolt.BodyCreationSettings(shape, origin, unturned, body.motion as never, body.layer)
    settings.mFriction = body.friction
    settings.mRestitution = body.restitution
    settings.mLinearDamping = 0
    settings.mAngularDamping = 0
    settings.mMaxAngularVelocity = 1e4
    settings.mApplyGyroscopicForce = true
    settings.mAllowSleeping = false
    body.tune?.(settings)
    const bodies = this.engine.GetPhysicsSystem().GetBodyInterface()
    const made = bodies.CreateBody(settings)
    bodies.AddBody(made.GetID(), jolt.EActivation_Activate)
    for (const one of [settings, origin, unturned]) jolt.destroy(one)
    return made
  }

  /** One shape of all, with its centre of mass at the body's origin. */
  private shapeOf(shapes: readonly MaximalShape[]): Shape {
    const { jolt } = this
    if (shapes.length === 1 && shapes[0].shape.type === 'halfspace') return this.planeOf(shapes[0])
    const compound = new jolt.StaticCompoundShapeSettings()
    for (const placed of shapes) {
      const turn = new Float64Array(4)
      quaternionOfRotation(turn, 0, placed.R)
      if (placed.shape.type === 'capsule' || placed.shape.type === 'cylinder') mulQuaternion(turn, 0, turn, 0, upright, 0)
      const q = new jolt.Quat(turn[0], turn[1], turn[2], turn[3])
      compound.AddShapeShape(this.vector(placed.p), q, this.partOf(placed), 0)
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
    return new jolt.PlaneShape(new jolt.Plane(this.vector(normal), -offset), undefined, 100)
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
        const settings = new jolt.ConvexHullShapeSettings()
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
    const place = ([x, y, z]: ArrayLike<number> & Iterable<number>) => new jolt.RVec3(x, y, z)
    const across = this.vector(axis).GetNormalizedPerpendicular()
    const side = this.vector([across.GetX(), across.GetY(), across.GetZ()])
    switch (kind) {
      case 'point': {
        const settings = new jolt.PointConstraintSettings()
        settings.mSpace = jolt.EConstraintSpace_LocalToBodyCOM
        settings.mPoint1 = place(anchorA)
        settings.mPoint2 = place(anchorB)
        return settings.Create(a, b)
      }
      case 'fixed': {
        const settings = new jolt.FixedConstraintSettings()
        settings.mAutoDetectPoint = true
        return settings.Create(a, b)
      }
      case 'revolute': {
        const settings = new jolt.HingeConstraintSettings()
        settings.mSpace = jolt.EConstraintSpace_LocalToBodyCOM
        settings.mPoint1 = place(anchorA)
        settings.mPoint2 = place(anchorB)
        settings.mHingeAxis1 = this.vector(axis)
        settings.mHingeAxis2 = this.vector(axis)
        settings.mNormalAxis1 = side
        settings.mNormalAxis2 = side
        settings.mLimitsMin = Math.min(0, Math.max(lower, -Math.PI))
        settings.mLimitsMax = Math.max(0, Math.min(upper, Math.PI))
        return settings.Create(a, b)
      }
      default: {
        const settings = new jolt.SliderConstraintSettings()
        settings.mAutoDetectPoint = false
        settings.mSpace = jolt.EConstraintSpace_LocalToBodyCOM
        settings.mPoint1 = place(anchorA)
        settings.mPoint2 = place(anchorB)
        settings.mSliderAxis1 = this.vector(axis)
        settings.mSliderAxis2 = this.vector(axis)
        settings.mNormalAxis1 = side
        settings.mNormalAxis2 = side
        settings.mLimitsMin = Math.min(0, Math.max(lower, -1e6))
        settings.mLimitsMax = Math.max(0, Math.min(upper, 1e6))
        return settings.Create(a, b)
      }
    }
  }
}
