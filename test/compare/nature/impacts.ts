/** Impacts with friction. */

/**
 * Kane's double pendulum at its impact: rods of 1 m and 1 kg at angles a and b from the vertical, with angular velocities; a ball of radius r at
 * the tip touches the floor. Energy after over energy before, and the point's speed upwards, by three hypotheses of restitution, with Coulomb's friction followed along the normal impulse
 * (Routh); Newton's as Kane and Levinson have it, with friction mu times the normal impulse against the slip at the end unless that can be none.
 */
export function kanesImpact(
  mu: number,
  e: number,
  { a, b, wa, wb, r }: { a: number; b: number; wa: number; wb: number; r: number },
) {
  // M over (wa, wb), and rows of the velocity of the ball's lowest point: x, then z; the tip is at (-sin a - sin b, -cos a - cos b)
  const M = [
    [4 / 3, Math.cos(a - b) / 2],
    [Math.cos(a - b) / 2, 1 / 3],
  ]
  const J = [
    [-Math.cos(a), -Math.cos(b) - r],
    [Math.sin(a), Math.sin(b)],
  ]
  const det = M[0][0] * M[1][1] - M[0][1] * M[1][0]
  const solve = ([x, y]: readonly number[]) => [(M[1][1] * x - M[0][1] * y) / det, (M[0][0] * y - M[1][0] * x) / det]
  const energy = ([x, y]: readonly number[]) => 0.5 * (M[0][0] * x * x + 2 * M[0][1] * x * y + M[1][1] * y * y)
  const W = J.map((row) => J.map((other) => row[0] * solve(other)[0] + row[1] * solve(other)[1]))
  const start = [wa, wb]
  const [ut, un] = J.map((row) => row[0] * wa + row[1] * wb)
  const after = (pt: number, pn: number) => {
    const [x, y] = solve([J[0][0] * pt + J[1][0] * pn, J[0][1] * pt + J[1][1] * pn])
    return { energy: energy([wa + x, wb + y]) / energy(start), speed: un + W[1][0] * pt + W[1][1] * pn }
  }
  // along the normal impulse
  const followed = (isOver: (pn: number, un: number, work: number) => boolean) => {
    const dp = 1e-6
    let [pt, pn, work] = [0, 0, 0]
    for (;;) {
      const [slip, closing] = [ut + W[0][0] * pt + W[0][1] * pn, un + W[1][0] * pt + W[1][1] * pn]
      if (isOver(pn, closing, work)) return after(pt, pn)
      const sticking = -W[0][1] / W[0][0]
      const sticks = Math.abs(slip) < 1e-5 && Math.abs(sticking) <= mu
      pt += dp * (sticks ? sticking : Math.abs(slip) < 1e-5 ? mu * Math.sign(sticking) : -mu * Math.sign(slip))
      pn += dp
      work += closing * dp
    }
  }
  let compression = 0
  const isPoissonOver = (pn: number, closing: number) => {
    if (compression === 0 && closing >= 0) compression = pn
    return compression > 0 && pn >= (1 + e) * compression
  }
  let lost = 0
  const isStrongeOver = (_: number, closing: number, work: number) => {
    if (lost === 0 && closing >= 0) lost = -work
    return lost > 0 && work >= -(1 - e * e) * lost
  }
  // Newton: closing at the end is -e times that at the start; no slip at the end if mu allows, else against it
  const ends = [0, mu, -mu].map((share) => {
    if (share !== 0) {
      const pn = (-(1 + e) * un) / (W[1][1] + share * W[1][0])
      return { pt: share * pn, pn, slip: ut + W[0][0] * share * pn + W[0][1] * pn }
    }
    const D = W[0][0] * W[1][1] - W[0][1] * W[1][0]
    const [x, y] = [-ut, -(1 + e) * un]
    return { pt: (W[1][1] * x - W[0][1] * y) / D, pn: (W[0][0] * y - W[1][0] * x) / D, slip: 0 }
  })
  const [held, ...slipping] = ends
  const newton = Math.abs(held.pt) <= mu * held.pn ? held : (slipping.find(({ pt, slip }) => pt * slip < 0) ?? held)
  return {
    poisson: followed(isPoissonOver),
    stronge: followed(isStrongeOver),
    newton: after(newton.pt, newton.pn),
  }
}

/**
 * A ball that bounces thrice, off floor, ceiling and floor, without spin at first: each bounce leaves -e of the slip s of its surface, so that its
 * speed changes by -2/7 (1 + e) s and r w by 5/2 of that, against the spin at the ceiling. Garwin (1969) for e = 1.
 *
 * @returns speed along the floor over that at the start
 */
export function threeBounces(e: number): number {
  let [v, rw] = [1, 0]
  for (const side of [1, -1, 1]) {
    const change = (-2 / 7) * (1 + e) * (v + side * rw)
    v += change
    rw += side * 2.5 * change
  }
  return v
}
