import { closest, quote } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import { didYouMean, UnknownName } from './failures.ts'
import type { Parameter } from './parameters.ts'
import { labelOf, placeOf, type Report } from './report.ts'
import { Scope } from './scope.ts'
import type { Texts } from './texts.ts'

export interface MacroCall {
  readonly name: string
  readonly element: XmlElement
  readonly macro: XmlElement
  readonly parameters: readonly Parameter[]
  /** Scope of the call's own texts, and enclosing scope of the macro's parameters. */
  readonly home: Scope
  /** The elements inside the call, expanded. */
  readonly blocks: readonly XmlElement[]
}

/** The scope of a macro's body, with its parameters set; undefined, and reported, if the call does not fit the macro. */
export function bindParameters(call: MacroCall, texts: Texts, report: Report): Scope | undefined {
  const errors = report.errors
  texts.attempt(call.element, `<${call.element.name}>`, () => texts.budget.step(4 * call.parameters.length))
  const inner = new Scope('macro', call.home)
  const open = new Map(call.parameters.map((parameter) => [parameter.name, parameter]))
  bindAttributes(call, open, inner, texts, report)
  bindBlocks(call, open, inner, report)
  bindDefaults(call, open, inner, texts, report)
  return report.errors > errors ? undefined : inner
}

function bindAttributes(call: MacroCall, open: Map<string, Parameter>, inner: Scope, texts: Texts, report: Report): void {
  const { element, home } = call
  for (const name of Object.keys(element.attributes)) {
    if (name.startsWith('xmlns:')) continue
    if (!open.delete(name)) {
      const names = [...open.keys()].filter((parameter) => !parameter.startsWith('*'))
      const known = names.length === 0 ? 'Leave it out.' : `Those left are ${names.join(', ')}.`
      const message = `${macroOf(call)} has no parameter ${quote(name)}.`
      report.error(element, labelOf(element, name), 'xacro-macro', message, didYouMean(name, names, known))
      continue
    }
    const value = texts.attributeValue(element, name, home)
    if (value === undefined) inner.fail(name, element)
    else inner.set(name, value, element, false)
  }
}

/** Blocks go to the parameters with asterisks in the order of both. */
function bindBlocks(call: MacroCall, open: Map<string, Parameter>, inner: Scope, report: Report): void {
  const { element, blocks } = call
  let used = 0
  for (const name of [...open.keys()].filter((parameter) => parameter.startsWith('*'))) {
    open.delete(name)
    const block = blocks[used++]
    if (block) inner.setBlock(name.replace(/^\*+/, ''), { element: block, contentOnly: name.startsWith('**') })
    else {
      const message = `${macroOf(call)} needs an element for ${quote(name)}.`
      report.error(element, `<${element.name}>`, 'xacro-macro', message, `Put one inside of <${element.name}>.`)
    }
  }
  const extra = blocks[used]
  if (!extra) return
  const near = closest(
    extra.name,
    call.parameters.map((parameter) => parameter.name),
  )
  const remedy = near === undefined ? 'Take it out of the call.' : `Is it meant for the parameter ${quote(near)}?`
  report.error(extra, `<${extra.name}>`, 'xacro-macro', `${macroOf(call)} takes no further element.`, remedy)
}

function bindDefaults(call: MacroCall, open: Map<string, Parameter>, inner: Scope, texts: Texts, report: Report): void {
  const { element, home } = call
  const label = `<${element.name}>`
  const missing: string[] = []
  for (const { name, forwarded, default: text } of open.values()) {
    if (!forwarded && text === undefined) {
      missing.push(name)
      continue
    }
    const value = texts.attempt(element, label, () => {
      const outer = forwarded ? home.lookup(name) : undefined
      if (outer !== undefined) return outer
      if (text !== undefined) return texts.valueOf(text, home)
      throw new UnknownName(
        `${macroOf(call)} takes "${name}" from where it is called, and it is not defined there.`,
        `Give ${name}="...", or define the property before.`,
      )
    })
    if (value === undefined) inner.fail(name, element)
    else inner.set(name, value, element, false)
  }
  if (missing.length === 0) return
  const remedy = `Give ${missing.map((name) => `${name}="..."`).join(' ')}.`
  report.error(element, label, 'xacro-macro', `${macroOf(call)} needs ${missing.map(quote).join(', ')}.`, remedy)
}

function macroOf({ name, macro }: MacroCall): string {
  return `the macro ${quote(name)} (${placeOf(macro)})`
}
