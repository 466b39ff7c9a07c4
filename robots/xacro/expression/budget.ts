import { LimitError } from '../failures.ts'

/** Far above any known robot, and used up within a second. */
const maxSteps = 2_000_000
/** Characters of all strings and texts together. */
const maxCharacters = 20_000_000
/** Deepest nesting inside one expression and the properties that it needs. */
const maxDepth = 250

/** Longest string or list that an expression may make. */
export const maxLength = 100_000
/** Largest integer, in bits. */
export const maxBits = 4096

/** Budget left for evaluating one file. */
export class Budget {
  depth = 0
  private steps = maxSteps
  private characters = maxCharacters

  /** @throws LimitError when the steps are used up */
  step(count: number): void {
    this.steps -= count
    if (this.steps < 0) {
      throw new LimitError(`the expressions take more than ${maxSteps} steps.`, 'Check for loops that have no end.')
    }
  }

  /** @throws LimitError beyond the deepest nesting; `leave` undoes it */
  enter(): void {
    this.step(1)
    if (++this.depth > maxDepth) {
      throw new LimitError(
        `expressions, and properties that need properties, are nested more than ${maxDepth} deep.`,
        'Split them, or check for functions that call themselves.',
      )
    }
  }

  leave(): void {
    this.depth--
  }

  /** Pays for a list of that many items. @throws LimitError */
  items(count: number): void {
    if (count > maxLength) {
      throw new LimitError(`a list of ${count} items; at most ${maxLength}.`, 'Check the number.')
    }
    this.step(1 + count / 4)
  }

  /** Pays for a string of that many characters. @throws LimitError */
  text(count: number): void {
    if (count > maxLength) {
      throw new LimitError(`a string of ${count} characters; at most ${maxLength}.`, 'Check the number.')
    }
    this.characters -= count
    if (this.characters < 0) {
      throw new LimitError(`the expressions make more than ${maxCharacters} characters of text.`, 'Check for loops.')
    }
    this.step(1 + count / 64)
  }
}
