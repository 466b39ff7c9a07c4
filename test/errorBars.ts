/** Error bars on the closed forms, beside their true errors. docs/verdict.md#error-bars. */
import { type Claim, exceptionOf, HALVINGS, type Value, valueAt } from '../cases/convergence.ts'
import { errorBar, ROUNDING } from '../compare/judge/errorBars.ts'
import type { ModelChoice } from '../compare/scenario/index.ts'
import { type ContactModelName, refinedOptions } from '../contact/index.ts'
import { optionTable } from '../contact/modelOptions.ts'

/** One figure of one model at one step. */
export interface Barred {
  readonly claim: string
  readonly model: string
  readonly dt: number
  /** Error and bar over the scale, neither below what the figure resolves; no bar: null. */
  readonly error: number
  readonly bar: number | null
  /** Whether the error is that least one: such a pair says nothing of the size of a bar. */
  readonly isRounding: boolean
}

/** Cases whose scene or window is so many steps long. */
const ofOneStep = ['step/', 'turning/painleves-rod-stops']

/** Names of the options that refinements move. */
const moved = optionTable.flatMap(({ options }) => Object.values(options)).flatMap(({ name, limit }) => (limit ? name : []))

/**
 * Whether the truth of a claim is the model's limit. It is not where the case leaves the model out or has it fail, or where it tends to
 * another value by a reason that names no option of the refinement. A scene that is made of its step, as a gap that closes within one, has no
 * limit.
 */
export function applies(claim: Claim, model: ContactModelName): boolean {
  if (ofOneStep.some((name) => claim.file.includes(`closed-forms/${name}`))) return false
  if (claim.scene.cases[claim.at].law?.without.some(({ models }) => models.includes(model))) return false
  const known = exceptionOf(claim, model)
  if (known?.fails) return false
  return known?.tendsTo === undefined || moved.some((name) => known.because.includes(`\`${name}\``))
}

/** undefined if there is no figure at this step. */
export async function barred(claim: Claim, model: ContactModelName, dt: number): Promise<Barred | undefined> {
  const values: Value[] = []
  const stated = claim.scene.cases[claim.at].scenario.models.find(({ name }) => name === model)?.options
  for (const k of [0, 1, 2])
    values.push(
      await valueAt(claim, model, dt / 2 ** k, k === 0 ? {} : (refinedOptions(model, stated ?? {}, k) as ModelChoice['options'])),
    )
  const [{ value, exact, scale, failure }, ...finer] = values
  if (failure !== undefined) return undefined
  const { search } = claim.scene
  const least = Math.max(ROUNDING, search === undefined ? 0 : (search.to - search.from) / 2 ** HALVINGS / scale)
  const [a, b, c] = values.map((one) => one.value / scale)
  const bar = finer.some((one) => one.failure !== undefined) ? null : errorBar([a, b, c], least / ROUNDING)
  const error = Math.abs(value - exact) / scale
  return { claim: claim.name, model, dt, error: Math.max(error, least), bar, isRounding: error <= least }
}

/** Share of bars that hold the truth, median of bar over error, and share of figures without a bar. */
export function coverage(all: readonly Barred[]): { count: number; held: number; median: number; none: number } {
  const known = all.flatMap((one) => (one.bar === null ? [] : { ...one, ratio: one.bar / one.error }))
  const ratios = known.filter(({ isRounding }) => !isRounding).map(({ ratio }) => ratio)
  return {
    count: all.length,
    held: known.filter(({ ratio }) => ratio >= 1).length / known.length,
    median: ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)],
    none: 1 - known.length / all.length,
  }
}

/** One of two halves of the closed forms, by name. */
export const halfOf = ({ claim }: Barred): number =>
  [...claim].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 65_521, 7) % 2
