/** Checkpoints as JSON, to the last bit: typed arrays, and the numbers that JSON has no word for. */
import type { Checkpoint } from '../simulation/index.ts'

export class CheckpointError extends Error {
  override name = 'CheckpointError'
}

/** Grows when the shape of the file changes. */
const VERSION = 3
/** Of this version on: it did not count what each solver did, and counts from zero on where a run goes on from it. */
const OLDEST = 2
/** The key that marks what JSON has no word for. */
const MARK = '$type'
const strange = ['NaN', 'Infinity', '-Infinity', '-0', 'undefined']

const typedArrays = {
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
} as const
type TypedArrayName = keyof typeof typedArrays

/** @throws CheckpointError for a controller's memory that JSON cannot hold */
export function checkpointText(checkpoint: Checkpoint): string {
  const { stepCount, dt } = checkpoint
  return `${JSON.stringify({ featherbedCheckpoint: VERSION, t: stepCount * dt, ...(encode(checkpoint, 'checkpoint') as object) }, null, 1)}\n`
}

/** @param file for messages. @throws CheckpointError */
export function parseCheckpoint(text: string, file: string): Checkpoint {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch (error) {
    throw new CheckpointError(`${file}: is no JSON: ${(error as Error).message}; expected what --checkpoint wrote`)
  }
  const { featherbedCheckpoint: version, ...rest } = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<
    string,
    unknown
  >
  if (version === undefined) throw new CheckpointError(`${file}: is no checkpoint; expected what --checkpoint wrote`)
  if (typeof version !== 'number' || !(version >= OLDEST && version <= VERSION))
    throw new CheckpointError(
      `${file}: is a checkpoint of version ${version}, and this reads versions ${OLDEST} to ${VERSION}; make it again`,
    )
  const { robots, contactModel, dt, stepCount, q, v, tau, contactMemory, controllers, events } = decode(
    rest,
  ) as Partial<Checkpoint>
  const numbers = { q, v, tau, contactMemory }
  const wrong = Object.entries(numbers).find(([, value]) => !(value instanceof Float64Array))
  if (wrong)
    throw new CheckpointError(`${file}: "${wrong[0]}" is no list of numbers; the file was changed or cut off, make it again`)
  if (
    !Array.isArray(robots) ||
    !robots.every((name) => typeof name === 'string') ||
    typeof contactModel !== 'string' ||
    !(typeof dt === 'number' && dt > 0) ||
    !Number.isInteger(stepCount) ||
    !Array.isArray(controllers) ||
    typeof events !== 'object' ||
    events === null
  )
    throw new CheckpointError(
      `${file}: lacks its robots, contact model, step, controllers or counts; the file was changed, make it again`,
    )
  const counts = { ...events, solvers: Array.isArray(events.solvers) ? events.solvers : [] }
  return { robots, contactModel, dt, stepCount, q, v, tau, contactMemory, controllers, events: counts } as Checkpoint
}

function encode(value: unknown, path: string): unknown {
  if (value === undefined) return { [MARK]: 'undefined' }
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : { [MARK]: numberName(value) }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value !== 'object') throw new CheckpointError(`${path} is a ${typeof value}, which a file cannot hold`)
  if (Array.isArray(value)) return value.map((entry, i) => encode(entry, `${path}[${i}]`))
  const { name } = value.constructor ?? {}
  if (Object.hasOwn(typedArrays, name)) {
    // the few strange numbers among many as texts: a list of objects would be ten times as long
    const values = Array.from(value as Float64Array, (x) => (Number.isFinite(x) && !Object.is(x, -0) ? x : numberName(x)))
    return { [MARK]: name, values }
  }
  if (value instanceof Map) return { [MARK]: 'Map', values: encode([...value], path) }
  if (value instanceof Set) return { [MARK]: 'Set', values: encode([...value], path) }
  const prototype = Object.getPrototypeOf(value)
  if ((prototype !== null && prototype !== Object.prototype) || Object.hasOwn(value, MARK))
    throw new CheckpointError(
      `${path} is a ${name}, which a file cannot hold; keep numbers, texts, arrays and plain objects in it`,
    )
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, encode(entry, `${path}.${key}`)]))
}

const numberName = (x: number) => (Object.is(x, -0) ? '-0' : String(x))

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(decode)
  const { [MARK]: mark, values } = value as { [MARK]?: string; values?: unknown }
  if (mark === undefined) return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, decode(entry)]))
  if (mark === 'undefined') return undefined
  if (strange.includes(mark)) return Number(mark)
  const list = Array.isArray(values) ? values : []
  if (Object.hasOwn(typedArrays, mark)) return typedArrays[mark as TypedArrayName].from(list.map(Number))
  if (mark === 'Map') return new Map(decode(list) as [unknown, unknown][])
  if (mark === 'Set') return new Set(decode(list) as unknown[])
  return undefined
}
