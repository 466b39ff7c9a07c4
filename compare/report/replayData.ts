/** Data that the page's script plays and draws, kept small. */
import { deflateRawSync } from 'node:zlib'
import { worldWords } from '../judge/verdictWords.ts'
import { isKept, lawSentence } from '../measure/laws.ts'
import { milliseconds, percent } from '../measure/numbers.ts'
import {
  encodeFrames,
  encodeSeries,
  type Looks,
  type PageData,
  type PageMark,
  type PageRun,
  type PageSubject,
  seriesOf,
  withLooks,
} from '../recording/replay/index.ts'
import type { Pair, ReportPlots, Shown, Subject } from './subject.ts'
import { leadsOf } from './verdictCard.ts'

/** Characters that scenes, the frames of all runs and the charts of other variants may take; runs hidden at first are dropped where there is no room. */
const MOST_BLOCKS = 1_700_000

/** @returns the data, and how many runs could not be kept to be played */
export function replayData(subjects: readonly Subject[], looks?: Looks): { readonly data: PageData; readonly left: number } {
  const scenes = new Map<string, number>()
  const made = subjects.map((subject) => {
    const leads = leadsOf(subject)
    const runs = subject.pairs.map((pair) => pageRuns(pair, subject, leads.get(pair) ?? '', scenes))
    const shown = [...leads.keys()].map((pair) => subject.pairs.indexOf(pair))
    return { subject, runs, shown }
  })
  // runs visible at first come first, then their other variants, then all others in turn
  const packed = packScenes(scenes, looks)
  let room = MOST_BLOCKS - packed.blocks.reduce((sum, block) => sum + block.length, 0)
  let left = 0
  const kept = new Set<PageRun>()
  const hidden = made.flatMap(({ runs, shown }) => runs.filter((_, index) => !shown.includes(index)))
  const visible = made.flatMap(({ runs, shown }) => shown.map((index) => runs[index]))
  for (const run of [visible, hidden].flatMap((list) => [
    ...list.map(([run]) => run),
    ...list.flatMap(([, ...others]) => others),
  ])) {
    const size = (run.frames?.length ?? 0) + (run.series?.length ?? 0)
    if (size > room) left++
    else {
      room -= size
      kept.add(run)
    }
  }
  const data = {
    ...packed,
    subjects: made.map(
      ({ subject, runs, shown }): PageSubject => ({
        name: subject.title,
        duration: subject.duration,
        limits: subject.limits,
        scales: scalesOf(subject),
        runs: runs.map(([run, ...others]) => ({
          ...(kept.has(run) ? run : { ...run, frames: null, scene: null }),
          ...(others.length > 0 && { others: others.map((other) => (kept.has(other) ? other : null)) }),
        })),
        ...(subject.worlds.length > 1 && { worlds: subject.worlds }),
        shown,
      }),
    ),
  }
  return { data, left }
}

function scalesOf({ pairs, robot }: Subject): PageSubject['scales'] {
  const energies = pairs.flatMap(({ runs }) => runs.flatMap(({ run }) => run.error?.energyScale_J ?? []))
  return { energy: Math.max(0, ...energies), force: 9.81 * robot.mass }
}

/** Each line once: variants of a world differ in the mechanism alone. */
function packScenes(texts: ReadonlyMap<string, number>, looks: Looks = new Map()): Omit<PageData, 'subjects'> {
  const blocks = new Map<string, number>()
  const missing = new Set<string>()
  const placeOf = (line: string) => {
    const place = blocks.get(line) ?? blocks.size
    blocks.set(line, place)
    return place
  }
  const scenes = [...texts.keys()].map((text) => withLooks(text, looks, missing).split('\n').map(placeOf))
  return { blocks: [...blocks.keys()].map((line) => deflated(Buffer.from(line))), scenes, missing: [...missing] }
}

export const deflated = (bytes: Uint8Array): string => deflateRawSync(bytes, { level: 9 }).toString('base64')

/** The first seed of a pair, in each of its worlds. */
function pageRuns(
  { runs, model, dt, look }: Pair,
  { duration, worlds, limits }: Subject,
  role: string,
  scenes: Map<string, number>,
): PageRun[] {
  const firsts =
    worlds.length > 1 ? worlds.map((words) => runs.find(({ run }) => worldWords(run) === words) ?? runs[0]) : [runs[0]]
  return firsts.map((shown) => ({
    ...{ model, dt, step: milliseconds(dt), color: look.hue, dash: look.stroke, role },
    ...blocksOf(shown.plots, duration, scenes),
    failure: shown.run.status === 'failed' ? shown.run.failure : null,
    marks: marksOf(shown, limits),
  }))
}

function blocksOf({ series, tracking, replay }: ReportPlots, duration: number, scenes: Map<string, number>) {
  let scene: number | null = null
  if (replay) {
    scene = scenes.get(replay.scene) ?? scenes.size
    scenes.set(replay.scene, scene)
  }
  return {
    scene,
    frames: replay ? deflated(encodeFrames(replay.frames)) : null,
    series: series ? deflated(encodeSeries(seriesOf(series, tracking, duration))) : null,
  }
}

/** A replay outside any verdict: a run, or several of the same world. */
export interface PlainRun {
  readonly model: string
  readonly dt: number
  readonly failure: string | null
  /** Beside its name, or ''. */
  readonly role: string
  readonly plots: ReportPlots
}
export type PlainSubject = Pick<PageSubject, 'name' | 'duration' | 'limits'> & { readonly runs: readonly PlainRun[] }

export function plainReplays(subjects: readonly PlainSubject[], looks?: Looks): PageData {
  const scenes = new Map<string, number>()
  const made = subjects.map(
    ({ runs, ...subject }): PageSubject => ({
      ...subject,
      scales: { energy: 0, force: 0 },
      runs: runs.map(({ model, dt, failure, role, plots }, k) => ({
        ...{ model, dt, step: milliseconds(dt), color: k, dash: 0, role, failure },
        ...blocksOf(plots, subject.duration, scenes),
        marks: [],
      })),
      shown: runs.map((_, k) => k),
    }),
  )
  return { ...packScenes(scenes, looks), subjects: made }
}

/** Where its motion leaves what models agree on, where it broke each law the most, and where it broke off; rising. */
export function marksOf({ run, plots }: Shown, limits: Subject['limits']): PageMark[] {
  const marks: PageMark[] = []
  const row = plots.tracking?.tracking.findIndex((error) => error > limits.tracking) ?? -1
  if (plots.tracking && row >= 0)
    marks.push({
      t: plots.tracking.t[row],
      text: `its motion parts from the agreed one by more than ${percent(limits.tracking)}`,
    })
  for (const check of run.laws ?? []) {
    const at = isKept(check) ? undefined : /at t = (\S+) s/.exec(check.detail ?? '')?.[1]
    if (at !== undefined) marks.push({ t: Number(at), text: lawSentence(check) })
  }
  const end = plots.replay?.frames.t.at(-1)
  if (run.status === 'failed' && end !== undefined) marks.push({ t: end, text: 'it broke off' })
  return marks.toSorted((a, b) => a.t - b.t)
}
