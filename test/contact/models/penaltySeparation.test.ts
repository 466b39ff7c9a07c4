import { expect, test } from 'vitest'
import { box, g, makeWorld, run, sphere, velocityW } from '../laws/scenes.ts'

/*
 * Moore and Wilhelms' spring, which keeps a part epsilon of its force while the bodies part: `separation: discontinuous`.
 */

function rebound(e: number, dt: number): number {
  const world = makeWorld({
    robot: sphere(0.1, 2, [0, 0, 0]),
    model: 'penalty-deepest',
    dt,
    integrator: 'rk4',
    physical: { restitution: e },
    options: { impacts: 'none', separation: 'discontinuous' },
    q: [0, 0, 0.1, 0, 0, 0, 1],
    v: [0, 0, 0, 0, 0, -1],
  })
  return velocityW(run(world, 0.2))[2]
}

test('a ball comes back from a spring that is epsilon as strong on the way out with sqrt(epsilon) of its speed', () => {
  // k d² / 2 = m v² / 2 on the way in, epsilon of it on the way out. The step in which it turns is off by its force over a step
  for (const e of [0.3, 0.6, 1]) expect(Math.abs(rebound(e, 1e-4) - e)).toBeLessThan(1e-5)
  // and with nothing: what the last step before it turns has too much, at most k d h / m = omega h
  for (const dt of [1e-3, 1e-4]) expect(rebound(0, dt)).toBeLessThan(Math.sqrt(g / 1e-3) * dt)
})

/** Mean depth over the last second of three [m], and the greatest speed then [m/s]. */
function atRest(separation: string, robot: ReturnType<typeof box>) {
  const world = makeWorld({ robot, model: 'penalty-deepest', options: { separation }, q: [0, 0, 0.049, 0, 0, 0, 1] })
  run(world, 2)
  let depth = 0
  let fastest = 0
  run(world, 1, ({ state: { q, v } }) => {
    depth += (0.05 - q[2]) / 1000
    fastest = Math.max(fastest, Math.hypot(v[3], v[4], v[5]))
  })
  return { depth, fastest }
}

test('what stands on it chatters and sinks to twice its depth, for it bears in the steps alone in which it sinks', () => {
  const damped = atRest('damped', sphere(0.05))
  expect(Math.abs(damped.depth - 1e-3)).toBeLessThan(1e-12)
  expect(damped.fastest).toBeLessThan(1e-12)
  // it bears L every second step, so that k d = 2 L where it sinks no more; there it goes to and fro at g h / 2
  const ball = atRest('discontinuous', sphere(0.05))
  expect(Math.abs(ball.depth - 2e-3)).toBeLessThan(2e-5)
  expect(ball.fastest).toBeGreaterThan(0.4 * g * 1e-3)
  expect(ball.fastest).toBeLessThan(0.6 * g * 1e-3)
  // a box, which rocks from corner to corner as it is, shakes at 8.3 mm/s in place of 5.6
  expect(atRest('discontinuous', box([0.2, 0.2, 0.1])).fastest).toBeGreaterThan(atRest('damped', box([0.2, 0.2, 0.1])).fastest)
})
