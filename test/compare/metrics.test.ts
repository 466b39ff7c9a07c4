/** Each metric on a motion that is made up, not simulated, so that its value is known in closed form. */
import { describe, expect, test } from 'vitest'
import { Meter } from '../../compare/metrics.ts'
import type { PlacedShape } from '../../contact/index.ts'
import { type Controller, createControllerLoop } from '../../control/index.ts'
import { loadRobot, type Robot } from '../../robots/index.ts'
import { createGround, World } from '../../simulation/index.ts'

const g = 9.81
const dt = 1e-3
const inertial = '<inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>'
const cube = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
const block = loadRobot(`<robot name="block"><link name="body">${inertial}${cube}</link></robot>`, { file: 'block.urdf' })
const joint = (type: string, axis: string) =>
  `<robot name="${type}"><link name="world"/><link name="body">${inertial}</link><joint name="j" type="${type}"><parent link="world"/><child link="body"/>` +
  `<axis xyz="${axis}"/><limit lower="-9" upper="9" effort="1000" velocity="100"/></joint></robot>`
const slider = loadRobot(joint('prismatic', '0 0 1'), { file: 'slider.urdf' })
const hinge = loadRobot(joint('revolute', '0 0 1'), { file: 'hinge.urdf' })

interface Contact {
  readonly impulse: readonly [number, number, number]
  readonly gap?: number
  readonly mu?: number
  readonly point?: readonly [number, number, number]
  readonly feature?: number
}

/** A world that is moved by hand: `step` sets the state after each step and the contacts that acted over it. */
function byHand(
  robot: Robot,
  {
    controller,
    steps = 100,
    fixtures = [createGround()] as PlacedShape[],
  }: { controller?: Controller; steps?: number; fixtures?: PlacedShape[] } = {},
) {
  const loop = controller && createControllerLoop(controller, robot)
  const world = new World({ robot, contactModel: 'penalty', dt, controller: loop, fixtures, physical: { friction: 0.5 } })
  const meterFrom = () => new Meter(world, loop, steps)
  let meter: Meter | undefined
  return {
    world,
    loop,
    /** Begins measuring from the state as it is now. */
    begin: () => (meter = meterFrom()),
    step(move: () => void, contacts: readonly Contact[] = []) {
      meter ??= meterFrom()
      meter.before()
      const { contacts: set, state } = world
      set.count = contacts.length
      contacts.forEach(({ impulse, gap = 0, mu = 0.5, point = [0, 0, 0], feature = 0 }, c) => {
        set.bodyA[c] = 0
        set.bodyB[c] = 1
        set.pair[c] = 0
        set.feature[c] = feature
        set.point.set(point, 3 * c)
        set.tangent1.set([1, 0, 0], 3 * c)
        set.tangent2.set([0, 1, 0], 3 * c)
        set.normal.set([0, 0, 1], 3 * c)
        set.gap[c] = gap
        set.mu[c] = mu
        set.impulse.set(impulse, 3 * c)
      })
      move()
      world.stepCount++
      state.t[0] = world.stepCount * dt
      meter.after()
    },
    metrics: () => (meter as Meter).metrics(),
    meter: () => meter as Meter,
  }
}

describe('penetration', () => {
  test('of a block pressed 3 mm into the ground is 3 mm', () => {
    const { world, step, metrics } = byHand(block)
    step(() => (world.state.q[2] = 0.1 - 0.003))
    step(() => (world.state.q[2] = 0.1 + 0.003))
    expect(metrics().penetrationMax_m).toBeCloseTo(0.003, 14)
    expect(metrics().penetrationMean_m).toBeCloseTo(0.0015, 14)
  })

  test('of a block on its edge reaches down by half the diagonal', () => {
    const { world, step, metrics } = byHand(block)
    step(() => {
      world.state.q.set([0, 0, 0.12, Math.sin(Math.PI / 8), 0, 0, Math.cos(Math.PI / 8)])
    })
    expect(metrics().penetrationMax_m).toBeCloseTo(0.1 * Math.SQRT2 - 0.12, 14)
  })

  test('in a fixed box is the shortest way out of it', () => {
    const step = {
      name: 'step',
      body: 0,
      shape: { type: 'box', size: [1, 1, 1] },
      R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
      p: Float64Array.of(1, 0, 0),
    } as PlacedShape
    const { world, step: take, metrics } = byHand(block, { fixtures: [step] })
    take(() => world.state.q.set([0.45, 0, 0.3])) // right side at 0.55, the box begins at 0.5
    expect(metrics().penetrationMax_m).toBeCloseTo(0.05, 12)
  })

  test('at the start counts', () => {
    const { world, begin, step, metrics } = byHand(block)
    world.state.q[2] = 0.09
    begin()
    step(() => (world.state.q[2] = 0.2))
    expect(metrics().penetrationMax_m).toBeCloseTo(0.01, 14)
  })
})

describe('energy', () => {
  test('that comes from nowhere is counted: a block lifted by h gained m g h', () => {
    const { world, step, metrics } = byHand(block)
    step(() => (world.state.q[2] += 0.5))
    step(() => (world.state.q[2] -= 0.2))
    expect(metrics().energyGain_J).toBeCloseTo(2 * g * 0.5, 12)
  })

  test('that a motor gave is not invented', () => {
    const { world, step, metrics } = byHand(slider)
    // constant acceleration a under tau = m (g + a): exact with v at the ends of each step
    const a = 3
    for (let k = 1; k <= 200; k++) {
      step(() => {
        world.tau[0] = 2 * (g + a)
        world.state.q[0] = 0.5 * a * (k * dt) ** 2
        world.state.v[0] = a * k * dt
      })
    }
    expect(metrics().energyGain_J).toBeLessThan(1e-12)
  })

  test('lost to the ground is no gain', () => {
    const { world, step, metrics } = byHand(block)
    step(() => (world.state.q[2] -= 0.5))
    expect(metrics().energyGain_J).toBe(0)
  })

  test('at rest is the mean kinetic energy of the last fifth', () => {
    const { world, step, metrics } = byHand(block, { steps: 10 })
    for (let k = 0; k < 10; k++) step(() => (world.state.v[5] = k < 7 ? 9 : 0.1))
    expect(metrics().restKineticEnergy_J).toBeCloseTo(0.5 * 2 * 0.01, 14)
  })
})

describe('contacts', () => {
  test('slip while sticking is speed times time, of the worst contact; a contact at its cone may slide', () => {
    const { world, step, metrics } = byHand(block)
    for (let k = 0; k < 50; k++) {
      step(
        () => (world.state.v[3] = 0.02),
        [
          { impulse: [1, 0.3, 0], feature: 1 },
          { impulse: [1, 0.5, 0], feature: 2 },
        ],
      )
    }
    expect(metrics().stickSlip_m).toBeCloseTo(50 * dt * 0.02, 14)
  })

  test('a wheel that rolls does not slip: the velocity is that of the contact point', () => {
    const { world, step, metrics } = byHand(block)
    world.state.q[2] = 0.1
    const roll = { impulse: [1, 0, 0] as const, point: [0, 0, 0] as const }
    step(() => {
      world.state.v[1] = 5 // about y
      world.state.v[3] = 0.5 // 5 rad/s times 0.1 m
    }, [roll])
    expect(metrics().stickSlip_m).toBeLessThan(1e-15)
  })

  test('cone violation is the friction beyond mu times the normal force, or pull', () => {
    const { step, metrics } = byHand(block)
    step(() => {}, [{ impulse: [2 * dt, 3 * dt * 0.6, 3 * dt * 0.8], mu: 0.5 }])
    expect(metrics().coneViolation_N).toBeCloseTo(3 - 0.5 * 2, 12)
    step(() => {}, [{ impulse: [-7 * dt, 0, 0] }])
    expect(metrics().coneViolation_N).toBeCloseTo(7, 12)
  })

  test('force at a distance: the weight across one allowed penetration is 1', () => {
    const { step, metrics } = byHand(block)
    for (let k = 0; k < 4; k++) step(() => {}, [{ impulse: [2 * g * dt, 0, 0], gap: 1e-3 }])
    expect(metrics().complementarity).toBeCloseTo(1, 12)
  })

  test('a gap that closes within the step is no distance', () => {
    const { world, step, metrics } = byHand(block)
    step(() => (world.state.v[5] = -1), [{ impulse: [2 * g * dt, 0, 0], gap: 1e-3 }])
    expect(metrics().complementarity).toBeLessThan(1e-15)
  })

  test('changes count pairs that begin or cease to push', () => {
    const { step, metrics } = byHand(block)
    for (let k = 0; k < 10; k++) step(() => {}, k % 2 === 0 ? [{ impulse: [1, 0, 0] }] : [])
    expect(metrics().contactChanges_Hz).toBeCloseTo(9 / (10 * dt), 9)
  })
})

describe('momentum', () => {
  test('of a free fall needs no contact force', () => {
    const { world, step, metrics } = byHand(block)
    for (let k = 1; k < 20; k++) step(() => (world.state.v[5] = -g * k * dt))
    expect(metrics().momentumError).toBeLessThan(1e-12)
  })

  test('of a block held up by half its weight is half a weight short', () => {
    const { step, metrics } = byHand(block)
    for (let k = 1; k < 20; k++) step(() => {}, [{ impulse: [g * dt, 0, 0] }])
    expect(metrics().momentumError).toBeCloseTo(0.5, 12)
  })

  test('has no meaning for a robot that is bolted down', () => {
    const { step, metrics } = byHand(hinge)
    step(() => {})
    expect(metrics().momentumError).toBeNull()
  })
})

/** Aims at a constant. */
const aiming = (at: number): Controller => ({
  rate: 1000,
  init: () => null,
  update: ({ target }) => {
    target.joints[0] = at
    return [4]
  },
})

describe('tracking', () => {
  for (const [robot, key] of [
    [hinge, 'trackingRms_rad'],
    [slider, 'trackingRms_m'],
  ] as const) {
    test(`of a ${robot.name} joint held 0.25 off is 0.25 (${key})`, () => {
      const { world, loop, step, metrics } = byHand(robot, { controller: aiming(1), steps: 10 })
      for (let k = 0; k < 10; k++) {
        world.state.q[0] = 0.75
        step(() => {
          loop?.tick(world.state, world.data, world.tau)
        })
      }
      expect(metrics()[key]).toBeCloseTo(0.25, 14)
      expect(metrics().restKineticEnergy_J).toBe(0) // one target throughout: asked to rest
    })
  }

  test('is null where the controller names no target', () => {
    const { step, metrics } = byHand(hinge)
    step(() => {})
    expect(metrics()).toMatchObject({ trackingRms_rad: null, trackingRms_m: null, restKineticEnergy_J: null })
  })

  test('effort is the root mean square over steps and turning joints', () => {
    const { world, step, metrics } = byHand(hinge)
    for (let k = 0; k < 4; k++) step(() => (world.tau[0] = k % 2 === 0 ? 3 : -4))
    expect(metrics().torqueRms_Nm).toBeCloseTo(Math.sqrt((9 + 16) / 2), 14)
  })
})
