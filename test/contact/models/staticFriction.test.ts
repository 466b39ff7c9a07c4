import { describe, expect, test } from 'vitest'
import type { Surface } from '../../../contact/geometry/index.ts'
import type { ContactModelName } from '../../../contact/index.ts'
import { loadRobot } from '../../../robots/index.ts'
import { createGround, World } from '../../../simulation/index.ts'

const g = 9.81

/** A body of 2 kg on three slides, over the ground. */
const onSlides = (geom: string, height: number) => ({
  height,
  robot: loadRobot(
    `<mujoco><worldbody><body name="b"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>
    <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><geom ${geom}/></body></worldbody></mujoco>`,
    { file: 'b.xml', ground: false },
  ),
})
const box = onSlides('type="box" size="0.1 0.1 0.05"', 0.05)

/**
 * Speed after 0.5 s under a force of 0.95 of static friction and 0.8 N a second and kilogram more: held until it is at static friction, then
 * (F - mu m g) / m.
 */
function speedAfter(
  { robot, height }: typeof box,
  contactModel: ContactModelName,
  dt: number,
  surface: Surface,
  [x, y]: readonly [number, number],
  limit: number,
): number {
  const sunk = ['penalty', 'penalty-deepest', 'hunt-crossley'].includes(contactModel) ? 10 * dt * dt : 0
  const fixtures = [{ ...createGround(), ...surface }]
  const physical = { allowedPenetration: 10 * dt * dt }
  const world = new World({ robot, contactModel, dt, fixtures, q: [0, 0, height - sunk], physical })
  for (let n = 0; n < Math.round(0.5 / dt); n++) {
    const t = n * dt
    const force = 2 * (0.95 * limit * g * Math.min(1, 10 * t) + 0.8 * t)
    world.tau[0] = x * force
    world.tau[1] = y * force
    world.step()
  }
  return x * world.state.v[0] + y * world.state.v[1]
}

/** @param limit of static friction @param mu of sliding */
function exact(limit: number, mu: number): number {
  const left = 0.5 - (0.05 * limit * g) / 0.8
  return (limit - mu) * g * left + 0.4 * left * left
}

const surface = { friction: 0.3, staticFriction: 0.4 }
const inputs = {
  'a box along an axis': { body: box, surface, along: [1, 0], limit: 0.4, mu: 0.3 },
  'a box aslant': { body: box, surface, along: [0.8, -0.6], limit: 0.4, mu: 0.3 },
  'a ball that cannot roll': { body: onSlides('type="sphere" size="0.1"', 0.1), surface, along: [0, 1], limit: 0.4, mu: 0.3 },
  'a cylinder on its end': {
    body: onSlides('type="cylinder" size="0.1 0.05"', 0.05),
    surface,
    along: [-0.6, 0.8],
    limit: 0.4,
    mu: 0.3,
  },
  'a capsule that cannot roll': {
    body: onSlides('type="capsule" size="0.05" fromto="-0.1 0 0 0.1 0 0"', 0.05),
    surface,
    along: [0, -1],
    limit: 0.4,
    mu: 0.3,
  },
  'a box across the stronger direction': {
    body: box,
    surface: { ...surface, frictionAcross: 0.24, frictionAxis: [1, 0, 0] as const },
    along: [0, 1],
    limit: 0.32,
    mu: 0.24,
  },
} as const

describe.each(['ncp', 'stewart-trinkle', 'lcp', 'peg', 'penalty', 'hunt-crossley'] as const)('%s', (model) => {
  test.each(Object.entries(inputs))(
    'lets %s go at the limit of static friction, to the order of the step',
    (_, { body, surface, along, limit, mu }) => {
      const error = (dt: number) => Math.abs(speedAfter(body, model, dt, surface, along, limit) / exact(limit, mu) - 1)
      expect(error(1e-3)).toBeLessThan(0.02)
      expect(error(2.5e-4)).toBeLessThan(0.005)
    },
  )
})
