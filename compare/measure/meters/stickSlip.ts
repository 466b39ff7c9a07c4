import { rotateTransposed3 } from '../../../dynamics/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'
import type { SurfaceMeter } from './surfaces.ts'

/** Slip that goes on where something must stick: "box on ground", or a joint. */
export interface Creep {
  readonly of: string
  readonly speed: number
  readonly unit: 'm/s' | 'rad/s'
}

/** More than the values of an Int32Array. */
const FEATURES = 0x1_0000_0000
const INSIDE_CONE = 0.95
/** Part of the last fifth for which slip has to go on: what walks or rattles does not. */
const PERSISTS = 0.9
/** Way of a contact over its body, over the slip, from which on it rolls. */
const ROLLS = 10

/** Mean speed of a net way; 0 where it did not have to stick for nearly all of the time. @param stuck for how long it had to, of `window` [s] */
export const creepSpeed = (way: number, stuck: number, window: number): number =>
  window > 0 && stuck >= PERSISTS * window ? way / window : 0

/** Slip of one point over the run [m]; in the last fifth its time [s], net slip, and where it was on body A first and last [m]. */
interface Slip {
  readonly pair: number
  way: number
  stuck: number
  readonly net: Float64Array
  readonly from: Float64Array
  readonly to: Float64Array
}

function noSlip(pair: number): Slip {
  const vector = () => new Float64Array(3)
  return { pair, way: 0, stuck: 0, net: vector(), from: vector(), to: vector() }
}

/** Slip of each contact point over the steps in which its force lay well inside its cone. */
export class StickSlipMeter {
  private readonly slips = new Map<number, Slip>()
  private readonly start: number
  private window = 0

  /** @param start of the last fifth, in whole steps */
  constructor(start: number) {
    this.start = start
  }

  /** Of the point with the largest sum [m]. */
  get most(): number {
    return [...this.slips.values()].reduce((most, { way }) => Math.max(most, way), 0)
  }

  /** Creep over the last fifth, but for that of what rolls. */
  creeps(names: Pick<SurfaceMeter, 'namesOf'>): Creep[] {
    return [...this.slips.values()].flatMap(({ pair, stuck, net, from, to }) => {
      const way = Math.hypot(...net)
      const rolls = Math.hypot(...to.map((x, d) => x - from[d])) > ROLLS * way
      return rolls ? [] : [{ of: names.namesOf(pair), speed: creepSpeed(way, stuck, this.window), unit: 'm/s' }]
    })
  }

  measure(step: MeasuredStep): void {
    const { world, count, active, slipEnd, dt } = step
    const { impulse, impact, mu, pair, feature } = world.contacts
    const isLast = step.elapsed > this.start
    if (isLast) this.window += dt
    for (let i = 0; i < count; i++) {
      const c = active[i]
      const k = 3 * c
      const fn = (impulse[k] - impact[k]) / dt
      const ft = Math.hypot(impulse[k + 1] - impact[k + 1], impulse[k + 2] - impact[k + 2]) / dt
      if (!(impulse[k] > 0 && fn > 0 && ft < INSIDE_CONE * mu[c] * fn)) continue
      const key = pair[c] * FEATURES + feature[c]
      const slip = this.slips.get(key) ?? noSlip(pair[c])
      if (slip.way === 0) this.slips.set(key, slip)
      slip.way += slipEnd[i] * dt
      if (!isLast) continue
      addNet(step, i, slip)
      slip.stuck += dt
    }
  }
}

function addNet({ world, active, velocityEnd, dt, start }: MeasuredStep, i: number, { net, from, to, stuck }: Slip): void {
  const { bodyA, point, tangent1, tangent2, inverse2 } = world.contacts
  const c = active[i]
  for (let d = 0; d < 3; d++) {
    const k = 3 * c + d
    net[d] += dt * (velocityEnd[3 * i + 1] * tangent1[k] + velocityEnd[3 * i + 2] * inverse2[c] * tangent2[k])
    to[d] = point[k] - start.p_WB[bodyA[c]][d]
  }
  rotateTransposed3(to, start.R_WB[bodyA[c]], to)
  if (stuck === 0) from.set(to)
}
