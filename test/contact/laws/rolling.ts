import { expect } from 'vitest'
import { type BodyDefinition, JointType } from '../../../dynamics/index.ts'
import type { Robot } from '../../../robots/index.ts'
import { degree, type Suite, steps, stickSpeed } from './law.ts'
import {
  dot,
  downhill,
  g,
  largestDuring,
  makeRobot,
  makeWorld,
  onSixJoints,
  onSlope,
  roller,
  run,
  slope,
  sphere,
  tilted,
  velocityW,
} from './scenes.ts'

/** Round bodies on slopes and on the level: rolling, slipping, and from one to the other. */
export function rollingLaws({ model, rigid, deepest, section, law }: Suite): void {
  section('rolling', () => {
    const rollers = [
      ['a sphere', sphere(0.1), 0.4],
      ['a cylinder', roller(0.1, 0.2), 0.5],
      ['a hoop', roller(0.1, 0.2, 10, 1), 1],
    ] as const
    for (const [what, robot, k] of rollers) {
      law(`${what} rolls down at g sin / (1 + k) while mu >= tan k / (1 + k), and slips below`, () => {
        const angle = 20 * degree
        const radius = 0.1
        for (const dt of steps) {
          const threshold = (Math.tan(angle) * k) / (1 + k)
          for (const share of [1.05, 0.95, 0.5]) {
            const mu = share * threshold
            const q = onSlope(radius - deepest * Math.cos(angle), angle)
            const world = makeWorld({ robot, model, dt, fixtures: [slope(angle)], physical: { friction: mu }, q })
            const early = dot(velocityW(run(world, 0.3)), downhill(angle))
            const late = dot(velocityW(run(world, 0.3)), downhill(angle))
            const rolls = (g * Math.sin(angle)) / (1 + k)
            const slips = g * (Math.sin(angle) - mu * Math.cos(angle))
            // a sunken body rolls on a radius smaller by half the depth: k grows by depth / radius
            const a = share > 1 ? rolls : slips
            expect(Math.abs((late - early) / 0.3 - a)).toBeLessThan(rigid ? 1e-5 : 1e-2 * rolls)
            // rolling, the rim moves with the ground; slipping, friction's moment alone turns it
            const spin = share > 1 ? late / radius : ((mu * g * Math.cos(angle)) / (k * radius)) * world.state.t[0]
            expect(Math.abs(world.state.v[1] / spin - 1)).toBeLessThan(rigid ? 1e-5 : 1e-2)
          }
        }
      })
    }

    for (const [what, robot] of rollers) {
      law(`${what} that rolls on the level goes on at its speed, without creep`, () => {
        for (const dt of steps) {
          const { gained, gone, slip } = coast(model, robot, dt, deepest)
          // rigid: rounding of 1e-14, of which softness of 1e-7 takes 1e7 times its measure at worst
          expect(Math.abs(gained)).toBeLessThan(rigid ? 1e-8 : 1e-6)
          expect(Math.abs(gone)).toBeLessThan(rigid ? 1e-8 : 1e-6)
          expect(slip).toBeLessThan(rigid ? 1e-6 : stickSpeed)
        }
      })
    }

    law('on an explicit joint of six freedoms a sphere rolls as a free one does', () => {
      const [radius, angle] = [0.1, 20 * degree]
      for (const mu of [0.5, 0.05]) {
        const free = sphere(radius, 10, tilted(angle))
        const J = 0.4 * 10 * radius * radius
        const scene = { model, physical: { friction: mu } }
        const z = radius - deepest * Math.cos(angle)
        const first = makeWorld({ ...scene, robot: free, q: [0, 0, z, 0, 0, 0, 1] })
        const other = makeWorld({ ...scene, robot: onSixJoints(free, [0, 0, 0], [J, J, J]), q: [0, 0, z, 0, 0, 0] })
        run(first, 1)
        run(other, 1)
        expect(Math.abs(velocityW(first)[0] - other.state.v[0])).toBeLessThan(1e-6)
        expect(Math.abs(first.state.v[1] - other.state.v[5])).toBeLessThan(1e-6 / radius)
        for (let d = 0; d < 3; d++) expect(Math.abs(first.state.q[d] - other.state.q[d])).toBeLessThan(1e-6)
      }
    })

    law('on a planar joint in a vertical plane a sphere slides and rolls as a free one does', () => {
      const [radius, mass, spin] = [0.1, 10, 20]
      const free = sphere(radius, mass)
      const J = 0.4 * mass * radius * radius
      // x of the plane is x, y is z, and angles count about -y
      const joint = { jointName: 'plane', parent: 0, jointType: JointType.planar, axis: [0, -1, 0] } as const
      const body: BodyDefinition = { name: 'body', ...joint, mass, inertia: [J, J, J, 0, 0, 0] }
      const held = makeRobot('in a plane', [body], [{ body: 1, shape: free.shapes[0].shape }])
      for (const mu of [0.5, 0.05]) {
        const scene = { model, physical: { friction: mu } }
        const z = radius - deepest
        const first = makeWorld({ ...scene, robot: free, q: [0, 0, z, 0, 0, 0, 1], v: [0, spin, 0, 1, 0, 0] })
        const other = makeWorld({ ...scene, robot: held, q: [0, z, 0], v: [1, 0, -spin] })
        run(first, 1)
        run(other, 1)
        // the joint's velocities are in axes that turn with the sphere
        const { q, v } = other.state
        expect(Math.abs(velocityW(first)[0] - (Math.cos(q[2]) * v[0] - Math.sin(q[2]) * v[1]))).toBeLessThan(1e-6)
        expect(Math.abs(first.state.v[1] + v[2])).toBeLessThan(1e-6 / radius)
        expect(Math.abs(first.state.q[0] - q[0])).toBeLessThan(1e-6)
        expect(Math.abs(first.state.q[2] - q[1])).toBeLessThan(1e-6)
      }
    })

    law('a sliding sphere ends up rolling at 5/7 of its speed, after 2 v0 / (7 mu g) and 12 v0² / (49 mu g)', () => {
      const mu = 0.2
      const v0 = 3
      const radius = 0.1
      const time = (2 * v0) / (7 * mu * g)
      for (const dt of steps) {
        const scene = { robot: sphere(radius), model, dt, physical: { friction: mu } }
        const world = makeWorld({ ...scene, q: [0, 0, radius - deepest, 0, 0, 0, 1], v: [0, 0, 0, v0, 0, 0] })
        let [rollsAt, distance] = [0, 0]
        const watch = () => {
          const { q, v, t } = world.state
          if (rollsAt > 0 || Math.abs(velocityW(world)[0] - radius * v[1]) > 5e-3 * v0) return
          rollsAt = t[0]
          distance = q[0]
        }
        run(world, 0.8 * time, watch)
        const sliding = velocityW(world)[0]
        expect(Math.abs(sliding - (v0 - mu * g * world.state.t[0]))).toBeLessThan(1e-4 * v0) // exact but for the settling of the sink
        run(world, 0.5 * time, watch)
        // with the lever shortened by half the depth the factor is 1 / (1 + 0.4 r² / (r - d/2)²)... to 0.5 %
        expect(Math.abs(velocityW(world)[0] - (5 / 7) * v0)).toBeLessThan(rigid ? 1e-5 * v0 : 5e-3 * v0)
        // "rolls" is read off at a slip of 0.5 % of v0, so up to 0.5 % early, and a step late
        expect(Math.abs(rollsAt - time)).toBeLessThan(dt + 0.02 * time)
        expect(Math.abs(distance - (12 * v0 * v0) / (49 * mu * g))).toBeLessThan(v0 * (dt + 0.02 * time))
      }
    })
  })
}

/**
 * Lets a round body of radius 0.1 m roll on the level for two seconds, after half of one: what it gains of its speed, how much farther
 * it goes than at that speed (both relative), and its largest slip [m/s].
 */
export function coast(model: string, robot: Robot, dt: number, deepest: number): { gained: number; gone: number; slip: number } {
  const v0 = 1.5
  const radius = 0.1 - deepest / 2 // on which a sunken body rolls
  const world = makeWorld({
    robot,
    model,
    dt,
    q: [0, 0, 0.1 - deepest, 0, 0, 0, 1],
    v: [0, v0 / radius, 0, v0, 0, 0],
  })
  run(world, 0.5)
  const [x, u] = [world.state.q[0], velocityW(world)[0]]
  const slip = largestDuring(world, 2, () => Math.abs(velocityW(world)[0] - radius * world.state.v[1]))
  return { gained: velocityW(world)[0] / u - 1, gone: (world.state.q[0] - x) / (2 * u) - 1, slip }
}
