/** Wrong calls made of well-formed ones by changing one value at a time, and what becomes of each. */
import { type Call, calls } from './calls.ts'

const values: readonly unknown[] = [
  undefined,
  null,
  NaN,
  Infinity,
  -1,
  1.5,
  '',
  'x',
  true,
  [],
  {},
  new Float64Array(1),
  () => NaN,
]
/** A key that no table has. */
const STRANGE = 'frcition'
const LEFT_OUT = Symbol('left out')

export interface WrongCall {
  /** `World: 0.physical.friction = NaN`. */
  readonly what: string
  readonly make: () => unknown
}
export type Outcome = 'typed' | 'bare' | 'accepted'

type Path = readonly (string | number)[]

const isPlain = (x: unknown): x is Record<string, unknown> =>
  typeof x === 'object' && x !== null && [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(x)) && !isMade(x)
/** What other functions of the package made is changed as a whole. */
const isMade = (x: object) =>
  // a robot, a world, a model; a loop; a path or trajectory; solvers; a problem, a checkpoint, a scenario; a frame
  [
    ['model', 'home'],
    ['nb', 'jointType'],
    ['tick'],
    ['sample'],
    ['complementarity'],
    ['kind', 'b'],
    ['stepCount'],
    ['variants'],
    ['body', 'R', 'name'],
  ].some((keys) => keys.every((key) => key in x) && !('shape' in x))

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (path.length > 5 || !isPlain(value)) return path.length > 0 ? [path] : []
  const own = Object.keys(value)
    .slice(0, 16)
    .flatMap((key) => pathsOf(value[key], [...path, Array.isArray(value) ? Number(key) : key]))
  return path.length > 0 ? [path, ...own] : own
}

const at = (args: unknown, path: Path): unknown => path.reduce((one, key) => (one as Record<string, unknown>)?.[key], args)
function set(args: unknown[], path: Path, value: unknown): void {
  const owner = at(args, path.slice(0, -1)) as Record<string, unknown>
  const key = path.at(-1) as string
  if (value === LEFT_OUT) delete owner[key]
  else owner[key] = value
}
export const shown = (x: unknown) =>
  typeof x === 'string'
    ? `'${x}'`
    : typeof x === 'function'
      ? '() => NaN'
      : x instanceof Float64Array
        ? `Float64Array(${x.length})`
        : typeof x === 'object' && x !== null
          ? JSON.stringify(x)
          : String(x)

/** All wrong calls of one. */
function wrongOf(name: string, { least, all = least, run }: Call): WrongCall[] {
  const whole = all()
  const needed = new Set(pathsOf(least()).map(String))
  return pathsOf(whole).flatMap((path) => {
    const own = at(whole, path)
    const others = values
      .filter((value) => typeof value !== 'boolean' || typeof own !== 'boolean')
      // another number of the same kind is right
      .filter((value) => !(value === 1.5 && typeof own === 'number' && !(Number.isInteger(own) && own === 2)))
      .filter((value) => value !== own && !(value === undefined && !needed.has(String(path))))
      .filter((value) => typeof value !== typeof own || typeof own !== 'function')
    const changed: [string, unknown][] = others.map((value) => [`= ${shown(value)}`, value])
    if (isPlain(own)) {
      if (!Array.isArray(own)) changed.push([`.${STRANGE} = 1`, { ...own, [STRANGE]: 1 }])
      else if (own.length > 0) changed.push(['less its last', own.slice(0, -1)], ['and NaN', [...own, NaN]])
    }
    if (own instanceof Float64Array) changed.push(['less its last', own.slice(0, -1)], ['with NaN', own.map(() => NaN)])
    return changed.map(([how, value]) => ({
      what: `${name}: ${path.join('.')} ${how}`,
      make: () => {
        const args = all()
        set(args, path, value)
        return run(...(args as never[]))
      },
    }))
  })
}

export const wrongCalls = (): WrongCall[] => Object.entries(calls).flatMap(([name, one]) => wrongOf(name, one))

/** Messages of the engine, whatever its class. */
const ofEngine =
  /^Invalid (typed )?array length|^Maximum call stack|out of bounds|^Cannot |is not (iterable|a function|a constructor|defined)|is not an object|of undefined|of null|^toPrecision|^Invalid count|^The ["']?path|must be of type/

export async function outcomeOf({ make }: WrongCall): Promise<{ outcome: Outcome; error?: Error }> {
  try {
    await make()
    return { outcome: 'accepted' }
  } catch (thrown) {
    const error = thrown as Error
    const isBare =
      !(error instanceof Error) ||
      ['TypeError', 'ReferenceError', 'SyntaxError', 'Error'].includes(error.name) ||
      ofEngine.test(error.message)
    return { outcome: isBare ? 'bare' : 'typed', error }
  }
}
