import { describe, expect, test } from 'vitest'
import { type ContactModelName, contactModelNamed } from '../../contact/index.ts'
import { type Controller, createControllerLoop, figureEight, hold, trot, unicycle } from '../../control/index.ts'
import { loadOwnRobot, loadRobotFile } from '../../robots/files.ts'
import { createFreeBody, type Robot } from '../../robots/index.ts'
import { LiveRun, World, type WorldOptions } from '../../simulation/index.ts'
import { dailyModels, hasRobots, robotsFolder } from '../dailyModels.ts'

const mass = 3
const box = createFreeBody({ name: 'box', shape: { type: 'box', size: [0.4, 0.2, 0.1] }, mass, position: [0, 0, 0.05] })
const diffdrive = loadOwnRobot('diffdrive')
const quadruped = loadOwnRobot('quadruped')

interface Setup {
  readonly dt: number
  readonly contactModel: string
  readonly robot: Robot
  readonly controller?: () => Controller
  readonly friction?: number
  readonly gravity?: number
}

function createWorld({ dt, contactModel, robot, controller, friction, gravity }: Setup): World {
  const own =
    gravity === undefined ? robot : { ...robot, model: { ...robot.model, gravity: Float64Array.of(0, 0, 0, 0, 0, -gravity) } }
  return new World({
    robot: own,
    contactModel: contactModelNamed(contactModel),
    dt,
    physical: { friction },
    controller: controller && createControllerLoop(controller(), own),
  } as WorldOptions)
}

const boxRun = (contactModel: ContactModelName = 'ncp', dt = 1e-3) =>
  new LiveRun<Setup>({ dt, contactModel, robot: box }, createWorld)

function go<T extends LiveRun<Setup>>(run: T, steps: number): T {
  while (run.stepCount < steps) run.step()
  return run
}

describe('a pull', () => {
  test('carries a hanging box by F = k x, its weight', () => {
    const run = boxRun()
    run.act({ type: 'pull', to: [0, 0, 1] })
    go(run, 4000)
    const [{ stiffness, force }] = run.world.pulls
    expect(stiffness * (1 - run.world.state.q[2])).toBeCloseTo(mass * 9.80665, 1)
    expect(force[2] / (mass * 9.80665)).toBeCloseTo(1, 3)
    expect(stiffness).toBeCloseTo(mass * 100, 9)
  })

  test('moves a weightless box as a damped oscillator', () => {
    const run = new LiveRun<Setup>({ dt: 1e-4, contactModel: 'ncp', robot: box, gravity: 0 }, createWorld)
    run.act({ type: 'pull', to: [0, 0, 1.05], stiffness: 12, damping: 2.4 })
    go(run, 10_000)
    // z'' + 0.8 z' + 4 z = 0 from z = -1 at rest, after 1 s
    const w = Math.sqrt(4 - 0.4 ** 2)
    const z = -Math.exp(-0.4) * (Math.cos(w) + (0.4 / w) * Math.sin(w))
    expect(run.world.state.q[2] - 1.05).toBeCloseTo(z, 3)
  })

  test('bears a light point at a long step: its default is stable', () => {
    const run = new LiveRun<Setup>(
      { dt: 5e-3, contactModel: 'ncp', robot: quadruped, controller: () => hold() as Controller },
      createWorld,
    )
    const foot =
      quadruped.frames.find(({ name }) => name.includes('front_left') && name.includes('foot')) ?? quadruped.frames.at(-1)
    run.act({ type: 'pull', link: foot?.name, to: [0.3, 0.2, 0.3] })
    go(run, 400)
    expect(Math.max(...run.world.state.v.map(Math.abs))).toBeLessThan(20)
    run.world.auditLastStep()
    expect(run.world.events.energyGains).toBe(0)
  })

  test('ends where it is released', () => {
    const run = boxRun()
    run.act({ type: 'pull', to: [0, 0, 1] }, 0)
    run.act({ type: 'release' }, 3000)
    go(run, 4500)
    expect(run.world.pulls).toEqual([])
    expect(run.world.state.q[2]).toBeLessThan(0.06)
  })
})

const isHere = hasRobots('pulls on real robots')
describe.runIf(isHere)('robots as people have them', () => {
  test.each([
    ['a1/a1_description/urdf/a1.urdf', 'FL_foot'],
    ['panda/example-robot-data/robots/panda_description/urdf/panda.urdf', 'panda_hand'],
    ['ur5/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf', ''],
  ])('%s gives way to a pull and comes back, repeatably', (file, link) => {
    const robot = loadRobotFile(`${robotsFolder}/${file}`)
    const make = () =>
      new LiveRun<Setup>({ dt: 1e-3, contactModel: 'ncp', robot, controller: () => hold() as Controller }, createWorld)
    const run = make()
    const name = link || (robot.frames.at(-1)?.name ?? '')
    run.act({ type: 'pull', link: name, to: [0.4, 0.4, 0.6] }, 50)
    run.act({ type: 'release' }, 250)
    go(run, 240)
    const [{ point, to, force }] = run.world.pulls
    expect(Math.hypot(...force)).toBeGreaterThan(1)
    expect(Math.hypot(point[0] - to[0], point[1] - to[1], point[2] - to[2])).toBeLessThan(2)
    go(run, 500)
    const again = make()
    again.record.push(...run.record)
    expect(go(again, 500).world.hash()).toBe(run.world.hash())
  })
})

test('a push now gives its impulse within the step', () => {
  const run = boxRun()
  go(run, 10)
  run.act({ type: 'push', impulse: [0, 0, 3] })
  go(run, 11)
  expect(run.world.state.v[5]).toBeCloseTo(3 / mass - 9.80665e-3, 4)
})

describe.each(dailyModels)('under %s', (contactModel) => {
  test('going back, another way on and the record give the same bits', () => {
    const run = boxRun(contactModel, 2e-3)
    run.act({ type: 'pull', point: [0.2, 0, 0], to: [0.5, 0, 0.4] }, 20)
    run.act({ type: 'pull', point: [0.2, 0, 0], to: [0.5, 0.3, 0.3] }, 60)
    run.act({ type: 'change', change: { friction: 0.2 } }, 90)
    run.act({ type: 'release' }, 110)
    run.act({ type: 'push', impulse: [1, 0, 0], point: [0, 0.1, 0] }, 150)
    run.act({ type: 'change', change: { gravity: 5 } }, 160)
    go(run, 70)
    const middle = structuredClone(run.save().checkpoint)
    const { setup } = run.save()
    go(run, 200)
    const hash = run.world.hash()
    run.restore({ setup, checkpoint: middle })
    expect(go(run, 200).world.hash()).toBe(hash)

    const again = boxRun(contactModel, 2e-3)
    again.record.push(...run.record)
    expect(go(again, 200).world.hash()).toBe(hash)

    // what is done in the past takes the place of what came after
    run.restore({ setup, checkpoint: middle })
    run.act({ type: 'release' })
    expect(run.record.length).toBe(3)
    expect(go(run, 200).world.hash()).not.toBe(hash)
  })
})

describe('a change while it runs', () => {
  test('of friction stops a sliding box after v² / (2 mu g) from there', () => {
    const run = boxRun()
    go(run, 200)
    run.act({ type: 'change', change: { friction: 0 } })
    run.act({ type: 'push', impulse: [6, 0, 0] })
    go(run, 700)
    expect(run.world.state.v[3]).toBeCloseTo(2, 3)
    const from = run.world.state.q[0]
    run.act({ type: 'change', change: { friction: 0.5 } })
    go(run, 1700)
    expect(run.world.state.q[0] - from).toBeCloseTo(4 / (2 * 0.5 * 9.80665), 2)
  })

  test('of gravity is felt at once, and is no energy that the model invents', () => {
    const run = boxRun()
    run.act({ type: 'change', change: { gravity: -1 } }, 100)
    go(run, 1100)
    expect(run.world.state.q[2]).toBeCloseTo(0.05 + 0.5, 2)
    run.world.auditLastStep()
    expect(run.world.events.energyGains).toBe(0)
  })

  test('of the contact model goes on from the state', () => {
    const run = boxRun('penalty')
    run.act({ type: 'push', impulse: [1, 0, 0] }, 100)
    go(run, 110)
    const speed = run.world.state.v[3]
    run.act({ type: 'change', change: { contactModel: 'lcp' } })
    go(run, 111)
    expect(run.world.contactModel.name).toBe('lcp')
    // friction of its weight, and of what pushes it out of the ground into which the springs let it sink
    expect(run.world.state.v[3]).toBeLessThan(speed)
    expect(run.world.state.v[3]).toBeGreaterThan(speed - 0.02)
  })

  test("of a controller's gains leaves what it remembers", () => {
    const controller = (across: number) => () => unicycle(figureEight(), { across }) as Controller
    const run = new LiveRun<Setup>({ dt: 1e-3, contactModel: 'ncp', robot: diffdrive, controller: controller(12) }, createWorld)
    go(run, 500)
    run.act({ type: 'change', change: { controller: controller(3) } })
    go(run, 502)
    const { memory } = run.save().checkpoint.controllers[0] as {
      memory: { follower: { gains: Float64Array; start: Float64Array } }
    }
    expect([...memory.follower.gains]).toEqual([3, 3, 5])
    expect(memory.follower.start.every(Number.isFinite)).toBe(true)
    go(run, 1500)
    const speed = Math.hypot(run.world.state.v[3], run.world.state.v[4])
    expect(speed).toBeGreaterThan(0.2)
  })

  test('that no world can be made of ends the run there, and another at the same step takes its place', () => {
    const run = go(boxRun(), 50)
    const saved = run.save()
    run.act({ type: 'change', change: { friction: -1 } })
    expect(() => run.step()).toThrow(/friction/)
    run.restore(saved)
    run.act({ type: 'change', change: { friction: 0.4 } })
    expect(run.record.length).toBe(1)
    expect(go(run, 60).world.physical.friction).toBe(0.4)
  })

  test('of the step goes on in a run of its own', () => {
    const run = go(boxRun('ncp', 1e-3), 100)
    const from = run.save()
    const next = new LiveRun<Setup>({ ...from.setup, dt: 2e-3 }, createWorld, from)
    expect(next.stepCount).toBe(50)
    expect([...next.world.state.q]).toEqual([...run.world.state.q])
    expect(() => run.act({ type: 'change', change: { dt: 2e-3 } })).toThrow(/steps of one size/)
  })
})

describe('a live target', () => {
  test.each([
    ['unicycle', diffdrive, () => unicycle(figureEight()) as Controller, 0.3, 0.5],
    ['hold', diffdrive, () => hold() as Controller, 0.3, 0.5],
    ['trot', quadruped, () => trot() as Controller, 0.3, 0.4],
  ] as const)('drives %s', (_, robot, controller, speed, turn) => {
    const run = new LiveRun<Setup>({ dt: 2e-3, contactModel: 'ncp', robot, controller }, createWorld)
    run.act({ type: 'command', command: [speed, turn] }, 50)
    go(run, 1000)
    const { q } = run.world.state
    const heading = () => Math.atan2(2 * (q[6] * q[5] + q[3] * q[4]), 1 - 2 * (q[4] ** 2 + q[5] ** 2))
    const [x, y, angle] = [q[0], q[1], heading()]
    go(run, 1500)
    expect(Math.hypot(q[0] - x, q[1] - y)).toBeGreaterThan(0.85 * speed)
    expect(Math.hypot(q[0] - x, q[1] - y)).toBeLessThan(1.1 * speed)
    // wide wheels touch at their outer edges, which makes the track wider by a tenth
    const turned = (heading() - angle + 2 * Math.PI) % (2 * Math.PI)
    expect(turned).toBeGreaterThan(0.85 * turn)
    expect(turned).toBeLessThan(1.1 * turn)
  })
})

test('efforts set from a program turn a wheel, hold until others come, and are kept in the limits', () => {
  const world = createWorld({ dt: 1e-3, contactModel: 'ncp', robot: diffdrive })
  world.act({ type: 'efforts', efforts: [0.1, 0.1] })
  for (let k = 0; k < 200; k++) world.step()
  expect(world.state.v[diffdrive.joints[0].vIndex]).toBeGreaterThan(0.1)
  const limit = diffdrive.model.effortLimit[diffdrive.joints[0].vIndex]
  world.act({ type: 'efforts', efforts: [1e6, 0] })
  world.step()
  expect(world.tau[diffdrive.joints[0].vIndex]).toBe(limit)
  expect(() => world.act({ type: 'efforts', efforts: [1] })).toThrow(/expected 2/)
  expect(() => world.act({ type: 'pull', link: 'nosuch', to: [0, 0, 1] })).toThrow(/nosuch/)
  expect(() => world.act({ type: 'command', command: [0, 0] })).toThrow(/takes no command/)
})
