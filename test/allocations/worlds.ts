import {
  type ContactModelName,
  type ContactModelOptions,
  contactChoice,
  contactModelNames,
  type Integrator,
} from '../../contact/index.ts'
import {
  actuated,
  balance,
  type Controller,
  type ControllerState,
  createControllerLoop,
  defaultControllerFor,
  hold,
  Motors,
  type SensorOptions,
  withRotors,
} from '../../control/index.ts'
import { compilation } from '../../dynamics/index.ts'
import { loadOwnRobot, OWN_ROBOTS, type OwnRobot } from '../../robots/files.ts'
import { createFreeBody, loadRobot } from '../../robots/index.ts'
import { createGround, FrameSource, World, WorldBatch } from '../../simulation/index.ts'
import { sphere } from '../contact/laws/scenes.ts'
import { closing, couplerRates, fourbar } from '../contact/loops/linkages.ts'
import { daily, dailyPair, full } from '../dailyModels.ts'
import { type Running, type Subject, WINDOWS } from './subject.ts'

const dt = 1e-3
const stepsOf = (world: World): Running => ({ step: () => world.step() })

function controlled(
  name: OwnRobot,
  contactModel: ContactModelName,
  controller: 'default' | 'hold' | 'balance' = 'default',
  options = {},
): World {
  const robot = loadOwnRobot(name)
  const definition = (controller === 'default' ? defaultControllerFor(robot) : { hold, balance }[controller]()) as Controller
  const loop = createControllerLoop(definition, robot)
  return new World({ robot, ...contactChoice(contactModel, options), dt, controller: loop })
}

/** An arm with all forces that a file may name besides those of joints. */
function strung(contactModel: 'ncp' | 'penalty' | 'mujoco', contactOptions: ContactModelOptions = {}): World {
  const robot = loadRobot(
    `<mujoco><option density="1.2" viscosity=".01"/><worldbody><site name="high" pos=".1 .05 1.3"/><site name="side" pos=".2 0 1.4"/>
    <geom name="drum" type="cylinder" size=".06 .1" pos=".1 0 1.1" euler="90 10 0" contype="0" conaffinity="0"/>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" stiffness="2 1" springyield="5" damping=".2"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".02" mass="1"/><site name="near" pos=".2 0 .1"/>
    <body pos=".4 0 0"><joint name="b" type="ball" damping=".1"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1" fluidshape="ellipsoid"/><site name="tip" pos=".25 .01 .05"/></body></body></worldbody>
    <tendon><spatial name="t" stiffness="20" damping=".2" springlength=".1 .2"><site site="high"/><geom geom="drum" sidesite="side"/><site site="near"/><pulley divisor="2"/><site site="high"/><site site="tip"/></spatial></tendon>
    <actuator><muscle tendon="t" lengthrange=".2 1" force="5"/><motor site="tip" refsite="high" gear="1 0 0 0 1 0"/><orientation joint="b" kp="1"/><general cranksite="tip" slidersite="high" cranklength="2"/></actuator></mujoco>`,
    { file: 'strung.xml', ground: false },
  )
  const controller = new Motors(robot, [0.5, 0.1, 0.2, 0.1, 0.3, 0.1])
  return new World({ robot, ...contactChoice(contactModel, contactOptions), dt, fixtures: [], controller })
}

/** As many steps as are compared bit by bit; those of every build are compared by browser/determinism.test.ts. */
export const compared = full ? 10_000 : 2_000

/** With the hash after so many steps. */
function hashed(world: World): Running {
  for (let i = 0; i < compared; i++) world.step()
  const hash = world.hash()
  return { ...stepsOf(world), report: () => hash }
}

/** A gentle pull, in the same direction all the time. */
function pulled(): Running {
  const world = controlled('quadruped', 'penalty', 'hold')
  world.act({ type: 'pull', link: loadOwnRobot('quadruped').frames[0].name, to: [0, 0, 1], stiffness: 2, damping: 1 })
  return stepsOf(world)
}

/** `hold` that reads all that a controller is given by name. Its own channels are left out: V8 boxes what setters take where it has no room to inline them. */
function senses(link: string): Controller {
  const own = hold() as Controller
  const force = new Float64Array(6)
  const center = new Float64Array(3)
  return {
    init: (setup) => own.init(setup),
    update(state: ControllerState<unknown>, dt) {
      const { contacts, sensors } = state
      contacts.force(link, force, 'ground')
      if (contacts.touches(link)) contacts.centerOfPressure(link, center)
      force[0] = sensors.rays[0] + sensors.imu[9]
      return own.update(state, dt)
    },
  }
}

function sensing(): Running {
  const rotor = { rotorInertia: 1e-3, gearRatio: 3 }
  const actuators = [
    { joints: ['*_knee_joint'], lag: 2e-3, effortLimit: 80, noLoadSpeed: 60, ...rotor },
    { joints: ['*_hip_joint'], backlash: 1e-3, stiffness: 500, ...rotor },
  ]
  const robot = withRotors(loadOwnRobot('quadruped'), actuators)
  const { name: joint } = robot.joints[0]
  const link = robot.model.bodyName[robot.model.nb - 1]
  const errors = { noise: 1e-3, bias: 1e-3, resolution: 1e-4, delay: 4e-3 }
  const sensors: Record<string, SensorOptions> = {
    imu: { type: 'imu', link, ...errors },
    leg: { type: 'force-torque', joint, ...errors },
    angle: { type: 'encoder', joint, ...errors },
    rays: { type: 'rays', link: robot.model.bodyName[1], directions: [0, 0, -1, 0.6, 0, -0.8], range: 5, ...errors },
    where: { type: 'pose', of: robot.name, ...errors },
  }
  const controller = actuated(createControllerLoop(senses(link), robot, { sensors }), robot, actuators)
  return stepsOf(new World({ robot, contactModel: 'penalty', dt, controller }))
}

/** Steps of which every one is read into a frame. */
function recorded(name: OwnRobot): Running {
  const source = new FrameSource(new World({ robot: loadOwnRobot(name), contactModel: contactModelNames[0], dt }))
  return {
    step() {
      source.world.step()
      source.read()
    },
  }
}

/** A linkage that goes round beside two welded bodies on the ground. */
function looped(contactModel: ContactModelName, integrator: Integrator, contactOptions: ContactModelOptions): Running {
  const box = (name: string, position: [number, number, number]) =>
    createFreeBody({ name, shape: { type: 'box', size: [0.2, 0.3, 0.1] }, mass: 2, position })
  const { elbow, swing } = couplerRates(0)
  return stepsOf(
    new World({
      robots: [
        { robot: fourbar(), v: [3, 3 * elbow, 3 * swing] },
        { robot: box('table', [1, 0, 0.05]) },
        { robot: box('leaf', [1.2, 0, 0.1]) },
      ],
      ...contactChoice(contactModel, contactOptions),
      integrator,
      dt,
      loops: [closing('hinge'), { kind: 'weld', a: { robot: 'table' }, b: { robot: 'leaf' } }],
    }),
  )
}

/** Two pendulums under a coupling, dry friction and a limit of lengths, and two bodies welded for the while. */
function coupled(contactModel: ContactModelName, integrator: Integrator): Running {
  const arm = (name: string, y: number) =>
    `<body name="${name}" pos="0 ${y} 1"><joint name="${name}" axis="0 1 0"/><geom size="0.05" pos="0.4 0 0" mass="1" contype="0" conaffinity="0"/><site name="${name}" pos="0.4 0 0"/></body>`
  const robot = loadRobot(
    `<mujoco><worldbody>${arm('a', 0)}${arm('b', 1)}<site name="hook" pos="0 0 1.8"/></worldbody>
    <tendon><spatial name="rope" range="0 1.1" frictionloss="0.1"><site site="hook"/><site site="a"/></spatial></tendon>
    <equality><joint joint1="a" joint2="b" polycoef="0 1 0.1"/></equality></mujoco>`,
    { file: 'coupled.xml' },
  )
  const box = (name: string, x: number) =>
    createFreeBody({ name, shape: { type: 'sphere', radius: 0.1 }, mass: 2, position: [x, 0, 50] })
  const loops = [{ kind: 'weld', a: { robot: 'one' }, b: { robot: 'two' }, active: true }] as const
  const robots = [{ robot }, { robot: box('one', 3) }, { robot: box('two', 4) }]
  return stepsOf(new World({ robots, fixtures: [], contactModel, integrator, dt, loops }))
}

/** A column of balls that stands. */
function column(solver: string, balls: number): Running {
  return stepsOf(
    new World({
      robots: Array.from({ length: balls }, (_, i) => ({ robot: sphere(0.1, 1), q: [0, 0, 0.2 * (i + 0.5), 0, 0, 0, 1] })),
      ...contactChoice('ncp', { solver }),
      dt,
    }),
  )
}

/** A tree and a body that turn in the air, kept at their speeds of the start. */
function flying(contactModel: ContactModelName): Running {
  const shape = { type: 'box', size: [0.2, 0.3, 0.1] } as const
  const world = new World({
    robots: [
      { robot: loadOwnRobot('humanoid') },
      { robot: createFreeBody({ name: 'club', shape, mass: 2, centerOfMass: [0.1, 0.2, 0], position: [0, 2, 5] }) },
    ],
    fixtures: [],
    contactModel,
    dt,
  })
  const { q } = world.state
  const start = q.slice()
  return {
    step() {
      q.set(start)
      world.state.v.fill(1)
      world.step()
    },
  }
}

/** A box that is kept spinning, and whose friction has directions. */
function directed(contactModel: ContactModelName): Running {
  const shape = { type: 'box', size: [0.2, 0.3, 0.1] } as const
  const surface = { friction: 0.3, frictionAcross: 0.1, frictionAxis: [1, 0, 0] } as const
  const body = createFreeBody({ name: 'box', shape, mass: 2, position: [0, 0, 0.0495], ...surface })
  const world = new World({ robot: body, fixtures: [createGround()], contactModel, dt })
  return {
    step() {
      world.state.v[2] = 3
      world.step()
    },
  }
}

/** A box that is kept from going along with the belt to which it adheres. */
function belted(contactModel: ContactModelName): Running {
  const surface = { friction: 0.3, adhesion: 5, torsionRadius: 0.01 } as const
  const body = createFreeBody({
    name: 'box',
    shape: { type: 'box', size: [0.2, 0.3, 0.1] },
    mass: 2,
    position: [0, 0, 0.0495],
    ...surface,
  })
  const velocity = new Float64Array(3)
  const run = (t: number, out: Float64Array) => {
    velocity[0] = t
    out[0] = 0.1 + 0.01 * velocity[0]
    out[5] = 0.2
  }
  const world = new World({ robot: body, fixtures: [{ ...createGround(), surfaceVelocity: run }], contactModel, dt })
  return {
    step() {
      world.state.v[3] = 0
      world.step()
    },
  }
}

/** A humanoid on compiled dynamics from the first step. */
function compiled(): Running {
  compilation.after = 0
  const world = controlled('humanoid', 'ncp', 'hold')
  world.step()
  compilation.after = Infinity
  if (world.data.compiled?.isReady !== true) throw new Error('the dynamics were not compiled')
  return stepsOf(world)
}

/**
 * Of each of a few robots with its controller. The quadruped's is about its controller: impulses of its landings, as penalty models have
 * them, are too seldom to be compiled.
 */
export const controlledRobots: readonly (readonly [OwnRobot, ContactModelName])[] = [
  ...(full ? dailyPair : (['ncp'] as const)).map((model) => ['diffdrive', model] as const),
  ...dailyPair.map((model) => ['humanoid', model] as const),
  ['quadruped', 'ncp'],
]
export const solvesProblems = (name: OwnRobot, contactModel: ContactModelName): boolean =>
  new World({ robot: loadOwnRobot(name), contactModel, dt }).contactModel.solvers.includes('newton')

/** Windows give up what happens less than once in so many steps, and slower leaks than are allocated. */
const steps = full ? 10_000 : 500
const limit = full ? 1_000_000 : 20_000

/** Robots that take their turns in a batch, one of which is dropped. */
function batched(contactModel: ContactModelName): Running {
  const batch = new WorldBatch({ count: 4, robot: loadOwnRobot('diffdrive'), contactModel, dt })
  batch.friction[1] = 0.3
  batch.q[2] += 0.05
  return { step: () => batch.step(), units: 4, seen: () => batch.contactCounts[1] }
}

const models: Subject[] = [
  ...dailyPair.map((model) => ({
    name: `${model}: steps of a batch of worlds allocate nothing`,
    steps: 500,
    limit: 20_000,
    bounds: { quietest: 0.05 }, // a number in each 500 of them
    setup: () => batched(model),
  })),
  { name: 'steps on compiled dynamics allocate nothing', steps: 500, limit: 20_000, setup: compiled },
  ...(['springs', 'solved'] as const).map((friction) => ({
    name: `${friction}: steps of a robot that stands on them allocate nothing`,
    steps: 500,
    limit: 50_000,
    setup: () => stepsOf(controlled('diffdrive', 'penalty', 'hold', { friction })),
  })),
  ...(
    [
      ['contact-pgs', 2],
      ['micro-impulses', 1],
    ] as const
  ).map(([solver, balls]) => ({
    name: `ncp by ${solver}: steps in which a column of balls stands allocate nothing, ${balls} high`,
    steps: 500,
    limit: 20_000,
    setup: () => column(solver, balls),
  })),
  ...dailyPair.map((model) => ({
    name: `${model}: steps of free flight allocate nothing`,
    steps: 500,
    limit: 20_000,
    setup: () => flying(model),
  })),
  ...dailyPair.map((model) => ({
    name: `${model}: steps on friction by direction allocate nothing`,
    steps: 500,
    limit: 20_000,
    setup: () => directed(model),
  })),
  ...dailyPair.map((model) => ({
    name: `${model}: steps on a belt that adheres allocate nothing`,
    steps: 500,
    limit: 20_000,
    setup: () => belted(model),
  })),
  ...daily(
    [
      ['lcp', 'test-forces', 'humanoid'],
      ['lotstedt', 'test-forces', 'diffdrive'],
    ] as const,
    1,
  ).map(([model, matrix, robot]) => ({
    suite: 'steps of standing, in which contacts go on as they did, allocate nothing',
    name: `${model}, ${matrix}, ${robot}`,
    steps: 500,
    limit: 32_000,
    bounds: { middle: 16 },
    setup: () => stepsOf(controlled(robot, model, 'hold', { matrix })),
  })),
]

/** A process each: whose types of objects the engine has seen in a hot function decides whether it boxes numbers there. */
const loops: Subject[] = (
  [
    ...dailyPair.map((name) => [name, 'semi-implicit-euler', {}] as const),
    ['penalty', 'rk4', {}],
    ['lcp', 'rk4', {}],
    ['ncp', 'semi-implicit-euler', { loops: 'end-of-step' }],
    ['ncp', 'semi-implicit-euler', { step: 'trapezoidal' }],
    ['drake', 'semi-implicit-euler', { approximation: 'tamsi', points: 'one' }],
  ] as const
).map(([contactModel, integrator, options]) => ({
  suite: 'steps allocate nothing',
  name: `${contactModel}, ${integrator}, ${JSON.stringify(options)}`,
  steps: full ? 2_000 : 500,
  limit: full ? 400_000 : 15_000,
  // what the engine makes once when it compiles a function anew
  bounds: { middle: 8, growth: Number.POSITIVE_INFINITY },
  setup: () => looped(contactModel, integrator, options),
}))

/** A process each, as those of loops. */
const lengths: Subject[] = (
  [...dailyPair.map((name) => [name, 'semi-implicit-euler'] as const), ['penalty', 'rk4']] as const
).map(([contactModel, integrator]) => ({
  suite: 'steps with lengths and a loop that is on for the while allocate nothing',
  name: `${contactModel}, ${integrator}`,
  steps: full ? 2_000 : 500,
  limit: full ? 400_000 : 15_000,
  bounds: { middle: 8, growth: Number.POSITIVE_INFINITY },
  setup: () => coupled(contactModel, integrator),
}))

const standing = { steps, limit, bounds: { growth: Number.POSITIVE_INFINITY } }
const simulation: Subject[] = [
  ...controlledRobots.flatMap(([name, contactModel]): Subject[] => {
    const suite = `${name} under ${contactModel}, with its controller`
    const solves = solvesProblems(name, contactModel)
    return [
      {
        suite,
        name: 'steps allocate nothing, and the heap does not grow',
        steps,
        limit,
        // Where a problem is solved, modes that change seldom are found by code that the engine has not compiled, which boxes numbers:
        // some kilobytes each time, in one step of some thousands; and what it compiles at last it keeps, once: a hundred kilobytes.
        bounds: solves ? { quietest: 8, middle: 40, growth: full ? 5 : 10 } : { growth: full ? 1 : 3 },
        setup: () => hashed(controlled(name, contactModel)),
      },
      // anitescu-potra projects a nanometre out once in some hundred steps, which the engine has not compiled either
      ...(solves && contactModel !== 'anitescu-potra'
        ? [
            {
              ...standing,
              suite,
              name: 'steps of standing, in which contacts go on as they did, allocate nothing at all',
              setup: () => stepsOf(controlled(name, contactModel, 'hold')),
            },
          ]
        : []),
    ]
  }),
  {
    ...standing,
    name: 'whole-body inverse dynamics allocates nothing',
    setup: () => stepsOf(controlled('quadruped', 'ncp', 'balance')),
  },
  { ...standing, name: 'a pull allocates nothing', setup: pulled },
  { ...standing, name: 'sensors, contacts by name and actuators allocate nothing', setup: sensing },
  ...(['ncp', 'penalty'] as const).map((model) => ({
    ...standing,
    name: `tendons, a medium, muscles and a servo of an orientation allocate nothing under ${model}`,
    setup: () => stepsOf(strung(model)),
  })),
  ...(['implicitfast', 'rk4'] as const).flatMap((integrator) => [
    {
      ...standing,
      name: `the same under mujoco with integrator ${integrator}`,
      setup: () => stepsOf(strung('mujoco', { integrator })),
    },
    {
      ...standing,
      name: `the quadruped under mujoco with integrator ${integrator}`,
      setup: () => stepsOf(controlled('quadruped', 'mujoco', 'hold', { integrator })),
    },
  ]),
  ...(['diffdrive', 'humanoid'] as const).map((name) => ({
    ...standing,
    suite: 'a frame',
    name: `${name}: reading 10,000 of them allocates nothing`,
    setup: () => recorded(name),
  })),
]

/** A million steps of a millisecond each, over a quarter of an hour of motion; a hundredth of it in the daily suite, of the humanoid alone. */
export const enduring = full ? 1_000_000 : 10_000

/** A gripper by itself touches nothing; a million steps of 36 rollers take a quarter of an hour under each model. */
const touching = OWN_ROBOTS.filter((name) => !name.endsWith('gripper') && !(full && name === 'mecanum'))
export const endurances = touching.flatMap((name) =>
  dailyPair.flatMap((model) => (full || (name === 'humanoid' && model === 'ncp') ? [[name, model] as const] : [])),
)

const endurance: Subject[] = endurances.map(([name, contactModel]) => ({
  name: `${name} under ${contactModel} goes on for all steps: finite, upright, no failures, and the heap stays flat`,
  // the windows of a warm-up and those that are counted
  steps: enduring / (2 * WINDOWS),
  limit: enduring,
  // the engine may hold some more or some fewer of its own tables
  bounds: { quietest: Number.MAX_VALUE, middle: Number.POSITIVE_INFINITY, growth: 500_000 / enduring },
  setup() {
    const world = controlled(name, contactModel)
    return {
      step: () => world.step(),
      report: () => {
        const { failures, fallbacks, solvers } = world.events
        const finite = [...world.state.q, ...world.state.v].every(Number.isFinite)
        return { steps: world.stepCount, finite, height: world.state.q[2], failures, fallbacks, solvers }
      },
    }
  },
}))

/** Of loops all in one process day by day, when there are few. */
const byThemselves = full ? Object.fromEntries(loops.map((subject, i) => [`loops ${i}`, [subject]])) : { loops }
export const groups = {
  models,
  simulation,
  endurance,
  ...byThemselves,
  ...Object.fromEntries(lengths.map((subject, i) => [`lengths ${i}`, [subject]])),
}
