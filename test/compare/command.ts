import { type ChildProcess, execFile, fork } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import type { Results, ResultsFile } from '../../compare/compare.ts'

/** The built command: workers load JavaScript, so it is tested as it is shipped. FEATHERBED_DIST names another build. */
export const dist = process.env.FEATHERBED_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url))
const main = join(dist, 'compare', 'cli', 'main.js')

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

/** Runs `featherbed` with these arguments, without computing times. @param before a line for the shell that runs it */
export function featherbed(args: readonly string[], environment?: Record<string, string>, before?: string): Promise<Answer> {
  return timedFeatherbed(withoutTimes(args), environment, before)
}

/** The same with computing times. */
export function timedFeatherbed(
  args: readonly string[],
  environment: Record<string, string> = {},
  before?: string,
): Promise<Answer> {
  checkBuilt()
  return new Promise((resolve) => {
    const [command, words] =
      before === undefined
        ? [process.execPath, [main, ...args]]
        : ['sh', ['-c', `${before}; exec "$@"`, 'sh', process.execPath, main, ...args]]
    execFile(command, words, { env: { ...process.env, ...environment }, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
    })
  })
}

function checkBuilt(): void {
  if (!existsSync(main)) throw new Error(`${main} is not built; run "npm run build:core" first`)
}

/**
 * Runs `featherbed` many times in one process, one after the other and without computing times, which saves half a second of loading
 * each. How a process ends and what it leaves behind only `featherbed` sees. For one test file.
 */
export function commandSession(): (args: readonly string[]) => Promise<Answer> {
  let session: ChildProcess | undefined
  let last: Promise<unknown> = Promise.resolve()
  afterAll(() => session?.kill())
  const ask = (args: readonly string[]) =>
    new Promise<Answer>((resolve, reject) => {
      const script = fileURLToPath(new URL('./commandSession.mjs', import.meta.url))
      session ??= fork(script, [main], { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
      const { pid } = session
      const ended = (code: number | null) =>
        reject(new Error(`featherbed ${args.join(' ')}: process ${pid} ended with code ${code}`))
      session.once('exit', ended)
      session.once('message', (answer) => {
        session?.off('exit', ended)
        resolve(answer as Answer)
      })
      session.send(withoutTimes(args))
    })
  return (args) => {
    checkBuilt()
    const answer = last.then(() => ask(args))
    last = answer.catch(() => {
      session?.kill()
      session = undefined // the next command gets a process of its own
    })
    return answer
  }
}

/** A folder for one test file, gone afterwards. */
export function temporaryFolder(): { path: string; write: (name: string, text: string) => string } {
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
