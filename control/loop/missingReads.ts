import type { ControllerState } from '../controller.ts'

/** Most reads that are followed up. */
const MOST = 20

interface Read {
  readonly path: string
  /** Place in the source, from the engine's stack. */
  readonly place: string
}

/**
 * Calls `update` again on a copy of its memory and finds a missing property that it read: a misspelt name is undefined, arithmetic makes
 * NaN of it, and nothing throws. Of several the first whose replacement by 0 makes the efforts finite, else the first.
 *
 * @param update of a controller that just returned something not finite for this state
 * @returns such as `memory.stifness, which is not there (walk.ts:31:47)`
 */
export function missingRead(
  state: ControllerState<unknown>,
  update: (state: ControllerState<unknown>) => ArrayLike<unknown>,
): string | undefined {
  const reads: Read[] = []
  /** The property at `replaced` reads as 0. @returns whether all efforts are finite */
  const run = (replaced?: string): boolean => {
    try {
      return Array.from(update(watched(state, reads, replaced))).every(Number.isFinite)
    } catch {
      return false
    }
  }
  run()
  const found = reads.slice(0, MOST)
  const cause = found.find(({ path }) => run(path)) ?? found.at(0)
  return cause && `${cause.path}, which is not there${cause.place && ` (${cause.place})`}`
}

/** The state with memory and robot wrapped so that reads of missing properties are recorded. */
function watched(state: ControllerState<unknown>, reads: Read[], replaced: string | undefined): ControllerState<unknown> {
  const proxies = new WeakMap<object, object>()
  const wrap = (value: unknown, path: string): unknown => {
    if (!isPlain(value)) return value
    const known = proxies.get(value)
    if (known !== undefined) return known
    const proxy = new Proxy(value, {
      get(target, key) {
        const here = typeof key === 'symbol' ? '' : pathOf(target, path, key)
        if (typeof key === 'symbol' || key in target) {
          const descriptor = Reflect.getOwnPropertyDescriptor(target, key)
          const content = Reflect.get(target, key, target)
          const isFixed = descriptor?.configurable === false && descriptor.writable === false // a proxy must not show another
          return isFixed || here === 'robot.model' ? content : wrap(content, here)
        }
        if (here === replaced) return 0
        if (replaced === undefined && reads.length < MOST && !reads.some((read) => read.path === here))
          reads.push({ path: here, place: placeOfReader() })
        return undefined
      },
    })
    proxies.set(value, proxy)
    return proxy
  }
  const memory = wrap(copyOf(state.memory), 'memory')
  const robot = wrap(state.robot, 'robot')
  return new Proxy(state, {
    get(target, key) {
      if (key === 'memory') return memory
      if (key === 'robot') return robot
      return Reflect.get(target, key, target) // its getters are of a class with private fields
    },
  })
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

const pathOf = (target: object, path: string, key: string) => (Array.isArray(target) ? `${path}[${key}]` : `${path}.${key}`)

function copyOf(memory: unknown): unknown {
  try {
    return structuredClone(memory)
  } catch {
    return memory // the run ends anyway
  }
}

/** The frame that called this module's trap: this function, the trap, its reader. */
function placeOfReader(): string {
  const frames = String(new Error().stack)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
  const frame = (frames[2] ?? '').replace(/^\s+at /, '')
  return /\((.*)\)$/.exec(frame)?.[1] ?? frame
}
