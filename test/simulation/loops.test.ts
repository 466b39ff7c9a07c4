import { describe, expect, test } from 'vitest'
import { type ContactModelName, type Integrator, LoopRows, type OptionsOf } from '../../contact/index.ts'
import {
  bodyFrames,
  createData,
  type Data,
  JointType,
  kinematics,
  mulInertia,
  rotate3,
  rotationOfQuaternion,
} from '../../dynamics/index.ts'
import { createFreeBody, placeRobot, type Robot } from '../../robots/index.ts'
import {
  type EffortSource,
  LoopError,
  SimulationError,
  World,
  type WorldLoop,
  type WorldOptions,
  type WorldSetup,
} from '../../simulation/index.ts'
import {
  closing,
  couplerAngles,
  couplerRates,
  crankLength,
  fourbar,
  fourbarPotential,
  pinned,
  rodLength,
  sliderCrank,
  sliderPosition,
  wrapped,
} from '../contact/loops/linkages.ts'
import { dailyPair, tellWhatIsNotRun } from '../dailyModels.ts'
import { dataAt, energiesOf, filled } from '../dynamics/at.ts'
import { robotOf } from './robots.ts'

/*
 * Loops that a world closes, under every contact model: what is known of linkages in closed form.
 */

tellWhatIsNotRun('loops', dailyPair)
const dt = 1e-3
const turnOf = (robot: Robot, speed: number) => {
  const { elbow, swing } = couplerRates(0)
  return { robot, v: [speed, speed * elbow, speed * swing] }
}
const steps = (world: World, seconds: number, each: () => void = () => {}) => {
  const count = Math.round(seconds / world.dt)
  for (let i = 0; i < count; i++) {
    world.step()
    each()
  }
}

describe.each(dailyPair)('%s', (contactModel) => {
  const make = (options: Omit<WorldSetup, 'dt'> & { dt?: number }) => new World({ dt, fixtures: [], ...options, contactModel })

  describe.each(['point', 'hinge'] as const)('a four-bar linkage, closed by a %s', (kind) => {
    const loops = [closing(kind)]

    test('goes round as its loop equation says: angles, and ratios of speeds', () => {
      const world = make({ ...turnOf(fourbar({ gravity: 0 }), 2 * Math.PI), loops })
      const { q, v } = world.state
      let rates = couplerRates(q[0])
      let [angle, speed] = [0, 0]
      steps(world, 1.3, () => {
        const { elbow, swing } = couplerAngles(q[0])
        angle = Math.max(angle, Math.abs(wrapped(q[1] - elbow)), Math.abs(wrapped(q[2] - swing)))
        // a step ends with speeds that go with the linkage as it was at the step's start
        speed = Math.max(speed, Math.abs(v[1] - rates.elbow * v[0]), Math.abs(v[2] - rates.swing * v[0]))
        rates = couplerRates(q[0])
      })
      expect(q[0]).toBeGreaterThan(2 * Math.PI)
      // a step along the tangent leaves the circle by h² v² / 2r = 1e-5 m, and part of that is taken back in a step
      expect(angle).toBeLessThan(1e-3)
      // what takes it back moves at that over h: 1e-2 m/s on 10 cm
      expect(speed).toBeLessThan(0.15)
      // rows that say nothing, as those of a hinge across the plane, are no trouble to solvers
      expect(world.events).toMatchObject({ failures: 0, fallbacks: 0 })
    })

    test('swings freely, and keeps its energy the better the smaller the step', () => {
      const loss = (size: number) => {
        const { elbow, swing } = couplerAngles(0.7)
        const world = make({ robot: fourbar(), q: [0.7, elbow, swing], loops, dt: size })
        const energy = () => energiesOf(world.model, world.state).reduce((kinetic, potential) => kinetic + potential)
        const start = energy()
        let most = 0
        let [low, high] = [Infinity, -Infinity]
        steps(world, 0.6, () => {
          most = Math.max(most, Math.abs(energy() - start))
          const potential = fourbarPotential(world.state.q[0])
          low = Math.min(low, potential)
          high = Math.max(high, potential)
        })
        expect(high - low).toBeGreaterThan(0.5) // J: it does swing
        return most / (high - low)
      }
      const [coarse, fine] = [loss(dt), loss(dt / 4)]
      expect(coarse).toBeLessThan(0.08)
      // of the first order, or better
      expect(fine).toBeLessThan(0.4 * coarse)
    })

    test('is held by the torque of virtual work: what the weights gain over what the crank turns', () => {
      const to = { angle: 0.7, gain: 60, loss: 4 }
      const { elbow, swing } = couplerAngles(to.angle)
      const world = make({ robot: fourbar(), controller: crankHolder(to), q: [to.angle, elbow, swing], loops })
      steps(world, 1.5)
      const [crank] = world.state.q
      const slope = (fourbarPotential(crank + 1e-5) - fourbarPotential(crank - 1e-5)) / 2e-5
      expect(Math.abs(world.state.v[0])).toBeLessThan(1e-6)
      expect(Math.abs(slope)).toBeGreaterThan(0.5) // N m: it bears a load
      // springs sag by a ten thousandth of a millimetre, on 10 cm
      expect(world.tau[0] / slope).toBeCloseTo(1, 4)
    })

    test('goes on from a checkpoint bit for bit', () => {
      const options = { ...turnOf(fourbar(), 3), loops }
      const world = make(options)
      steps(world, 0.1)
      const checkpoint = structuredClone(world.checkpoint())
      steps(world, 0.1)
      const again = make(options)
      again.restore(checkpoint)
      steps(again, 0.1)
      expect(again.hash()).toBe(world.hash())
    })
  })

  test('a linkage in an oblique plane, where rows depend on each other less plainly, moves as it does upright', () => {
    const upright = turnOf(fourbar({ gravity: 0 }), 5)
    const [turn, R] = [Float64Array.of(0.1, -0.4, 0.3, 0.8), new Float64Array(9)]
    rotationOfQuaternion(R, turn, 0)
    const oblique = { ...upright, robot: placeRobot(upright.robot, R, Float64Array.of(3, -2, 1)) }
    const [q, there] = [upright, oblique].map((options) => {
      const world = make({ ...options, loops: [closing('hinge')] })
      steps(world, 0.5)
      return world.state.q
    })
    // rounding, of positions of metres, over softness of rows that is 1e-8 of them
    q.forEach((angle, k) => {
      expect(there[k]).toBeCloseTo(angle, 6)
    })
  })

  test('a slider-crank, pinned to the world, moves its slider as a crank and a rod do', () => {
    const robot = sliderCrank()
    const speed = 4
    // at zero crank and rod lie in line: the pin moves across, and only the rod's end with it
    const world = make({
      robot,
      loops: [pinned],
      v: [0, (-speed * crankLength) / rodLength, speed * (1 + crankLength / rodLength)],
    })
    const { q } = world.state
    let worst = 0
    let widest = 0
    steps(world, 1.2, () => {
      const turn = q[1] + q[2]
      widest = Math.max(widest, Math.abs(turn))
      worst = Math.max(worst, Math.abs(crankLength + rodLength + q[0] - sliderPosition(turn)))
    })
    expect(widest).toBeGreaterThan(2) // rad: nine tenths of the stroke
    expect(worst).toBeLessThan(1e-4) // m, of a stroke of 20 cm; see the four-bar
  })

  test('a free body on a hinge of the world is the pendulum that its joint would make it', () => {
    const [length, mass, size] = [0.3, 2, 0.1]
    const shape = { type: 'box', size: [size, size, size] } as const
    const bob = createFreeBody({ name: 'bob', shape, mass, position: [length, 0, 0] })
    const hinge: WorldLoop = { kind: 'hinge', a: { link: 'world', axis: [0, 1, 0] }, b: { point: [-length, 0, 0] } }
    const world = make({ robot: bob, loops: [hinge] })
    // from the horizontal: angle'' = -k cos angle below it, by Runge and Kutta at a tenth of the step
    const k = (9.81 * length) / (length * length + (size * size) / 6)
    let [angle, rate] = [0, 0]
    const h = dt / 10
    const rates = (a: number, r: number) => [r, k * Math.cos(a)]
    steps(world, 1, () => {
      for (let n = 0; n < 10; n++) {
        const [a1, b1] = rates(angle, rate)
        const [a2, b2] = rates(angle + (h / 2) * a1, rate + (h / 2) * b1)
        const [a3, b3] = rates(angle + (h / 2) * a2, rate + (h / 2) * b2)
        const [a4, b4] = rates(angle + h * a3, rate + h * b3)
        angle += (h / 6) * (a1 + 2 * a2 + 2 * a3 + a4)
        rate += (h / 6) * (b1 + 2 * b2 + 2 * b3 + b4)
      }
    })
    const [x, y, z] = world.state.q
    // of the first order in h: some h times the rate, 1e-2 rad
    expect(Math.hypot(x - length * Math.cos(angle), z + length * Math.sin(angle))).toBeLessThan(1e-2)
    expect(y).toBeCloseTo(0, 9)
    expect(Math.hypot(x, z)).toBeCloseTo(length, 4)
  })

  test('two bodies welded together fly as one, and keep their angular momentum', () => {
    const world = make({ ...twoBodies(), loops: [{ kind: 'weld', a: { robot: 'left' }, b: { robot: 'right' } }] })
    const momentum = angularMomentum(world)
    const start = momentum()
    const apart = offset(world)
    steps(world, 1)
    // no gravity, and no force from outside; of the first order in h, as that of a single body is
    for (let d = 0; d < 3; d++) expect(Math.abs(momentum()[d] - start[d]) / Math.hypot(...start)).toBeLessThan(5e-3)
    offset(world).forEach((x, d) => {
      expect(x).toBeCloseTo(apart[d], 3)
    })
  })

  test('a table with a leaf welded to its edge bears the weight of both', () => {
    const box = (name: string, mass: number, position: [number, number, number]) =>
      createFreeBody({ name, shape: { type: 'box', size: [0.2, 0.3, 0.1] }, mass, position })
    const world = make({
      robots: [{ robot: box('table', 3, [0, 0, 0.05]) }, { robot: box('leaf', 1, [0.2, 0, 0.1]) }],
      fixtures: undefined,
      loops: [{ kind: 'weld', a: { robot: 'table', point: [0.1, 0, 0] }, b: { robot: 'leaf' } }],
    })
    steps(world, 1)
    let sum = 0
    steps(world, 1, () => {
      const { count, impulse, bodyA, bodyB } = world.contacts
      for (let i = 0; i < count; i++) {
        sum += impulse[3 * i]
        expect([bodyA[i], bodyB[i]]).toEqual([0, 1]) // what is joined does not touch each other, and the leaf no ground
      }
    })
    // where one point of a pair bears it all, a body that is loaded to one side goes on rocking
    const rocks = contactModel === 'penalty-deepest'
    expect(Math.abs(sum / (4 * 9.81) - 1)).toBeLessThan(rocks ? 1e-2 : 1e-4)
    if (!rocks) expect(Math.max(...world.state.v.map(Math.abs))).toBeLessThan(1e-4)
  })
})

test('a loop that is closed by the end of each step, to first order, as by pre-stabilisation, errs by the square of the step', () => {
  const error = (contactOptions: OptionsOf<'ncp'>, dt: number) => {
    const { elbow, swing } = couplerAngles(0.3)
    const world = new World({
      robot: fourbar(),
      contactModel: 'ncp',
      contactOptions,
      dt,
      loops: [closing('point')],
      fixtures: [],
      q: [0.3, elbow, swing],
    })
    let worst = 0
    for (let k = 0; k < 1 / dt; k++) {
      world.step()
      const { q } = world.state
      worst = Math.max(worst, Math.abs(wrapped(q[1] - couplerAngles(q[0]).elbow)))
    }
    return worst
  }
  const closed = error({ stabilization: 1 }, 2e-3)
  expect(closed).toBeLessThan(4e-4)
  expect(closed / error({}, 2e-3)).toBeLessThan(0.25) // by default a fifth of the opening is taken back in a step
  const order = Math.log2(closed / error({ stabilization: 1 }, 1e-3))
  expect(Math.abs(order - 2)).toBeLessThan(0.3)
})

describe('loops closed at the end of each step, as by pre-stabilisation', () => {
  /** Six links of 20 cm that fly, the last of them pinned to the first. */
  function ring(): Robot {
    const link = (i: number) => ({
      name: `link ${i}`,
      jointName: `joint ${i}`,
      parent: i,
      jointType: i === 0 ? JointType.floating : JointType.revolute,
      axis: [0, 1, 0] as [number, number, number],
      position: [i === 0 ? 0 : 0.2, 0, 0] as [number, number, number],
      mass: 0.5,
      centerOfMass: [0.1, 0, 0] as [number, number, number],
      inertia: [1e-4, 2e-3, 2e-3, 0, 0, 0] as [number, number, number, number, number, number],
    })
    const robot = robotOf(
      'ring',
      Array.from({ length: 6 }, (_, i) => link(i)),
    )
    return { ...robot, frames: bodyFrames(robot.model) }
  }
  const hexagon = [0, 0, 0, 0, 0, 0, 1, ...Array<number>(5).fill(Math.PI / 3)]
  const speed = 2 * Math.PI
  const scenes: Record<string, Omit<WorldSetup, 'dt'>> = {
    'a four-bar at one turn a second': { ...turnOf(fourbar(), speed), loops: [closing('hinge')] },
    'a ring of six links that spins and folds': {
      robot: ring(),
      q: hexagon,
      v: [0, 12, 0, 0, 0, 0, 3, -2, 1, -2, 1],
      loops: [{ kind: 'point', a: { link: 'link 5', point: [0.2, 0, 0] }, b: { link: 'link 0' } }],
    },
  }

  /** The largest opening at the end of a step [m, rad]. */
  const opening = (scene: string, loops: 'tangent' | 'end-of-step', contactModel: ContactModelName, size: number) => {
    const contactOptions = { loops, ...(loops === 'tangent' ? { stabilization: 1 } : {}) }
    const world = new World({ ...scenes[scene], fixtures: [], contactModel, contactOptions, dt: size } as WorldOptions)
    const data = createData(world.model)
    const rows = new LoopRows(world.model, world.loops)
    let most = 0
    steps(world, 0.3, () => {
      kinematics(world.model, world.state, data)
      rows.build(data)
      most = Math.max(most, ...rows.error.map(Math.abs))
    })
    expect(world.events).toMatchObject({ failures: 0, fallbacks: 0 })
    return most
  }

  test.each(Object.keys(scenes))(
    '%s opens by no more than the tolerance, along its tangent by the square of the step',
    (scene) => {
      for (const contactModel of ['stewart-trinkle', 'anitescu-potra', 'ncp', 'mujoco'] as const)
        expect(opening(scene, 'end-of-step', contactModel, 2e-3)).toBeLessThanOrEqual(1e-10)
      const [coarse, fine] = [2e-3, 1e-3].map((size) => opening(scene, 'tangent', 'ncp', size))
      expect(coarse).toBeGreaterThan(1e-6)
      expect(Math.abs(Math.log2(coarse / fine) - 2)).toBeLessThan(0.2)
    },
  )

  test('what cannot be closed is counted', () => {
    // the crank turns by 0.6 rad a step, farther than the tangent leads anywhere near
    const world = new World({
      ...scenes['a four-bar at one turn a second'],
      contactModel: 'ncp',
      contactOptions: { loops: 'end-of-step' },
      fixtures: [],
      dt: 0.1,
    })
    try {
      steps(world, 2)
    } catch (error) {
      expect(error).toBeInstanceOf(SimulationError)
    }
    expect(world.events.fallbacks).toBeGreaterThan(0)
  })
})

/** A rope of links of 0.1 m that hangs still, and at its end a load that moves already, which keeps no loop. */
function ropeWorld(contactModel: ContactModelName, [links, link, load, speed]: readonly number[], dt: number): World {
  const light = {
    shape: { type: 'capsule', radius: 0.01, length: 0.08 } as const,
    mass: link,
    inertia: [5e-4 * link, 5e-4 * link, 5e-5 * link, 0, 0, 0] as const,
  }
  const end = { robot: 'load', point: [0, 0, 0.1] }
  const joints = Array.from({ length: links - 1 }, (_, i) => ({
    a: { robot: `link${i}`, point: [0, 0, -0.05] },
    b: { robot: `link${i + 1}`, point: [0, 0, 0.05] },
  }))
  const ends = [
    { a: { link: 'world', point: [0, 0, 2] }, b: { robot: 'link0', point: [0, 0, 0.05] } },
    ...joints,
    { a: { robot: `link${links - 1}`, point: [0, 0, -0.05] }, b: end },
  ]
  return new World({
    robots: [
      ...Array.from({ length: links }, (_, i) => ({
        robot: createFreeBody({ ...light, name: `link${i}`, position: [0, 0, 1.95 - 0.1 * i] }),
      })),
      {
        robot: createFreeBody({
          name: 'load',
          shape: { type: 'sphere', radius: 0.1 },
          mass: load,
          position: [0, 0, 1.9 - 0.1 * links],
        }),
        v: [0, 0, 0, speed, 0, 0],
      },
    ],
    loops: ends.map((loop) => ({ kind: 'point' as const, ...loop })),
    ...{ fixtures: [], contactModel, contactOptions: { loops: 'end-of-step' }, dt },
  } as WorldOptions)
}

test.each([
  [8, 0.02, 100, 1],
  [8, 0.02, 100, 3],
  [4, 0.1, 50, 2],
  [6, 0.5, 5, 4],
  [3, 0.01, 200, 0.5],
  [5, 1, 1, 6],
])(
  'loops at the end of a step: a rope of %i links of %f kg with %f kg that starts at %f m/s gains no energy from a start that keeps no loop',
  (...rope) => {
    for (const contactModel of ['stewart-trinkle', 'anitescu-potra', 'convex', 'ncp', 'mujoco', 'drake'] as const) {
      for (const dt of [1e-3, 5e-3]) {
        const world = ropeWorld(contactModel, rope, dt)
        const energy = () => energiesOf(world.model, world.state, dataAt(world.model, world.state)).reduce((a, b) => a + b)
        const start = energy()
        const kinetic = 0.5 * rope[2] * rope[3] ** 2
        for (let n = 0; n < 3; n++) {
          world.step()
          expect(energy() - start).toBeLessThan(0.05 * kinetic)
        }
      }
    }
  },
)

test('Runge-Kutta steps keep a four-bar on its loop equation the better, by their order on its springs, the smaller they are', () => {
  const worst = (size: number) => {
    const world = new World({
      ...turnOf(fourbar({ gravity: 0 }), 2 * Math.PI),
      contactModel: 'penalty',
      integrator: 'rk4' satisfies Integrator,
      fixtures: [],
      dt: size,
      loops: [closing('hinge')],
    })
    let most = 0
    steps(world, 1.1, () => {
      const { elbow, swing } = couplerAngles(world.state.q[0])
      most = Math.max(most, Math.abs(wrapped(world.state.q[1] - elbow)), Math.abs(wrapped(world.state.q[2] - swing)))
    })
    return most
  }
  const [coarse, fine] = [worst(1e-3), worst(5e-4)]
  expect(coarse).toBeLessThan(2e-3)
  // the springs that a step can follow are four times as stiff at half the step
  expect(fine).toBeLessThan(0.3 * coarse)
})

describe('what cannot be closed is refused, all at once, with where it is', () => {
  const robot = fourbar()
  const refusal = (loops: WorldLoop[], options: Partial<WorldSetup> = {}) => {
    try {
      new World({ contactModel: 'penalty', dt, robot, loops, ...options })
    } catch (error) {
      expect(error).toBeInstanceOf(LoopError)
      expect(error).toBeInstanceOf(RangeError)
      return (error as LoopError).message
    }
    throw new Error('it was taken')
  }
  const b = { link: 'tip' }

  test.each([
    [{ kind: 'point', a: { link: 'coupel' }, b }, /a\.link: there is no frame "coupel".*"coupler"/],
    [{ kind: 'point', a: { robot: 'crane', link: 'crank' }, b }, /a\.robot is "crane"; in this world there are fourbar/],
    [{ kind: 'point', a: { link: 'rocker' }, b }, /"rocker" and "tip" cannot move against each other/],
    [{ kind: 'weld', a: { link: 'frame' }, b: { link: 'world' } }, /"frame" and "world" cannot move against each other/],
    [
      { kind: 'point', a: { link: 'coupler', point: [0.24, 0, 0.09] }, b: { link: 'tip', point: [0, 0, 0] } },
      /open by 10 mm at the start: the point of a is at \[0\.24, 0, 0\.59\], that of b at \[0\.24, 0, 0\.6\]/,
    ],
    [{ kind: 'hinge', a: { link: 'coupler', point: [0.24, 0, 0.1] }, b }, /a hinge needs an axis/],
    [
      { kind: 'hinge', a: { link: 'coupler', point: [0.24, 0, 0.1], axis: [0, 1, 0] }, b: { link: 'tip', axis: [0, 1, 1] } },
      /the axes of a and b are 45 degrees apart.*\nNo joint angles near this start close them/,
    ],
    [{ kind: 'hinge', a: { link: 'coupler', axis: [0, 0, 0] }, b }, /a\.axis has no direction/],
    [{ kind: 'point', a: { link: 'coupler', point: [1, 2] }, b }, /a\.point is \[1, 2\]; expected 3 finite numbers/],
    [{ kind: 'weld', a: { link: 'coupler', axis: [0, 1, 0] }, b }, /a\.axis is of a hinge, and this is a weld/],
    [{ kind: 'point', a: {}, b }, /a\.link is missing, and "fourbar" has \d+ links/],
  ] as [WorldLoop, RegExp][])('%j', (loop, message) => {
    expect(refusal([loop])).toMatch(message)
  })

  test('where joints can close them, the nearest start in which they do is named', () => {
    const { elbow, swing } = couplerAngles(0.9)
    const message = refusal([closing('hinge')], { q: [0.9, elbow + 0.02, swing - 0.01] })
    const [, ...angles] = /closed at \{drive: (\S+), elbow: (\S+), swing: (\S+)\}/.exec(message) as RegExpExecArray
    const q = angles.map(Number.parseFloat)
    expect(() => new World({ contactModel: 'penalty', dt, robot, q, loops: [closing('hinge')] })).not.toThrow()
    const near = couplerAngles(q[0])
    // nine digits are printed
    expect(wrapped(q[1] - near.elbow)).toBeCloseTo(0, 8)
    expect(wrapped(q[2] - near.swing)).toBeCloseTo(0, 8)
    expect(Math.abs(q[0] - 0.9)).toBeLessThan(0.05)
  })

  test('several loops', () => {
    const message = refusal([
      { kind: 'point', a: { link: 'x' }, b },
      { name: 'other', kind: 'point', a: { link: 'y' }, b },
    ])
    expect(message.split('\n').map((line) => line.slice(0, 14))).toEqual(['loop "loop1": ', 'loop "other": '])
  })
})

test('parameters show a frequency of loops where there are some', () => {
  const shown = (loops: WorldLoop[]) =>
    new World({ contactModel: 'penalty', dt, robot: fourbar(), loops }).contactModel.parameters.derived.filter(({ name }) =>
      name.startsWith('loop'),
    )
  expect(shown([])).toEqual([])
  expect(shown([closing('hinge')]).map(({ name }) => name)).toEqual(['loopFrequency', 'loopStiffness'])
})

/** A torque at the crank like that of a spring and a damper, and none elsewhere. */
function crankHolder({ angle, gain, loss }: { angle: number; gain: number; loss: number }): EffortSource {
  return {
    everySteps: 1,
    start() {},
    tick({ q, v }, _data, tau) {
      tau[0] = gain * (angle - q[0]) - loss * v[0]
    },
    save: () => null,
    restore() {},
  }
}

/** Two boxes without gravity that turn and move as one does: a turn about an oblique axis through the origin. */
function twoBodies(): Pick<WorldSetup, 'robots'> {
  const omega = [0.5, -1, 2]
  const box = (name: string, position: [number, number, number], mass: number) => {
    const shape = { type: 'box', size: [0.1, 0.2, 0.3] } as const
    const robot = createFreeBody({ name, shape, mass, position, gravity: [0, 0, 0] })
    const [wx, wy, wz] = omega
    const [x, y, z] = position
    return { robot, v: [...omega, wy * z - wz * y, wz * x - wx * z, wx * y - wy * x] }
  }
  return { robots: [box('left', [-0.2, 0, 0.1], 1), box('right', [0.3, 0.1, 0], 2)] }
}

/** Where the right body is from the left one, in its axes [m], and the turn between them as a matrix. */
function offset({ model, state }: World): number[] {
  const data = dataAt(model, state)
  const [, R] = data.R_WB
  const [, p] = data.p_WB
  const apart = data.p_WB[2].map((x, d) => x - p[d])
  const own = (column: (d: number) => number) =>
    [0, 1, 2].map((c) => [0, 1, 2].reduce((sum, d) => sum + R[3 * d + c] * column(d), 0))
  return [...own((d) => apart[d]), ...[0, 1, 2].flatMap((c) => own((d) => data.R_WB[2][3 * d + c]))]
}

/** About the world's origin, in its axes [kg m²/s]. */
function angularMomentum({ model, state }: World): () => number[] {
  const force = new Float64Array(6)
  return () => {
    const data = dataAt(model, state)
    const sum = [0, 0, 0]
    for (let i = 1; i < model.nb; i++) {
      mulInertia(force, model.I[i], data.V[i])
      const [angular, linear] = [part(data, i, force.subarray(0, 3)), part(data, i, force.subarray(3, 6))]
      const p = data.p_WB[i]
      for (let d = 0; d < 3; d++) {
        sum[d] += angular[d] + p[(d + 1) % 3] * linear[(d + 2) % 3] - p[(d + 2) % 3] * linear[(d + 1) % 3]
      }
    }
    return sum
  }
}

function part({ R_WB }: Data, body: number, own: Float64Array): Float64Array {
  return filled(3, (out) => rotate3(out, R_WB[body], own))
}
