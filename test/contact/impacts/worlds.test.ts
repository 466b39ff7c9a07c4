import { describe, expect, test } from 'vitest'
import { bodyPairsOf, CollisionPairs, contactChoice, contactModelNamed, type PlacedShape } from '../../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../../control/index.ts'
import { loadOwnRobot, OWN_ROBOTS } from '../../../robots/files.ts'
import { createFreeBody, type Robot } from '../../../robots/index.ts'
import { World, type WorldOptions } from '../../../simulation/index.ts'
import { daily, full } from '../../dailyModels.ts'
import { g } from '../laws/scenes.ts'
import type { Vector } from './scene.ts'

/*
 * Impulses and the forces of rest together, in whole worlds.
 */
const radius = 0.05
const models = ['penalty', 'penalty-deepest'] as const
const integrators = ['semi-implicit-euler', 'rk4'] as const

const ball = (mass = 2, gravity?: Vector): Robot =>
  createFreeBody({ name: 'ball', shape: { type: 'sphere', radius }, mass, gravity })

const box = (gravity?: Vector): Robot =>
  createFreeBody({ name: 'box', shape: { type: 'box', size: [0.2, 0.3, 0.1] }, mass: 3, gravity })

function drop(options: Partial<WorldOptions>, height: number): World {
  const start = { robot: ball(), contactModel: 'penalty', dt: 1e-3, q: [0, 0, radius + height, 0, 0, 0, 1] } as const
  return new World({ ...start, ...options } as WorldOptions)
}

const isStruck = ({ contacts: { count, impact } }: World) => impact.subarray(0, 3 * count).some((x) => x !== 0)

/** Heights of the first tops above the ground. */
function topsOf(world: World, count: number): number[] {
  const tops: number[] = []
  let before = 0
  while (tops.length < count && world.state.t[0] < 20) {
    world.step()
    const speed = world.state.v[5]
    if (before > 0 && speed <= 0) tops.push(world.state.q[2] - radius)
    before = speed
  }
  return tops
}

for (const contactModel of models) {
  describe(contactModel, () => {
    test('a dropped ball rises to e^2k H in five bounces', () => {
      const H = 0.5
      const dt = 1e-4
      for (const integrator of integrators) {
        for (const restitution of daily([0.7, 1], 1)) {
          const tops = topsOf(drop({ contactModel, dt, integrator, physical: { restitution } }, H), 5)
          // It is struck up to a step late, at a depth of v dt, which lacks 1 - e² of itself in height and springs up to rise again.
          // By semi-implicit steps a flight begins v dt / 2 below the parabola that it follows, and ends as much above it.
          let late = 0
          tops.forEach((top, k) => {
            const expected = H * restitution ** (2 * k + 2)
            late += (Math.sqrt(2 * H * g) * dt * 2) / restitution ** (k + 1) / H
            expect(Math.abs(top / expected - 1)).toBeLessThan(late)
          })
        }
        // at 1e-3 a step late is 3 mm of the first fall
        const [top] = topsOf(drop({ contactModel, integrator, physical: { restitution: 0.7 } }, H), 1)
        expect(Math.abs(top / (H * 0.49) - 1)).toBeLessThan(0.01)
        // and elastic flights on RK4 keep their height to the turning points' resolution
        if (integrator === 'rk4') {
          const five = topsOf(drop({ contactModel, integrator, physical: { restitution: 1 } }, H), 5)
          for (const height of five) expect(Math.abs(height / H - 1)).toBeLessThan(2e-5)
        }
      }
    })

    test('a checkpoint at any step around an impact goes on bit for bit', () => {
      for (const integrator of integrators) {
        const start = (): World =>
          new World({
            robot: box(),
            contactModel,
            integrator,
            dt: 1e-3,
            physical: { restitution: 0.6, friction: 0.5 },
            q: [0, 0, 0.2, 0.1, 0.2, 0, Math.sqrt(0.95)],
            v: [1, 2, 0, 0.5, 0, -1],
          })
        const world = start()
        const saved: ReturnType<World['checkpoint']>[] = []
        let impacts = 0
        for (let k = 0; k < 200; k++) {
          saved.push(structuredClone(world.checkpoint()))
          world.step()
          if (isStruck(world)) impacts++
        }
        expect(impacts).toBeGreaterThan(1)
        const hash = world.hash()
        const other = start()
        for (let k = 0; k < 200; k += 7) {
          other.restore(saved[k])
          while (other.stepCount < 200) other.step()
          expect(other.hash()).toBe(hash)
        }
      }
    })

    test("with impacts 'none' the springs meet impacts, and nothing is reported as one", () => {
      const world = drop({ contactModel, contactOptions: { impacts: 'none' } }, 0.1)
      let pushed = 0
      while (world.state.t[0] < 0.5) {
        world.step()
        const { count, impact, impulse } = world.contacts
        if (count > 0) pushed = Math.max(pushed, impulse[0])
        for (let k = 0; k < 3 * count; k++) expect(impact[k]).toBe(0)
      }
      expect(pushed).toBeGreaterThan(0)
    })

    test('an impact is reported apart from the force of its step', () => {
      const world = drop({ contactModel, physical: { restitution: 0.5 } }, 0.1)
      let before = 0
      for (;;) {
        before = world.state.v[5]
        world.step()
        if (world.contacts.count > 0) break
      }
      const { impact, impulse } = world.contacts
      expect(Math.abs(impact[0] + 1.5 * 2 * before)).toBeLessThan(1e-12)
      // what leaves the ground fast needs no force beyond that; all in all it is the change of momentum
      expect(impulse[0]).toBe(impact[0])
      expect(Math.abs(impulse[0] - 2 * (world.state.v[5] - before + g * 1e-3))).toBeLessThan(1e-12)
    })
  })
}

describe('pairs of bodies in a world', () => {
  /** A trunk with two soles and, apart, a hand; and two fixtures. */
  const twoSoles = (): Robot => {
    const one = createFreeBody({ name: 'trunk', shape: { type: 'box', size: [0.1, 0.1, 0.1] }, mass: 2 })
    const sole = (name: string, x: number) => ({
      ...one.shapes[0],
      name,
      shape: { type: 'sphere', radius } as const,
      p: Float64Array.of(x, 0, -0.1),
    })
    return { ...one, shapes: [sole('left', -0.2), sole('right', 0.2)] }
  }
  const wall = (name: string, normal: Vector, offset: number): PlacedShape => ({
    name,
    body: 0,
    shape: { type: 'halfspace', normal, offset },
    R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
    p: new Float64Array(3),
  })

  test('the second sole of a body that stands on a fixture is left to the springs; another fixture is struck', () => {
    const world = new World({
      robot: twoSoles(),
      contactModel: 'penalty',
      dt: 1e-4,
      fixtures: [wall('floor', [0, 0, 1], 0), wall('wall', [-1, 0, 0], -0.3)],
      physical: { friction: 0 },
      // leaning by 5 mrad: one sole lands first, and the other 2 mm behind it, while the first one stands
      q: [0, 0, 0.1 + radius + 0.002, 0, -0.0025, 0, Math.sqrt(1 - 0.0025 ** 2)],
      v: [0, 0, 0, 0.5, 0, -0.3],
    })
    const struck: { pair: number; t: number }[] = []
    let both = 0
    while (world.state.t[0] < 0.2) {
      world.step()
      const { count, impact, pair, bodyA } = world.contacts
      if (count > 1 && bodyA[1] === 0) both++
      for (let i = 0; i < count; i++) if (impact[3 * i] !== 0) struck.push({ pair: pair[i], t: world.state.t[0] })
    }
    // pairs: sole times two fixtures, plus the fixture
    const floor = struck.filter(({ pair }) => pair % 2 === 0)
    const side = struck.filter(({ pair }) => pair % 2 === 1)
    expect(both).toBeGreaterThan(500)
    expect(new Set(floor.map(({ pair }) => pair)).size).toBe(1)
    expect(floor.length).toBe(1)
    expect(side.length).toBeGreaterThan(0)
  })

  test('pairs of shapes are of one pair of bodies where their bodies or fixtures are the same', () => {
    const trunk = twoSoles()
    const other = ball()
    const shapes = [...trunk.shapes, { ...other.shapes[0], body: 2 }]
    const { model } = new World({
      robots: [{ robot: trunk }, { robot: other, q: [1, 1, 1, 0, 0, 0, 1] }],
      contactModel: 'penalty',
      dt: 1e-3,
    })
    const fixtures = [wall('floor', [0, 0, 1], 0), wall('wall', [-1, 0, 0], -0.3)]
    const pairs = new CollisionPairs(model, shapes, fixtures, { selfCollision: 'all' })
    const of = bodyPairsOf(model, pairs, shapes)
    const number = (a: number, b: number) => of[pairs.numberOf(a, b)]
    // soles 0 and 1, the other body's shape 2, fixtures 3 and 4
    expect(number(0, 3)).toBe(number(1, 3))
    expect(number(0, 4)).toBe(number(1, 4))
    expect(number(0, 2)).toBe(number(1, 2))
    expect(new Set([number(0, 3), number(0, 4), number(0, 2), number(2, 3), number(2, 4)]).size).toBe(5)
  })
})

/** A million steps by FEATHERBED_FULL, few of them otherwise. */
const STEPS = full ? 1_000_000 : 3_500

describe('what stands or rolls is never struck', () => {
  test('boxes that are set one on the other move bit for bit as without impulses', () => {
    const size = [0.2, 0.2, 0.2] as const
    const robots = [4, 1, 3, 2, 5].map((mass, i) => ({
      robot: createFreeBody({ name: 'box', shape: { type: 'box', size }, mass, position: [0, 0, 0.1 + 0.2 * i] }),
    }))
    const [struck, free] = ['stronge', 'none'].map(
      (impacts) => new World({ robots, ...contactChoice('penalty', { impacts }), dt: 1e-3 }),
    )
    while (struck.stepCount < 1000) {
      struck.step()
      free.step()
      expect(isStruck(struck)).toBe(false)
    }
    expect(struck.state.q).toEqual(free.state.q)
    expect(struck.state.v).toEqual(free.state.v)
  })

  test.each(OWN_ROBOTS.filter((name) => name !== 'quadruped' && name !== 'mecanum'))(
    `%s, which lifts no foot, under its controller, set down on flat ground: not once in ${STEPS} steps`,
    (name) => {
      const robot = loadOwnRobot(name)
      const controller = createControllerLoop(defaultControllerFor(robot), robot)
      const world = new World({ robot, controller, contactModel: 'penalty', dt: 1e-3 })
      let struck = 0
      while (world.stepCount < STEPS) {
        world.step()
        if (isStruck(world)) struck++
      }
      expect(struck).toBe(0)
    },
  )

  test('a ball that hops off the ground and comes back slower than g dt is left to the spring', () => {
    // 1e-7 m above the ground, and up at g dt / 2: back after two steps
    const world = drop({ q: [0, 0, radius + 1e-7, 0, 0, 0, 1], v: [0, 0, 0, 0, 0, (g * 1e-3) / 2] }, 0)
    let touched = 0
    while (world.state.t[0] < 0.1) {
      world.step()
      touched += world.contacts.count
      expect(isStruck(world)).toBe(false)
    }
    expect(touched).toBeGreaterThan(50)
  })
})

describe('options', () => {
  const parametersOf = (contactModel: string, contactOptions = {}) =>
    new World({ robot: ball(), contactModel: contactModelNamed(contactModel), contactOptions, dt: 1e-3 }).contactModel.parameters

  test("stronge unless it is said otherwise, 'none' for hunt-crossley; shown with what they use", () => {
    const shown = (contactModel: string, options = {}) =>
      Object.fromEntries(parametersOf(contactModel, options).used.map(({ name, value }) => [name, value]))
    for (const model of models) {
      expect(shown(model)).toMatchObject({ impacts: 'stronge', restitutionThreshold: 0.01, restitution: 0 })
      expect(shown(model, { impacts: 'none' }).impacts).toBe('none')
    }
    expect(shown('hunt-crossley').impacts).toBe('none')
    expect(shown('hunt-crossley', { impacts: 'newton' })).toMatchObject({ impacts: 'newton', restitution: 0 })
    expect(parametersOf('penalty', { gains: 'paper' }).unused).not.toContain('restitution')
  })

  test('what is no hypothesis, no speed, or without use is refused', () => {
    expect(() => parametersOf('penalty', { impacts: 'hertz' })).toThrow(
      /"impacts" is "hertz"; expected one of stronge, newton, poisson, none/,
    )
    expect(() => parametersOf('penalty', { restitutionThreshold: -1 })).toThrow(/"restitutionThreshold" is -1/)
    expect(() => parametersOf('penalty', { impacts: 'none', restitutionThreshold: 1 })).toThrow(
      /no option "restitutionThreshold"/,
    )
  })
})
