import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { phenomenaPage, remark } from '../../../cases/page.ts'
import {
  differences,
  longestStep,
  mergedWith,
  type PhenomenaResult,
  runPhenomena,
  type SceneResult,
  sceneFiles,
} from '../../../cases/phenomena.ts'
import { type SceneReplay, sceneReplay } from '../../../cases/replay.ts'
import { parseScene } from '../../../cases/scene.ts'
import { contactModelNames } from '../../../contact/index.ts'
import { didYouMean } from '../../../dynamics/index.ts'
import { engineNames } from '../../../engines/index.ts'
import { milliseconds, significant } from '../../measure/numbers.ts'
import { commandLine } from '../commandLine.ts'
import { exitCodes, UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { outputFolder, reportUnwritten, writeAll, writeOutput } from '../output.ts'
import { type Cell, left, Progress, paintFor, right, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'
import { version } from '../version.ts'

const flags = {
  '--models <a,b>': 'contact models; all, or none (default: all)',
  '--engines <a,b>': 'external engines; all, or none (default: all that are installed)',
  '--cases <log>': "a log in place of the scene's own cases: JSON lines (.jsonl) or a table with a header (.csv)",
  '--out <dir>': 'write phenomena.json and index.html into this folder',
  '--check <file>': 'compare with the phenomena.json of an earlier run; exit code 1 if a verdict differs',
  '--into <file>':
    'keep the rows of an earlier phenomena.json that this run does not compute, and write the whole table to --out',
  '--threads <n>': 'how many at once, 0 for none of its own (default: one per processor, at most 8)',
} as const
type PhenomenaFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed phenomena --out results\n' +
    '  featherbed phenomena newtons-cradle --models ncp,penalty --engines mujoco,rapier\n' +
    '  featherbed phenomena my-scene.yaml --engines none\n\n' +
    'SCENE is the name of one that comes with the program, or a file (docs/phenomena.md). Without any all are run. A cell is the longest\n' +
    'step at which a scene holds. Engines need their packages: @mujoco/mujoco, @dimforge/rapier3d-compat, jolt-physics, cannon-es, and\n' +
    'those of featherbed engines.',
  flags,
  run: phenomena,
}

async function phenomena(scenes: readonly string[], flags: PhenomenaFlags): Promise<void> {
  const models = chosen(flags.models, contactModelNames, '--models')
  const engines = chosen(flags.engines, engineNames, '--engines')
  const threads = flags.threads === undefined ? Math.min(8, availableParallelism()) : Number(flags.threads)
  if (!(Number.isInteger(threads) && threads >= 0))
    throw new UsageError(`--threads found "${flags.threads}", expected a whole number from 0 up`)
  if (flags.cases !== undefined && scenes.length !== 1)
    throw new UsageError(`--cases ${flags.cases}: name the one scene that the log is of`)
  const kept = flags.check === undefined ? undefined : keptTable(flags.check, '--check')
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  const progress = new Progress(flags.quiet === true || flags.json === true)
  const show = (part: number) => progress.show('phenomena', part)
  const whole = flags.into === undefined ? undefined : keptTable(flags.into, '--into')
  const computed = await runPhenomena({ scenes, cases: flags.cases, models, engines, threads, version, progress: show }).finally(
    () => progress.end(),
  )
  const result = whole === undefined ? computed : mergedWith(whole, computed)
  const shown = whole === undefined ? scenes : result.scenes.map(({ name }) => name)
  const chosenFlags = [
    ...flag('--cases', flags.cases),
    ...flag('--models', flags.models),
    ...flag('--engines', flags.engines),
    ...flag('--into', flags.into),
  ]
  const command = commandLine(['phenomena', ...scenes, ...chosenFlags])
  const text = `${JSON.stringify({ ...result, command }, null, 1)}\n`
  const failures =
    folder === undefined
      ? []
      : await writeAll([
          () => writeOutput(join(folder, 'phenomena.json'), text),
          async () =>
            writeOutput(
              join(folder, 'index.html'),
              phenomenaPage(result, command, await replaysOf(shown, result, progress, flags.cases)),
            ),
        ])
  io.stdout.write(flags.json ? text : `${textOf(result, scenes.length > 0)}\n`)
  for (const missing of result.missing) io.stderr.write(`${missing}\n`)
  reportUnwritten(failures)
  if (kept === undefined) return
  const changed = differences(kept, result)
  for (const line of changed) io.stderr.write(`${line}\n`)
  if (changed.length > 0) io.exitCode = exitCodes.failed
}

async function replaysOf(
  asked: readonly string[],
  result: PhenomenaResult,
  progress: Progress,
  log?: string,
): Promise<SceneReplay[]> {
  const replays: SceneReplay[] = []
  for (const { file, source } of sceneFiles(asked, log)) {
    progress.show('replays', replays.length / result.scenes.length)
    const scene = await parseScene(source, file)
    replays.push(await sceneReplay(scene, result.scenes[replays.length], result))
  }
  progress.end()
  return replays
}

const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value])

/** The names of a list, or all. `none` is an empty list. */
function chosen(flag: string | undefined, all: readonly string[], name: string): readonly string[] {
  if (flag === undefined || flag === 'all') return all
  if (flag === 'none') return []
  const names = flag.split(',')
  const strange = names.find((one) => !all.includes(one))
  if (strange !== undefined)
    throw new UsageError(`${name} found "${strange}", expected ${all.join(', ')}, all or none${didYouMean(strange, all)}`)
  return names
}

function keptTable(file: string, flag: string): PhenomenaResult {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PhenomenaResult
  } catch (error) {
    throw new UsageError(`${flag} ${file}: ${(error as Error).message}; name a phenomena.json of an earlier run`)
  }
}

function textOf(result: PhenomenaResult, isDetailed: boolean): string {
  const { scenes, columns } = result
  const { good, bad, dim, bold } = paintFor(io.stdout)
  if (isDetailed) {
    return scenes
      .map((scene) => {
        const rows = scene.rows.map((row): Cell[] => [
          { text: row.column },
          { text: milliseconds(row.dt) },
          {
            text: row.verdict,
            paint: row.verdict === 'holds' ? good : row.verdict === 'misses' || row.verdict === 'failed' ? bad : dim,
          },
          { text: row.score === null ? '' : significant(row.score, 3) },
          { text: remark(row), paint: dim },
        ])
        const titles = [left('column'), right('step'), left(''), right('error\nover bound'), left('where it is largest')]
        return `${bold(scene.title)}\n${scene.nature} ${dim(scene.source)}\n\n${table(titles, rows)}`
      })
      .join('\n\n')
  }
  const rows = scenes.map((scene): Cell[] => [{ text: scene.name }, ...columns.map(({ name }) => cellOf(scene, name))])
  const titles = [left('longest step at which it holds'), ...columns.map(({ name }) => right(name.replaceAll(/[-,] ?/g, '\n')))]
  return table(titles, rows)

  function cellOf(scene: SceneResult, column: string): Cell {
    const longest = longestStep(scene, column)
    if (longest > 0) return { text: milliseconds(longest), paint: good }
    const verdict = scene.rows.find((row) => row.column === column)?.verdict
    if (verdict === 'blocked' || verdict === 'inconclusive') return { text: verdict, paint: dim }
    return { text: '-', paint: bad }
  }
}
