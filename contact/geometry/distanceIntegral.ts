/**
 * out[at] += ∫ |r| dA over the triangle of the origin, a and b, negative if these are clockwise: summed over the edges of a polygon, the
 * integral over the polygon. (1/3) ∫ R(phi)³ dphi with R = h / cos phi, h the height over the edge. @unchecked
 *
 * @param edge 4: a and b; an array, since numbers would be boxed if the call is not inlined
 */
export function addDistanceIntegral(out: Float64Array, at: number, edge: Float64Array): void {
  const ax = edge[0]
  const ay = edge[1]
  const bx = edge[2]
  const by = edge[3]
  const length = Math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
  const signed = length > 0 ? (ax * by - ay * bx) / length : 0
  const h = signed < 0 ? -signed : signed
  if (!(h > 1e-9 * length)) return
  // coordinates along the edge from the foot of the origin's perpendicular
  const s = (ax * (bx - ax) + ay * (by - ay)) / length
  const t = (bx * (bx - ax) + by * (by - ay)) / length
  const rs = Math.sqrt(s * s + h * h)
  const rt = Math.sqrt(t * t + h * h)
  const logarithm =
    (t >= 0 ? Math.log((rt + t) / h) : -Math.log((rt - t) / h)) - (s >= 0 ? Math.log((rs + s) / h) : -Math.log((rs - s) / h))
  out[at] += (signed / 6) * (rt * t - rs * s + h * h * logarithm)
}
