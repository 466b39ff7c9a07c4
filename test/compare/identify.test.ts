import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fitOf } from '../../cases/fit/fit.ts'
import { logOf } from '../../compare/scenario/world/log.ts'

const folder = fileURLToPath(new URL('../../docs/examples/identify/', import.meta.url))
const file = join(folder, 'arm.yaml')
const scene = readFileSync(file, 'utf8')
/** What MuJoCo moved the arm with (test/oracle/armLogs.py), and the ranges of the search. */
const truth = {
  ...{ turn_dry: 0.9, turn_viscous: 0.6, turn_rotor: 0.12, shoulder_dry: 1.4, shoulder_viscous: 0.8, shoulder_rotor: 0.15 },
  ...{ elbow_dry: 0.5, elbow_viscous: 0.25, elbow_rotor: 0.04, payload: 0.85 },
}
const rangeOf = (name: string) => ({ name, from: 0, to: name.endsWith('rotor') ? 0.4 : 3 })

async function identified(source: string, names: readonly (keyof typeof truth)[], dt: number, threads: number) {
  const found = await fitOf({
    source,
    file,
    vary: names.map(rangeOf),
    column: 'lcp',
    dt,
    fixed: withoutKeys(truth, names),
    threads,
  })
  return names.map((name, i) => ({ name, value: found.values[i], interval: found.intervals[i], true: truth[name] }))
}

const withoutKeys = (all: Readonly<Record<string, number>>, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(all).filter(([key]) => !keys.includes(key)))

test("a shoulder's dry and viscous friction are found in four of MuJoCo's runs to 1 %, and their intervals hold the truth", async () => {
  const runs = logOf('runs.csv', readFileSync(join(folder, 'runs.csv'), 'utf8')).slice(0, 4)
  const source = scene.replace('cases: runs.csv', `cases: ${JSON.stringify(runs.map(({ values }) => values))}`)
  // the step's error is a tenth of these intervals
  for (const one of await identified(source, ['shoulder_dry', 'shoulder_viscous'], 1e-3, 0)) {
    expect(Math.abs(one.value / one.true - 1)).toBeLessThan(0.01)
    expect(one.interval[0]).toBeLessThan(one.true)
    expect(one.interval[1]).toBeGreaterThan(one.true)
  }
})

// minutes
test.runIf(process.env.FEATHERBED_FULL)(
  "dry and viscous friction and rotors of all joints and the payload are found in MuJoCo's runs to 1 %, and their intervals hold the truth",
  async () => {
    for (const one of await identified(scene, Object.keys(truth) as (keyof typeof truth)[], 2.5e-4, 0)) {
      expect(Math.abs(one.value / one.true - 1), one.name).toBeLessThan(0.01)
      expect(one.interval[0], one.name).toBeLessThan(one.true)
      expect(one.interval[1], one.name).toBeGreaterThan(one.true)
    }
  },
  600_000,
)
