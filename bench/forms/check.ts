import { type ContactModelName, contactModels } from '../../contact/index.ts'
import { isImpulsive, isRigid } from '../../test/contact/laws/scenes.ts'
import { chapters } from './chapters.ts'
import { EXACT, type Form, kindOf, type Measured, measure } from './form.ts'
import { type Known, knownOf, type Miss, reasons } from './known.ts'

/** The result of one form under one model, or why the form does not apply to it. */
export interface Row {
  readonly form: Form
  readonly model: ContactModelName
  readonly measured?: Measured
  readonly without?: string
  readonly known?: Known
  /** Deviations from what is known. */
  readonly problem?: string
}

export const models = Object.keys(contactModels) as ContactModelName[]
export const forms: readonly Form[] = chapters.flatMap((chapter) => chapter.forms)

export function rowOf(form: Form, model: ContactModelName): Row {
  const without = form.without?.({ model, rigid: isRigid(model), impulsive: isImpulsive(model) })
  if (without !== undefined) return { form, model, without }
  const measured = measure(form, model)
  const entry = knownOf(form.name, model)
  return { form, model, measured, known: entry, problem: problemOf(measured, entry) }
}

/** The deviation from what is known, if there is one. */
export function problemOf(measured: Measured, entry: Miss | undefined): string | undefined {
  const { form, model, errors, values, exact, failure } = measured
  const kind = kindOf(measured)
  const of = `${form.name}, ${model}`
  const seen = `errors ${errors.map((error) => error.toExponential(2)).join(', ')}`
  if (entry?.kind === 'failed')
    return kind === 'failed' ? undefined : `${of}: no longer fails (${seen}); take it from the list of what is known`
  if (failure !== undefined) return `${of}: ${failure}`
  if (entry === undefined)
    return kind === 'exact' || kind === 'first' ? undefined : `${of}: neither exact nor of first order: ${seen}`
  const scale = form.scale ?? Math.abs(exact)
  const [, , last] = values
  switch (entry.kind) {
    case 'limit':
      return Math.abs(last - entry.value) <= (entry.within ?? Math.max(0.05 * Math.abs(entry.value - exact), EXACT * scale))
        ? undefined
        : `${of}: tends to ${last.toPrecision(5)} and not to ${entry.value}`
    case 'half':
      return kind === 'half' || kind === 'first' ? undefined : `${of}: not of order 1/2: ${seen}`
    case 'uneven':
      return errors.every((error) => Math.abs(error) <= entry.most) ? undefined : `${of}: beyond ${entry.most}: ${seen}`
  }
}

/** Entries of what is known that are of no form, or of a form and a model that an entry before has. */
export function strayEntries(): string[] {
  const seen = new Set<string>()
  return reasons.flatMap((each) =>
    Object.keys(each.forms).flatMap((name) =>
      each.models.flatMap((model) => {
        const entry = `${name}, ${model}`
        const stray = seen.has(entry) || !forms.some((form) => form.name === name)
        seen.add(entry)
        return stray ? [entry] : []
      }),
    ),
  )
}
