/**
 * Random worlds, each checked step by step against an energy balance of its own and the promises of a step: every energy violation is an
 * event or a failure, no step beyond its budget goes unnamed, the heap is flat.
 *
 * World n alone: FEATHERBED_SOAK=n, with FEATHERBED_FULL and FEATHERBED_ROBOTS as they were when it failed, for these choose the robots.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OWN_ROBOTS, ownRobotPath } from '../../robots/files.ts'
import { full, hasRobots } from '../dailyModels.ts'
import { bundled, type OwnProcess } from '../ownProcess.ts'
import type { SoakRun } from './soak.run.ts'
import { soakFiles } from './soakFiles.ts'
import type { SoakOutcome } from './soakOutcome.ts'

const alone = process.env.FEATHERBED_SOAK
const count = alone !== undefined ? 1 : full ? 2000 : 20
const files = full ? soakFiles() : OWN_ROBOTS.map((name) => ownRobotPath(name))
if (full) hasRobots('random worlds of real robots, but of our own')

/** The simulator's own scale may differ from the test's by some percent; its bound is a tenth. */
const SURELY = 0.15
const SURELY_NOT = 0.05
/** Bytes that the least heap after a hundred worlds may grow by from hundreds 5 to 12 to those after; single hundreds differ by 8 MB, the first have not read all robots. */
const GROWTH = 3e6

let script: OwnProcess
let run: SoakRun
beforeAll(async () => {
  script = await bundled(new URL('./soak.run.ts', import.meta.url))
  // a hundredth of the work as well
  const allowed = full ? 1e9 : 3e7
  const args = ['--expose-gc', script.file, alone ?? '0', `${count}`, `${allowed}`, ...files]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 })
  run = JSON.parse(stdout)
  if (full) console.log(`${run.worlds} worlds, ${run.steps} steps, ended in ${JSON.stringify(run.ends)}`)
  if (alone !== undefined) console.log(JSON.stringify(run.noted, undefined, 2))
}, 3 * 3600_000)
afterAll(() => script.delete())

const shown = ({ n, text, invented, firstStep, error, firstEnergyGain, defects }: SoakOutcome) =>
  `world ${n}: ${text}; invented ${invented.toPrecision(3)} of its scale, from step ${firstStep} on; ` +
  `${error || firstEnergyGain || 'unnamed'} ${defects.join('; ')}`

test('random worlds take their steps or end in a typed error that names what, within their budget, and never in numbers that are not finite', () => {
  expect(run.worlds).toBe(count)
  expect(run.noted.filter(({ defects }) => defects.length > 0).map(shown)).toEqual([])
  // worlds that cannot be made or move little test little
  expect(run.ends.WorldError ?? 0).toBeLessThan(0.02 * count + 1)
  expect(run.ends.LoopError ?? 0).toBeLessThan(0.02 * count + 1)
  if (full && alone === undefined) expect(run.steps).toBeGreaterThan(100 * count)
})

const unnamed = () =>
  run.noted.filter(({ invented, energyGains, error }) => !(invented <= SURELY) && energyGains === 0 && error === '')

test('every world that invents energy says so', () => {
  if (run.audited) expect(unnamed().map(shown)).toEqual([])
  else console.log(`${unnamed().length} worlds invent energy and do not say so:\n${unnamed().map(shown).join('\n')}`)
})

test('no world that invents none says that it does', () => {
  const alarms = run.noted.filter(
    ({ invented, energyGains, error }) => invented < SURELY_NOT && (energyGains > 0 || error.startsWith('EnergyError')),
  )
  expect(alarms.map(shown)).toEqual([])
})

test.runIf(full && alone === undefined)('the heap is flat over all worlds', () => {
  const { bytes } = run
  console.log(`heap after each hundred: ${bytes.map((x) => (x / 1e6).toFixed(1)).join(', ')} MB`)
  expect(Math.min(...bytes.slice(12)) - Math.min(...bytes.slice(4, 12))).toBeLessThan(GROWTH)
})
