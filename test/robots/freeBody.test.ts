import { describe, expect, test } from 'vitest'
import { boxPolyhedron, GeometryError, meshOfPolyhedron, type Shape } from '../../contact/geometry/index.ts'
import { createFreeBody } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

/** Mass, centre of mass and inertia about the body's origin, as the model keeps them. */
function massOf(robot: ReturnType<typeof createFreeBody>) {
  const [mass, hx, hy, hz, ...moments] = robot.model.I[1]
  return { mass, center: [hx / mass, hy / mass, hz / mass], moments }
}

describe('a free body', () => {
  const shapes: [string, Shape, number, [number, number, number]][] = [
    ['a sphere', { type: 'sphere', radius: 0.3 }, (4 / 3) * Math.PI * 0.027, [0.036, 0.036, 0.036]],
    ['a box', { type: 'box', size: [1, 2, 3] }, 6, [13 / 12, 10 / 12, 5 / 12]],
    ['a cylinder', { type: 'cylinder', radius: 0.5, length: 2 }, 0.5 * Math.PI, [0.25 / 4 + 4 / 12, 0.25 / 4 + 4 / 12, 0.25 / 2]],
    [
      'a capsule without a tube, which is a ball',
      { type: 'capsule', radius: 0.3, length: 1e-12 },
      0.036 * Math.PI,
      [0.036, 0.036, 0.036],
    ],
    ['a hull', { type: 'hull', polyhedron: boxPolyhedron([1, 2, 3]) }, 6, [13 / 12, 10 / 12, 5 / 12]],
    ['a mesh', { type: 'mesh', mesh: meshOfPolyhedron(boxPolyhedron([1, 2, 3])) }, 6, [13 / 12, 10 / 12, 5 / 12]],
  ]
  test.each(shapes)('%s has the mass and the moments of inertia that books print', (_, shape, volume, perMass) => {
    for (const [robot, mass] of [
      [createFreeBody({ name: 'body', shape, density: 700 }), 700 * volume],
      [createFreeBody({ name: 'body', shape, mass: 3 }), 3],
    ] as const) {
      const found = massOf(robot)
      expect(found.mass / mass).toBeCloseTo(1, 10)
      for (const x of found.center) expect(x).toBeCloseTo(0, 12)
      const [xx, yy, zz, xy, xz, yz] = found.moments
      for (const [moment, expected] of [
        [xx, perMass[0]],
        [yy, perMass[1]],
        [zz, perMass[2]],
      ])
        expect(moment / (mass * expected)).toBeCloseTo(1, 10)
      for (const product of [xy, xz, yz]) expect(Math.abs(product)).toBeLessThan(1e-9 * mass)
      expect(robot.massUsed).toBe(found.mass)
    }
  })

  test.each([
    [[1, 1, Number.NaN, 0, 0, 0], 'expected 6 finite numbers'],
    [[0, 0, 0, 0, 0, 0], 'principal moments are 0, 0, 0; they must be positive'],
    [[-1, 1, 1, 0, 0, 0], 'they must be positive'],
    // eigenvalues 3 and -1
    [[1, 1, 3, 2, 0, 0], 'they must be positive'],
    [[1, 1, 5, 0, 0, 0], 'principal moments are 1, 1, 5; no body has one that is larger than the sum of the other two'],
  ] as const)('with the inertia %j is refused: no body has it', (inertia, message) => {
    const make = () => createFreeBody({ name: 'body', shape: { type: 'box', size: [1, 1, 1] }, mass: 1, inertia })
    expect(make).toThrow(RangeError)
    expect(make).toThrow(message)
  })

  test('may be flat: of a thin plate one moment is the sum of the others', () => {
    const plate = { name: 'plate', shape: { type: 'box', size: [1, 1, 1] }, mass: 1, inertia: [1, 2, 3, 0, 0, 0] } as const
    expect(massOf(createFreeBody(plate)).moments.slice(0, 3)).toEqual([1, 2, 3])
  })

  test('of a shape off its origin has the centre of mass of the shape', () => {
    const shape: Shape = { type: 'mesh', mesh: shifted(meshOfPolyhedron(boxPolyhedron([0.2, 0.2, 0.2])), [0.5, -0.1, 0.3]) }
    const { center } = massOf(createFreeBody({ name: 'body', shape, density: 1000 }))
    for (const [d, x] of [0.5, -0.1, 0.3].entries()) expect(center[d]).toBeCloseTo(x, 12)
  })

  test('takes what is stated: centre of mass, inertia, place, surface, gravity', () => {
    const robot = createFreeBody({
      name: 'die',
      shape: { type: 'box', size: [0.1, 0.1, 0.1] },
      mass: 2,
      centerOfMass: [0.01, 0, 0],
      inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0.03],
      position: [1, 2, 3],
      quaternion: [0, 0, 1, 0],
      friction: 0.3,
      restitution: 0.6,
      stiffness: 1e5,
      solvedStaticFriction: true,
      gravity: [0, 0, -1.62],
    })
    const { center, moments } = massOf(robot)
    expect(center[0]).toBeCloseTo(0.01, 15)
    // about the origin: m (|c|² 1 - c c') more
    const expected = [0.1, 0.2 + 2e-4, 0.25 + 2e-4, 0.01, 0.02, 0.03]
    for (let k = 0; k < 6; k++) expect(moments[k]).toBeCloseTo(expected[k], 14)
    expect([...robot.home]).toEqual([1, 2, 3, 0, 0, 1, 0])
    expect(robot.shapes).toHaveLength(1)
    expect(robot.shapes[0]).toMatchObject({ name: 'die', link: 'die', body: 1, friction: 0.3, restitution: 0.6, stiffness: 1e5 })
    expect(robot.shapes[0].solvedStaticFriction).toBe(true)
    expect([...robot.model.gravity]).toEqual([0, 0, 0, 0, 0, -1.62])
  })

  test('falls as Galilei says', () => {
    const robot = createFreeBody({ name: 'stone', shape: { type: 'sphere', radius: 0.1 }, density: 2500, position: [0, 0, 10] })
    const world = new World({ robot, contactModel: 'stewart-trinkle', dt: 1e-3 })
    for (let k = 0; k < 1000; k++) world.step()
    // the symplectic step falls g h t / 2 further than g t² / 2
    expect(10 - world.state.q[2]).toBeCloseTo(0.5 * 9.81 * (1 + 1e-3), 10)
    expect(world.state.v[5]).toBeCloseTo(-9.81, 10)
  })

  test('is refused with its name where its numbers make no body', () => {
    const shape: Shape = { type: 'sphere', radius: 0.1 }
    expect(() => createFreeBody({ name: 'a', shape })).toThrow(/"a": give its mass or its density.*undefined kg/)
    expect(() => createFreeBody({ name: 'a', shape, mass: 1, density: 2 })).toThrow(/one of both/)
    expect(() => createFreeBody({ name: 'a', shape, mass: -1 })).toThrow('body "a": mass is -1; expected a positive number [kg]')
    expect(() => createFreeBody({ name: 'a', shape, mass: Number.NaN })).toThrow('body "a": mass is NaN')
    expect(() => createFreeBody({ name: 'a', shape, density: 0 })).toThrow(
      'body "a": density is 0; expected a positive number [kg/m³]',
    )
    expect(() => createFreeBody({ name: 'a', shape: { type: 'sphere', radius: -1 }, mass: 1 })).toThrow(GeometryError)
    const point: Shape = { type: 'sphere', radius: 0 }
    expect(() => createFreeBody({ name: 'p', shape: point, mass: 1 })).toThrow(
      /"p" is a sphere without a volume; state its inertia/,
    )
    expect(massOf(createFreeBody({ name: 'p', shape: point, mass: 1, inertia: [1, 1, 1, 0, 0, 0] })).mass).toBe(1)
    expect(() => createFreeBody({ name: 'p', shape: point, density: 1 })).toThrow(/its mass must be a positive number/)
  })

  test('made of what only the ground may be made of is refused', () => {
    const ground: Shape = { type: 'halfspace', normal: [0, 0, 1], offset: 0 }
    expect(() => createFreeBody({ name: 'ground', shape: ground, mass: 1 })).toThrow(/"ground" is a halfspace without a volume/)
  })
})

function shifted({ vertices, triangles }: { vertices: Float64Array; triangles: Int32Array }, by: readonly number[]) {
  return { vertices: vertices.map((x, k) => x + by[k % 3]), triangles }
}
