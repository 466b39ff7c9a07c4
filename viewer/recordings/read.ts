import { readMcap, runIn } from '../../compare/scenario/logs/index.ts'
import type { Robot } from '../../robots/index.ts'
import { contactStride, type Snapshot } from '../runs/protocol.ts'

/** Data of a run in a recording, see docs/recording.md. */
export type RecordedRun = Readonly<ReturnType<typeof readRecording>>

type RecordedRobot = Pick<Robot, 'model' | 'frames'>

/** A message of a topic. */
type Json = Readonly<Record<string, unknown>>

/** A recording that was written by `featherbed run --record` or by this page; one that was cut off is read as far as it goes. @throws Error */
export function readRecording(name: string, bytes: Uint8Array) {
  const decoder = new TextDecoder()
  const contents = readMcap(name, bytes, ({ schema }) => /^featherbed\.(State|Contacts|Energy)$/.test(schema.name))
  const run = runIn(name, contents)
  const { metadata, files } = contents
  const messages = contents.messages.map(({ channel: { topic }, data }) => ({
    topic,
    json: JSON.parse(decoder.decode(data)) as Json,
  }))
  const robots = JSON.parse(run.get('robots') ?? '[]') as string[]
  const physical = JSON.parse(run.get('physical') ?? '{}') as { friction?: number }
  const end = metadata.get('featherbed.end')
  const scenario = files.find((file) => file.name === run.get('scenario'))
  return {
    robots,
    contactModel: run.get('contactModel') ?? '',
    /** Time step [s]. */
    dt: Number(run.get('dt_s')),
    friction: physical.friction,
    /** The scenario, if one was run. */
    scenario,
    /** Texts that belong to the run, the scenario among them. */
    files,
    /** How it ended, in words. */
    end: endOf(end),
    /** As the page shows them. @param robot all that moves, as the run had it @throws Error for another */
    snapshots: (robot: RecordedRobot) => snapshotsOf(name, robot, robots, messages, end?.get('hash') ?? ''),
  }
}

const endOf = (end: ReadonlyMap<string, string> | undefined) =>
  end === undefined
    ? 'the recording was cut off here'
    : end.get('status') === 'failed'
      ? (end.get('failure') ?? 'the run failed')
      : 'the recording ends here'

function snapshotsOf(
  name: string,
  { model, frames }: RecordedRobot,
  robots: readonly string[],
  messages: readonly { readonly topic: string; readonly json: Json }[],
  lastHash: string,
): Snapshot[] {
  /** Messages by step. */
  const steps = new Map<number, { states: Map<string, Json>; contacts?: Json; energy?: Json }>()
  for (const { topic, json } of messages) {
    const step = json.step as number
    const known = steps.get(step) ?? { states: new Map<string, Json>() }
    steps.set(step, known)
    if (topic === '/contacts') known.contacts = json
    else if (topic === '/energy') known.energy = json
    else known.states.set(topic.slice(1, -'/state'.length), json)
  }
  const bodies = new Map(frames.map((frame) => [frame.name, frame.body]))
  const whole = [...steps].filter(([, { states, energy }]) => energy !== undefined && robots.every((robot) => states.has(robot)))
  const list = whole.map(([step, { states, contacts, energy }], i): Snapshot => {
    const all = (key: string) => Float64Array.from(robots.flatMap((robot) => (states.get(robot) as Json)[key] as number[]))
    return {
      step,
      t: (energy as Json).t as number,
      q: all('q'),
      v: all('v'),
      tau: all('tau'),
      ...contactsOf(contacts, bodies),
      hash: i === whole.length - 1 ? lastHash : '',
      stepTime: Number.NaN,
      solverFailures: 0,
      fallbacks: 0,
      tunnelled: 0,
      energy: (energy as Json).total as number,
      target: new Float64Array(0),
    }
  })
  if (list.length === 0) throw new Error(`${name} holds no step of a run.`)
  const { length } = list[0].q
  if (length !== model.nq)
    throw new Error(
      `${name} was recorded of ${robots.join(', ')} with ${length} coordinates, and what stands here has ${model.nq}: it is another robot.`,
    )
  return list
}

/** A contact of a recording. */
interface RecordedContact {
  readonly linkA: string
  readonly linkB: string
  readonly gap: number
  readonly point: Vector
  readonly normal: Vector
  readonly force: Vector
}
interface Vector {
  readonly x: number
  readonly y: number
  readonly z: number
}

function contactsOf(
  told: Json | undefined,
  bodies: ReadonlyMap<string, number>,
): Pick<Snapshot, 'contacts' | 'contactBodies' | 'mu' | 'penetration' | 'force'> {
  const list = ((told?.contacts ?? []) as RecordedContact[]).filter(({ gap, force }) => gap <= 0 || force.x || force.y || force.z)
  const contacts = new Float32Array(list.length * contactStride)
  const contactBodies = new Int32Array(2 * list.length)
  const sum = [0, 0, 0]
  list.forEach(({ linkA, linkB, point, normal, force, gap }, c) => {
    const numbers = [point, normal, force].flatMap(({ x, y, z }) => [x, y, z])
    contacts.set([...numbers, gap], c * contactStride)
    contactBodies.set([bodies.get(linkA) ?? 0, bodies.get(linkB) ?? 0], 2 * c)
    for (let k = 0; k < 3; k++) sum[k] += numbers[6 + k]
  })
  return {
    contacts,
    contactBodies,
    mu: new Float32Array(list.length).fill(Number.NaN), // a recording does not tell it
    penetration: list.reduce((most, { gap }) => Math.max(most, -gap), 0),
    force: Math.hypot(...sum),
  }
}
