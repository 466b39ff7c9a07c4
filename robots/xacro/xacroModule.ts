import { tokenizeText } from './expression/builtins.ts'
import { type Arguments, Callable, described, moduleOf, toText, type Value } from './expression/values.ts'
import { ExpressionError } from './failures.ts'

/** Services for the functions behind `xacro.`. */
export interface XacroHost {
  loadYaml(reference: string): Value
  absolutePath(reference: string): string
  argument(name: string): Value
  /** Reports a message of the file. */
  say(severity: 'info' | 'warning', message: string): void
}

/** The module `xacro`, and those of its functions that are there without its name, too. */
export function xacroNames(host: XacroHost): ReadonlyMap<string, Value> {
  const ofText = (name: string, call: (text: string) => Value) =>
    new Callable(name, ([value = null]) => {
      if (typeof value !== 'string') throw new ExpressionError(`xacro.${name}() needs a string and gets ${described(value)}.`)
      return call(value)
    })
  const saying = (name: string, severity: 'info' | 'warning') =>
    new Callable(name, (args, _, budget) => {
      host.say(severity, args.map((arg) => toText(arg, budget)).join(' '))
      return ''
    })
  const loadYaml = ofText('load_yaml', (reference) => host.loadYaml(reference))
  const dotify = new Callable('dotify', ([value = null]: Arguments) => value) // every dict can be read by dots here
  const module = moduleOf(
    'xacro',
    new Map<string, Value>([
      ['load_yaml', loadYaml],
      ['abs_filename', ofText('abs_filename', (reference) => host.absolutePath(reference))],
      ['dotify', dotify],
      ['arg', ofText('arg', (name) => host.argument(name))],
      ['tokenize', new Callable('tokenize', tokenizeText)],
      ['message', saying('message', 'info')],
      ['warning', saying('warning', 'warning')],
      ['error', saying('error', 'warning')],
      ['print_location', new Callable('print_location', () => '')],
      [
        'fatal',
        new Callable('fatal', (args, _, budget) => {
          throw new ExpressionError(`the file gives up: ${args.map((arg) => toText(arg, budget)).join(' ')}`)
        }),
      ],
    ]),
  )
  return new Map<string, Value>([
    ['xacro', module],
    ['load_yaml', loadYaml],
    ['dotify', dotify],
  ])
}
