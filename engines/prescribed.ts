import { mulQuaternion, quaternionStart, rotationVectorOfQuaternion, type State } from '../dynamics/index.ts'
import type { EngineScene } from './engine.ts'

/** A body whose motion is prescribed, as it is passed to an engine before each step. */
export type GivenBody = Readonly<ReturnType<typeof givenBodies>[number]>

/** The bodies of a scene whose motion is prescribed. */
export function givenBodies({ world, motions }: EngineScene) {
  const { model, dt } = world
  return motions.flatMap((motion, i) => {
    if (motion === undefined) return []
    const body = world.robots[i].start.body + 1
    const at = model.qStart[body]
    if (quaternionStart(model, body) < 0) throw new Error('a prescribed body floats')
    const [pose, next] = [new Float64Array(7), new Float64Array(7)]
    const velocity = new Float64Array(6)
    const surface = new Float64Array(3)
    const turn = new Float64Array(4)
    const aim = (t: number) => {
      motion.pose(t, pose)
      motion.pose(t + dt, next)
      // world axes: next pose^-1
      for (let k = 0; k < 3; k++) turn[k] = -pose[3 + k]
      turn[3] = pose[6]
      mulQuaternion(turn, 0, next, 3, turn, 0)
      rotationVectorOfQuaternion(velocity, 0, turn, 0)
      surface.fill(0)
      motion.surface?.(t, surface)
      rotated(surface, pose)
      for (let k = 0; k < 3; k++) {
        velocity[k] /= dt
        velocity[3 + k] = (next[k] - pose[k]) / dt + surface[k]
      }
    }
    let steps = 0
    aim(0)
    return {
      /** Of the model. */
      body,
      /** 7: position [m] and quaternion x, y, z, w at the start of the step. */
      pose,
      /** 6: angular, then linear velocity of the origin over the step in world axes, that of its surface included [rad/s, m/s]. */
      velocity,
      /** Where it is and how it moves in the next step; until then it is as in the first. */
      next: () => aim(steps++ * dt),
      /** Writes its place and velocity at the end of that step into a state of the world's. */
      write({ q, v }: State) {
        q.set(next, at)
        v.fill(0, model.vStart[body], model.vStart[body + 1])
      },
    }
  })
}

/** Turns a vector by the quaternion of a pose. */
function rotated(x: Float64Array, pose: Float64Array): void {
  const conjugate = Float64Array.of(-pose[3], -pose[4], -pose[5], pose[6])
  const out = Float64Array.of(x[0], x[1], x[2], 0)
  mulQuaternion(out, 0, pose, 3, out, 0)
  mulQuaternion(out, 0, out, 0, conjugate, 0)
  x.set(out.subarray(0, 3))
}
