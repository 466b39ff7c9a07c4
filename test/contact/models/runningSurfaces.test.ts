import { describe, expect, test } from 'vitest'
import { type ContactModelOptions, contactChoice, contactModelNames, type Integrator } from '../../../contact/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { createGround, World } from '../../../simulation/index.ts'

const G = 9.81
const dt = 1e-3

interface Run {
  readonly options?: ContactModelOptions
  readonly integrator?: Integrator
  readonly velocity?: readonly number[] | ((t: number, out: Float64Array) => void)
}

/** A box on a ground whose surface runs at 0.5 m/s along x. */
function onBelt(model: string, { options = {}, integrator, velocity = [0.5, 0, 0, 0, 0, 0] }: Run = {}): World {
  const shape = { type: 'box', size: [0.4, 0.4, 0.02] } as const
  const robot = createFreeBody({ name: 'box', shape, mass: 2, position: [0, 0, 0.01 - 1e-5] })
  const fixtures = [{ ...createGround(), friction: 0.5, surfaceVelocity: velocity }]
  return new World({ robot, fixtures, ...contactChoice(model, options), dt, integrator })
}

/** Steps, and the work of the drives [J]. */
function driven(world: World, steps: number): number {
  let work = 0
  for (let k = 0; k < steps; k++) {
    world.step()
    work += world.given[0]
  }
  world.auditLastStep()
  return work
}

const variants: readonly (readonly [string, Run & { readonly model: string }])[] = [
  ...contactModelNames.map((model) => [model, { model }] as const),
  ...['penalty', 'hunt-crossley', 'penalty-deepest'].flatMap((model) => [
    [`${model}, springs`, { model, options: { friction: 'springs' } }] as const,
    [`${model}, solved`, { model, options: { friction: 'solved' } }] as const,
    [`${model}, rk4`, { model, integrator: 'rk4' }] as const,
    [`${model}, springs, rk4`, { model, options: { friction: 'springs' }, integrator: 'rk4' }] as const,
    [`${model}, solved, rk4`, { model, options: { friction: 'solved' }, integrator: 'rk4' }] as const,
  ]),
  ['lcp, by test forces', { model: 'lcp', options: { matrix: 'test-forces' } }],
  ['ncp, under uniform pressure', { model: 'ncp', options: { patch: 'uniform' } }],
  ['ncp, trapezoidal', { model: 'ncp', options: { step: 'trapezoidal' } }],
  ['mujoco, elliptic', { model: 'mujoco', options: { cone: 'elliptic' } }],
]

describe('a box set on a belt goes along, u² / (2 mu g) behind, and its drive gives m u²:', () => {
  test.each(variants)('%s', (name, { model, ...run }) => {
    const world = onBelt(model, run)
    const work = driven(world, 500)
    const [wx, wy, wz, vx, vy] = world.state.v
    // a point at a time carries the face under penalty-deepest, which rocks on it
    const loose = name.startsWith('penalty-deepest') || model === 'mujoco'
    expect(Math.abs(world.state.q[0] - (0.5 * 0.5 - 0.25 / (2 * 0.5 * G)))).toBeLessThan(loose ? 3e-3 : 1e-3)
    expect(Math.hypot(vx - 0.5, vy)).toBeLessThan(loose ? 5e-3 : 1e-4)
    if (!loose) expect(Math.hypot(wx, wy, wz)).toBeLessThan(1e-3)
    // half of it becomes kinetic energy, half is lost in slip
    expect(Math.abs(work - 2 * 0.25)).toBeLessThan(loose ? 0.02 : 5e-3)
    expect(world.events.energyGains).toBe(0)
    expect(world.events.failures).toBe(0)
  })
})

test('with an impact: a ball dropped on a belt spins up by the impulse of friction, whatever the model of the impact', () => {
  const mu = 0.1
  for (const [model, options] of [
    ['ncp', { impulses: 'sequential' }],
    ['ncp', {}],
    ['stewart-trinkle', {}],
    ['lcp', {}],
  ] as const) {
    const ball = createFreeBody({
      name: 'ball',
      shape: { type: 'sphere', radius: 0.1 },
      mass: 1,
      position: [0, 0, 0.2],
      restitution: 0.5,
    })
    const fixtures = [{ ...createGround(), friction: mu, surfaceVelocity: [5, 0, 0, 0, 0, 0] }]
    const world = new World({ robot: ball, fixtures, ...contactChoice(model, options), dt })
    for (let k = 0; k < 160; k++) world.step()
    const { q, v } = world.state
    const before = q[0]
    world.step()
    // m (1 + e) v along the normal, mu times that along x: it still slips
    const push = mu * 1.5 * Math.sqrt(2 * G * 0.1)
    expect(Math.abs((q[0] - before) / dt - push)).toBeLessThan(0.03 * push)
    expect(Math.abs(Math.abs(v[1]) - (push * 0.1) / (0.4 * 0.01))).toBeLessThan((0.03 * push * 0.1) / (0.4 * 0.01))
  }
})

test('a surface has no velocity along its normal, and makes nothing roll', () => {
  for (const model of ['ncp', 'penalty', 'mujoco', 'lcp', 'peg']) {
    const world = onBelt(model, { velocity: [0, 0, 3, 0, 0, 0] })
    driven(world, 200)
    expect(Math.abs(world.state.q[2] - 0.01)).toBeLessThan(1e-3)
    expect(Math.hypot(...world.state.v)).toBeLessThan(1e-3)
  }
})

test('two surfaces that run alike at a contact do not move each other, on bodies that move', () => {
  const lower = createFreeBody({
    name: 'lower',
    shape: { type: 'box', size: [1, 1, 0.1] },
    mass: 5,
    friction: 0.5,
    position: [0, 0, 0.05],
    surfaceVelocity: [1, 2, 0, 0, 0, 0],
  })
  const upper = createFreeBody({
    name: 'upper',
    shape: { type: 'box', size: [0.4, 0.4, 0.1] },
    mass: 1,
    friction: 0.5,
    position: [0, 0, 0.15],
    surfaceVelocity: [1, 2, 0, 0, 0, 0],
  })
  // the ground runs as the lower one does, so that this one stands
  const fixtures = [{ ...createGround(), surfaceVelocity: [1, 2, 0, 0, 0, 0] }]
  for (const contactModel of ['ncp', 'penalty', 'lcp'] as const) {
    const world = new World({ robots: [{ robot: lower }, { robot: upper }], fixtures, contactModel, dt })
    driven(world, 100)
    expect(Math.hypot(...world.state.v)).toBeLessThan(2e-4)
  }
})

test('a turntable turns with its surface what stands on it, by torsional friction too', () => {
  const spin = 2
  for (const contactModel of ['ncp', 'penalty', 'hunt-crossley', 'lcp', 'drake'] as const) {
    const ball = createFreeBody({
      name: 'ball',
      shape: { type: 'sphere', radius: 0.1 },
      mass: 1,
      position: [0, 0, 0.1 - 1e-6],
      torsionRadius: 0.02,
    })
    const fixtures = [{ ...createGround(), friction: 0.5, surfaceVelocity: [0, 0, 0, 0, 0, spin] }]
    const world = new World({ robot: ball, fixtures, contactModel, dt })
    const work = driven(world, 50)
    // m_n = mu R m g on I = 2/5 m r²
    const rate = (0.5 * 0.02 * G * 0.05) / (0.4 * 0.01)
    expect(Math.abs(world.state.v[2] - rate)).toBeLessThan(0.03 * rate)
    expect(Math.abs(work - 0.5 * 0.02 * G * 0.05 * spin)).toBeLessThan(0.03 * 0.5 * 0.02 * G * 0.05 * spin)
    driven(world, 400)
    expect(Math.abs(world.state.v[2] - spin)).toBeLessThan(1e-3)
  }
})

test('the speed of a surface over time is that of the end of each step; one that is not finite ends the run', () => {
  const world = onBelt('ncp', {
    velocity: (t, out) => {
      out[0] = 0.1 * t
    },
  })
  driven(world, 100)
  expect(world.state.v[3]).toBeCloseTo(0.1 * 0.1, 8)
  expect(() => onBelt('ncp', { velocity: [Number.NaN, 0, 0, 0, 0, 0] })).toThrow(
    'surfaceVelocity is [NaN, 0, 0, 0, 0, 0]; expected 6 finite numbers',
  )
  const late = onBelt('ncp', {
    velocity: (t, out) => {
      out[0] = t > 0.01 ? Infinity : 0
    },
  })
  expect(() => driven(late, 20)).toThrow('give it finite numbers')
})

test('a problem that is saved has the slip of surfaces that run', () => {
  const world = onBelt('ncp')
  world.step()
  const saved = world.contactModel.problem!() as { addedSlip?: readonly (readonly number[])[] }
  expect(saved.addedSlip!.map(([x, y]) => Math.hypot(x, y))).toEqual(Array(saved.addedSlip!.length).fill(0.5))
})
