import { type AnyNode, parse } from 'acorn'
import { transform } from 'sucrase'
import * as contact from '../../contact/index.ts'
import * as control from '../../control/index.ts'
import { type Controller, ControllerError, scriptMath } from '../../control/index.ts'
import * as dynamics from '../../dynamics/index.ts'
import * as robots from '../../robots/index.ts'
import * as simulation from '../../simulation/index.ts'

/** Modules that a script may import besides files beside it. */
const modules: Readonly<Record<string, object>> = {
  'featherbed/contact': contact,
  'featherbed/control': control,
  'featherbed/dynamics': dynamics,
  'featherbed/robots': robots,
  'featherbed/simulation': simulation,
}

/**
 * Runs a controller's file, TypeScript or JavaScript, and the files beside it that it imports, in this thread. As on the command line its `Math` has the
 * project's own sine, cosine and power, and so has `x ** y`.
 *
 * @param bytesOf a file; undefined if it is not there
 * @throws ControllerError with file, line and column for an unreadable text, and errors of its top level
 */
export function runScript(file: string, bytesOf: (path: string) => Uint8Array | undefined): Controller {
  const done = new Map<string, { exports: Record<string, unknown> }>()
  const load = (path: string): Record<string, unknown> => {
    const known = done.get(path)
    if (known !== undefined) return known.exports
    const bytes = bytesOf(path)
    if (bytes === undefined) throw new ControllerError(file, `${path} is not among the files; drop it too`)
    const module = { exports: {} as Record<string, unknown> }
    done.set(path, module)
    if (path.endsWith('.onnx')) {
      Object.assign(module.exports, { __esModule: true, default: control.networkOf(bytes, path) })
      return module.exports
    }
    const require = (wanted: string): unknown => {
      if (Object.hasOwn(modules, wanted)) return modules[wanted]
      if (!wanted.startsWith('.'))
        throw new ControllerError(
          file,
          `imports "${wanted}"; in the page there are ${Object.keys(modules).join(', ')}, and files beside it`,
        )
      const beside = besideOf(path, wanted)
      const found = [beside, `${beside}.ts`, `${beside}.js`, beside.replace(/\.js$/, '.ts')].find(
        (name) => bytesOf(name) !== undefined,
      )
      if (found === undefined)
        throw new ControllerError(file, `${path} imports "${wanted}", which is not among the files; drop it too`)
      return load(found)
    }
    const code = compiled(new TextDecoder().decode(bytes), path, file)
    try {
      // the names of errors' places are the script's own
      // biome-ignore lint/security/noGlobalEval: a user's own script, whose lines are to be those of its file; those of `Function` begin at 3
      const run = globalThis.eval(`(function (require, module, exports, Math) {${code}\n})\n//# sourceURL=${path}`)
      run(require, module, module.exports, scriptMath)
    } catch (error) {
      if (error instanceof ControllerError) throw error
      throw new ControllerError(file, `threw while it was loaded: ${describe(error)}`, Number.NaN, error)
    }
    return module.exports
  }
  const problem = control.problemOf(load(file))
  if (problem !== undefined) throw new ControllerError(file, problem)
  return (load(file) as { default: Controller }).default
}

/** As CommonJS, line by line where it was, with powers as calls. */
function compiled(text: string, path: string, file: string): string {
  let code: string
  try {
    ;({ code } = transform(text, {
      transforms: /\.[cm]?ts$/.test(path) ? ['typescript', 'imports'] : ['imports'],
      filePath: path,
      production: true,
      disableESTransforms: true,
    }))
    return withPowers(code)
  } catch (error) {
    const { message, loc } = error as Error & { loc?: { line: number; column: number } }
    const place = loc === undefined ? path : `${path}:${loc.line}:${loc.column + 1}`
    throw new ControllerError(
      file,
      `${place}: ${message.replace(/^Error transforming [^:]*: /, '').replace(/ \(\d+:\d+\)$/, '')}`,
    )
  }
}

/** `x ** y` as `Math.pow(x, y)`, `x **= y` as `x = Math.pow(x, y)`. */
function withPowers(code: string): string {
  if (!code.includes('**')) return code
  const edits: { at: number; text: string; removes: number }[] = []
  const visit = (node: AnyNode) => {
    if (node.type === 'BinaryExpression' && node.operator === '**') {
      edits.push({ at: node.start, text: 'Math.pow(', removes: 0 }, { at: node.end, text: ')', removes: 0 })
      const star = code.indexOf('**', node.left.end)
      edits.push({ at: star, text: ',', removes: 2 })
    } else if (node.type === 'AssignmentExpression' && node.operator === '**=') {
      const target = code.slice(node.left.start, node.left.end)
      const star = code.indexOf('**=', node.left.end)
      edits.push({ at: star, text: `= Math.pow(${target},`, removes: 3 }, { at: node.end, text: ')', removes: 0 })
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof (child as AnyNode | null)?.type === 'string') visit(child as AnyNode)
      }
    }
  }
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'script', allowReturnOutsideFunction: true }))
  let out = code
  // from the back; of those at one place, closing stands before opening
  for (const { at, text, removes } of edits.sort((a, b) => b.at - a.at)) out = out.slice(0, at) + text + out.slice(at + removes)
  return out
}

/** The path that `wanted` has from a file. */
function besideOf(path: string, wanted: string): string {
  const parts = path.split('/').slice(0, -1)
  for (const part of wanted.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error))
