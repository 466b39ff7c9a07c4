/**
 * A number of zero mean and unit variance that hangs on its arguments alone, so that a checkpoint has no generator to keep: the sum of
 * twelve even ones, less six, which is normal to 3 sigma and ends at 6 (Irwin and Hall). No function whose last bits hang on the engine is called.
 *
 * @param seed   of the run @param stream of the sensor @param count of the sample @param entry of the sample's numbers
 */
export function normal(seed: number, stream: number, count: number, entry: number): number {
  let h = mixed(mixed(mixed(seed ^ 0x9e3779b9) ^ stream) ^ count) ^ Math.imul(entry + 1, 0x85ebca6b)
  let sum = -6
  for (let k = 0; k < 12; k++) {
    h = mixed((h + 0x9e3779b9) | 0)
    sum += (h >>> 0) / 2 ** 32
  }
  return sum
}

/** The finalizer of MurmurHash3 (Appleby): each bit of the input changes half of those of the answer. */
function mixed(x: number): number {
  let h = x | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
