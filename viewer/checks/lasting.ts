import { isKept, type LawCheck, lawDefinitions } from '../../compare/measure/index.ts'
import { lawNames, penetrationLimit } from '../../compare/scenario/index.ts'
import type { Lane } from '../runs/lane.ts'
import type { Snapshot } from '../runs/protocol.ts'

/** The checks that a snapshot's figures stand for. */
export function checksOf(values: Float64Array): LawCheck[] {
  return lawNames.map((law, i) => ({
    law,
    value: Number.isNaN(values[i]) ? null : values[i],
    limit: lawDefinitions[law].limit ?? penetrationLimit(),
  }))
}

/** The last snapshot of a run until a step that was held to the laws. */
export function judgedAt(lane: Lane, step: number): Snapshot | undefined {
  if (!lane.setup?.judged) return undefined
  let snapshot = lane.at(step)
  while (snapshot && !snapshot.laws) snapshot = lane.history.before(snapshot.step)
  return snapshot
}

/** The worst figures of a run: some are shares, which fall as it goes on. A law that was kept all the time has its present one. */
export function worstOf(now: Float64Array, before: Float64Array | undefined): Float64Array {
  if (before === undefined) return now
  const checks = checksOf(before)
  return now.map((value, i) => (isKept(checks[i]) || value > before[i] ? value : before[i]))
}

/** Likewise of checks, with their places and times. */
export function worstChecks(now: readonly LawCheck[], before: readonly LawCheck[]): readonly LawCheck[] {
  return now.map((check) => {
    const old = before.find(({ law }) => law === check.law)
    return old === undefined || isKept(old) || (check.value ?? 0) > (old.value ?? 0) ? check : old
  })
}
