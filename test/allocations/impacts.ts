import { ContactSet, contactChoice, type ImpactHypothesis, ImpactPhase, noEvents, treesOf } from '../../contact/index.ts'
import { type BodyDefinition, buildModel, createRandom, createState, JointType } from '../../dynamics/index.ts'
import { World } from '../../simulation/index.ts'
import { hypotheses } from '../contact/impacts/scene.ts'
import { sphere } from '../contact/laws/scenes.ts'
import { daily } from '../dailyModels.ts'
import { dataAt } from '../dynamics/at.ts'
import { body, hinge } from '../dynamics/bodies.ts'
import type { Running, Subject } from './subject.ts'

/** A trunk with two hinged legs, `first` being the number of the trunk. */
function walker(name: string, first: number, mass: number): BodyDefinition[] {
  const inertia = [0.03 * mass, 0.02 * mass, 0.01 * mass, 0, 0, 0] as const
  const leg = (side: string, x: number): BodyDefinition =>
    body(`${name} ${side}`, hinge(`${name} ${side} hip`, first, [0, 1, 0], [x, 0.05, -0.1]), {
      mass: 0.3 * mass,
      centerOfMass: [0.02, 0, -0.2],
      inertia,
    })
  const trunk = { name, jointName: `${name} base`, parent: 0, jointType: JointType.floating, mass, inertia } as const
  return [trunk, leg('left', 0.2), leg('right', -0.2)]
}

/** Steps of the impact phase, every other of which meets impacts of two jointed robots with each other and with the ground. */
function jointed(impacts: ImpactHypothesis): Running {
  const model = buildModel('two walkers', [...walker('one', 1, 2), ...walker('two', 4, 3)])
  const state = createState(model)
  for (let i = 1; i < model.nb; i++) if (model.jointType[i] === JointType.floating) state.q[model.qStart[i] + 6] = 1
  const data = dataAt(model, state)

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
    endAt() {},
  }
  step.dt = 1e-3

  // velocities of a thousand impacts, made before
  const random = createRandom(7)
  const speeds = Float64Array.from({ length: 1000 * model.nv }, () => random.between(-2, 2))
  let k = 0
  return {
    seen: () => step.events.iterations,
    step() {
      contacts.count = k % 2 === 0 ? points.length : 0
      const from = (k++ % 1000) * model.nv
      for (let j = 0; j < model.nv; j++) state.v[j] = speeds[from + j]
      phase.resolve(step)
      phase.report(contacts)
    },
  }
}

/** Steps in which elastic balls hop on the ground. */
function balls(contactModel: string, impulses: string): Running {
  const world = new World({
    robots: Array.from({ length: 6 }, (_, i) => ({
      robot: sphere(0.05, 1 + 0.1 * i),
      q: [0.3 * i, 0, 0.06 + 0.005 * i, 0, 0, 0, 1],
    })),
    ...contactChoice(contactModel, { impulses }),
    dt: 5e-3,
    physical: { restitution: 1, friction: 0.3 },
  })
  let impacts = 0
  return {
    seen: () => impacts,
    step() {
      world.step()
      const { count, impact } = world.contacts
      for (let i = 0; i < count; i++) if (impact[3 * i] > 0) impacts++
    },
  }
}

const impacts: Subject[] = [
  ...hypotheses.map((hypothesis) => ({
    suite: 'allocation',
    name: `${hypothesis}: 2,500 steps, every other with impacts of jointed robots, allocate nothing`,
    steps: 2_500,
    limit: 45_000,
    // an impulse and a half a step: one boxed number in each would be 24 bytes
    bounds: { quietest: 2, middle: 2, growth: 2 },
    seen: 1,
    setup: () => jointed(hypothesis),
  })),
  ...daily(
    [
      ['stewart-trinkle', 'simultaneous'],
      ['ncp', 'sequential'],
      ['lcp', 'simultaneous'],
    ] as const,
    1,
  ).map(([model, impulses]) => ({
    suite: 'allocation',
    name: `${model}, ${impulses}: 2,000 steps of elastic balls allocate nothing`,
    steps: 2_000,
    limit: 24_000,
    // one boxed number in each impact would be 4 bytes a step; what the engine compiles at last it keeps, once: a hundred kilobytes
    bounds: { quietest: 1, middle: Number.POSITIVE_INFINITY, growth: 5 },
    seen: 0.025,
    setup: () => balls(model, impulses),
  })),
]

export const groups = { impacts }
