import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { BuildFailure, Message, Plugin } from 'esbuild'
import type { Controller } from './controller.ts'
import { ControllerError, describe } from './controllerError.ts'
import { temporaryFolder } from './ownFiles.ts'

/** `.ts` when this package runs from its sources, `.js` when it was built. */
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
/** What a script may import as `featherbed/NAME`. */
const entries = ['dynamics', 'contact', 'robots', 'simulation', 'control']

/** Bytes of a script. */
const LARGEST = 1e7

/**
 * Loads a controller from a .ts, .js or .mjs file: strips the types, bundles what it imports, takes `featherbed/...` from
 * this package, and gives it the project's `Math` (see `scriptMath`), `**` included. Loading a file runs its code with the
 * rights of this process. Each call loads anew.
 *
 * @throws ControllerError with file, line and column if the file is missing or has a syntax error; if it throws while it
 *   loads; or if its default export is not an object with the functions `init` and `update`
 */
export async function loadController(file: string): Promise<Controller> {
  const path = resolve(file)
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw new ControllerError(file, 'no such file; give the path of a .ts, .js or .mjs file')
  if (found.size > LARGEST) throw new ControllerError(file, `has ${found.size} bytes, more than the ${LARGEST} of any script`)
  if (!/\.(ts|mts|js|mjs)$/.test(path)) throw new ControllerError(file, 'not a .ts, .js or .mjs file')

  const folder = await temporaryFolder()
  try {
    const module = join(folder, `${basename(path).replace(/\.[^.]*$/, '')}.mjs`)
    await writeFile(module, await bundle(file, path, module))
    process.setSourceMapsEnabled(true) // so that an error's stack names the script's own lines
    return checked(file, (await import(/* @vite-ignore */ pathToFileURL(module).href)) as Record<string, unknown>)
  } catch (error) {
    if (isOurs(error)) throw error
    throw new ControllerError(file, `threw while it was loaded: ${describe(error)}`, NaN, error)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What was thrown may be a proxy, which no `instanceof` can be asked of. */
function isOurs(error: unknown): boolean {
  try {
    return error instanceof ControllerError
  } catch {
    return false
  }
}

/** A controller's files: itself and what it imports, by absolute path; or, where it imports packages, all of it as one module. */
export interface ControllerFiles {
  /** Absolute path of the script. */
  readonly entry: string
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** What `loadController` of this file would read. Runs nothing. @throws ControllerError */
export async function controllerFiles(file: string): Promise<ControllerFiles> {
  const { build } = await import('esbuild')
  const entry = resolve(file)
  try {
    const { metafile, outputFiles } = await build({
      ...bundling,
      absWorkingDir: dirname(entry),
      entryPoints: [entry],
      plugins: [ourEntries('featherbed/')],
      tsconfigRaw: {},
      metafile: true,
    })
    const inputs = Object.keys(metafile.inputs).map((input) => resolve(dirname(entry), input))
    if (inputs.some((input) => /[\\/]node_modules[\\/]/.test(input)))
      return { entry, files: new Map([[entry, outputFiles[0].contents]]) }
    return { entry, files: new Map(await Promise.all(inputs.map(async (input) => [input, await readFile(input)] as const))) }
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>
    if (errors === undefined) throw error
    throw new ControllerError(file, errors.map(located).join('; '))
  }
}

const bundling = { bundle: true, write: false, format: 'esm', platform: 'node', target: 'node20', logLevel: 'silent' } as const

/** The script and all that it imports as one module, with our `Math` in place of the engine's. */
async function bundle(file: string, path: string, outfile: string): Promise<string> {
  const { build } = await import('esbuild')
  const maps = { sourcemap: 'inline', sourcesContent: false, outfile } as const
  try {
    const result = await build({
      ...bundling,
      ...maps,
      entryPoints: [path],
      supported: { 'exponent-operator': false }, // `x ** y` becomes a call of pow, which is then ours
      plugins: [ourEntries()],
      tsconfigRaw: {}, // what tsconfig.json lies beside the script changes nothing
    })
    // An import shadows the global of its name in the whole module; on the first line, it moves no line of the script.
    const contents = `import { scriptMath as Math } from ${JSON.stringify(urlOf('./scriptMath'))}; ${result.outputFiles[0].text}`
    if (extension === '.js') return contents
    const again = await build({ ...bundling, ...maps, stdin: { contents, sourcefile: outfile }, plugins: [fileUrls] })
    return again.outputFiles[0].text
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>
    if (errors === undefined) throw error
    throw new ControllerError(file, errors.map(located).join('; '))
  }
}

const urlOf = (module: string) => new URL(module + extension, import.meta.url).href

/**
 * Leads `featherbed/...` to this package, so that a script shares its modules with the process.
 *
 * @param prefix what these imports are to begin with in place of the package's place
 */
const ourEntries = (prefix?: string): Plugin => ({
  name: 'featherbed-entries',
  setup(build) {
    build.onResolve({ filter: /^featherbed\// }, ({ path }) => {
      const name = path.slice('featherbed/'.length)
      if (!entries.includes(name)) return { errors: [{ text: `there is no "${path}"; there are ${entries.join(', ')}` }] }
      return { path: prefix === undefined ? urlOf(`../${name}/index`) : prefix + name, external: true }
    })
  },
})

/** Bundles what file URLs name: this package's sources, which Node cannot load as they are. */
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

function checked(file: string, { default: controller }: Record<string, unknown>): Controller {
  const remedy = 'write `export default { init(setup) { ... }, update(state, dt) { ... } }`'
  if (controller === undefined) throw new ControllerError(file, `has no default export; ${remedy}`)
  if (typeof controller !== 'object' || controller === null)
    throw new ControllerError(file, `its default export is a ${typeof controller}, not an object; ${remedy}`)
  for (const name of ['init', 'update'])
    if (typeof (controller as Record<string, unknown>)[name] !== 'function')
      throw new ControllerError(file, `its default export has no function "${name}"; ${remedy}`)
  const own = controller as Controller
  // read here, where a getter of it is charged to the file: `rate` is needed before there is a loop
  const { rate, metrics } = own
  return {
    rate,
    init: (setup) => own.init(setup),
    update: (state, dt) => own.update(state, dt),
    metrics: metrics && ((state) => metrics.call(own, state)),
  }
}
