/**
 * Offsets of a cone's numbers in an array. Cones are x_0 >= |(x_1, x_2)|; x and its dual y are inside, dx and dy their steps. w, eta: the
 * scaling point of Nesterov and Todd, whose map W takes y and its inverse takes x to `scaledPoint`. `second`: second-order terms of the
 * predictor; `wanted`: y at the end of a step that keeps x; `normal`: derivative of u_n by y.
 */
export const cone = {
  x: 0,
  y: 3,
  dx: 6,
  dy: 9,
  w: 12,
  eta: 15,
  scaledPoint: 16,
  second: 19,
  wanted: 22,
  normal: 25,
  scratch: 28,
  size: 31,
} as const

/** Smallest product of the two distances of a point from the surface: rounding may put it there. */
const LEAST = 1e-300

/** x_0² - x_1² - x_2² of the vector at b[at]. */
const determinant = (b: Float64Array, at: number): number => {
  const length = Math.sqrt(b[at + 1] * b[at + 1] + b[at + 2] * b[at + 2])
  return Math.max((b[at] - length) * (b[at] + length), LEAST)
}

/** y := mean x⁻¹, so that x and y have the product mean (1, 0, 0). */
export function centre(b: Float64Array, o: number, mean: Float64Array): void {
  const by = mean[0] / determinant(b, o + cone.x)
  b[o + cone.y] = by * b[o]
  b[o + cone.y + 1] = -by * b[o + 1]
  b[o + cone.y + 2] = -by * b[o + 2]
}

/** Sets w, eta and the scaled point from x and y (Nesterov and Todd, SIAM J. Optim. 8, 1998). */
export function scale(b: Float64Array, o: number): void {
  const x = Math.sqrt(determinant(b, o + cone.x))
  const y = Math.sqrt(determinant(b, o + cone.y))
  const product = b[o] * b[o + cone.y] + b[o + 1] * b[o + cone.y + 1] + b[o + 2] * b[o + cone.y + 2]
  const by = 0.5 / Math.sqrt(0.5 * (1 + product / (x * y)))
  b[o + cone.w] = by * (b[o] / x + b[o + cone.y] / y)
  b[o + cone.w + 1] = by * (b[o + 1] / x - b[o + cone.y + 1] / y)
  b[o + cone.w + 2] = by * (b[o + 2] / x - b[o + cone.y + 2] / y)
  b[o + cone.eta] = Math.sqrt(x / y)
  apply(b, o, 1, cone.y, cone.scaledPoint)
}

/** The vector at `to` := W v, or W⁻¹ v if power is -1, v the vector at `from`. */
export function apply(b: Float64Array, o: number, power: 1 | -1, from: number, to: number): void {
  const w0 = b[o + cone.w]
  const w1 = power * b[o + cone.w + 1]
  const w2 = power * b[o + cone.w + 2]
  const h = power > 0 ? b[o + cone.eta] : 1 / b[o + cone.eta]
  const v0 = b[o + from]
  const along = w1 * b[o + from + 1] + w2 * b[o + from + 2]
  const f = v0 + along / (1 + w0)
  b[o + to] = h * (w0 * v0 + along)
  b[o + to + 1] = h * (b[o + from + 1] + f * w1)
  b[o + to + 2] = h * (b[o + from + 2] + f * w2)
}

/** second := (W⁻¹ dx) ∘ (W dy). */
export function multiplySteps(b: Float64Array, o: number): void {
  apply(b, o, -1, cone.dx, cone.scratch)
  apply(b, o, 1, cone.dy, cone.second)
  const x0 = b[o + cone.scratch]
  const x1 = b[o + cone.scratch + 1]
  const x2 = b[o + cone.scratch + 2]
  const y0 = b[o + cone.second]
  const y1 = b[o + cone.second + 1]
  const y2 = b[o + cone.second + 2]
  b[o + cone.second] = x0 * y0 + x1 * y1 + x2 * y2
  b[o + cone.second + 1] = x0 * y1 + y0 * x1
  b[o + cone.second + 2] = x0 * y2 + y0 * x2
}

/** wanted := W⁻¹ z, the product of z and the scaled point being target (1, 0, 0) - second. */
export function aim(b: Float64Array, o: number, target: Float64Array): void {
  const l0 = b[o + cone.scaledPoint]
  const l1 = b[o + cone.scaledPoint + 1]
  const l2 = b[o + cone.scaledPoint + 2]
  const s0 = target[0] - b[o + cone.second]
  const s1 = -b[o + cone.second + 1]
  const s2 = -b[o + cone.second + 2]
  const z0 = (l0 * s0 - l1 * s1 - l2 * s2) / determinant(b, o + cone.scaledPoint)
  b[o + cone.scratch] = z0
  b[o + cone.scratch + 1] = (s1 - z0 * l1) / l0
  b[o + cone.scratch + 2] = (s2 - z0 * l2) / l0
  apply(b, o, -1, cone.scratch, cone.wanted)
}

/** dy := wanted - y - W⁻² dx. */
export function follow(b: Float64Array, o: number): void {
  apply(b, o, -1, cone.dx, cone.scratch)
  apply(b, o, -1, cone.scratch, cone.scratch)
  for (let d = o; d < o + 3; d++) b[d + cone.dy] = b[d + cone.wanted] - b[d + cone.y] - b[d + cone.scratch]
}

/** length[0] := at most the fraction of the way along b[to] at which b[at] reaches the surface. */
export function toSurface(b: Float64Array, at: number, to: number, fraction: number, length: Float64Array): void {
  const d0 = b[to]
  const d1 = b[to + 1]
  const d2 = b[to + 2]
  const c = determinant(b, at)
  const h = b[at] * d0 - b[at + 1] * d1 - b[at + 2] * d2
  const q = d0 * d0 - d1 * d1 - d2 * d2
  // c + 2 h a + q a² = 0
  let a = d0 < 0 ? -b[at] / d0 : Number.POSITIVE_INFINITY
  const root = h * h - q * c
  if (root >= 0) {
    const s = Math.sqrt(root)
    if (h < 0) a = Math.min(a, c / (s - h))
    else if (q < 0) a = Math.min(a, (h + s) / -q)
  }
  if (fraction * a < length[0]) length[0] = fraction * a
}
