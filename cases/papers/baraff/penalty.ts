/** Section 4.2: the penalty method, its limit as k grows without bound, and the step for a large k. */
import { dot } from '../../../dynamics/index.ts'
import { eigenvalues, rungeKutta, solveDense } from './numerics.ts'
import { exactPath, place, releaseAngle, surface } from './particle.ts'
import { difference, fixture, g, grain, length, particle } from './scene.ts'

const sphere = fixture('surface', { type: 'sphere', radius: surface - grain })
const release = [Math.sin(releaseAngle), 0, Math.cos(releaseAngle)]

export const stiffnesses = [1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7]
/** Of the period of the spring, so that the step's own error is far below that of the spring: omega dt. */
const share = 0.15

/** On the sphere, under equation 11 of both signs, until past the place where the inequality releases [s]. */
export const equalityTime = 0.9
/** Before the inequality's contact breaks, at 0.689 s, and after [s]. */
export const contactTime = 0.6
export const flightTime = 0.9

/** Equation 11 integrated here: the particle on the whole of the sphere, pulled back as it is pushed. Greatest distance from the exact path [m]. */
export function equalityError(k: number): number {
  const start = [...release, 0, 0, 0]
  const exact = exactPath(start, equalityTime, true).moments
  const n = Math.max(1, Math.ceil((1e-4 * Math.sqrt(k)) / share))
  const f = (y: readonly number[]) => {
    const r = Math.hypot(y[0], y[1], y[2])
    const pull = -k * (1 - surface / r)
    return [y[3], y[4], y[5], pull * y[0], pull * y[1], pull * y[2] - g]
  }
  let y: number[] = start
  let worst = 0
  for (const { y: expected } of exact.slice(1)) {
    for (let i = 0; i < n; i++) y = rungeKutta(f, y, 1e-4 / n)
    worst = Math.max(worst, length(difference(y.slice(0, 3), expected.slice(0, 3))))
  }
  return worst
}

/** The inequality, by `penalty-deepest` under Runge-Kutta steps: greatest distance while in contact, and at the end of the flight [m]. */
export function inequalityError(k: number, damping: number): { contact: number; flight: number } {
  const exact = exactPath([...release, 0, 0, 0], flightTime).moments
  const n = Math.max(1, Math.ceil((1e-3 * Math.sqrt(k)) / share))
  const dt = 1e-3 / n
  const world = particle({
    model: 'penalty-deepest',
    dt,
    integrator: 'rk4',
    options: { impacts: 'none' },
    physical: { stiffness: k, damping: damping * 2 * Math.sqrt(k) },
    position: release,
    fixtures: [sphere],
  })
  let [contact, flight] = [0, 0]
  for (let step = 1; step <= Math.round(flightTime / 1e-3); step++) {
    for (let i = 0; i < n; i++) world.step()
    flight = length(difference(place(world), exact[10 * step].y.slice(0, 3)))
    if (step * 1e-3 <= contactTime) contact = Math.max(contact, flight)
  }
  return { contact, flight }
}

/**
 * The largest step at which a particle that rests on the spring, a tenth off its balance, stays: half a thousand steps leave it no farther off than
 * twice as much. By bisection to 1 %.
 */
export function largestStep(k: number, integrator?: 'rk4'): number {
  const rest = g / k
  const stays = (dt: number) => {
    const world = particle({
      model: 'penalty-deepest',
      dt,
      integrator,
      options: { impacts: 'none' },
      physical: { stiffness: k, damping: 0 },
      position: [0, 0, grain - 1.1 * rest],
    })
    for (let i = 0; i < 500; i++) {
      world.step()
      if (Math.abs(world.state.q[2] - grain + rest) > 0.2 * rest) return false
    }
    return true
  }
  let [low, high] = [0.1 / Math.sqrt(k), 100 / Math.sqrt(k)]
  if (stays(high)) return Infinity
  while (high / low > 1.01) {
    const middle = Math.sqrt(low * high)
    if (stays(middle)) low = middle
    else high = middle
  }
  return low
}

/** A particle is held to the ellipsoid C(z) = zᵀ E z - 1 = 0, E's diagonal [1/m²], under the force F [N]. */
const ellipsoid = [1, 0.25, 2]
const pull = [3, 1, -g]
/** s² = Fᵀ E⁻¹ F */
export const shape = Math.sqrt(pull.reduce((sum, F, d) => sum + (F * F) / ellipsoid[d], 0))
/** Equation 9, of f = -F · z: z* = E⁻¹ F / s, and F = λ ∇C with λ = s / 2. Equation 10 has r z* with r (r² - 1) = s / (4 k). */
export const constrainedMinimum = pull.map((F, d) => F / (ellipsoid[d] * shape))

/** Equation 10, least f(z) + k C(z)², for each k in turn from the z of the one before, at first from 2 z*, until the gradient is 1e-8 of |F|. */
export function penalised(ks: readonly number[]) {
  const at = (k: number, z: readonly number[]) => {
    const Ez = z.map((x, d) => ellipsoid[d] * x)
    const C = dot(z, Ez) - 1
    const gradient = Ez.map((x, d) => 4 * k * C * x - pull[d])
    const H = Ez.map((x, i) => Ez.map((y, j) => 8 * k * x * y + (i === j ? 4 * k * C * ellipsoid[i] : 0)))
    return { C, gradient, H, steep: length(gradient) > 1e-8 * length(pull) }
  }
  let z: readonly number[] = constrainedMinimum.map((x) => 2 * x)
  return ks.map((k) => {
    let [newton, descent, slow] = [0, 0, z]
    for (let now = at(k, z); now.steep; now = at(k, z), newton++) z = difference(z, solveDense(now.H, now.gradient))
    const { C, H } = at(k, z)
    const values = eigenvalues(H)
    // steepest descent by a step of 1 / (2 L), L the largest eigenvalue
    for (let now = at(k, slow); now.steep; now = at(k, slow), descent++)
      slow = slow.map((x, d) => x - (0.5 * now.gradient[d]) / values[2])
    return { k, z, force: 2 * k * C, condition: values[2] / values[0], newton, descent }
  })
}
