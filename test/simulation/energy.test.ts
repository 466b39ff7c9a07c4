import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../dynamics/index.ts'
import { loadRobotFile } from '../../robots/files.ts'
import { createFreeBody, loadRobot } from '../../robots/index.ts'
import { EnergyError, ErrorControl, SimulationError, World, type WorldOptions } from '../../simulation/index.ts'
import { dailyModels } from '../dailyModels.ts'
import { pendulum } from './robots.ts'

const ball = (radius = 0.1) => createFreeBody({ name: 'ball', shape: { type: 'sphere', radius }, mass: 1 })
const rod = createFreeBody({ name: 'rod', shape: { type: 'cylinder', radius: 0.02, length: 0.6 }, mass: 1 })

/** A light finger on a heavy base: half a newton metre turns it by more than a radian in a step of 10 ms. */
const flail = loadRobot(
  `<robot name="flail">
  <link name="base"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  ${['a', 'b']
    .map(
      (name, i) => `<link name="${name}"><inertial><origin xyz="0.1 0 0"/><mass value="0.05"/>
        <inertia ixx="1e-5" iyy="2e-5" izz="2e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="to-${name}" type="continuous"><parent link="${i === 0 ? 'base' : 'a'}"/><child link="${name}"/>
        <origin xyz="${i === 0 ? 0 : 0.2} 0 0"/><axis xyz="0 ${i} ${1 - i}"/></joint>`,
    )
    .join('\n')}
</robot>`,
  { file: 'flail.urdf' } as never,
)

/** What a step may add to efforts. */
type Push = (world: World) => void

/** @returns the error that the run ended in */
function run(world: World, steps: number, push?: Push): SimulationError | undefined {
  try {
    for (let k = 0; k < steps; k++) {
      push?.(world)
      world.step()
    }
    world.auditLastStep()
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error
    return error
  }
  return undefined
}

const spun: Push = ({ tau, stepCount }) => {
  tau[tau.length - 2] = stepCount % 7 < 4 ? 0.5 : -0.3
  tau[tau.length - 1] = stepCount % 5 < 2 ? 0.2 : -0.2
}
const flailing = (dt = 1e-2) => new World({ robot: flail, contactModel: 'ncp', dt, fixtures: [] })

describe('a world counts the energy that nothing accounts for', () => {
  test('none of a joint that a soft limit returns from where it begins', () => {
    const joint = '<joint name="j" axis="0 1 0" range="1 2"/>'
    const text = `<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><body>${joint}<geom size="0.1" pos="0.2 0 0"/></body></worldbody></mujoco>`
    const robot = loadRobot(text, { file: 'm.xml', ground: false })
    const world = new World({ robot, contactModel: 'mujoco', dt: 1e-3, fixtures: [], q: [0] })
    expect(run(world, 500)).toBeUndefined()
    expect([world.events.energyGains, world.state.q[0] > 1]).toEqual([0, true])
  })

  test.each(dailyModels)('%s: none of a fall, a pendulum, an elastic impact and a slide', (contactModel) => {
    const scenes: [WorldOptions, number][] = [
      [{ robot: ball(), q: [0, 0, 0.5, 0, 0, 0, 1], contactModel, dt: 1e-3, physical: { restitution: 1 } }, 600],
      [{ robot: pendulum(2, 0.4), q: [3], contactModel, dt: 5e-3 }, 600],
      [{ robot: ball(), q: [0, 0, 0.1, 0, 0, 0, 1], v: [0, 0, 5, 2, 0, 0], contactModel, dt: 5e-3 }, 200],
    ]
    for (const [options, steps] of scenes) {
      const world = new World(options)
      expect(run(world, steps)).toBeUndefined()
      expect(world.events.energyGains).toBe(0)
      expect(world.events.firstEnergyGain).toBe('')
    }
  })

  test('what motors give and take is accounted for', () => {
    const world = new World({ robot: pendulum(2, 0.4), contactModel: 'ncp', dt: 1e-3 })
    expect(
      run(world, 3000, ({ tau, state }) => {
        tau[0] = 20 * (state.v[0] < 6 ? 1 : -1)
      }),
    ).toBeUndefined()
    expect(world.events.energyGains).toBe(0)
  })

  test('a joint that turns too far a step is counted, and ends the run beyond ten times what there was to spend', () => {
    const world = flailing()
    const error = run(world, 300, spun)
    expect(error).toBeInstanceOf(EnergyError)
    const { invented, spent, step, time, message } = error as EnergyError
    expect(invented).toBeGreaterThan(10 * spent)
    expect(world.stepCount).toBe(step + 1)
    expect(time).toBeCloseTo(step * world.dt, 12)
    expect(message).toMatch(
      /^flail under ncp: .* J came from nothing, .* times what the run had to spend, by the end of step \d+ .* turns by .* rad a step.*Take dt below/,
    )
    expect(world.failure).toBe(error)
    expect(() => world.step()).toThrow(`this run ended at step ${world.stepCount}: ${message}`)
    expect(world.events.energyGains).toBeGreaterThan(0)
    expect(world.events.firstEnergyGain).toMatch(/^.* J came from nothing, .* by the end of step \d+ \(t = .* s\)$/)
    for (const x of [...world.state.q, ...world.state.v]) expect(x).toSatisfy(Number.isFinite)
    // the step is what is wrong
    const fine = flailing(1e-4)
    expect(run(fine, 1000, spun)).toBeUndefined()
    expect(fine.events.energyGains).toBe(0)
  })

  test('the last step is looked at by finish', () => {
    const ended = run(flailing(), 300, spun) as SimulationError
    const world = flailing()
    for (let k = 0; k <= ended.step; k++) {
      spun(world)
      world.step()
    }
    expect(world.failure).toBeUndefined()
    expect(() => world.auditLastStep()).toThrow(ended.message)
    expect(world.failure?.message).toBe(ended.message)
  })

  test('a run that goes on from a checkpoint ends in the same step, with the same counts', () => {
    const world = flailing()
    const ended = run(world, 300, spun) as SimulationError
    const half = flailing()
    run(half, Math.floor(ended.step / 2), spun)
    const checkpoint = structuredClone(half.checkpoint())
    const other = flailing()
    other.restore(checkpoint)
    expect(run(other, 300, spun)?.message).toBe(ended.message)
    expect(other.events).toEqual(world.events)
    // the state that the fatal step left behind can be saved, and is told to be what it is
    const last = flailing()
    for (let k = 0; k <= ended.step; k++) {
      spun(last)
      last.step()
    }
    other.restore(last.checkpoint())
    expect(() => last.auditLastStep()).toThrow(ended.message)
    expect(() => other.step()).toThrow(ended.message)
    // one that knows nothing of energy, as older ones do not
    const { energy: _, ...without } = checkpoint
    other.restore(without)
    expect(run(other, 300, spun)).toBeInstanceOf(EnergyError)
    expect(() => other.restore({ ...checkpoint, energy: new Float64Array(1) })).toThrow('checkpoint.energy has 1 entries')
  })

  test('whoever moves something between two steps begins a new balance', () => {
    const world = new World({ robot: ball(), q: [0, 0, 2, 0, 0, 0, 1], contactModel: 'ncp', dt: 1e-3 })
    run(world, 10)
    world.state.q[2] = 50
    world.state.v[5] = 100
    expect(run(world, 100)).toBeUndefined()
    expect(world.events.energyGains).toBe(0)
  })

  test('steps under error control are made short enough to keep it', () => {
    const world = flailing(1 / 128)
    const control = new ErrorControl(world, 1e-2, [0.4])
    while (world.stepCount < 40) {
      spun(world)
      control.choose()
      world.step()
    }
    world.auditLastStep()
    expect(world.events.energyGains).toBe(0)
  })

  test('energies that overflow are a failure, though no coordinate does', () => {
    const world = new World({ robot: ball(), contactModel: 'ncp', dt: 1e-3, fixtures: [] })
    run(world, 1)
    world.state.v[5] = 1e160
    expect(run(world, 3)).toBeInstanceOf(SimulationError)
  })
})

describe('free bodies keep their energy however fast they turn', () => {
  test.each(dailyModels)('%s: a rod that turns by 2.4 rad a step for a minute', (contactModel) => {
    const dt = 7.9e-3
    const world = new World({ robot: rod, contactModel, dt, fixtures: [], v: [200, 200, 100, 1, 2, 3] })
    const { I } = world.model
    const energy = () => {
      const [x, y, z] = world.state.v
      return 0.5 * (I[1][4] * x * x + I[1][5] * y * y + I[1][6] * z * z)
    }
    const start = energy()
    expect(run(world, 7600)).toBeUndefined()
    expect(Math.abs(energy() / start - 1)).toBeLessThan(1e-9)
    expect(world.events.energyGains).toBe(0)
  })

  test('a symmetric top precesses at (1 - I3 / I1) omega3 in its own axes, to order 2', () => {
    const errors = [2e-3, 1e-3].map((dt) => {
      const [w1, w3] = [20, 30]
      const world = new World({ robot: rod, contactModel: 'ncp', dt, fixtures: [], v: [w1, 0, w3, 0, 0, 0] })
      const [I1, , I3] = world.model.I[1].subarray(4)
      run(world, Math.round(0.2 / dt))
      const angle = (1 - I3 / I1) * w3 * 0.2
      return Math.hypot(world.state.v[0] - w1 * Math.cos(angle), world.state.v[1] + w1 * Math.sin(angle))
    })
    expect(errors[0]).toBeLessThan(0.05)
    expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(1.8)
  })
})

const folder = process.env.FEATHERBED_ROBOTS
const cases: [string, string, Partial<WorldOptions>, number, number][] = [
  [
    'an arm that falls on itself at 10 ms',
    'ur5/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf',
    { dt: 1e-2, physical: { restitution: 0.75 } },
    400,
    0,
  ],
  [
    'a mobile manipulator in free flight at 1 ms',
    'pr2/drake_models/pr2_description/urdf/pr2_simplified.urdf',
    { dt: 1e-3, fixtures: [] },
    200,
    1,
  ],
  [
    "a gripper in free flight at 10 ms by MuJoCo's Euler",
    'robotiq_2f_85/robotiq_2f_85_gripper_visualization/urdf/robotiq_arg2f_85_model.urdf',
    { dt: 1e-2, fixtures: [], contactModel: 'mujoco', contactOptions: { flight: 'euler' } },
    300,
    1,
  ],
]
const isHere = (file: string) => folder !== undefined && existsSync(join(folder, file))
const present = cases.filter(([, file]) => isHere(file))
if (present.length < cases.length)
  console.log('not run: energy of ur5, pr2 and a gripper; set FEATHERBED_ROBOTS to the folder that holds them')

/** Joints pushed at random within their limits. */
function pushed({ robot }: World, torque: number): (world: World) => void {
  const random = createRandom(1)
  return ({ tau, model }) => {
    for (let i = robot.floating ? 6 : 0; i < model.nv; i++)
      tau[i] = torque * Math.min(model.effortLimit[i], 50) * (2 * random.next() - 1)
  }
}

describe.skipIf(present.length === 0)('real robots that gain energy do not do so unnoticed', () => {
  test.each(present)('%s', (_, file, options, steps, torque) => {
    const world = new World({
      robot: loadRobotFile(join(folder as string, file), options.fixtures ? { base: 'floating' } : {}),
      contactModel: 'ncp',
      ...options,
    } as WorldOptions)
    const error = run(world, steps, pushed(world, torque))
    if (file.startsWith('robotiq')) {
      // as `FreeTree` flies it, it gains none
      const { contactModel, contactOptions, ...rest } = options
      const exact = new World({ robot: world.robot, contactModel: 'ncp', ...rest } as WorldOptions)
      expect(run(exact, steps, pushed(exact, torque))).toBeUndefined()
      expect(exact.events.energyGains).toBe(0)
    }
    expect(world.events.energyGains).toBeGreaterThan(0)
    if (torque > 0) expect(error).toBeInstanceOf(EnergyError)
  })
})
