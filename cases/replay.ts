/** Scenes in motion, for the page: a column that holds, and beside it the one that is furthest off at the same step. */
import { ReplayRecorder, sceneText } from '../compare/recording/replay/index.ts'
import type { PlainRun } from '../compare/report/replayData.ts'
import { furthestOff, longestStep, type PhenomenaResult, type Row, type SceneResult } from './phenomena.ts'
import { Stills } from './picture.ts'
import type { Scene } from './scene.ts'
import { trialOf } from './trial.ts'

/** The column that is shown where it holds. */
const reference = 'ncp'

export type SceneReplay = Readonly<Awaited<ReturnType<typeof sceneReplay>>>

/** Runs both once more. */
export async function sceneReplay(scene: Scene, result: SceneResult, { columns }: PhenomenaResult) {
  const rows = shownRows(
    result,
    columns.map(({ name }) => name),
  )
  const [first, second] = rows
  const at = second === undefined ? 0 : furthestOff({ cases: result.cases, values: second.values }).at
  let stills = ''
  const runs: PlainRun[] = []
  for (const row of rows) {
    const run = await recorded(scene, at, row)
    if (row === first) stills = run?.stills ?? ''
    if (run !== undefined) runs.push(run)
  }
  const { scenario } = scene.cases[at]
  const limits = { penetration: 0, tracking: 0, energy: 0 }
  return {
    subject: { name: scene.title, duration: scenario.duration, limits, runs },
    /** SVG of the first run; '' where that broke off. */
    stills,
    /** Caption beside the first, in words. */
    words:
      second === undefined ? '' : `Beside it the column that is furthest off at this step, ${second.column}: ${second.worst}.`,
  }
}

/**
 * The reference where it holds; else of the columns the first that holds, else the first. And of the others at the same step the one that
 * misses by most. The step is the longest at which both are to be had, else the longest at which the first holds, else the longest.
 */
export function shownRows(result: SceneResult, columns: readonly string[]): Row[] {
  const order = [reference, ...columns].filter((name) => columns.includes(name))
  const column = order.find((name) => longestStep(result, name) > 0) ?? order[0]
  const own = result.rows.filter((row) => row.column === column).toSorted((a, b) => b.dt - a.dt)
  const held = own.filter(({ dt }) => dt <= longestStep(result, column))
  const pairs = (held.length > 0 ? held : own).map((first) => [first, ...furthestBeside(first, result.rows).slice(0, 1)])
  return pairs.find(({ length }) => length > 1) ?? pairs[0] ?? []
}

/** Those that miss at the same step, worst first. */
const furthestBeside = ({ column, dt }: Row, rows: readonly Row[]) =>
  rows
    .filter((row) => row.dt === dt && row.column !== column && row.verdict === 'misses' && row.score !== null)
    .toSorted((a, b) => (b.score as number) - (a.score as number))

async function recorded(scene: Scene, at: number, { column, dt, verdict }: Row) {
  let finish: (() => Promise<Pick<PlainRun, 'plots'> & { readonly stills: string }>) | undefined
  const { status, why } = await trialOf({ scene, at, column, dt }, (world, steps) => {
    const recorder = new ReplayRecorder(world, steps)
    const stills = new Stills(world, steps)
    finish = async () => ({
      plots: { series: null, tracking: null, replay: { scene: await sceneText(world), frames: recorder.frames() } },
      stills: status === 'failed' ? '' : stills.picture(scene.title),
    })
    return {
      after() {
        recorder.after()
        stills.after()
      },
    }
  })
  return finish && { model: column, dt, role: verdict, failure: status === 'failed' ? why : null, ...(await finish()) }
}
