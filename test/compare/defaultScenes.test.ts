import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../compare/scenario/index.ts'
import { type Controller, createControllerLoop, fourLegs, homeData, type Leg, trot } from '../../control/index.ts'
import { createData, kinematics } from '../../dynamics/index.ts'
import { loadOwnRobot, OWN_ROBOTS } from '../../robots/files.ts'
import type { World } from '../../simulation/index.ts'
import { degree, examples, playScene, tiltOf, yawOf } from './playScene.ts'

const folder = `${examples}default/`

test.each(OWN_ROBOTS)('%s loads without findings', (name) => {
  expect(loadOwnRobot(name).diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
})

test('the controllers of the default scenes tick alike at every step of theirs', async () => {
  for (const file of readdirSync(folder)) {
    const { controller, dt } = await parseScenario(readFileSync(folder + file, 'utf8'), file)
    for (const step of dt) expect([file, ((1 / (controller?.rate ?? NaN) / step) % 1).toFixed(9)]).toEqual([file, '0.000000000'])
  }
})

describe.each(['stewart-trinkle', 'penalty'])('under %s', (model) => {
  test('the quadruped trots on level ground: upright, as fast as it should, on a diagonal pair at a time, and lifts its feet', async () => {
    const legs = fourLegs(loadOwnRobot('quadruped'), homeData(loadOwnRobot('quadruped'))) as readonly Leg[]
    let tilt = 0
    const lifted = [0, 0, 0, 0]
    const supports = new Map<string, number>()
    let data: ReturnType<typeof createData> | undefined
    const watch = (world: World) => {
      const { model: mechanism } = world.robot
      data ??= createData(mechanism)
      kinematics(mechanism, world.state, data)
      tilt = Math.max(tilt, tiltOf(world))
      const heights = legs.map(({ body, centre, radius }) => {
        const R = data?.R_WB[body] as Float64Array
        return (data?.p_WB[body][2] ?? 0) + R[6] * centre[0] + R[7] * centre[1] + R[8] * centre[2] - radius
      })
      heights.forEach((height, i) => {
        lifted[i] = Math.max(lifted[i], height)
      })
      const down = heights.map((height) => (height < 2e-3 ? '1' : '0')).join('')
      if (world.state.t[0] > 0.1) supports.set(down, (supports.get(down) ?? 0) + 1)
    }
    const world = await playScene('default/trot', model, 1e-3, watch, {
      ground: { friction: 0.8 },
      duration: 1.5,
      controller: { name: 'trot', rate: 200, options: { speed: '0.4 * min(1, 4*t)' } },
    })
    expect(tilt).toBeLessThan(3 * degree)
    // 0.4 m/s after a ramp of 0.25 s: 0.55 m, and some for feet that follow by steps
    expect(Math.abs(world.state.q[0] - 0.55)).toBeLessThan(0.04)
    expect(Math.abs(world.state.q[1])).toBeLessThan(0.04)
    for (const height of lifted) expect(height).toBeGreaterThan(0.04)
    const total = [...supports.values()].reduce((sum, n) => sum + n, 0)
    const share = (down: string) => (supports.get(down) ?? 0) / total
    // a foot is in the air for 44 % of a stride; with 2 mm it counts as down a little before and after
    expect(share('1001')).toBeGreaterThan(0.3)
    expect(share('0110')).toBeGreaterThan(0.3)
    expect(share('1001') + share('0110') + share('1111')).toBeGreaterThan(0.95)
  })
})

test('the trot refuses what has not four legs, and says what it takes', () => {
  const robot = loadOwnRobot('diffdrive')
  const loop = createControllerLoop(trot() as Controller, robot)
  expect(() => loop.start(robot.model, 1e-3)).toThrow(
    /"diffdrive" is no quadruped; .* leg of three driven joints .*; it has none front left, none front right/,
  )
})

test('a quadruped that was nudged stands again where it stood', async () => {
  const more = { controller: { name: 'balance', rate: 200 }, start: { linearVelocity: [0.2, 0.1, 0] }, duration: 1.5 }
  const world = await playScene('default/trot', 'ncp', 5e-3, undefined, { ...more, ground: {} })
  expect(tiltOf(world)).toBeLessThan(1 * degree) // feet that slid are a little nearer
  expect(Math.hypot(world.state.q[0], world.state.q[1])).toBeLessThan(1e-3)
})

test('the gripper lifts the bar by 10 cm without a slip of 1 mm or 0.1 degrees where friction is rigid; one spring a pad lets it swing', async () => {
  const nq = 3 // the gripper's; the bar's follow
  const bar = ({ state: { q } }: World) => ({ z: q[nq + 2], pitch: 2 * Math.asin(q[nq + 4]) })
  const rigid = bar(await playScene('default/grip', 'ncp', 5e-3))
  expect(Math.abs(rigid.z - 0.12)).toBeLessThan(4e-3) // the slide's spring gives by 2.7 mm under the bar
  expect(Math.abs(rigid.pitch)).toBeLessThan(0.1 * degree)
  const single = bar(await playScene('default/grip', 'penalty-deepest', 5e-3))
  expect(single.pitch).toBeGreaterThan(20 * degree)
})

test('the differential drive climbs the ramp and stops on it', async () => {
  let speed = 0
  const world = await playScene('default/ramp', 'ncp', 5e-3, ({ state: { t, v } }) => {
    if (t[0] > 1.3) speed = Math.max(speed, Math.hypot(v[3], v[4], v[5]))
  })
  expect(Math.abs(tiltOf(world) - 12 * degree)).toBeLessThan(0.1 * degree)
  expect(world.state.q[2]).toBeGreaterThan(0.15)
  expect(speed).toBeLessThan(0.05)
})

test('the humanoid that brakes turns to the dry side, and stays upright', async () => {
  let tilt = 0
  const world = await playScene('default/brake', 'ncp', 5e-3, (now) => {
    tilt = Math.max(tilt, tiltOf(now))
  })
  expect(yawOf(world)).toBeLessThan(-15 * degree)
  expect(tilt).toBeLessThan(1 * degree)
  expect(Math.hypot(world.state.v[3], world.state.v[4])).toBeLessThan(0.1)
})
