/*
 * node --import ./scripts/typescript.mjs bench/contact/contactMatrix.ts
 *
 * What the contact matrix costs each way, on robots, chains and loose boxes with 1 to 32 contacts of three rows: prints the tables
 * of docs/solvers.md and writes docs/images/contact-matrix.svg. `npm run bench -- 'contact matrix'` times the same beside
 * MuJoCo's WASM build: begin and build against mj_makeM, mj_factorM, mj_makeConstraint and mj_projectConstraint with its dual
 * solver, without which it forms no such matrix, on as many contacts of the same bodies; kinematics are there for both.
 * The chain of 128 links, which MuJoCo's reader does not take, stands beside our own factored way.
 * FEATHERBED_ROBOTS names a folder of real robots, of which Atlas is taken.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chart, logRange } from '../../compare/report/chart.ts'
import { FactoredMatrix, RecursiveMatrix, RowSet, TestForceMatrix } from '../../contact/index.ts'
import {
  buildModel,
  createData,
  createRandom,
  createState,
  JointType,
  kinematics,
  type Model,
  type State,
} from '../../dynamics/index.ts'
import { mujocoContacts } from '../../test/contact/matrix/mujocoContacts.ts'
import { randomChain } from '../../test/dynamics/chains.ts'
import { type Row, rowOf } from '../measure.ts'
import { modelOf, subjects as robots } from '../subjects.ts'
import { costPicture } from './costPicture.ts'

const matrices = { factored: FactoredMatrix, 'test-forces': TestForceMatrix, recursive: RecursiveMatrix } as const
const ways = Object.keys(matrices) as (keyof typeof matrices)[]
const counts = [1, 4, 8, 16, 32] as const
const lengths = [8, 16, 32, 64, 128] as const
const subjects: readonly string[] = [
  'diffdrive',
  'humanoid',
  ...robots.filter((name) => name === 'atlas'),
  ...[8, 32, 128].map((n) => `chain ${n}`),
  '20 boxes',
]

const rowName = (subject: string, count: number, way: string) => `contact matrix ${subject} ${count} ${way}`
export const contactMatrixRowNames: readonly string[] = subjects.flatMap((subject) =>
  counts.flatMap((count) => ways.map((way) => rowName(subject, count, way))),
)

/**
 * The rows whose names contain `wanted`, timed in a process of their own: once the memory of MuJoCo's WASM has grown, V8 checks
 * every typed array of that process for having lost its buffer.
 */
export async function contactMatrixRows(wanted: string, take: (row: Row) => void): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['rows', wanted])
  child.on('message', take)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the process that timed contact matrices ended with code ${code}; its message stands above`)
}

interface Subject {
  readonly model: Model
  readonly state: State
  /** The bodies of so many contacts. */
  bodies(count: number): number[]
}

/** A robot's contacts go round its tips, a chain's are spread evenly over its links, boxes have one after the other. */
function subjectOf(name: string): Subject {
  const chainLength = Number(/^chain (\d+)$/.exec(name)?.[1])
  const model =
    name === '20 boxes' ? boxes(20) : chainLength > 0 ? randomChain(createRandom(1), chainLength, () => 1) : modelOf(name)
  const random = createRandom(2)
  const state = createState(model)
  for (let i = 1; i < model.nb; i++) {
    const k = model.qStart[i]
    if (model.jointType[i] === JointType.revolute && model.follows[i] < 0) state.q[k] = random.between(-0.5, 0.5)
    if (model.jointType[i] === JointType.floating) state.q[k + 2] = 1 + 0.5 * i
  }
  const tips: number[] = []
  for (let i = 1; i < model.nb; i++) if (model.vLast[i] >= 0 && !model.parent.includes(i)) tips.push(i)
  return {
    model,
    state,
    bodies: (count) =>
      Array.from({ length: count }, (_, n) =>
        chainLength > 0 ? Math.max(1, Math.round(((n + 1) * chainLength) / count)) : tips[n % tips.length],
      ),
  }
}

function boxes(count: number): Model {
  return buildModel(
    `${count} boxes`,
    Array.from({ length: count }, (_, i) => ({
      name: `box ${i + 1}`,
      jointName: `free ${i + 1}`,
      parent: 0,
      jointType: JointType.floating,
      mass: 1,
      inertia: [0.01, 0.02, 0.03, 0, 0, 0] as const,
    })),
  )
}

/** Microseconds of begin and build each way. */
function timeWays({ model, state, bodies }: Subject, count: number): number[] {
  const data = createData(model)
  kinematics(model, state, data)
  const random = createRandom(3)
  const rows = new RowSet()
  for (const body of bodies(count)) {
    const i = rows.addForce(0, body, 3)
    for (let c = 0; c < 3; c++) rows.point[3 * i + c] = data.p_WB[body][c] + random.between(-0.1, 0.1)
    rows.axes.set([0, 0, 1, 1, 0, 0, 0, 1, 0], 9 * i)
  }
  const W = new Float64Array(9 * count * count)
  const added = new Float64Array(model.nv)
  const runs = ways.map((way) => {
    const matrix = new matrices[way](model)
    return () => {
      matrix.begin(data, added)
      matrix.build(rows, W)
    }
  })
  return timeInTurns(runs)
}

/** Times of many, gone through three times: the lowest of each, for a machine has slow minutes too. */
async function lowestOfThree<T>(items: readonly T[], time: (item: T) => number[] | Promise<number[]>): Promise<number[][]> {
  const lowest: number[][] = []
  for (let pass = 0; pass < 3; pass++) {
    for (const [i, item] of items.entries()) {
      const times = await time(item)
      lowest[i] = pass === 0 ? times : times.map((t, k) => Math.min(t, lowest[i][k]))
    }
  }
  return lowest
}

/** Lower quartiles [microseconds]: what other work of the machine adds is in the upper samples. */
function timeInTurns(runs: readonly (() => void)[]): number[] {
  const calls = runs.map((run) => {
    const end = performance.now() + 30
    let n = 0
    for (; performance.now() < end; n++) run()
    return Math.max(1, Math.round(n / 60)) // half a millisecond a sample
  })
  const samples: number[][] = runs.map(() => [])
  for (let round = 0; round < 50; round++) {
    runs.forEach((run, side) => {
      const start = performance.now()
      for (let k = 0; k < calls[side]; k++) run()
      samples[side].push((1e3 * (performance.now() - start)) / calls[side])
    })
  }
  return samples.map((list) => list.sort((a, b) => a - b)[list.length >> 2])
}

interface Entry {
  readonly name: string
  readonly subject: Subject
  readonly count: number
}

function entriesOf(names: readonly string[], keeps: (name: string, count: number) => boolean): Entry[] {
  return names.flatMap((name) => {
    const subject = subjectOf(name)
    return counts.filter((count) => keeps(name, count)).map((count) => ({ name, subject, count }))
  })
}

async function sendRows(wanted: string): Promise<void> {
  const entries = entriesOf(subjects, (name, count) => ways.some((way) => rowName(name, count, way).includes(wanted)))
  const ours = await lowestOfThree(entries, ({ subject, count }) => timeWays(subject, count))
  const theirs = await lowestOfThree(entries, ({ subject, count }) => timeMujoco(subject, count))
  entries.forEach(({ name, count }, i) => {
    ways.forEach((way, k) => {
      const row = rowName(name, count, way)
      if (!row.includes(wanted)) return
      const [peer, time] = theirs[i].length === 0 ? ['factored', ours[i][0]] : ['MuJoCo WASM', theirs[i][0]]
      process.send?.(rowOf(row, ours[i][k], peer, time))
    })
  })
}

/** Nothing for bodies that hang on each other 128 deep, at which MuJoCo's reader faults. */
async function timeMujoco({ model, state, bodies }: Subject, count: number): Promise<number[]> {
  if (model.nb > 100) return []
  const { mujoco, project } = await mujocoContacts(model, state, bodies(count))
  const times = timeInTurns([project])
  mujoco.delete()
  return times
}

// the docs

async function document(): Promise<void> {
  const entries = entriesOf(subjects, () => true)
  const times = await lowestOfThree(entries, ({ subject, count }) => timeWays(subject, count))
  const table = entries.map((entry, i) => ({ ...entry, times: times[i] }))
  console.log(`| Robot | nv | contacts | ${ways.join(' | ')} |\n| --- | ---: | ---: | ---: | ---: | ---: |`)
  for (const { name, count, subject, times } of table) {
    const best = Math.min(...times)
    const cells = times.map((t) => (t === best ? `**${t.toFixed(1)}**` : t.toFixed(1)))
    console.log(`| ${name} | ${subject.model.nv} | ${count} | ${cells.join(' | ')} |`)
  }
  const long = await lowestOfThree(lengths, (n) => timeWays(subjectOf(`chain ${n}`), 8))
  const humanoid = table.filter(({ name }) => name === 'humanoid')
  const file = fileURLToPath(new URL('../../docs/images/contact-matrix.svg', import.meta.url))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    picture(
      panel('contacts', 'contacts on the humanoid, 32 velocities', counts, humanoid.map(({ times }) => times)), // biome-ignore format: short
      panel('velocities', 'joints of a chain with 8 contacts', lengths, long), // biome-ignore format: short
    ),
  )
  console.log(`\nwrote ${file}`)
}

const looks = [
  { color: 'var(--a)', dash: '', marker: 'circle' },
  { color: 'var(--b)', dash: '6 4', marker: 'square' },
  { color: 'var(--c)', dash: '2 3', marker: 'triangle' },
] as const
const size = { width: 480, height: 320 } as const

function panel(id: string, label: string, x: readonly number[], times: readonly number[][]): string {
  return chart({
    id,
    x: { label, log: true, range: [x[0], x[x.length - 1]] },
    y: { label: 'begin and build [µs]', log: true, range: logRange(times.flat(), 0.1) },
    lines: ways.map((way, k) => ({ id: way, x, y: times.map((t) => t[k]), ...looks[k] })),
    title: `microseconds against ${label}`,
    size,
  })
}

const keys = ways.map((name, k) => ({ name, ...looks[k] }))
const picture = (...panels: readonly string[]) =>
  costPicture('Cost of the contact matrix', panels, size, keys, { width: 150, line: 30, text: 38 })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'rows') await sendRows(process.argv[3])
  else await document()
}
