import type { SurfaceMeter } from './surfaces.ts'

/** "at t = 0.12 s". */
export const atTime = (t: number) => `at t = ${Number(t.toPrecision(6))} s`

/** Where and when something was worst. */
export class Worst {
  private value = 0
  private t = 0
  private pair = -1

  /** @param t time of the end of the step [s]; @param pair of shapes, or -1 */
  note(value: number, t: number, pair: number): void {
    if (!(value > this.value)) return
    this.value = value
    this.t = t
    this.pair = pair
  }

  /** "at t = 0.12 s, box on ground"; undefined where nothing was noted. */
  words(names: Pick<SurfaceMeter, 'namesOf'>): string | undefined {
    if (!(this.value > 0)) return undefined
    const at = atTime(this.t)
    return this.pair < 0 ? at : `${at}, ${names.namesOf(this.pair)}`
  }
}
