import { readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { isBuiltin, SourceMap } from 'node:module'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { BuildFailure, Loader, Message, Plugin } from 'esbuild'
import { isBuilt, moduleUrl, treeModule } from '../assets.ts'
import * as is from '../dynamics/math/arguments.ts'
import { pathWithin, readRegularFile } from '../robots/files.ts'
import { problemOf } from './checkedModule.ts'
import type { Controller } from './controller.ts'
import { ControllerError, describe } from './controllerError.ts'
import { temporaryFolder } from './ownFiles.ts'
import { isPolicy, openPolicy, type PolicyFiles, policyParts } from './policy/open.ts'
import { openSandbox, type SandboxLimits, type SandboxText } from './sandbox/host.ts'

export type { SandboxLimits } from './sandbox/host.ts'

/** Modules that a script may import as `featherbed/NAME`. */
const entries = ['dynamics', 'contact', 'robots', 'simulation', 'control']

/** Largest script, and network [bytes]. */
const LARGEST = 1e7

/**
 * Loads a controller from a .ts, .js or .mjs file: strips the types, bundles its imports, resolves `featherbed/...` to
 * this package, and replaces `Math` by the project's (see `scriptMath`), `**` included. Loading a file runs its code with
 * the rights of this process, unless it is untrusted. Each call loads anew.
 *
 * @param untrusted runs it in an interpreter of its own within these limits, see docs/controllers.md
 * @param within the folders below which it and its network have to lie; default: of an untrusted one its own, else any
 * @throws ControllerError with file, line and column if the file is missing or has a syntax error; if it throws while it
 *   loads; or if its default export is not an object with the functions `init` and `update`
 */
export async function loadController(
  file: string,
  untrusted?: SandboxLimits,
  within: readonly string[] | undefined = untrusted && [dirname(resolve(file))],
): Promise<Controller> {
  is.check(file, is.name, 'loadController: file')
  const path = resolve(file)
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw new ControllerError(file, 'no such file; give the path of a .ts, .js or .mjs file')
  if (found.size > LARGEST) throw new ControllerError(file, `has ${found.size} bytes, more than the ${LARGEST} of any script`)
  const files = policyFiles(within)
  if (isPolicy(path)) return openPolicy(file, path, files)
  if (!/\.(ts|mts|js|mjs)$/.test(path))
    throw new ControllerError(file, 'not a .ts, .js or .mjs file, and no policy (.onnx, .yaml)')

  if (untrusted !== undefined) {
    await files.read(path).catch((error: Error) => {
      throw new ControllerError(file, error.message)
    })
    const text = await sandboxText(file, path).catch(async (error) => {
      throw (isOurs(error) ? undefined : await misnamedImports(file, path)) ?? error
    })
    return openSandbox(file, text, untrusted)
  }
  const folder = await temporaryFolder()
  try {
    const module = join(folder, `${basename(path).replace(/\.[^.]*$/, '')}.mjs`)
    await writeFile(module, await bundle(file, path, module))
    process.setSourceMapsEnabled(true) // so that an error's stack names the script's own lines
    return checked(file, (await import(/* @vite-ignore */ pathToFileURL(module).href)) as Record<string, unknown>)
  } catch (error) {
    if (isOurs(error)) throw error
    const misnamed = await misnamedImports(file, path)
    throw misnamed ?? new ControllerError(file, `threw while it was loaded: ${describe(error)}`, NaN, error)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Regular files of this disk, below these folders if there are any. */
const policyFiles = (within?: readonly string[]): PolicyFiles => ({
  read: async (path) => readRegularFile(within === undefined ? path : pathWithin(path, within), LARGEST),
  beside: (path, name) => resolve(dirname(path), name),
})

/** A thrown value may be a proxy, on which `instanceof` may throw. */
function isOurs(error: unknown): boolean {
  try {
    return error instanceof ControllerError
  } catch {
    return false
  }
}

/** A controller's files: itself and its imports, by absolute path; or, where it imports packages, all of it as one module. */
export type ControllerFiles = Readonly<Awaited<ReturnType<typeof controllerFiles>>>

/**
 * The files that `loadController` of this file would read. Runs nothing.
 *
 * @param within of one that is not trusted, the folders below which it and its network lie: only the imports allowed for such a script,
 *   itself alone where it imports anything else
 * @throws ControllerError, also for a policy whose network is none
 */
export async function controllerFiles(file: string, within?: readonly string[]) {
  is.check(file, is.name, 'controllerFiles: file')
  const isUntrusted = within !== undefined
  const entry = isUntrusted ? await realpath(file) : resolve(file)
  if (isPolicy(entry)) {
    const files = policyFiles(within)
    const { network } = await policyParts(file, entry, files)
    await openPolicy(file, entry, files)
    return {
      /** Absolute path of the script. */
      entry,
      files: new Map(await Promise.all([entry, network].map(async (one) => [one, await files.read(one)] as const))),
    }
  }
  const { build } = await import('esbuild')
  try {
    const { metafile, outputFiles } = await build({
      ...bundling,
      absWorkingDir: dirname(entry),
      entryPoints: [entry],
      plugins: [
        ...(isUntrusted ? [inFolder(dirname(entry))] : []),
        networks,
        ourEntries((path) => `featherbed/${dirname(path)}`),
      ],
      tsconfigRaw: {},
      metafile: true,
    })
    const inputs = Object.keys(metafile.inputs).map((input) => resolve(dirname(entry), input))
    if (inputs.some((input) => /[\\/]node_modules[\\/]/.test(input)))
      return { entry, files: new Map([[entry, outputFiles[0].contents]]) }
    return { entry, files: new Map(await Promise.all(inputs.map(async (input) => [input, await readFile(input)] as const))) }
  } catch (error) {
    if (isUntrusted) return { entry, files: new Map([[entry, await readFile(entry)]]) }
    throw unbuilt(file, error)
  }
}

const bundling = { bundle: true, write: false, format: 'esm', platform: 'node', target: 'node20', logLevel: 'silent' } as const

const mapped = { sourcemap: 'inline', sourcesContent: false } as const
/** `x ** y` becomes a call of pow, which is then ours. */
const withoutPowers = { supported: { 'exponent-operator': false } }

/** The script and all that it imports as one module, with our `Math` in place of the engine's. */
async function bundle(file: string, path: string, outfile: string): Promise<string> {
  const contents = await scriptText(file, path, outfile)
  if (isBuilt) return contents
  const { build } = await import('esbuild')
  const again = await build({ ...bundling, ...mapped, outfile, stdin: { contents, sourcefile: outfile }, plugins: [fileUrls] })
  return again.outputFiles[0].text
}

/** The same with this package's modules by their URLs. */
async function scriptText(
  file: string,
  path: string,
  outfile: string,
  plugins: Plugin[] = [],
  urlOf = runningUrl,
): Promise<string> {
  const { build } = await import('esbuild')
  try {
    const result = await build({
      ...bundling,
      ...mapped,
      ...withoutPowers,
      outfile,
      entryPoints: [path],
      plugins: [...plugins, networks, ourEntries(urlOf)],
      tsconfigRaw: {}, // a tsconfig.json beside the script is ignored
    })
    // An import shadows the global of its name in the whole module; on the first line, it moves no line of the script.
    return `import { scriptMath as Math } from ${JSON.stringify(urlOf('control/scriptMath'))}; ${result.outputFiles[0].text}`
  } catch (error) {
    throw unbuilt(file, error)
  }
}

/** The script, all that it imports and the inner side of the sandbox as one text. */
async function sandboxText(file: string, path: string): Promise<SandboxText> {
  const entry = await realpath(path)
  const name = join(dirname(entry), 'script.mjs')
  const contents = await scriptText(file, entry, name, [inFolder(dirname(entry))], treeUrl)
  const ours = new Set([treeUrl('control/scriptMath'), ...entries.map((each) => treeUrl(`${each}/index`))])
  const script: Plugin = {
    name: 'script',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^script$/ }, () => ({ path: name, namespace: 'script' }))
      // a name composed in bundling was not checked before: nothing is read for it
      onResolve({ filter: /.*/, namespace: 'script' }, ({ path }) => (ours.has(path) ? undefined : { path, external: true }))
      onLoad({ filter: /.*/, namespace: 'script' }, () => ({ contents, loader: 'js' }))
    },
  }
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    ...bundling,
    ...withoutPowers,
    platform: 'neutral',
    sourcemap: 'external',
    sourcesContent: false,
    outfile: name,
    stdin: {
      contents: `import ${JSON.stringify(treeUrl('control/sandbox/globals'))}
        import { serve } from ${JSON.stringify(treeUrl('control/sandbox/guest'))}
        import * as script from 'script'
        export const guest = serve(script)`,
    },
    plugins: [script, fileUrls, withoutPackages],
  })
  const [map, code] = outputFiles.toSorted((a, b) => b.path.length - a.path.length)
  const places = new SourceMap(JSON.parse(map.text))
  return {
    code: code.text,
    name,
    locate(line, column) {
      const entry = places.findEntry(line - 1, column - 1)
      if (!('originalSource' in entry)) return undefined
      const source = entry.originalSource
      const path = source.startsWith('file:') ? fileURLToPath(source) : resolve(dirname(name), source)
      return `${path}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    },
    // without control characters for a terminal
    print: (line) => process.stderr.write(`${line.replaceAll(/\p{Cc}/gu, ' ')}\n`),
  }
}

/** Of the packages that this one imports, `three` makes hulls; the others read files, and unused imports of them are left out. */
const withoutPackages: Plugin = {
  name: 'without-packages',
  setup(build) {
    build.onResolve({ filter: /^[a-z@]/ }, ({ path }) =>
      /^three\b/.test(path) ? undefined : { path, external: true, sideEffects: false },
    )
  },
}

/** Restricts the bundle of an untrusted script to this package and files in its folder. Else it could read any file as text. */
const inFolder = (folder: string): Plugin => ({
  name: 'in-folder',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path }) => {
      const text = `an untrusted controller cannot import "${path}"; it has its folder, its packages there and featherbed/...`
      return isBuiltin(path) || /^[a-z]{2,}:/i.test(path) ? { errors: [{ text }] } : undefined
    })
    onLoad({ filter: /.*/, namespace: 'file' }, async ({ path }) => {
      const refused = (why: string) => ({ errors: [{ text: `an untrusted controller cannot import ${path}, which ${why}` }] })
      try {
        if (/\.onnx$/.test(path)) return void pathWithin(path, [folder])
        const loader = loaderOf(path)
        if (loader === undefined) return refused('is no script')
        const contents = new TextDecoder().decode(readRegularFile(pathWithin(path, [folder]), LARGEST))
        // a source map that it names would be read too, wherever it lies
        return { contents: contents.replaceAll(/[#@](?= sourceMappingURL=)/g, ' '), loader, resolveDir: dirname(path) }
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        return refused(
          code === 'file-outside' ? `is outside of its folder ${folder}; copy it there` : `cannot be read: ${message}`,
        )
      }
    })
  },
})

/** How an untrusted script's import is read; undefined for what is neither a script nor data. */
const loaderOf = (path: string): Loader | undefined =>
  (({ '.json': 'json', '.txt': 'text' }) as const)[extname(path)] ?? (/\.[cm]?([jt]sx?)$/.exec(path)?.[1] as Loader | undefined)

/** An ONNX file that a script imports is its network. */
const networks: Plugin = {
  name: 'networks',
  setup({ onLoad }) {
    onLoad({ filter: /\.onnx$/, namespace: 'file' }, ({ path }) => ({
      contents: `import { networkOf } from 'featherbed/control'
        export default networkOf(${JSON.stringify(Buffer.from(readRegularFile(path, LARGEST)).toString('latin1'))}, ${JSON.stringify(path)})`,
      resolveDir: dirname(path),
    }))
  },
}

function unbuilt(file: string, error: unknown): unknown {
  const { errors } = error as Partial<BuildFailure>
  return errors === undefined ? error : new ControllerError(file, errors.map(located).join('; '))
}

/** A module that runs in this process. @param path from the root of the sources */
const runningUrl = (path: string) => moduleUrl(path).href
/** The same to be bundled into a text of its own. */
const treeUrl = (path: string) => treeModule(path).href

/**
 * Resolves `featherbed/...` to this package, so that a script shares its modules with the process.
 *
 * @param urlOf URL in place of such an import, from the path of the module
 */
const ourEntries = (urlOf: (path: string) => string): Plugin => ({
  name: 'featherbed-entries',
  setup(build) {
    build.onResolve({ filter: /^featherbed\// }, ({ path }) => {
      const name = path.slice('featherbed/'.length)
      if (!entries.includes(name)) return { errors: [{ text: `there is no "${path}"; there are ${entries.join(', ')}` }] }
      return { path: urlOf(`${name}/index`), external: true }
    })
  },
})

/**
 * Imports of a script from `featherbed/...` by unknown names, with file, line and column, which neither Node's error nor one
 * about this package's sources has; undefined if there are none. Runs nothing of the script.
 */
async function misnamedImports(file: string, path: string): Promise<ControllerError | undefined> {
  const names: Plugin = {
    name: 'names',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^featherbed\// }, ({ path }) => ({ path, namespace: 'names' }))
      onLoad({ filter: /.*/, namespace: 'names' }, async ({ path }) => {
        const module: object = await import(/* @vite-ignore */ runningUrl(`${path.slice('featherbed/'.length)}/index`))
        return { contents: `export let ${Object.keys(module).join(', ')}` }
      })
    },
  }
  const { build } = await import('esbuild')
  try {
    await build({ ...bundling, entryPoints: [path], plugins: [names, networks], tsconfigRaw: {} })
    return undefined
  } catch (error) {
    const wrong = ((error as Partial<BuildFailure>).errors ?? []).flatMap((message) => {
      const [, entry, name] = /^No matching export in "names:(.*)" for import "(.*)"$/.exec(message.text) ?? []
      if (name === undefined) return []
      const meant = message.location?.suggestion ? `. Did you mean ${message.location.suggestion}?` : ''
      return located({ ...message, text: `"${entry}" has no "${name}"${meant}` })
    })
    return wrong.length === 0 ? undefined : new ControllerError(file, wrong.join('; '))
  }
}

/** Bundles the targets of file URLs: this package's sources, which Node cannot load directly. */
const fileUrls: Plugin = {
  name: 'file-urls',
  setup(build) {
    build.onResolve({ filter: /^file:/ }, ({ path }) => ({ path: fileURLToPath(path) }))
  },
}

function located({ text, location }: Message): string {
  if (location === null) return text
  const inside = relative('.', location.file)
  const path = inside.startsWith('..') ? resolve(location.file) : inside
  return `${path}:${location.line}:${location.column + 1}: ${text}`
}

function checked(file: string, module: Record<string, unknown>): Controller {
  const problem = problemOf(module)
  if (problem !== undefined) throw new ControllerError(file, problem)
  const own = module.default as Controller
  // read here, where an error of a getter is attributed to the file: `rate` is needed before there is a loop
  const { rate, output, log, metrics } = own
  return {
    rate,
    ...(output !== undefined && { output }),
    ...(log !== undefined && { log: [...log] }),
    init: (setup) => own.init(setup),
    update: (state, dt) => own.update(state, dt),
    metrics: metrics && ((state) => metrics.call(own, state)),
  }
}
