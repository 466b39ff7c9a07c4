import { describe, expect, test } from 'vitest'
import { ContactSet, dampingRatioOfRestitution, restitutionOfDampingRatio } from '../../../contact/index.ts'
import { ForgettingSum } from '../../../contact/models/forgettingSum.ts'
import { dailyModels } from '../../dailyModels.ts'
import { box, g, makeWorld, run, slider, sphere } from '../laws/scenes.ts'

describe('the integral term', () => {
  test('saturates geometrically: after t steps at depth d, I = d (1 - lambda^t) / (1 - lambda)', () => {
    const [lambda, depth] = [0.85, 2e-3]
    const sum = new ForgettingSum(1, lambda)
    const memory = new Float64Array(sum.memorySize)
    const contacts = new ContactSet()
    contacts.count = 2
    contacts.gap.set([-depth, -0.5 * depth]) // the deepest of the pair counts
    let power = 1
    for (let t = 0; t < 60; t++) {
      sum.advance(contacts, memory)
      expect(memory[0]).toBeCloseTo((depth * (1 - power)) / (1 - lambda), 15)
      power *= lambda
    }
    contacts.count = 0 // apart: forgotten at once
    sum.advance(contacts, memory)
    expect(Array.from(memory)).toEqual([0, 0, 0, 0])
    contacts.count = 2 // and from the start again: the present depth does not count yet
    sum.advance(contacts, memory)
    expect(memory[0]).toBe(0)
  })

  test('pairs of shapes have sums of their own', () => {
    const sum = new ForgettingSum(3, 0.5)
    const memory = new Float64Array(sum.memorySize)
    const contacts = new ContactSet()
    contacts.count = 2
    contacts.pair.set([2, 0])
    contacts.gap.set([-1, -4])
    for (let t = 0; t < 3; t++) sum.advance(contacts, memory)
    expect([memory[0], memory[2], memory[4]]).toEqual([4 * 1.5, 0, 1 * 1.5])
  })
})

describe('static balance', () => {
  test("the paper's rule sinks a body by g / (100 + 2 / (1 - lambda)), whatever its mass", () => {
    for (const mass of [1, 50]) {
      const world = makeWorld({
        robot: sphere(0.5, mass),
        model: 'penalty',
        options: { gains: 'paper' },
        q: [0, 0, 0.5, 0, 0, 0, 1],
      })
      run(world, 6) // the slow pole is at kp / kv = 2 1/s
      expect((0.5 - world.state.q[2]) / (g / (100 + 2 / 0.15))).toBeCloseTo(1, 3)
      expect(world.contactModel.parameters.unused).toContain('allowedPenetration')
    }
  })
})

describe('damping and restitution', () => {
  test('so it does by integrating the impact', () => {
    for (const zeta of [0.1, 0.4, 0.69, 0.71, 0.9, 0.999, 1.001, 1.5, 4]) {
      // x'' = -x - 2 zeta x' from x = 0, x' = -1 while it pushes; midpoint rule
      const dt = 1e-4
      let [x, v] = [0, -1]
      do {
        const xm = x + 0.5 * dt * v
        const vm = v + 0.5 * dt * (-x - 2 * zeta * v)
        x += dt * vm
        v += dt * (-xm - 2 * zeta * vm)
      } while (-x - 2 * zeta * v > 0)
      expect(Math.abs(v - restitutionOfDampingRatio(zeta))).toBeLessThan(2e-4) // the end is found to a step
    }
  })

  test('the damping ratio is its inverse; no restitution means critical damping', () => {
    for (const e of [0.02, 0.2, 0.5, 0.9, 0.99]) expect(restitutionOfDampingRatio(dampingRatioOfRestitution(e))).toBeCloseTo(e, 9)
    expect(dampingRatioOfRestitution(0)).toBe(1)
    expect(dampingRatioOfRestitution(1)).toBe(0)
  })
})

describe('integrators', () => {
  test('RK4 follows a damped oscillation in contact at order 4', () => {
    // a block without weight held in contact by a constant force, let go 1 mm too deep; no integral term
    const [mass, stiffness, damping] = [2, 8000, 30]
    const load = 100
    const error = (dt: number) => {
      const world = makeWorld({
        robot: { ...slider([0.2, 0.2, 0.1], mass) },
        model: 'penalty',
        dt,
        integrator: 'rk4',
        options: { integral: false },
        physical: { stiffness, damping, friction: 0 },
        q: [0, 0, 0.05 - (load + mass * g) / stiffness - 1e-3],
        push: (tau) => tau.set([-load], 2),
      })
      run(world, 0.08)
      const decay = damping / (2 * mass)
      const omega = Math.sqrt(stiffness / mass - decay * decay)
      const t = 0.08
      const x = -1e-3 * Math.exp(-decay * t) * (Math.cos(omega * t) + (decay / omega) * Math.sin(omega * t))
      return Math.abs(world.state.q[2] - (0.05 - (load + mass * g) / stiffness + x))
    }
    const order = Math.log2(error(4e-3) / error(2e-3))
    expect(order).toBeGreaterThan(3.8)
    expect(order).toBeLessThan(4.4)
  })

  test('the implicit step stays at rest at steps where an explicit one would leave its stable region', () => {
    // omega dt = 3.1 at critical damping, where explicit damping allows 0.8; friction 1e4 times beyond the explicit limit
    const world = makeWorld({
      robot: box([0.2, 0.2, 0.1]),
      model: 'penalty',
      dt: 1e-2,
      physical: { allowedPenetration: 1e-4 },
      q: [0, 0, 0.06, 0, 0, 0, 1],
      v: [0.5, 0, 0, 1, 0, 0],
    })
    run(world, 3)
    expect(0.05 - world.state.q[2]).toBeCloseTo(1e-4, 9)
    expect(Math.hypot(...world.state.v)).toBeLessThan(1e-9)
  })
})

describe('options', () => {
  const scene = { robot: sphere(0.1), q: [0, 0, 0.1, 0, 0, 0, 1] }
  test('an unknown option, and a value out of range, name themselves and what would be right', () => {
    expect(() => makeWorld({ ...scene, model: 'penalty', options: { lambd: 0.8 } })).toThrow(
      /"penalty" has no option "lambd"; it knows stickSpeed, .*kp, kv, ki, integral, lambda, kiRatio, gains/,
    )
    expect(() => makeWorld({ ...scene, model: 'penalty', options: { lambda: 1.5 } })).toThrow(
      /option "lambda" is 1.5; expected a number from 0 to 0.999/,
    )
    expect(() => makeWorld({ ...scene, model: 'penalty-deepest', options: { gains: 'soft' } })).toThrow(
      /"gains" is "soft"; expected one of physical, paper/,
    )
    expect(() => makeWorld({ ...scene, model: 'stewart-trinkle', options: { sides: 5 } })).toThrow(/"sides" is 5/)
  })

  test('every model shows its parameters with units and meanings, and says what it has no use for', () => {
    for (const model of dailyModels) {
      const { used, derived, unused } = makeWorld({ ...scene, model }).contactModel.parameters
      for (const { name, meaning, value } of [...used, ...derived]) {
        expect(name).toMatch(/^[a-zA-Z]+$/)
        expect(meaning.length).toBeGreaterThan(10)
        if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true)
      }
      const names = used.map(({ name }) => name)
      // every physical input is either used or named as unused
      for (const input of ['allowedPenetration', 'friction', 'restitution'])
        expect(names.includes(input) !== unused.includes(input)).toBe(true)
    }
  })
})
