import { describe, expect, test } from 'vitest'
import { type ConvexCutter, rapierCutter } from '../../robots/files.ts'
import { loadExamined, loadRobot, memoryResolver, type Robot, writeMjcf } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { stlBinary } from './fuzz/meshesSamples.ts'

/** A prism of unit squares, 0.1 m each, in the plane; z from 0 to 0.1. Walls between squares are left out, so that it is closed. */
function squares(cells: readonly (readonly [number, number])[]): Uint8Array {
  const s = 0.1
  const has = (x: number, y: number) => cells.some(([a, b]) => a === x && b === y)
  const triangles: number[][] = []
  const face = (corners: readonly (readonly [number, number, number])[]) => {
    const [a, b, c, d] = corners.map((corner) => corner.map((x) => s * x))
    triangles.push([...a, ...b, ...c], [...a, ...c, ...d])
  }
  for (const [x, y] of cells) {
    const at = (i: number, j: number, z: number) => [x + i, y + j, z] as const
    face([at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)])
    face([at(0, 0, 0), at(0, 1, 0), at(1, 1, 0), at(1, 0, 0)])
    if (!has(x - 1, y)) face([at(0, 0, 0), at(0, 0, 1), at(0, 1, 1), at(0, 1, 0)])
    if (!has(x + 1, y)) face([at(1, 0, 0), at(1, 1, 0), at(1, 1, 1), at(1, 0, 1)])
    if (!has(x, y - 1)) face([at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1)])
    if (!has(x, y + 1)) face([at(0, 1, 0), at(0, 1, 1), at(1, 1, 1), at(1, 1, 0)])
  }
  return stlBinary(triangles)
}

// walls of one cell on a floor of three
const cup = squares([
  [0, 0],
  [1, 0],
  [2, 0],
  [0, 1],
  [2, 1],
])
const corner = squares([
  [0, 0],
  [1, 0],
  [0, 1],
])

const text = `<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="0.3" iyy="0.4" izz="0.5"/></inertial>
  <collision><origin rpy="1.5707963267948966 0 0"/><geometry><mesh filename="m.stl"/></geometry></collision></link></robot>`
const load = (mesh: Uint8Array, cut?: ConvexCutter) =>
  loadRobot(text, { file: 'r.urdf', resolver: memoryResolver(new Map([['m.stl', mesh]])), cut, ground: false })
const findingOf = (robot: ReturnType<typeof load>) => robot.diagnostics.find(({ code }) => code === 'mesh-cut')?.message

describe('concave meshes in convex parts', () => {
  test('an L and a U become a few parts, whose volume is told beside that of the mesh', async () => {
    const cut = await rapierCutter()
    for (const [mesh, filled, most] of [
      [corner, 100 * (3 / 3.5), 2],
      [cup, 100 * (5 / 6), 6],
    ] as const) {
      const robot = load(mesh, cut)
      expect(robot.shapes.length).toBeGreaterThan(1)
      expect(robot.shapes.length).toBeLessThanOrEqual(most)
      const [, count, volume, own] = /(\d) parts fill ([\d.]+) % of its hull; it fills ([\d.]+) %/.exec(findingOf(robot)!)!
      expect(Number(count)).toBe(robot.shapes.length)
      expect(Math.abs(Number(own) - filled)).toBeLessThan(0.1)
      // a voxel on both sides of each cut, and voxels are a 64th of the longest side
      expect(Math.abs(Number(volume) - filled)).toBeLessThan(4)
    }
  })

  test('a box stays its hull, and so does everything where nobody asks', async () => {
    const cut = await rapierCutter()
    expect(load(squares([[0, 0]]), cut).shapes).toHaveLength(1)
    const whole = load(cup)
    expect([whole.shapes.length, findingOf(whole)]).toEqual([1, undefined])
  })

  test('what cannot be cut stays its hull, and that is told', () => {
    const robot = load(cup, () => [])
    expect(robot.shapes).toHaveLength(1)
    expect(findingOf(robot)).toContain('it could not be cut')
  })

  test('a ball rests on the floor of a cup of parts, and on top of its hull', async () => {
    const cut = await rapierCutter()
    const rest = (cutter?: ConvexCutter) => {
      // the cup's opening looks up: y of the mesh is z
      const surroundings = load(cup, cutter).shapes.map((shape) => ({ ...shape, body: 0 }))
      const ball = loadRobot(
        `<robot name="b"><link name="b"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
         <collision><geometry><sphere radius="0.03"/></geometry></collision></link></robot>`,
        { file: 'b.urdf', ground: false },
      )
      const world = new World({
        robot: ball,
        fixtures: surroundings,
        contactModel: 'stewart-trinkle',
        dt: 1e-3,
        q: [0.15, -0.05, 0.25, 0, 0, 0, 1],
      })
      for (let n = 0; n < 500; n++) world.step()
      return world.state.q[2]
    }
    // a part may stand out of the mesh by a voxel
    expect(Math.abs((await rest(cut)) - 0.13)).toBeLessThan(0.3 / 64)
    expect(Math.abs((await rest()) - 0.23)).toBeLessThan(1e-3)
  })

  test('MJCF holds the parts, without files', async () => {
    const cut = await rapierCutter()
    const { robot, examined } = loadExamined(text, {
      file: 'r.urdf',
      resolver: memoryResolver(new Map([['m.stl', cup]])),
      cut,
      ground: false,
    })
    const again = loadRobot(writeMjcf(examined.repaired, {}).text, { file: 'r.xml', ground: false })
    expect(again.shapes.length).toBe(robot.shapes.length)
    again.shapes.forEach(({ shape, R, p }, s) => {
      const own = robot.shapes[s]
      if (shape.type !== 'hull' || own.shape.type !== 'hull') throw new Error('expected hulls')
      expect(shape.polyhedron.vertices.length).toBe(own.shape.polyhedron.vertices.length)
      for (let k = 0; k < 9; k++) expect(Math.abs(R[k] - own.R[k])).toBeLessThan(1e-12)
      for (let k = 0; k < 3; k++) expect(Math.abs(p[k] - own.p[k])).toBeLessThan(1e-12)
    })
  })
})

describe('concave meshes as solids', () => {
  const solid = (mesh: Uint8Array) =>
    loadRobot(text, { file: 'r.urdf', resolver: memoryResolver(new Map([['m.stl', mesh]])), concave: true, ground: false })
  const finding = (robot: Robot) => robot.diagnostics.find(({ code }) => code.startsWith('mesh-'))

  test('a U stays one, with its volume told; a box stays its hull', () => {
    const robot = solid(cup)
    expect(robot.shapes.map(({ shape }) => shape.type)).toEqual(['mesh'])
    expect(finding(robot)?.message).toMatch(/"m.stl": \d+ triangles, which fill 83.3 % of its hull/)
    const whole = solid(squares([[0, 0]]))
    expect([whole.shapes[0].shape.type, finding(whole)]).toEqual(['hull', undefined])
  })

  test('one that is not closed stays its hull, and that is told with the reason', () => {
    const bytes = cup.slice(0, cup.length - 50)
    new DataView(bytes.buffer).setUint32(80, (bytes.length - 84) / 50, true)
    const robot = solid(bytes)
    expect(robot.shapes[0].shape.type).toBe('hull')
    expect(finding(robot)).toMatchObject({ severity: 'warning', code: 'mesh-open' })
    expect(finding(robot)?.message).toContain('the mesh is not closed: edges with one triangle only: 3')
  })

  test('what stands in its hollow at home is no overlap, and touches it once it is pushed to its wall', () => {
    const pin = (x: number) => `<robot name="r">
      <link name="a"><inertial><mass value="1"/><inertia ixx="0.3" iyy="0.4" izz="0.5"/></inertial>
        <collision><origin rpy="1.5707963267948966 0 0"/><geometry><mesh filename="m.stl"/></geometry></collision></link>
      <link name="between"><inertial><mass value="1"/><inertia ixx="0.3" iyy="0.4" izz="0.5"/></inertial>
        <collision><origin xyz="0 0 9"/><geometry><sphere radius="0.01"/></geometry></collision></link>
      <link name="pin"><inertial><mass value="1"/><inertia ixx="0.3" iyy="0.4" izz="0.5"/></inertial>
        <collision><geometry><sphere radius="0.03"/></geometry></collision></link>
      <joint name="one" type="prismatic"><parent link="a"/><child link="between"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
      <joint name="two" type="prismatic"><parent link="between"/><child link="pin"/><origin xyz="${x} -0.05 0.15"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
    </robot>`
    const overlapsOf = (x: number) =>
      loadRobot(pin(x), { file: 'r.urdf', resolver: memoryResolver(new Map([['m.stl', cup]])), concave: true, ground: false })
        .overlaps
    expect(overlapsOf(0.15)).toEqual([])
    expect(overlapsOf(0.12)).toEqual([['a', 'pin']])
  })
})
