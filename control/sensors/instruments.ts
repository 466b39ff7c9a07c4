/** Measurements of each kind of sensor, without errors. */
import { RayTarget } from '../../contact/geometry/index.ts'
import {
  createData,
  type Data,
  type Frame,
  framePose,
  frameVelocity,
  kinematics,
  mulMatrix3,
  quaternionOfRotation,
  rotate3,
  rotateTransposed3,
  velocities,
} from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Surroundings } from '../../simulation/index.ts'
import { frameNamed } from '../frameNamed.ts'
import { LastMotion } from './lastMotion.ts'
import { MeanForce } from './meanForce.ts'
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

/**
 * Orientation [x, y, z, w] of the sensor in the world, of the two signs the one nearer to the sample before; angular velocity and specific
 * force (acceleration less gravity: upwards at rest) in its own axes [rad/s, m/s^2]. The specific force is its mean over the period that ends
 * at the sample (`MeanForce`), as sensors that integrate give it; the first sample's is that of rest. @unchecked
 */
export function imu(robot: Robot, where: Mounting): Instrument {
  const frame = mounted(robot, where)
  const mean = new MeanForce(robot.model.gravity)
  const R = new Float64Array(9)
  const p = new Float64Array(3)
  const velocity = new Float64Array(6)
  const local = new Float64Array(3)
  const orientation = new Float64Array(4)
  const place = ({ data }: Sight, memory: Float64Array) => {
    framePose(data, frame, R, p)
    frameVelocity(data, frame, velocity)
    continuousQuaternion(orientation, 0, R, memory, MeanForce.orientation)
  }
  return {
    parts: [
      { name: 'orientation', size: 4 },
      { name: 'angularVelocity', size: 3 },
      { name: 'specificForce', size: 3 },
    ],
    memorySize: MeanForce.memorySize,
    gather(sight, tick, memory) {
      place(sight, memory)
      mean.add(orientation, velocity, tick, memory)
    },
    measure(sight, memory, out) {
      place(sight, memory)
      out.set(orientation)
      rotateTransposed3(local, R, velocity)
      out.set(local, 4)
      mean.write(R, memory, local)
      out.set(local, 7)
    },
  }
}

/**
 * Wrench of a moving joint's parent on its child, [moment about the child link's origin; force] in the child's axes [N m, N]: the rate of
 * momentum of the child's subtree over the last step, less gravity, contacts, pushes, pulls and loops. @unchecked
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

/**
 * Mean force of a loop on the link of its end b over the last step, in world axes: the couple at its point, and the force [N m, N]; 0 while it is off.
 *
 * @throws RangeError for an unknown loop
 */
export function loopForce({ loop }: { readonly loop: string }, surroundings: Surroundings | undefined): Instrument {
  const { loops = [], model } = surroundings?.world ?? {}
  const at = 6 * ((model?.nb ?? 0) + indicesOf('loop', loops, loop)[0])
  return {
    parts: [
      { name: 'moment', size: 3 },
      { name: 'force', size: 3 },
    ],
    measure({ surroundings }, _memory, out) {
      const loads = surroundings?.world.stepBefore.loads
      for (let k = 0; k < 6; k++) out[k] = loads?.[at + k] ?? 0
    },
  }
}

/**
 * Mean force of a robot's limits, dry friction and couplings of one name along their length over the last step, positive where it lengthens it [N, N m].
 *
 * @throws RangeError for an unknown name
 */
export function lengthForce({ length }: { readonly length: string }, surroundings: Surroundings | undefined): Instrument {
  const { world, index = 0 } = surroundings ?? {}
  const { loops = [], model, robots = [] } = world ?? {}
  const prefix = robots.length > 1 ? `${robots[index].name}/` : ''
  const own = indicesOf('length', model?.lengths ?? [], prefix + length)
  const first = 6 * ((model?.nb ?? 0) + loops.length)
  return {
    parts: [{ name: 'force', size: 1 }],
    measure({ surroundings }, _memory, out) {
      const loads = surroundings?.world.stepBefore.loads
      out[0] = 0
      for (let n = 0; n < own.length; n++) out[0] += loads?.[first + own[n]] ?? 0
    },
  }
}

function indicesOf(what: string, list: readonly { readonly name: string }[], wanted: string): number[] {
  const indices = list.flatMap(({ name }, i) => (name === wanted ? [i] : []))
  if (indices.length > 0) return indices
  const known = [...new Set(list.map(({ name }) => name))].join(', ')
  throw new RangeError(`${what}: there is no ${what} "${wanted}"; there are ${known || 'none'}`)
}

/** Position and velocity of a joint [rad, rad/s; m, m/s]. @unchecked @throws RangeError for an unknown joint */
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

/** Distances along rays from the sensor's origin to all but the robot itself [m]; the range where there is no hit within it. @unchecked */
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
 * the sample before, linear and angular velocity in world axes [m/s, rad/s]. @unchecked
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
