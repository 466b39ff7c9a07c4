/** Public files from pinned Python packages, and the Python tools that read them beside us. Nothing of theirs is kept in the repository. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A wheel of PyPI. `only` is the part of it that is data: the start of its members' paths. */
export interface Wheel {
  readonly name: string
  readonly version: string
  readonly only?: string
}

export interface CorpusFile {
  readonly package: string
  /** Absolute, and from the package's folder. */
  readonly path: string
  readonly name: string
  /** Folder of the package. */
  readonly root: string
}

/** A request to the Python side, and its answer or the reason why there is none. */
export type Ask = (request: object) => Promise<{ readonly error?: string }>

export interface Corpus<Row> {
  readonly wheels: readonly Wheel[]
  /** The tools, as pip takes them, and the script that answers with them. */
  readonly tools: readonly string[]
  readonly script: string
  /** The page of its table; default docs/real-robots.md. */
  readonly page?: string
  isFile(name: string): boolean
  /** Files that are in no package. */
  others?(): readonly CorpusFile[]
  /** @param folder for files that are made on the way */
  row(file: CorpusFile, ask: Ask, folder: string): Promise<Row>
  /** In Markdown. */
  table(rows: readonly Row[]): string
  /** What should hold and does not, a line each. */
  faults(rows: readonly Row[]): readonly string[]
}

/** Tags under which pip finds the same wheels on every machine. */
const platform = ['--python-version', '3.11', '--only-binary', ':all:'].concat(
  ['manylinux2014_x86_64', 'manylinux_2_17_x86_64', 'manylinux_2_34_x86_64'].flatMap((tag) => ['--platform', tag]),
)
const extract =
  'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); z.extractall(sys.argv[2], [m for m in z.namelist() if m.startswith(sys.argv[3]) and not m.endswith((".py", ".so"))])'

function run(command: string, words: readonly string[]): void {
  const { status, error } = spawnSync(command, words, { stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`${command} ${words.slice(0, 4).join(' ')} ... failed${error ? `: ${error.message}` : ''}`)
}

/** Brings what is not there yet: a virtual environment with the tools, and the unpacked wheels. */
export function install(
  { wheels, tools }: Corpus<unknown>,
  folder: string,
): { python: string; files: (corpus: Corpus<unknown>) => CorpusFile[] } {
  const python = join(folder, 'venv/bin/python')
  const installed = join(folder, 'venv/tools.txt')
  mkdirSync(folder, { recursive: true })
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== tools.join('\n')) {
    run('python3', ['-m', 'venv', join(folder, 'venv')])
    run(python, ['-m', 'pip', 'install', '-q', ...tools])
    writeFileSync(installed, tools.join('\n'))
  }
  const packages = wheels.map(({ name, version, only = '' }) => {
    const root = join(folder, `${name}-${version}`)
    if (!existsSync(root)) {
      const wheel = join(folder, 'wheel')
      rmSync(wheel, { recursive: true, force: true })
      run(python, ['-m', 'pip', 'download', '-q', '--no-deps', ...platform, '-d', wheel, `${name}==${version}`])
      run(python, ['-c', extract, join(wheel, readdirSync(wheel)[0]), root, only])
      rmSync(wheel, { recursive: true })
    }
    return { name, root }
  })
  const files = ({ isFile }: Corpus<unknown>) =>
    packages.flatMap(({ name, root }) =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path): CorpusFile => ({ package: name, root, path, name: relative(root, path) }))
        .filter((file) => isFile(file.name))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    )
  return { python, files }
}

/** Longest wait for an answer [ms]. */
const patience = 120_000

/** Questions to a Python script, a line of JSON each. It starts anew when it has crashed or does not answer. */
export function asker(python: string, script: string): { ask: Ask; close: () => void } {
  let child: ChildProcessWithoutNullStreams | undefined
  const start = () => {
    const started = spawn(python, [fileURLToPath(new URL(script, import.meta.url))], { stdio: ['pipe', 'pipe', 'pipe'] })
    started.stderr.resume()
    return started
  }
  const ask: Ask = (request) =>
    new Promise((resolve) => {
      const own = (child ??= start())
      const lines = createInterface(own.stdout)
      const end = (answer: Awaited<ReturnType<Ask>>) => {
        clearTimeout(timer)
        lines.close()
        own.removeAllListeners('exit')
        resolve(answer)
      }
      const timer = setTimeout(() => own.kill('SIGKILL'), patience)
      lines.once('line', (line) => end(JSON.parse(line)))
      own.once('exit', (code, signal) => {
        child = undefined
        end({ error: `the tools ended with ${signal ?? code}` })
      })
      own.stdin.write(`${JSON.stringify(request)}\n`)
    })
  return { ask, close: () => child?.kill() }
}
