/** Where engines of Python are, and how they get there: an environment each, with what is pinned here. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Packages of each engine or program with solvers, the first its own. */
export const pythonPackages = {
  drake: ['drake==1.51.1'],
  'mujoco-native': ['mujoco==4.0.0'],
  newton: ['newton==1.8.0', 'mujoco-warp==3.17.0', 'mujoco==3.17.0'],
  dart: ['dartpy==6.20.0'],
  pinocchio: ['pin==4.1.0'],
  pybullet: ['pybullet==3.2.7', 'numpy==2.4.6'],
  sapien: ['sapien==3.0.3'],
  exudyn: ['exudyn==1.13.6'],
  conic: ['clarabel==0.11.1', 'scs==3.3.1', 'scipy==1.17.1'],
} as const
export type PythonEngine = keyof typeof pythonPackages
export const pythonEngines = Object.keys(pythonPackages) as PythonEngine[]

/** Programs that Debian packages for its own Python, and where that has them. */
const debianPackages = {
  siconos: { name: 'python3-siconos', folder: '/usr/lib/python3/dist-packages/siconos' },
} as const
type DebianProgram = keyof typeof debianPackages
export type PythonProgram = PythonEngine | DebianProgram
const isDebian = (program: PythonProgram): program is DebianProgram => Object.hasOwn(debianPackages, program)

/** The folder of all of them: FEATHERBED_ENGINES, else one among the user's caches. */
const folder = () =>
  process.env.FEATHERBED_ENGINES || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'featherbed', 'engines')

/** The interpreter of an engine. */
export const pythonOf = (engine: PythonProgram): string =>
  isDebian(engine) ? '/usr/bin/python3' : join(folder(), engine, 'bin', 'python')

/** Version of its own package; undefined where it is not installed. */
export function installedVersion(engine: PythonProgram): string | undefined {
  if (isDebian(engine)) {
    const { name, folder } = debianPackages[engine]
    // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own format
    return existsSync(folder) ? spawnSync('dpkg-query', ['-W', '-f=${Version}', name], { encoding: 'utf8' }).stdout : undefined
  }
  const lib = join(folder(), engine, 'lib')
  if (!existsSync(pythonOf(engine))) return undefined
  const name = packageOf(engine).replaceAll('-', '_')
  const found = readdirSync(lib)
    .map((python) => join(lib, python, 'site-packages'))
    .flatMap((packages) => (existsSync(packages) ? readdirSync(packages) : []))
    .map((entry) => new RegExp(`^${name}-(.+)\\.dist-info$`, 'i').exec(entry)?.[1])
  return found.find((version) => version !== undefined)
}

export const packageOf = (engine: PythonEngine): string => pythonPackages[engine][0].replace(/==.*/, '')

/** The command that installs it. */
export const installing = (engine: PythonProgram): string =>
  isDebian(engine) ? `apt-get install ${debianPackages[engine].name}` : `featherbed engines ${engine}`

/**
 * Makes its environment anew, beside an old one, which it replaces once it is whole.
 *
 * @param python an interpreter, of 3.10 or above
 * @throws Error in pip's words
 */
export function install(engine: PythonEngine, python = 'python3'): void {
  const [target, fresh] = [join(folder(), engine), join(folder(), `.${engine}-${process.pid}`)]
  mkdirSync(folder(), { recursive: true })
  try {
    // the venv is renamed below: its scripts keep the old path and are not used, its interpreter is relocatable
    run(python, ['-m', 'venv', fresh])
    run(join(fresh, 'bin', 'python'), [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      ...pythonPackages[engine],
    ])
    rmSync(target, { recursive: true, force: true })
    renameSync(fresh, target)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

function run(program: string, words: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8' })
  if (status === 0) return
  const why = error ? `there is no ${program} (${(error as NodeJS.ErrnoException).code})` : stderr.trim().split('\n').at(-1)
  throw new Error(`${[program, ...words].join(' ')}: ${why}`)
}
