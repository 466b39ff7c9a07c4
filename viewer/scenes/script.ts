import { type AnyNode, parse } from 'acorn'
import { transform } from 'sucrase'
import * as contact from '../../contact/index.ts'
import * as control from '../../control/index.ts'
import { type Controller, ControllerError, scriptMath } from '../../control/index.ts'
import type { SandboxLimits } from '../../control/sandbox/host.ts'
import * as dynamics from '../../dynamics/index.ts'
import * as robots from '../../robots/index.ts'
import * as simulation from '../../simulation/index.ts'
import { beside } from './sources.ts'

/** Modules that a script may import besides files beside it. */
const modules: Readonly<Record<string, object>> = {
  'featherbed/contact': contact,
  'featherbed/control': control,
  'featherbed/dynamics': dynamics,
  'featherbed/robots': robots,
  'featherbed/simulation': simulation,
}

/** Access to the files beside a script; undefined for one that is not there. */
type BytesOf = (path: string) => Uint8Array | undefined

/** A file of a script, or a network that it imports. */
interface ScriptFile {
  /** As CommonJS; undefined for a network. */
  readonly code?: string
  readonly bytes: Uint8Array
  /** Where its imports lead: a path, or a name of `modules`; those that lead nowhere are left out. */
  readonly links: Readonly<Record<string, string>>
}

/** A script and all files that it imports, by path. @throws ControllerError with file, line and column for an unreadable text */
function filesOf(file: string, bytesOf: BytesOf): ReadonlyMap<string, ScriptFile> {
  const files = new Map<string, ScriptFile>()
  const add = (path: string) => {
    const bytes = bytesOf(path)
    if (bytes === undefined) throw new ControllerError(file, `${path} is not among the files; drop it too`)
    if (files.has(path)) return
    if (path.endsWith('.onnx')) {
      files.set(path, { bytes, links: { 'featherbed/control': 'featherbed/control' } })
      return
    }
    const code = compiled(new TextDecoder().decode(bytes), path, file)
    const links: Record<string, string> = {}
    files.set(path, { code, bytes, links })
    for (const [, wanted] of code.matchAll(/\brequire\(\s*['"]([^'"\n]+)['"]/g)) {
      const near = beside(path, wanted)
      const names = wanted.startsWith('.') ? [near, `${near}.ts`, `${near}.js`, near.replace(/\.js$/, '.ts')] : []
      const found = Object.hasOwn(modules, wanted) ? wanted : names.find((name) => bytesOf(name) !== undefined)
      if (found !== undefined) links[wanted] = found
      if (found !== undefined && found !== wanted) add(found)
    }
  }
  add(file)
  return files
}

/** Why an import leads nowhere. */
const astray = (path: string, wanted: string) =>
  wanted.startsWith('.')
    ? `${path} imports "${wanted}", which is not among the files; drop it too`
    : `imports "${wanted}"; in the page there are ${Object.keys(modules).join(', ')}, and files beside it`

/**
 * Runs a controller's file, TypeScript or JavaScript, and the files beside it that it imports, in this thread. As on the command line its `Math` has the
 * project's own sine, cosine and power, and so has `x ** y`.
 *
 * @throws ControllerError with file, line and column for an unreadable text, and errors of its top level
 */
export function runScript(file: string, bytesOf: BytesOf): Controller {
  const files = filesOf(file, bytesOf)
  const done = new Map<string, { exports: Record<string, unknown> }>()
  const load = (path: string): Record<string, unknown> => {
    const known = done.get(path)
    if (known !== undefined) return known.exports
    const { code, bytes, links } = files.get(path) as ScriptFile
    const module = { exports: {} as Record<string, unknown> }
    done.set(path, module)
    if (code === undefined) {
      Object.assign(module.exports, { __esModule: true, default: control.networkOf(bytes, path) })
      return module.exports
    }
    const require = (wanted: string): unknown => {
      if (!Object.hasOwn(links, wanted)) throw new ControllerError(file, astray(path, wanted))
      return Object.hasOwn(modules, wanted) ? modules[wanted] : load(links[wanted])
    }
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

/**
 * The same of someone else's, in the sandbox of the command line: an interpreter that has neither this page nor a network or a clock.
 *
 * @throws ControllerError as `runScript`
 */
export async function runInSandbox(file: string, bytesOf: BytesOf, limits: SandboxLimits): Promise<Controller> {
  const files = filesOf(file, bytesOf)
  const { openSandbox } = await import('../../control/sandbox/host.ts')
  const imported = [...files.values()].flatMap(({ links }) => Object.keys(links)).filter((name) => Object.hasOwn(modules, name))
  const isSmall = imported.every((name) => name === 'featherbed/dynamics')
  const { default: guest } = await (isSmall ? import('virtual:guest/dynamics') : import('virtual:guest/all'))
  const starts: { readonly path: string; readonly line: number }[] = []
  const lines = `${guest}\nconst files = {`.split('\n')
  for (const [path, { code, bytes, links }] of files) {
    lines.push(`${JSON.stringify(path)}: [${JSON.stringify(links)}, function (require, module, exports, Math) {`)
    starts.unshift({ path, line: lines.length })
    lines.push(...(code ?? networkCode(bytes, path)).split('\n'), '}],')
  }
  starts.unshift({ path: '', line: lines.length })
  lines.push(loader, `export const guest = featherbed.serve(load(${JSON.stringify(file)}))`)
  return openSandbox(
    file,
    {
      ...{ code: lines.join('\n'), name: 'script.mjs', print: (line: string) => console.log(line) },
      locate(line, column) {
        const own = starts.find((one) => line > one.line)
        return own?.path ? `${own.path}:${line - own.line}:${column}` : undefined
      },
    },
    limits,
  )
}
/** The last lines of what the sandbox evaluates: `require` over `files`, each its links and its function. */
const loader = `}
const done = {}
const load = (path) => {
  if (done[path]) return done[path].exports
  const module = (done[path] = { exports: {} })
  const [links, run] = files[path]
  const require = (wanted) => {
    const to = links[wanted]
    if (to === undefined) throw new Error(path + ' imports "' + wanted + '", which is not among the files, and nothing of featherbed/...')
    return featherbed.modules[to] ?? load(to)
  }
  run(require, module, module.exports, featherbed.scriptMath)
  return module.exports
}`

/** A network as a module, its bytes as a text of a character a byte. */
function networkCode(bytes: Uint8Array, path: string): string {
  let text = ''
  for (let k = 0; k < bytes.length; k += 0x8000) text += String.fromCharCode(...bytes.subarray(k, k + 0x8000))
  const network = `require('featherbed/control').networkOf(${JSON.stringify(text)}, ${JSON.stringify(path)})`
  return `Object.assign(module.exports, { __esModule: true, default: ${network} })`
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

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error))
