import type { Robot } from '../../robots/index.ts'
import { encoder, forceTorque, imu, type Mounting, pose, type RaysOptions, rays } from './instruments.ts'
import { addNormal } from './noise.ts'
import { type Instrument, type SensorErrors, type Sight, spread } from './sensor.ts'

/** One sensor of a robot. */
export type SensorOptions = SensorErrors &
  (
    | ({ readonly type: 'imu' } & Mounting)
    | { readonly type: 'force-torque'; readonly joint: string }
    | { readonly type: 'encoder'; readonly joint: string }
    | ({ readonly type: 'rays' } & RaysOptions)
    | { readonly type: 'pose'; readonly of: string }
  )

/** State of a sensor in a checkpoint. */
export interface SavedSensor {
  readonly memory: Float64Array
  readonly ring: Float64Array
  readonly shown: Float64Array
  readonly count: number
}

function instrumentOf(robot: Robot, options: SensorOptions): Instrument {
  switch (options.type) {
    case 'imu':
      return imu(robot, options)
    case 'force-torque':
      return forceTorque(robot, options)
    case 'encoder':
      return encoder(robot, options)
    case 'rays':
      return rays(robot, options)
    case 'pose':
      return pose(robot, options)
  }
}

/** An instrument with its errors, sampled at its own rate and delayed. */
class Sensor {
  /** The measurement passed to the controller. */
  readonly shown: Float64Array
  private readonly instrument: Instrument
  private readonly seed: number
  private readonly stream: number
  /** Between samples [s]; ticks between samples; delay in samples. */
  private readonly period: number
  private readonly everyTicks: number
  private readonly late: number
  private readonly noise: Float64Array
  private readonly bias: Float64Array
  private readonly resolution: Float64Array
  private readonly memory: Float64Array
  /** late + 1 samples. */
  private readonly ring: Float64Array
  private count = 0

  constructor(robot: Robot, options: SensorOptions, tick: number, seed: number, stream: number) {
    const { rate = 1 / tick, delay = 0 } = options
    this.instrument = instrumentOf(robot, options)
    this.seed = seed
    this.stream = stream
    this.everyTicks = Math.max(1, Math.round(1 / (rate * tick)))
    this.period = this.everyTicks * tick
    this.late = Math.round(delay / this.period)
    this.noise = spread(this.instrument, options.noise, 'noise')
    this.bias = spread(this.instrument, options.bias, 'bias')
    this.resolution = spread(this.instrument, options.resolution, 'resolution')
    const size = this.noise.length
    this.memory = new Float64Array(this.instrument.memorySize ?? 0).fill(NaN)
    this.ring = new Float64Array((this.late + 1) * size)
    this.shown = new Float64Array(size)
  }

  /** @param ticks since the start */
  see(sight: Sight, ticks: number): void {
    if (ticks % this.everyTicks !== 0) return
    const { shown, ring, late, count } = this
    const size = shown.length
    this.instrument.measure(sight, this.period, this.memory, shown)
    this.spoil()
    const at = (count % (late + 1)) * size
    // until later ones are due the first sample is shown
    if (count === 0) for (let slot = 0; slot <= late; slot++) ring.set(shown, slot * size)
    else ring.set(shown, at)
    const oldest = ((count + 1) % (late + 1)) * size
    for (let k = 0; k < size; k++) shown[k] = ring[oldest + k]
    this.count++
  }

  private spoil(): void {
    const { shown, noise, bias, resolution, seed, stream, count } = this
    for (let k = 0; k < shown.length; k++) {
      if (noise[k] > 0) addNormal(shown, k, noise, seed, stream, count)
      shown[k] += bias[k]
      if (resolution[k] > 0) shown[k] = Math.round(shown[k] / resolution[k]) * resolution[k]
    }
  }

  save(): SavedSensor {
    const { memory, ring, shown, count } = this
    return { memory: memory.slice(), ring: ring.slice(), shown: shown.slice(), count }
  }

  restore({ memory, ring, shown, count }: SavedSensor): void {
    this.memory.set(memory)
    this.ring.set(ring)
    this.shown.set(shown)
    this.count = count
  }
}

/** The sensors of one robot. */
export class Sensors {
  /** By name: the measurement of each at this tick, always in the same arrays. */
  readonly shown: Readonly<Record<string, Float64Array>>
  private readonly list: readonly Sensor[]
  private ticks = 0

  /**
   * @param tick period of the controller's loop [s]
   * @param seed of the noise
   * @throws RangeError, or ControllerError for an unknown link
   */
  constructor(robot: Robot, options: Readonly<Record<string, SensorOptions>>, tick: number, seed = 1) {
    const entries = Object.entries(options)
    this.list = entries.map(([name, own], stream) => {
      try {
        return new Sensor(robot, own, tick, seed, stream)
      } catch (error) {
        throw new RangeError(`sensor "${name}": ${(error as Error).message}`)
      }
    })
    this.shown = Object.fromEntries(entries.map(([name], i) => [name, this.list[i].shown]))
  }

  see(sight: Sight): void {
    for (const sensor of this.list) sensor.see(sight, this.ticks)
    this.ticks++
  }

  save(): { ticks: number; sensors: SavedSensor[] } {
    return { ticks: this.ticks, sensors: this.list.map((sensor) => sensor.save()) }
  }

  restore({ ticks, sensors }: ReturnType<Sensors['save']>): void {
    this.ticks = ticks
    this.list.forEach((sensor, i) => {
      sensor.restore(sensors[i])
    })
  }
}
