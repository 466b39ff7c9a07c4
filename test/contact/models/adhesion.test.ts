import { describe, expect, test } from 'vitest'
import { Meter } from '../../../compare/measure/metrics.ts'
import { contactChoice, contactModelNames, type Integrator } from '../../../contact/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { createGround, World } from '../../../simulation/index.ts'

const G = 9.81
const dt = 1e-3

interface Scene {
  readonly adhesion: number
  readonly range?: number
  readonly at?: number
  readonly integrator?: Integrator
  readonly shape?: 'box' | 'ball'
}

/** A body of 1 kg under a ceiling at z = 1, pressed in by 10 µm. */
function underCeiling(model: string, { adhesion, range, at = 0.9 + 1e-5, integrator, shape = 'box' }: Scene): World {
  const robot = createFreeBody({
    name: 'body',
    shape: shape === 'ball' ? { type: 'sphere', radius: 0.1 } : { type: 'box', size: [0.2, 0.2, 0.2] },
    ...{ mass: 1, adhesion, adhesionRange: range, position: [0, 0, at] },
  })
  const ceiling = { ...createGround(), shape: { type: 'box', size: [2, 2, 0.2] } as const, p: Float64Array.of(0, 0, 1.1) }
  return new World({ robot, fixtures: [ceiling], ...contactChoice(model, {}), dt, integrator })
}

function run(world: World, steps: number): World {
  for (let k = 0; k < steps; k++) world.step()
  world.auditLastStep()
  return world
}

/** Net force of all contacts on the body in the last step, upwards [N]. */
function lift(world: World): number {
  const forces = new Float64Array(6 * world.model.nb)
  world.contacts.writeBodyForces(world.dt, forces)
  return forces[11]
}

// of the pairs of features of lnc and peg not all touch; under mujoco a net load of nothing is at the border of the contact
const able = contactModelNames.filter((name) => !['lnc', 'peg', 'mujoco'].includes(name))

describe('under a ceiling', () => {
  test.each(able)('a box hangs by more adhesion than its weight, with its weight as net force: %s', (model) => {
    for (const shape of ['box', 'ball'] as const) {
      const world = run(underCeiling(model, { adhesion: 12, shape }), 500)
      expect(Math.abs(world.state.q[2] - 0.9)).toBeLessThan(1e-3)
      // a point at a time carries the face under penalty-deepest, which rocks on it
      if (model !== 'penalty-deepest') expect(lift(world)).toBeCloseTo(G, 2)
      expect([world.events.energyGains, world.events.failures]).toEqual([0, 0])
    }
  })

  test.each(able)('it falls by less: %s', (model) => {
    const world = run(underCeiling(model, { adhesion: 3 }), 500)
    expect(Math.abs(world.state.q[2] - (0.9 - 0.5 * G * 0.25))).toBeLessThan(0.05)
    expect(lift(world)).toBe(0)
    expect(world.events.energyGains).toBe(0)
  })

  test.each(['penalty', 'hunt-crossley'])('the same under rk4: %s', (model) => {
    expect(Math.abs(run(underCeiling(model, { adhesion: 12, integrator: 'rk4' }), 500).state.q[2] - 0.9)).toBeLessThan(1e-3)
    expect(run(underCeiling(model, { adhesion: 3, integrator: 'rk4' }), 500).state.q[2]).toBeLessThan(-0.2)
  })
})

test('within its range adhesion draws two bodies together, the sooner the stronger; springs, which have no range, say so', () => {
  for (const model of able) {
    const world = underCeiling(model, { adhesion: 30, range: 0.05, at: 0.88 })
    const isSpring = world.contactModel.level === 'force'
    expect(world.contactModel.parameters.unused.includes('adhesionRange of a surface')).toBe(isSpring)
    // 1/2 (30 - g) t² = 20 mm
    run(world, 40)
    const expected = isSpring ? 0.88 - 0.5 * G * 1.6e-3 : Math.min(0.88 + 0.5 * (30 - G) * 1.6e-3, 0.9)
    expect(Math.abs(world.state.q[2] - expected)).toBeLessThan(1e-3)
    run(world, 60)
    if (!isSpring) expect(Math.abs(world.state.q[2] - 0.9)).toBeLessThan(model === 'drake' ? 4e-3 : 2e-3)
    expect(world.events.energyGains).toBe(0)
  }
})

test('friction is bounded by mu (f + d): a box on a wall stays or slides', () => {
  const wall = { ...createGround(), shape: { type: 'box', size: [0.2, 20, 20] } as const, p: Float64Array.of(-0.1, 0, 0) }
  for (const contactModel of [
    'ncp',
    'stewart-trinkle',
    'anitescu-potra',
    'lcp',
    'lotstedt',
    'penalty',
    'hunt-crossley',
  ] as const) {
    for (const [adhesion, way] of [
      [20, 0],
      [10, 0.5 * (G - 7) * 0.25],
    ] as const) {
      const shape = { type: 'box', size: [0.2, 0.2, 0.2] } as const
      const robot = createFreeBody({ name: 'box', shape, mass: 1, friction: 0.7, adhesion, position: [0.1 - 1e-4, 0, 1] })
      const world = run(new World({ robot, fixtures: [wall], contactModel, dt }), 500)
      expect(Math.abs(world.state.q[2] - (1 - way))).toBeLessThan(0.01)
    }
  }
})

test('lnc and peg name adhesion as what they do not do, and have none', () => {
  for (const model of ['lnc', 'peg']) {
    const world = underCeiling(model, { adhesion: 100 })
    expect(world.contactModel.parameters.unused).toContain('adhesion of a surface')
    expect(run(world, 200).state.q[2]).toBeLessThan(0.75)
    expect(underCeiling(model, { adhesion: 0 }).contactModel.parameters.unused).not.toContain('adhesion of a surface')
  }
})

test('the adhesion of a pair is shared by its points; that of two surfaces adds up', () => {
  const ground = { ...createGround(), adhesion: 4 }
  const robot = createFreeBody({
    name: 'box',
    shape: { type: 'box', size: [1, 1, 0.2] },
    mass: 1,
    adhesion: 8,
    position: [0, 0, 0.1 - 1e-5],
  })
  for (const contactModel of ['ncp', 'penalty', 'drake'] as const) {
    const world = run(new World({ robot, fixtures: [ground], contactModel, dt }), 300)
    const { count, adhesion, impulse } = world.contacts
    expect(adhesion.subarray(0, count).reduce((sum, x) => sum + x, 0) / dt).toBeCloseTo(12, 9)
    // the law bears the weight and the attraction
    let pushes = 0
    for (let i = 0; i < count; i++) pushes += impulse[3 * i] / dt
    expect(pushes).toBeCloseTo(12 + G, 1)
    expect(lift(world)).toBeCloseTo(G, 1)
  }
  const shape = { type: 'sphere', radius: 0.1 } as const
  expect(() => createFreeBody({ name: 'ball', shape, mass: 1, adhesion: -1 })).toThrow('body "ball": adhesion is -1')
})

test('the meter of momentum counts the attraction across the gap', () => {
  const world = underCeiling('ncp', { adhesion: 30, range: 0.05, at: 0.88 })
  const meter = new Meter(world, [], 1)
  for (let k = 0; k < 20; k++) {
    meter.before()
    world.step()
    meter.after()
  }
  expect(world.state.q[2]).toBeGreaterThan(0.88)
  expect(meter.metrics().momentumError).toBeLessThan(1e-9)
})
