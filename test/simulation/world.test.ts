import { describe, expect, test } from 'vitest'
import { contactModelNamed, contactModelNames } from '../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import {
  type Checkpoint,
  createGround,
  Fnv1a,
  Recorder,
  SimulationError,
  World,
  WorldError,
  type WorldOptions,
} from '../../simulation/index.ts'
import { dailyModels } from '../dailyModels.ts'
import { arm, box, pendulum, run } from './robots.ts'

const names = dailyModels
const ownRobots = [loadOwnRobot('diffdrive'), loadOwnRobot('humanoid')]

function worldOf(robot: ReturnType<typeof box>, contactModel: string, dt = 1e-3): World {
  return new World({
    robot,
    contactModel: contactModelNamed(contactModel),
    dt,
    controller: createControllerLoop(defaultControllerFor(robot), robot),
  })
}

describe('the hash', () => {
  test('is FNV-1a of 64 bits: the published vectors of its authors', () => {
    const of = (text: string) => {
      const hash = new Fnv1a()
      for (const byte of Buffer.from(text)) hash.byte(byte)
      return hash.digest()
    }
    expect(of('')).toBe('cbf29ce484222325')
    expect(of('a')).toBe('af63dc4c8601ec8c')
    expect(of('foobar')).toBe('85944171f73967e8')
  })

  test('of doubles is that of their little-endian bytes, 0 and -0 alike', () => {
    const words = new Fnv1a()
    words.doubles([1, -0, 1e-310])
    const bytes = new Fnv1a()
    const buffer = Buffer.alloc(24)
    for (const [i, x] of [1, 0, 1e-310].entries()) buffer.writeDoubleLE(x, 8 * i)
    for (const byte of buffer) bytes.byte(byte)
    expect(words.digest()).toBe(bytes.digest())
  })

  test('tells apart two states that differ in one last bit', () => {
    const a = new World({ robot: box(), contactModel: names[0], dt: 1e-3 })
    const b = new World({ robot: box(), contactModel: names[0], dt: 1e-3 })
    expect(a.hash()).toBe(b.hash())
    b.state.v[0] = Number.MIN_VALUE
    expect(a.hash()).not.toBe(b.hash())
  })
})

describe.each(names)('%s', (name) => {
  test.each(ownRobots.map((robot) => [robot.name, robot] as const))('%s: two runs have the same hash', (_, robot) => {
    expect(run(worldOf(robot, name), 400).hash()).toBe(run(worldOf(robot, name), 400).hash())
  })

  test.each(ownRobots.map((robot) => [robot.name, robot] as const))(
    '%s: a run restored in mid-run, in this world or a new one, ends in the same bits',
    (_, robot) => {
      const world = run(worldOf(robot, name), 251) // between two ticks of the controller
      const saved = structuredClone(world.checkpoint())
      const hash = run(world, 300).hash()
      const events = { ...world.events }
      world.restore(saved)
      expect(run(world, 300).hash()).toBe(hash)
      expect(world.events).toEqual(events)
      const other = worldOf(robot, name)
      other.restore(saved)
      expect(run(other, 300).hash()).toBe(hash)
    },
  )

  test("a checkpoint holds the controller's memory", () => {
    const robot = box()
    const counting = {
      init: () => ({ ticks: 0 }),
      update: ({ memory }: { memory: unknown }) => [0.01 * Math.sqrt((memory as { ticks: number }).ticks++)],
    }
    const create = () => new World({ robot, contactModel: name, dt: 1e-3, controller: createControllerLoop(counting, robot) })
    const world = run(create(), 101)
    const saved = world.checkpoint()
    const hash = run(world, 200).hash()
    const other = create()
    other.restore(saved)
    expect(run(other, 200).hash()).toBe(hash)
  })
})

describe('time', () => {
  test('is the step count times dt, without a sum of rounding errors', () => {
    const world = run(new World({ robot: pendulum(), contactModel: names[0], dt: 1e-3 }), 10_000)
    expect(world.state.t[0]).toBe(10_000 * 1e-3)
  })
})

describe('a world', () => {
  test('names the known contact models when asked for another', () => {
    expect(() => new World({ robot: box(), contactModel: 'magic' as never, dt: 1e-3 })).toThrow(
      new RegExp(`"magic".*${contactModelNames.join(', ')}`),
    )
    expect(() => new World({ robot: box(), contactModel: 'constructor' as never, dt: 1e-3 })).toThrow(/no contact model/)
  })

  test.each(['semi-implicit-euler', 'rk4'] as const)('%s: contacts are those of the start of the step', (integrator) => {
    const robot = box()
    const world = new World({
      robot,
      contactModel: 'penalty',
      dt: 1e-3,
      integrator,
      q: [0, 0, 0.0995, 0, 0, 0, 1, 0],
      v: [0, 0, 0, 0, 0, -1, 0],
    })
    world.step()
    // 0.5 mm deep at first; a millimetre more by the end of the step
    expect(world.contacts.count).toBe(4)
    for (let c = 0; c < 4; c++) expect(world.contacts.gap[c]).toBeCloseTo(-0.5e-3, 9)
  })

  test('refuses a start of the wrong length, a number that is not finite, a quaternion that is no rotation, a step of 0', () => {
    const options = { robot: box(), contactModel: names[0], dt: 1e-3 }
    expect(() => new World({ ...options, q: [1, 2] })).toThrow(/start q has 2 entries.*nq = 8/)
    expect(() => new World({ ...options, v: [0, 0, NaN, 0, 0, 0, 0] })).toThrow(/start v\[2\] is NaN/)
    expect(() => new World({ ...options, q: [0, 0, 1, 0, 0, 0, 2, 0] })).toThrow(/quaternion of "free".*norm 2/)
    expect(() => new World({ ...options, dt: 0 })).toThrow(/dt is 0/)
  })

  test('a state that is not finite ends the run with its joint, step and time, and stays as it was found', () => {
    const world = run(new World({ robot: box(), contactModel: names[0], dt: 1e-3 }), 5)
    world.state.v[6] = Infinity
    const error = catching(() => world.step())
    expect(error).toBeInstanceOf(SimulationError)
    expect(error).toMatchObject({ step: 5, time: 5e-3 })
    expect(error.message).toMatch(/box under .*not finite in step 5 .*Likely cause/)
    expect(world.failure).toBe(error)
    const hash = world.hash()
    expect(() => world.step()).toThrow(/this run ended/)
    expect(world.hash()).toBe(hash)
  })

  test('a contact too stiff for the step blows up, and omega dt is named with a step that would do', () => {
    const robot = box()
    const options = { robot, contactModel: 'penalty', dt: 1e-2, integrator: 'rk4', physical: { stiffness: 1e9 } } as const
    const error = catching(() => run(new World({ ...options, q: [0, 0, 0.15, 0.1, 0.2, 0, Math.sqrt(0.95), 0] }), 2000))
    expect(error).toBeInstanceOf(SimulationError)
    // sqrt(1e9 N/m / 3.5 kg) is 1.7e4 rad/s for the whole box; a corner feels less mass, at best a quarter of it
    const omegaDt = Number(/step is too large for the contact stiffness: omega dt = (\d+)/.exec(error.message)?.[1])
    expect(omegaDt).toBeGreaterThan(170)
    expect(omegaDt).toBeLessThan(2.5 * 170)
  })

  test('gains far beyond the step size blow up and are named', () => {
    const robot = arm()
    // between its stops an arm goes to and fro however wild its gains
    robot.model.lower.fill(-Infinity)
    robot.model.upper.fill(Infinity)
    const wild = {
      init: () => null,
      update: ({ q, v }: { q: Float64Array; v: Float64Array }) => q.map((x, i) => -1e9 * x - 1e7 * v[i]),
    }
    const world = new World({ robot, contactModel: names[0], dt: 1e-3, controller: createControllerLoop(wild, robot) })
    const error = catching(() => run(world, 5000))
    expect(error.message).toMatch(/controller gains too large for this step \(the largest effort was .* at joint "joint/)
  })

  test('clamps efforts into the limits of the motors', () => {
    const robot = { ...pendulum() }
    const model = { ...robot.model, effortLimit: Float64Array.of(3) }
    const limited = { ...robot, model }
    const pushing = { init: () => null, update: () => [-50] }
    const world = new World({
      robot: limited,
      contactModel: names[0],
      dt: 1e-3,
      controller: createControllerLoop(pushing, limited),
    })
    world.step()
    expect(world.tau[0]).toBe(-3)
  })
})

describe('a recorder', () => {
  test('keeps every n-th frame and nothing else, in columns that read back to the same bits', () => {
    const world = worldOf(ownRobots[0], names[0])
    const recorder = new Recorder(world, { every: 10, energy: true })
    recorder.record()
    const q: number[] = [...world.state.q]
    for (let i = 0; i < 100; i++) {
      world.step()
      recorder.record()
      if (world.stepCount % 10 === 0) q.push(...world.state.q)
    }
    const recording = recorder.toJSON()
    expect(recording.frames).toBe(11)
    expect(recording.q).toEqual(q)
    expect(recording.contacts.start).toHaveLength(12)
    expect(recording.contacts.gap).toHaveLength(recording.contacts.start[11])
    expect(recording.contacts.impulse).toHaveLength(3 * recording.contacts.start[11])
    expect(recording.kinetic).toHaveLength(11)
    const lines = recorder.toCSV().trim().split('\n')
    expect(lines).toHaveLength(12)
    const cells = lines[11].split(',').map(Number)
    expect(cells.slice(1, 1 + recording.nq)).toEqual(q.slice(10 * recording.nq))
    expect(recorder.contactsCSV().trim().split('\n')).toHaveLength(1 + recording.contacts.start[11])
    const past = new Float64Array(recording.nq)
    recorder.readConfiguration(0, past)
    expect([...past]).toEqual([...ownRobots[0].home])
  })

  test('watching a run does not change it', () => {
    const watched = worldOf(ownRobots[1], names[0])
    const recorder = new Recorder(watched, { energy: true })
    for (let i = 0; i < 50; i++) {
      watched.step()
      recorder.record()
    }
    expect(watched.hash()).toBe(run(worldOf(ownRobots[1], names[0]), 50).hash())
  })
})

function catching(action: () => unknown): Error {
  try {
    action()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}

describe('what no world can be made of is a WorldError that says what to do', () => {
  const robot = pendulum()
  for (const [options, message] of [
    [{ dt: 0 }, 'dt is 0; expected a positive number of seconds, such as 1e-3'],
    [{ dt: '1e-3' }, 'dt is "1e-3"; expected a positive number of seconds'],
    [{ contactModel: 'spring' }, 'there is no contact model "spring"; choose one of'],
    [{ contactOptions: { x: 1 } }, 'has no option "x"; it knows'],
    [{ contactOptions: 5 }, "contactOptions is 5; expected the contact model's options"],
    [{ contactOptions: null }, 'contactOptions is null; expected'],
    [{ materials: 5 }, 'materials is 5; expected an object of friction, restitution'],
    [{ ccd: 'x' }, 'ccd is "x"; expected true or false'],
    [{ fixture: [] }, 'fixture is not known; known are dt,'],
    [{ fixture: [] }, 'Did you mean fixtures?'],
    [{ physical: { fricton: 1 } }, 'physical.fricton is not known; known are allowedPenetration'],
    [{ physical: [] }, 'physical is []; expected an object of allowedPenetration'],
    [{ excludedCollisions: [['bob', 'bib']] }, 'excludedCollisions names "bob"'],
    [
      { fixtures: [{ ...createGround(), R: new Float64Array(9) }] },
      'fixtures[0].R is [0, 0, 0, 0, 0, 0, 0, 0, 0]; expected the 9 numbers of a rotation',
    ],
    [{ fixtures: [{ ...createGround(), R: [1, 0, 0] }] }, 'fixtures[0].R is [1, 0, 0]; expected the 9 numbers of a rotation'],
    [{ fixtures: [{ ...createGround(), p: [0, 0, NaN] }] }, 'fixtures[0].p is [0, 0, NaN]; expected 3 finite numbers'],
    [{ robots: [] }, 'a world has either one robot or a list of robots'],
    [{ integrator: 'euler' }, 'integrator is "euler"; expected one of semi-implicit-euler, rk4'],
    [{ selfCollision: 'some' }, 'selfCollision is "some"; expected one of file, none, all-but-parent, all-but-adjacent, all'],
    [{ materials: { friction: 'most' } }, 'materials.friction is "most"; expected one of min, max'],
    [{ physical: { friction: NaN } }, 'physical.friction is NaN; expected a finite number of at least 0'],
    [{ physical: { restitution: 1.2 } }, 'physical.restitution is 1.2; expected a number from 0 to 1'],
    [{ physical: { allowedPenetration: -1 } }, 'physical.allowedPenetration is -1'],
    [{ physical: 7 }, 'physical is 7; expected an object of allowedPenetration'],
    [{ fixtures: [{}] }, 'fixtures[0].R is missing; expected the 9 numbers of a rotation, row by row'],
    [{ q: [NaN] }, 'start q[0] is NaN; it must be a finite number'],
  ] as const)
    test(JSON.stringify(options), () => {
      const make = () => new World({ robot, dt: 1e-3, contactModel: 'penalty', ...(options as object) } as WorldOptions)
      expect(make).toThrow(message)
      expect(make).toThrow(WorldError)
      expect(make).toThrow(RangeError)
    })

  test('a world that has ended says so as a SimulationError', () => {
    const world = new World({ robot, dt: 1e-3, contactModel: 'penalty' })
    world.state.v[0] = NaN
    for (let k = 0; k < 2; k++) expect(() => world.step()).toThrow(SimulationError)
    expect(() => world.step()).toThrow(/this run ended at step 0/)
  })

  test('a checkpoint that no step leaves behind is not gone on from, and the world stays as it was', () => {
    const world = new World({ robot: box(), dt: 1e-3, contactModel: 'penalty' })
    world.step()
    const good = world.checkpoint()
    const before = world.hash()
    const q = good.q.slice()
    const without = (k: number, x: number) => ({ ...good, q: q.with(k, x) })
    for (const [bad, message] of [
      [{ ...good, stepCount: -1e9 }, 'checkpoint.stepCount is -1000000000; steps are counted from 0 up'],
      [{ ...good, stepCount: 0.5 }, 'checkpoint.stepCount is 0.5'],
      [without(0, Infinity), 'checkpoint.q[0] is Infinity; a step ends in finite numbers'],
      [without(6, 5), /^checkpoint\.q\[3\.\.6\], the quaternion of .* normalise it to 1/],
      [{ ...good, v: good.v.subarray(1) }, 'checkpoint.v has 6 entries, this world has 7'],
    ] as const) {
      expect(() => world.restore(bad as Checkpoint)).toThrow(message)
      expect(() => world.adopt(bad as Checkpoint)).toThrow(message)
    }
    expect(world.hash()).toBe(before)
  })
})
