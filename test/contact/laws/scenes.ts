import type { PlacedShape, Shape, Surface } from '../../../contact/geometry/index.ts'
import type { ContactModelOptions, PhysicalInputs } from '../../../contact/index.ts'
import { contactModelNamed } from '../../../contact/index.ts'
import {
  type BodyDefinition,
  buildModel,
  cos,
  createData,
  JointType,
  kinematics,
  kineticEnergy,
  type Model,
  momentumW,
  potentialEnergy,
  type State,
  sin,
  velocities,
} from '../../../dynamics/index.ts'
import { type CollisionShape, createFreeBody, type Robot } from '../../../robots/index.ts'
import { type EffortSource, World, type WorldRobot } from '../../../simulation/index.ts'
import { body, slide, solid } from '../../dynamics/bodies.ts'

/*
 * Robots of one or a few bodies built in code, slopes, and pushes: what the contact laws are tried on. They run through
 * `World`, as every robot does.
 */

export const g = 9.81
/** The quaternion of a body whose axes are the world's. */
export const upright = [0, 0, 0, 1]
export const identity = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)

export type Vector = readonly [number, number, number]

export interface ShapeOn {
  readonly name?: string
  readonly body: number
  readonly shape: Shape
  readonly p?: Vector
  readonly R?: Float64Array
  readonly friction?: number
  readonly restitution?: number
}

/** A robot of these bodies (numbered from 1) and shapes; it starts with every joint at zero. */
export function makeRobot(
  name: string,
  bodies: readonly BodyDefinition[],
  shapes: readonly ShapeOn[],
  gravity: Vector = [0, 0, -g],
): Robot {
  const model = buildModel(name, bodies, gravity)
  const home = new Float64Array(model.nq)
  for (let i = 1; i < model.nb; i++) if (model.jointType[i] === JointType.floating) home[model.qStart[i] + 6] = 1
  const mass = bodies.reduce((sum, body) => sum + body.mass, 0)
  return {
    name,
    model,
    floating: model.jointType[1] === JointType.floating,
    joints: movingJoints(model),
    freeJoints: [],
    mimics: [],
    poses: [],
    disabledCollisions: [],
    overlaps: [],
    frames: [],
    shapes: shapes.map(
      (s, i): CollisionShape => ({
        name: s.name ?? `${s.shape.type} ${i}`,
        link: model.bodyName[s.body],
        body: s.body,
        shape: s.shape,
        R: s.R ?? identity,
        p: Float64Array.from(s.p ?? [0, 0, 0]),
        friction: s.friction,
        restitution: s.restitution,
      }),
    ),
    home,
    massDeclared: mass,
    massUsed: mass,
    diagnostics: [],
    tags: { used: [], carried: [], ignored: [] },
    counts: {
      links: bodies.length,
      joints: { revolute: 0, continuous: 0, prismatic: 0, fixed: 0, floating: 0, planar: 0, mimic: 0 },
    },
    worldMoments: new Float64Array(4),
  }
}

function movingJoints(model: Model): Robot['joints'] {
  const joints: Robot['joints'][number][] = []
  for (let body = 1; body < model.nb; body++) {
    const type = model.jointType[body]
    if (type !== JointType.revolute && type !== JointType.prismatic) continue
    const unlimited = model.lower[model.vStart[body]] === -Infinity
    joints.push({
      name: model.jointName[body],
      type: type === JointType.prismatic ? 'prismatic' : unlimited ? 'continuous' : 'revolute',
      body,
      qIndex: model.qStart[body],
      vIndex: model.vStart[body],
    })
  }
  return joints
}

export const floating = { name: 'body', jointName: 'free', parent: 0, jointType: JointType.floating } as const

export interface FreeBody {
  readonly mass?: number
  readonly shape: Shape
  /** Principal moments about the centre [kg m²]. */
  readonly inertia?: Vector
  readonly gravity?: Vector
}

/** One floating body with one shape at its centre, by default full of its mass. */
export function freeBody({ mass = 10, shape, inertia, gravity }: FreeBody): Robot {
  return createFreeBody({ name: shape.type, shape, mass, inertia: inertia && [...inertia, 0, 0, 0], gravity })
}

export const box = (size: Vector, mass = 10, gravity?: Vector): Robot => freeBody({ mass, shape: { type: 'box', size }, gravity })

export const sphere = (radius: number, mass = 10, gravity?: Vector): Robot =>
  freeBody({ mass, shape: { type: 'sphere', radius }, gravity })

/** Turns z to -y: lays a cylinder down along y. */
const lying = Float64Array.of(1, 0, 0, 0, 0, -1, 0, 1, 0)

/** A free cylinder whose axis is its body's y axis; `k` is its axial inertia over m r²: 1/2 solid, 1 a hoop. */
export function roller(radius: number, length: number, mass = 10, k = 0.5): Robot {
  const across = mass * ((k * radius * radius) / 2 + (length * length) / 12)
  const along = k * mass * radius * radius
  return makeRobot(
    'roller',
    [{ ...floating, mass, inertia: [across, along, across, 0, 0, 0] }],
    [{ body: 1, shape: { type: 'cylinder', radius, length }, R: lying }],
  )
}

/**
 * A block that cannot turn: a box on three prismatic joints along the world's axes. The carriages have no mass unless one is
 * given, which makes the block heavier along x, or along x and y, and presses on nothing.
 */
export function slider(size: Vector, mass: number, turned: Float64Array = identity, carriages = [0, 0]): Robot {
  const carriage = (axis: Vector, parent: number, m: number): BodyDefinition =>
    body(`carriage ${parent}`, slide(`slide ${parent}`, parent, axis), solid(m, [m, m, m]))
  return makeRobot(
    'slider',
    [carriage([1, 0, 0], 0, carriages[0]), carriage([0, 1, 0], 1, carriages[1]), carriage([0, 0, 1], 2, mass)],
    [{ body: 3, shape: { type: 'box', size }, R: turned }],
  )
}

/**
 * The same body on an explicit joint of six freedoms in place of the floating one: prismatic along x, y, z, then revolute
 * about x, z, y, all links but the last without mass. Its joints are at a singularity only when it has turned by 90 degrees
 * about z.
 */
export function onSixJoints({ model, shapes, massUsed }: Robot, centerOfMass: Vector, inertia: Vector): Robot {
  const link = (parent: number, jointType: BodyDefinition['jointType'], axis: Vector): BodyDefinition => ({
    name: parent === 5 ? model.bodyName[1] : `link ${parent}`,
    jointName: `joint ${parent}`,
    parent,
    jointType,
    axis,
    mass: parent === 5 ? massUsed : 0,
    centerOfMass: parent === 5 ? centerOfMass : [0, 0, 0],
    inertia: parent === 5 ? [...inertia, 0, 0, 0] : [0, 0, 0, 0, 0, 0],
  })
  const { prismatic, revolute } = JointType
  return makeRobot(
    'six joints',
    [
      link(0, prismatic, [1, 0, 0]),
      link(1, prismatic, [0, 1, 0]),
      link(2, prismatic, [0, 0, 1]),
      link(3, revolute, [1, 0, 0]),
      link(4, revolute, [0, 0, 1]),
      link(5, revolute, [0, 1, 0]),
    ],
    shapes.map((shape) => ({ body: 6, shape: shape.shape, R: shape.R, p: [shape.p[0], shape.p[1], shape.p[2]] })),
    [model.gravity[3], model.gravity[4], model.gravity[5]],
  )
}

/** A trunk on four legs of two joints each, with round feet. @param more of a body, by its name */
export function quadruped(gravity?: Vector, more: (name: string) => Partial<BodyDefinition> = () => ({})): Robot {
  const bodies: BodyDefinition[] = [
    { ...floating, mass: 8, centerOfMass: [0.02, -0.01, 0.03], inertia: [0.1, 0.2, 0.25, 0, 0, 0] },
  ]
  const feet: ShapeOn[] = []
  const part = {
    mass: 0.6,
    centerOfMass: [0, 0, -0.1] as const,
    inertia: [0.004, 0.004, 0.001, 0, 0, 0] as const,
    jointType: JointType.revolute,
    axis: [0, 1, 0] as const,
  }
  for (const x of [0.2, -0.2]) {
    for (const y of [0.12, -0.12]) {
      const hip = bodies.length + 1
      bodies.push(
        { ...part, name: `thigh ${hip}`, jointName: `hip ${hip}`, parent: 1, position: [x, y, 0] },
        { ...part, name: `shank ${hip}`, jointName: `knee ${hip}`, parent: hip, position: [0, 0, -0.2] },
      )
      feet.push({ body: hip + 1, shape: { type: 'sphere', radius: 0.02 }, p: [0, 0, -0.2] })
    }
  }
  const changed = bodies.map((body) => ({ ...body, ...more(body.name) }))
  return makeRobot('quadruped', changed, feet, gravity)
}

/** Free fall on a slope of this angle towards x, in the slope's own axes: a slope for robots that stand on flat ground. */
export const tilted = (angle: number): Vector => [g * sin(angle), 0, -g * cos(angle)]

/** A fixed box, its faces along the world's axes. */
export const fixedBox = (name: string, p: Vector, size: Vector, friction?: number): PlacedShape => ({
  name,
  body: 0,
  shape: { type: 'box', size },
  R: identity,
  p: Float64Array.from(p),
  friction,
})

/** The ground z = 0. */
export const floor: PlacedShape = { ...slope(0), name: 'floor' }

/** The ground as a plane through the origin that falls at `angle` towards the direction `heading` in the x-y plane. */
export function slope(angle: number, heading = 0): PlacedShape {
  const [s, c] = [sin(angle), cos(angle)]
  return {
    name: 'slope',
    body: 0,
    shape: { type: 'halfspace', normal: [s * cos(heading), s * sin(heading), c], offset: 0 },
    R: identity,
    p: new Float64Array(3),
  }
}

/** Unit vector down that slope, and its normal. */
export const downhill = (angle: number, heading = 0): Vector => [
  cos(angle) * cos(heading),
  cos(angle) * sin(heading),
  -sin(angle),
]
export const slopeNormal = (angle: number, heading = 0): Vector => [
  sin(angle) * cos(heading),
  sin(angle) * sin(heading),
  cos(angle),
]

export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

/** q of a free body: its centre `height` above that slope at the origin, turned so that its z axis is the slope's normal. */
export function onSlope(height: number, angle: number, heading = 0): Float64Array {
  const n = slopeNormal(angle, heading)
  const half = 0.5 * angle
  // the turn by `angle` about (-sin heading, cos heading, 0) takes z to the normal
  return Float64Array.of(
    height * n[0],
    height * n[1],
    height * n[2],
    -sin(heading) * sin(half),
    cos(heading) * sin(half),
    0,
    cos(half),
  )
}

/** Either `robot` or `robots`. */
export interface Scene {
  readonly robot?: Robot
  readonly robots?: readonly WorldRobot[]
  readonly model: string
  readonly dt?: number
  readonly fixtures?: readonly PlacedShape[]
  readonly physical?: Partial<PhysicalInputs>
  readonly options?: ContactModelOptions
  readonly integrator?: 'semi-implicit-euler' | 'rk4'
  readonly q?: ArrayLike<number>
  readonly v?: ArrayLike<number>
  /** Writes the efforts before each step; it starts from zeros. */
  readonly push?: (tau: Float64Array, t: number, q: Float64Array, v: Float64Array) => void
  /** In place of `push`. */
  readonly controller?: EffortSource
}

export function makeWorld(scene: Scene): World {
  const { robot, robots, model, dt = 1e-3, fixtures, physical, options, integrator, q, v, push, controller } = scene
  return new World({
    robot,
    robots,
    contactModel: contactModelNamed(model),
    contactOptions: options,
    dt,
    fixtures,
    physical,
    integrator,
    q,
    v,
    controller: push ? effortsOf(push) : controller,
  })
}

/** A block that cannot turn, 20 x 20 x 10 cm, flush on a slope and in it by a depth measured upright; `surface` is the slope's own. */
export function blockOnSlope(
  angle: number,
  {
    heading = 0,
    sink = 0,
    mass = 10,
    surface = {},
    ...scene
  }: Scene & { readonly heading?: number; readonly sink?: number; readonly mass?: number; readonly surface?: Surface },
): World {
  return makeWorld({
    robot: slider([0.2, 0.2, 0.1], mass, slopeRotation(angle, heading)),
    fixtures: [{ ...slope(angle, heading), ...surface }],
    q: onSlope(0.05 - sink * Math.cos(angle), angle, heading).slice(0, 3),
    ...scene,
  })
}

/** The same on the level ground. */
export const blockOnGround = ({
  sink = 0,
  mass = 10,
  ...scene
}: Scene & { readonly sink?: number; readonly mass?: number }): World =>
  makeWorld({ robot: slider([0.2, 0.2, 0.1], mass), q: [0, 0, 0.05 - sink], ...scene })

/** The largest that a measure is after any step of a run, or `least` if that is more. */
export function largestDuring(world: World, seconds: number, measure: (world: World) => number, least = 0): number {
  let largest = least
  run(world, seconds, () => {
    largest = Math.max(largest, measure(world))
  })
  return largest
}

/** tau of a floating body = a force that acts at an offset from its centre; both in world axes. */
export function pushAt(tau: Float64Array, q: ArrayLike<number>, F: Vector, arm: Vector): void {
  const moment: Vector = [arm[1] * F[2] - arm[2] * F[1], arm[2] * F[0] - arm[0] * F[2], arm[0] * F[1] - arm[1] * F[0]]
  tau.set([...unrotate(q, 3, moment), ...unrotate(q, 3, F)])
}

export function effortsOf(push: NonNullable<Scene['push']>): EffortSource {
  return {
    start() {},
    everySteps: 1,
    tick(state, _data, tau) {
      tau.fill(0)
      push(tau, state.t[0], state.q, state.v)
    },
    save: () => null,
    restore() {},
  }
}

/** The rotation of a slope as a matrix, for shapes that are to lie flush on it; see `onSlope`. */
export function slopeRotation(angle: number, heading = 0): Float64Array {
  const q = onSlope(0, angle, heading)
  const columns = [rotate(q, 3, [1, 0, 0]), rotate(q, 3, [0, 1, 0]), rotate(q, 3, [0, 0, 1])]
  return Float64Array.from({ length: 9 }, (_, k) => columns[k % 3][Math.floor(k / 3)])
}

/** Runs for a time; `watch` sees every step. */
export function run(world: World, seconds: number, watch?: (world: World, step: number) => void): World {
  const steps = Math.round(seconds / world.dt)
  for (let k = 0; k < steps; k++) {
    world.step()
    watch?.(world, k)
  }
  return world
}

/** Linear velocity in world axes of a floating first body: of a world, or of one of its robots. */
export function velocityW({ state: { q, v } }: { readonly state: State }): Vector {
  return rotate(q, 3, [v[3], v[4], v[5]])
}

/** The vector turned by the quaternion x, y, z, w at q[k]. */
export function rotate(q: ArrayLike<number>, k: number, a: Vector): Vector {
  const [x, y, z, w] = [q[k], q[k + 1], q[k + 2], q[k + 3]]
  const t = [2 * (y * a[2] - z * a[1]), 2 * (z * a[0] - x * a[2]), 2 * (x * a[1] - y * a[0])]
  return [a[0] + w * t[0] + y * t[2] - z * t[1], a[1] + w * t[1] + z * t[0] - x * t[2], a[2] + w * t[2] + x * t[1] - y * t[0]]
}

/** The same for the inverse turn: from world axes into the body's. */
export const unrotate = (q: ArrayLike<number>, k: number, a: Vector): Vector =>
  rotate([-q[k], -q[k + 1], -q[k + 2], q[k + 3]], 0, a)

/** Sum of normal impulses over dt [N], and the centre of pressure of contacts whose normals agree. */
export function support(world: World): { force: number; pressure: Vector } {
  const { count, impulse, point } = world.contacts
  let sum = 0
  const moment = [0, 0, 0]
  for (let i = 0; i < count; i++) {
    sum += impulse[3 * i]
    for (let d = 0; d < 3; d++) moment[d] += impulse[3 * i] * point[3 * i + d]
  }
  return { force: sum / world.dt, pressure: [moment[0] / sum, moment[1] / sum, moment[2] / sum] }
}

/** The parameters of a model that a world shows, by name. */
export function shown({ contactModel }: World): Record<string, number> {
  const { used, derived } = contactModel.parameters
  return Object.fromEntries([...used, ...derived].map(({ name, value }) => [name, Number(value)]))
}

/** Angle between a floating body's z axis and the world's [rad]. */
export const tiltOf = ({ state }: { readonly state: State }): number => Math.acos(Math.min(1, rotate(state.q, 3, [0, 0, 1])[2]))

const contactModelOf = (name: string) => makeWorld({ robot: sphere(1), model: name }).contactModel

/** Whether a model answers impulses, at the level of velocities, and has no dampers; the others answer forces of springs. */
export const isRigid = (name: string): boolean => {
  const { level, parameters } = contactModelOf(name)
  return level === 'velocity' && parameters.unused.includes('damping')
}

/** Whether impacts are met by impulses, all at once: by rigid models, and by others that have an option for them. */
export const isImpulsive = (model: string): boolean =>
  isRigid(model) || contactModelOf(model).parameters.used.some(({ name, value }) => name === 'impacts' && value !== 'none')

/** How deep the static load sinks a model: its weight over the static stiffness; 0 for rigid ones. */
export const sinkOf = (model: string, physical: Partial<PhysicalInputs> = {}): number =>
  isRigid(model) ? 0 : (physical.allowedPenetration ?? 1e-3)

/** Momentum of everything, [angular about the world's origin; linear] in world axes, of the present state. */
export function momentumMeter(world: World): () => Float64Array {
  const data = createData(world.model)
  return () => {
    kinematics(world.model, world.state, data)
    velocities(world.model, world.state, data)
    const h = new Float64Array(6)
    momentumW(world.model, data, h)
    return h
  }
}

/** Kinetic energy of the present state [J]. */
export function kineticMeter(world: World): () => number {
  const data = createData(world.model)
  const out = new Float64Array(1)
  return () => {
    kinematics(world.model, world.state, data)
    velocities(world.model, world.state, data)
    kineticEnergy(world.model, world.state, data, out)
    return out[0]
  }
}

/** Kinetic and potential energy of the present state [J]. */
export function energyMeter(world: World): () => number {
  const data = createData(world.model)
  const out = new Float64Array(2)
  const kinetic = new Float64Array(1)
  const potential = new Float64Array(1)
  return () => {
    kinematics(world.model, world.state, data)
    velocities(world.model, world.state, data)
    kineticEnergy(world.model, world.state, data, kinetic)
    potentialEnergy(world.model, world.state, data, potential)
    out[0] = kinetic[0] + potential[0]
    return out[0]
  }
}
