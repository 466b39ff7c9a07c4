/** Equations of motion that are integrated for a scene's truth: no code of ours moves anything here. */
import { constantOf, evaluatorOf, parseExpression } from '../compare/scenario/index.ts'

type Word = number | string
type Fields = Readonly<Record<string, unknown>>

export interface Equations {
  /** Variables by name, and their values at first. */
  readonly start: Readonly<Record<string, Word>>
  /** Names for repeated terms of the rates, each in terms of the variables and those before it. */
  readonly where: Readonly<Record<string, Word>>
  /** Of each variable, per second. */
  readonly rates: Readonly<Record<string, Word>>
  /** How long [s]; or until this, positive at first, is zero. */
  readonly time?: Word
  readonly until?: Word
}

/** Steps of a given time, and the step on the way to an event [s]: errors of order four are below rounding. */
const STEPS = 4000
const STEP = 1e-4
/** A motion without its event would go on for ever. */
const LONGEST = 100

/**
 * Values of the variables at the end of each stage, and the time that all took, `elapsed` [s].
 *
 * @param given  parameters that the expressions may name
 * @param filler puts values in for `$name`
 */
export async function solved(
  stages: readonly Equations[],
  given: Fields,
  filler: (known: Fields) => (value: unknown) => unknown,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const words of stages) {
    const stage = filler({ ...given, ...found })(words) as Equations
    const key = JSON.stringify(stage)
    const solution = solutions.get(key) ?? (await solutionOf(stage))
    solutions.set(key, solution)
    Object.assign(found, solution, { elapsed: (found.elapsed ?? 0) + solution.elapsed })
  }
  return found
}

/** Cases that differ in other things share their solutions. */
const solutions = new Map<string, Readonly<Record<string, number>>>()

async function solutionOf(stage: Equations): Promise<Record<string, number>> {
  const parse = (word: Word, names: readonly string[] = []) => parseExpression(String(word), names)
  const constant = async (word: Word) => constantOf(await parse(word))
  const names = Object.keys(stage.start)
  const helpers = Object.keys(stage.where)
  const known = [...names, ...helpers]
  const values = new Float64Array(known.length)
  const written = async (words: readonly Word[]) => Promise.all(words.map(async (word) => evaluatorOf(await parse(word, known))))
  const help = await written(Object.values(stage.where))
  const slopes = await written(names.map((name) => stage.rates[name]))
  const at = (y: Float64Array) => {
    values.set(y)
    for (let i = 0; i < help.length; i++) values[names.length + i] = help[i](values)
    return values
  }
  const rate = (y: Float64Array) => {
    const now = at(y)
    return Float64Array.from(slopes, (slope) => slope(now))
  }
  let y: Float64Array = Float64Array.from(await Promise.all(Object.values(stage.start).map(constant)))
  let time = 0
  if (stage.until === undefined) {
    time = await constant(stage.time ?? 0)
    for (let k = 0; k < STEPS; k++) y = rungeKutta(rate, y, time / STEPS)
  } else {
    const [left] = await written([stage.until])
    let next: Float64Array = rungeKutta(rate, y, STEP)
    while (left(at(next)) > 0 && time < LONGEST) {
      y = next
      time += STEP
      next = rungeKutta(rate, y, STEP)
    }
    let [low, high] = [0, STEP]
    for (let k = 0; k < 40; k++) {
      const middle = 0.5 * (low + high)
      if (left(at(rungeKutta(rate, y, middle))) > 0) low = middle
      else high = middle
    }
    y = rungeKutta(rate, y, low)
    time += low
  }
  return { ...Object.fromEntries(names.map((name, i) => [name, y[i]])), elapsed: time }
}

/** A step of the classical method of Runge and Kutta. */
export function rungeKutta<Y extends Float64Array | readonly number[]>(rate: (y: Y) => Y, y: Y, h: number): Y {
  const mapped = (of: (value: number, i: number) => number) => (y as Float64Array).map(of) as unknown as Y
  const moved = (k: Y, part: number) => mapped((value, i) => value + part * h * k[i])
  const a = rate(y)
  const b = rate(moved(a, 0.5))
  const c = rate(moved(b, 0.5))
  const d = rate(moved(c, 1))
  return mapped((value, i) => value + (h / 6) * (a[i] + 2 * b[i] + 2 * c[i] + d[i]))
}
