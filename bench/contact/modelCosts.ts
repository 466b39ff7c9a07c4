/*
 * node --import ./scripts/typescript.mjs bench/contact/modelCosts.ts
 *
 * Cost of a step of every contact model against the number of contacts and of degrees of freedom: prints the tables of docs/results.md
 * and writes docs/images/cost-contacts.svg and docs/images/cost-dof.svg. Everything stands, or nearly so, and is in its routine: the
 * warm start of the step before is there. The heaps move; they are a table of their own.
 *
 * A time is that of whole steps of 1 ms, kinematics, detection and integration included, without a controller: processor time of this
 * process, the least of several samples, for the machine may be shared; a heap's is the mean of up to 100 steps, which differ.
 */

import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chart, logRange, type Marker } from '../../compare/report/chart.ts'
import { type ContactModelName, contactModels } from '../../contact/index.ts'
import type { World } from '../../simulation/index.ts'
import { makeWorld } from '../../test/contact/laws/scenes.ts'
import { clock } from '../clock.ts'
import { apart, heap, legged, mast, plate, stack, type Things } from './contactScenes.ts'
import { costPicture } from './costPicture.ts'

const models = Object.keys(contactModels) as ContactModelName[]
/** Steps before the first that is timed, and of a sample. */
const SETTLING = 60
const STEPS = 20
/** Processor time that a point is worth [µs], and a step beyond which larger scenes of that model are left out [µs]. */
const SPENT = 40e3
const LONGEST = 20e3

interface Panel {
  readonly id: string
  readonly title: string
  readonly label: string
  readonly x: readonly number[]
  /** Size of the scene and the model that make the point of each x. */
  readonly things: (x: number) => Things
}

const contacts: readonly Panel[] = [
  {
    id: 'plate',
    title: 'one plate on that many feet',
    label: 'contacts of one body',
    x: [4, 8, 16, 32, 64],
    things: plate,
  },
  {
    id: 'apart',
    title: 'separate boxes, four contacts each',
    label: 'contacts, four a box: as many islands as boxes',
    x: [4, 8, 16, 32, 64, 128, 256],
    things: (x) => apart(x / 4),
  },
  {
    id: 'stack',
    title: 'one stack of boxes, four contacts each',
    label: 'contacts, four a box: one island',
    x: [4, 8, 16, 32, 64, 128],
    things: (x) => stack(x / 4),
  },
]

const freedoms: readonly Panel[] = [
  {
    id: 'mast',
    title: 'a base on four contacts with a chain of joints on it',
    label: 'degrees of freedom: base on 4 contacts, joints in a chain',
    x: [6, 8, 12, 24, 48, 100],
    things: (x) => mast(x - 6),
  },
  {
    id: 'legged',
    title: 'a trunk on eight legs, a contact on each',
    label: 'degrees of freedom: joints in eight legs, 8 contacts',
    x: [14, 22, 38, 54, 102],
    things: (x) => legged((x - 6) / 8),
  },
]

/** Microseconds of a step. */
function timeOf(world: World): number {
  for (let k = 0; k < SETTLING; k++) world.step()
  const start = world.checkpoint()
  const end = clock() + SPENT
  let least = Number.POSITIVE_INFINITY
  do {
    world.restore(start)
    const from = clock()
    for (let k = 0; k < STEPS; k++) world.step()
    least = Math.min(least, (clock() - from) / STEPS)
  } while (clock() < end)
  return least
}

interface Point {
  readonly time: number
  readonly contacts: number
  /** Solvers that answered, with their shares of the answers, where any was asked. */
  readonly answered: string
}

function pointOf(things: Things, model: ContactModelName): Point {
  const world = makeWorld({ ...things, model })
  const time = timeOf(world)
  return { time, contacts: world.contacts.count, answered: answered(world) }
}

function answered({ events: { solvers, failures } }: World): string {
  const sum = solvers.reduce((all, { solved }) => all + solved, 0)
  const parts = solvers.filter(({ solved }) => solved > 0).map(({ solver, solved }) => share(solver, solved, sum))
  return [...parts, ...(failures > 0 ? [`${failures} steps without an answer`] : [])].join(', ')
}

const share = (solver: string, solved: number, sum: number) =>
  solved === sum ? solver : `${solver} ${((100 * solved) / sum).toPrecision(2)} %`

/** Per model and x, the points of a panel, each the faster of two; fewer where a model has become too slow. */
function pointsOf({ x, things }: Panel): Point[][] {
  const all: Point[][] = models.map(() => [])
  for (let pass = 0; pass < 2; pass++) {
    for (const [m, model] of models.entries()) {
      for (const [i, value] of x.entries()) {
        if (i > 0 && all[m][i - 1].time > LONGEST) break
        const point = pointOf(things(value), model)
        if (pass === 0 || point.time < all[m][i].time) all[m][i] = point
      }
    }
  }
  return all
}

function printPanel({ title, x }: Panel, points: readonly (readonly Point[])[]): void {
  console.log(`\n${title}\n\n| | ${x.join(' | ')} | grows as | answered by |\n| --- |${' ---: |'.repeat(x.length)} --- | --- |`)
  for (const [m, model] of models.entries()) {
    const own = points[m]
    const cells = x.map((_, i) => (own[i] === undefined ? '-' : shown(own[i].time)))
    console.log(`| \`${model}\` | ${cells.join(' | ')} | ${growth(x, own)} | ${own[own.length - 1].answered} |`)
  }
  const counts = [...new Set(points.flatMap((own) => own.map((point, i) => `${x[i]}: ${point.contacts}`)))]
  console.log(`\ncontacts at the end: ${counts.join(', ')}`)
}

const shown = (time: number) =>
  time < 10 ? time.toFixed(1) : time < 1000 ? time.toFixed(0) : Math.round(time).toLocaleString('en')

/** The exponent between the last two sizes. */
function growth(x: readonly number[], points: readonly Point[]): string {
  const n = points.length
  if (n < 2) return ''
  const exponent = Math.log(points[n - 1].time / points[n - 2].time) / Math.log(x[n - 1] / x[n - 2])
  return `n^${exponent.toFixed(1)}`
}

// heaps

/** Bodies of a heap, and steps under `penalty` until it is one. */
const HEAPS = [6, 12, 24, 48] as const
const FALLING = 400
/** Processor time that a heap is worth, whose steps differ [µs], and its limit of wall time [ms]. */
const HEAP_SPENT = 3e6
const HEAP_PATIENCE = 60e3

/** Mean over steps, each from the state that the last left: contacts come and go, stick and slide. */
function heapPoint(bodies: number, model: ContactModelName): Point {
  const warmUp = makeWorld({ ...heap(HEAPS[0]), model })
  for (let k = 0; k < FALLING; k++) warmUp.step()
  const fallen = makeWorld({ ...heap(bodies), model: 'penalty' })
  for (let k = 0; k < FALLING; k++) fallen.step()
  const { robots = [], ...things } = heap(bodies)
  const { q, v } = fallen.state
  // free bodies alone: seven coordinates and six velocities each
  const placed = robots.map((body, k) => ({ ...body, q: q.slice(7 * k, 7 * k + 7), v: v.slice(6 * k, 6 * k + 6) }))
  const world = makeWorld({ ...things, robots: placed, model })
  world.step()
  const from = clock()
  let steps = 0
  for (; steps === 0 || (steps < 5 * STEPS && clock() < from + HEAP_SPENT); steps++) world.step()
  return { time: (clock() - from) / steps, contacts: world.contacts.count, answered: answered(world) }
}

/** The same from a process of its own, for there is no other way to end a step; undefined if it took too long. */
function heapPointInTime(bodies: number, model: ContactModelName): Point | undefined {
  const args = [...process.execArgv, fileURLToPath(import.meta.url), 'heap', String(bodies), model]
  const { stdout, signal, status } = spawnSync(process.execPath, args, { timeout: HEAP_PATIENCE, encoding: 'utf8' })
  if (signal !== null) return undefined
  if (status !== 0) throw new Error(`the process that ran ${model} on a heap of ${bodies} ended with code ${status}`)
  return JSON.parse(stdout)
}

function printHeaps(): void {
  console.log(`\nheaps of bodies\n\n| | ${HEAPS.join(' | ')} | answered by |\n| --- |${' ---: |'.repeat(HEAPS.length)} --- |`)
  for (const model of models) {
    const points: Point[] = []
    for (const bodies of HEAPS) {
      const point = heapPointInTime(bodies, model)
      if (point === undefined) break
      points.push(point)
    }
    const cells = HEAPS.map((_, i) => (points[i] === undefined ? '-' : `${shown(points[i].time)} (${points[i].contacts})`))
    console.log(`| \`${model}\` | ${cells.join(' | ')} | ${points[points.length - 1].answered} |`)
  }
}

// pictures

const colors = ['var(--a)', 'var(--b)', 'var(--c)', 'var(--d)'] as const
const dashes = ['', '6 4', '2 3'] as const
const symbols: readonly Marker[] = ['circle', 'square', 'triangle']
/** One colour a family of three in the order of the menu, one stroke in it. */
const lookOf = (m: number) => ({ color: colors[Math.floor(m / 3) % 4], dash: dashes[m % 3], marker: symbols[m % 3] })
const size = { width: 400, height: 320 } as const

function panel({ id, label, x, title }: Panel, points: readonly (readonly Point[])[]): string {
  const lines = models.map((model, m) => ({ id: model, x, y: x.map((_, i) => points[m][i]?.time ?? Number.NaN), ...lookOf(m) }))
  const range = logRange(points.flat().map(({ time }) => time), 0.1) // biome-ignore format: short
  return chart({
    id,
    x: { label, log: true, range: [x[0], x[x.length - 1]] },
    y: { label: 'a step [µs]', log: true, range },
    lines: lines.map((line) => ({ ...line, sizes: x.map(() => 3) })),
    title: `microseconds a step, ${title}`,
    size,
  })
}

const keys = models.map((name, m) => ({ name, ...lookOf(m) }))

function document(name: string, label: string, panels: readonly Panel[]): void {
  const drawn = panels.map((each) => {
    const points = pointsOf(each)
    printPanel(each, points)
    return panel(each, points)
  })
  const file = fileURLToPath(new URL(`../docs/images/${name}.svg`, import.meta.url))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, costPicture(label, drawn, size, keys, { width: 126, line: 22, text: 27 }))
  console.log(`\nwrote ${file}`)
}

const [task, bodies, model] = process.argv.slice(2)
if (task === 'heap') console.log(JSON.stringify(heapPoint(Number(bodies), model as ContactModelName)))
else {
  document('cost-contacts', 'Cost of a step against contacts', contacts)
  document('cost-dof', 'Cost of a step against degrees of freedom', freedoms)
  printHeaps()
}
