import type { Data, State } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Surroundings } from '../../simulation/index.ts'

/** Input of a sensor at a tick. */
export interface Sight {
  readonly robot: Robot
  readonly state: State
  /** `kinematics` and `velocities` of the state. */
  readonly data: Data
  /** As `ControllerState.contactForces`. */
  readonly contactForces: Float64Array
  /** nv: efforts that acted since the last tick; and forces of the file's actuators, empty where others give the efforts. */
  readonly efforts?: Float64Array
  readonly forces?: Float64Array
  readonly surroundings: Surroundings | undefined
}

/** Measurement of a sensor, without errors. */
export interface Instrument {
  /** Its quantities, in their order. */
  readonly parts: readonly { readonly name: string; readonly size: number }[]
  /** Numbers stored from sample to sample; NaN at first. */
  readonly memorySize?: number
  /** Of what is a mean over the period between samples: called at each tick. @param tick since the tick before [s] @param memory of `memorySize` */
  gather?(sight: Sight, tick: number, memory: Float64Array): void
  /** @param memory of `memorySize` @param out out: all parts */
  measure(sight: Sight, memory: Float64Array, out: Float64Array): void
}

/** One number for all parts of a sensor, or by name for some. */
export type ByPart = number | Readonly<Record<string, number>>

/** Errors of a sensor, each in the units of the part. */
export interface SensorErrors {
  /** Samples a second [Hz], rounded so that a period is whole ticks. Default: one a tick. */
  readonly rate?: number
  /** Delay of a sample [s], rounded to whole samples. */
  readonly delay?: number
  /** Standard deviation. */
  readonly noise?: ByPart
  readonly bias?: ByPart
  /** Samples are whole multiples of this. */
  readonly resolution?: ByPart
}

/** Of each number of an instrument; 0 where nothing is stated. @throws RangeError for a part that it has not */
export function spread(instrument: Instrument, values: ByPart | undefined, what: string): Float64Array {
  const parts = instrument.parts.map(({ name }) => name)
  if (typeof values === 'object') {
    const unknown = Object.keys(values).find((name) => !parts.includes(name))
    if (unknown !== undefined) throw new RangeError(`${what} names "${unknown}"; the sensor has ${parts.join(', ')}`)
  }
  return Float64Array.from(
    instrument.parts.flatMap(({ name, size }) => {
      const value = typeof values === 'object' ? (values[name] ?? 0) : (values ?? 0)
      return new Array<number>(size).fill(value)
    }),
  )
}
