import { didYouMean } from '../dynamics/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import type { ReportedParameter } from './contactModel.ts'
import type { Option } from './modelOptions.ts'

/**
 * Reads a model's options one by one, as defined by their rows in modelOptions.ts. `finish` rejects all values out of range and unknown
 * options in one error, with the values found and expected and the list of options.
 */
export class OptionReader {
  readonly modelName: string
  private readonly options: Readonly<Record<string, unknown>>
  private readonly known: string[] = []
  private readonly problems: string[] = []

  constructor(modelName: string, options: object = {}) {
    this.modelName = modelName
    this.options = options as Readonly<Record<string, unknown>>
  }

  /** Reads an option. @param here overrides of the option's row */
  read<Value extends number | string | boolean>(
    option: Option<Value>,
    here: Partial<Pick<Option<Value>, 'default' | 'choices'>> = {},
  ): Value {
    const { name, range, isWhole, choices } = { ...option, ...here }
    const fallback = here.default ?? option.defaultOf?.[this.modelName] ?? option.default
    this.known.push(name)
    const value = Object.hasOwn(this.options, name) ? this.options[name] : undefined
    if (value === undefined) return fallback
    const [min, max] = range ?? [0, 0]
    const isNumber = (x: number) => typeof x === 'number' && x >= min && x <= max && (!isWhole || Number.isInteger(x))
    const expected = choices
      ? is.oneOf(...choices)
      : is.kind(`a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`, isNumber)
    const problem = expected(value, `contact model "${this.modelName}": option "${name}"`)
    if (problem === '') return value as Value
    this.problems.push(problem)
    return fallback
  }

  /** @throws RangeError with a line for each unknown option and each invalid value */
  finish(): void {
    for (const name of Object.keys(this.options)) {
      if (!this.known.includes(name)) {
        const list = this.known.length > 0 ? `it knows ${this.known.join(', ')}` : 'it has none'
        this.problems.push(`contact model "${this.modelName}" has no option "${name}"; ${list}${didYouMean(name, this.known)}`)
      }
    }
    if (this.problems.length > 0) throw new RangeError(this.problems.join('\n'))
  }
}

/** A value as an entry of `parameters.used`. @param meaning if it depends on the value */
export function shown(
  { name, unit, meaning }: Pick<Option, 'name' | 'unit' | 'meaning'>,
  value: number | string | boolean,
  other = meaning,
): ReportedParameter {
  return { name, value: typeof value === 'boolean' ? String(value) : value, unit, meaning: other }
}
