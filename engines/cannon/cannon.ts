import * as cannon from 'cannon-es'
import { mulQuaternion, quaternionOfRotation } from '../../dynamics/index.ts'
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

const { Vec3, Quaternion } = cannon
const vector = ([x, y, z]: ArrayLike<number> & Iterable<number>) => new Vec3(x, y, z)
const quaternion = (q: ArrayLike<number>, at = 0) => new Quaternion(q[at], q[at + 1], q[at + 2], q[at + 3])
/** A quarter turn about x: its cylinders stand along y. */
const upright = Float64Array.of(Math.SQRT1_2, 0, 0, Math.SQRT1_2)

/** cannon-es, in double precision. */
export const adapters: readonly EngineAdapter[] = [
  {
    name: 'cannon-es',
    packageName: 'cannon-es',
    version: npmVersion('cannon-es'),
    settings: 'as it comes, 10 iterations; its damping of bodies, 1 % a second, is left out; bodies do not sleep',
    load: async () => (scene) => ofMaximal(scene, (maximal) => new CannonScene(maximal)),
  },
]

/** Its bodies have diagonal inertias: this quaternion turns from a body's principal axes into its own. */
type Turn = Float64Array

class CannonScene implements MaximalEngine {
  readonly lacks: readonly string[]
  private readonly world: cannon.World
  private readonly dt: number
  private readonly bodies: readonly cannon.Body[]
  private readonly turns: readonly Turn[]
  private readonly materials: cannon.Material[] = []
  private readonly surfaces: { readonly friction: number; readonly restitution: number }[] = []
  private readonly pose = new Float64Array(4)

  constructor({ bodies, joints, fixtures, gravity, dt, meet }: MaximalScene) {
    this.world = new cannon.World({ gravity: vector(gravity) })
    const { world } = this
    this.dt = dt
    this.turns = bodies.map(({ mass, inertia }) => (mass > 0 ? principalAxes(inertia).turn : Float64Array.of(0, 0, 0, 1)))
    this.bodies = bodies.map((body, k) => this.bodyOf(body, this.turns[k]))
    const ground = new cannon.Body({ type: cannon.Body.STATIC })
    for (const fixture of fixtures) this.addShape(ground, fixture, Float64Array.of(0, 0, 0, 1))
    world.addBody(ground)
    const index = new Map(this.bodies.map((body, k) => [body.id, k]))
    const { broadphase } = world
    const isNeeded = broadphase.needBroadphaseCollision.bind(broadphase)
    broadphase.needBroadphaseCollision = (a, b) => {
      const [i, j] = [index.get(a.id), index.get(b.id)]
      return isNeeded(a, b) && (i === undefined || j === undefined || meet(i, j))
    }
    this.lacks = joints.some(({ lower, upper }) => lower > -Infinity || upper < Infinity) ? ['limits of joints'] : []
    for (const { kind, a, b, anchorA, anchorB, axis } of joints) {
      const A = a < 0 ? ground : this.bodies[a]
      const B = this.bodies[b]
      const inA = (x: ArrayLike<number>) => (a < 0 ? vector(Float64Array.from(x)) : this.inPrincipal(a, x))
      const options = {
        pivotA: inA(anchorA),
        pivotB: this.inPrincipal(b, anchorB),
        axisA: inA(axis),
        axisB: this.inPrincipal(b, axis),
      }
      if (kind === 'prismatic') throw new UnsupportedScene('slides')
      const constraint =
        kind === 'revolute'
          ? new cannon.HingeConstraint(A, B, options)
          : kind === 'fixed'
            ? new cannon.LockConstraint(A, B)
            : new cannon.PointToPointConstraint(A, options.pivotA, B, options.pivotB)
      constraint.collideConnected = a < 0 || meet(a, b)
      world.addConstraint(constraint)
    }
    this.pairSurfaces()
  }

  step(wrenches: Float64Array): void {
    this.bodies.forEach((body, k) => {
      if (body.type !== cannon.Body.DYNAMIC) return
      const [mx, my, mz, fx, fy, fz] = wrenches.subarray(6 * k, 6 * k + 6)
      body.torque.set(mx, my, mz)
      body.force.set(fx, fy, fz)
    })
    this.world.step(this.dt)
  }

  read(poses: Float64Array, velocities: Float64Array): void {
    const { pose } = this
    this.bodies.forEach(({ position: p, quaternion: q, angularVelocity: w, velocity: u }, k) => {
      const [x, y, z, s] = this.turns[k]
      pose.set([q.x, q.y, q.z, q.w])
      mulQuaternion(pose, 0, pose, 0, Float64Array.of(-x, -y, -z, s), 0)
      poses.set([p.x, p.y, p.z, ...pose], 7 * k)
      velocities.set([w.x, w.y, w.z, u.x, u.y, u.z], 6 * k)
    })
  }

  place(k: number, pose: Float64Array, velocity: Float64Array): void {
    const body = this.bodies[k]
    body.position.copy(vector(pose))
    body.quaternion.copy(quaternion(pose, 3))
    body.angularVelocity.copy(vector(velocity))
    body.velocity.copy(vector(velocity.subarray(3)))
  }

  contacts(): number {
    return this.world.contacts.length
  }

  delete(): void {}

  private inPrincipal(k: number, x: ArrayLike<number>): cannon.Vec3 {
    return quaternion(this.turns[k])
      .inverse()
      .vmult(vector(Float64Array.from(x)))
  }

  private bodyOf({ mass, inertia, pose, velocity, shapes }: MaximalBody, turn: Turn): cannon.Body {
    const type = mass > 0 ? cannon.Body.DYNAMIC : cannon.Body.KINEMATIC
    const own = new Float64Array(4)
    mulQuaternion(own, 0, pose.subarray(3), 0, turn, 0)
    const body = new cannon.Body({ mass, type, position: vector(pose), quaternion: quaternion(own), allowSleep: false })
    body.angularVelocity.copy(vector(velocity))
    body.velocity.copy(vector(velocity.subarray(3)))
    body.linearDamping = 0
    body.angularDamping = 0
    for (const shape of shapes) this.addShape(body, shape, turn)
    if (mass > 0) {
      body.inertia.copy(vector(principalAxes(inertia).values))
      body.invInertia.set(1 / body.inertia.x, 1 / body.inertia.y, 1 / body.inertia.z)
      body.updateInertiaWorld(true)
    }
    this.world.addBody(body)
    return body
  }

  private addShape(body: cannon.Body, placed: MaximalShape, turn: Turn): void {
    const { R, p, friction, restitution } = placed
    const own = new Float64Array(4)
    quaternionOfRotation(own, 0, R)
    const back = quaternion(turn).inverse()
    for (const { shape, at, along } of shapesOf(placed)) {
      shape.material = this.materialOf(friction, restitution)
      const q = quaternion(own)
      body.addShape(shape, back.vmult(vector(p).vadd(q.vmult(vector(at)))), back.mult(q.mult(quaternion(along))))
    }
  }

  private materialOf(friction: number, restitution: number): cannon.Material {
    const known = this.surfaces.findIndex((one) => one.friction === friction && one.restitution === restitution)
    if (known >= 0) return this.materials[known]
    this.surfaces.push({ friction, restitution })
    this.materials.push(new cannon.Material())
    return this.materials[this.materials.length - 1]
  }

  /** The smaller friction and the larger restitution of each pair. */
  private pairSurfaces(): void {
    const { surfaces, materials, world } = this
    for (let i = 0; i < materials.length; i++) {
      for (let j = 0; j <= i; j++) {
        const friction = Math.min(surfaces[i].friction, surfaces[j].friction)
        const restitution = Math.max(surfaces[i].restitution, surfaces[j].restitution)
        world.addContactMaterial(new cannon.ContactMaterial(materials[i], materials[j], { friction, restitution }))
      }
    }
  }
}

const unturned = Float64Array.of(0, 0, 0, 1)
const middle = new Float64Array(3)

interface Part {
  readonly shape: cannon.Shape
  readonly at: Float64Array
  readonly along: Float64Array
}

/** One shape, or those that make up a capsule, of which it has no word. */
function shapesOf({ shape }: MaximalShape): Part[] {
  const one = (made: cannon.Shape, along = unturned): Part[] => [{ shape: made, at: middle, along }]
  const cylinder = (radius: number, length: number) => one(new cannon.Cylinder(radius, radius, length, 24), upright)
  switch (shape.type) {
    case 'sphere':
      return one(new cannon.Sphere(shape.radius))
    case 'box':
      return one(new cannon.Box(new Vec3(shape.size[0] / 2, shape.size[1] / 2, shape.size[2] / 2)))
    case 'cylinder':
      return cylinder(shape.radius, shape.length)
    case 'capsule':
      return [
        ...cylinder(shape.radius, shape.length),
        ...[-0.5, 0.5].map((end) => ({
          shape: new cannon.Sphere(shape.radius),
          at: Float64Array.of(0, 0, end * shape.length),
          along: unturned,
        })),
      ]
    case 'hull': {
      // it takes faces to look away from the shape's origin
      const { vertices, faces } = shape.polyhedron
      const count = vertices.length / 3
      const at = Float64Array.from([0, 1, 2], (k) => vertices.reduce((sum, x, i) => (i % 3 === k ? sum + x / count : sum), 0))
      const corners = Array.from({ length: count }, (_, i) =>
        vector(vertices.subarray(3 * i, 3 * i + 3).map((x, k) => x - at[k])),
      )
      return [
        { shape: new cannon.ConvexPolyhedron({ vertices: corners, faces: faces.map((loop) => [...loop]) }), at, along: unturned },
      ]
    }
    case 'halfspace': {
      const towards = new Quaternion().setFromVectors(new Vec3(0, 0, 1), vector(Float64Array.from(shape.normal)))
      const at = Float64Array.from(shape.normal, (x) => x * shape.offset)
      return [{ shape: new cannon.Plane(), at, along: Float64Array.of(towards.x, towards.y, towards.z, towards.w) }]
    }
    default:
      throw new UnsupportedScene(`a shape of the kind ${shape.type}`)
  }
}
