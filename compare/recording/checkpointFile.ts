/** Checkpoints as JSON, to the last bit: typed arrays, and the numbers that JSON has no word for. */
import * as z from 'zod'
import type { Checkpoint } from '../../simulation/index.ts'
import { fields, found, Lines, list, number, parseJson } from '../scenario/fileFields.ts'
import { shown } from '../scenario/index.ts'

export class CheckpointError extends Error {
  override name = 'CheckpointError'
}

/** Grows when the shape of the file changes. */
const VERSION = 6
/** Of this version on: additions of later ones, counts of solvers, energy, contact forces, pushes and sensor data of the step before, are zero where a run goes on from it. */
const OLDEST = 2
/** The key of values that JSON cannot express. */
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

/** @unchecked @throws CheckpointError for a controller's memory that JSON cannot hold */
export function checkpointText(checkpoint: Checkpoint): string {
  const { stepCount, dt } = checkpoint
  return `${JSON.stringify({ featherbedCheckpoint: VERSION, t: stepCount * dt, ...(encode(checkpoint, 'checkpoint') as object) }, null, 1)}\n`
}

/** @param file for messages. @throws CheckpointError with one line for each problem: the file, the field, what was found and what was expected */
export function parseCheckpoint(text: string, file: string): Checkpoint {
  const raw = parseJson(text, file, CheckpointError, 'expected what --checkpoint wrote')
  const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
  const { featherbedCheckpoint: version, ...rest } = (isObject ? raw : {}) as Record<string, unknown>
  if (version === undefined) throw new CheckpointError(`${file}: is no checkpoint; expected what --checkpoint wrote`)
  if (typeof version !== 'number' || !(version >= OLDEST && version <= VERSION))
    throw new CheckpointError(
      `${file}: is a checkpoint of version ${shown(version)}, and this reads versions ${OLDEST} to ${VERSION}; make it again`,
    )
  const lines = new Lines(file)
  const result = schema.safeParse(decode(rest, [], lines))
  for (const { path, message } of result.error?.issues ?? []) if (!lines.has(String(path[0]))) lines.add(path, message)
  if (lines.all.length > 0 || !result.success)
    throw new CheckpointError([...lines.all, `${file}: was changed or cut off; make it again`].join('\n'))
  const { t, ...checkpoint } = result.data
  const { stepCount, dt } = checkpoint
  if (t !== undefined && t !== stepCount * dt)
    throw new CheckpointError(
      `${file}: t found ${t}, expected ${stepCount * dt}, ${stepCount} steps of ${dt} s; it was changed, make it again`,
    )
  return checkpoint
}

const count = number('a whole number from 0 up', (x) => Number.isSafeInteger(x) && x >= 0)
const word = z.string({ error: ({ input }) => `${found(input)}, expected a text` })
const numbers = (what: string, good: (x: number) => boolean) =>
  z
    .instanceof(Float64Array, { error: () => `is no list of numbers, expected ${what}` })
    .refine((values) => values.every(good), { error: `holds what is no finite number, expected ${what}` })

const whole = (what: string) => z.instanceof(Int32Array, { error: () => `is no list of whole numbers, expected ${what}` })

const anyNumber = number('a finite number', Number.isFinite)
const three = list(anyNumber, 'three numbers').length(3)
/** Where a push or a pull acts. */
const acting = {
  name: word.optional(),
  robot: word.optional(),
  link: word.optional(),
  point: three.optional(),
}

const schema = fields({
  t: z.number().optional(),
  robots: list(word, 'a list of names'),
  contactModel: word,
  dt: number('a time step above 0 s', (x) => x > 0 && x < Infinity),
  stepCount: count,
  q: numbers('coordinates', Number.isFinite),
  v: numbers('velocities', Number.isFinite),
  tau: numbers('efforts', Number.isFinite),
  contactMemory: numbers('numbers of any kind', () => true),
  energy: numbers('the books of the energy audit', (x) => !Number.isNaN(x)).optional(),
  contactForces: numbers('contact forces', Number.isFinite).optional(),
  springSet: numbers('sets of springs', Number.isFinite).optional(),
  loops: numbers('numbers of loops that are on at times', Number.isFinite).optional(),
  surfaces: numbers('velocities of surfaces', (x) => !(Math.abs(x) === Infinity)).optional(),
  lastStep: fields({
    velocity: numbers('velocities', (x) => !(Math.abs(x) === Infinity)),
    configuration: numbers('coordinates', (x) => !(Math.abs(x) === Infinity)).optional(),
    loads: numbers('forces of pushes, pulls and loops', Number.isFinite).optional(),
    pair: whole('numbers of pairs'),
    bodyA: whole('numbers of bodies'),
    bodyB: whole('numbers of bodies'),
    force: numbers('contact forces', Number.isFinite),
    points: numbers('contact points', Number.isFinite).optional(),
  }).optional(),
  live: fields({
    pushes: list(fields({ ...acting, impulse: three, at: anyNumber, duration: anyNumber.optional() }), 'a list of pushes'),
    pulls: list(
      fields({ ...acting, to: three, stiffness: anyNumber.optional(), damping: anyNumber.optional() }),
      'a list of pulls',
    ),
  }).optional(),
  controllers: list(z.unknown(), 'a list of what controllers remember'),
  events: fields({
    failures: count,
    fallbacks: count,
    iterations: count,
    residualMax: number('a number of at least 0', (x) => x >= 0).or(z.literal(Infinity)),
    firstFailure: word,
    tunnelled: count,
    firstTunnelling: word,
    energyGains: count.default(0),
    firstEnergyGain: word.default(''),
    strained: count,
    firstStrain: word,
    letGo: count.default(0),
    firstLetGo: word.default(''),
    firstShaking: word.default(''),
    solvers: list(fields({ solver: word, solved: count, failed: count }), 'a list of solvers').default([]),
  }),
})

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

/** @param path of it, for messages, which go to `lines` */
function decode(value: unknown, path: readonly PropertyKey[], lines: Lines): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((entry, i) => decode(entry, [...path, i], lines))
  const { [MARK]: mark, values, ...others } = value as { [MARK]?: unknown; values?: unknown }
  if (mark === undefined)
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, decode(entry, [...path, key], lines)]))
  const wrong = (message: string) => lines.add(path, message)
  if (Object.keys(others).length > 0) wrong(`has the unknown field ${Object.keys(others)[0]} beside ${MARK}`)
  if (mark === 'undefined') return undefined
  if (typeof mark === 'string' && strange.includes(mark)) return Number(mark)
  if (!Array.isArray(values)) return wrong(`${found(values)} as values, expected a list`)
  if (typeof mark === 'string' && Object.hasOwn(typedArrays, mark)) {
    const plain = values.map((x: unknown) => (typeof x === 'string' && strange.includes(x) ? Number(x) : x))
    const typed = typedArrays[mark as TypedArrayName].from(plain.map((x) => (typeof x === 'number' ? x : NaN)))
    const bad = plain.findIndex((x, i) => typeof x !== 'number' || !Object.is(typed[i], x))
    return bad < 0 ? typed : wrong(`values[${bad}] ${found(values[bad])}, expected a number of a ${mark}`)
  }
  const entries = decode(values, [...path, 'values'], lines) as unknown[]
  if (mark === 'Set') return new Set(entries)
  if (mark !== 'Map')
    return wrong(
      `${found(mark)} as ${MARK}, expected one of ${[...strange, ...Object.keys(typedArrays), 'Map', 'Set'].join(', ')}`,
    )
  const odd = entries.findIndex((pair) => !Array.isArray(pair) || pair.length !== 2)
  return odd < 0
    ? new Map(entries as [unknown, unknown][])
    : wrong(`values[${odd}] ${found(values[odd])}, expected a key and a value`)
}
