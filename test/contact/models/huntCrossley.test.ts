import { describe, expect, test } from 'vitest'
import { dissipationOfRestitution } from '../../../contact/models/huntCrossley.ts'
import { box, g, largestDuring, makeWorld, run, shown, sphere, support, upright } from '../laws/scenes.ts'

const model = 'hunt-crossley'

/** Rebound over approach speed of x'' = -xⁿ (1 + y x') that starts at x = 0, x' = 1 (lengths and times scaled), by midpoint steps. */
function restitutionOf(y: number, n: number): number {
  const dt = 1e-5
  let [x, v] = [0, 1]
  const force = (depth: number, speed: number) => Math.max(depth ** n * (1 + y * speed), 0)
  do {
    const xm = x + 0.5 * dt * v
    const vm = v - 0.5 * dt * force(Math.max(x, 0), v)
    x += dt * vm
    v -= dt * force(Math.max(xm, 0), vm)
  } while (x > 0)
  return -v
}

describe('restitution', () => {
  test('the relation holds by integrating the impact, whatever the exponent', () => {
    for (const e of [0.1, 0.3, 0.6, 0.9]) {
      for (const n of [1, 1.5, 2.5]) expect(Math.abs(restitutionOf(dissipationOfRestitution(e), n) - e)).toBeLessThan(1e-4) // the end is found to a step
    }
  })

  test('for small dissipation it is that of Hunt and Crossley, e = 1 - alpha v with 3/2 alpha v = y; elastic without', () => {
    expect(dissipationOfRestitution(1)).toBe(0)
    for (const e of [0.9999, 0.999, 0.998, 0.99, 0.98]) {
      // the next term is (1 - e)²
      expect(Math.abs(1 - (2 / 3) * dissipationOfRestitution(e) - e)).toBeLessThan(1.1 * (1 - e) ** 2)
    }
    // both branches meet
    expect(dissipationOfRestitution(0.999 + 1e-12) / dissipationOfRestitution(0.999 - 1e-12)).toBeCloseTo(1, 3)
  })

  for (const [exponent, restitution] of [
    [1.5, 0.5],
    [1.5, 0.8],
    [1, 0.5],
    [2, 0.3],
  ]) {
    test(`a ball without gravity rebounds with ${restitution} of the reference speed at n = ${exponent}, more of less and less of more`, () => {
      const rebound = (speed: number) => {
        const world = makeWorld({
          robot: sphere(0.1, 2, [0, 0, 0]),
          model,
          dt: 2e-5,
          integrator: 'rk4',
          physical: { restitution, allowedPenetration: 1e-3 },
          options: { exponent, referenceSpeed: 0.5 },
          q: [0, 0, 0.1, ...upright],
          v: [0, 0, 0, 0, 0, -speed],
        })
        run(world, 0.2)
        return world.state.v[5] / speed
      }
      expect(Math.abs(rebound(0.5) - restitution)).toBeLessThan(1e-3)
      expect(rebound(0.1)).toBeGreaterThan(restitution + 0.05)
      expect(rebound(2)).toBeLessThan(restitution - 0.05)
    })
  }
})

describe('statics', () => {
  for (const exponent of [1, 1.5, 2.2]) {
    test(`the weight sinks by the allowed penetration at n = ${exponent}, a ball on one point and a box on four`, () => {
      const allowedPenetration = 5e-4
      for (const robot of [sphere(0.1, 7), box([0.3, 0.2, 0.2], 7)]) {
        const q = [0, 0, 0.1 - allowedPenetration, ...upright]
        const world = makeWorld({ robot, model, options: { exponent }, physical: { allowedPenetration }, q })
        run(world, 2)
        expect((0.1 - world.state.q[2]) / allowedPenetration).toBeCloseTo(1, 6)
        expect(support(world).force / (7 * g)).toBeCloseTo(1, 6)
      }
    })

    test(`another load at n = ${exponent}: d = d0 (W / W0)^(1 / n)`, () => {
      const world = makeWorld({
        robot: sphere(0.1, 2),
        model,
        options: { exponent },
        physical: { allowedPenetration: 1e-3, stiffness: 1e4 },
        q: [0, 0, 0.0985, ...upright],
      })
      run(world, 3)
      const expected = 1e-3 * ((2 * g) / 10) ** (1 / exponent)
      expect((0.1 - world.state.q[2]) / expected).toBeCloseTo(1, 6)
      expect(shown(world).k / (1e4 * 1e-3 ** (1 - exponent))).toBeCloseTo(1, 12)
    })
  }

  test('without restitution it settles at rest as critical damping does: no slower than 2 / omega, without overshoot to speak of', () => {
    const [d0, mass] = [1e-3, 2]
    const omega = Math.sqrt((1.5 * g) / d0)
    const world = makeWorld({
      robot: sphere(0.1, mass),
      model,
      dt: 1e-5,
      integrator: 'rk4',
      q: [0, 0, 0.1 - 1.02 * d0, ...upright], // small enough for the law's slope at d0
    })
    const highest = largestDuring(world, 10 / omega, ({ state }) => state.q[2] - (0.1 - d0))
    // (1 + omega t) exp(-omega t) of 2 % of d0, but that the law is bent by up to 2 % over ten of these times
    expect(Math.abs(world.state.q[2] - (0.1 - d0)) / (0.02 * d0)).toBeLessThan(11 * Math.exp(-10) * 1.2)
    expect(highest).toBeLessThan(1e-3 * 0.02 * d0)
    // a damping that is stated is that at the allowed penetration
    const stated = makeWorld({ robot: sphere(0.1, mass), model, physical: { damping: 30 }, q: [0, 0, 0.1, ...upright] })
    const { alpha, staticStiffness } = shown(stated)
    expect(1.5 * alpha * staticStiffness * d0).toBeCloseTo(30, 9)
    expect(stated.contactModel.parameters.unused).toEqual(['restitution'])
  })
})

test('it never pulls, however fast bodies are torn apart, and its force begins at zero', () => {
  const world = makeWorld({
    robot: sphere(0.1, 1),
    model,
    q: [0, 0, 0.099, ...upright],
    push: (tau, t) => tau.set([400 * Math.sin(300 * t)], 5),
  })
  run(world, 2, ({ contacts: { count, impulse } }) => {
    for (let i = 0; i < count; i++) expect(impulse[3 * i]).toBeGreaterThanOrEqual(0)
  })
  // at the surface at 1 m/s: the first step's force is that of the depth in which it ends, not of a damper
  const landing = makeWorld({ robot: sphere(0.1, 1), model, dt: 1e-6, q: [0, 0, 0.1 - 1e-9, ...upright], v: [0, 0, 0, 0, 0, -1] })
  landing.step()
  const { k, alpha } = shown(landing)
  expect(landing.contacts.impulse[0] / 1e-6).toBeLessThan(k * 1e-6 ** 1.5 * (1 + 1.5 * alpha))
})
