/** 3 each: absolute coordinates of the point; products of radii and coordinates; squared radii less the least squared radius. */
const y = new Float64Array(3)
const ey = new Float64Array(3)
const delta = new Float64Array(3)

/** Most Newton steps: from the left the iteration converges monotonically to the root, quadratically at the end. */
const mostRootSteps = 60

/**
 * Signed distance of a point from an ellipsoid, negative inside, and the unit normal at the nearest point of its surface: x - d n is that
 * point. After Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid (2013), with the unknown relative to the
 * least radius m, which avoids cancellation where the point is near the plane across that axis: @unchecked
 *
 *     sum over i of (e_i y_i / (s + e_i² - e_m²))² = 1,  s >= 0,    n ~ y_i / (s + e_i² - e_m²),    d = (s - e_m²) |that vector|
 *
 * The sum is decreasing and convex in s; the start is the greatest s at which one term alone is 1. Of several nearest points, as from the
 * centre, a fixed choice.
 *
 * @param x   3: in the ellipsoid's axes [m]
 * @param e   3: its radii [m]
 * @param out out, 4: distance [m], normal in the ellipsoid's axes
 */
export function pointToEllipsoid(x: Float64Array, e: Float64Array, out: Float64Array): void {
  let m = 0
  for (let k = 1; k < 3; k++) if (e[k] < e[m]) m = k
  let s = 0
  for (let k = 0; k < 3; k++) {
    y[k] = Math.abs(x[k])
    ey[k] = e[k] * y[k]
    delta[k] = (e[k] - e[m]) * (e[k] + e[m])
    const alone = ey[k] - delta[k]
    if (alone > s) s = alone
  }
  let isRegular = s > 0
  if (!isRegular) {
    // the sum at s = 0, where the coordinates along the least axes are 0
    let sum = 0
    for (let k = 0; k < 3; k++) if (delta[k] > 0) sum += (ey[k] / delta[k]) * (ey[k] / delta[k])
    isRegular = sum > 1
    if (!isRegular) {
      // points of the medial disc, across the least axis: nearest above and below, at the remaining height along that axis
      const left = Math.sqrt(1 - sum) / e[m]
      let square = left * left
      for (let k = 0; k < 3; k++) {
        out[1 + k] = k === m ? left : delta[k] > 0 ? x[k] / delta[k] : 0
        if (k !== m) square += out[1 + k] * out[1 + k]
      }
      const length = Math.sqrt(square)
      out[0] = -e[m] * e[m] * length
      for (let k = 1; k < 4; k++) out[k] /= length
      return
    }
  }
  for (let step = 0; step < mostRootSteps; step++) {
    let sum = -1
    let slope = 0
    for (let k = 0; k < 3; k++) {
      if (ey[k] === 0) continue
      const part = ey[k] / (s + delta[k])
      sum += part * part
      slope += (part * part) / (s + delta[k])
    }
    const next = s + (0.5 * sum) / slope
    if (!(next > s)) break
    s = next
  }
  let square = 0
  for (let k = 0; k < 3; k++) {
    out[1 + k] = y[k] === 0 ? 0 : x[k] / (s + delta[k])
    square += out[1 + k] * out[1 + k]
  }
  const length = Math.sqrt(square)
  out[0] = (s - e[m] * e[m]) * length
  for (let k = 1; k < 4; k++) out[k] /= length
}
