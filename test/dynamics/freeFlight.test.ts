import { describe, expect, test } from 'vitest'
import { centerOfMass, createRk4Workspace, rk4 } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { dataAt, filled, freeMotion } from './at.ts'
import { box, dzhanibekov, fly, type Method, tumble, weightless } from './flight.ts'

// The figures for steps that people use stand in docs/results.md; bench/dynamics/accuracy.ts prints them.

const order = (coarse: number, fine: number) => Math.log2(coarse / fine)

describe('10 s of free flight', () => {
  const humanoid = weightless(loadOwnRobot('humanoid').model)
  for (const [method, expected, dt, limit] of [
    ['semi-implicit Euler', 1, 2e-3, 2e-3],
    ['RK4', 4, 1.6e-2, 1e-6],
  ] as [Method, number, number, number][]) {
    test(`a tumbling humanoid drifts in energy and momentum at order ${expected} under ${method}`, () => {
      const [coarse, fine] = [dt, dt / 2].map((step) => fly(humanoid, tumble(humanoid), method, step, 10).drift)
      for (const key of ['energy', 'angular', 'linear'] as const) {
        // what a single quantity loses may cancel to a higher order, never fall below
        expect(order(coarse[key], fine[key])).toBeGreaterThan(expected - 0.15)
      }
      expect(fine.energy).toBeLessThan(limit)
      expect(fine.angular).toBeLessThan(10 * limit)
    })
  }

  test('in a fall the centre of mass follows the parabola, whatever the joints do', () => {
    const { model } = loadOwnRobot('humanoid')
    const acceleration = freeMotion(model)
    const state = tumble(model)
    const center = () => filled(3, (out) => centerOfMass(model, dataAt(model, state), out))
    const start = center()
    const workspace = createRk4Workspace(model)
    let [before, after] = [start, start]
    for (let n = 0; n < 2000; n++) {
      rk4(model, state, acceleration, 1e-3, workspace)
      if (n === 999) before = center()
    }
    after = center()
    // positions at 0, 1 and 2 s: the second difference is g t^2; RK4 at 1 ms and 1 rad/s leaves 1e-9 of 20 m
    for (let k = 0; k < 3; k++) {
      expect(Math.abs(after[k] - 2 * before[k] + start[k] - (k === 2 ? -9.81 : 0))).toBeLessThan(1e-8)
    }
  })
})

describe('the torque-free box about its middle axis', () => {
  test('keeps its energy and angular momentum for 10 s: at order 4, at 1 ms to 1e-10', () => {
    const model = box()
    const drifts = [8e-3, 4e-3, 1e-3].map((dt) => fly(model, dzhanibekov(model), 'RK4', dt, 10).drift)
    for (const key of ['energy', 'angular'] as const) {
      expect(order(drifts[0][key], drifts[1][key])).toBeGreaterThan(3.85)
      expect(drifts[2][key]).toBeLessThan(1e-10)
    }
  })

  test('keeps its energy and angular momentum to rounding under semi-implicit Euler', () => {
    const model = box()
    for (const dt of [5e-3, 2.5e-3]) {
      const { drift } = fly(model, dzhanibekov(model), 'semi-implicit Euler', dt, 10)
      // quadratic invariants, which the implicit midpoint rule keeps, with its own rotation: rounding of 4000 steps
      expect(Math.max(drift.energy, drift.angular)).toBeLessThan(1e-11)
    }
  })

  test('turns over at the times of the elliptic integral', () => {
    const model = box()
    const state = dzhanibekov(model)
    const [Ix, Iy, Iz] = model.I[1].subarray(4, 7)
    const [wx, wy, wz] = state.v
    const twiceE = Ix * wx * wx + Iy * wy * wy + Iz * wz * wz
    const MM = (Ix * wx) ** 2 + (Iy * wy) ** 2 + (Iz * wz) ** 2
    // Landau and Lifshitz, Mechanics, section 37, for I1 < I2 < I3 and M^2 > 2 E I2, else with 1 and 3 exchanged
    const [I1, I3] = MM > twiceE * Iy ? [Iz, Ix] : [Ix, Iz]
    const rate = Math.sqrt(((I3 - Iy) * (MM - twiceE * I1)) / (I1 * Iy * I3))
    const kk = ((Iy - I1) * (twiceE * I3 - MM)) / ((I3 - Iy) * (MM - twiceE * I1))
    // K = pi / (2 agm(1, k'))
    let [x, y] = [1, Math.sqrt(1 - kk)]
    for (let n = 0; n < 8; n++) [x, y] = [(x + y) / 2, Math.sqrt(x * y)]
    const halfPeriod = Math.PI / x / rate

    const acceleration = freeMotion(model)
    const workspace = createRk4Workspace(model)
    const a = new Float64Array(6)
    const crossings: number[] = []
    const dt = 1e-3
    for (let n = 1; n <= 20_000; n++) {
      const old = state.v[1]
      rk4(model, state, acceleration, dt, workspace)
      if (Math.sign(old) === Math.sign(state.v[1])) continue
      acceleration.evaluate(state, a)
      crossings.push(n * dt - state.v[1] / a[1])
    }
    expect(crossings.length).toBeGreaterThan(2)
    for (let n = 1; n < crossings.length; n++) {
      // the speed crosses 0 with its third derivative at (1e-3 s)^3 of about 1e2: 1e-7 s at most
      expect(Math.abs(crossings[n] - crossings[n - 1] - halfPeriod)).toBeLessThan(1e-6)
    }
  })
})
