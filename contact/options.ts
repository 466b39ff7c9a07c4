import { didYouMean } from '../dynamics/index.ts'

/**
 * Reads a model's options one by one, each with its default and its range. `finish` refuses what was out of range or not read, all of
 * it at once: what was found, what was expected, which options there are.
 */
export class OptionReader {
  private readonly modelName: string
  private readonly options: Readonly<Record<string, unknown>>
  private readonly known: string[] = []
  private readonly problems: string[] = []

  constructor(modelName: string, options: object = {}) {
    this.modelName = modelName
    this.options = options as Readonly<Record<string, unknown>>
  }

  number(name: string, fallback: number, min: number, max: number): number {
    const value = this.take(name)
    if (value === undefined) return fallback
    if (typeof value === 'number' && value >= min && value <= max) return value
    return this.refuse(name, fallback, `a number from ${min} to ${max}`)
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.take(name)
    if (value === undefined) return fallback
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
    return this.refuse(name, fallback, `a whole number from ${min} to ${max}`)
  }

  choice<Choice extends string | number | boolean>(name: string, fallback: Choice, choices: readonly Choice[]): Choice {
    const value = this.take(name)
    if (value === undefined) return fallback
    if (choices.includes(value as Choice)) return value as Choice
    return this.refuse(name, fallback, `one of ${choices.join(', ')}${didYouMean(value, choices.map(String))}`)
  }

  /** @throws RangeError with a line for each option that the model does not know or whose value it does not take */
  finish(): void {
    for (const name of Object.keys(this.options)) {
      if (!this.known.includes(name)) {
        const list = this.known.length > 0 ? `it knows ${this.known.join(', ')}` : 'it has none'
        this.problems.push(`contact model "${this.modelName}" has no option "${name}"; ${list}${didYouMean(name, this.known)}`)
      }
    }
    if (this.problems.length > 0) throw new RangeError(this.problems.join('\n'))
  }

  private take(name: string): unknown {
    this.known.push(name)
    return Object.hasOwn(this.options, name) ? this.options[name] : undefined
  }

  private refuse<T>(name: string, fallback: T, expected: string): T {
    const found = JSON.stringify(this.options[name]) ?? String(this.options[name])
    this.problems.push(`contact model "${this.modelName}": option "${name}" is ${found}, expected ${expected}`)
    return fallback
  }
}
