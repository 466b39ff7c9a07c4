import { expect, test } from 'vitest'
import { cos, rotate3, rotationOfQuaternion, sin } from '../../../dynamics/index.ts'
import { createFreeBody, createPrescribedBody } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'

const mass = 2
const inertia = (mass * (0.04 + 0.04)) / 12

/** Momentum of the cube of 0.2 m about its centre, [angular; linear] in world axes, and its centre. */
function motionOf(world: World): { readonly momentum: readonly number[]; readonly center: readonly number[] } {
  const { q, v } = world.robots[0].state
  const R = new Float64Array(9)
  const turn = v.slice(0, 3)
  const way = v.slice(3, 6)
  rotationOfQuaternion(R, q, 3)
  rotate3(turn, R, turn)
  rotate3(way, R, way)
  return { momentum: [...turn.map((x) => inertia * x), ...way.map((x) => mass * x)], center: [...q.slice(0, 3)] }
}

test.each([
  { dt: 1e-3, omega: 1, mu: 0.3 },
  { dt: 4e-3, omega: 1, mu: 0.3 },
  { dt: 4e-3, omega: 3, mu: 0.3 },
  { dt: 4e-3, omega: 3, mu: 0 },
  { dt: 4e-3, omega: -2, mu: 0.8 },
  { dt: 0.01, omega: 1, mu: 0.1 },
  { dt: 0.05, omega: 1, mu: 0.3 },
])('forces that a wall is reported to give a cube change its momentum, moments too: %o', ({ dt, omega, mu }) => {
  const cube = createFreeBody({ name: 'cube', shape: { type: 'box', size: [0.2, 0.2, 0.2] }, mass, gravity: [0, 0, 0] })
  const wall = createPrescribedBody({ name: 'wall', shape: { type: 'box', size: [4, 0.02, 1] }, gravity: [0, 0, 0] })
  const pose = (t: number, out: Float64Array) => out.set([0, 0, 0, 0, 0, sin(0.5 * omega * t), cos(0.5 * omega * t)])
  const side = Math.sign(omega)
  const robots = [
    { robot: cube, q: [0.8, side * 0.1101, 0.1, 0, 0, 0, 1] },
    { robot: wall, motion: { pose } },
  ]
  const world = new World({ robots, fixtures: [], physical: { friction: mu }, contactModel: 'peg', dt })
  const forces = new Float64Array(6 * world.model.nb)
  let pushed = 0
  for (let k = 0; k < Math.min(100, 0.5 / dt); k++) {
    const before = motionOf(world)
    world.step()
    const after = motionOf(world)
    world.contacts.writeBodyForces(dt, forces)
    const [mx, my, mz, x, y, z] = forces.subarray(6, 12)
    const [cx, cy, cz] = before.center
    const about = [mx - (cy * z - cz * y), my - (cz * x - cx * z), mz - (cx * y - cy * x), x, y, z]
    pushed = Math.max(pushed, Math.hypot(x, y, z))
    about.forEach((force, d) => {
      expect(force).toBeCloseTo((after.momentum[d] - before.momentum[d]) / dt, 8)
    })
  }
  expect(pushed).toBeGreaterThan(10)
})
