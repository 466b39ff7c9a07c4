import { beforeAll, describe, expect, test } from 'vitest'
import { loadController } from '../../control/files.ts'
import { type Controller, type ControllerLoop, createControllerLoop, hold } from '../../control/index.ts'
import { addBodyForces } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'
import { examples, playScene } from '../compare/playScene.ts'
import { full } from '../dailyModels.ts'
import { dataAt, filled, stateOf } from '../dynamics/at.ts'

/* Contact forces as a controller sees them, and docs/examples/feedforward.ts, which feeds them forward (Drumwright (2008), footnote 3). */

const quadruped = loadOwnRobot('quadruped')
const dt = 1e-3

describe('contactForces', () => {
  /** Two quadrupeds, one metre apart; what the second one's controller sees. */
  function watched(update: Controller['update'] = () => new Float64Array(quadruped.joints.length)) {
    const seen: number[][] = []
    const watching: Controller = {
      rate: 1 / dt,
      init: () => ({}),
      update(state, period) {
        seen.push([...state.contactForces.subarray(6)])
        return update(state, period)
      },
    }
    const q = quadruped.home.slice()
    q[1] = 1
    const first = { name: 'first', robot: quadruped }
    const second = { name: 'second', robot: quadruped, q, controller: createControllerLoop(watching, quadruped) }
    return { world: new World({ robots: [first, second], contactModel: 'ncp', dt }), seen }
  }
  /** Of the second robot's bodies, as the world reports it. */
  const reported = ({ contacts, model, robots }: World) => {
    const forces = filled(6 * model.nb, (out) => contacts.writeBodyForces(dt, out))
    return [...forces.subarray(6 * (robots[1].start.body + 1))]
  }

  test("are those that the world reports of the step before on the robot's own bodies, and zero at first", () => {
    const { world, seen } = watched()
    const expected = [new Array(6 * (quadruped.model.nb - 1)).fill(0)]
    for (let k = 0; k < 20; k++) {
      world.step()
      expected.push(reported(world))
    }
    expect(seen).toEqual(expected.slice(0, 20))
    expect(Math.max(...seen[19])).toBeGreaterThan(1)
  })

  test('are the same after a checkpoint, in the checkpoint of another model, and zero after one without them', () => {
    const { world, seen } = watched()
    for (let k = 0; k < 20; k++) world.step()
    const checkpoint = world.checkpoint()
    const forces = reported(world)
    const last = () => {
      world.step()
      return seen.at(-1)
    }
    expect(last()).toEqual(forces)
    world.restore(checkpoint)
    expect(last()).toEqual(forces)
    world.adopt(checkpoint)
    expect(last()).toEqual(forces)
    world.restore({ ...checkpoint, contactForces: undefined })
    expect(last()).toEqual(forces.map(() => 0))
    const short = { ...checkpoint, contactForces: new Float64Array(3) }
    expect(() => world.restore(short)).toThrow(/contactForces has 3 entries/)
  })

  test('are copies: what a controller writes to them changes nothing', () => {
    const plain = watched().world
    const { world } = watched(({ contactForces }) => {
      contactForces.fill(1e9)
      return new Float64Array(quadruped.joints.length)
    })
    for (let k = 0; k < 20; k++) {
      plain.step()
      world.step()
    }
    expect(world.hash()).toBe(plain.hash())
    expect(world.checkpoint().contactForces).toEqual(plain.checkpoint().contactForces)
  })
})

describe('docs/examples/feedforward.ts', () => {
  let feedforward: Controller
  beforeAll(async () => {
    feedforward = await loadController(`${examples}feedforward.ts`)
  })

  /** A quadruped at home under springs of 10 rad/s. Of its joints the largest error [rad], and |kp e + (1 - share) Jᵀ f| [N m]; its largest speed. */
  function stood(share: number, seconds: number) {
    const controller = createControllerLoop(feedforward, quadruped, { options: { share } })
    const world = new World({ robot: quadruped, contactModel: 'ncp', dt, controller })
    for (let k = 0; k < Math.round(seconds / dt); k++) world.step()
    const { model, contacts } = world
    const state = stateOf(model, world.state.q)
    const data = dataAt(model, state)
    const forces = filled(6 * model.nb, (out) => contacts.writeBodyForces(dt, out))
    const load = filled(model.nv, (out) => addBodyForces(model, forces, data, out))
    const { kp } = hold({ omega: 10 }).init({ robot: quadruped, model, period: dt, options: {} })
    const e = quadruped.joints.map(({ qIndex }, j) => controller.target.joints[j] - world.state.q[qIndex])
    const rest = quadruped.joints.map(({ vIndex }, j) => Math.abs(kp[j] * e[j] + (1 - share) * load[vIndex]))
    return { error: Math.max(...e.map(Math.abs)), rest: Math.max(...rest), speed: Math.max(...world.state.v.map(Math.abs)) }
  }

  test('at rest its springs carry what it does not feed forward: kp e = -(1 - share) Jᵀ f', () => {
    const [none, half] = [0, 0.5].map((share) => stood(share, 1.5))
    for (const { rest } of [none, half]) expect(rest).toBeLessThan(1e-3) // of 5 N m; what is left dies out
    expect(half.error / none.error).toBeCloseTo(0.5, 1) // but for the pose, which is not the same
  })

  test('at share: 0.9 a quadruped on springs that soft does not come to rest', () => {
    const { rest, speed } = stood(0.9, 1.5)
    expect(speed).toBeGreaterThan(0.1)
    expect(rest).toBeGreaterThan(0.1)
  })

  /** The largest error of a joint in the second of two seconds [rad]; wheels turn as they like. */
  async function tracked(scene: string, options: object, step = dt) {
    let error = 0
    let t = 0
    const controller = { file: `${examples}feedforward.ts`, options }
    const world = await playScene(scene, 'ncp', step, ({ robots: [{ robot, state, controller: loop }] }) => {
      t += step
      const { joints } = (loop as ControllerLoop).target
      robot.joints.forEach(({ name, qIndex }, j) => {
        if (t > 1 && !name.includes('wheel')) error = Math.max(error, Math.abs(joints[j] - state.q[qIndex]))
      })
    }, { controller, duration: 2 }) // biome-ignore format: the callback comes first
    return { error, world }
  }

  const swing = {
    left_shoulder_pitch_joint: 0.2,
    right_shoulder_pitch_joint: 0.2,
    left_elbow_joint: -0.2,
    right_elbow_joint: -0.2,
  }

  test('a humanoid keeps a box of 5 kg on its arms with it', async () => {
    const { error, world } = await tracked('feedforward', { share: 1, swing })
    expect(error).toBeLessThan(0.05)
    expect(world.robots[1].state.q[2]).toBeGreaterThan(0.85)
  })

  test.runIf(full)('without it the humanoid drops the box', async () => {
    const without = await tracked('feedforward', { share: 0, swing })
    expect(without.world.robots[1].state.q[2]).toBeLessThan(0.5)
  })

  const isHere = process.env.FEATHERBED_ROBOTS !== undefined
  if (!(isHere && full))
    console.log('not run: A1, Atlas and the box without forces fed forward; set FEATHERBED_ROBOTS and FEATHERBED_FULL')

  test.runIf(isHere && full)(
    'the A1 squats with a fifth of the error; at a tick of 2 ms, later and less damped, it shakes',
    async () => {
      const legs = ['FR', 'FL', 'RR', 'RL']
      const knees = Object.fromEntries(legs.flatMap((leg) => [[`${leg}_thigh_joint`, 0.3], [`${leg}_calf_joint`, -0.6]])) // biome-ignore format: pairs
      const of = async (share: number, step?: number) => (await tracked('real/squat-a1', { share, swing: knees }, step)).error
      const without = await of(0)
      expect(without).toBeGreaterThan(0.08)
      expect(await of(0.9)).toBeLessThan(without / 5)
      expect(await of(0.9, 2e-3)).toBeGreaterThan(without)
    },
  )

  test.runIf(isHere && full)('Atlas squats with half of them, and shakes with nine tenths', async () => {
    const knees = Object.fromEntries(['l', 'r'].flatMap((leg) => [[`${leg}_leg_hpy`, -0.2], [`${leg}_leg_kny`, 0.4], [`${leg}_leg_aky`, -0.2]])) // biome-ignore format: triples
    const of = async (share: number) => (await tracked('real/squat-atlas', { share, swing: knees })).error
    expect(await of(0.5)).toBeLessThan(0.06)
    expect(await of(0.9)).toBeGreaterThan(0.3)
  })
})
