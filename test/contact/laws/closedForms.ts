import { g } from './scenes.ts'

/** Where a function that is positive at low and negative at high changes its sign. */
export function bisect(f: (x: number) => number, low: number, high: number): number {
  for (let k = 0; k < 100; k++) {
    const middle = 0.5 * (low + high)
    if (f(middle) > 0) low = middle
    else high = middle
  }
  return low
}

/** d of `mujoco` at a depth, for midpoint 1/2 and power 2. */
export function impedanceOfMujoco(depth: number, dmin = 0.9, dmax = 0.95, width = 1e-3): number {
  const x = Math.min(1, depth / width)
  const y = x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x)
  return dmin + y * (dmax - dmin)
}

/** R f = k d depth of one of so many contacts, which carries the weight of its share: (1 - d) / d g share = d depth / (dmax tc)². */
export function depthOfMujoco(share: number, tc = 0.02): number {
  const miss = (depth: number) => {
    const d = impedanceOfMujoco(depth)
    return ((1 - d) / d) * g * share - (d * depth) / (0.95 * tc) ** 2
  }
  return bisect(miss, 0, 1)
}
