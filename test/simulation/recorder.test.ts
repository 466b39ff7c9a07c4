import { describe, expect, test } from 'vitest'
import { contactModelNames } from '../../contact/index.ts'
import { JointType } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { createFreeBody } from '../../robots/index.ts'
import { allEntries, cellOf, entriesOf, FrameSource, Recorder, SolverEntry, World } from '../../simulation/index.ts'
import { robotOf } from './robots.ts'

const contactModel = contactModelNames[0]
const brick = (z: number) =>
  createFreeBody({ name: 'brick', shape: { type: 'box', size: [0.2, 0.2, 0.2] }, mass: 2, position: [0, 0, z] })

describe('a frame', () => {
  test('has the energy of a falling body: m (g t)² / 2 kinetic, and m g times its height', () => {
    const world = new World({ robot: brick(3), contactModel, dt: 1e-3 })
    const source = new FrameSource(world)
    for (let i = 0; i < 500; i++) world.step()
    const { energy, t } = source.read()
    expect(t[0]).toBe(0.5)
    // the speed of semi-implicit Euler is exactly g t in free fall, but for rounding
    expect(energy[0] / (0.5 * 2 * (9.81 * 0.5) ** 2)).toBeCloseTo(1, 12)
    expect(energy[1] / (2 * 9.81 * world.state.q[2])).toBeCloseTo(1, 12)
  })

  test('has forces without impacts, both impulses and moments, in world axes and on body B', () => {
    const world = new World({ robot: brick(0.0999), contactModel, dt: 1e-3 })
    world.step()
    const { contacts } = world
    expect(contacts.count).toBeGreaterThan(0)
    // a contact on a slope of 3 : 4, with numbers that come out even
    contacts.normal.set([0.6, 0, 0.8])
    contacts.tangent1.set([0.8, 0, -0.6])
    contacts.tangent2.set([0, 1, 0])
    contacts.impulse.set([5, 10, 2])
    contacts.impact.set([5, 0, 1])
    contacts.moment.set([10, 5, 3])
    const { contacts: recorded } = new FrameSource(world).read()
    const near = (found: Float64Array, expected: number[]) => {
      for (const [k, x] of expected.entries()) expect(found[k]).toBeCloseTo(x, 9)
    }
    near(recorded.impulse, [3 + 8, 2, 4 - 6])
    near(recorded.impact, [3, 1, 4])
    near(recorded.moment, [6 + 4, 3, 8 - 3])
    near(recorded.force, [8000, 1000, -6000]) // what is left, over 1 ms
  })

  test('counts what the solver did since the frame before, and the largest residual of the run', () => {
    const world = new World({ robot: brick(1), contactModel, dt: 1e-3 })
    const source = new FrameSource(world)
    const { events } = world
    Object.assign(events, { iterations: 7, failures: 1, fallbacks: 2, residualMax: 1e-9 })
    expect([...source.read().solver]).toEqual([7, 1, 2, 1e-9])
    events.iterations += 5
    expect([...source.read().solver]).toEqual([5, 0, 0, 1e-9])
    expect(SolverEntry.residualMax).toBe(3)
  })

  test('counts from where it was made, and from a checkpoint that was restored: never below zero', () => {
    const world = new World({ robot: brick(1), contactModel, dt: 1e-3 })
    const early = world.checkpoint()
    for (let i = 0; i < 10; i++) world.step()
    Object.assign(world.events, { iterations: 100, failures: 3, fallbacks: 4 })
    const source = new FrameSource(world)
    expect([...source.read().solver].slice(0, 3)).toEqual([0, 0, 0])
    world.events.iterations += 5
    world.restore(early)
    expect([...source.read().solver].slice(0, 3)).toEqual([0, 0, 0])
    world.events.iterations += 2
    expect(source.read().solver[SolverEntry.iterations]).toBe(2)
  })

  test('names the shapes of every contact: they are on its bodies, with fixtures, other robots and itself', () => {
    const humanoid = loadOwnRobot('humanoid')
    const low = humanoid.home.slice()
    low[2] -= 0.02
    const world = new World({
      robots: [
        { robot: brick(0.0999) },
        { name: 'top', robot: brick(0.2997) },
        // in a heap, so that parts of one robot touch too
        { robot: humanoid, q: low.map((x, i) => (i === 0 ? 3 : i > 6 ? x + 1.5 : x)) },
      ],
      selfCollision: 'all',
      allowHomeOverlaps: false,
      contactModel,
      dt: 1e-4,
    })
    const source = new FrameSource(world)
    const kinds = new Set<string>()
    for (let i = 0; i < 20; i++) {
      world.step()
      const { contacts } = source.read()
      for (let c = 0; c < contacts.count; c++) {
        const a = source.shapes[contacts.shapeA[c]]
        const b = source.shapes[contacts.shapeB[c]]
        expect([a.placed.body, b.placed.body]).toEqual([world.contacts.bodyA[c], world.contacts.bodyB[c]])
        expect(contacts.bodyA[c]).toBeLessThan(contacts.bodyB[c])
        const robot = (link: string) => link.split('/')[0]
        kinds.add(a.link === 'world' ? 'fixture' : robot(a.link) === robot(b.link) ? 'itself' : 'other')
      }
    }
    expect([...kinds].sort()).toEqual(['fixture', 'itself', 'other'])
  })
})

describe('names', () => {
  const link = { mass: 1, inertia: [1, 1, 1, 0, 0, 0] } as const
  const odd = robotOf('odd', [
    { ...link, name: 'sled', jointName: 'skate', parent: 0, jointType: JointType.planar, axis: [0, 0, 1] },
    { ...link, name: 'head', jointName: 'neck', parent: 1, jointType: JointType.spherical },
    { ...link, name: 'bar', jointName: 'slide', parent: 1, jointType: JointType.prismatic, axis: [1, 0, 0] },
    { ...link, name: 'wheel', jointName: 'turn', parent: 3, jointType: JointType.revolute, axis: [1, 0, 0] },
  ])

  test('of coordinates, velocities and efforts say the part of a joint and its unit', () => {
    const { q, v, tau } = entriesOf(odd)
    const shown = (entries: readonly { name: string; unit: string }[]) =>
      entries.map(({ name, unit }) => `${name} ${unit}`.trim())
    expect(shown(q)).toEqual([
      'skate/x m',
      'skate/y m',
      'skate/angle rad',
      'neck/qx',
      'neck/qy',
      'neck/qz',
      'neck/qw',
      'slide m',
      'turn rad',
    ])
    const rates = ['skate/vx m/s', 'skate/vy m/s', 'skate/wz rad/s', 'neck/wx rad/s', 'neck/wy rad/s', 'neck/wz rad/s']
    expect(shown(v)).toEqual([...rates, 'slide m/s', 'turn rad/s'])
    expect(tau.map(({ unit }) => unit)).toEqual(['N', 'N', 'Nm', 'Nm', 'Nm', 'Nm', 'N', 'Nm'])
  })

  test('of every robot are as many as its coordinates and velocities, and no two alike in a world', () => {
    const robots = [loadOwnRobot('humanoid'), loadOwnRobot('diffdrive'), loadOwnRobot('diffdrive')]
    const world = new World({ robots: robots.map((robot) => ({ robot })), contactModel, dt: 1e-3 })
    const { q, v, tau } = allEntries(new FrameSource(world))
    expect([q.length, v.length, tau.length]).toEqual([world.model.nq, world.model.nv, world.model.nv])
    for (const entries of [q, v, tau]) expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length)
    expect(q[world.robots[2].start.q].name).toBe('diffdrive-2/base/x')
  })
})

describe('a recorder', () => {
  test('gives its frames back as they were', () => {
    const world = new World({ robots: [{ robot: brick(0.0999) }, { robot: brick(0.2997) }], contactModel, dt: 1e-3 })
    const recorder = new Recorder(world)
    const source = new FrameSource(world)
    const frames = []
    for (let i = 0; i < 20; i++) {
      world.step()
      recorder.record()
      const frame = structuredClone(source.read())
      frames.push({ ...frame, contacts: trimmed(frame.contacts) })
    }
    for (const [i, frame] of frames.entries()) {
      const found = recorder.frame(i)
      expect({ ...found, contacts: trimmed(found.contacts) }).toEqual(frame)
    }
    expect(() => recorder.frame(20)).toThrow(RangeError)
    expect(recorder.toJSON().hash).toBe(world.hash())
  })

  test('asked to leave out energies has empty cells for them, and the same run', () => {
    const world = new World({ robot: brick(1), contactModel, dt: 1e-3 })
    const recorder = new Recorder(world, { energy: false })
    recorder.record()
    const [header, row] = recorder
      .toCSV()
      .split('\r\n')
      .map((line) => line.split(','))
    expect(row[header.indexOf('kineticEnergy_J')]).toBe('')
    expect(recorder.toJSON().kinetic).toEqual([])
  })

  test('every is a whole number of steps', () => {
    const world = new World({ robot: brick(1), contactModel, dt: 1e-3 })
    expect(() => new Recorder(world, { every: 0 })).toThrow('every is 0')
  })
})

test('numbers in tables read back to the same bits, -0 and the smallest among them', () => {
  for (const x of [0, -0, 0.1, 1 / 3, 5e-324, -1.7976931348623157e308, 1e21, 123456789012345680]) {
    expect(Object.is(Number(cellOf(x)), x)).toBe(true)
    expect(cellOf(x).replace(/e.*/, '').replaceAll(/[-.]/g, '').length).toBeLessThanOrEqual(18)
  }
  expect(cellOf(Number.NaN)).toBe('')
})

/** The entries of contacts that are there, without the room behind them. */
function trimmed(contacts: ReturnType<FrameSource['read']>['contacts']) {
  const { count, ...arrays } = contacts
  const wide = new Set(['point', 'normal', 'force', 'impulse', 'impact', 'moment'])
  return Object.fromEntries(
    Object.entries(arrays).map(([name, values]) => [
      name,
      Array.from(values as Float64Array).slice(0, count * (wide.has(name) ? 3 : 1)),
    ]),
  )
}
