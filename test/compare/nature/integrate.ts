/** What equations of motion are integrated with, without any code of ours. */

export type Rates = (x: readonly number[], t: number) => number[]

/** Runge and Kutta's fourth order in even steps from 0, up to `until` or where `stop` holds. */
export function rungeKutta(
  rates: Rates,
  start: readonly number[],
  until: number,
  dt: number,
  stop: (x: readonly number[], t: number) => boolean = () => false,
): { readonly x: readonly number[]; readonly t: number } {
  let x = start
  let t = 0
  const along = (k: readonly number[], by: number) => x.map((value, i) => value + by * k[i])
  while (t < until - dt / 2 && !stop(x, t)) {
    const k1 = rates(x, t)
    const k2 = rates(along(k1, dt / 2), t + dt / 2)
    const k3 = rates(along(k2, dt / 2), t + dt / 2)
    const k4 = rates(along(k3, dt), t + dt)
    x = x.map((value, i) => value + (dt / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]))
    t += dt
  }
  return { x, t }
}

export type Vector = readonly [number, number, number]
export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
export const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
export const sum = (a: Vector, b: Vector, by = 1): Vector => [a[0] + by * b[0], a[1] + by * b[1], a[2] + by * b[2]]
