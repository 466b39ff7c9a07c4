/** 2: multiply-adds counted since the last `limitWork`, and their limit. */
const meter = Float64Array.of(0, Number.POSITIVE_INFINITY)
/** The current stage, set by `workOn`. */
const at = { place: '', contacts: 0, rows: 0 }

/** More work than `limitWork` permitted. The interrupted computation stays in its current state; the code that set the limit ends it. */
export class WorkLimitError extends Error {
  override readonly name = 'WorkLimitError'
  /** Multiply-adds. */
  readonly spent = meter[0]
  readonly limit = meter[1]
  /** Arguments of the last `workOn`: a solver or another stage, its contacts and rows; 0 if it has none. */
  readonly place = at.place
  readonly contacts = at.contacts
  readonly rows = at.rows
}

/**
 * Starts counting, up to a limit. Work is counted, not timed, so that a computation ends at the same point on every machine. Its unit is a
 * multiply-add of a dense loop, about 1e9 a second; other work counts by its time in these. @unchecked
 *
 * The counter is global to the module, so that no algorithm needs it as an argument. Only one limit applies at a time.
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

/** Names the stage of the work that follows. @unchecked */
export function workOn(place: string, contacts: number, rows: number): void {
  at.place = place
  at.contacts = contacts
  at.rows = rows
}

/**
 * Counts a x b x c multiply-adds: small integers, which calls pass without boxing. @unchecked
 *
 * @throws WorkLimitError
 */
export function addWork(a: number, b: number, c: number): void {
  meter[0] += a * b * c
  if (meter[0] > meter[1]) throw new WorkLimitError('more work than is allowed')
}
