import { ContactSystem } from '../../../compare/answers/contactSystem.ts'
import { type ContactModelName, NewtonSolver } from '../../../contact/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { World } from '../../../simulation/index.ts'
import { trials } from '../../dailyModels.ts'
import { unit } from '../geometry/poses.ts'
import { rodOnTip } from '../laws/rocking.ts'
import { box, g, identity, kineticMeter, largestDuring, makeWorld, quadruped, run, slider, unrotate } from '../laws/scenes.ts'
import { closing, couplerRates, fourbar } from '../loops/linkages.ts'

/*
 * What docs/contact-models.md says with a figure and a case of cases/deviations cannot say: a solver's starts, random trials, loops within one
 * robot, a search over masses. Their titles, formulas and figures are rows of its table, word by word: test/cases.test.ts holds the two together.
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

const springs = ['penalty-deepest', 'penalty', 'hunt-crossley'] as const
const h = 1e-3

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

/** In the order of the page. */
export const claims: readonly Claim[] = [
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
]
