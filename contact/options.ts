import type { ContactModelOptions } from './contactModel.ts'

/**
 * Reads a model's options one by one, each with its default and its range, and at the end refuses what was not read.
 * Every error says what was found, what was expected, and which options there are.
 */
export class OptionReader {
  private readonly modelName: string
  private readonly options: ContactModelOptions
  private readonly known: string[] = []

  constructor(modelName: string, options: ContactModelOptions = {}) {
    this.modelName = modelName
    this.options = options
  }

  /** @throws RangeError if the option is given and is not a number from `min` to `max` */
  number(name: string, fallback: number, min: number, max: number): number {
    const value = this.take(name)
    if (value === undefined) return fallback
    if (typeof value !== 'number' || !(value >= min && value <= max)) this.refuse(name, `a number from ${min} to ${max}`)
    return value as number
  }

  /** @throws RangeError if the option is given and is not a whole number from `min` to `max` */
  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.take(name)
    if (value === undefined) return fallback
    if (!Number.isInteger(value) || !((value as number) >= min && (value as number) <= max)) {
      this.refuse(name, `a whole number from ${min} to ${max}`)
    }
    return value as number
  }

  /** @throws RangeError if the option is given and is not one of the choices */
  choice<Choice extends string | number | boolean>(name: string, fallback: Choice, choices: readonly Choice[]): Choice {
    const value = this.take(name)
    if (value === undefined) return fallback
    if (!choices.includes(value as Choice)) this.refuse(name, `one of ${choices.join(', ')}`)
    return value as Choice
  }

  /** @throws RangeError if an option was given that the model does not know */
  finish(): void {
    for (const name of Object.keys(this.options)) {
      if (!this.known.includes(name)) {
        const list = this.known.length > 0 ? `it knows ${this.known.join(', ')}` : 'it has none'
        throw new RangeError(`contact model "${this.modelName}" has no option "${name}"; ${list}`)
      }
    }
  }

  private take(name: string): number | string | boolean | undefined {
    this.known.push(name)
    return Object.hasOwn(this.options, name) ? this.options[name] : undefined
  }

  private refuse(name: string, expected: string): never {
    const found = JSON.stringify(this.options[name]) ?? String(this.options[name])
    throw new RangeError(`contact model "${this.modelName}": option "${name}" is ${found}, expected ${expected}`)
  }
}
