import { didYouMean } from '../../dynamics/index.ts'
import type { Robot, RobotSensor } from '../../robots/index.ts'
import type { Surroundings } from '../../simulation/index.ts'
import { encoder, forceTorque, imu, lengthForce, loopForce, type Mounting, pose, type RaysOptions, rays } from './instruments.ts'
import { LastMotion } from './lastMotion.ts'
import { addNormal } from './noise.ts'
import { ofFile } from './ofFile.ts'
import { type Instrument, type SensorErrors, type Sight, spread } from './sensor.ts'
import { type WholeFile, wholeFile } from './wholeFile.ts'

/** One sensor of a robot. */
export type SensorOptions = SensorErrors &
  (
    | ({ readonly type: 'imu' } & Mounting)
    | { readonly type: 'force-torque'; readonly joint: string }
    | { readonly type: 'encoder'; readonly joint: string }
    /** Force of a loop on the link of its end b. */
    | { readonly type: 'loop'; readonly loop: string }
    /** Force along a length of `Model.lengths`. */
    | { readonly type: 'length'; readonly length: string }
    | ({ readonly type: 'rays' } & RaysOptions)
    | { readonly type: 'pose'; readonly of: string }
    /** The sensor of this name of the robot's file, with its noise where none is stated. */
    | { readonly type: 'file' }
  )

/** State of a sensor in a checkpoint. */
export interface SavedSensor {
  readonly memory: Float64Array
  readonly ring: Float64Array
  readonly shown: Float64Array
  readonly count: number
}

function instrumentOf(
  robot: Robot,
  name: string,
  options: SensorOptions,
  last: LastMotion,
  surroundings: Surroundings | undefined,
): Instrument {
  switch (options.type) {
    case 'imu':
      return imu(robot, options)
    case 'force-torque':
      return forceTorque(robot, options, last)
    case 'encoder':
      return encoder(robot, options)
    case 'loop':
      return loopForce(options, surroundings)
    case 'length':
      return lengthForce(options, surroundings)
    case 'rays':
      return rays(robot, options)
    case 'pose':
      return pose(robot, options)
    case 'file':
      return ofFile(robot, ownSensor(robot, name), last)
  }
}

/** @throws RangeError if the robot's file has no such sensor */
function ownSensor({ sensors = [], name: robot }: Robot, name: string): RobotSensor {
  const own = sensors.find((sensor) => sensor.name === name)
  if (own) return own
  const names = sensors.map((sensor) => sensor.name)
  throw new RangeError(
    `the file of "${robot}" has ${names.length === 0 ? 'no sensors' : `none of this name${didYouMean(name, names)}`}`,
  )
}

/** Options of the sensors of a robot's file, without noise, as MuJoCo shows them. */
export const fileSensors = ({ sensors = [] }: Robot): Readonly<Record<string, SensorOptions>> =>
  Object.fromEntries(sensors.map(({ name }) => [name, { type: 'file', noise: 0 }]))

/** Numbers that the sensors of a robot hold until they are shown: they are saved with every checkpoint. */
const MOST_HELD = 1e6

/** An instrument with its errors, sampled at its own rate and delayed. */
class Sensor {
  /** The measurement passed to the controller. */
  readonly shown: Float64Array
  readonly isOfFile: boolean
  private readonly instrument: Instrument
  private readonly seed: number
  private readonly stream: number
  /** Between ticks [s]; ticks between samples; delay in samples. */
  private readonly tick: number
  private readonly everyTicks: number
  private readonly late: number
  private readonly noise: Float64Array
  private readonly bias: Float64Array
  private readonly resolution: Float64Array
  private readonly memory: Float64Array
  /** late + 1 samples. */
  private readonly ring: Float64Array
  private count = 0

  constructor(
    robot: Robot,
    name: string,
    options: SensorOptions,
    tick: number,
    seed: number,
    stream: number,
    last: LastMotion,
    surroundings: Surroundings | undefined,
    room: number,
  ) {
    const { rate = 1 / tick, delay = 0 } = options
    this.instrument = instrumentOf(robot, name, options, last, surroundings)
    const ownNoise = options.type === 'file' ? ownSensor(robot, name).noise : 0
    this.isOfFile = options.type === 'file'
    this.seed = seed
    this.stream = stream
    this.everyTicks = Math.max(1, Math.round(1 / (rate * tick)))
    this.tick = tick
    this.late = Math.round(delay / (this.everyTicks * tick))
    this.noise = spread(this.instrument, options.noise ?? ownNoise, 'noise')
    this.bias = spread(this.instrument, options.bias, 'bias')
    this.resolution = spread(this.instrument, options.resolution, 'resolution')
    const size = this.noise.length
    if (!((this.late + 1) * size <= room))
      throw new RangeError(
        `a delay of ${delay} s holds ${this.late + 1} samples of ${size} numbers; all sensors of a robot hold at most ${MOST_HELD}. Shorten it, or sample at a lower rate`,
      )
    this.memory = new Float64Array(this.instrument.memorySize ?? 0).fill(NaN)
    this.ring = new Float64Array((this.late + 1) * size)
    this.shown = new Float64Array(size)
  }

  /** @param ticks since the start */
  see(sight: Sight, ticks: number): void {
    this.instrument.gather?.(sight, this.tick, this.memory)
    if (ticks % this.everyTicks !== 0) return
    const { shown, ring, late, count } = this
    const size = shown.length
    this.instrument.measure(sight, this.memory, shown)
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

  get held(): number {
    return this.ring.length
  }

  restore({ memory, ring, shown, count }: SavedSensor): void {
    this.memory.set(memory)
    this.ring.set(ring)
    this.shown.set(shown)
    this.count = count
  }
}

/** Numbers of a sensor in recordings; one with more, as a lidar, is left out. */
const MOST_RECORDED = 16

/** The sensors of one robot. */
export class Sensors {
  /** By name: the measurement of each at this tick, always in the same arrays. */
  readonly shown: Readonly<Record<string, Float64Array>>
  /** Of their numbers in recordings: `sensors.NAME`, or `sensors.NAME/0` and so on; those of many numbers have none. */
  readonly channels: readonly string[]
  private readonly list: readonly Sensor[]
  private readonly recorded: readonly Float64Array[]
  private readonly last: LastMotion
  private readonly whole: WholeFile | undefined
  private ticks = 0

  /**
   * @param tick period of the controller's loop [s]
   * @param seed of the noise
   * @throws RangeError, or ControllerError for an unknown link
   */
  constructor(
    robot: Robot,
    options: Readonly<Record<string, SensorOptions>>,
    tick: number,
    seed = 1,
    surroundings?: Surroundings,
  ) {
    const entries = Object.entries(options)
    const { beside } = robot
    this.last = new LastMotion(robot)
    if (beside && entries.some(([, { type }]) => type === 'file')) this.whole = wholeFile(robot, beside, surroundings)
    let room = MOST_HELD
    this.list = entries.map(([name, own], stream) => {
      const { robot: carrier, last } = (own.type === 'file' && this.whole) || { robot, last: this.last }
      try {
        const sensor = new Sensor(carrier, name, own, tick, seed, stream, last, surroundings, room)
        room -= sensor.held
        return sensor
      } catch (error) {
        throw new RangeError(`sensor "${name}": ${(error as Error).message}`)
      }
    })
    this.shown = Object.fromEntries(entries.map(([name], i) => [name, this.list[i].shown]))
    const recorded = Object.entries(this.shown).filter(([, { length }]) => length <= MOST_RECORDED)
    this.recorded = recorded.map(([, shown]) => shown)
    this.channels = recorded.flatMap(([name, { length }]) =>
      length === 1 ? [`sensors.${name}`] : Array.from({ length }, (_, k) => `sensors.${name}/${k}`),
    )
  }

  see(sight: Sight): void {
    const whole = this.whole?.see(sight) ?? sight
    for (const sensor of this.list) sensor.see(sensor.isOfFile ? whole : sight, this.ticks)
    this.ticks++
  }

  /** Writes the numbers of `channels` to the end of a list. */
  writeChannels(values: Float64Array): void {
    let at = values.length - this.channels.length
    for (const shown of this.recorded) {
      values.set(shown, at)
      at += shown.length
    }
  }

  save(): { ticks: number; sensors: SavedSensor[] } {
    return { ticks: this.ticks, sensors: this.list.map((sensor) => sensor.save()) }
  }

  restore({ ticks, sensors }: ReturnType<Sensors['save']>): void {
    this.ticks = ticks
    this.last.forget()
    this.whole?.last.forget()
    this.list.forEach((sensor, i) => {
      sensor.restore(sensors[i])
    })
  }
}
