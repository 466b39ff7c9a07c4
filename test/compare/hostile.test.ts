/** Whatever a controller does ends its own run at most: the other rows and the verdict have the bits that they have without it. */
import { expect, test } from 'vitest'
import type { Results, ResultsFile, RunResult } from '../../compare/judge/compare.ts'
import { full } from '../dailyModels.ts'
import { temporaryFolder, timedFeatherbed } from './command.ts'
import { hostileControllers } from './hostileControllers.ts'

const folder = temporaryFolder()
const good = folder.write(
  'good.js',
  `export default {
    init: ({ robot, model }) => ({ n: robot.joints.length, mass: model.I.length, seen: Object.keys(globalThis).length }),
    update({ t, memory }) {
      const efforts = new Float64Array(memory.n).fill(Math.sqrt(t))
      const extra = []
      for (const key in {}) extra.push(key)
      if (extra.length > 0 || Object.keys(globalThis).length !== memory.seen) throw new Error('somebody was here')
      return efforts
    },
    metrics: ({ q }) => ({ end: q[0] }),
  }`,
)
const scenario = (controllers: readonly string[]) => ({
  robot: 'diffdrive',
  duration: '20 ms',
  models: 'penalty',
  dt: '2 ms',
  patience: '1 s',
  memory: 0.3,
  sweep: { controller: controllers },
})

/** All but what was timed. */
const bitsOf = ({ cost: _, metrics, ...run }: RunResult) => ({
  ...run,
  metrics: metrics && { ...metrics, step_us: null, realTimeFactor: null },
})
const decisionsOf = ({ verdicts }: Results) => verdicts.map(({ robot, set, state, missed }) => ({ robot, set, state, missed }))

async function compared(...scenarios: object[]): Promise<{ code: number; stderr: string; comparisons: readonly Results[] }> {
  const files = scenarios.map((each, i) => folder.write(`${i} of ${scenarios.length}.json`, JSON.stringify(each)))
  const { code, stdout, stderr } = await timedFeatherbed(['compare', ...files, '--threads', '2', '--json', '--quiet'])
  return { code, stderr, comparisons: (JSON.parse(stdout) as ResultsFile).comparisons }
}

test('hostile controllers between good ones end as promised, and change no bit of the others', async () => {
  const hostile = hostileControllers.filter(({ isDaily }) => full || isDaily)
  const files = hostile.map(({ source }, i) => folder.write(`hostile${i}.js`, source))
  const innocent = scenario([good])
  const alone = await compared(innocent)
  const among = await compared(...(full ? [innocent] : []), scenario([good, ...files]), innocent)
  expect(among.code).toBe(0)

  const [wanted] = alone.comparisons
  const [mixed, ...untouched] = among.comparisons.toSorted((a, b) => b.runs.length - a.runs.length)
  for (const comparison of untouched) {
    expect(comparison.runs.map(bitsOf)).toEqual(wanted.runs.map(bitsOf))
    expect(decisionsOf(comparison)).toEqual(decisionsOf(wanted))
  }
  const [own, ...others] = mixed.runs
  const { variant: _, ...row } = bitsOf(own)
  const { variant: __, ...wantedRow } = bitsOf(wanted.runs[0])
  expect(row).toEqual(wantedRow)

  const ended = others.map(({ status, failure }, i) => ({ name: hostile[i].name, status, failure }))
  const expected = hostile.map(({ name, failure }) => ({
    name,
    status: failure ? 'failed' : 'ok',
    failure: failure ? expect.stringMatching(failure) : null,
  }))
  expect(ended).toEqual(expected)
  // times are taken in one process; one that ends it ends its own times only
  expect(own.cost).not.toBeNull()
})
