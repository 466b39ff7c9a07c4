/** What a run did besides its figures: each field of `RunHealth` in a scene where it speaks, and beside it one where nothing is wrong. */
import { describe, expect, test } from 'vitest'
import { lawsOf } from '../../compare/measure/laws.ts'
import { Meter } from '../../compare/measure/metrics.ts'
import type { PlacedShape } from '../../contact/index.ts'
import { type Controller, createControllerLoop } from '../../control/index.ts'
import { cos, sin } from '../../dynamics/index.ts'
import { createFreeBody, loadRobot, type Robot } from '../../robots/index.ts'
import { World, type WorldOptions } from '../../simulation/index.ts'
import { rodOnTip } from '../contact/laws/rocking.ts'
import { g, identity } from '../contact/laws/scenes.ts'
import { byHand } from './byHand.ts'

const limits = { penetration: 1e-3 }
const inertial = (mass: number, at = '0 0 0') =>
  `<inertial><origin xyz="${at}"/><mass value="${mass}"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>`
const solid = (size: string, at = '0 0 0') =>
  `<collision><origin xyz="${at}"/><geometry><box size="${size}"/></geometry></collision>`
const named = (name: string, content: string) => loadRobot(`<robot name="${name}">${content}</robot>`, { file: `${name}.urdf` })

type Setup = Omit<WorldOptions, 'robot' | 'controller'> & { readonly robot: Robot; readonly controller?: Controller }

/** A run of some steps, measured. */
function run({ robot, controller, ...rest }: Setup, steps: number): Meter {
  const loop = controller && createControllerLoop(controller, robot)
  const world = new World({ robot, controller: loop, ...rest } as WorldOptions)
  return measured(world, steps, [loop])
}

function measured(world: World, steps: number, loops: ConstructorParameters<typeof Meter>[1] = []): Meter {
  const meter = new Meter(world, loops, steps)
  for (let k = 0; k < steps; k++) {
    meter.before()
    world.step()
    meter.after()
  }
  return meter
}

describe('shapes of one robot that overlap', () => {
  const post = `<link name="post">${inertial(1)}${solid('0.1 0.1 1', '0.5 0 0.5')}</link>`
  const arm = `<link name="arm">${inertial(1)}${solid('0.06 0.8 0.06', '0 0.5 0')}</link>`
  const hinge = (child: string, parent: string) =>
    `<joint name="${child}_turns" type="continuous"><parent link="${parent}"/><child link="${child}"/><origin xyz="0 0 0.5"/><axis xyz="0 0 1"/></joint>`
  const robot = named(
    'swing',
    `<link name="world"/>${post}${arm}<joint name="bolt" type="fixed"><parent link="world"/><child link="post"/></joint>${hinge('arm', 'world')}`,
  )
  const swing = (selfCollision: 'none' | 'all', from = -0.6) => {
    const { world, begin, step, meter } = byHand(robot, { fixtures: [], selfCollision })
    world.state.q[0] = from
    begin()
    for (const q of [-1, -Math.PI / 2, -2, -2.5]) step(() => world.state.q.fill(q))
    return meter().health().selfOverlap
  }

  test('are named with the depth to which an arm went through its own post, self-collision being off', () => {
    // half of the arm and half of the post, straight across
    expect(swing('none')).toEqual({ robot: 'swing', a: 'post', b: 'arm', depth_m: expect.closeTo(0.08, 9), t: 0.002 })
  })

  test('are not where the contact models see that pair', () => {
    expect(swing('all')).toBeNull()
  })

  test('are not where a joint joins them and they touch at the start, nor rigidly joined ones', () => {
    expect(swing('none', -Math.PI / 2)).toBeNull()
  })

  test('count by what they gain, where they overlap at the start', () => {
    const fore = `<link name="fore">${inertial(1)}${solid('0.3 0.1 0.1', '0.3 0 0')}</link><link name="elbow">${inertial(1)}</link>`
    const two = named(
      'two',
      `<link name="base">${inertial(1)}${solid('0.2 0.2 0.2', '0.6 0 0')}</link>${fore}<joint name="lift" type="prismatic"><parent link="base"/><child link="elbow"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
       <joint name="reach" type="prismatic"><parent link="elbow"/><child link="fore"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>`,
    )
    const overlap = (q: number) => {
      const { world, begin, step, meter } = byHand(two, { fixtures: [] })
      const k = world.state.q.length - 1
      world.state.q[k] = 0.08 // the tip at 0.53, the block begins at 0.5
      begin()
      step(() => (world.state.q[k] = q))
      return meter().health().selfOverlap
    }
    expect(overlap(0.1)?.depth_m).toBeCloseTo(0.02, 9)
    expect(overlap(0.083)).toBeNull()
    expect(overlap(-0.1)).toBeNull()
  })
})

describe('what acted besides contacts', () => {
  const pendulum = (dynamics: string, limit = '') =>
    named(
      'pendulum',
      `<link name="world"/><link name="bob">${inertial(2, '0.3 0 0')}</link><joint name="j" type="${limit ? 'revolute' : 'continuous'}"><parent link="world"/><child link="bob"/><axis xyz="0 1 0"/>${dynamics}${limit}</joint>`,
    )
  const stop = '<limit lower="-1" upper="0.05" effort="1" velocity="1"/>'
  for (const contactModel of ['ncp', 'penalty', 'mujoco'] as const) {
    const swing = (robot: Robot, steps: number) => run({ robot, contactModel, dt: 1e-3, fixtures: [] }, steps).health().acted

    test(`is the stop that a pendulum has fallen onto, and not one that it has not reached: ${contactModel}`, () => {
      expect(swing(pendulum('', stop), 200)).toEqual({ limits: ['j'], dryJoints: [], loops: 0 })
      expect(swing(pendulum('', stop), 50)).toEqual({ limits: [], dryJoints: [], loops: 0 })
    })

    test(`is the dry friction that holds it, and nothing where it hangs: ${contactModel}`, () => {
      expect(swing(pendulum('<dynamics friction="6.5"/>'), 20)).toEqual({ limits: [], dryJoints: ['j'], loops: 0 })
      const hanging = named(
        'hanging',
        `<link name="world"/><link name="bob">${inertial(2, '0 0 -0.3')}</link><joint name="j" type="continuous"><parent link="world"/><child link="bob"/><axis xyz="0 1 0"/><dynamics friction="1"/></joint>`,
      )
      expect(swing(hanging, 20)).toEqual({ limits: [], dryJoints: [], loops: 0 })
    })
  }

  test('is a closed loop', () => {
    const ball = createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 1 })
    const loops = [{ name: 'pin', kind: 'point', a: { link: 'world', point: [0, 0, 1] }, b: { point: [0, 0, 1] } }] as const
    const meter = run({ robot: ball, contactModel: 'ncp', dt: 1e-3, fixtures: [], loops, q: [0, 0, 0, 0, 0, 0, 1] }, 2)
    expect(meter.health().acted.loops).toBe(1)
  })
})

describe('a fall', () => {
  const head = `<link name="head">${inertial(0.1)}</link><joint name="neck" type="continuous"><parent link="body"/><child link="head"/><axis xyz="0 0 1"/></joint>`
  const tower = named('tower', `<link name="body">${inertial(5)}${solid('0.2 0.2 1')}</link>${head}`)
  const free = createFreeBody({ name: 'free', shape: { type: 'box', size: [0.2, 0.2, 1] }, mass: 5 })
  const start = (z: number, tilt = 0) => [0, 0, z, 0, sin(tilt / 2), 0, cos(tilt / 2)]
  const fell = (robot: Robot, q: number[], v: number[], steps = 300) =>
    run(
      {
        robot,
        contactModel: 'ncp',
        dt: 5e-3,
        q: [...q, ...q.slice(7)].concat(robot === tower ? [0] : []),
        v: [...v, ...(robot === tower ? [0] : [])],
      },
      steps,
    ).health().fell

  test('is told with its time, of a robot that is pushed over', () => {
    expect(fell(tower, start(0.5), [0, 2, 0, 1, 0, 0])).toEqual({ robot: 'tower', t: expect.any(Number) })
  })

  test('is none of one that sways and stands, that lands on its feet, that lies from the start, that tumbles in the air; nor of a free body', () => {
    expect(fell(tower, start(0.5), [0, 0.2, 0, 0.1, 0, 0])).toBeNull()
    expect(fell(tower, start(0.7), [0, 0, 0, 0, 0, 0])).toBeNull()
    expect(fell(tower, start(0.1, Math.PI / 2), [0, 0, 0, 0, 0, 0])).toBeNull()
    expect(fell(tower, start(4), [0, 5, 0, 0, 0, 0], 100)).toBeNull()
    expect(fell(free, start(0.5), [0, 2, 0, 1, 0, 0])).toBeNull()
  })

  test('is that of a robot on wheels onto its side, though its base rises', () => {
    const wheel = (name: string, y: number) =>
      `<link name="${name}">${inertial(0.2)}<collision><geometry><sphere radius="0.1"/></geometry></collision></link><joint name="${name}_turns" type="continuous"><parent link="body"/><child link="${name}"/><origin xyz="0 ${y} -0.05"/><axis xyz="0 1 0"/></joint>`
    const cart = named(
      'cart',
      `<link name="body">${inertial(5)}${solid('0.4 0.44 0.5', '0 0 0.25')}</link>${wheel('left', 0.15)}${wheel('right', -0.15)}`,
    )
    const world = { robot: cart, contactModel: 'ncp', dt: 5e-3 } as const
    const q = (roll: number, z: number) => [0, 0, z, sin(roll / 2), 0, 0, cos(roll / 2), 0, 0]
    const stood = new World({ ...world, q: q(0, 0.15) })
    const meter = new Meter(stood, [], 400)
    for (let k = 0; k < 400; k++) {
      if (k === 40) stood.state.v.set([8, 0, 0, 0, 0, 1.5])
      meter.before()
      stood.step()
      meter.after()
    }
    expect(meter.health().fell?.robot).toBe('cart')
  })
})

describe('motors', () => {
  const hinge = named(
    'hinge',
    `<link name="world"/><link name="body">${inertial(2)}</link><joint name="j" type="revolute"><parent link="world"/><child link="body"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1" velocity="100"/></joint>`,
  )
  const asks = (effort: (t: number) => number): Controller => ({ rate: 1000, init: () => ({}), update: ({ t }) => [effort(t)] })
  const part = (controller?: Controller) =>
    run({ robot: hinge, controller, contactModel: 'ncp', dt: 1e-3, fixtures: [] }, 100).health().saturated

  test('at their limit are told, by the part of the run', () => {
    expect(part(asks((t) => (t < 0.0245 ? 5 : 0.5)))).toEqual({ joint: 'j', part: expect.closeTo(0.25, 9) })
  })

  test('below it, or none, are not', () => {
    expect(part(asks(() => 0.99))).toBeNull()
    expect(part()).toBeNull()
  })
})

describe('a target', () => {
  const slide = named(
    'slide',
    `<link name="world"/><link name="body">${inertial(2)}${solid('0.3 0.4 1.2')}</link><joint name="j" type="prismatic"><parent link="world"/><child link="body"/><axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>`,
  ) // of 1.3 m: a miss from 65 mm on
  const missed = (q: number, target: (t: number) => number) => {
    const controller: Controller = {
      rate: 1000,
      init: () => ({}),
      update: ({ t, target: { joints } }) => {
        joints[0] = target(t)
        return [0]
      },
    }
    return run({ robot: slide, controller, contactModel: 'ncp', dt: 1e-3, fixtures: [], q: [q] }, 20).health().missedTarget
  }

  test('that stands still is missed by more than a twentieth of the size', () => {
    expect(missed(0.1, () => 0)).toEqual({ robot: 'slide', joint: 'j', distance: expect.closeTo(0.1, 12), unit: 'm' })
  })

  test('is not by the sag of a servo, nor where it moves to the end, nor where there is none', () => {
    expect(missed(0.06, () => 0)).toBeNull()
    expect(missed(0.1, (t) => t)).toBeNull()
    expect(missed(0.1, () => Number.NaN)).toBeNull()
  })
})

describe('creep', () => {
  const box = createFreeBody({ name: 'box', shape: { type: 'box', size: [0.2, 0.2, 0.1] }, mass: 2 })
  const ball = createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.05 }, mass: 1 })
  const angle = Math.PI / 9
  const slope: PlacedShape = {
    name: 'slope',
    body: 0,
    shape: { type: 'halfspace', normal: [sin(angle), 0, cos(angle)], offset: 0 },
    R: identity,
    p: new Float64Array(3),
  }
  const on = (robot: Robot, contactModel: 'ncp' | 'penalty' | 'mujoco', friction = 0.5) =>
    run(
      {
        ...{ robot, contactModel, dt: 1e-3, fixtures: [slope], physical: { friction } },
        q: [0.05 * sin(angle), 0, 0.05 * cos(angle), 0, sin(angle / 2), 0, cos(angle / 2)],
      },
      400,
    ).health().creep

  test('on a slope is stickSpeed tan(a) / mu under penalty; mujoco creeps, ncp holds', () => {
    const speed = (1e-4 * Math.tan(angle)) / 0.5
    expect(on(box, 'penalty')).toEqual({ of: 'box on slope', speed: expect.any(Number), unit: 'm/s' })
    expect(Math.abs((on(box, 'penalty')?.speed as number) / speed - 1)).toBeLessThan(0.01)
    expect(on(box, 'mujoco')?.speed).toBeGreaterThan(5e-4)
    expect(on(box, 'ncp')).toBeNull()
  })

  test('is not what must slide, nor what rolls', () => {
    for (const model of ['ncp', 'penalty', 'mujoco'] as const) {
      expect(on(box, model, 0.2), model).toBeNull()
      expect(on(ball, model), model).toBeNull()
    }
  })

  const slider = (friction: number) =>
    named(
      'slider',
      `<link name="world"/><link name="block">${inertial(2)}</link><joint name="j" type="prismatic"><parent link="world"/><child link="block"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/><dynamics friction="${friction}"/></joint>`,
    )
  const held = (
    contactModel: 'ncp' | 'penalty' | 'mujoco',
    friction: number,
    contactOptions?: WorldOptions['contactOptions'],
  ) => {
    const meter = run({ robot: slider(friction), contactModel, contactOptions, dt: 1e-3, fixtures: [] } as Setup, 500)
    const law = lawsOf(meter.laws(), limits).find((check) => check.law === 'jointFriction')
    return { creep: meter.health().creep, law: law?.value as number }
  }

  test('of a block on a dry slider is none under exact laws, whose friction keeps Coulomb; it falls with less', () => {
    for (const model of ['ncp', 'penalty'] as const) {
      const { creep, law } = held(model, 40)
      expect(creep).toBeNull()
      expect(law).toBeLessThan(1e-6)
      const falls = held(model, 10)
      expect(falls.creep).toBeNull()
      expect(falls.law).toBeLessThan(1e-6)
    }
  })

  test('of a regularised joint is 1 mm/s times load over friction, and breaks the law by a tenth of that share', () => {
    const { creep, law } = held('ncp', 40, { jointFriction: 'regularised' })
    const speed = (1e-3 * 2 * g) / 40
    expect(creep).toEqual({ of: 'j', speed: expect.closeTo(speed, 8), unit: 'm/s' })
    expect(law).toBeCloseTo(speed / 0.01, 3)
  })

  test('under mujoco is g (1 - d) / d over 2 / (0.95 * 20 ms), d = 0.9: native MuJoCo 4.0.0 slides at 10.355 mm/s', () => {
    const { creep, law } = held('mujoco', 40)
    expect(creep?.speed).toBeCloseTo(0.010355, 5)
    expect(law).toBeCloseTo(1 - (2 * g) / 40, 2) // pressed back to the bound of friction
  })
})

test('steps with several answers are counted under lcp, and none where there is one', () => {
  const rod = (omega: number) => measured(rodOnTip('lcp', 1e-4, { mu: 1.9, omega, atTip: true }), 2).health().indeterminate
  expect(rod(4)).toBe(1)
})
