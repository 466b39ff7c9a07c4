import { ContactSystem } from '../../../compare/inspect/contactSystem.ts'
import { type ContactModelName, type ContactModelOptions, NewtonSolver } from '../../../contact/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { World } from '../../../simulation/index.ts'
import { trials } from '../../dailyModels.ts'
import { product, rotation, unit } from '../geometry/poses.ts'
import { depthOfMujoco, impedanceOfMujoco, restitutionOfHuntCrossley } from '../laws/closedForms.ts'
import { degree } from '../laws/law.ts'
import { rodOnTip } from '../laws/rocking.ts'
import {
  blockOnGround,
  blockOnSlope,
  box,
  dot,
  downhill,
  fixedBox,
  floating,
  floor,
  g,
  identity,
  kineticMeter,
  largestDuring,
  makeRobot,
  makeWorld,
  pushAt,
  quadruped,
  run,
  slider,
  sphere,
  unrotate,
  velocityW,
} from '../laws/scenes.ts'
import { plateErrors } from '../laws/sliding.ts'
import { closing, couplerRates, fourbar } from '../loops/linkages.ts'

/*
 * What docs/contact-models.md says with a figure, each as a measurement on a world and the value of the formula that stands beside it on the
 * page. Their titles, formulas and figures are the rows of its table, word by word: claims.test.ts holds the two together.
 */

export interface Claim {
  readonly models: readonly ContactModelName[]
  /** What happens, and under which conditions: column "effect" of the page, and the name of the test. */
  readonly effect: string
  /** As on the page. */
  readonly formula: string
  /** What is measured, as on the page: a number, and its unit if it has one. */
  readonly figure: string
  /** In SI units. */
  readonly measure: (model: ContactModelName) => number
  /** The formula's value; none where there is no closed form. */
  readonly expected?: number
  /** Relative, of what is measured from that. */
  readonly within?: number
}

const velocityLevel = ['stewart-trinkle', 'anitescu-potra', 'convex', 'ncp', 'lnc', 'peg'] as const
const rigid = ['lcp', 'lotstedt', ...velocityLevel] as const
const springs = ['penalty-deepest', 'penalty', 'hunt-crossley'] as const
const h = 1e-3

const ball = (model: ContactModelName, z: number, speed = 0, more: Partial<Parameters<typeof makeWorld>[0]> = {}) =>
  makeWorld({ robot: sphere(0.1), model, q: [0, 0, 0.1 + z, 0, 0, 0, 1], v: [0, 0, 0, 0, 0, speed], ...more })

const heightOfBall = (model: ContactModelName, z: number, seconds: number, more = {}) =>
  run(ball(model, z, 0, more), seconds).state.q[2] - 0.1

/** A block that cannot turn, on a slope; its speed downhill at the end. */
function creep(
  model: ContactModelName,
  angle: number,
  mu: number,
  z = 0,
  options: ContactModelOptions = {},
  seconds = 1,
  dt = h,
): number {
  const world = blockOnSlope(angle, { model, dt, options, sink: -z, physical: { friction: mu } })
  return dot(run(world, seconds).state.v, downhill(angle))
}

const onEdge = rotation([0, 1, 0], Math.PI / 4)
const onCorner = product(rotation([0, 1, 0], -Math.atan(Math.SQRT1_2)), rotation([1, 0, 0], Math.PI / 4))

/** How deep a cube of 20 cm that cannot turn comes to rest with `points: volume`. @param half its half height over its side */
function sinkOfCube(model: ContactModelName, R: Float64Array, half: number): number {
  const height = 0.2 * half
  const options = { points: 'volume', impacts: 'none' }
  const world = makeWorld({ robot: slider([0.2, 0.2, 0.2], 10, R), model, options, q: [0, 0, height - 1e-3] })
  return height - run(world, 4).state.q[2]
}

/** A block that cannot turn, thrown along the level at v. */
const thrown = (model: ContactModelName, mu: number, v: number, gap: number, dt = h, options: ContactModelOptions = {}) =>
  blockOnGround({ model, dt, options, sink: -gap, physical: { friction: mu }, v: [v, 0, 0] })

/** The pull, as a share of mu N, from which on a block slips that is pulled where a pyramid of so many sides is weakest. */
function weakestPull(model: ContactModelName, sides: number): number {
  const [mass, mu] = [2, 0.5]
  // heavier along x: pulled at atan(1 / root) its free slip, along which the first corner lies, is pi / sides from the pull
  const t = Math.tan(Math.PI / sides)
  const root = t + Math.hypot(1, t)
  const angle = Math.atan(1 / root)
  const slips = (share: number) => {
    const world = makeWorld({
      robot: slider([0.1, 0.1, 0.1], mass, identity, [(root * root - 1) * mass, 0]),
      model,
      options: { sides },
      physical: { friction: mu },
      q: [0, 0, 0.05],
      push: (tau) => tau.set([Math.cos(angle), Math.sin(angle)].map((x) => share * mu * mass * g * x)),
    })
    run(world, 0.02)
    return Math.hypot(world.state.v[0], world.state.v[1]) > 1e-6
  }
  let [low, high] = [0, 1.5]
  for (let k = 0; k < 14; k++) {
    const share = 0.5 * (low + high)
    if (slips(share)) high = share
    else low = share
  }
  return low
}

/** How much faster a body's spin falls with friction at its corners than with `patch: uniform`. */
function spinRatio(model: ContactModelName, shape: 'line' | 'square' | 'disc'): number {
  const a = 0.2
  const lying = Float64Array.of(0, 0, 1, 0, 1, 0, -1, 0, 0)
  const shapes = {
    line: { shape: { type: 'cylinder', radius: 0.05, length: a }, R: lying },
    square: { shape: { type: 'box', size: [a, a, 0.1] }, R: identity },
    disc: { shape: { type: 'cylinder', radius: a / 2, length: 0.1 }, R: identity },
  } as const
  const rate = (patch: string) => {
    const robot = makeRobot(
      'pad',
      [{ ...floating, mass: 2, inertia: [0.02, 0.02, 0.02, 0, 0, 0] }],
      [{ body: 1, ...shapes[shape] }],
    )
    const world = makeWorld({
      robot,
      model,
      options: { patch },
      physical: { friction: 0.4 },
      fixtures: [floor],
      q: [0, 0, 0.05, 0, 0, 0, 1],
      v: [0, 0, 6, 0, 0, 0],
    })
    run(world, 0.02)
    const before = world.state.v[2]
    return before - run(world, 0.05).state.v[2]
  }
  return rate('corners') / rate('uniform')
}

/** Restitution of a ball that meets the ground at this speed without gravity. */
function restitution(model: ContactModelName, e: number, speed: number, dt: number, options: ContactModelOptions = {}): number {
  const world = makeWorld({
    robot: sphere(0.1, 2, [0, 0, 0]),
    model,
    dt,
    physical: { restitution: e },
    options,
    q: [0, 0, 0.1 + 1e-4, 0, 0, 0, 1],
    v: [0, 0, 0, 0, 0, -speed],
  })
  return velocityW(run(world, 0.1))[2] / speed
}

/** Of a block that cannot turn, on the four points of its face. */
function creepOfMujoco(angle: number): number {
  const d = impedanceOfMujoco(depthOfMujoco(Math.cos(angle) / 4))
  return ((1 - d) / d) * ((g * Math.sin(angle)) / 4) * 0.95 * 0.02 * 0.5
}

/** A block pulled along by its own friction under `drake`, as it has settled: its gap less that at rest, and its speed. */
function glide(options: ContactModelOptions) {
  const physical = { friction: 0.5, allowedPenetration: 5e-3 }
  const push = (tau: Float64Array) => tau.set([0.5 * 2 * g])
  const world = blockOnGround({ model: 'drake', mass: 2, options, sink: 3e-3, physical, v: [0.5, 0, 0], push })
  run(world, 3)
  return { gap: world.state.q[2] - 0.05, speed: world.state.v[0] }
}

/** A block that slides at 1 m/s while a force of its weight presses it on, and then no more: friction over the cone, in the step after. */
function lag(model: ContactModelName): number {
  const world = blockOnGround({
    model,
    physical: { friction: 0.3 },
    v: [1, 0, 0],
    push(tau, t) {
      tau[2] = t < 0.1 - 1e-9 ? -10 * g : 0
    },
  })
  run(world, 0.1)
  world.step()
  const { count, impulse } = world.contacts
  let [n, t] = [0, 0]
  for (let i = 0; i < count; i++) {
    n += impulse[3 * i]
    t += Math.hypot(impulse[3 * i + 1], impulse[3 * i + 2])
  }
  return t / (0.3 * n)
}

/** A box of 10 kg on the ground under a pull of half of mu N at its centre: how far it gets in 3 s. */
function walk(model: ContactModelName, dt: number, options: ContactModelOptions = {}): number {
  const world = makeWorld({
    robot: box([0.2, 0.2, 0.1]),
    model,
    dt,
    options,
    physical: { friction: 0.5 },
    q: [0, 0, 0.049, 0, 0, 0, 1],
    push: (tau, _t, q) => pushAt(tau, q, [0.25 * 10 * g, 0, 0], [0, 0, 0]),
  })
  return run(world, 3).state.q[0]
}

/** How far above the ground a ball gets that starts inside it. */
function pop(model: ContactModelName, depth: number, options: ContactModelOptions = {}): number {
  return largestDuring(ball(model, -depth, 0, { options }), 0.3, ({ state }) => state.q[2] - 0.1, -depth)
}

/** Two boxes that meet at random at 2 m/s, without friction, restitution, gravity and ground: the largest gain of energy. */
function gainOfMeetings(model: ContactModelName, dt: number, trials: number): number {
  const random = createRandom(11)
  const between = (size: number, count: number) => Array.from({ length: count }, () => random.between(-size, size))
  let worst = 0
  for (let k = 0; k < trials; k++) {
    const robots = [-1, 1].map((side) => {
      const at = [0.3 * side, ...between(0.1, 2)]
      const q = [...at, ...unit(between(1, 4))]
      return { robot: box([0.2, 0.3, 0.1], 2, [0, 0, 0]), q, v: [...between(2, 3), ...unrotate(q, 3, [-side, 0, 0])] }
    })
    const world = makeWorld({ robots, model, dt, fixtures: [], physical: { friction: 0 } })
    const kinetic = kineticMeter(world)
    const start = kinetic()
    worst = largestDuring(world, 0.6, () => kinetic() / start - 1, worst)
  }
  return worst
}

/** How far the four-bar of the examples, its crank at one turn a second, opens its loop within a second [m]. */
function loopError(contactModel: ContactModelName): number {
  const { elbow, swing } = couplerRates(0)
  const turn = 2 * Math.PI
  const v = [turn, turn * elbow, turn * swing]
  const world = new World({ robot: fourbar({ gravity: 0 }), v, loops: [closing('hinge')], dt: h, fixtures: [], contactModel })
  const { q } = world.state
  let open = 0
  run(world, 1, () => {
    // the coupler's pin less the rocker's tip
    const coupler = q[0] + q[1]
    const x = 0.1 * Math.sin(q[0]) + 0.24 * Math.cos(coupler) + 0.1 * Math.sin(coupler) - 0.24 - 0.2 * Math.sin(q[2])
    const z = 0.1 * Math.cos(q[0]) - 0.24 * Math.sin(coupler) + 0.1 * Math.cos(coupler) - 0.2 * Math.cos(q[2])
    open = Math.max(open, Math.hypot(x, z))
  })
  return open
}

/** How high above the ground a block gets that is let go on it at 5 m/s, mu 0.8. */
function throwHeight(model: ContactModelName, options: ContactModelOptions = {}): number {
  return largestDuring(thrown(model, 0.8, 5, 0, h, options), 0.6, ({ state }) => state.q[2] - 0.05)
}

/** Of problems of steps of a thrown box and a thrown quadruped, each solved from four starts, the largest distance of two velocities. */
function spreadOfAnswers(model: ContactModelName): number {
  const random = createRandom(5)
  const between = (size: number, count: number) => Array.from({ length: count }, () => random.between(-size, size))
  let spread = 0
  for (const robot of [box([0.3, 0.2, 0.1], 2), quadruped()]) {
    const q = Float64Array.from(robot.home)
    q.set([0, 0, 0.5, ...unit(between(1, 4))])
    const world = makeWorld({ robot, model, physical: { friction: 0.7 }, q, v: between(2, robot.model.nv) })
    run(world, 1, ({ contactModel }, step) => {
      const saved = step % 10 === 0 ? contactModel.problem?.() : undefined
      if (saved === undefined || saved.mu.length === 0) return
      const system = new ContactSystem(structuredClone(saved))
      const velocities = [0, 0.2, 0.2, 0.2].map((size) => {
        const p = Float64Array.from(between(size, system.problem.rowCount))
        const status = new NewtonSolver(saved.law ?? 'cone').solve(system.problem, p, new Int8Array(0))
        return status === 'solved' ? system.velocity(p) : new Float64Array(robot.model.nv).fill(Number.NaN)
      })
      for (const v of velocities) {
        const apart = Math.hypot(...v.map((x, k) => x - velocities[0][k]))
        if (!(apart <= spread)) spread = apart
      }
    })
  }
  return spread
}

/** Load of the tip of Painleve's rod in its fifth step over that in its fourth. */
function loadGrowth(model: ContactModelName): number {
  const world = rodOnTip(model, 1e-5, { mu: 1.9 })
  const loads: number[] = []
  run(world, 5e-5, ({ contacts }) => loads.push(contacts.impulse[0]))
  return loads[4] / loads[3]
}

/** The same by the law: m = 1, half a length of 1, moment 1/3; the first step's bound is the load without friction. */
function growthOfLoad(): number {
  const [normal, coupled] = [1 + 3 * 0.25, 3 * 0.5 * Math.sin(Math.PI / 3)]
  const next = (f: number) => (g + 1.9 * coupled * f) / normal
  const fourth = next(next(next(next(g / normal))))
  return next(fourth) / fourth
}

/** Speed over g h after two steps of a block with friction 0.3 and static friction 0.8 that is pulled by 0.9 of its weight. */
function speedAfterTwo(model: ContactModelName): number {
  const fixtures = [{ ...floor, friction: 0.3, staticFriction: 0.8 }]
  const world = blockOnGround({ model, fixtures, push: (tau) => tau.set([0.9 * 10 * g]) })
  return run(world, 2 * h).state.v[0] / (g * h)
}

/** The highest speed of a box that lies on the ground, in its second and third second. */
function shake(model: ContactModelName): number {
  const world = makeWorld({ robot: box([0.2, 0.3, 0.1]), model, q: [0, 0, 0.049, 0, 0, 0, 1] })
  run(world, 1)
  return largestDuring(world, 2, () => Math.hypot(...velocityW(world)))
}

/** How far a brick falls in a second that lies on a table but for a tenth of its corners' way. */
function fall(model: ContactModelName): number {
  const world = makeWorld({
    robot: box([0.2, 0.1, 0.05]),
    model,
    fixtures: [fixedBox('table', [-0.5, 0, -0.1], [1, 1, 0.2])],
    q: [-0.01, 0, 0.025, 0, 0, 0, 1],
  })
  return 0.025 - run(world, 1).state.q[2]
}

const rate = Math.sqrt(g / 1e-3)
const ratio = 1 / (1 + rate * h)
const angle = 20 * degree
const heldBy = Math.atan(0.5 * 0.8)

/** In the order of the page. */
export const claims: readonly Claim[] = [
  {
    models: springs,
    effect: 'a ball sinks by the allowed penetration, here 1 mm',
    formula: 'd₀, under the weight',
    figure: '1.00 mm',
    measure: (model) => -heightOfBall(model, -1e-3, 2),
    expected: 1e-3,
  },
  {
    models: springs,
    effect: 'a block on 20° with mu 0.5 creeps',
    formula: 'stickSpeed tan(a) / mu_s',
    figure: '0.0728 mm/s',
    measure: (model) => creep(model, angle, 0.5, -1e-3),
    expected: (1e-4 * Math.tan(angle)) / 0.5,
  },
  {
    models: ['penalty-deepest'],
    effect: 'the speed at which a box at rest on its face shakes, at 1 ms',
    formula: '',
    figure: '6.1 mm/s',
    measure: shake,
  },
  {
    models: ['penalty-deepest'],
    effect: 'a box of 20 x 20 x 10 cm under half of mu N, mu 0.5, walks in 3 s at 1 ms',
    formula: '3.7 T h t / m',
    figure: '27.2 mm',
    measure: (model) => walk(model, h),
    expected: 3.7 * 0.25 * g * h * 3,
    within: 0.01,
  },
  {
    models: ['penalty-deepest'],
    effect: 'the same with `friction: springs`',
    formula: '',
    figure: '50.4 mm',
    measure: (model) => walk(model, h, { friction: 'springs' }),
  },
  {
    models: ['penalty-deepest'],
    effect: 'with `separation: discontinuous` a ball sinks, over a second at 1 ms',
    formula: '2 d₀',
    figure: '2.00 mm',
    measure(model) {
      const world = run(ball(model, -1e-3, 0, { options: { separation: 'discontinuous' } }), 2)
      let sum = 0
      run(world, 1, ({ state: { q } }) => {
        sum += 0.1 - q[2]
      })
      return sum / 1000
    },
    expected: 2e-3,
    within: 0.01,
  },
  {
    models: ['penalty'],
    effect: 'the same box creeps in 3 s',
    formula: 'stickSpeed T t / (mu_s N), and what the springs tilt by',
    figure: '0.220 mm',
    measure: (model) => walk(model, h),
  },
  {
    models: ['penalty-deepest'],
    effect: 'a plate that slides at 1.5 m/s and spins at 5 rad/s, mu 0.4, turns too far by',
    formula: '',
    figure: '13 %',
    measure: (model) => plateErrors(model, h).turn,
  },
  {
    models: ['penalty'],
    effect: 'with `points: volume` a cube of side c = 20 cm sinks on its edge, where 1 mm is allowed',
    formula: '√(d₀ A₀ / c), from V = d² c',
    figure: '17.3 mm',
    measure: (model) => sinkOfCube(model, onEdge, Math.SQRT1_2),
    expected: Math.sqrt((1e-3 * 0.06) / 0.2),
  },
  {
    models: ['penalty'],
    effect: 'the same on its corner',
    formula: '(2 d₀ A₀ / √3)^(1/3), from V = √3 d³ / 2',
    figure: '41.1 mm',
    measure: (model) => sinkOfCube(model, onCorner, Math.sqrt(3) / 2),
    expected: ((2 * 1e-3 * 0.06) / Math.sqrt(3)) ** (1 / 3),
  },
  {
    models: ['hunt-crossley'],
    effect: 'restitution at twice the reference speed, 0.6 at that speed',
    formula: 'y - ln(1 + y) = -e y - ln(1 - e y), y = 3/2 alpha v',
    figure: '0.417',
    measure: (model) => restitution(model, 0.6, 1, 1e-5, { referenceSpeed: 0.5 }),
    expected: restitutionOfHuntCrossley(0.6, 0.5, 1),
    within: 3e-3,
  },
  {
    models: ['hunt-crossley'],
    effect: 'a ball with restitution 0 that lands at 2 m/s keeps of its speed, at 0.1 ms',
    formula: '',
    figure: '2.0 %',
    measure: (model) => restitution(model, 0, 2, 1e-4),
  },
  {
    models: ['lcp', 'lotstedt'],
    effect: 'a ball sinks, at 1 ms',
    formula: 'compliance d₀ (1 + ω h)², ω = √(g / d₀)',
    figure: '6.04 nm',
    measure: (model) => -heightOfBall(model, 0, 2),
    expected: (5e-6 * 1e-3) / (ratio * ratio),
    within: 1e-3,
  },
  {
    models: ['lcp', 'lotstedt'],
    effect: 'what is left of a penetration of 1 mm after 0.1 s, at 1 ms',
    formula: 'd₀ (1 + n ω h r) rⁿ, r = 1 / (1 + ω h)',
    figure: '0.80 µm',
    measure: (model) => -heightOfBall(model, -1e-3, 0.1),
    expected: 1e-3 * (1 + 100 * rate * h * ratio) * ratio ** 100 + 6.04e-9,
    within: 1e-3,
  },
  {
    models: ['lotstedt'],
    effect: 'friction over mu N in the step in which the load halves',
    formula: 'load before / load',
    figure: '2.00',
    measure: lag,
    expected: 2,
    within: 1e-4,
  },
  {
    models: ['lotstedt', 'convex'],
    effect: 'thrown robots: largest difference of the velocities that four starting points of the solver lead to',
    formula: 'strictly convex: one answer',
    figure: '< 1 nm/s',
    measure: spreadOfAnswers,
  },
  {
    models: ['lotstedt'],
    effect: "the load of Painlevé's rod at 60°, mu 1.9, grows from its fourth to its fifth step by a factor of",
    formula: 'f ← (m g + mu |W_nt| f) / W_nn',
    figure: '1.50',
    measure: loadGrowth,
    expected: growthOfLoad(),
    within: 1e-3,
  },
  {
    models: ['penalty-deepest', 'penalty', ...rigid],
    effect: 'a ball with restitution 0.6 that lands at 1 m/s keeps of its speed, at 0.1 ms',
    formula: 'e',
    figure: '0.600',
    measure: (model) => restitution(model, 0.6, 1, 1e-4),
    expected: 0.6,
    within: 1e-4,
  },
  {
    models: ['drake'],
    effect: '`lagged`: the same ball keeps',
    formula: 'as `hunt-crossley`, less O(h)',
    figure: '0.593',
    measure: (model) => restitution(model, 0.6, 1, 1e-4),
  },
  ...[4, 8, 16].map(
    (sides, k): Claim => ({
      models: ['stewart-trinkle', 'anitescu-potra'],
      effect: `friction missing from mu N with a pyramid of ${sides} sides, pulled from rest across a side`,
      formula: '1 - cos(π / sides)',
      figure: ['29.3 %', '7.6 %', '1.9 %'][k],
      measure: (model) => 1 - weakestPull(model, sides),
      expected: 1 - Math.cos(Math.PI / sides),
      within: 5e-3,
    }),
  ),
  {
    models: ['stewart-trinkle', 'convex', 'ncp', 'lnc', 'peg'],
    effect: 'a ball sinks, at 1 ms',
    formula: 'compliance g h² / (n stabilization), n pairs',
    figure: '0.245 nm',
    measure: (model) => -heightOfBall(model, 0, 2),
    expected: (5e-6 * g * h * h) / 0.2,
    within: 1e-3,
  },
  {
    models: ['lcp', 'lotstedt', 'stewart-trinkle', 'convex', 'ncp', 'lnc', 'peg'],
    effect: 'a block on 20° with mu 0.5 creeps, at 1 ms',
    formula: 'compliance g sin(a) h / (10 n), n pairs',
    figure: '1.68 nm/s',
    measure: (model) => creep(model, angle, 0.5),
    expected: 5e-7 * g * Math.sin(angle) * h,
    within: 1e-3,
  },
  {
    models: ['stewart-trinkle', 'convex', 'ncp', 'lnc', 'peg'],
    effect: 'a ball released 1 mm inside the ground rises above it, at 1 ms',
    formula: '`correctionSpeed` is kept',
    figure: '0.060 mm',
    measure: (model) => pop(model, 1e-3),
  },
  {
    models: rigid.filter((model) => model !== 'convex'),
    effect: 'a block with mu 0.3 and mu_s 0.8, pulled by 0.9 of its weight: speed after two steps over g h',
    formula: '(0.9 - mu_s) + (0.9 - mu): it lets go a step late',
    figure: '0.70',
    measure: speedAfterTwo,
    expected: 0.7,
    within: 1e-4,
  },
  {
    models: ['lcp', 'lotstedt', 'stewart-trinkle', 'convex', 'ncp', 'mujoco', 'drake', 'lnc', 'peg'],
    effect: 'a four-bar at one turn a second opens its loop, at 1 ms',
    formula: '∝ h²',
    figure: '44 µm',
    measure: loopError,
  },
  {
    models: springs,
    effect: 'the same four-bar opens its loop, at 1 ms',
    formula: '∝ h²',
    figure: '11 µm',
    measure: loopError,
  },
  {
    models: ['anitescu-potra'],
    effect: 'that four-bar, positions projected, opens its loop, at 1 ms',
    formula: '∝ h²',
    figure: '9.0 µm',
    measure: loopError,
  },
  {
    models: ['anitescu-potra'],
    effect: 'a ball released 30 mm above the ground hovers, `activeDistance` 5 cm',
    formula: 'where it is, less compliance g h t',
    figure: '30.0 mm',
    measure: (model) => heightOfBall(model, 0.03, 1, { options: { activeDistance: 0.05 } }),
    expected: 0.03,
    within: 1e-6,
  },
  {
    models: ['anitescu-potra'],
    effect: 'a ball that approaches at 1 m/s from 0.1 mm, beyond `activeDistance`, penetrates after a step of 1 ms by',
    formula: 'h v + g h² - gap',
    figure: '0.910 mm',
    measure: (model) => 0.1 - run(ball(model, 1e-4, -1), h).state.q[2],
    expected: h + g * h * h - 1e-4,
  },
  {
    models: ['anitescu-potra'],
    effect: 'a ball at rest sinks in 2 s, until projection moves it out at 1 nm',
    formula: 'compliance g h t',
    figure: '0.98 nm',
    measure: (model) => -heightOfBall(model, 0, 2),
    expected: 5e-8 * g * h * 2,
    within: 1e-2,
  },
  {
    models: rigid,
    effect: 'the sliding distance of a block from 2 m/s, mu 0.3, is short, at 1 ms, by',
    formula: 'mu g h / v',
    figure: '0.147 %',
    measure: (model) => 1 - (run(thrown(model, 0.3, 2, 0), 1).state.q[0] * 0.6 * g) / 4,
    expected: (0.3 * g * h) / 2,
    within: 1e-2,
  },
  {
    models: ['convex'],
    effect: 'a block that slides at 1.51 m/s floats, mu 0.5, at 1 ms',
    formula: 'mu h v',
    figure: '0.755 mm',
    measure: (model) => run(thrown(model, 0.5, 2, h), 0.1).state.q[2] - 0.05,
    expected: 0.5 * h * (2 - 0.5 * g * 0.1 + 0.00123),
    within: 1e-3,
  },
  {
    models: ['convex'],
    effect: 'a block released on the ground at 5 m/s, mu 0.8, is thrown up, at every step',
    formula: '(mu v / (1 + mu²))² / 2g',
    figure: '303 mm',
    measure: (model) => throwHeight(model),
    expected: 2.43902 ** 2 / (2 * g),
    within: 5e-3,
  },
  {
    models: ['convex'],
    effect: 'a plate that slides at 1.5 m/s and spins at 5 rad/s, mu 0.4, turns too little by',
    formula: '',
    figure: '16 %',
    measure: (model) => -plateErrors(model, h).turn,
  },
  {
    models: ['mujoco'],
    effect: 'a ball sinks, at any step',
    formula: '(1 - d) g = d² k depth',
    figure: '0.367 mm',
    measure: (model) => -heightOfBall(model, 0, 2),
    expected: depthOfMujoco(1),
  },
  ...[1, 100].map(
    (impratio, k): Claim => ({
      models: ['mujoco'],
      effect: `a block on 20° with mu 0.8 creeps, \`impratio\` ${impratio}`,
      formula: '(1 - d) / d · g sin(a) / n · dmax tc / (2 impratio)',
      figure: ['0.875 mm/s', '0.00875 mm/s'][k],
      measure: (model) => creep(model, angle, 0.8, 0, { impratio }, 2),
      expected: creepOfMujoco(angle) / impratio,
    }),
  ),
  {
    models: ['mujoco'],
    effect: 'a block released on the ground at 5 m/s, mu 0.8, is thrown up, at 1 ms',
    formula: '',
    figure: '3.7 mm',
    measure: (model) => throwHeight(model),
  },
  {
    models: ['mujoco'],
    effect: 'a ball without gravity keeps of its speed in an impact, whatever the restitution',
    formula: 'that of its damper',
    figure: '13.6 %',
    measure: (model) => restitution(model, 0.6, 1, 1e-4),
  },
  {
    models: ['drake'],
    effect: 'a ball sinks by the allowed penetration, here 1 mm',
    formula: 'd₀, under the weight',
    figure: '1.00 mm',
    measure: (model) => -heightOfBall(model, -1e-3, 2),
    expected: 1e-3,
  },
  {
    models: ['drake'],
    effect: '`lagged` and `similar`: a block on a slope that needs 0.8 of mu creeps',
    formula: 'v_s s / √(1 - s²)',
    figure: '0.133 mm/s',
    measure: (model) => creep(model, heldBy, 0.5, -1e-3),
    expected: (1e-4 * 0.8) / 0.6,
  },
  {
    models: ['drake'],
    effect: '`sap`: the same block creeps, at 1 ms',
    formula: 'sigma h g sin(a) / (√3 n)',
    figure: '0.526 µm/s',
    measure: (model) => creep(model, heldBy, 0.5, -1e-3, { approximation: 'sap' }),
    expected: (1e-3 * h * g * Math.sin(heldBy)) / (4 * Math.sqrt(3)),
  },
  {
    models: ['drake'],
    effect: '`lagged`: friction over mu N in the step in which the load halves',
    formula: 'load before / load',
    figure: '1.16',
    measure: lag,
  },
  {
    models: ['drake'],
    effect: '`sap`: a block pulled along at 0.5 m/s, mu 0.5, glides higher than at rest, tau 8 ms and h 1 ms',
    formula: 'mu (h + tau) v',
    figure: '2.25 mm',
    measure: () => glide({ approximation: 'sap', relaxationTime: 8e-3 }).gap + 5e-3,
    expected: 0.5 * 9e-3 * 0.5,
    within: 1e-4,
  },
  {
    models: ['drake'],
    effect: '`similar`: the same block, d 2 s/m, has a gap of',
    formula: '-d₀ / (1 + d mu v) + h mu v',
    figure: '-3.08 mm',
    measure: () => glide({ approximation: 'similar', dissipation: 2 }).gap,
    expected: -5e-3 / (1 + 2 * 0.5 * 0.5) + h * 0.5 * 0.5,
    within: 1e-4,
  },
  {
    models: ['drake'],
    effect: '`sap`: a block released on the ground at 5 m/s, mu 0.8, is thrown up, at 1 ms',
    formula: '',
    figure: '19 mm',
    measure: (model) => throwHeight(model, { approximation: 'sap' }),
  },
  {
    models: ['drake'],
    effect: '`similar`: a block released on the ground at 5 m/s, mu 0.8, is thrown up, at 1 ms',
    formula: '',
    figure: '56 mm',
    measure: (model) => throwHeight(model, { approximation: 'similar' }),
  },
  {
    models: ['lnc'],
    effect: 'a brick with a twentieth of its length beyond the edge of a table falls through the edge, in 1 s',
    formula: 'g t² / 2, but for how it begins',
    figure: '4.8 m',
    measure: fall,
    expected: 0.5 * g,
    within: 0.05,
  },
  {
    models: ['peg'],
    effect: 'boxes that meet at 2 m/s gain of their energy, at 20 ms',
    formula: '',
    figure: '< 0.02 %',
    measure: (model) => gainOfMeetings(model, 2e-2, 60),
  },
  {
    models: ['peg'],
    effect: 'boxes that meet at 2 m/s gain of their energy, at 0.1 s',
    formula: '',
    figure: '> 30 %',
    measure: (model) => gainOfMeetings(model, 0.1, trials(60)),
  },
  ...(['line', 'square', 'disc'] as const).map(
    (shape, k): Claim => ({
      models: ['penalty', 'hunt-crossley', 'lcp', 'lotstedt', 'stewart-trinkle', 'anitescu-potra', 'ncp', 'drake', 'lnc', 'peg'],
      effect: `\`patch: corners\` turns a ${shape} as hard as \`patch: uniform\`, times`,
      formula: ['(L / 2) / (L / 4)', '0.7071 a / 0.3826 a', 'R / (2 R / 3)'][k],
      figure: ['2.00', '1.85', '1.50'][k],
      measure: (model) => spinRatio(model, shape),
      expected: [2, Math.SQRT1_2 / 0.382598, 1.5][k],
      within: 1e-3,
    }),
  ),
]
