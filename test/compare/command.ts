import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, expect } from 'vitest'
import type * as command from '../../compare/cli/command.ts'
import type { Results, ResultsFile } from '../../compare/judge/compare.ts'
import type * as pool from '../../compare/run/pool.ts'

/** The built package: workers load JavaScript, so the command is tested as it is shipped. FEATHERBED_DIST names another build. */
export const dist = process.env.FEATHERBED_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url))
/** The folder of the command's bundle. */
export const bundle = join(dist, 'command', 'compare')
/** The script that a process of the command starts with. */
export const main = join(bundle, 'cli', 'main.js')

export interface Answer {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Takes computing times, over half a second of them a command, which few tests look at. */
const timing = ['run', 'compare']

function withoutTimes(args: readonly string[]): readonly string[] {
  const isTimed = timing.includes(args[0]) && args.length > 1 && !args.includes('--help')
  return isTimed ? [...args, '--no-timing'] : args
}

const moduleOf = <T>(name: string) => import(/* @vite-ignore */ pathToFileURL(join(bundle, `${name}.js`)).href) as Promise<T>
let loaded: ReturnType<typeof load> | undefined
/** Commands of a process run one after the other. */
let last: Promise<unknown> = Promise.resolve()

/** The built command, loaded once a process, with worker threads that all its commands share. */
async function load() {
  checkBuilt()
  const { runCommand } = await moduleOf<typeof command>('cli/command')
  const { IdleThreads } = await moduleOf<typeof pool>('run/pool')
  return { runCommand, idle: new IdleThreads() }
}

/** Runs `featherbed` with these arguments in this process, without computing times. */
export function featherbed(args: readonly string[]): Promise<Answer> {
  return timedFeatherbed(withoutTimes(args))
}

/** The same with computing times. */
export function timedFeatherbed(args: readonly string[]): Promise<Answer> {
  const answer = last.then(async (): Promise<Answer> => {
    loaded ??= load()
    const { runCommand, idle } = await loaded
    const written = { stdout: '', stderr: '' }
    const stream = (name: 'stdout' | 'stderr') => ({ write: (text: string) => (written[name] += text) })
    const code = await runCommand(args, { stdout: stream('stdout'), stderr: stream('stderr'), idle })
    return { code, ...written }
  })
  last = answer.catch(() => {})
  return answer
}

/**
 * Starts `featherbed` as a process of its own, which takes a third of a second, without computing times: for what only a process shows.
 *
 * @param before a line for the shell that runs it
 */
export function featherbedProcess(
  args: readonly string[],
  environment: Record<string, string> = {},
  before?: string,
): Promise<Answer> {
  checkBuilt()
  return new Promise((resolve) => {
    const words = [main, ...withoutTimes(args)]
    const [file, all] =
      before === undefined ? [process.execPath, words] : ['sh', ['-c', `${before}; exec "$@"`, 'sh', process.execPath, ...words]]
    execFile(file, all, { env: { ...process.env, ...environment }, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
    })
  })
}

/** The answer of a command that is to end with this code. */
export async function ended(code: number, command: Promise<Answer>): Promise<Answer> {
  const answer = await command
  expect(answer.code, answer.stderr).toBe(code)
  return answer
}

/** What a command that is refused says on stderr: it ends with 2, and stdout is empty. */
export async function refusal(args: readonly string[]): Promise<string> {
  const { stderr, ...answer } = await featherbed(args)
  expect(answer).toEqual({ code: 2, stdout: '' })
  return stderr
}

function checkBuilt(): void {
  if (!existsSync(main)) throw new Error(`${main} is not built; run "npm run build:core" first`)
}

/** A folder for one test file, gone afterwards. */
export function temporaryFolder(): { path: string; write: (name: string, text: string | Uint8Array) => string } {
  const path = mkdtempSync(join(tmpdir(), 'featherbed-compare-'))
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return {
    path,
    write: (name, text) => {
      writeFileSync(join(path, name), text)
      return join(path, name)
    },
  }
}

/** A cube of 2 kg with 20 cm edges. */
export const blockUrdf =
  '<robot name="block"><link name="body"><inertial><mass value="2"/>' +
  '<inertia ixx="0.0133" iyy="0.0133" izz="0.0133" ixy="0" ixz="0" iyz="0"/></inertial>' +
  '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>'

/** The results of a command that compared under one scenario. @param text its JSON */
export function onlyComparison(text: string): Results {
  const { comparisons } = JSON.parse(text) as ResultsFile
  if (comparisons.length !== 1) throw new Error(`found ${comparisons.length} comparisons, expected one`)
  return comparisons[0]
}
