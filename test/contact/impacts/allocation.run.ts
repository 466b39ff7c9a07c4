/*
 * Run by allocation.test.ts in a process of its own, with HYPOTHESIS. Prints what windows of 2,500 steps of the impact phase allocated,
 * every other of which meets impacts of two jointed robots with each other and with the ground.
 */
import { ContactSet, type ImpactHypothesis, ImpactPhase, noEvents, treesOf } from '../../../contact/index.ts'
import {
  type BodyDefinition,
  buildModel,
  createData,
  createRandom,
  createState,
  JointType,
  kinematics,
} from '../../../dynamics/index.ts'
import { measureWindows } from '../../allocation.ts'

/** A trunk with two hinged legs, `first` being the number of the trunk. */
function walker(name: string, first: number, mass: number): BodyDefinition[] {
  const inertia = [0.03 * mass, 0.02 * mass, 0.01 * mass, 0, 0, 0] as const
  const leg = (side: string, x: number): BodyDefinition => ({
    name: `${name} ${side}`,
    jointName: `${name} ${side} hip`,
    parent: first,
    jointType: JointType.revolute,
    axis: [0, 1, 0],
    position: [x, 0.05, -0.1],
    mass: 0.3 * mass,
    centerOfMass: [0.02, 0, -0.2],
    inertia,
  })
  const trunk = { name, jointName: `${name} base`, parent: 0, jointType: JointType.floating, mass, inertia } as const
  return [trunk, leg('left', 0.2), leg('right', -0.2)]
}

const model = buildModel('two walkers', [...walker('one', 1, 2), ...walker('two', 4, 3)])
const state = createState(model)
for (let i = 1; i < model.nb; i++) if (model.jointType[i] === JointType.floating) state.q[model.qStart[i] + 6] = 1
const data = createData(model)
kinematics(model, state, data)

const contacts = new ContactSet()
const points = [
  { a: 0, b: 2, pair: 0, at: [0.2, 0.05, -0.5], normal: [0, 0, 1] },
  { a: 0, b: 2, pair: 0, at: [0.25, 0.05, -0.5], normal: [0, 0, 1] },
  { a: 0, b: 3, pair: 1, at: [-0.2, 0.05, -0.5], normal: [0, 0, 1] },
  { a: 0, b: 6, pair: 2, at: [-0.2, 0.1, -0.5], normal: [0.6, 0, 0.8] },
  { a: 1, b: 4, pair: 3, at: [0.1, 0, 0.1], normal: [0, 0.6, 0.8] },
]
points.forEach(({ a, b, pair, at, normal }, i) => {
  contacts.bodyA[i] = a
  contacts.bodyB[i] = b
  contacts.pair[i] = pair
  contacts.point.set(at, 3 * i)
  contacts.normal.set(normal, 3 * i)
  // t1 in the plane of the normal, t2 = n x t1
  const [x, y, z] = normal
  const size = Math.hypot(y, z)
  contacts.tangent1.set([0, z / size, -y / size], 3 * i)
  contacts.tangent2.set([(-y * y - z * z) / size, (x * y) / size, (x * z) / size], 3 * i)
  contacts.mu[i] = 0.3 + 0.1 * i
  contacts.muStatic[i] = 0.35 + 0.1 * i
  contacts.restitution[i] = 0.2 * i
})

const context = {
  model,
  trees: treesOf(model),
  physical: { allowedPenetration: 1e-3, friction: 0, restitution: 0 },
  integrator: 'rk4',
  dt: 1e-3,
  mass: 1,
  gravity: 0,
  pairCount: 4,
} as const
const impacts = process.argv[2] as ImpactHypothesis
const phase = new ImpactPhase(context, { impacts, restitutionThreshold: 0.01 }, 0)
const step = {
  model,
  state,
  data,
  contacts,
  tau: new Float64Array(model.nv),
  // made as null, so that V8 keeps dt as an object
  dt: null as unknown as number,
  memory: new Float64Array(phase.memorySize),
  events: noEvents([]),
  detect() {},
  detectStart() {},
  detectAt() {},
}
step.dt = 1e-3

// velocities of a thousand impacts, made before
const random = createRandom(7)
const speeds = Float64Array.from({ length: 1000 * model.nv }, () => random.between(-2, 2))
function run(steps: number): void {
  for (let k = 0; k < steps; k++) {
    contacts.count = k % 2 === 0 ? points.length : 0
    const from = (k % 1000) * model.nv
    for (let j = 0; j < model.nv; j++) state.v[j] = speeds[from + j]
    phase.meet(step)
    phase.report(contacts)
  }
}
run(20_000)
step.events.iterations = 0
const allocation = await measureWindows(() => run(2_500))
process.stdout.write(JSON.stringify({ ...allocation, impulses: step.events.iterations, fallbacks: step.events.fallbacks }))
