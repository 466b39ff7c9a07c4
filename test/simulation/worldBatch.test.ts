import { describe, expect, test } from 'vitest'
import { inOneAnother } from '../../bench/contact/contactScenes.ts'
import { type ContactModelName, contactModelNames } from '../../contact/index.ts'
import { createControllerLoop, grip, hold, trot } from '../../control/index.ts'
import { createRandom } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { createFreeBody, createPrescribedBody } from '../../robots/index.ts'
import { createGround, StepBudgetError, World, WorldBatch, type WorldOptions } from '../../simulation/index.ts'
import { identity } from '../contact/laws/scenes.ts'
import { dailyModels, full } from '../dailyModels.ts'

const STEPS = full ? 120 : 30

/** Joint velocities and a height of its own for each world, from its number. */
function disturb({ model, state: { q, v } }: Pick<World, 'model' | 'state'>, seed: number): void {
  const random = createRandom(seed + 1)
  for (let k = 0; k < model.nv; k++) v[k] = random.between(-0.5, 0.5)
  q[2] += random.between(-1e-3, 5e-3)
}

/** Robots on the ground and a step of it. */
const walker = (contactModel: ContactModelName): WorldOptions => {
  const step = { name: 'step', link: 'step', body: 0, R: identity, p: Float64Array.of(0.3, 0, 0.02) }
  return {
    robot: loadOwnRobot('quadruped'),
    fixtures: [createGround(), { ...step, shape: { type: 'box', size: [0.4, 1, 0.04] } }],
    selfCollision: 'all-but-adjacent',
    pushes: [{ link: 'base_link', impulse: [1, 2, 0], at: 0.01, duration: 0.02 }],
    contactModel,
    dt: 1e-3,
  }
}
/** A heap: cold and warm pairs, whose memory is kept. */
const bodies = (contactModel: ContactModelName): WorldOptions => {
  const shapes = [
    { type: 'box', size: [0.2, 0.1, 0.1] },
    { type: 'cylinder', radius: 0.06, length: 0.1 },
    { type: 'box', size: [0.1, 0.1, 0.1] },
  ] as const
  const robots = shapes.map((shape, i) => ({
    robot: createFreeBody({ name: `body ${i}`, shape, mass: 1 + i, position: [0.02 * i, 0, 0.0495 + 0.0995 * i] }),
  }))
  return { robots, contactModel, dt: 2e-3 }
}
/** A belt that adheres, a pusher of given motion, and two boxes welded until 20 ms. */
const machine = (contactModel: ContactModelName): WorldOptions => {
  const box = (name: string, x: number) => {
    const shape = { type: 'box', size: [0.2, 0.2, 0.1] } as const
    return { robot: createFreeBody({ name, shape, mass: 2, position: [x, 0, 0.0498], adhesion: 2 }) }
  }
  const pusher = createPrescribedBody({ name: 'pusher', shape: { type: 'sphere', radius: 0.05 } })
  const pose = (t: number, out: Float64Array) => out.set([-0.155 + 0.1 * t, 0, 0.06, 0, 0, 0, 1])
  const belt = { ...createGround(), surfaceVelocity: (t: number, out: Float64Array) => out.set([0.1 + t, 0, 0, 0, 0, 0]) }
  return {
    robots: [box('one', 0), box('two', 0.3), { robot: pusher, motion: { pose } }],
    loops: [{ kind: 'weld', a: { robot: 'one' }, b: { robot: 'two' }, until: 0.02 }],
    fixtures: [belt],
    contactModel,
    dt: 1e-3,
  }
}
const scenes = { walker, bodies, machine }

/** Steps of a batch in turns, and the same worlds one by one. */
function both(options: WorldOptions, count: number, steps: number, chunks: readonly number[]) {
  const batch = new WorldBatch({ count, ...options })
  const worlds = Array.from({ length: count }, () => new World(options))
  worlds.forEach((world, i) => {
    disturb(world, i)
    batch.q.set(world.state.q, i * batch.nq)
    batch.v.set(world.state.v, i * batch.nv)
  })
  for (let k = 0, c = 0; k < steps; c++) {
    const n = Math.min(chunks[c % chunks.length], steps - k)
    batch.step(n)
    for (const world of worlds) for (let j = 0; j < n; j++) world.step()
    k += n
  }
  return { batch, worlds }
}

/** All but the controllers' data of the last step, which a world without them does not hand on. */
const inputOf = (world: World) => ({ ...world.checkpoint(), lastStep: undefined })

describe.each(Object.entries(scenes))('%s', (name, optionsOf) => {
  test.each(name === 'bodies' ? contactModelNames : dailyModels)(
    '%s: each world of a batch has the bits of a world by itself',
    (model) => {
      const { batch, worlds } = both(optionsOf(model), 3, STEPS, [1, 1, 4])
      expect(new Set(worlds.map((world) => world.hash())).size).toBe(3)
      worlds.forEach((world, i) => {
        const { contacts } = world
        expect(batch.visit(i, (own) => own.hash())).toBe(world.hash())
        expect(Array.from(batch.q.subarray(i * batch.nq, (i + 1) * batch.nq))).toEqual(Array.from(world.state.q))
        expect([batch.contactCounts[i], batch.stepCounts[i]]).toEqual([contacts.count, STEPS])
        expect(batch.visit(i, inputOf)).toEqual(inputOf(world))
      })
      expect(Math.max(...batch.contactCounts)).toBeGreaterThan(0)
    },
  )
})

test('contacts of each world can be read after its steps', () => {
  const options = bodies('ncp')
  const batch = new WorldBatch({ count: 2, ...options })
  const worlds = [0, 1].map(() => new World(options))
  batch.v[batch.nv + 3] = worlds[1].state.v[3] = 0.5
  for (let k = 0; k < 5; k++) {
    const seen: unknown[] = []
    batch.step(2, ({ contacts: { count, impulse, pair } }, i) => {
      seen.push([i, Array.from(impulse.subarray(0, 3 * count)), Array.from(pair.subarray(0, count))])
    })
    for (const world of worlds) for (let j = 0; j < 2; j++) world.step()
    const expected = worlds.map(({ contacts: { count, impulse, pair } }, i) => {
      return [i, Array.from(impulse.subarray(0, 3 * count)), Array.from(pair.subarray(0, count))]
    })
    expect(seen).toEqual(expected)
  }
})

test('under a Runge-Kutta method each world has the bits of one by itself', () => {
  const { batch, worlds } = both({ ...bodies('penalty'), integrator: 'rk4' }, 3, 40, [1, 3])
  worlds.forEach((world, i) => {
    expect(batch.visit(i, (own) => own.hash())).toBe(world.hash())
  })
})

describe('controllers', () => {
  const quadruped = loadOwnRobot('quadruped')
  const gripper = loadOwnRobot('gripper')
  test.each([
    ['trot', quadruped, () => trot()],
    ['hold with gains of its own', quadruped, (i: number) => hold({ omega: 20 + 5 * i })],
    ['grip', gripper, (i: number) => grip({ fingers: gripper.joints.slice(-2).map(({ name }) => name), force: () => 1 + i })],
  ] as const)('each world has one of its own, with its memory: %s', (_, robot, controllerOf) => {
    const options: WorldOptions = { robot, contactModel: 'ncp', dt: 1e-3 }
    const controllers = (i: number) => createControllerLoop(controllerOf(i), robot)
    const batch = new WorldBatch({ count: 3, controllers, ...options })
    const worlds = [0, 1, 2].map((i) => new World({ ...options, controller: controllers(i) }))
    for (let k = 0; k < 20; k++) {
      batch.step(2)
      for (const world of worlds) for (let j = 0; j < 2; j++) world.step()
    }
    worlds.forEach((world, i) => {
      expect(batch.visit(i, (own) => own.checkpoint())).toEqual(world.checkpoint())
    })
    // a reset world has a new controller
    const first = new World({ ...options, controller: controllers(1) })
    for (let k = 0; k < 5; k++) first.step()
    batch.reset(1)
    batch.step(5)
    expect(batch.visit(1, (own) => own.hash())).toBe(first.hash())
    expect([...batch.stepCounts]).toEqual([45, 5, 45])
  })

  test('one controller for all worlds is an error', () => {
    const controller = createControllerLoop(hold(), quadruped)
    expect(() => new WorldBatch({ count: 2, robot: quadruped, controller, contactModel: 'ncp', dt: 1e-3 })).toThrow(
      'one controller cannot drive many worlds',
    )
  })
})

describe('what each world has of its own', () => {
  const robot = createFreeBody({ name: 'box', shape: { type: 'box', size: [0.4, 0.2, 0.1] }, mass: 3, position: [0, 0, 0.05] })
  const options: WorldOptions = { robot, contactModel: 'ncp', dt: 1e-3, v: [0, 0, 0, 1, 0, 0] }
  const hashOf = (world: World) => world.hash()
  const alone = (more: Partial<WorldOptions>, steps: number, act?: (world: World) => void) => {
    const world = new World({ ...options, ...more } as WorldOptions)
    act?.(world)
    for (let k = 0; k < steps; k++) world.step()
    return world.hash()
  }

  test('friction of surfaces that state none; NaN is that of the options', () => {
    const batch = new WorldBatch({ count: 3, ...options })
    batch.friction[0] = 0.1
    batch.friction[2] = 0.5
    batch.step(30)
    const expected = [{ physical: { friction: 0.1 } }, {}, { physical: { friction: 0.5 } }].map((more) => alone(more, 30))
    expect([0, 1, 2].map((i) => batch.visit(i, hashOf))).toEqual(expected)
    expect(new Set(expected).size).toBe(3)
    batch.friction[1] = -1
    expect(() => batch.step()).toThrow('friction[1] is -1; expected a number from 0 up, or NaN')
  })

  test('friction of geoms that state none, as of a MuJoCo file', () => {
    const geom = { condim: 4, priority: 0, spin: 0.01, roll: 1e-4, mix: 1 }
    const shapes = robot.shapes.map((shape) => ({ ...shape, geom, friction: undefined }))
    const rolling = { robot: { ...robot, shapes } as typeof robot }
    const batch = new WorldBatch({ count: 2, ...options, ...rolling } as WorldOptions & { count: number })
    batch.friction[1] = 0.3
    batch.step(20)
    const expected = [rolling, { ...rolling, physical: { friction: 0.3 } }].map((more) => alone(more, 20))
    expect([0, 1].map((i) => batch.visit(i, hashOf))).toEqual(expected)
    expect(new Set(expected).size).toBe(2)
  })

  test('pushes and pulls, added by a visit', () => {
    const batch = new WorldBatch({ count: 2, ...options })
    const push = (world: World) => world.act({ type: 'push', impulse: [0, 2, 0], duration: 0.01 })
    batch.step(5)
    batch.visit(1, push)
    batch.step(1)
    batch.step(20)
    const world = new World(options)
    for (let k = 0; k < 5; k++) world.step()
    push(world)
    for (let k = 0; k < 21; k++) world.step()
    expect([0, 1].map((i) => batch.visit(i, hashOf))).toEqual([alone({}, 26), world.hash()])
    batch.reset(1)
    batch.step(26)
    expect(batch.visit(1, hashOf)).toBe(alone({}, 26))
  })

  test('a checkpoint, restored by a visit', () => {
    const batch = new WorldBatch({ count: 2, ...options })
    batch.step(10)
    const checkpoint = batch.visit(0, (world) => world.checkpoint())
    batch.step(10)
    batch.visit(1, (world) => world.restore(checkpoint))
    batch.step(7)
    expect(batch.visit(1, hashOf)).toBe(alone({}, 17))
    expect([...batch.stepCounts]).toEqual([27, 17])
  })

  test('a world at rest by the caller stands still, and a number outside is an error', () => {
    const batch = new WorldBatch({ count: 2, ...options })
    batch.active[0] = 0
    batch.step(4)
    expect([...batch.stepCounts]).toEqual([0, 4])
    expect(() => batch.visit(2, hashOf)).toThrow('there is no world 2; the batch has 2, numbered from 0')
    expect(() => batch.step(1.5)).toThrow('expected a whole number from 0 up')
    expect(() => new WorldBatch({ count: 0, ...options })).toThrow('expected a whole number from 1 up')
  })
})

describe('a world that fails', () => {
  const robots = inOneAnother(8).robots
  const nq = 7

  test.each(dailyModels)('%s: stops by itself, is told, and leaves no trace in the others', (contactModel) => {
    const options = (stepBudget?: number) => ({ robots, contactModel, dt: 1e-3, stepBudget }) as WorldOptions
    // boxes apart, two of which rest on each other
    const apart = (q: Float64Array, at = 0) => {
      for (let b = 0; b < 8; b++) q.set([b === 1 ? 0 : 2 * b, 0, b === 1 ? 0.3 : 0.1, 0, 0, 0, 1], at + nq * b)
    }
    const alone = new World(options())
    apart(alone.state.q)
    for (let k = 0; k < 12; k++) alone.step()
    for (const stepBudget of [1e5, 2e5, 4e5, 8e5]) {
      const batch = new WorldBatch({ count: 3, ...options(stepBudget) })
      apart(batch.q, batch.nq)
      batch.v[2 * batch.nv + 3] = Number.NaN
      for (let k = 0; k < 12; k++) batch.step()
      const failures = [0, 1, 2].map((i) => batch.failure(i))
      if (failures[1] !== undefined) continue // too little for those apart too
      expect(failures[0] === undefined || failures[0] instanceof StepBudgetError).toBe(true)
      expect(failures[2]).toBeInstanceOf(Error)
      expect([...batch.active]).toEqual([failures[0] ? 0 : 1, 1, 0])
      expect(batch.visit(1, (world) => world.hash())).toBe(alone.hash())
      batch.reset(2)
      apart(batch.q, 2 * batch.nq)
      batch.step(12)
      expect([batch.failure(2), batch.active[2]]).toEqual([undefined, 1])
      expect(batch.visit(2, (world) => world.hash())).toBe(alone.hash())
    }
  })
})
