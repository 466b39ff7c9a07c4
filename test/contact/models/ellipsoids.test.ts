/*
 * Bodies whose shape decides how they roll: an ellipsoid at rest and rocking, the tippe top, and the rattleback, under every contact model.
 */
import { describe, expect, test } from 'vitest'
import { boxPolyhedron, hullOf, meshOfPolyhedron, type Shape } from '../../../contact/geometry/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { dailyModels } from '../../dailyModels.ts'
import { g, identity, isRigid, run, sinkOf } from '../laws/scenes.ts'

type Three = readonly [number, number, number]
const names = dailyModels

// what these expect of rigid contact yields and creeps under `mujoco`
const yields = (contactModel: string) => contactModel === 'mujoco'

describe.each(names)('%s', (contactModel) => {
  test.skipIf(yields(contactModel))(
    'an ellipsoid at rest on each of its axes bears its weight at one point below its centre',
    () => {
      const radii: Three = [0.1, 0.06, 0.05]
      const s = Math.SQRT1_2
      for (const [height, quaternion] of [
        [radii[2], [0, 0, 0, 1]],
        [radii[1], [s, 0, 0, s]],
        [radii[0], [0, s, 0, s]],
      ] as const) {
        // springs begin where they carry it
        const position = [0, 0, height - sinkOf(contactModel)] as const
        const robot = createFreeBody({ name: 'body', shape: { type: 'ellipsoid', radii }, mass: 2, position, quaternion })
        const world = new World({ robot, contactModel, dt: 1e-3, physical: { friction: 0.5, restitution: 0 } })
        run(world, 0.02)
        expect(world.contacts.count).toBe(1)
        const { impulse, point } = world.contacts
        expect(Math.abs(impulse[0] / (2 * g * 1e-3) - 1)).toBeLessThan(isRigid(contactModel) ? 1e-6 : 0.05)
        expect(Math.hypot(point[0], point[1])).toBeLessThan(1e-9)
        expect(Math.abs(world.state.q[2] - position[2])).toBeLessThan(isRigid(contactModel) ? 1e-6 : 1e-4)
      }
    },
  )

  test('an ellipsoid dropped on a box, a mesh, a height field, a hull or a cap rolls alike', () => {
    const ground: readonly Shape[] = [
      { type: 'box', size: [2, 2, 1] },
      { type: 'mesh', mesh: meshOfPolyhedron(boxPolyhedron([2, 2, 1])) },
      { type: 'hull', polyhedron: hullOf(boxPolyhedron([2, 2, 1]).vertices) },
      { type: 'cylinder', radius: 1, length: 1 },
      { type: 'heightfield', rows: 9, columns: 9, spacing: [0.25, 0.25], heights: new Float64Array(81).fill(0.5) },
    ]
    const ends = ground.map((shape) => {
      const robot = createFreeBody({
        name: 'body',
        shape: { type: 'ellipsoid', radii: [0.1, 0.06, 0.05] },
        mass: 2,
        position: [0.01, 0.02, 0.12],
        quaternion: [0.6, 0, 0, 0.8],
      })
      const fixtures = [{ name: 'ground', body: 0, shape, R: identity, p: Float64Array.of(0, 0, -0.5) }]
      const world = new World({ robot, fixtures, contactModel, dt: 1e-3, physical: { friction: 0.5, restitution: 0 } })
      run(world, 0.3)
      expect(world.contacts.count).toBe(1)
      return [...world.state.q, ...world.state.v]
    })
    for (const end of ends) for (let k = 0; k < end.length; k++) expect(Math.abs(end[k] - ends[0][k])).toBeLessThan(1e-6)
  })
})
