import { describe, expect, test } from 'vitest'
import { fittedOrder } from '../../../cases/papers/baraff/numerics.ts'
import { slideOn } from '../../../cases/papers/baraff/particle.ts'
import { particle, worldOf } from '../../../cases/papers/baraff/scene.ts'

const rk4 = { integrator: 'rk4' } as const

describe.each(['lcp', 'lotstedt'])('%s with integrator rk4', (model) => {
  const h = [0.04, 0.02, 0.01]

  test('the path of a particle that slides on a sphere is of order 4, and of order 1 without it', () => {
    const errors = (integrator?: 'rk4') => h.map((dt) => slideOn(model, dt, integrator, { drift: 'none', compliance: 1e-9 }))
    expect(fittedOrder(h, errors('rk4'))).toBeGreaterThan(3.9)
    expect(fittedOrder(h, errors('rk4'))).toBeLessThan(4.1)
    expect(fittedOrder(h, errors())).toBeLessThan(1.1)
  })

  test('an elastic ball comes back to the height it fell from, 1 m, and one of restitution 0.5 to a quarter of it', () => {
    for (const restitution of [1, 0.5]) {
      const world = particle({ model, dt: 1e-3, ...rk4, position: [0, 0, 1.05], physical: { restitution } })
      let [top, rises] = [0, false]
      for (let k = 0; k < 900; k++) {
        world.step()
        rises ||= world.state.v[5] > 0
        if (rises) top = Math.max(top, world.state.q[2] - 0.05)
      }
      // the rebound starts within a step of the surface: 4.4 mm
      expect(Math.abs(top - restitution ** 2)).toBeLessThan(4.4e-3)
    }
  })

  test('a box that is thrown comes to rest flat on the plane, which bears its weight', () => {
    const quaternion = [0.28, 0.19, 0.094, 0.936].map((x) => x / Math.hypot(0.28, 0.19, 0.094, 0.936))
    const world = worldOf({
      ...{
        model,
        dt: 5e-3,
        ...rk4,
        shape: { type: 'box', size: [0.4, 0.3, 0.2] },
        position: [0, 0, 0.6],
        v: [1, 2, 3, 0.5, 0, 0],
      },
      quaternion: quaternion as [number, number, number, number],
      physical: { friction: 0.5 },
    })
    for (let k = 0; k < 800; k++) world.step()
    expect(Math.hypot(...world.state.v)).toBeLessThan(1e-9)
    const { count, impulse } = world.contacts
    let load = 0
    for (let i = 0; i < count; i++) load += impulse[3 * i] / 5e-3
    expect(Math.abs(load - 9.81)).toBeLessThan(1e-6)
    expect(world.events.failures).toBe(0)
  })
})

test.each(['lcp', 'mujoco'])(
  '%s in steps of four stages reports the force of each loop: the weight that hangs on it',
  (model) => {
    const world = worldOf({
      ...{ model, dt: 1e-3, ...rk4, options: model === 'mujoco' ? { integrator: 'rk4' } : {} },
      ...{ shape: { type: 'sphere', radius: 0.05 }, position: [0, 0, 1], fixtures: [] },
      loops: [{ kind: 'point', a: { point: [0, 0, 0] }, b: { link: 'world', point: [0, 0, 1] } }],
    })
    for (let k = 0; k < 100; k++) world.step()
    const ofLoop = world.loopForces?.subarray(6 * world.model.nb) ?? []
    expect(Math.abs(Math.abs(ofLoop[5]) - 9.81)).toBeLessThan(1e-3)
  },
)
