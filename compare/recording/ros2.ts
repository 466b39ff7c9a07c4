import { stringify } from '@foxglove/rosmsg'
import { ros2jazzy } from '@foxglove/rosmsg-msgs-common'
import { MessageWriter } from '@foxglove/rosmsg2-serialization'
import { mulMatrix3, quaternionOfRotation, rotate3, rotateTransposed3 } from '../../dynamics/index.ts'
import type { FrameSource, RecordedContacts, RecordingFrame } from '../../simulation/index.ts'
import { nanoseconds } from './json.ts'
import { type McapOptions, pictureEvery } from './mcap.ts'
import { McapFile } from './mcapFile.ts'
import type { Output } from './output.ts'
import { endFacts, type FrameWriter, type RecordedEnd, runFacts } from './writer.ts'

type Write = (message: Readonly<Record<string, unknown>>) => void
type Definition = ConstructorParameters<typeof MessageWriter>[0][number]
type Frame = FrameSource['world']['robot']['frames'][number]

/** Frames as a bag of ROS 2: MCAP of the profile `ros2` in CDR, with topics by ROS custom (docs/recording.md). Log, energies and solver have none. */
export class Ros2Recording implements FrameWriter {
  readonly files: readonly string[]
  readonly #file: McapFile
  readonly #source: FrameSource
  readonly #pictureEvery: number
  readonly #tf: Write
  readonly #robots: readonly {
    readonly names: readonly string[]
    readonly joints?: Write | false
    readonly odometry?: Write | false
  }[]
  readonly #links: readonly { readonly frame: Frame; readonly write: Write }[]
  /** Links whose last message has a force, or that have none yet. */
  readonly #pressed: Set<Frame>
  #time: bigint

  /** @throws RecordingError if the output cannot be written */
  constructor(output: Output, source: FrameSource, options: McapOptions) {
    const { world, shapes } = source
    const { every, info = {} } = options
    source.read()
    this.files = [output.path]
    this.#source = source
    this.#pictureEvery = pictureEvery(world.dt, options)
    this.#time = nanoseconds(world.state.t[0])
    this.#file = new McapFile(output, `featherbed ${info.version ?? ''}`.trim(), { ...options, profile: 'ros2' })
    this.#file.addMetadata('featherbed.run', runFacts(world, every, info))
    this.#tf = this.#topic('/tf', 'tf2_msgs/TFMessage')
    const fixed = this.#topic('/tf_static', 'tf2_msgs/TFMessage', { offered_qos_profiles: latched })
    this.#robots = world.robots.map(({ name, robot: { joints, floating } }, i) => {
      const place = i === 0 ? '' : `/${rosName(name)}`
      return {
        names: joints.map((joint) => joint.name),
        joints: joints.length > 0 && this.#topic(`${place}/joint_states`, 'sensor_msgs/JointState'),
        odometry: floating && this.#topic(`${place}/odom`, 'nav_msgs/Odometry'),
      }
    })
    const { frames } = world.robot
    this.#links = frames
      .filter(({ name, body }) => body > 0 && shapes.some(({ link }) => link === name))
      .map((frame) => ({ frame, write: this.#topic(`/contacts/${rosName(frame.name)}`, 'geometry_msgs/WrenchStamped') }))
    this.#pressed = new Set(frames)
    const { bodyName } = world.model
    const joined = frames.filter(({ name, body }) => name !== bodyName[body])
    fixed({ transforms: joined.map(({ name, body, R, p }) => this.#transform(bodyName[body], name, R, p)) })
    this.#file.flush()
  }

  get bytes(): number {
    return this.#file.size
  }

  #topic(topic: string, kind: string, metadata: Record<string, string> = {}): Write {
    const definitions = definitionsOf(kind)
    const writer = new MessageWriter(definitions)
    const schema = { name: kind.replace('/', '/msg/'), encoding: 'ros2msg', text: textOf(definitions) } as const
    const id = this.#file.addTopic({ topic, schema, metadata })
    return (message) => this.#file.addMessage(id, this.#time, writer.writeMessage(message) as Uint8Array<ArrayBuffer>)
  }

  #header(frame_id: string) {
    return { stamp: { sec: Number(this.#time / 1_000_000_000n), nanosec: Number(this.#time % 1_000_000_000n) }, frame_id }
  }

  #transform(parent: string, child_frame_id: string, R: Float64Array, p: Float64Array) {
    const q = new Float64Array(4)
    quaternionOfRotation(q, 0, R)
    return { header: this.#header(parent), child_frame_id, transform: { translation: vector(p), rotation: quaternion(q) } }
  }

  write(frame: RecordingFrame): void {
    const { world, data } = this.#source
    const { bodyName } = world.model
    const { q, v, tau } = frame
    this.#time = nanoseconds(frame.t[0])
    world.robots.forEach(({ robot: { joints }, start }, i) => {
      const own = this.#robots[i]
      const position = Float64Array.from(joints, ({ qIndex }) => q[start.q + qIndex])
      const each = (values: Float64Array) => Float64Array.from(joints, ({ vIndex }) => values[start.v + vIndex])
      if (own.joints) own.joints({ header: this.#header(''), name: own.names, position, velocity: each(v), effort: each(tau) })
      const pose = { position: vector(q, start.q), orientation: quaternion(q, start.q + 3) }
      const twist = { angular: vector(v, start.v), linear: vector(v, start.v + 3) }
      const child_frame_id = bodyName[start.body + 1]
      if (own.odometry) own.odometry({ header: this.#header('world'), child_frame_id, pose: { pose }, twist: { twist } })
    })
    for (const { frame: link, write } of this.#links) this.#writeWrench(link, write, frame.contacts)
    const pose = (name: string, body: number) => this.#transform('world', name, data.R_WB[body], data.p_WB[body])
    if (frame.step % this.#pictureEvery === 0) this.#tf({ transforms: bodyName.slice(1).map((name, i) => pose(name, i + 1)) })
    this.#file.endFrame(frame.t[0])
  }

  /** The sum of a link's contacts about its origin in its axes, where it is touched; one message of zeros when it is touched no more. */
  #writeWrench(link: Frame, write: Write, { count, shapeA, shapeB, point, impulse, moment }: RecordedContacts): void {
    const { shapes, world, data } = this.#source
    const [R, origin, force, torque] = [9, 3, 3, 3].map((n) => new Float64Array(n))
    mulMatrix3(R, data.R_WB[link.body], link.R)
    rotate3(origin, data.R_WB[link.body], link.p)
    let touches = 0
    for (let c = 0; c < count; c++) {
      const sign = Number(shapes[shapeB[c]].link === link.name) - Number(shapes[shapeA[c]].link === link.name)
      if (sign === 0) continue
      touches++
      const f = impulse.slice(3 * c, 3 * c + 3).map((x) => (sign * x) / world.dt)
      const r = point.slice(3 * c, 3 * c + 3).map((x, k) => x - origin[k] - data.p_WB[link.body][k])
      for (let k = 0; k < 3; k++) {
        const [i, j] = [(k + 1) % 3, (k + 2) % 3]
        force[k] += f[k]
        torque[k] += r[i] * f[j] - r[j] * f[i] + (sign * moment[3 * c + k]) / world.dt
      }
    }
    const inLink = (x: Float64Array) => {
      const out = new Float64Array(3)
      rotateTransposed3(out, R, x)
      return vector(out)
    }
    if (touches > 0 || this.#pressed.has(link))
      write({ header: this.#header(link.name), wrench: { force: inLink(force), torque: inLink(torque) } })
    if (touches > 0) this.#pressed.add(link)
    else this.#pressed.delete(link)
  }

  log(): void {}

  flush(): void {
    this.#file.flush()
  }

  close(end: RecordedEnd): void {
    this.#file.flush()
    this.#file.addMetadata('featherbed.end', endFacts(end))
    this.#file.close()
  }
}

/** Reliable and transient local, so that late subscribers receive it too. */
const latched =
  '- {history: 1, depth: 1, reliability: 1, durability: 1, liveliness: 1, avoid_ros_namespace_conventions: false, ' +
  `${['deadline', 'lifespan', 'liveliness_lease_duration'].map((time) => `${time}: {sec: 9223372036, nsec: 854775807}`).join(', ')}}\n`

const vector = (x: ArrayLike<number>, at = 0) => ({ x: x[at], y: x[at + 1], z: x[at + 2] })
const quaternion = (x: ArrayLike<number>, at = 0) => ({ ...vector(x, at), w: x[at + 3] })

/** Letters, digits and underscores, no digit first. */
const rosName = (name: string) => name.replaceAll(/[^A-Za-z0-9_/]/g, '_').replaceAll(/(^|\/)(?=\d)/g, '$1_')

const definitionOf = (kind: string): Definition => ros2jazzy[kind as keyof typeof ros2jazzy]

/** A message and all that it is made of. */
function definitionsOf(kind: string): Definition[] {
  const kinds = new Set([kind])
  for (const one of kinds) for (const { type, isComplex } of definitionOf(one).definitions) if (isComplex) kinds.add(type)
  return Array.from(kinds, definitionOf)
}

/** As ROS 2 has it; the library calls times as ROS 1 does. */
const textOf = (definitions: readonly Definition[]) =>
  stringify([...definitions, definitionOf('builtin_interfaces/Time')]).replaceAll(/^time (?=\w)/gm, 'builtin_interfaces/Time ')
