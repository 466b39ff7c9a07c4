import { expect, test } from 'vitest'
import { lawNames } from '../../compare/scenario/index.ts'
import { checksOf, judgedAt, worstOf } from '../../viewer/checks/lasting.ts'
import { History } from '../../viewer/runs/history.ts'
import type { Lane } from '../../viewer/runs/lane.ts'
import type { Snapshot } from '../../viewer/runs/protocol.ts'

const laws = Float64Array.of(1)
const snapshot = (step: number, laws?: Float64Array) => ({ step, laws }) as Snapshot
const historyOf = (...snapshots: Snapshot[]) => {
  const history = new History(10)
  for (const one of snapshots) history.add(one)
  return history
}
const laneOf = (history: History) =>
  ({ setup: { judged: true }, history, at: (step: number) => history.at(step) }) as unknown as Lane

test('the snapshot before a step is the last that is earlier, and none is before the first', () => {
  const history = historyOf(snapshot(10), snapshot(12), snapshot(20))
  expect([20, 15, 12, 11, 10, 3].map((step) => history.before(step)?.step)).toEqual([12, 12, 10, 10, undefined, undefined])
})

test('the figures of a step are those of the last snapshot that has any', () => {
  const lane = laneOf(historyOf(snapshot(10, laws), snapshot(12), snapshot(14)))
  expect(judgedAt(lane, 15)?.laws).toBe(laws)
})

test('a run whose record begins late and without figures has none', () => {
  const lane = laneOf(historyOf(snapshot(40), snapshot(42)))
  expect(judgedAt(lane, 45)).toBe(undefined)
})

test('a long record keeps its first and its latest snapshots, and of what is long ago ever fewer', () => {
  const history = new History(100)
  for (let step = 0; step <= 1000; step++) history.add(snapshot(step))
  const kept = history.between(0, 1000).map(({ step }) => step)
  expect(kept.length).toBeLessThanOrEqual(100)
  expect(kept[0]).toBe(0)
  expect(kept.slice(-40)).toEqual(Array.from({ length: 40 }, (_, i) => 961 + i))
})

test('a law that was broken is not forgotten when its share falls below the limit again', () => {
  const limits = checksOf(new Float64Array(lawNames.length))
  const over = Float64Array.from(limits, ({ limit }) => 2 * limit)
  const under = Float64Array.from(limits, ({ limit }) => 0.5 * limit)
  expect(worstOf(under, over)).toEqual(over)
  expect(worstOf(over, under)).toEqual(over)
  expect(
    worstOf(
      under,
      Float64Array.from(under, (value) => 1.5 * value),
    ),
  ).toEqual(under)
})
