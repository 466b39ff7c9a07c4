import { expect, test } from 'vitest'
import { contactChoice } from '../../../contact/index.ts'
import { createRandom, rotationOfQuaternion } from '../../../dynamics/index.ts'
import { World } from '../../../simulation/index.ts'
import { mujocoOf, qposOf } from '../../oracle/mujoco.ts'
import { turned } from '../geometry/poses.ts'
import { box, floor } from '../laws/scenes.ts'

/** A pair of MuJoCo's has two coefficients of sliding, along the two tangents of its contacts' frames. */
test("mujoco's law with friction by direction is MuJoCo's, under both cones: accelerations of a box that is pressed on a plane", async () => {
  const robot = box([0.3, 0.2, 0.1], 3)
  const random = createRandom(7)
  for (const cone of ['elliptic', 'pyramidal'] as const) {
    for (let k = 0; k < 20; k++) {
      // MuJoCo's softness of tangents is that of the first, ours of the larger
      const larger = random.between(0.1, 1)
      const mu = [larger, larger * random.between(0.1, 1)]
      const dt = 2e-3
      const mujoco = await mujocoOf(robot.model, {
        option: `timestep="${dt}" solver="Newton" tolerance="0" iterations="500" integrator="Euler" cone="${cone}"`,
        flags: 'autoreset="disable" eulerdamp="disable"',
        world: '<geom name="floor" type="plane" size="0 0 1"/>',
        geoms: () => '<geom name="box" type="box" size="0.15 0.1 0.05"/>',
        behind: `<contact><pair geom1="floor" geom2="box" condim="3" friction="${mu.join(' ')} 0 0 0"/></contact>`,
      })
      const { mj, model, data } = mujoco
      const q = Float64Array.from(robot.home)
      q[2] = 0.05 - random.between(2e-4, 1e-3)
      const speed = k % 2 === 0 ? 1 : 1e-3 // half of them stick
      // MuJoCo's frame of a contact on the plane, from which the axis of ours
      const v = [0, 0, speed * random.between(-1, 1), speed * random.between(-1, 1), speed * random.between(-1, 1), -0.01]
      data.qpos.set(qposOf(mujoco, robot.model, { q }))
      data.qvel.set([...v.slice(3), ...v.slice(0, 3)])
      mj.mj_forward(model, data)
      expect(data.ncon).toBe(4)
      const contact = data.contact.get(0)
      const frame = Array.from(contact?.frame as ArrayLike<number>)
      contact?.delete()
      const theirs = Array.from(data.qacc as Float64Array)
      const world = new World({
        robot,
        fixtures: [{ ...floor, friction: mu[0], frictionAcross: mu[1], frictionAxis: [frame[3], frame[4], frame[5]] }],
        q,
        v: Float64Array.from(v),
        dt,
        ...contactChoice('mujoco', { cone }),
      })
      world.step()
      // velocities of its end are in the axes of its end
      const R = new Float64Array(9)
      rotationOfQuaternion(R, world.state.q, 3)
      const end = [...turned(R, world.state.v.slice(3)), ...turned(R, world.state.v.slice(0, 3))]
      const start = [...v.slice(3), ...v.slice(0, 3)]
      const size = Math.max(...theirs.map(Math.abs))
      end.forEach((x, d) => {
        expect(Math.abs((x - start[d]) / dt - theirs[d]) / size).toBeLessThan(1e-8)
      })
      mujoco.delete()
    }
  }
})
