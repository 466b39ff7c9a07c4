import { expect, test } from 'vitest'
import { createControllerLoop, withThrusters } from '../../control/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { loadRobot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

const drone = loadRobot(
  `<robot name="drone"><link name="drone"><inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>`,
  { file: 'drone.urdf', base: 'floating', ground: false },
)
const rotor = (name: string, y: number) => ({ name, link: 'drone', point: [0, y, 0], moment: [0, 0, y], range: [0, 20] as const })

test.each(['ncp', 'penalty', 'lcp', 'mujoco'] as const)(
  'rotors lift, roll and turn a drone in its own axes under %s',
  (contactModel) => {
    const robot = withThrusters(drone, [rotor('left', 0.1), rotor('right', -0.1)])
    expect(robot.controls).toEqual(['left', 'right'])
    const run = (ctrl: readonly number[]) => {
      const controller = createControllerLoop({ rate: 1000, output: 'ctrl', init: () => ({}), update: () => ctrl }, robot)
      const world = new World({ robot, controller, contactModel, dt: 1e-3, fixtures: [] })
      for (let n = 0; n < 100; n++) world.step()
      return world.state
    }
    const lifted = run([10.81, 10.81])
    expect(lifted.v[5]).toBeCloseTo((21.62 / 2 - 9.81) * 0.1, 9)
    expect([lifted.v[0], lifted.v[2]].every((x) => Math.abs(x) < 1e-12)).toBe(true)
    // I w = M t about x; the input of one rotor is bounded
    const turned = run([1, 0])
    expect(turned.v[0]).toBeCloseTo((0.1 / 0.02) * 0.1, 3) // a little goes with the turn about z
    expect(turned.v[2]).toBeCloseTo((0.1 / 0.04) * 0.1, 3)
    expect(run([0, -5]).v[0]).toBe(0)
  },
)

test('the inputs of thrusters stand behind the efforts of joints', () => {
  const robot = withThrusters(loadOwnRobot('diffdrive'), [{ name: 'fan', link: 'base_link', force: [1, 0, 0] }])
  expect(robot.controls).toEqual([...loadOwnRobot('diffdrive').joints.map(({ name }) => name), 'fan'])
  const torques = robot.joints.map(() => 0.05)
  const controller = createControllerLoop({ output: 'ctrl', init: () => ({}), update: () => [...torques, 0] }, robot)
  const world = new World({ robot, controller, contactModel: 'ncp', dt: 1e-3 })
  world.step()
  for (const { vIndex } of robot.joints) expect(world.tau[vIndex]).toBe(0.05)
})

test('an unknown link and a name that is taken are refused', () => {
  expect(() => withThrusters(drone, [{ name: 'left', link: 'dron' }])).toThrow('thrusters: "drone" has no link "dron"')
  expect(() => withThrusters(drone, [rotor('left', 0), rotor('left', 1)])).toThrow('there is an input "left" already')
})
