/** Largest steps: found by bisection of stable runs, or known from the theory of integrators. */
import type { Integrator } from '../../contact/index.ts'

/** Where one bisection stands: it holds at `inside` and not at `outside`. */
export interface Bracket {
  readonly inside: number
  readonly outside: number
}

/** The value to try next: the middle on a logarithmic scale; undefined once the two ends are within `tolerance` of each other. */
export function nextOf({ inside, outside }: Bracket, tolerance: number): number | undefined {
  return Math.abs(Math.log(outside / inside)) <= Math.log1p(tolerance) ? undefined : Math.sqrt(inside * outside)
}

/** The bracket once `middle` has been tried. */
export const narrowed = (bracket: Bracket, middle: number, holds: boolean): Bracket =>
  holds ? { ...bracket, inside: middle } : { ...bracket, outside: middle }

/**
 * The first border above the least of some rising values: between the last that holds from the start on and the one after it.
 *
 * @returns null if it does not hold at the least value; `outside` Infinity if it holds at all of them; and whether it holds again
 *   at a value beyond the border
 */
export function firstBracket(values: readonly number[], holds: readonly boolean[]): (Bracket & { again: boolean }) | null {
  const first = holds.indexOf(false)
  if (first === 0) return null
  if (first < 0) return { inside: values[values.length - 1], outside: Infinity, again: false }
  return { inside: values[first - 1], outside: values[first], again: holds.lastIndexOf(true) > first }
}

/**
 * The largest omega dt at which an oscillator of damping ratio zeta does not grow: |R(z)| <= 1 for both of z = omega dt (-zeta +- i
 * sqrt(1 - zeta²)), R the stability function (Hairer and Wanner, Solving Ordinary Differential Equations II, 1996, IV.2). Of rk4
 * R = 1 + z + z²/2 + z³/6 + z⁴/24, so 2 sqrt(2) without damping and 2.785 with critical damping. The semi-implicit step takes the
 * forces of contacts and joints at its end (`SemiImplicitForces`) and has no limit.
 */
export function stabilityLimit(integrator: Integrator, zeta: number): number {
  if (integrator !== 'rk4') return Infinity
  const grows = (omegaDt: number) => {
    const roots =
      zeta <= 1
        ? [[-zeta * omegaDt, Math.sqrt(1 - zeta * zeta) * omegaDt]]
        : [[(-zeta - Math.sqrt(zeta * zeta - 1)) * omegaDt, 0]] // the faster of the two decays
    return roots.some(([re, im]) => {
      let [a, b] = [1, 0] // Horner: 1 + z (1 + z/2 (1 + z/3 (1 + z/4)))
      for (const k of [4, 3, 2, 1]) [a, b] = [1 + (re * a - im * b) / k, (re * b + im * a) / k]
      return a * a + b * b > 1 + 1e-12
    })
  }
  let bracket: Bracket = { inside: 1e-3, outside: 10 }
  for (let middle = nextOf(bracket, 1e-9); middle !== undefined; middle = nextOf(bracket, 1e-9))
    bracket = narrowed(bracket, middle, !grows(middle))
  return bracket.inside
}
