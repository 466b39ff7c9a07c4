import type { Checkpoint } from '../../simulation/index.ts'
import type { RunSetup } from './protocol.ts'

/** Changes of a run that begins in the middle of another. */
export interface ForkChange {
  readonly contactModel: string
  /** Time step [s]. */
  readonly dt: number
  /** Coulomb friction, where the files state none. */
  readonly friction: number
  /** Factor on the controller's efforts. */
  readonly gain: number
}

/** Where a run began that is a fork. */
export interface Fork extends ForkChange {
  /** Name of the run that it left. */
  readonly parent: string
  /** When [s]. */
  readonly t: number
}

/** A run that goes on from the state of another. */
export function setupOfFork(parent: RunSetup, from: Checkpoint, { contactModel, dt, friction, gain }: ForkChange): RunSetup {
  return { ...parent, contactModel, dt, physical: { ...parent.physical, friction }, gain, from }
}

/**
 * @param t when the fork is to begin, a multiple of `clock` [s]
 * @param clock step of the page's time line [s]
 * @throws RangeError where no step of dt ends at t, with the times next to it at which one does
 */
export function checkForkTime(t: number, dt: number, clock: number): void {
  if (isMultiple(t, dt)) return
  const times: number[] = []
  for (const direction of [-1, 1]) {
    for (let k = 1; k <= 10_000; k++) {
      const at = t + direction * k * clock
      if (at < -0.5 * clock) break
      if (!isMultiple(at, dt)) continue
      times.push(at)
      break
    }
  }
  const where =
    times.length === 0 ? 'choose a step that the time line is a multiple of' : `fork at ${times.map(seconds).join(' or ')}`
  throw new RangeError(`t = ${seconds(t)} is no whole number of steps of ${milliseconds(dt)}; ${where}`)
}

/** Whether a time is a whole number of steps. */
export const isMultiple = (t: number, dt: number) => Math.abs(Math.round(t / dt) * dt - t) <= 1e-9 * Math.max(dt, t)

export const seconds = (t: number) => `${t.toFixed(3)} s`
export const milliseconds = (dt: number) => `${Number((1e3 * dt).toPrecision(4))} ms`

/** In a few words, beside the model's name. */
export function forkWords(
  { parent, t, dt, friction, gain }: Fork,
  base: { readonly dt: number; readonly friction: number },
): string {
  const changes = [
    ...(dt === base.dt ? [] : [milliseconds(dt)]),
    ...(friction === base.friction ? [] : [`friction ${friction}`]),
    ...(gain === 1 ? [] : [`gain ${gain}`]),
  ]
  return [...changes, `from ${parent} at ${seconds(t)}`].join(', ')
}
