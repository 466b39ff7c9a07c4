import { expect } from 'vitest'
import { type BodyDefinition, JointType } from '../../../dynamics/index.ts'
import type { Robot } from '../../../robots/index.ts'
import { degree, type Suite, steps, stickSpeed } from './law.ts'
import { largestDuring, makeRobot, makeWorld, onSixJoints, roller, run, sphere, tilted, velocityW } from './scenes.ts'

/** Round bodies on slopes and on the level: rolling, slipping, and from one to the other. */
export function rollingLaws({ model, rigid, deepest, section, law }: Suite): void {
  section('rolling', () => {
    const rollers = [
      ['a sphere', sphere(0.1)],
      ['a cylinder', roller(0.1, 0.2)],
      ['a hoop', roller(0.1, 0.2, 10, 1)],
    ] as const
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
