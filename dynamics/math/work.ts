/** 2: multiply-adds counted since the last `limitWork`, and the most that there may be. */
const meter = Float64Array.of(0, Number.POSITIVE_INFINITY)
/** What is at work. */
const at = { place: '', contacts: 0, rows: 0 }

/** Work went beyond what `limitWork` allowed. Whatever was under way is left as it stands; the code that set the limit ends it. */
export class WorkLimitError extends Error {
  override readonly name = 'WorkLimitError'
  /** Multiply-adds. */
  readonly spent = meter[0]
  readonly limit = meter[1]
  /** The last `workOn`: a solver or another stage, the contacts and rows that it had; 0 where it has none. */
  readonly place = at.place
  readonly contacts = at.contacts
  readonly rows = at.rows
}

/**
 * Begins to count, up to a limit. Work is counted and not timed, so that what ends for too much of it ends there on every machine: its unit is a
 * multiply-add of a dense loop, and all else counts as many as it takes the time of, about 1e9 a second.
 *
 * The count is one of the module's, as time is one: no algorithm has to be handed what it only ever adds to. One limit is in force at a time.
 *
 * @param limit 1: multiply-adds
 */
export function limitWork(limit: Float64Array): void {
  meter[0] = 0
  meter[1] = limit[0]
}

/** From here on work is counted, but may be as much as it likes. */
export function unlimitWork(): void {
  meter[1] = Number.POSITIVE_INFINITY
}

/** Multiply-adds since the last `limitWork`. */
export const workSpent = (): number => meter[0]

/** Says what the work that follows is for. */
export function workOn(place: string, contacts: number, rows: number): void {
  at.place = place
  at.contacts = contacts
  at.rows = rows
}

/**
 * Counts a x b x c multiply-adds: whole numbers, which a call hands over without making objects of them.
 *
 * @throws WorkLimitError
 */
export function addWork(a: number, b: number, c: number): void {
  meter[0] += a * b * c
  if (meter[0] > meter[1]) throw new WorkLimitError('more work than is allowed')
}
