import rapier from '@dimforge/rapier3d-compat'
import { mulQuaternion, quaternionOfRotation, rotate3 } from '../../dynamics/index.ts'
import { type EngineAdapter, UnsupportedScene } from '../engine.ts'
import {
  type MaximalBody,
  type MaximalEngine,
  type MaximalScene,
  type MaximalShape,
  ofMaximal,
  principalAxes,
} from '../maximal.ts'
import { npmVersion } from '../npm.ts'

const { CoefficientCombineRule, ColliderDesc, JointData, RigidBodyDesc } = rapier
const vector = ([x, y, z]: ArrayLike<number> & Iterable<number>) => ({ x, y, z })
const quaternion = (q: ArrayLike<number>, at = 0) => ({ x: q[at], y: q[at + 1], z: q[at + 2], w: q[at + 3] })
/** A quarter turn about x: Rapier's capsules and cylinders stand along y. */
const upright = Float64Array.of(Math.SQRT1_2, 0, 0, Math.SQRT1_2)

/** Rapier, single precision. Settings that change the world before its first step. */
const adapter = (name: string, settings: string, tune: (parameters: rapier.IntegrationParameters) => void): EngineAdapter => ({
  name,
  packageName: '@dimforge/rapier3d-compat',
  version: npmVersion('@dimforge/rapier3d-compat'),
  settings,
  async load() {
    await rapier.init()
    return (scene) => ofMaximal(scene, (maximal) => new RapierScene(maximal, tune))
  },
})

export const adapters: readonly EngineAdapter[] = [
  adapter('Rapier', 'as it comes: 4 solver iterations; bodies do not sleep', () => {}),
  adapter(
    'Rapier, iterated',
    'numSolverIterations 20: more realistic simulations may favour accuracy over time, says its user guide (Integration parameters), whose examples have 8; bodies do not sleep',
    (parameters) => {
      parameters.numSolverIterations = 20
    },
  ),
]

class RapierScene implements MaximalEngine {
  readonly lacks: readonly string[] = []
  private readonly world: rapier.World
  private readonly bodies: readonly rapier.RigidBody[]
  private readonly prescribed: readonly boolean[]

  constructor(scene: MaximalScene, tune: (parameters: rapier.IntegrationParameters) => void) {
    this.world = new rapier.World(vector(scene.gravity))
    const { world } = this
    world.timestep = scene.dt
    tune(world.integrationParameters)
    const ground = world.createRigidBody(RigidBodyDesc.fixed())
    for (const fixture of scene.fixtures) world.createCollider(colliderOf(fixture), ground)
    this.bodies = scene.bodies.map((body) => this.bodyOf(body))
    this.prescribed = scene.bodies.map(({ mass }) => mass === 0)
    for (const { kind, a, b, anchorA, anchorB, axis, lower, upper } of scene.joints) {
      const [p, q] = [vector(anchorA), vector(anchorB)]
      const none = { x: 0, y: 0, z: 0, w: 1 }
      const data =
        kind === 'revolute'
          ? JointData.revolute(p, q, vector(axis))
          : kind === 'prismatic'
            ? JointData.prismatic(p, q, vector(axis))
            : kind === 'fixed'
              ? JointData.fixed(p, none, q, none)
              : JointData.spherical(p, q)
      const joint = world.createImpulseJoint(data, a < 0 ? ground : this.bodies[a], this.bodies[b], true)
      if ((kind === 'revolute' || kind === 'prismatic') && (lower > -Infinity || upper < Infinity))
        (joint as rapier.UnitImpulseJoint).setLimits(Math.max(lower, -1e6), Math.min(upper, 1e6))
      joint.setContactsEnabled(a >= 0 ? scene.meet(a, b) : true)
    }
    this.part(scene)
  }

  step(wrenches: Float64Array): void {
    const { bodies } = this
    for (let k = 0; k < bodies.length; k++) {
      const body = bodies[k]
      if (this.prescribed[k]) continue
      body.resetForces(false)
      body.resetTorques(false)
      body.addTorque({ x: wrenches[6 * k], y: wrenches[6 * k + 1], z: wrenches[6 * k + 2] }, true)
      body.addForce({ x: wrenches[6 * k + 3], y: wrenches[6 * k + 4], z: wrenches[6 * k + 5] }, true)
    }
    this.world.step()
  }

  read(poses: Float64Array, velocities: Float64Array): void {
    this.bodies.forEach((body, k) => {
      const [p, q, w, u] = [body.translation(), body.rotation(), body.angvel(), body.linvel()]
      poses.set([p.x, p.y, p.z, q.x, q.y, q.z, q.w], 7 * k)
      velocities.set([w.x, w.y, w.z, u.x, u.y, u.z], 6 * k)
    })
  }

  place(k: number, pose: Float64Array, velocity: Float64Array): void {
    const body = this.bodies[k]
    body.setTranslation(vector(pose), true)
    body.setRotation(quaternion(pose, 3), true)
    body.setAngvel(vector(velocity), true)
    body.setLinvel(vector(velocity.subarray(3)), true)
  }

  contacts(): number {
    let count = 0
    this.world.forEachCollider((collider) => {
      this.world.contactPairsWith(collider, (other) => {
        if (other.handle < collider.handle) return
        this.world.contactPair(collider, other, (manifold) => {
          count += manifold.numSolverContacts()
        })
      })
    })
    return count
  }

  delete(): void {
    this.world.free()
  }

  private bodyOf({ mass, inertia, pose, velocity, shapes }: MaximalBody): rapier.RigidBody {
    const { world } = this
    const desc = (mass === 0 ? RigidBodyDesc.kinematicVelocityBased() : RigidBodyDesc.dynamic())
      .setTranslation(pose[0], pose[1], pose[2])
      .setRotation(quaternion(pose, 3))
      .setLinvel(velocity[3], velocity[4], velocity[5])
      .setAngvel(vector(velocity))
      .setCanSleep(false)
    if (mass > 0) {
      const { values, turn } = principalAxes(inertia)
      desc.setAdditionalMassProperties(mass, vector([0, 0, 0]), vector(values), quaternion(turn))
    }
    const body = world.createRigidBody(desc)
    for (const shape of shapes) world.createCollider(colliderOf(shape).setDensity(0), body)
    return body
  }

  /** Bodies that never meet go into groups of their own, of which there are 16. */
  private part({ bodies, meet, joints }: MaximalScene): void {
    const jointed = new Set(joints.filter(({ a }) => a >= 0).map(({ a, b }) => `${Math.min(a, b)} ${Math.max(a, b)}`))
    const isKept = (a: number, b: number) => meet(a, b) || jointed.has(`${Math.min(a, b)} ${Math.max(a, b)}`)
    const solid = bodies.flatMap(({ shapes, mass }, k) => (shapes.length > 0 && mass > 0 ? [k] : []))
    // bodies that keep apart from the same others share a group
    const apart = solid.map((a) => solid.filter((b) => a !== b && !isKept(a, b)))
    if (apart.every((others) => others.length === 0)) return
    const keys = apart.map((others, i) => JSON.stringify(others.length === 0 ? [] : [...others, solid[i]].sort((a, b) => a - b)))
    const kinds = [...new Set(keys)]
    if (kinds.length > 15) throw new UnsupportedScene('more than 15 groups of bodies that do not meet each other')
    solid.forEach((k, i) => {
      const own = kinds.indexOf(keys[i])
      const others = new Set(apart[i])
      let filter = 0xffff
      kinds.forEach((_, g) => {
        const members = solid.filter((__, j) => keys[j] === kinds[g])
        const hits = members.filter((b) => others.has(b) || b === k).length
        if (hits === members.length && apart[i].length > 0) filter &= ~(1 << g)
        else if (members.some((b) => others.has(b))) throw new UnsupportedScene('bodies that meet some of a robot and not others')
      })
      for (let c = 0; c < this.bodies[k].numColliders(); c++)
        this.bodies[k].collider(c).setCollisionGroups(((1 << own) << 16) | filter)
    })
  }
}

function colliderOf({ shape, R, p, friction, restitution }: MaximalShape): rapier.ColliderDesc {
  const turn = new Float64Array(4)
  quaternionOfRotation(turn, 0, R)
  if (shape.type === 'capsule' || shape.type === 'cylinder') mulQuaternion(turn, 0, turn, 0, upright, 0)
  let desc: rapier.ColliderDesc | null
  switch (shape.type) {
    case 'sphere':
      desc = ColliderDesc.ball(Math.max(shape.radius, 1e-6))
      break
    case 'box':
      desc = ColliderDesc.cuboid(shape.size[0] / 2, shape.size[1] / 2, shape.size[2] / 2)
      break
    case 'capsule':
      desc = ColliderDesc.capsule(shape.length / 2, shape.radius)
      break
    case 'cylinder':
      desc = ColliderDesc.cylinder(shape.length / 2, shape.radius)
      break
    case 'hull':
      desc = ColliderDesc.convexHull(Float32Array.from(shape.polyhedron.vertices))
      break
    case 'mesh':
      desc = ColliderDesc.trimesh(Float32Array.from(shape.mesh.vertices), Uint32Array.from(shape.mesh.triangles))
      break
    case 'halfspace': {
      const normal = new Float64Array(3)
      rotate3(normal, R, Float64Array.from(shape.normal))
      const at = shape.offset
      desc = new ColliderDesc(new rapier.HalfSpace(vector(normal)))
      desc.setTranslation(p[0] + at * normal[0], p[1] + at * normal[1], p[2] + at * normal[2])
      break
    }
    default:
      throw new UnsupportedScene(`a shape of the kind ${shape.type}`)
  }
  if (desc === null) throw new UnsupportedScene('a hull that it makes nothing of')
  if (shape.type !== 'halfspace') desc.setTranslation(p[0], p[1], p[2]).setRotation(quaternion(turn))
  return desc
    .setFriction(friction)
    .setRestitution(restitution)
    .setFrictionCombineRule(CoefficientCombineRule.Min)
    .setRestitutionCombineRule(CoefficientCombineRule.Max)
}
