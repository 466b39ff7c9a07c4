/** An ellipsoid that rolls. */
import { g } from '../../contact/laws/scenes.ts'
import { cross, dot, rungeKutta, sum, type Vector } from './integrate.ts'

/**
 * Ellipsoid that rolls on a plane without slip, its centre of mass `low` below its middle, its mass 1: in its own axes, with u upwards,
 * r from the centre of mass to the point in touch and w its angular velocity, v = r x w; u' = u x w; I w' + w x I w = r x F, F = v' + w x v + g u.
 * I = [xx, yy, zz, xy].
 *
 * @returns spin about u at each of the times, energy's change, and the largest friction over load
 */
export function rollingEllipsoid(radii: Vector, low: number, I: readonly number[], w0: Vector, times: readonly number[]) {
  const [A, B, C] = [radii[0] ** 2, radii[1] ** 2, radii[2] ** 2]
  const times_I = (w: Vector): Vector => [I[0] * w[0] + I[3] * w[1], I[3] * w[0] + I[1] * w[1], I[2] * w[2]]
  const arm = (u: Vector): Vector => {
    const s = Math.sqrt(A * u[0] ** 2 + B * u[1] ** 2 + C * u[2] ** 2)
    return [(-A * u[0]) / s, (-B * u[1]) / s, low - (C * u[2]) / s]
  }
  const armRate = (u: Vector, du: Vector): Vector => {
    const s = Math.sqrt(A * u[0] ** 2 + B * u[1] ** 2 + C * u[2] ** 2)
    const ds = (A * u[0] * du[0] + B * u[1] * du[1] + C * u[2] * du[2]) / s
    const one = (X: number, k: number) => (-X * du[k]) / s + (X * u[k] * ds) / (s * s)
    return [one(A, 0), one(B, 1), one(C, 2)]
  }
  const parts = (x: readonly number[]) => {
    const u: Vector = [x[0], x[1], x[2]]
    const w: Vector = [x[3], x[4], x[5]]
    const du = cross(u, w)
    const r = arm(u)
    // F = r x w' + known
    const known = sum(sum(cross(armRate(u, du), w), cross(w, cross(r, w))), u, g)
    // (I + r² 1 - r rT) w' = r x known - w x I w
    const right = sum(cross(r, known), cross(w, times_I(w)), -1)
    const rr = dot(r, r)
    const K: Vector[] = [
      [I[0] + rr - r[0] * r[0], I[3] - r[0] * r[1], -r[0] * r[2]],
      [I[3] - r[0] * r[1], I[1] + rr - r[1] * r[1], -r[1] * r[2]],
      [-r[0] * r[2], -r[1] * r[2], I[2] + rr - r[2] * r[2]],
    ]
    const det = dot(K[0], cross(K[1], K[2]))
    const dw: Vector = [
      dot(right, cross(K[1], K[2])) / det,
      dot(right, cross(K[2], K[0])) / det,
      dot(right, cross(K[0], K[1])) / det,
    ]
    return { u, w, du, r, dw, F: sum(cross(r, dw), known) }
  }
  const energyOf = (x: readonly number[]) => {
    const { u, w, r } = parts(x)
    const v = cross(r, w)
    return 0.5 * dot(v, v) + 0.5 * dot(w, times_I(w)) - g * dot(r, u)
  }
  let x: readonly number[] = [0, 0, 1, ...w0]
  const start = energyOf(x)
  let steepest = 0
  let t = 0
  const spins = times.map((until) => {
    x = rungeKutta(
      (y) => {
        const { du, dw, u, F } = parts(y)
        const load = dot(F, u)
        steepest = Math.max(steepest, Math.hypot(...sum(F, u, -load)) / load)
        return [...du, ...dw]
      },
      x,
      until - t,
      5e-4,
    ).x
    t = until
    const { u, w } = parts(x)
    return dot(u, w)
  })
  return { spins, gained: energyOf(x) - start, steepest }
}
