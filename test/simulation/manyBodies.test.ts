import { describe, expect, test } from 'vitest'
import { type Controller, createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { createRandom } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { createFreeBody, placeRobot, type Robot } from '../../robots/index.ts'
import { World, type WorldRobot, type WorldSetup } from '../../simulation/index.ts'
import { isRigid } from '../contact/laws/scenes.ts'
import { dailyPair, tellWhatIsNotRun } from '../dailyModels.ts'
import { arm, pendulum, run } from './robots.ts'

const names = dailyPair
tellWhatIsNotRun('several bodies', dailyPair)
const diffdrive = loadOwnRobot('diffdrive')

const ball = (position: readonly [number, number, number], restitution = 0) =>
  createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 2, position, restitution })
const crate = (
  position: readonly [number, number, number],
  mass = 3,
  size: readonly [number, number, number] = [0.2, 0.3, 0.1],
) => createFreeBody({ name: 'crate', shape: { type: 'box', size }, mass, position })

const controlled = (robot: Robot, name?: string): WorldRobot => ({
  name,
  robot,
  controller: createControllerLoop(defaultControllerFor(robot), robot),
})

/** A robot at work, an arm, a pendulum and bodies, far enough apart that none meets another. */
function crowdApart(): WorldRobot[] {
  const away = Float64Array.of(20, 0, 0)
  return [
    controlled(diffdrive),
    { robot: ball([-5, 0, 0.3]), v: [3, 1, 0, 0.5, 0, 0] },
    { robot: placeRobot(arm(), undefined, away) },
    { robot: crate([-8, 3, 0.2]), v: [1, 2, 0.5, 0, 0, 0] },
    { robot: placeRobot(pendulum(2, 0.4, 1), undefined, Float64Array.of(0, 9, 0)) },
  ]
}

/** Two crates on the floor, a ball about to fall on them, and a robot that drives at another crate. */
function crowdThatMeets(): WorldRobot[] {
  return [
    { robot: crate([-2, 0, 0.05]) },
    { robot: crate([-1.98, 0.01, 0.15], 2) },
    { robot: ball([-2, 0, 0.45], 0.5) },
    controlled(diffdrive),
    { name: 'in the way', robot: crate([0.45, 0, 0.05], 1) },
  ]
}

/**
 * The same with a smaller crate on top, which lies on its four corners. For lnc: it knows vertices and faces alone, and of crates of one
 * size, one askew on the other, mostly edges meet.
 */
function crowdOfCorners(): WorldRobot[] {
  const crowd = crowdThatMeets()
  crowd[1] = { robot: crate([-1.98, 0.01, 0.15], 2, [0.1, 0.15, 0.1]) }
  crowd[2] = { robot: ball([-1.98, 0.01, 0.45], 0.5) }
  return crowd
}

const seesNoEdges = (contactModel: string) => contactModel === 'lnc'
const crowdFor = (...models: string[]) => (models.some(seesNoEdges) ? crowdOfCorners() : crowdThatMeets())

describe.each(names)('%s', (contactModel) => {
  const crowd = () => crowdFor(contactModel)
  const worldOf = (robots: WorldRobot[], options: Partial<WorldSetup> = {}) =>
    new World({ robots, contactModel, dt: 1e-3, ...options })

  test('bodies that do not meet move as each does in a world of its own, to the last bit', () => {
    const together = run(worldOf(crowdApart()), 600)
    crowdApart().forEach((member, i) => {
      const alone = run(worldOf([member]), 600)
      expect(alone.events.failures + together.events.failures).toBe(0)
      // a crate that comes to rest tumbling asks conjugate gradients once, where Newton's method on a cone's modes goes in circles
      expect(alone.events.fallbacks).toBeLessThanOrEqual(contactModel === 'convex' ? 1 : 0)
      const { state, tau } = together.robots[i]
      if (member.robot.name === 'arm') {
        // falls on its stops, whose springs take their frequency from the mass of all over the weight of all: it rounds otherwise
        state.q.forEach((x, k) => {
          expect(Math.abs(x - alone.state.q[k])).toBeLessThan(1e-12)
        })
        return
      }
      expect([...state.q]).toEqual([...alone.state.q])
      expect([...state.v]).toEqual([...alone.state.v])
      expect([...tau]).toEqual([...alone.tau])
    })
  })

  test('the order in which robots are listed changes results by rounding only', () => {
    // A ball strikes a crate on a crate. Steps that are solved until friction agrees to 1e-3 may take a pass more or less.
    const members = crowd()
    const order = [3, 1, 4, 0, 2]
    const one = run(worldOf(members), 250)
    const other = run(worldOf(order.map((k) => crowd()[k])), 250)
    order.forEach((k, i) => {
      const [a, b] = [one.robots[k].state, other.robots[i].state]
      for (let d = 0; d < 3; d++) expect(Math.abs(a.q[d] - b.q[d])).toBeLessThan(contactModel === 'stewart-trinkle' ? 1e-9 : 1e-5)
    })
  })

  test('restored before, in and after an impact, in this world or a new one, it goes on to the same bits', () => {
    const world = worldOf(crowd())
    const saved = [world.checkpoint()]
    // the steps around the first time that the ball, body 3, is pushed, and a few others
    let struck = -1
    for (let k = 0; k < 500; k++) {
      const before = structuredClone(world.checkpoint())
      world.step()
      const { count, bodyA, bodyB, impulse } = world.contacts
      for (let i = 0; i < count && struck < 0; i++) {
        if ((bodyA[i] === 3 || bodyB[i] === 3) && impulse[3 * i] > 0) struck = k
      }
      if (struck === k || k % 149 === 0 || (struck >= 0 && k <= struck + 2)) saved.push(before)
    }
    expect(struck).toBeGreaterThan(0)
    saved.push(structuredClone(world.checkpoint()))
    const hash = run(world, 200).hash()
    const other = worldOf(crowd())
    for (const checkpoint of saved) {
      for (const target of [world, other]) {
        target.restore(checkpoint)
        run(target, 700 - checkpoint.stepCount)
        expect(target.hash(), `from step ${checkpoint.stepCount}`).toBe(hash)
      }
    }
  })

  test('goes on under every other model from exactly where it was', () => {
    // what lnc goes on with, and what the others do
    const worlds = [contactModel, 'lnc'].map((name) => run(worldOf(crowdFor(contactModel, name)), 200))
    for (const name of names) {
      const world = worlds[seesNoEdges(name) ? 1 : 0]
      const next = new World({ robots: crowdFor(contactModel, name), contactModel: name, dt: 1e-3 })
      next.adopt(world.checkpoint())
      expect(next.stepCount).toBe(200)
      expect(next.state.t[0]).toBe(200 * 1e-3)
      expect([...next.state.q]).toEqual([...world.state.q])
      expect([...next.state.v]).toEqual([...world.state.v])
      run(next, 300)
      // nothing flies away or sinks in
      for (const { state } of next.robots) {
        expect(Math.abs(state.q[0])).toBeLessThan(5)
        expect(state.q[2]).toBeGreaterThan(-0.01)
        expect(state.q[2]).toBeLessThan(0.6)
      }
    }
    const checkpoint = worlds[0].checkpoint()
    // under its own model it need not be the same run, for the model's memory begins anew; but so it is of all else
    const again = worldOf(crowd())
    again.adopt(checkpoint)
    const twin = worldOf(crowd())
    twin.adopt(checkpoint)
    expect(run(again, 100).hash()).toBe(run(twin, 100).hash())
  })

  test('goes on at another step, if its time is a whole number of them', () => {
    const checkpoint = run(worldOf(crowd()), 200).checkpoint()
    const finer = worldOf(crowd(), { dt: 2.5e-4 })
    finer.adopt(checkpoint)
    expect(finer.stepCount).toBe(800)
    expect(finer.state.t[0]).toBe(0.2)
    run(finer, 400)
    expect(() => worldOf(crowd(), { dt: 3e-3 }).adopt(checkpoint)).toThrow(/t = 0.2 s.*no whole number of steps of dt = 0.003/)
  })

  test('robots touch each other, parts of one robot only if that is asked for', () => {
    // two crates apart from a crate that overlaps them both
    const world = run(worldOf([{ robot: crate([0, 0, 0.05]) }, { robot: crate([0, 0, 0.149]) }]), 3)
    const { count, bodyA, bodyB } = world.contacts
    const pairs = new Set(Array.from({ length: count }, (_, i) => `${bodyA[i]}-${bodyB[i]}`))
    expect(pairs).toContain('1-2')
    expect(pairs).toContain('0-1')
  })

  test('forty bodies that are dropped come to rest without a failure', () => {
    const random = createRandom(41)
    // twenty on twenty of their kind; under lnc, to which these would meet edge on edge, each in a place of its own
    const rows = seesNoEdges(contactModel) ? 8 : 4
    const robots = Array.from({ length: 40 }, (_, i): WorldRobot => {
      const position = [
        0.5 * (i % 5) + random.between(-0.05, 0.05),
        0.5 * (Math.floor(i / 5) % rows),
        0.2 + 0.4 * Math.floor(i / 20),
      ] as const
      return { robot: i % 2 === 0 ? ball([...position]) : crate([...position]) }
    })
    const world = run(worldOf(robots), 600)
    expect(world.robots.map(({ name }) => name).slice(0, 4)).toEqual(['ball', 'crate', 'ball-2', 'crate-2'])
    expect(world.events.failures).toBe(0)
    for (const { state } of world.robots) expect(state.q[2]).toBeGreaterThan(0.04)
  })
})

test('lnc alone lets crates of one size sink into each other, one askew on the other: it sees no pairs of edges', () => {
  for (const contactModel of names) {
    const world = run(new World({ robots: crowdThatMeets().slice(0, 2), contactModel, dt: 1e-3 }), 150)
    const height = world.robots[1].state.q[2]
    // it falls through the edges about the corner that lies on the face
    if (seesNoEdges(contactModel)) expect(height).toBeLessThan(0.13)
    // on springs, the crate still rocks: 3.8 mm low at the most, with one point a pair
    else expect(Math.abs(height - 0.15), contactModel).toBeLessThan(isRigid(contactModel) ? 1e-3 : 5e-3)
  }
})

describe('the robots of a world', () => {
  const options = { contactModel: names[0], dt: 1e-3 }

  test('have names of their own: what is asked for, or the robot’s with a number', () => {
    const world = new World({
      ...options,
      robots: [{ robot: ball([0, 0, 1]) }, { name: 'ball-2', robot: crate([2, 0, 1]) }, { robot: ball([4, 0, 1]) }],
    })
    expect(world.robots.map(({ name }) => name)).toEqual(['ball', 'ball-2', 'ball-3'])
    expect(world.shapes.map(({ name }) => name)).toEqual(['ball/ball', 'ball-2/crate', 'ball-3/ball'])
    expect(world.robot.name).toBe('ball and ball-2 and ball-3')
  })

  test('are views of the state of all', () => {
    const world = new World({ ...options, robots: [{ robot: ball([0, 0, 1]) }, { robot: diffdrive }] })
    world.robots[1].state.q[0] = 7
    world.robots[1].state.v[3] = 0.5
    expect(world.state.q[7]).toBe(7)
    expect(world.state.v[6 + 3]).toBe(0.5)
    expect(world.robots[1].start).toEqual({ body: 1, q: 7, v: 6, shape: 1 })
  })

  test('alone, one is itself: no prefix, and the same run as by the option robot', () => {
    const listed = new World({ ...options, robots: [controlled(diffdrive)] })
    const { robot, controller } = controlled(diffdrive)
    const plain = new World({ ...options, robot, controller })
    expect(listed.robot).toBe(diffdrive)
    expect(run(listed, 300).hash()).toBe(run(plain, 300).hash())
  })

  test('have controllers of their own, which see nothing of each other', () => {
    const seen: number[][] = [[], []]
    const watching = (k: number): Controller => ({
      init: () => null,
      update: ({ q, v }) => {
        seen[k].push(q.length, v.length)
        return [k === 0 ? 0.3 : -0.2]
      },
    })
    const [one, two] = [pendulum(2, 0.4), placeRobot(pendulum(1, 0.3), undefined, Float64Array.of(5, 0, 0))]
    const world = new World({
      ...options,
      robots: [
        { robot: one, controller: createControllerLoop(watching(0), one) },
        { robot: two, controller: createControllerLoop(watching(1), two) },
      ],
    })
    run(world, 5)
    expect([...world.tau]).toEqual([0.3, -0.2])
    expect([...world.robots[1].tau]).toEqual([-0.2])
    expect(new Set(seen.flat())).toEqual(new Set([1]))
  })

  test('must be given, once, and under different names', () => {
    const robot = ball([0, 0, 1])
    expect(() => new World({ ...options, robots: [] })).toThrow(/robots is empty.*at least one/)
    expect(() => new World(options)).toThrow(/either one robot or a list/)
    expect(() => new World({ ...options, robot, robots: [{ robot }] })).toThrow(/give one of the two/)
    const twins = [
      { name: 'twin', robot },
      { name: 'twin', robot },
    ]
    expect(() => new World({ ...options, robots: twins })).toThrow(/two robots are called "twin"/)
    expect(() => new World({ ...options, robots: [{ robot }, { robot, q: [1, 2] }] })).toThrow(
      /start q has 2 entries; ball has nq = 7/,
    )
  })
})

describe('a checkpoint of another world', () => {
  test('is refused: other robots, another model, another step', () => {
    const options = { contactModel: names[0], dt: 1e-3 }
    const pair = () => new World({ ...options, robots: [{ robot: ball([0, 0, 1]) }, { robot: crate([1, 0, 1]) }] })
    const checkpoint = pair().checkpoint()
    const alone = new World({ ...options, robots: [{ robot: ball([0, 0, 1]) }] })
    expect(() => alone.restore(checkpoint)).toThrow(/the checkpoint is of ball, crate/)
    expect(() => alone.adopt(checkpoint)).toThrow(/the checkpoint is of ball, crate/)
    const other = new World({
      ...options,
      contactModel: names[1],
      robots: [{ robot: ball([0, 0, 1]) }, { robot: crate([1, 0, 1]) }],
    })
    expect(() => other.restore(checkpoint)).toThrow(new RegExp(`of ${names[0]}.*this world of ${names[1]}.*adopt goes on`))
    const coarse = new World({ ...options, dt: 2e-3, robots: [{ robot: ball([0, 0, 1]) }, { robot: crate([1, 0, 1]) }] })
    expect(() => coarse.restore(checkpoint)).toThrow(/dt = 0.001 s, this world of .* dt = 0.002 s/)
    // two of the same size: a rod and a ball of one joint each would fit; what tells them apart is the number of controllers
    const merged = new World({ ...options, robots: [{ robot: pair().robot }] })
    expect(() => merged.restore(checkpoint)).toThrow(/the checkpoint is of/)
  })
})

test.each(['penalty', 'hunt-crossley', 'drake', 'penalty-deepest'] as const)(
  '%s: small bodies sink by a small share of their size at its defaults, each as one of 6 cm by 1 mm',
  (contactModel) => {
    for (const size of [2e-4, 1e-3, 5e-3, 0.02]) {
      for (const shape of [
        { type: 'box', size: [size, size, size] },
        { type: 'sphere', radius: size / 2 },
      ] as const) {
        const robot = createFreeBody({ name: 'part', shape, density: 7800, position: [0, 0, size / 2] })
        const world = new World({ robot, contactModel, dt: 1e-4 })
        for (let n = 0; n < 1000; n++) world.step()
        const sunk = size / 2 - world.state.q[2]
        expect(sunk).toBeGreaterThan(0)
        expect(sunk).toBeLessThan(size / 20)
      }
    }
  },
)
