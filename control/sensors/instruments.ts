/** Measurements of each kind of sensor, without errors. */
import { RayTarget } from '../../contact/geometry/index.ts'
import {
  createData,
  type Data,
  dot,
  type Frame,
  framePose,
  frameVelocity,
  kinematics,
  mulMatrix3,
  mulQuaternion,
  quaternionOfRotation,
  quaternionOfRotationVector,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
  rotationVectorOfQuaternion,
  velocities,
} from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Surroundings } from '../../simulation/index.ts'
import { frameNamed } from '../frameNamed.ts'
import { LastMotion } from './lastMotion.ts'
import type { Instrument, Sight } from './sensor.ts'
import { linkInWorld, subtractLoads, subtreeForce } from './subtree.ts'

/** Pose of a sensor on its link. */
export interface Mounting {
  readonly link: string
  /** In the link's axes [m]. */
  readonly position?: readonly number[]
  /** 9, row-major: turns the sensor's axes into the link's. */
  readonly rotation?: ArrayLike<number>
}

function mounted(robot: Robot, { link, position = [0, 0, 0], rotation }: Mounting): Frame {
  const own = frameNamed(robot.frames, link, 'sensor')
  const p = new Float64Array(3)
  const R = new Float64Array(9)
  rotate3(p, own.R, Float64Array.from(position))
  for (let k = 0; k < 3; k++) p[k] += own.p[k]
  if (rotation === undefined) R.set(own.R)
  else mulMatrix3(R, own.R, Float64Array.from(rotation))
  return { name: link, body: own.body, R, p }
}

/** out[k..k+3] = the unit quaternion [x, y, z, w] of R, of the two the one nearer to before[at..at+3]; any where that is NaN. */
function continuousQuaternion(out: Float64Array, k: number, R: Float64Array, before: Float64Array, at: number): void {
  quaternionOfRotation(out, k, R)
  let dot = 0
  for (let d = 0; d < 4; d++) dot += out[k + d] * before[at + d]
  if (dot < 0) for (let d = 0; d < 4; d++) out[k + d] = -out[k + d]
}

/** Of an IMU's memory: velocity [m/s] and orientation at the last tick, sum of the specific forces of ticks [m/s^2], and their number. */
const MEMORY = { velocity: 0, orientation: 3, sum: 7, count: 10, size: 11 }

/**
 * Orientation [x, y, z, w] of the sensor in the world, of the two signs the one nearer to the sample before; angular velocity and specific
 * force (acceleration less gravity: upwards at rest) in its own axes [rad/s, m/s^2]. The specific force is its mean over the period that ends
 * at the sample, in axes that turn with the sensor, as sensors that integrate give it; the first sample's is that of rest.
 *
 * Over each tick T the sensor turns by theta about a fixed axis, and with R_mid its orientation halfway, the mean of R' x of a vector x fixed in
 * the world is R_mid' x, its part across the axis times sinc(theta / 2); and a specific force fixed in the sensor's axes changes the velocity by
 * its mean T R_mid f, likewise shrunk. So gravity is shrunk by that factor, and the change of velocity, mostly by turning, stretched by it: both
 * are exact for a steady spin, and otherwise to (theta)² / 12 of what is fixed in the world besides gravity.
 */
export function imu(robot: Robot, where: Mounting): Instrument {
  const frame = mounted(robot, where)
  const { gravity } = robot.model
  const R = new Float64Array(9)
  const p = new Float64Array(3)
  const velocity = new Float64Array(6)
  const local = new Float64Array(3)
  const orientation = new Float64Array(4)
  const turn = new Float64Array(4)
  const axis = new Float64Array(3)
  const middle = new Float64Array(9)
  const down = new Float64Array(3)

  const place = ({ data }: Sight, memory: Float64Array) => {
    framePose(data, frame, R, p)
    frameVelocity(data, frame, velocity)
    continuousQuaternion(orientation, 0, R, memory, MEMORY.orientation)
  }
  /** Sets `middle`, R_mid, and the unit `axis` in the sensor's axes. @returns sinc(theta / 2) */
  const turnSince = (memory: Float64Array): number => {
    // turn = before^-1 now
    for (let d = 0; d < 3; d++) turn[d] = -memory[MEMORY.orientation + d]
    turn[3] = memory[MEMORY.orientation + 3]
    mulQuaternion(turn, 0, turn, 0, orientation, 0)
    rotationVectorOfQuaternion(axis, 0, turn, 0)
    const theta = Math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    const sine = Math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    for (let d = 0; d < 3; d++) {
      local[d] = 0.5 * axis[d]
      axis[d] = theta > 0 ? axis[d] / theta : 0
    }
    quaternionOfRotationVector(turn, 0, local, 0)
    mulQuaternion(turn, 0, memory, MEMORY.orientation, turn, 0)
    rotationOfQuaternion(middle, turn, 0)
    return theta > 0 ? sine / (0.5 * theta) : 1
  }

  return {
    parts: [
      { name: 'orientation', size: 4 },
      { name: 'angularVelocity', size: 3 },
      { name: 'specificForce', size: 3 },
    ],
    memorySize: MEMORY.size,
    gather(sight, tick, memory) {
      place(sight, memory)
      const first = Number.isNaN(memory[MEMORY.count])
      const shrunk = first ? 1 : turnSince(memory)
      if (first) memory.fill(0, MEMORY.sum)
      else {
        for (let k = 0; k < 3; k++) {
          local[k] = (velocity[3 + k] - memory[MEMORY.velocity + k]) / tick
          down[k] = gravity[3 + k]
        }
        rotateTransposed3(local, middle, local)
        rotateTransposed3(down, middle, down)
        const along = dot(axis, local)
        const downAlong = dot(axis, down)
        for (let k = 0; k < 3; k++)
          memory[MEMORY.sum + k] +=
            axis[k] * (along - downAlong) + (local[k] - along * axis[k]) / shrunk - shrunk * (down[k] - downAlong * axis[k])
        memory[MEMORY.count]++
      }
      for (let k = 0; k < 3; k++) memory[MEMORY.velocity + k] = velocity[3 + k]
      memory.set(orientation, MEMORY.orientation)
    },
    measure(sight, memory, out) {
      place(sight, memory)
      out.set(orientation)
      rotateTransposed3(local, R, velocity)
      out.set(local, 4)
      const count = memory[MEMORY.count]
      for (let k = 0; k < 3; k++) local[k] = -gravity[3 + k]
      rotateTransposed3(local, R, local)
      for (let k = 0; k < 3; k++) out[7 + k] = count > 0 ? memory[MEMORY.sum + k] / count : local[k]
      memory.fill(0, MEMORY.sum)
    },
  }
}

/**
 * Wrench of a moving joint's parent on its child, [moment about the child link's origin; force] in the child's axes [N m, N]: the rate of
 * momentum of the child's subtree over the last step, less gravity, contacts, pushes, pulls and loops.
 *
 * @param last shared by the sensors of a robot
 * @throws RangeError for an unknown or a fixed joint: the links of a fixed one are one body
 */
export function forceTorque(robot: Robot, { joint }: { readonly joint: string }, last = new LastMotion(robot)): Instrument {
  const { model } = robot
  const body = model.jointName.indexOf(joint)
  if (body < 1)
    throw new RangeError(
      `force-torque: "${robot.name}" has no moving joint "${joint}"; it has ${robot.joints.map(({ name }) => name).join(', ')}`,
    )
  const subtree = model.I.flatMap((I, i) => {
    let at = i
    while (at > body) at = model.parent[at]
    return at === body ? [{ body: i, I }] : []
  })
  const bodies = subtree.map((part) => part.body)
  /** Without contacts and loads, about the world's origin; its moment about the joint's. In world axes. */
  const sum = new Float64Array(6)
  const part = new Float64Array(3)
  return {
    parts: [
      { name: 'moment', size: 3 },
      { name: 'force', size: 3 },
    ],
    measure(sight, _memory, out) {
      last.read(sight)
      subtreeForce(subtree, model.gravity, last.data, sum)
      for (const { body: i } of subtree) for (let k = 0; k < 6; k++) sum[k] -= sight.contactForces[6 * i + k]
      subtractLoads(sight, bodies, sum)
      const R = last.data.R_WB[body]
      const p = last.data.p_WB[body]
      part[0] = sum[0] - (p[1] * sum[5] - p[2] * sum[4])
      part[1] = sum[1] - (p[2] * sum[3] - p[0] * sum[5])
      part[2] = sum[2] - (p[0] * sum[4] - p[1] * sum[3])
      rotateTransposed3(part, R, part)
      out.set(part)
      for (let k = 0; k < 3; k++) part[k] = sum[3 + k]
      rotateTransposed3(part, R, part)
      out.set(part, 3)
    },
  }
}

/** Position and velocity of a joint [rad, rad/s; m, m/s]. @throws RangeError for an unknown joint */
export function encoder(robot: Robot, { joint }: { readonly joint: string }): Instrument {
  const found = robot.joints.find(({ name }) => name === joint)
  if (found === undefined)
    throw new RangeError(
      `encoder: "${robot.name}" has no moving joint "${joint}"; it has ${robot.joints.map(({ name }) => name).join(', ')}`,
    )
  const { qIndex, vIndex } = found
  return {
    parts: [
      { name: 'position', size: 1 },
      { name: 'velocity', size: 1 },
    ],
    measure({ state }, _memory, out) {
      out[0] = state.q[qIndex]
      out[1] = state.v[vIndex]
    },
  }
}

export interface RaysOptions extends Mounting {
  /** 3 a ray: unit vectors in the sensor's axes. */
  readonly directions: ArrayLike<number>
  /** [m] */
  readonly range: number
}

/** Distances along rays from the sensor's origin to all but the robot itself [m]; the range where there is no hit within it. */
export function rays(robot: Robot, { directions, range, ...where }: RaysOptions): Instrument {
  return raysFrom(robot, mounted(robot, where), directions, range)
}

/** The same from a frame. @param link the only one of the robot that rays pass; default: all of its links */
export function raysFrom(robot: Robot, frame: Frame, directions: ArrayLike<number>, range: number, link?: string): Instrument {
  const R = new Float64Array(9)
  const p = new Float64Array(3)
  const direction = new Float64Array(3)
  const local = new Float64Array(3)
  let scene:
    | { readonly targets: readonly { readonly body: number; readonly target: RayTarget }[]; readonly data: Data }
    | undefined
  const sceneOf = (surroundings: Surroundings) => {
    const { world, index } = surroundings
    const { start } = world.robots[index]
    const isOwn = (body: number) => body > start.body && body < start.body + robot.model.nb
    const passed = link === undefined ? undefined : linkInWorld(surroundings, link)
    // those welded to the world are seen from one link alone
    const all = link === undefined ? world.shapes : world.robot.shapes
    const others = all.filter((shape) => (passed === undefined ? !isOwn(shape.body) : shape.link !== passed))
    const targets = [...(passed === 'world' ? [] : world.fixtures), ...others].map((placed) => ({
      body: placed.body,
      target: new RayTarget(placed),
    }))
    return { targets, data: createData(world.model) }
  }
  const count = directions.length / 3
  return {
    parts: [{ name: 'distance', size: count }],
    measure({ data, surroundings }, _memory, out) {
      out.fill(range, 0, count)
      if (surroundings === undefined) return
      scene ??= sceneOf(surroundings)
      const { world } = surroundings
      kinematics(world.model, world.state, scene.data)
      framePose(data, frame, R, p)
      for (const { body, target } of scene.targets) {
        target.place(scene.data.R_WB[body], scene.data.p_WB[body])
        for (let i = 0; i < count; i++) {
          for (let k = 0; k < 3; k++) local[k] = directions[3 * i + k]
          rotate3(direction, R, local)
          target.cast(p, direction, out, i)
        }
      }
    },
  }
}

/**
 * Pose of another robot or body of the world, as from motion capture: position [m], orientation [x, y, z, w], of the two signs the one nearer to
 * the sample before, linear and angular velocity in world axes [m/s, rad/s].
 *
 * @param of its name in the world, `NAME` for its base, or `NAME/LINK`
 */
export function pose(_robot: Robot, { of }: { readonly of: string }): Instrument {
  const R = new Float64Array(9)
  const p = new Float64Array(3)
  const velocity = new Float64Array(6)
  let seen: { readonly member: Surroundings['world']['robots'][number]; readonly frame: Frame; readonly data: Data } | undefined
  const find = ({ world }: Surroundings) => {
    for (const member of world.robots) {
      const { frames, model } = member.robot
      const link =
        member.name === of ? model.bodyName[1] : of.startsWith(`${member.name}/`) ? of.slice(member.name.length + 1) : undefined
      if (link !== undefined) return { member, frame: frameNamed(frames, link, 'pose'), data: createData(model) }
    }
    throw new RangeError(`pose: there is no "${of}"; there are ${world.robots.map(({ name }) => name).join(', ')}`)
  }
  return {
    parts: [
      { name: 'position', size: 3 },
      { name: 'orientation', size: 4 },
      { name: 'velocity', size: 3 },
      { name: 'angularVelocity', size: 3 },
    ],
    memorySize: 4,
    measure({ surroundings }, memory, out) {
      out.fill(NaN)
      if (surroundings === undefined) return
      seen ??= find(surroundings)
      const { member, frame, data } = seen
      kinematics(member.robot.model, member.state, data)
      velocities(member.robot.model, member.state, data)
      framePose(data, frame, R, p)
      frameVelocity(data, frame, velocity)
      out.set(p)
      continuousQuaternion(out, 3, R, memory, 0)
      for (let k = 0; k < 4; k++) memory[k] = out[3 + k]
      for (let k = 0; k < 3; k++) {
        out[7 + k] = velocity[3 + k]
        out[10 + k] = velocity[k]
      }
    },
  }
}
