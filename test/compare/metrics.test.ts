/** Each metric on a motion that is made up, not simulated, so that its value is known in closed form. */
import { describe, expect, test } from 'vitest'
import { Meter } from '../../compare/measure/metrics.ts'
import { createCollider, hullOf, type PlacedShape, placeCollider, placeCore, signedDistance } from '../../contact/index.ts'
import { type Controller, createControllerLoop } from '../../control/index.ts'
import { createFreeBody, loadRobot } from '../../robots/index.ts'
import { createGround, World } from '../../simulation/index.ts'
import { fixedBox, g, identity } from '../contact/laws/scenes.ts'
import { byHand, dt } from './byHand.ts'

const inertial = '<inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>'
const cube = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
const block = loadRobot(`<robot name="block"><link name="body">${inertial}${cube}</link></robot>`, { file: 'block.urdf' })
const joint = (type: string, axis: string) =>
  `<robot name="${type}"><link name="world"/><link name="body">${inertial}</link><joint name="j" type="${type}"><parent link="world"/><child link="body"/>` +
  `<axis xyz="${axis}"/><limit lower="-9" upper="9" effort="1000" velocity="100"/></joint></robot>`
const slider = loadRobot(joint('prismatic', '0 0 1'), { file: 'slider.urdf' })
const hinge = loadRobot(joint('revolute', '0 0 1'), { file: 'hinge.urdf' })
/** On each of their two bodies. */
const none = new Float64Array(6 * hinge.model.nb)

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
    const { world, step, metrics } = byHand(block, { fixtures: [fixedBox('step', [1, 0, 0], [1, 1, 1])] })
    step(() => world.state.q.set([0.45, 0, 0.3])) // right side at 0.55, the box begins at 0.5
    expect(metrics().penetrationMax_m).toBeCloseTo(0.05, 12)
  })

  test('of one body in another is the same, and far ones are not asked', () => {
    const bodies = ['a', 'b', 'c'].map((name) => createFreeBody({ name, shape: { type: 'sphere', radius: 0.1 }, mass: 1 }))
    const { world, begin, step, metrics, meter } = byHand(bodies, { fixtures: [] })
    world.robots[0].state.q.set([0, 0, 0])
    world.robots[1].state.q.set([0, 0.16, 0.12]) // 0.2 apart: they touch
    world.robots[2].state.q.set([5, 0, 0])
    begin()
    expect(metrics().penetrationMax_m).toBeLessThan(1e-15)
    step(() => world.robots[1].state.q.set([0, 0.12, 0.09]))
    expect(metrics().penetrationMax_m).toBeCloseTo(0.05, 14)
    expect(meter().deepestPair).toEqual({ a: 'a', b: 'b' })
  })

  test('agrees with the exact distance of every pair, whatever is left out as too far', () => {
    let seed = 7
    const random = () => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
      return seed / 0x7fffffff
    }
    const shapes = [
      { type: 'box', size: [0.2, 0.1, 0.3] },
      { type: 'sphere', radius: 0.1 },
      { type: 'cylinder', radius: 0.08, length: 0.2 },
      { type: 'capsule', radius: 0.05, length: 0.2 },
    ] as const
    const bodies = Array.from({ length: 12 }, (_, i) => createFreeBody({ name: `b${i}`, shape: shapes[i % 4], mass: 1 }))
    const { world, step, meter } = byHand(bodies, { fixtures: [createGround()] })
    const colliders = bodies.map(({ shapes: [{ shape }] }) => createCollider(shape))
    const [R, p, out] = [new Float64Array(9), new Float64Array(3), new Float64Array(10)]
    for (let trial = 0; trial < 50; trial++) {
      step(() => {
        for (const { state } of world.robots) {
          const q = [random() - 0.5, random() - 0.5, random(), random() - 0.5, random() - 0.5, random() - 0.5, random() + 0.1]
          const norm = Math.hypot(...q.slice(3))
          state.q.set(q.map((x, k) => (k < 3 ? 0.6 * x : x / norm)))
        }
      })
      const { data } = meter()
      colliders.forEach((collider, i) => {
        R.set(data.R_WB[i + 1])
        p.set(data.p_WB[i + 1])
        placeCollider(collider, R, p, identity, new Float64Array(3))
        placeCore(collider)
      })
      let deepest = 0
      const ground = createCollider(createGround().shape)
      colliders.forEach((b, i) => {
        for (const a of [ground, ...colliders.slice(0, i)]) {
          signedDistance(a, b, out)
          deepest = Math.max(deepest, -out[0])
        }
      })
      // two ways to the distance of one pair, cylinders among them: 1e-9 of the size
      expect(Math.abs(meter().depthNow - deepest)).toBeLessThan(1e-9)
    }
  })

  test('in a height field is that of the deepest point, of a flat body too', () => {
    const field = {
      name: 'field',
      body: 0,
      shape: { type: 'heightfield', rows: 3, columns: 3, spacing: [1, 1], heights: new Float64Array(9).fill(0.5) },
      R: identity,
      p: new Float64Array(3),
    } as PlacedShape
    const square = hullOf(Float64Array.of(-0.1, -0.1, 0, 0.1, -0.1, 0, 0.1, 0.1, 0, -0.1, 0.1, 0))
    const flat = createFreeBody({
      name: 'plate',
      shape: { type: 'hull', polyhedron: square },
      mass: 1,
      inertia: [1, 1, 1, 0, 0, 0],
      position: [9, 9, 9],
    })
    const ball = createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1, position: [-9, -9, 9] })
    for (const [robot, height, depth] of [
      [ball, 0.58, 0.02],
      [flat, 0.47, 0.03],
    ] as const) {
      const { world, step, metrics } = byHand(robot, { fixtures: [field] })
      step(() => {})
      expect(metrics().penetrationMax_m).toBe(0)
      step(() => world.state.q.set([0.2, 0.1, height]))
      // a plate is measured 1e-6 m thick on both sides
      expect(metrics().penetrationMax_m).toBeGreaterThan(depth - 1e-12)
      expect(metrics().penetrationMax_m).toBeLessThan(depth + 2e-6)
    }
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
        world.tau[0] = world.applied[0] = 2 * (g + a)
        world.state.q[0] = 0.5 * a * (k * dt) ** 2
        world.state.v[0] = a * k * dt
      })
    }
    expect(metrics().energyGain_J).toBeLessThan(1e-12)
  })

  test('gained back after a loss counts: a block that fell and rises again by itself', () => {
    const { world, step, metrics } = byHand(block)
    step(() => (world.state.q[2] -= 0.5))
    step(() => (world.state.q[2] += 0.2))
    step(() => (world.state.q[2] -= 0.1))
    expect(metrics().energyGain_J).toBeCloseTo(2 * g * 0.2, 12)
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

  test('static friction may hold more than sliding friction, at rest and not at speed', () => {
    const { world, step, metrics } = byHand(block)
    const held = { impulse: [1 * dt, 0.6 * dt, 0] as const, mu: 0.5, muStatic: 0.7 }
    step(() => {}, [held])
    expect(metrics().coneViolation_N).toBe(0)
    world.state.v[3] = 1
    step(() => {}, [held])
    expect(metrics().coneViolation_N).toBeCloseTo(0.1, 12)
  })

  test('an impact is judged apart from the force: the same law, on impulses', () => {
    const { step, metrics } = byHand(block)
    step(() => {}, [{ impulse: [5 + 2 * dt, 4, 0], impact: [5, 4, 0], mu: 0.5 }])
    expect(metrics()).toMatchObject({ coneViolation_N: 0, impacts: 1, impactMax_Ns: 5 })
    expect(metrics().impactConeViolation_Ns).toBeCloseTo(4 - 2.5, 14)
  })

  test('slip of two bodies is that of one against the other', () => {
    const bodies = ['a', 'b'].map((name) => createFreeBody({ name, shape: { type: 'sphere', radius: 0.1 }, mass: 1 }))
    const { world, step, metrics } = byHand(bodies)
    const between = { impulse: [1, 0, 0] as const, bodyA: 1, bodyB: 2 }
    step(() => {
      world.robots[0].state.v[3] = 3
      world.robots[1].state.v[3] = 3
    }, [between])
    expect(metrics().stickSlip_m).toBe(0)
    step(() => (world.robots[1].state.v[3] = 2.5), [between])
    expect(metrics().stickSlip_m).toBeCloseTo(0.5 * dt, 15)
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

  test('of two bodies that push each other apart: what one gains the other loses', () => {
    const bodies = [2, 3].map((mass, i) => createFreeBody({ name: `b${i}`, shape: { type: 'sphere', radius: 0.1 }, mass }))
    const { world, step, metrics } = byHand(bodies)
    for (let k = 1; k < 20; k++) {
      step(() => {
        world.robots[0].state.v[5] = -g * k * dt - (0.4 * k) / 2
        world.robots[1].state.v[5] = -g * k * dt + (0.4 * k) / 3
      }, [{ impulse: [0.4, 0, 0], bodyA: 1, bodyB: 2 }])
    }
    expect(metrics().momentumError).toBeLessThan(1e-12)
  })

  test('of a body that is said to be pushed and is not is off by that push, also if another has it instead', () => {
    const bodies = ['a', 'b'].map((name) => createFreeBody({ name, shape: { type: 'sphere', radius: 0.1 }, mass: 1 }))
    const { world, step, metrics } = byHand(bodies)
    for (let k = 1; k < 20; k++) {
      step(() => {
        for (const { state } of world.robots) state.v[5] = -g * k * dt
      }, [{ impulse: [g * dt, 0, 0], bodyA: 1, bodyB: 2 }])
    }
    // a weight on each of two, over two weights
    expect(metrics().momentumError).toBeCloseTo(Math.SQRT2 / 2, 12)
  })

  test('of forces between the parts of one robot is none: they cancel', () => {
    const two = loadRobot(
      `<robot name="two"><link name="a">${inertial}${cube}</link><link name="b">${inertial}${cube}</link>` +
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.3 0 0"/><axis xyz="0 0 1"/></joint></robot>',
      { file: 'two.urdf' },
    )
    const { world, step, metrics } = byHand(two, { fixtures: [], selfCollision: 'all' }) // the two are the one pair that there is
    for (let k = 1; k < 20; k++)
      step(() => (world.state.v[5] = -g * k * dt), [{ impulse: [3, 1, -2], mu: 1, bodyA: 1, bodyB: 2 }])
    expect(metrics().momentumError).toBeLessThan(1e-12)
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
          loop?.tick(world.state, world.data, world.tau, none)
        })
      }
      expect(metrics()[key]).toBeCloseTo(0.25, 14)
      expect(metrics().restKineticEnergy_J).toBe(0) // one target throughout: asked to rest
    })
  }

  test('is told of every robot that is controlled; the main figure is that of the compared one', () => {
    const loops = [hinge, slider].map((robot, i) => createControllerLoop(aiming(i + 1), robot))
    const robots = [hinge, slider].map((robot, i) => ({ robot, controller: loops[i] }))
    const world = new World({ robots, contactModel: 'penalty', dt, fixtures: [createGround()] })
    const meter = new Meter(world, loops, 1)
    meter.before()
    loops.forEach((loop, i) => {
      loop.tick(world.robots[i].state, world.data, world.robots[i].tau, none)
    })
    world.stepCount++
    meter.after()
    expect(meter.metrics()).toMatchObject({ trackingRms_rad: 1, trackingRms_m: null })
    expect(meter.tracking()).toEqual([
      { robot: 'revolute', trackingRms_rad: 1, trackingRms_m: null },
      { robot: 'prismatic', trackingRms_rad: null, trackingRms_m: 2 },
    ])
  })

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

test('a step counts once among the fallbacks, however often its solver fell back', () => {
  const { world, step, metrics } = byHand(block)
  step(() => (world.events.fallbacks += 2))
  step(() => (world.events.failures += 3))
  step(() => {})
  expect(metrics()).toMatchObject({ fallbacks: 1, solverFailures: 1 })
})
