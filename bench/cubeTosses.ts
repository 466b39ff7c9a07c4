/*
 * node --import ./scripts/typescript.mjs bench/cubeTosses.ts [PART] [COLUMNS] [STEPS_MS]
 * node --import ./scripts/typescript.mjs bench/cubeTosses.ts --cases OUT.jsonl
 *
 * All tosses of a real cube (ContactNets, see cases/scenes/cube-tosses.yaml) under contact models and engines. FEATHERBED_TOSSES is
 * the path of tosses.jsonl or of its folder: a line a toss, {"toss": number, "samples": [[x, y, z, qx, qy, qz, qw, vx, vy, vz, wx, wy, wz], ..]},
 * 148 samples a second, angular velocity in the cube's axes. A row has, of the place at rest, the median of its distance from the film's
 * and the quartiles, and how many tosses end on the right face: all tosses under the published friction and restitution; then those that no
 * fit has seen, under the published values and under those fitted to every PARTth toss (default 6; a fit of two values takes some 110 runs of
 * each). Below, in how many tosses every model ends on another face than the film, and in how many some model does. COLUMNS and STEPS_MS are
 * lists with commas. --cases writes the tosses as a log for `featherbed fit cube-tosses --cases OUT.jsonl`.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fitOf } from '../cases/fit.ts'
import { sceneFiles } from '../cases/phenomena.ts'
import { parseScene } from '../cases/scene.ts'
import { trialOf } from '../cases/trial.ts'
import { rotationOfQuaternion } from '../dynamics/index.ts'
import { rpyOfQuaternion } from '../robots/compile/pose.ts'

const COLUMNS = ['ncp', 'penalty', 'lcp', 'mujoco', 'drake', 'MuJoCo', 'MuJoCo by its manual']
/** A comma parts columns here, and stands in the name of one. */
const columnOf = (name: string) => (name === 'MuJoCo by its manual' ? 'MuJoCo, manual' : name)
/** Columns that have a coefficient of restitution. */
const RESTITUTION = ['ncp', 'penalty', 'lcp']
/** [1/s] */
const RATE = 148

/** A toss as it was filmed. */
export interface Toss {
  readonly toss: number
  readonly samples: readonly (readonly number[])[]
}

/** The scene's parameters for one toss: the start, and place, orientation and time at rest. */
export function caseOf({ toss, samples }: Toss) {
  const [first, last] = [samples[0], samples[samples.length - 1]]
  const [start, end] = [rotationOf(first), rotationOf(last)]
  const [qx, qy, qz, qw] = first.slice(3, 7)
  const omega = first.slice(10, 13)
  // how far each of the cube's axes points up
  const up = [...end.slice(6, 9)]
  const axis = up.reduce((most, part, i) => (Math.abs(part) > Math.abs(up[most]) ? i : most), 0)
  return {
    toss,
    at: first.slice(0, 3).map(rounded),
    turn: rpyOfQuaternion([qx, qy, qz, qw]).map(rounded),
    v: first.slice(7, 10).map(rounded),
    w: [0, 3, 6].map((row) => rounded(start[row] * omega[0] + start[row + 1] * omega[1] + start[row + 2] * omega[2])),
    T: rounded((samples.length - 1) / RATE),
    x: rounded(last[0]),
    y: rounded(last[1]),
    face: ['-sin(cube.pitch)', 'cos(cube.pitch)*sin(cube.roll)', 'cos(cube.pitch)*cos(cube.roll)'][axis],
    sign: Math.sign(up[axis]),
  }
}

const rounded = (x: number) => Number(x.toPrecision(5))

function rotationOf(sample: readonly number[]): Float64Array {
  const R = new Float64Array(9)
  rotationOfQuaternion(R, Float64Array.from(sample.slice(3, 7)), 0)
  return R
}

/** @param path of tosses.jsonl, or of its folder */
export function tossesIn(path: string): Toss[] {
  const file = statSync(path).isDirectory() ? join(path, 'tosses.jsonl') : path
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Toss)
}

/** @returns the file */
function writeLog(file: string, cases: readonly object[]): string {
  writeFileSync(file, cases.map((one) => `${JSON.stringify(one)}\n`).join(''))
  return file
}

/** What came of a toss: the distance from where it came to rest [mm], and whether the same face is up. */
interface Outcome {
  readonly way: number
  readonly isRight: boolean
}

async function outcomesOf(
  log: string,
  column: string,
  dt: number,
  instead: Readonly<Record<string, number>> = {},
): Promise<Outcome[]> {
  const [{ file, source }] = sceneFiles(['cube-tosses'], log)
  const scene = await parseScene(source, file, instead)
  const outcomes: Outcome[] = []
  for (const [at, { measures }] of scene.cases.entries()) {
    const { values } = await trialOf({ scene, at, column, dt })
    // one that breaks off is as far off as can be
    const [way = Infinity, up = -1] = values
    outcomes.push({ way: 1e3 * way, isRight: Math.abs(up - measures[1].nature) <= measures[1].within })
  }
  return outcomes
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

function cellsOf(outcomes: readonly Outcome[]): string[] {
  const ways = outcomes.map(({ way }) => way).sort((a, b) => a - b)
  const at = (part: number) => ways[Math.round(part * (ways.length - 1))].toFixed(1)
  const right = outcomes.filter(({ isRight }) => isRight).length
  return [`${at(0.5)} (${at(0.25)} to ${at(0.75)})`, `${((100 * right) / ways.length).toFixed(1)} %`]
}

async function run(
  path: string,
  folder: string,
  part: number,
  columns: readonly string[],
  steps: readonly number[],
): Promise<void> {
  const cases = tossesIn(path).map(caseOf)
  const isSeen = (_: unknown, i: number) => i % part === 0
  const unseen = (outcomes: readonly Outcome[]) => outcomes.filter((one, i) => !isSeen(one, i))
  const all = writeLog(join(folder, 'all.jsonl'), cases)
  const [scene] = sceneFiles(['cube-tosses'], writeLog(join(folder, 'seen.jsonl'), cases.filter(isSeen)))
  const rest = cases.length - cases.filter(isSeen).length
  const titles = [`all ${cases.length} as published [mm]`, 'same face', `${rest} as published [mm]`, 'same face']
  titles.push('mu', 'e', `${rest} as fitted [mm]`, 'same face')
  const shares: string[] = []
  console.log(row(['step', 'model', ...titles]))
  console.log(row(['---', '---', ...titles.map(() => '---:')]))
  for (const dt of steps) {
    const wrong = cases.map(() => 0)
    for (const name of columns) {
      const column = columnOf(name)
      const published = await outcomesOf(all, column, dt)
      for (const [i, { isRight }] of published.entries()) if (!isRight) wrong[i]++
      const vary = [{ name: 'mu', from: 0.05, to: 0.6 }]
      if (RESTITUTION.includes(name)) vary.push({ name: 'e', from: 0, to: 0.6 })
      const { values, deviations } = await fitOf({ ...scene, vary, column, dt })
      const [mu, e = '-'] = values.map((value, i) => `${value.toFixed(3)} ± ${deviations[i].toFixed(3)}`)
      const fitted = await outcomesOf(all, column, dt, Object.fromEntries(vary.map(({ name }, i) => [name, values[i]])))
      const judged = [...cellsOf(published), ...cellsOf(unseen(published)), mu, e, ...cellsOf(unseen(fitted))]
      console.log(row([`${1e3 * dt} ms`, `\`${name}\``, ...judged]))
    }
    const inAll = wrong.filter((count) => count === columns.length).length
    const inSome = wrong.filter((count) => count > 0).length
    shares.push(
      `at ${1e3 * dt} ms, as published, another face than the film's in ${inAll} tosses under every model, in ${inSome} under some`,
    )
  }
  console.log(`\n${shares.join('\n')}`)
}

async function main(args: readonly string[]): Promise<void> {
  const path = process.env.FEATHERBED_TOSSES
  if (path === undefined) throw new Error('FEATHERBED_TOSSES is not set; it is the path of tosses.jsonl or of its folder')
  if (args[0] === '--cases') {
    writeLog(args[1], tossesIn(path).map(caseOf))
    return
  }
  const [part = '6', columns = COLUMNS.join(','), steps = '1,5'] = args
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-tosses-'))
  try {
    const dts = steps.split(',').map((step) => 1e-3 * Number(step))
    await run(path, folder, Number(part), columns.split(','), dts)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (fileURLToPath(import.meta.url) === process.argv[1]) await main(process.argv.slice(2))
