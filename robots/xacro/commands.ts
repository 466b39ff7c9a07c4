import { folderOf } from '../files/resolve.ts'
import type { Budget } from './expression/budget.ts'
import { type Environment, evaluate } from './expression/evaluate.ts'
import { literalValue } from './expression/literals.ts'
import { parseExpression } from './expression/parse.ts'
import { Callable, type Value } from './expression/values.ts'
import { didYouMean, ExpressionError, UnknownName } from './failures.ts'

/** Services for the commands between `$(` and `)`. */
export interface CommandHost {
  readonly budget: Budget
  /** An argument's text; undefined if it has none. */
  argument(name: string): string | undefined
  argumentNames(): Iterable<string>
  environmentVariable(name: string): string | undefined
  /** The folder of a package; `package://name` if it is missing, so that the reference still names it. */
  findPackage(name: string): string
  /** The file of the command. */
  readonly file: string
}

/**
 * The value of `$(command words)`.
 *
 * @throws ExpressionError for an unknown command, or invalid words of one
 */
export function runCommand(source: string, names: Environment, host: CommandHost): Value {
  const text = source.trim()
  const [command, ...words] = text.split(/\s+/)
  switch (command) {
    case 'arg':
      return argument(only(command, words), host)
    case 'find':
      return host.findPackage(only(command, words))
    case 'env':
      return variable(only(command, words), host)
    case 'optenv':
      if (words.length === 0) throw new ExpressionError('$(optenv) needs the name of a variable.')
      return host.environmentVariable(words[0]) ?? words.slice(1).join(' ')
    case 'dirname':
      return folderOf(host.file) || '.'
    case 'eval':
      return evaluateCommand(text.slice('eval'.length), names, host)
    case 'anon':
      throw new ExpressionError(
        '$(anon ...) makes a name that is new each time, and a robot is to be the same each time.',
        'Write a name.',
      )
    case 'cwd':
      throw new ExpressionError(
        '$(cwd) depends on where a program runs, which is not known here.',
        'Use $(dirname) or $(find package).',
      )
    default:
      throw new ExpressionError(
        `$(${command}) is not known.`,
        didYouMean(
          command,
          ['arg', 'find', 'env', 'optenv', 'dirname', 'eval'],
          'There are arg, find, env, optenv, dirname and eval.',
        ),
      )
  }
}

function only(command: string, words: readonly string[]): string {
  if (words.length === 1) return words[0]
  throw new ExpressionError(`$(${command} ...) needs one name and gets ${words.length}.`)
}

function argument(name: string, host: CommandHost): string {
  const text = host.argument(name)
  if (text !== undefined) return text
  throw new UnknownName(
    `the argument "${name}" is not declared.`,
    didYouMean(name, host.argumentNames(), `Give ${name}:=..., or declare it before: <xacro:arg name="${name}" default="..."/>.`),
  )
}

function variable(name: string, host: CommandHost): string {
  const text = host.environmentVariable(name)
  if (text !== undefined) return text
  if (isSecret(name))
    throw new ExpressionError(`variables that are named like secrets, as "${name}" is, are not read.`, secretRemedy)
  throw new ExpressionError(`the environment has no variable "${name}".`, `Set it, or write $(optenv ${name} default).`)
}

/** Words in the names of variables that may hold secrets. */
const secret =
  /pass(?:w(?:or)?d|phrase)|secret|token|credential|(?:^|_)(?:api|access|private|ssh|auth|signing|account|encryption)|(?:^|_)(?:keys?|pw|pwd|auth|cookies?|session|dsn|jwt|pat|cert|url|uri)(?:$|_)/i
/** Exceptions of ROS, which hold none. */
const harmless = /^(?:ROS|GAZEBO|IGN|GZ)_.*_?URI$/

/** Whether a variable of the environment is named like a secret. */
export const isSecret = (name: string) => secret.test(name) && !harmless.test(name) && name !== 'PWD'

export const secretRemedy = 'It counts as not set; make it an argument of the file: <xacro:arg>, and name:=value.'

/** `$(eval ...)`: an expression in which arguments are names, and the other commands functions. */
function evaluateCommand(source: string, names: Environment, host: CommandHost): Value {
  const own = new Map<string, Value>([
    ['true', true],
    ['false', false],
  ])
  const define = (name: string, call: (word: string, otherwise: Value) => Value) =>
    own.set(
      name,
      new Callable(name, ([word, otherwise = '']) => {
        if (typeof word !== 'string') throw new ExpressionError(`${name}() needs a name between quotation marks.`)
        return call(word, otherwise)
      }),
    )
  define('arg', (name) => literalValue(argument(name, host)))
  define('find', (name) => host.findPackage(name))
  define('env', (name) => variable(name, host))
  define('optenv', (name, otherwise) => host.environmentVariable(name) ?? otherwise)
  own.set('dirname', new Callable('dirname', () => folderOf(host.file) || '.'))
  const environment: Environment = {
    lookup: (name) => {
      const text = host.argument(name)
      return text === undefined ? (own.get(name) ?? names.lookup(name)) : literalValue(text)
    },
    *names() {
      yield* own.keys()
      yield* host.argumentNames()
      yield* names.names()
    },
  }
  return evaluate(parseExpression(source), environment, host.budget)
}
