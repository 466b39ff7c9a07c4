/** Objects shared by all code of a thread, and controllers' changes to them. */
import * as contact from '../../contact/index.ts'
import * as control from '../../control/index.ts'
import * as dynamics from '../../dynamics/index.ts'
import * as robots from '../../robots/index.ts'
import * as simulation from '../../simulation/index.ts'

// taken before any controller can put others in their place
const { getOwnPropertyDescriptor, getPrototypeOf, has, ownKeys } = Reflect
const { isView } = ArrayBuffer
const same = Object.is

/** The globals that the language has, without those of the platform. */
const language = Object.getOwnPropertyNames(globalThis).filter((name) => {
  if (!/^[A-Z]|^parse|^is/.test(name) || /^(URL|Event|CustomEvent|WebAssembly)/.test(name)) return false
  return getOwnPropertyDescriptor(globalThis, name)?.get === undefined
})
// copies: in a bundle a module's names are getters, behind which a change would not be seen
const ours = Object.entries({ dynamics, contact, robots, simulation, control }).map(
  ([name, module]) => [name, { ...module }] as const,
)
/** Of Node's modules those through which one run could reach another; their functions, and prototypes. */
const nodeModules = [
  'fs',
  'fs/promises',
  'path',
  'url',
  'os',
  'events',
  'timers',
  'module',
  'util',
  'v8',
  'worker_threads',
  'buffer',
]

/** Arrays of numbers up to this length are compared by their numbers. */
const LONGEST = 1000

/** An object and its properties as they were: keys and the descriptors' contents side by side. */
interface Known {
  readonly path: string
  readonly object: object
  readonly prototype: object | null
  /** How many properties it had; `keys` are those that are compared. */
  readonly count: number
  readonly keys: readonly PropertyKey[]
  readonly values: readonly unknown[]
  /** An array of numbers has its content instead. */
  readonly numbers?: ArrayLike<unknown>
}

/**
 * A picture of the built-in objects, of this package's modules and of Node's, taken before the first controller. Freezing them would cost
 * as little, but break controllers with polyfills for the engine; a new thread for each run would cost 0.45 s of computing,
 * comparing takes a few milliseconds.
 */
export class BuiltinsSnapshot {
  private readonly known: Known[] = []
  private readonly seen = new Set<object>()
  /** How many of `known` the simulation itself stands on. */
  private readonly vital: number

  constructor() {
    const { known } = this
    // made when they are first read, and the next run needs them
    for (const needed of [performance, TextDecoder, TextEncoder, AbortController]) this.seen.add(needed)
    for (const name of language) this.add(name, (globalThis as Record<string, unknown>)[name], true)
    for (const [name, module] of ours) this.add(`featherbed/${name}`, module, true)
    this.vital = known.length
    this.add('globalThis', globalThis, false)
    this.add('process', process, false)
    this.add('process.env', process.env, false)
    this.add('process._events', (process as unknown as { _events: object })._events, false)
    this.add('console', console, false)
    this.add('performance', Object.getPrototypeOf(performance), false)
    for (const name of nodeModules) {
      const module = process.getBuiltinModule(name) as object
      this.add(name, module, false)
      for (const value of Object.values(Object.getOwnPropertyDescriptors(module))) {
        const { prototype } = (value.value ?? {}) as { prototype?: object }
        if (prototype) this.add(`${name}, prototype`, prototype, false)
      }
    }
  }

  /** @returns the path of something the simulation needs that has changed; '' for anything else new or changed; or undefined */
  changed(): string | undefined {
    let isNew = false
    // plain loops: their callees may be changed objects
    for (let i = 0; i < this.known.length; i++) {
      const { path, object, prototype, count, keys, values, numbers } = this.known[i]
      const isVital = i < this.vital
      if (numbers !== undefined) {
        for (let k = 0; k < numbers.length; k++) if (!same((object as Float64Array)[k], numbers[k])) return path
        continue
      }
      if (getPrototypeOf(object) !== prototype) {
        if (isVital) return path
        isNew = true
      }
      for (let k = 0; k < keys.length; k++) {
        const now = contentOf(object, keys[k])
        if (same(now[0], values[2 * k]) && same(now[1], values[2 * k + 1])) continue
        if (isVital ? keys[k] !== 'stackTraceLimit' : isLanguage(path, keys[k])) return `${path}.${String(keys[k])}`
        isNew = true
      }
      if (ownKeys(object).length === count) continue
      isNew = true
      const hidden = isVital && hiddenBy(object, prototype, keys)
      if (hidden) return `${path}.${hidden}`
    }
    return isNew ? '' : undefined
  }

  private add(path: string, value: unknown, isDeep: boolean): void {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || this.seen.has(value)) return
    this.seen.add(value)
    if (isView(value)) {
      const array = value as Float64Array
      if (isDeep && array.length <= LONGEST)
        this.known.push({ path, object: value, prototype: null, count: 0, keys: [], values: [], numbers: array.slice() })
      return
    }
    const all = ownKeys(value)
    // the platform replaces a getter by the object it makes late
    const keys = isDeep ? all : all.filter((key) => getOwnPropertyDescriptor(value, key)?.get === undefined)
    const values = keys.flatMap((key) => contentOf(value, key))
    this.known.push({ path, object: value, prototype: getPrototypeOf(value), count: all.length, keys, values })
    if (!isDeep) return
    this.add(`${path}'s prototype`, getPrototypeOf(value), true)
    keys.forEach((key, k) => {
      this.add(`${path}.${String(key)}`, values[2 * k], true)
      this.add(`${path}.${String(key)}`, values[2 * k + 1], true)
    })
  }
}

/** Value and nothing, or getter and setter; getters are not called. */
function contentOf(object: object, key: PropertyKey): [unknown, unknown] {
  const descriptor = getOwnPropertyDescriptor(object, key)
  if (descriptor === undefined) return [undefined, undefined]
  return 'value' in descriptor ? [descriptor.value, undefined] : [descriptor.get, descriptor.set]
}

/** The first property that an object has of its own now, and had from its prototype before. */
function hiddenBy(object: object, prototype: object | null, before: readonly PropertyKey[]): string | undefined {
  const keys = ownKeys(object)
  for (let k = 0; k < keys.length; k++) {
    let isOld = false
    for (let i = 0; i < before.length; i++) if (keys[k] === before[i]) isOld = true
    if (!isOld && prototype !== null && has(prototype, keys[k])) return String(keys[k])
  }
  return undefined
}

const isLanguage = (path: string, key: PropertyKey) => path === 'globalThis' && typeof key === 'string' && language.includes(key)
