/** Asked of all meters so far. */
let asked = 0

/** Work that all meters were asked for since the start: tests compare how it grows with how its input does. */
export const workAsked = (): number => asked

/**
 * Counted work on one input, by kinds such as elements, points and operations. A reader asks before it does the work, so that a small
 * input cannot cost much; what lies beyond a limit is refused by an error that names the limit. @unchecked
 */
export class Meter<Kind extends string> {
  readonly limits: Readonly<Record<Kind, number>>
  private readonly left: Record<Kind, number>
  private readonly refusal: (kind: Kind, most: number) => Error

  /** @param refusal the error for more than `most` of a kind */
  constructor(limits: Readonly<Record<Kind, number>>, refusal: (kind: Kind, most: number) => Error) {
    this.limits = limits
    this.left = { ...limits }
    this.refusal = refusal
  }

  /** Whether so much is left, for a reader that has a cheaper way to go. */
  has(kind: Kind, amount: number): boolean {
    return this.left[kind] >= amount
  }

  /** @throws the error of `refusal`, where there is less left */
  ask(kind: Kind, amount = 1, refusal = this.refusal): void {
    asked += amount
    this.left[kind] -= amount
    if (!(this.left[kind] >= 0)) throw refusal(kind, this.limits[kind])
  }
}
