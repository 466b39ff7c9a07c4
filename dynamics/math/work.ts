/** 2: multiply-adds counted since the last `limitWork`, and the most that there may be. */
const meter = Float64Array.of(0, Number.POSITIVE_INFINITY)
/** The current stage, see `workOn`. */
const at = { place: '', contacts: 0, rows: 0 }

/** More work than `limitWork` allowed. The interrupted computation is left in its current state; the code that set the limit ends it. */
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
 * Begins to count, up to a limit. Work is counted and not timed, so that a computation ends at the same place on every machine. Its unit
 * is a multiply-add of a dense loop, about 1e9 a second; all else counts by its time in these.
 *
 * The counter is global to the module, so that no algorithm needs it as an argument. One limit is in force at a time.
 *
 * @param limit 1: multiply-adds
 */
export function limitWork(limit: Float64Array): void {
  meter[0] = 0
  meter[1] = limit[0]
}

/** Removes the limit; work is still counted. */
export function unlimitWork(): void {
  meter[1] = Number.POSITIVE_INFINITY
}

/** Multiply-adds since the last `limitWork`. */
export const workSpent = (): number => meter[0]

/** Names the stage of the work that follows. */
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
