import { sincos } from '../../dynamics/index.ts'
import { log } from '../policy/exponential.ts'

/** Sine and cosine of the angle, logarithm, angle. */
const scratch = new Float64Array(4)

/**
 * out[k] += deviation[k] z, with z normal of zero mean and unit variance (Box and Muller 1958). Depends on its arguments alone, so that
 * checkpoints store no generator.
 *
 * @param seed of the run @param stream of the sensor @param count of the sample
 */
export function addNormal(
  out: Float64Array,
  k: number,
  deviation: Float64Array,
  seed: number,
  stream: number,
  count: number,
): void {
  const first = mixed(mixed(mixed(mixed(seed ^ 0x9e3779b9) ^ stream) ^ count) ^ Math.imul(k + 1, 0x85ebca6b))
  const second = mixed((first + 0x9e3779b9) | 0)
  scratch[2] = ((first >>> 0) + 0.5) / 2 ** 32
  log(scratch, 2)
  scratch[3] = (2 * Math.PI * (second >>> 0)) / 2 ** 32
  sincos(scratch, scratch, 3)
  out[k] += deviation[k] * Math.sqrt(-2 * scratch[2]) * scratch[1]
}

/** The finalizer of MurmurHash3 (Appleby): each bit of the input changes half of those of the result. */
function mixed(x: number): number {
  let h = x | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
