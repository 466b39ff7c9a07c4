import { JointType } from '../../dynamics/index.ts'
import {
  box,
  fixedBox,
  floating,
  floor,
  g,
  makeRobot,
  quadruped,
  run,
  type ShapeOn,
  slope,
  support,
  tiltOf,
} from '../../test/contact/laws/scenes.ts'
import { loadBetween } from '../../test/contact/laws/stacks.ts'
import { type Chapter, type Form, type Setting, valueAt, worldOf } from './form.ts'
import { loadsOfRollers } from './rolling.ts'
import { lopsided } from './sliding.ts'

const { sin, cos, atan } = Math

/** Boxes one on the other, touching. */
const pile = (at: Setting, masses: readonly number[]) =>
  worldOf(at, {
    robots: masses.map((mass, i) => ({ robot: box([0.2, 0.3, 0.1], mass), q: [0, 0, 0.05 + 0.1 * i, 0, 0, 0, 1] })),
  })

const stack: Form = {
  name: 'stack of ten boxes: load on the second',
  formula: 'N = 9 m g: 1 kg each, after 1 s',
  source: 'weight of what is above',
  unit: 'N',
  exact: () => 9 * g,
  measure: (at) => loadBetween(run(pile(at, Array(10).fill(1)), 1), 1, 2),
}

const column: Form = {
  name: 'a ton on a gram',
  formula: 'N = m g between them: 1000 kg on a box of 1 g, after 1 s',
  source: 'weight of what is above',
  unit: 'N',
  exact: () => 1000 * g,
  measure: (at) => loadBetween(run(pile(at, [1e-3, 1e3]), 1), 1, 2),
}

const ladder: Form = {
  name: 'ladder at a smooth wall that stays',
  formula: 'stays while tan θ > 1 / (2 μ): way of the centre in 0.5 s at 1.02 of that, μ 0.5; relative to g t² / 2',
  source: 'balance of forces and moments',
  unit: 'm',
  exact: () => 0,
  scale: 0.5 * g * 0.25,
  measure(at) {
    const [half, mu] = [0.5, 0.5]
    const angle = atan(1.02 / (2 * mu))
    const robot = makeRobot(
      'ladder',
      [{ ...floating, mass: 10, inertia: [0.15, 0.15 + (10 * half * half) / 3, (10 * half * half) / 3, 0, 0, 0] }],
      [-half, half].flatMap((x) =>
        [-0.2, 0.2].map((y): ShapeOn => ({ body: 1, shape: { type: 'sphere', radius: 0 }, p: [x, y, 0] })),
      ),
    )
    const q = [-half * cos(angle), 0, half * sin(angle), 0, -sin(angle / 2), 0, cos(angle / 2)]
    const world = worldOf(at, {
      robot,
      fixtures: [floor, fixedBox('wall', [0.5, 0, 1], [1, 4, 3], 0)],
      physical: { friction: mu },
      q,
    })
    return valueAt(world, 0.5, ({ state }) => Math.hypot(...[0, 1, 2].map((d) => state.q[d] - q[d])))
  },
}

/** Two halves that a ram presses on walls to either side. */
function jack(at: Setting, share: number) {
  const mu = 0.5
  const half = { mass: 5, inertia: [0.05, 0.05, 0.05, 0, 0, 0] as const }
  const robot = makeRobot(
    'jack',
    [
      { ...floating, ...half },
      {
        ...half,
        name: 'ram',
        jointName: 'screw',
        parent: 1,
        jointType: JointType.prismatic,
        axis: [1, 0, 0],
        position: [0.4, 0, 0],
      },
    ],
    // its ends are flat, so that it need not turn to be pressed
    [1, 2].map((body) => ({ body, shape: { type: 'box', size: [0.1, 0.1, 0.1] } })),
  )
  const world = worldOf(at, {
    robot,
    fixtures: [fixedBox('left', [-1.25, 0, 0], [2, 4, 4]), fixedBox('right', [1.25, 0, 0], [2, 4, 4])],
    physical: { friction: mu },
    q: [-0.2 - at.sink, 0, 0, 0, 0, 0, 1, 2 * at.sink],
    push(tau) {
      tau[6] = (share * 10 * g) / (2 * mu)
    },
  })
  return valueAt(world, 0.4, ({ state }) => -state.q[2])
}

const jams: Form = {
  name: 'jack between two walls that holds itself',
  formula: 'stays while 2 μ S > m g: fall in 0.4 s at 1.02 of that; relative to g t² / 2',
  source: 'balance of forces',
  unit: 'm',
  exact: () => 0,
  scale: 0.5 * g * 0.16,
  measure: (at) => jack(at, 1.02),
}

const slides: Form = {
  name: 'jack between two walls that slides',
  formula: 'falls (1 - 2 μ S / (m g)) g t² / 2: at half of the force that holds it, after 0.4 s',
  source: "Coulomb's law",
  unit: 'm',
  exact: () => 0.25 * g * 0.16,
  measure: (at) => jack(at, 0.5),
}

const overhang: Form = {
  name: 'brick over an edge that stays',
  formula: 'θ = 0 while less than half of it is over: 0.97 of that half, after 0.5 s; relative to 1 rad',
  source: 'moments about the edge',
  unit: 'rad',
  exact: () => 0,
  scale: 1,
  measure(at) {
    const [length, height] = [0.2, 0.05]
    const world = worldOf(at, {
      robot: box([length, 0.1, height]),
      fixtures: [fixedBox('table', [-0.5, 0, -0.1], [1, 1, 0.2])],
      q: [(0.97 - 1) * 0.5 * length, 0, 0.5 * height - at.sink, 0, 0, 0, 1],
    })
    return valueAt(world, 0.5, tiltOf)
  },
}

const standing: Form = {
  name: 'weight of a robot on four legs',
  formula: 'Σ N = m g: held by its joints, after 2 s',
  source: 'balance of forces; joints, feet and ground are closed loops',
  unit: 'N',
  // what holds the joints is explicit, and swings at 4 ms
  steps: [1e-3, 5e-4, 2.5e-4],
  exact: () => quadruped().massUsed * g,
  measure(at) {
    const robot = quadruped()
    const bent = [0.4, -0.8, 0.4, -0.8, 0.4, -0.8, 0.4, -0.8]
    const world = worldOf(at, {
      robot,
      q: [0, 0, 0.4 * cos(0.4) + 0.02, 0, 0, 0, 1, ...bent],
      push(tau, _t, q, v) {
        for (let k = 0; k < 8; k++) tau[6 + k] = 200 * (bent[k] - q[7 + k]) - 8 * v[6 + k]
      },
    })
    return support(run(world, 2)).force
  },
}

const arm: Form = {
  name: 'arm pressed on a table by its joint',
  formula: 'f = (τ + m g l / 2 cos θ) / (l cos θ): l 0.5 m, 2 kg, 5 N m, 30° below the horizontal',
  source: 'moments about the joint; no friction',
  unit: 'N',
  exact: () => 5 / (0.5 * cos(Math.PI / 6)) + g,
  measure(at) {
    const [length, angle] = [0.5, Math.PI / 6]
    const robot = makeRobot(
      'arm',
      [
        {
          name: 'arm',
          jointName: 'shoulder',
          parent: 0,
          jointType: JointType.revolute,
          axis: [0, 1, 0],
          position: [0, 0, length * sin(angle)],
          mass: 2,
          centerOfMass: [length / 2, 0, 0],
          inertia: [0.01, 0.05, 0.05, 0, 0, 0],
        },
      ],
      [{ body: 1, shape: { type: 'sphere', radius: 0 }, p: [length, 0, 0] }],
    )
    const world = worldOf(at, {
      robot,
      fixtures: [slope(0)],
      physical: { friction: 0 },
      q: [angle],
      push: (tau) => tau.fill(5),
    })
    return support(run(world, 1)).force
  },
}

export const loads: Chapter = {
  heading: 'Loads and rest',
  forms: [stack, column, ladder, jams, slides, overhang, lopsided, ...loadsOfRollers, arm, standing],
}
