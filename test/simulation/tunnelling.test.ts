import { describe, expect, test } from 'vitest'
import type { ContactModelName, PlacedShape, Shape } from '../../contact/index.ts'
import { createRandom, rotate3, rotationOfQuaternion, workSpent } from '../../dynamics/index.ts'
import { createFreeBody, type FreeBodyOptions } from '../../robots/index.ts'
import { World, type WorldSetup } from '../../simulation/index.ts'
import { dailyModels, full } from '../dailyModels.ts'
import { randomShot, shoot } from './shots.ts'

const names = dailyModels
const seeds = Array.from({ length: full ? 1000 : 10 }, (_, i) => (full ? i : 100 * i + 3))
if (!full) console.log('not run: 1,000 shots under every model; set FEATHERBED_FULL')

const R = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
const fixture = (name: string, shape: Shape, z = 0): PlacedShape => ({ name, body: 0, shape, R, p: Float64Array.of(0, 0, z) })
const plate = fixture('plate', { type: 'box', size: [1, 1, 0.01] })

/** A body that starts with a velocity in world axes. */
function thrown(options: Omit<FreeBodyOptions, 'name' | 'mass'>, velocity: readonly number[], spin = [0, 0, 0]) {
  const robot = createFreeBody({ name: 'bullet', mass: 0.1, ...options })
  return { robot, v: Float64Array.of(...spin, ...velocity) }
}

const bullet: Shape = { type: 'sphere', radius: 0.005 }
const worldOf = (options: Partial<WorldSetup> & { contactModel: ContactModelName }) =>
  new World({ fixtures: [plate], dt: 0.01, ...options })

describe.each(names)('thin bodies shot at thin plates, 1 to 100 m/s at 1 to 10 ms, under %s', (name) => {
  test('every shot that gets through is counted, and no other', () => {
    for (const seed of seeds) {
      const { crossings, tunnelled } = shoot(randomShot(seed), name, false)
      expect({ seed, isCounted: tunnelled > 0 }).toEqual({ seed, isCounted: crossings > 0 })
    }
  })

  test('with ccd none gets through', () => {
    for (const seed of seeds) {
      const { crossings, tunnelled } = shoot(randomShot(seed), name, true)
      expect({ seed, crossings, tunnelled }).toEqual({ seed, crossings: 0, tunnelled: 0 })
    }
  })
})

describe('what got through', () => {
  test('is named with its links and its time, counted once, and comes back with a checkpoint', () => {
    const make = () =>
      worldOf({ robots: [thrown({ shape: bullet, position: [0, 0, 0.3] }, [0, 0, -50])], contactModel: 'anitescu-potra' })
    const world = make()
    const start = world.checkpoint()
    for (let i = 0; i < 4; i++) world.step()
    expect(world.events).toMatchObject({
      tunnelled: 1,
      firstTunnelling: 'bullet passed through plate in the step from t = 0 s to 0.01 s',
    })
    const later = make()
    later.restore(world.checkpoint())
    expect(later.events.tunnelled).toBe(1)
    later.restore(start)
    expect(later.events).toMatchObject({ tunnelled: 0, firstTunnelling: '' })
  })

  test('is counted where a spring too soft for the impact lets it through slowly, in the step past the middle', () => {
    const robots = [thrown({ shape: bullet, position: [0, 0, 0.02] }, [0, 0, -3])]
    const world = worldOf({ robots, contactModel: 'hunt-crossley', physical: { stiffness: 100, restitution: 1 }, dt: 1e-4 })
    for (let i = 0; i < 200; i++) world.step()
    expect(world.state.q[2]).toBeLessThan(-0.01)
    expect(world.events.tunnelled).toBe(1)
  })

  test('is counted on meshes as on boxes', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const shot = { ...randomShot(seed), plateMass: undefined }
      for (const name of ['penalty', 'anitescu-potra', 'convex'] as const) {
        const { crossings, tunnelled } = shoot(shot, name, false, true)
        expect(tunnelled > 0).toBe(crossings > 0)
        expect(shoot(shot, name, true, true)).toMatchObject({ crossings: 0, tunnelled: 0 })
      }
    }
  })

  test('is no contact that was met: a fast ball that bounces, slides, or grazes the edge', () => {
    const ball: Shape = { type: 'sphere', radius: 0.02 }
    for (const contactModel of names) {
      const bounces = worldOf({
        robots: [thrown({ shape: ball, position: [0, 0, 0.1], restitution: 1 }, [0, 0, -5])],
        contactModel,
        dt: 1e-3,
      })
      for (let i = 0; i < 60; i++) bounces.step()
      // springs as soft as these let it in by more than the plate is thick, and through
      expect([contactModel, bounces.events.tunnelled]).toEqual([contactModel, ['mujoco', 'drake'].includes(contactModel) ? 1 : 0])
      const passes = worldOf({ robots: [thrown({ shape: ball, position: [0.5201, 0, 0.3] }, [0, 0, -20])], contactModel })
      for (let i = 0; i < 4; i++) passes.step()
      expect(passes.state.q[2]).toBeLessThan(-0.1)
      expect([contactModel, passes.events.tunnelled]).toEqual([contactModel, 0])
    }
  })
})

describe('with ccd', () => {
  test('the motion of a step ends where a ball touches, by a hair, and its velocity is kept', () => {
    const spin = [3, -2, 1]
    const world = worldOf({
      robots: [thrown({ shape: { type: 'box', size: [0.02, 0.03, 0.01] }, position: [0, 0, 0.3] }, [4, 0, -50], spin)],
      contactModel: 'penalty',
      ccd: true,
    })
    const free = worldOf({
      robots: [thrown({ shape: { type: 'box', size: [0.02, 0.03, 0.01] }, position: [0, 0, 0.3] }, [4, 0, -50], spin)],
      fixtures: [],
      contactModel: 'penalty',
    })
    world.step()
    free.step()
    const turn = new Float64Array(9)
    const out = new Float64Array(3)
    const depths = (w: World) => {
      w.step()
      return -Math.min(...w.contacts.gap.slice(0, w.contacts.count))
    }
    const velocityOf = ({ state: { q, v } }: World) => {
      rotationOfQuaternion(turn, q, 3)
      return [v.subarray(0, 3), v.subarray(3)].flatMap((x) => {
        rotate3(out, turn, x)
        return [...out]
      })
    }
    const expected = velocityOf(free)
    for (const [k, v] of velocityOf(world).entries()) expect(v).toBeCloseTo(expected[k], 9)
    // it moved along the same way, less far
    const part = (0.3 - world.state.q[2]) / (0.3 - free.state.q[2])
    expect(world.state.q[0]).toBeCloseTo(part * free.state.q[0], 12)
    const depth = depths(world)
    expect(depth).toBeGreaterThan(0)
    expect(depth).toBeLessThanOrEqual(1e-5 * (1 + 1e-9))
  })

  test.each(names)('what starts deep inside and leaves is not held there, under %s', (contactModel) => {
    // from a depth that contact in progress is let to, three eighths of the plate's thickness, to a hair less
    for (const depth of [0.00345, 0.0036, 0.00374]) {
      const shape: Shape = { type: 'box', size: [0.02, 0.03, 0.01] }
      const body = thrown({ shape, position: [0, 0, 0.01 - depth] }, [0, 0, 0.5])
      const world = worldOf({ robots: [body], contactModel, ccd: true, dt: 1e-3 })
      for (let i = 0; i < 5; i++) {
        const z = world.state.q[2]
        world.step()
        expect(world.state.q[2]).toBeGreaterThan(z + 1e-4)
      }
    }
  })

  test('what follows close behind stops behind, and does not get into what was stopped', () => {
    const box: Shape = { type: 'box', size: [0.05, 0.05, 0.05] }
    const train = [0, 1, 2].map((i) => {
      const { robot, v } = thrown({ shape: box, position: [0, 0, 0.2 + 0.0501 * i] }, [0, 0, -60])
      return { name: `car${i}`, robot, v }
    })
    for (const contactModel of ['penalty', 'anitescu-potra', 'convex'] as const) {
      const world = worldOf({ robots: train, contactModel, ccd: true })
      for (let i = 0; i < 5; i++) world.step()
      const z = [0, 1, 2].map((i) => world.robots[i].state.q[2])
      expect(world.events.tunnelled).toBe(0)
      expect(z[0]).toBeGreaterThan(0.02)
      expect(z[1] - z[0]).toBeGreaterThan(0.03)
      expect(z[2] - z[1]).toBeGreaterThan(0.03)
    }
  })

  test('a half-space and a height field are met in time too, at 100 m/s', () => {
    const heights = new Float64Array(25).map((_, i) => 0.05 * Math.sin(i))
    const grounds = [
      fixture('ground', { type: 'halfspace', normal: [0, 0, 1], offset: 0 }),
      fixture('field', { type: 'heightfield', rows: 5, columns: 5, spacing: [0.5, 0.5], heights }),
    ]
    const ball: Shape = { type: 'sphere', radius: 0.02 }
    for (const ground of grounds) {
      for (const contactModel of ['penalty', 'anitescu-potra', 'ncp'] as const) {
        let lowest = Infinity
        const world = worldOf({
          robots: [thrown({ shape: ball, position: [0.1, 0.13, 1.7] }, [0, 0, -100])],
          fixtures: [ground],
          contactModel,
          ccd: true,
        })
        for (let i = 0; i < 10; i++) {
          world.step()
          lowest = Math.min(lowest, world.state.q[2])
        }
        // no deeper than a quarter of its size below the lowest point of the ground
        expect(lowest).toBeGreaterThan((ground.name === 'field' ? -0.05 : 0) + 0.02 - 0.01)
        expect(world.events.tunnelled).toBe(0)
      }
    }
  })

  test('steps in which nothing is fast are the same to the last bit', () => {
    const random = createRandom(3)
    const robots = [0, 1, 2].map((i) => {
      const position = [random.between(-0.1, 0.1), random.between(-0.1, 0.1), 0.06 + 0.09 * i] as const
      return { name: `box${i}`, ...thrown({ shape: { type: 'box', size: [0.08, 0.08, 0.08] }, position }, [0.1, 0, 0]) }
    })
    const [a, b] = [false, true].map((ccd) => {
      const world = worldOf({ robots, contactModel: 'penalty', ccd, dt: 1e-3 })
      for (let i = 0; i < 300; i++) world.step()
      return world.hash()
    })
    expect(b).toBe(a)
  })

  test('a fast body far from all that it may pass through is not swept', () => {
    const worked = (far: number, speed: number) => {
      const body = thrown({ shape: bullet, position: [0, 0, far] }, [speed, 0, 0])
      const world = worldOf({ robots: [body], contactModel: 'penalty' })
      world.step()
      return workSpent()
    }
    // of a sweep, the poses of one body at the start and at the end alone are 160 multiply-adds
    expect(worked(30, 50) - worked(30, 0.01)).toBeLessThan(100)
    expect(worked(0.3, 50) - worked(0.3, 0.01)).toBeGreaterThan(100)
  })
})
