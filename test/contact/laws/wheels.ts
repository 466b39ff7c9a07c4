import { expect } from 'vitest'
import { loadOwnRobot } from '../../../robots/files.ts'
import type { Suite } from './law.ts'
import { makeWorld, run } from './scenes.ts'

/** Laws of carts on two driven wheels and a caster. */
export function wheelLaws({ model, rigid, section, law }: Suite): void {
  section('wheels', () => {
    law('the diffdrive robot turns as if its wheels stood between the inner and the outer edge of their treads', () => {
      // A tread that turns on the spot scrubs, forwards at one edge and backwards at the other. Along a line of contact the
      // place without slip is where friction's moments balance, w² / (2 b) off the middle; on two points, at either edge.
      const robot = loadOwnRobot('diffdrive')
      const [right, left] = [4, 3]
      const [r, b, w] = [0.1, 0.36, 0.04]
      const indexOf = (name: string) => robot.joints.find((joint) => joint.name === name)?.vIndex ?? Number.NaN
      const [atLeft, atRight] = [indexOf('left_wheel_joint'), indexOf('right_wheel_joint')]
      const v = new Float64Array(robot.model.nv)
      v[2] = (r * (right - left)) / b
      v[3] = (r * (right + left)) / 2
      v[atLeft] = left
      v[atRight] = right
      const world = makeWorld({
        robot,
        model,
        physical: { allowedPenetration: 1e-5 }, // the rolling radius is short by half the depth
        v,
        push(tau, _t, _q, now) {
          tau[atLeft] = 2 * (left - now[atLeft])
          tau[atRight] = 2 * (right - now[atRight])
        },
      })
      run(world, 0.5)
      let [yaw, way, turnedLeft, turnedRight] = [0, 0, 0, 0]
      run(world, 3, () => {
        yaw += world.state.v[2] * world.dt
        way += world.state.v[3] * world.dt
        turnedLeft += world.state.v[atLeft] * world.dt
        turnedRight += world.state.v[atRight] * world.dt
      })
      const track = (r * (turnedRight - turnedLeft)) / yaw
      // 0.1 % of the difference of two speeds of which the springs' sinks and slips take up to 1e-4
      expect(track).toBeGreaterThan((b - w) * 0.999)
      expect(track).toBeLessThan((b + w) * 1.001)
      // the middle of the axle goes at the mean of the wheels' speeds; rocking treads lose 2e-3 of it
      expect(Math.abs(way / ((r * (turnedRight + turnedLeft)) / 2) - 1)).toBeLessThan(rigid ? 1e-6 : 3e-3)
    })

    law('a wheel that stands on a tread presses equally with both edges of it', () => {
      expect(Math.abs(Math.log(edgeRatio(model)))).toBeLessThan(1e-3)
    })
  })
}

/** Load of the inner edges of the diffdrive robot's treads over that of the outer ones, where it stands. */
export function edgeRatio(model: string): number {
  const world = makeWorld({ robot: loadOwnRobot('diffdrive'), model })
  run(world, 1)
  const { contacts, state } = world
  const { count, bodyB, point, impulse } = contacts
  const loads = [0, 0]
  for (let i = 0; i < count; i++) {
    const y = Math.abs(point[3 * i + 1] - state.q[1])
    if (bodyB[i] > 1) loads[y < 0.18 ? 0 : 1] += impulse[3 * i]
  }
  return loads[0] / loads[1]
}
