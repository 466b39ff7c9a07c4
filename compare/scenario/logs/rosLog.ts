/** Logs of a robot in ROS 2: MCAP files as `ros2 bag record` and drivers write them. */
import { parse } from '@foxglove/rosmsg'
import { MessageReader } from '@foxglove/rosmsg2-serialization'
import { ScenarioError } from '../index.ts'
import { JOINT_STATE, type McapChannel, type McapContents, readMcap } from './mcap.ts'

/** A robot as it was measured; t counts from the first message of its joints [s]. */
export interface LoggedState {
  readonly t: number
  /** Of the joints that this message names [rad, m]. */
  readonly positions: Readonly<Record<string, number>>
  /** Position and quaternion x, y, z, w of the base by the last message before, if there are any of it. */
  readonly base?: readonly number[]
}

type Stamped = { readonly header: { readonly stamp: { readonly sec: number; readonly nanosec: number } } }
type Joints = Stamped & { readonly name: readonly string[]; readonly position: ArrayLike<number> }
type Pose = Readonly<Record<'position' | 'orientation', Readonly<Record<string, number>>>>
type Odometry = Stamped & { readonly pose: { readonly pose: Pose } }

const ODOMETRY = 'nav_msgs/msg/Odometry'
const isRead = ({ encoding, schema }: McapChannel) =>
  encoding === 'cdr' && schema.encoding === 'ros2msg' && (schema.name === JOINT_STATE || schema.name === ODOMETRY)

/**
 * The joints by `sensor_msgs/JointState` and the base by `nav_msgs/Odometry`, at the times of their headers; of several topics of a kind the one
 * that is called joint_states (or odom), in any namespace.
 *
 * @throws ScenarioError for a file without joints, of several topics none of which has that name, or damaged
 */
export function rosLogOf(file: string, bytes: Uint8Array): LoggedState[] {
  try {
    const contents = readMcap(file, bytes, isRead)
    const joints = messagesOf<Joints>(contents, JOINT_STATE, 'joint_states')
    const bases = messagesOf<Odometry>(contents, ODOMETRY, 'odom')
    if (joints.length === 0) throw new Error(`no message of ${JOINT_STATE}; name a log of ROS 2 with the joints of a robot`)
    let next = 0
    let base: readonly number[] | undefined
    const states = joints.map(({ time, value: { name, position } }): LoggedState => {
      for (; next < bases.length && (bases[next].time <= time || base === undefined); next++) {
        const { position: p, orientation: q } = bases[next].value.pose.pose
        base = [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
      }
      const known = name.map((one, i) => [one, position[i]] as const).filter(([, value]) => Number.isFinite(value))
      return { t: Number(time - joints[0].time) / 1e9, positions: Object.fromEntries(known), base }
    })
    return states.filter(({ t }, i) => i === 0 || t > states[i - 1].t)
  } catch (error) {
    throw new ScenarioError([`${file}: cannot be read as a log of ROS 2 (${(error as Error).message})`])
  }
}

/** Messages of one kind by their times, of the topic with this name. */
function messagesOf<T extends Stamped>({ channels, messages }: McapContents, kind: string, usual: string) {
  const all = channels.filter((channel) => isRead(channel) && channel.schema.name === kind)
  const named = all.length > 1 ? all.filter(({ topic }) => topic.split('/').at(-1) === usual) : all
  if (all.length > 0 && named.length !== 1)
    throw new Error(`${all.map(({ topic }) => topic).join(', ')} are all of ${kind}; keep one, or one that is called ${usual}`)
  const [chosen] = named
  const reader = chosen && new MessageReader<T>(parse(chosen.schema.text, { ros2: true }))
  return messages
    .filter(({ channel }) => channel === chosen)
    .map(({ time, data }) => {
      const value = reader.readMessage<T>(data)
      const { sec, nanosec } = value.header.stamp
      return { time: sec === 0 && nanosec === 0 ? time : BigInt(sec) * 1_000_000_000n + BigInt(nanosec), value }
    })
    .sort((a, b) => Number(a.time - b.time))
}
