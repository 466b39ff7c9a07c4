/** A well-formed call of each public function that checks its arguments; `wrongCalls.ts` changes these one value at a time. */
import * as compare from '../../compare/index.ts'
import * as contact from '../../contact/index.ts'
import * as files from '../../control/files.ts'
import * as control from '../../control/index.ts'
import * as dynamics from '../../dynamics/index.ts'
import * as robotFiles from '../../robots/files.ts'
import * as robots from '../../robots/index.ts'
import * as simulation from '../../simulation/index.ts'
import * as threads from '../../simulation/threads.ts'

type Args = unknown[]
export interface Call {
  /** The least that has to be stated. A value of it that is left out is a mistake. */
  readonly least: () => Args
  /** All of it, default: the least. */
  readonly all?: () => Args
  run(...args: never[]): unknown
}

const call = (run: (...args: never[]) => unknown, least: () => Args, all?: () => Args): Call => ({ run, least, all })

const robot = robotFiles.loadOwnRobot('diffdrive')
const arm = robotFiles.loadOwnRobot('gripper')
const humanoid = robotFiles.loadOwnRobot('humanoid')
const quadruped = robotFiles.loadOwnRobot('quadruped')
const box = robots.createFreeBody({ name: 'box', shape: { type: 'box', size: [0.1, 0.1, 0.1] }, mass: 1 })
const urdf = `<robot name="two"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint></robot>`
const worldOf = (more = {}) => new simulation.World({ robot: box, contactModel: 'ncp', dt: 1e-3, ...more })
const loopOf = (own = robot) => control.createControllerLoop(control.hold() as control.Controller, own)
const identity = () => [1, 0, 0, 0, 1, 0, 0, 0, 1]
const surface = () => ({
  ...{
    friction: 0.5,
    staticFriction: 0.6,
    viscousFriction: 0.1,
    stribeckVelocity: 0.1,
    torsionRadius: 0.01,
    rollingLength: 0.01,
  },
  ...{ restitution: 0.1, stiffness: 1e5, damping: 10, solvedStaticFriction: false, adhesion: 0, adhesionRange: 0 },
})
const body = () => ({ name: 'b', shape: { type: 'box', size: [0.1, 0.1, 0.1] } })
const wall = () => ({ name: 'wall', body: 0, shape: { type: 'box', size: [1, 1, 0.1] }, R: identity(), p: [0, 0, -1] })
const loading = () => ({
  ...{ file: 'two.urdf', base: 'fixed', ground: true, strict: false, upAxis: 'ignore', maxLinks: 100, density: 1000, fit: false },
  ...{ concave: false, xacroArgs: { a: '1' }, environment: { HOME: '/' }, maxElements: 1000 },
})
const loader = (run: (...args: never[]) => unknown) =>
  call(
    run,
    () => [urdf, { file: 'two.urdf' }],
    () => [urdf, loading()],
  )
const scenario = () => ({ robot: 'diffdrive', duration: 0.01, models: ['ncp'], dt: 1e-3 })
const checkedScenario = await compare.checkScenario(scenario() as never)
const acting = (least: () => object, all?: () => object, more?: () => object) =>
  call(
    (action: never) => worldOf(more?.()).act(action),
    () => [least()],
    all && (() => [all()]),
  )
const swinging = () => ({
  robots: [{ robot: box }, { robot: arm }],
  loops: [{ name: 'rope', kind: 'point', a: { robot: 'box' }, b: { link: 'world' }, active: true }],
})
const start = (controller: control.Controller<never>, own = arm) =>
  worldOf({ robot: own, controller: control.createControllerLoop(controller as control.Controller, own) })
/** A controller of options alone, made and started. */
const controller = (create: (options: never) => control.Controller<never>, least: object | undefined, all: object, own = arm) =>
  call(
    (options: never) => start(create(options), own),
    () => (least ? [structured(least)] : []),
    () => [structured(all)],
  )
/** A copy of plain data, functions and what is made elsewhere as they are. */
const structured = <T>(value: T): T => {
  if (Array.isArray(value)) return value.map(structured) as T
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  if ('sample' in value || 'init' in value || 'model' in value) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, structured(one)])) as T
}
const response = { omega: 10, damping: 1 }
const follower = { along: 1, across: 1, heading: 1 }
const waveOf = (own: typeof robot) => control.wave(own)
const zero = () => 0
const still = () => [0, 0, 0]
const frameOptions = { link: arm.frames.at(-1)!.name, ...response, postureOmega: 1, postureDamping: 1 }
const fixedArm = robots.loadRobot(urdf, { file: 'two.urdf', base: 'fixed' })
const onFrame = { ...frameOptions, link: 'b' }
const waypoints = () => [
  { t: 0, pose: 'home' },
  { t: 1, joints: { j: 0.5 } },
]
const model = () => ({
  ...{ name: 'a', jointName: 'j', parent: 0, jointType: 0, mass: 1, inertia: [1, 1, 1, 0, 0, 0] },
})
const lcp = JSON.stringify({ kind: 'lcp', A: [[1]], b: [-1] })
const problem = () => JSON.parse(JSON.stringify(compare.parseProblem(lcp, 'p.json')))
const checkpoint = compare.checkpointText(worldOf().checkpoint())
const actuator = () => ({
  ...{ joints: [robot.joints[0].name], interface: 'velocity', kp: 1, kd: 1, effortLimit: 10, noLoadSpeed: 10, lag: 0.01 },
  ...{ rotorInertia: 0.01, gearRatio: 2, backlash: 0.01, stiffness: 100, friction: 0.1, damping: 0.1 },
})
const mounting = { position: [0, 0, 0], rotation: identity() }
const errors = { rate: 100, delay: 0.01, noise: 0.1, bias: 0, resolution: 0.01 }
const sensor = (own: object) => () => [robot, { s: { ...structured(own), ...errors } }, 1e-3, 1]

export const calls: Readonly<Record<string, Call>> = {
  // robots
  createFreeBody: call(
    robots.createFreeBody,
    () => [{ ...body(), mass: 1 }],
    () => [
      {
        ...{ ...body(), ...surface(), mass: 1, centerOfMass: [0, 0, 0], inertia: [1, 1, 1, 0, 0, 0], position: [0, 0, 1] },
        ...{ quaternion: [0, 0, 0, 1], gravity: [0, 0, -9.81], surfaceVelocity: [0, 0, 0, 0, 0, 0] },
      },
    ],
  ),
  'createFreeBody by density': call(robots.createFreeBody, () => [{ ...body(), density: 1000 }]),
  createPrescribedBody: call(
    robots.createPrescribedBody,
    () => [body()],
    () => [{ ...body(), ...surface(), position: [0, 0, 1] }],
  ),
  loadRobot: loader(robots.loadRobot),
  loadExamined: loader(robots.loadExamined),
  examineRobot: loader(robots.examineRobot),
  describeRobot: loader(robots.describeRobot),
  placeRobot: call(
    robots.placeRobot,
    () => [fixedArm],
    () => [fixedArm, Float64Array.from(identity()), new Float64Array(3)],
  ),
  combineRobots: call(robots.combineRobots, () => [
    'two',
    [
      { name: 'a', robot },
      { name: 'b', robot: box, R: identity(), p: [0, 0, 1] },
    ],
  ]),
  placesAt: call(robots.placesAt, () => [robot, robot.home]),
  placedShapes: call(robots.placedShapes, () => [robot, robot.home]),
  sizeOf: call(robots.sizeOf, () => [robot, robot.home]),
  parseXml: call(robots.parseXml, () => ['<a/>', 'a.xml']),
  decodeXml: call(robots.decodeXml, () => [new TextEncoder().encode('<a/>'), 'a.xml']),
  memoryResolver: call(robots.memoryResolver, () => [new Map()]),
  // their files
  loadOwnRobot: call(
    robotFiles.loadOwnRobot,
    () => ['diffdrive'],
    () => ['diffdrive', { base: 'fixed', ground: true }],
  ),
  loadRobotFile: call(
    robotFiles.loadRobotFile,
    () => [robotFiles.ownRobotPath('diffdrive')],
    () => [robotFiles.ownRobotPath('diffdrive'), { base: 'fixed', roots: [], packages: {}, ground: true }],
  ),
  openRobotFile: call(
    robotFiles.openRobotFile,
    () => [robotFiles.ownRobotPath('diffdrive')],
    () => [robotFiles.ownRobotPath('diffdrive'), { base: 'fixed', roots: [], packages: {} }],
  ),
  ownRobotPath: call(robotFiles.ownRobotPath, () => ['diffdrive']),
  locateRobot: call(robotFiles.locateRobot, () => ['go1']),
  // dynamics
  buildModel: call(
    dynamics.buildModel,
    () => ['m', [{ ...model(), axis: [0, 0, 1], jointType: dynamics.JointType.revolute }]],
    () => [
      'm',
      [
        {
          ...{ ...model(), jointType: dynamics.JointType.revolute, axis: [0, 0, 1], rotation: identity(), position: [0, 0, 0] },
          ...{ centerOfMass: [0, 0, 0], damping: 1, friction: 1, armature: 1, stiffness: 1, springReference: 0, lower: -1 },
          ...{ upper: 1, effortLimit: 1, velocityLimit: 1 },
        },
      ],
      [0, 0, -9.81],
    ],
  ),
  createRandom: call(dynamics.createRandom, () => [1]),
  // contact
  contactModelNamed: call(contact.contactModelNamed, () => ['ncp']),
  contactChoice: call(
    contact.contactChoice,
    () => ['ncp'],
    () => ['ncp', { sweeps: 3 }],
  ),
  checkShape: call(contact.checkShape, () => [{ type: 'box', size: [1, 1, 1] }, 'b']),
  'checkShape of a sphere': call(contact.checkShape, () => [{ type: 'sphere', radius: 1 }, 'b']),
  'checkShape of a half-space': call(contact.checkShape, () => [{ type: 'halfspace', normal: [0, 0, 1], offset: 0 }, 'b']),
  checkSurface: call(
    contact.checkSurface,
    () => [{}, 'b'],
    () => [surface(), 'b'],
  ),
  polyhedralVersion: call(
    contact.polyhedralVersion,
    () => [{ type: 'sphere', radius: 1 }],
    () => [
      { type: 'sphere', radius: 1 },
      { sides: 8, fit: 'inscribed' },
    ],
  ),
  // simulation
  StepGradient: call(
    (options: never, directions: never) => new simulation.StepGradient(options, directions),
    () => [{ robot: box, contactModel: 'ncp', dt: 1e-3 }, [{}]],
    () => {
      const [dq, dv, dtau] = [Array(6).fill(0), Array(6).fill(0), Array(6).fill(0)]
      return [{ robot: box, contactModel: 'ncp', dt: 1e-3 }, [{ dq, dv, dtau, parameter: { kind: 'friction' } }]]
    },
  ),
  WorldBatch: call(
    (options: never) => new simulation.WorldBatch(options),
    () => [{ count: 2, robot: box, contactModel: 'ncp', dt: 1e-3 }],
  ),
  createWorldThreads: call(
    async (options: never) => (await threads.createWorldThreads(options)).close(),
    () => [{ count: 2, threads: 1, robot: box, contactModel: 'ncp', dt: 1e-3 }],
  ),
  World: call(
    (options: never) => new simulation.World(options),
    () => [{ robot: box, contactModel: 'ncp', dt: 1e-3 }],
    () => [
      {
        ...{ robot: arm, contactModel: 'ncp', contactOptions: { sweeps: 3, solver: 'contact-pgs' }, dt: 1e-3, q: [...arm.home] },
        ...{
          v: Array(arm.model.nv).fill(0),
          pushes: [{ name: 'p', impulse: [0, 0, 1], at: 0, duration: 0.1, link: arm.frames.at(-1)!.name }],
        },
        ...{
          fixtures: [
            { ...wall(), ...surface(), frictionAcross: 0.4, frictionAxis: [1, 0, 0], viscousFriction: 0, stribeckVelocity: 0 },
          ],
        },
        ...{ selfCollision: 'all-but-adjacent', excludedCollisions: [[arm.shapes[0].link, arm.shapes.at(-1)!.link]] },
        ...{
          allowHomeOverlaps: true,
          maxPointsPerPair: 4,
          ccd: true,
          stepBudget: 1e10,
          integrator: 'rk4',
          controller: loopOf(arm),
        },
        materials: { friction: 'min', restitution: 'max', unstated: 'other', geomFriction: 1 },
        physical: { allowedPenetration: 1e-3, stiffness: 1e5, damping: 10, friction: 0.5, restitution: 0.1, limitRestitution: 0 },
      },
    ],
  ),
  'World of several': call(
    (options: never) => new simulation.World(options),
    () => [{ robots: [{ robot: box }], contactModel: 'ncp', dt: 1e-3 }],
    () => [
      {
        ...{ contactModel: 'penalty', contactOptions: { friction: 'springs' }, dt: 1e-3 },
        robots: [
          { name: 'box', robot: box, q: [0, 0, 1, 0, 0, 0, 1], v: [0, 0, 0, 0, 0, 0] },
          { name: 'arm', robot, controller: loopOf() },
        ],
        loops: [
          {
            name: 'rope',
            kind: 'point',
            a: { robot: 'box', point: [0, 0, 0] },
            b: { link: 'world' },
            from: 0.1,
            until: 0.2,
            maxForce: 9,
          },
        ],
      },
    ],
  ),
  'act push': acting(
    () => ({ type: 'push', impulse: [0, 0, 1] }),
    () => ({ type: 'push', name: 'p', robot: 'box', link: 'box', impulse: [0, 0, 1], point: [0, 0, 0], duration: 1 }),
  ),
  'act pull': acting(
    () => ({ type: 'pull', to: [0, 0, 1] }),
    () => ({ type: 'pull', name: 'p', robot: 'box', link: 'box', to: [0, 0, 1], point: [0, 0, 0], stiffness: 1, damping: 1 }),
  ),
  'act release': acting(
    () => ({ type: 'release' }),
    () => ({ type: 'release', name: 'p' }),
  ),
  'act efforts': acting(
    () => ({ type: 'efforts', efforts: Array(arm.joints.length).fill(0) }),
    () => ({ type: 'efforts', robot: arm.name, efforts: Array(arm.joints.length).fill(0) }),
    () => ({ robot: arm }),
  ),
  'act loop': acting(
    () => ({ type: 'loop', name: 'rope', on: false }),
    undefined,
    () => ({ robot: undefined, ...swinging() }),
  ),
  'act command': acting(
    () => ({ type: 'command', command: [0, 0] }),
    () => ({ type: 'command', robot: robot.name, command: [0, 0] }),
    () => ({ robot, controller: loopOf() }),
  ),
  'World.subdivide': call(
    (k: never) => worldOf().subdivide(k),
    () => [1],
  ),
  'World.shorten': call(
    (part: never, ahead: never) => worldOf().shorten(part, ahead),
    () => [0.5, true],
  ),
  'World.attractionOf': call(
    (k: never) => worldOf().attractionOf(k),
    () => [0],
  ),
  'World.restore': call(
    (saved: never) => worldOf().restore(saved),
    () => [worldOf().checkpoint()],
  ),
  'World.adopt': call(
    (saved: never) => worldOf().adopt(saved),
    () => [worldOf().checkpoint()],
  ),
  ErrorControl: call(
    (...a: never[]) => new simulation.ErrorControl(...(a as unknown as [never, never, never])),
    () => [worldOf(), 1e-3, [0.3]],
  ),
  ContactTimes: call(
    (world: never) => new simulation.ContactTimes(world),
    () => [worldOf()],
  ),
  LiveRun: call(
    (...a: never[]) => new simulation.LiveRun(...(a as unknown as [never, never])),
    () => [{ dt: 1e-3 }, () => worldOf()],
  ),
  Recorder: call(
    (...a: never[]) => new simulation.Recorder(...(a as unknown as [never, never])),
    () => [worldOf()],
    () => [worldOf(), { every: 2, energy: true }],
  ),
  FrameSource: call(
    (world: never) => new simulation.FrameSource(world),
    () => [worldOf()],
  ),
  checkEvery: call(simulation.checkEvery, () => [2]),
  // control
  hold: controller(control.hold as never, undefined, { ...response, wheelSpeed: 0.1 }),
  unicycle: call(
    (...a: never[]) => start(control.unicycle(...(a as unknown as [never, never])) as never, robot),
    () => [control.figureEight()],
    () => [control.figureEight(), { ...follower }],
  ),
  computedTorque: controller(control.computedTorque as never, undefined, {
    ...response,
    trajectory: waveOf,
    efforts: { [arm.joints[0].name]: zero },
  }),
  driveAndWave: controller(
    control.driveAndWave as never,
    undefined,
    { ...response, ...follower, trajectory: waveOf, path: control.arc() },
    humanoid,
  ),
  balance: controller(control.balance as never, undefined, { friction: 0.5, shift: still, trajectory: waveOf }, quadruped),
  captureStep: controller(
    control.captureStep as never,
    undefined,
    { friction: 0.5, duration: 0.4, lift: 0.1, margin: 0, shift: still },
    quadruped,
  ),
  grip: controller(
    control.grip as never,
    { fingers: [arm.joints.at(-1)!.name], force: zero },
    { ...response, fingers: [arm.joints.at(-1)!.name], force: zero, speed: 0.1, follow: 10, trajectory: waveOf },
  ),
  operationalSpace: controller(control.operationalSpace as never, { link: 'b' }, onFrame, fixedArm),
  differentialKinematics: controller(
    control.differentialKinematics as never,
    { link: 'b' },
    { ...onFrame, turning: 0.1, fastest: 3 },
    fixedArm,
  ),
  impedance: controller(
    control.impedance as never,
    undefined,
    { stiffness: 10, damping: { j: 1 }, cancels: 'gravity', trajectory: waveOf },
    fixedArm,
  ),
  hybridForceMotion: controller(
    control.hybridForceMotion as never,
    { link: 'b', force: zero },
    { ...onFrame, force: zero, direction: [0, 0, -1], friction: 0, integral: 1, approach: 0.1 },
    fixedArm,
  ),
  regulator: controller(
    control.regulator as never,
    undefined,
    { position: 1, velocity: 1, effort: 1, motors: ['j'], trajectory: waveOf, duration: 1 },
    fixedArm,
  ),
  trot: controller(
    control.trot as never,
    undefined,
    { speed: zero, turn: zero, period: 0.5, lift: 0.05, feels: true },
    quadruped,
  ),
  wave: call(
    control.wave,
    () => [robot],
    () => [robot, { amplitude: 0.1, shareOfRange: 0.5, slowest: 0.1, fastest: 0.5, ramp: 1 }],
  ),
  figureEight: call(
    control.figureEight,
    () => [],
    () => [{ length: 1, width: 1, period: 1, ramp: 1 }],
  ),
  arc: call(
    control.arc,
    () => [],
    () => [{ speed: 1, curvature: 0, ramp: 1 }],
  ),
  cubicSpline: call(control.cubicSpline, () => [fixedArm, waypoints()]),
  quinticTrajectory: call(control.quinticTrajectory, () => [fixedArm, waypoints()]),
  trapezoidalTrajectory: call(
    control.trapezoidalTrajectory,
    () => [fixedArm, waypoints()],
    () => [fixedArm, waypoints(), { speedShare: 0.5, speed: 1, acceleration: 1 }],
  ),
  angularMomentum: call(
    control.angularMomentum,
    () => [],
    () => [{ rate: 1, weight: 1 }],
  ),
  centerOfMassTask: call(
    control.centerOfMassTask,
    () => [],
    () => [{ ...response, weight: 1, shift: still }],
  ),
  linkPose: call(
    control.linkPose,
    () => [{ link: 'b' }],
    () => [{ link: 'b', ...response, turning: 1, moving: 1 }],
  ),
  posture: call(
    control.posture,
    () => [],
    () => [{ ...response, weight: 1, following: 1, trajectory: waveOf }],
  ),
  createControllerLoop: call(
    control.createControllerLoop,
    () => [control.hold(), robot],
    () => [
      control.hold(),
      robot,
      { name: 'c', options: {}, rate: 100, sensors: { gyro: { type: 'imu', link: robot.frames[0].name } }, seed: 1, act: [] },
    ],
  ),
  delayed: call(control.delayed, () => [loopOf(), 2]),
  scaled: call(control.scaled, () => [loopOf(), 1.5]),
  actuated: call(
    control.actuated,
    () => [loopOf(), robot, []],
    () => [loopOf(), robot, [actuator()]],
  ),
  withRotors: call(
    control.withRotors,
    () => [robot, []],
    () => [robot, [actuator()]],
  ),
  withThrusters: call(
    control.withThrusters,
    () => [box, []],
    () => [box, [{ name: 't', link: 'box', point: [0, 0, 0], force: [0, 0, 1], moment: [0, 0, 0], range: [0, 1] }]],
  ),
  Sensors: call(
    (...a: never[]) => new control.Sensors(...(a as unknown as [never, never, never, never])),
    () => [robot, {}, 1e-3],
    sensor({ type: 'imu', link: robot.frames[0].name, ...mounting }),
  ),
  'Sensors of joints': call(
    (...a: never[]) => new control.Sensors(...(a as unknown as [never, never, never, never])),
    () => [robot, {}, 1e-3],
    sensor({ type: 'encoder', joint: robot.joints[0].name }),
  ),
  'Sensors of rays': call(
    (...a: never[]) => new control.Sensors(...(a as unknown as [never, never, never, never])),
    () => [robot, {}, 1e-3],
    sensor({ type: 'rays', link: robot.frames[0].name, ...mounting, directions: [0, 0, 1], range: 1 }),
  ),
  createQuadraticProgram: call(control.createQuadraticProgram, () => [2, 1]),
  linearQuadraticRegulator: call(control.linearQuadraticRegulator, () => [
    { n: 2, m: 2, A: [1, 0, 0, 1], B: [1, 0, 0, 1], Q: [1, 0, 0, 1], R: [1, 0, 0, 1] },
  ]),
  poseNamed: call(control.poseNamed, () => [robot, 'home']),
  defaultControllerFor: call(control.defaultControllerFor, () => [robot]),
  homeData: call(control.homeData, () => [robot]),
  networkOf: call(control.networkOf, () => [new Uint8Array(3), 'a.onnx']),
  loadController: call(files.loadController, () => ['test/api/none.ts']),
  controllerFiles: call(files.controllerFiles, () => ['test/api/none.ts']),
  // compare
  checkScenario: call(
    compare.checkScenario,
    () => [{ robot: 'diffdrive' }],
    () => [scenario()],
  ),
  parseScenario: call(compare.parseScenario, () => ['robot: diffdrive', 'a.yaml']),
  compare: call(
    (...a: never[]) => compare.compare(...(a as unknown as [never, never])),
    () => [structuredClone(checkedScenario)],
    () => [structuredClone(checkedScenario), { timing: false, threads: 0, number: 1 }],
  ),
  parseCheckpoint: call(compare.parseCheckpoint, () => [checkpoint, 'c.json']),
  parseProblem: call(compare.parseProblem, () => [lcp, 'p.json']),
  parseStateFile: call(compare.parseStateFile, () => ['{"q": {}}', 's.json']),
  parseExpression: call(compare.parseExpression, () => ['2*t', ['t']]),
  solveProblem: call(
    compare.solveProblem,
    () => [problem(), compare.solvers],
    () => [problem(), compare.solvers, 'newton'],
  ),
  solverNames: call(compare.solverNames, () => [compare.solvers]),
  dynamicsAt: call(
    compare.dynamicsAt,
    () => [robot, {}],
    () => [robot, {}, [robot.frames[0].name], true],
  ),
  velocityNames: call(compare.velocityNames, () => [robot]),
  loadRobotBySource: call(
    compare.loadRobotBySource,
    () => ['diffdrive'],
    () => ['diffdrive', 'fixed', {}, [], false],
  ),
}
