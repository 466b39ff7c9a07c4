import { describe, expect, test } from 'vitest'
import { homeData } from '../../control/homeData.ts'
import { createControllerLoop, defaultControllerFor, driveWheels, supportAtHome } from '../../control/index.ts'
import { centerOfMass, JointType } from '../../dynamics/index.ts'
import { loadOwnRobot, loadRobotFile } from '../../robots/files.ts'
import type { Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { dailyModels, hasRobots, robotsFolder } from '../dailyModels.ts'
import { arm, robotOf } from '../simulation/robots.ts'

/** A box 0.4 x 0.2 x 0.2 of 10 kg whose centre of mass is off its middle. */
function offCentre(x: number, y: number): Robot {
  const body = {
    name: 'box',
    jointName: 'free',
    parent: 0,
    jointType: JointType.floating,
    mass: 10,
    centerOfMass: [x, y, 0],
  } as const
  const shapes = { box: { type: 'box', size: [0.4, 0.2, 0.2] } } as const
  return robotOf('box', [{ ...body, inertia: [0.1, 0.1, 0.1, 0, 0, 0] }], shapes, [0, 0, 0.1, 0, 0, 0, 1])
}

describe('support at home', () => {
  test('a box stands with a quarter of its weight on each corner', () => {
    const robot = offCentre(0, 0)
    const { count, force } = supportAtHome(robot, homeData(robot))
    expect(count).toBe(4)
    for (const f of force) expect(f).toBeCloseTo((10 * 9.81) / 4, 3)
  })

  test.each([
    [0.1, 0],
    [0.05, 0.03],
    [-0.19, 0.09],
  ])('carries the weight without a moment about a centre of mass at %d, %d', (x, y) => {
    const robot = offCentre(x, y)
    const { count, point, force } = supportAtHome(robot, homeData(robot))
    let [sum, mx, my] = [0, 0, 0]
    for (let k = 0; k < count; k++) {
      expect(force[k]).toBeGreaterThanOrEqual(0)
      sum += force[k]
      mx += force[k] * (point[3 * k] - x)
      my += force[k] * (point[3 * k + 1] - y)
    }
    expect(sum).toBeCloseTo(10 * 9.81, 3)
    expect(mx / sum).toBeCloseTo(0, 4)
    expect(my / sum).toBeCloseTo(0, 4)
  })

  test('diffdrive: the shares of three points are those of its levers', () => {
    const robot = loadOwnRobot('diffdrive')
    const data = homeData(robot)
    const { count, body, force } = supportAtHome(robot, data)
    const center = new Float64Array(3)
    centerOfMass(robot.model, data, center)
    let caster = 0
    for (let k = 0; k < count; k++) if (body[k] === 1) caster += force[k]
    // the caster is 0.22 m behind the axle
    expect(caster).toBeCloseTo((robot.massUsed * 9.81 * -center[0]) / 0.22, 2)
  })

  test('a fixed base needs none', () => {
    expect(supportAtHome(arm(), homeData(arm())).count).toBe(0)
  })
})

const isHere = hasRobots('a1, atlas and turtlebot3 that stand and drive')

describe.runIf(isHere).each(dailyModels)('robots as they come, at 1 ms under %s', (contactModel) => {
  const run = async (file: string, seconds: number) => {
    const robot = await loadRobotFile(`${robotsFolder}/${file}`)
    const controller = createControllerLoop(defaultControllerFor(robot), robot)
    const world = new World({ robot, contactModel, dt: 1e-3, controller })
    for (let i = 0; i < 1000 * seconds; i++) world.step()
    return { robot, world }
  }

  test.each(['a1/a1_description/urdf/a1.urdf', 'atlas/drake_models/atlas/atlas_minimal_contact.urdf'])(
    '%s still stands in its home pose after 2 s',
    async (file) => {
      const { robot, world } = await run(file, 2)
      // a topple takes less than a second; the feet may slip by a few millimetres while the first contacts settle
      for (const { qIndex } of robot.joints) expect(Math.abs(world.state.q[qIndex] - robot.home[qIndex])).toBeLessThan(0.05)
      expect(Math.abs(world.state.q[2] - robot.home[2])).toBeLessThan(0.01)
      expect(Math.hypot(...world.state.v)).toBeLessThan(0.05)
    },
  )

  test('turtlebot3_burger drives straight on at 0.2 m/s', async () => {
    const { robot, world } = await run('turtlebot3/turtlebot3_description/urdf/turtlebot3_burger.urdf', 2)
    expect(driveWheels(robot)?.track).toBeCloseTo(0.16, 12)
    // half of the ramp's 0.5 s is lost; wheels that drag a caster creep by up to 3 % where friction is regularised
    expect(world.state.q[0] / (0.2 * 1.75)).toBeGreaterThan(0.97)
    expect(world.state.q[0] / (0.2 * 1.75)).toBeLessThan(1.01)
    // Under MuJoCo's law friction that holds creeps, and so treads do: 1.3 mm.
    expect(Math.abs(world.state.q[1])).toBeLessThan(contactModel === 'mujoco' ? 2e-3 : 1e-3)
  })
})
