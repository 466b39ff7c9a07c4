import { quaternionOfRotation } from '../../dynamics/index.ts'
import {
  type FrameSource,
  type RecordedContacts,
  type RecordedEntry,
  type RecordedShape,
  type RecordingFrame,
  SolverEntry,
} from '../../simulation/index.ts'
import type { RangesMeter } from '../measure/rangesMeter.ts'
import { listText, nanoseconds, numberText, quaternionText, timeText, vectorText } from './json.ts'
import { McapFile, type McapFileOptions } from './mcapFile.ts'
import type { Output } from './output.ts'
import { rangesText } from './ranges.ts'
import { type ArrowScale, arrowScaleOf, contactsScene, shapesScene } from './scene.ts'
import { type SchemaName, schemaOf } from './schemas.ts'
import { endFacts, type FrameWriter, LogLevel, type RecordedEnd, type RecordingInfo, runFacts } from './writer.ts'

export interface McapOptions extends Omit<McapFileOptions, 'profile'> {
  /** Steps between frames, as it is noted down. */
  readonly every: number
  /**
   * Rate of the visual topics, per simulated second: poses of links, positions of joints, arrows. The numbers
   * of every frame are recorded whatever this is. Default 60.
   */
  readonly pictureRate?: number
  readonly info?: RecordingInfo
  readonly ranges?: RangesMeter
}

/** Steps between pictures, a multiple of those between frames. */
export const pictureEvery = (dt: number, { every, pictureRate = 60 }: McapOptions): number =>
  every * Math.max(1, Math.round(1 / (pictureRate * dt * every)))

/** Writes frames as MCAP with JSON messages. Topics: docs/recording.md. */
export class McapRecording implements FrameWriter {
  readonly files: readonly string[]
  readonly #file: McapFile
  readonly #source: FrameSource
  readonly #ranges: RangesMeter | undefined
  /** Steps between pictures: a multiple of the steps between frames. */
  readonly #pictureEvery: number
  readonly #topics: {
    tf: number
    arrows: number
    contacts: number
    energy: number
    solver: number
    log: number
    channels?: number
    ranges?: number
  }
  /** Per robot. */
  readonly #stateTopics: readonly number[]
  readonly #jointTopics: readonly number[]
  readonly #joints: readonly (readonly JointColumns[])[]
  /** Per body: the text of its transform up to the numbers. */
  readonly #transforms: readonly string[]
  /** Per shape: the texts of a contact's names. */
  readonly #nameA: readonly string[]
  readonly #nameB: readonly string[]
  readonly #arrows: ArrowScale
  readonly #quaternion = new Float64Array(4)

  /**
   * @param source the world has to be at its start, or where the recording is to begin
   * @throws RecordingError if the output cannot be written
   */
  constructor(output: Output, source: FrameSource, options: McapOptions) {
    const { every, info = {}, ranges } = options
    const { world, shapes } = source
    source.read()
    this.files = [output.path]
    this.#source = source
    this.#ranges = ranges
    this.#pictureEvery = pictureEvery(world.dt, options)
    this.#arrows = arrowScaleOf(source)
    this.#transforms = world.model.bodyName.map(
      (name) => `"parent_frame_id":"world","child_frame_id":${JSON.stringify(name)},"translation":`,
    )
    this.#nameA = shapes.map((shape) => namesText(shape, 'A'))
    this.#nameB = shapes.map((shape) => namesText(shape, 'B'))
    this.#joints = world.robots.map(({ robot, start }) =>
      robot.joints.map(({ name, qIndex, vIndex }) => ({
        start: `{"name":${JSON.stringify(name)},"position":`,
        q: start.q + qIndex,
        v: start.v + vIndex,
      })),
    )

    const file = new McapFile(output, `featherbed ${info.version ?? ''}`.trim(), options)
    this.#file = file
    const topic = (name: string, schema: SchemaName, metadata: Record<string, string> = {}) =>
      file.addTopic({ topic: name, schema: schemaOf(schema), metadata })
    const shapesTopic = topic('/shapes', 'foxglove.SceneUpdate')
    const linksTopic = topic('/tf_static', 'foxglove.FrameTransforms')
    this.#topics = {
      tf: topic('/tf', 'foxglove.FrameTransforms'),
      arrows: topic('/contact_arrows', 'foxglove.SceneUpdate', {
        metresPerNewton: String(this.#arrows.perNewton),
      }),
      contacts: topic('/contacts', 'featherbed.Contacts'),
      energy: topic('/energy', 'featherbed.Energy'),
      solver: topic('/solver', 'featherbed.Solver'),
      ...(source.channels.length > 0 && { channels: topic('/channels', 'featherbed.Channels') }),
      ...(ranges && { ranges: topic('/ranges', 'featherbed.Ranges') }),
      log: topic('/log', 'foxglove.Log'),
    }
    this.#stateTopics = world.robots.map(({ name }, i) => {
      const list = (entries: readonly RecordedEntry[]) => JSON.stringify(entries.map((entry) => entry.name))
      const units = (entries: readonly RecordedEntry[]) => JSON.stringify(entries.map((entry) => entry.unit))
      const { q, v, tau } = source.entries[i]
      const metadata = { q: list(q), qUnits: units(q), v: list(v), vUnits: units(v), tauUnits: units(tau) }
      return topic(`/${name}/state`, 'featherbed.State', { robot: name, ...metadata })
    })
    this.#jointTopics = world.robots.map(({ name }) => topic(`/${name}/joint_states`, 'foxglove.JointStates', { robot: name }))

    file.addMetadata('featherbed.run', runFacts(world, every, info))
    for (const { name, text } of [...(info.scenario ? [info.scenario] : []), ...(info.files ?? [])])
      file.addAttachment(name, mediaTypes[/\.[^./]*$/.exec(name)?.[0].toLowerCase() ?? ''] ?? 'text/plain', text)

    const start = nanoseconds(world.state.t[0])
    file.addMessage(shapesTopic, start, shapesScene(source))
    file.addMessage(linksTopic, start, this.#linksText(start))
    file.flush() // a run that hangs in its first step leaves a file that shows where it stood
  }

  get bytes(): number {
    return this.#file.size
  }

  write(frame: RecordingFrame): void {
    const file = this.#file
    const topics = this.#topics
    const time = nanoseconds(frame.t[0])
    const head = `{"step":${frame.step},"t":${numberText(frame.t[0])},`
    this.#source.world.robots.forEach(({ robot, start }, i) => {
      const { nq, nv } = robot.model
      const q = listText(frame.q, start.q, nq)
      const v = listText(frame.v, start.v, nv)
      file.addMessage(this.#stateTopics[i], time, `${head}"q":${q},"v":${v},"tau":${listText(frame.tau, start.v, nv)}}`)
    })
    file.addMessage(topics.contacts, time, this.#contactsText(head, frame))
    file.addMessage(topics.energy, time, energyText(head, frame))
    file.addMessage(topics.solver, time, solverText(head, frame))
    if (topics.channels !== undefined) file.addMessage(topics.channels, time, channelsText(head, this.#source.channels, frame))
    if (topics.ranges !== undefined && this.#ranges?.at === frame.step)
      file.addMessage(topics.ranges, time, rangesText(head, this.#ranges))
    if (frame.step % this.#pictureEvery === 0) this.#writePicture(frame, time)
    file.endFrame(frame.t[0])
  }

  #writePicture(frame: RecordingFrame, time: bigint): void {
    const file = this.#file
    file.addMessage(this.#topics.tf, time, this.#posesText(time))
    file.addMessage(this.#topics.arrows, time, contactsScene(frame.contacts, time, this.#arrows))
    this.#joints.forEach((joints, i) => {
      if (joints.length > 0) file.addMessage(this.#jointTopics[i], time, jointsText(joints, frame, time))
    })
  }

  log(level: LogLevel, message: string, t: number): void {
    const time = nanoseconds(t)
    const text = `{"timestamp":${timeText(time)},"level":${level},"message":${JSON.stringify(message)}`
    this.#file.addMessage(this.#topics.log, time, `${text},"name":"featherbed","file":"","line":0}`)
  }

  flush(): void {
    this.#file.flush()
  }

  close(end: RecordedEnd): void {
    if (end.status === 'failed') this.log(LogLevel.fatal, end.failure, end.t)
    else this.log(LogLevel.info, `ended after ${end.steps} steps with hash ${end.hash}`, end.t)
    this.#file.flush()
    this.#file.addMetadata('featherbed.end', endFacts(end))
    this.#file.close()
  }

  /** foxglove.FrameTransforms of the bodies. */
  #posesText(time: bigint): string {
    const { R_WB, p_WB } = this.#source.data
    const timestamp = timeText(time)
    const q = this.#quaternion
    let text = '{"transforms":['
    for (let i = 1; i < this.#transforms.length; i++) {
      quaternionOfRotation(q, 0, R_WB[i])
      const pose = `${vectorText(p_WB[i])},"rotation":${quaternionText(q)}`
      text += `${i > 1 ? ',' : ''}{"timestamp":${timestamp},${this.#transforms[i]}${pose}}`
    }
    return `${text}]}`
  }

  /** foxglove.FrameTransforms of the links that are parts of a body and not its first. */
  #linksText(time: bigint): string {
    const { robot, model } = this.#source.world
    const q = new Float64Array(4)
    const transforms = robot.frames
      .filter(({ name, body }) => name !== model.bodyName[body])
      .map(({ name, body, R, p }) => {
        quaternionOfRotation(q, 0, R)
        const names = `"parent_frame_id":${JSON.stringify(model.bodyName[body])},"child_frame_id":${JSON.stringify(name)}`
        return `{"timestamp":${timeText(time)},${names},"translation":${vectorText(p)},"rotation":${quaternionText(q)}}`
      })
    return `{"transforms":[${transforms.join(',')}]}`
  }

  #contactsText(head: string, { step, contacts }: RecordingFrame): string {
    // before the first step nothing was detected
    const { dt, wholeStep } = this.#source.world
    const detectedAt = Math.max(0, step - dt / wholeStep) * wholeStep
    let text = `${head}"detectedAt":${numberText(detectedAt)},"frameId":"world","contacts":[`
    for (let c = 0; c < contacts.count; c++) {
      text += `${c > 0 ? ',' : ''}{${this.#nameA[contacts.shapeA[c]]},${this.#nameB[contacts.shapeB[c]]},`
      text += contactText(contacts, c)
    }
    return `${text}]}`
  }
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.json': 'application/json',
  '.urdf': 'application/xml',
  '.xacro': 'application/xml',
  '.srdf': 'application/xml',
}

interface JointColumns {
  /** The text up to the position. */
  readonly start: string
  /** Where it stands in the world's q, and in v and tau. */
  readonly q: number
  readonly v: number
}

const namesText = ({ link, name }: RecordedShape, side: 'A' | 'B') =>
  `"link${side}":${JSON.stringify(link)},"shape${side}":${JSON.stringify(name)}`

function contactText(contacts: RecordedContacts, c: number): string {
  const { pair, feature, point, normal, gap, force, impulse, impact, moment } = contacts
  const geometry = `"point":${vectorText(point, 3 * c)},"normal":${vectorText(normal, 3 * c)},"gap":${numberText(gap[c])}`
  const acted = `"force":${vectorText(force, 3 * c)},"impulse":${vectorText(impulse, 3 * c)},"impact":${vectorText(impact, 3 * c)}`
  return `"pair":${pair[c]},"feature":${feature[c]},${geometry},${acted},"moment":${vectorText(moment, 3 * c)}}`
}

function energyText(head: string, { energy }: RecordingFrame): string {
  const [kinetic, potential] = [energy[0], energy[1]]
  return `${head}"kinetic":${numberText(kinetic)},"potential":${numberText(potential)},"total":${numberText(kinetic + potential)}}`
}

/** Channels into which nothing was written yet are left out. */
function channelsText(head: string, names: readonly string[], { log }: RecordingFrame): string {
  const values = names.flatMap((name, i) => (Number.isFinite(log[i]) ? [`${JSON.stringify(name)}:${numberText(log[i])}`] : []))
  return `${head}"values":{${values.join(',')}}}`
}

function solverText(head: string, { solver }: RecordingFrame): string {
  const { iterations, failures, fallbacks, residualMax } = SolverEntry
  const counts = `"iterations":${solver[iterations]},"failures":${solver[failures]},"fallbacks":${solver[fallbacks]}`
  return `${head}${counts},"residualMax":${numberText(solver[residualMax])}}`
}

/** foxglove.JointStates of a robot's joints of one coordinate. */
function jointsText(joints: readonly JointColumns[], { q, v, tau }: RecordingFrame, time: bigint): string {
  let text = `{"timestamp":${timeText(time)},"joints":[`
  for (let i = 0; i < joints.length; i++) {
    const { start, q: k, v: n } = joints[i]
    text += `${i > 0 ? ',' : ''}${start}${numberText(q[k])},"velocity":${numberText(v[n])},"effort":${numberText(tau[n])}}`
  }
  return `${text}]}`
}
