/** From scenario files to worlds: what stands where, how it starts, and what is said of it. */
import { describe, expect, test } from 'vitest'
import { parseScenario, type Scenario } from '../../compare/scenario/index.ts'
import {
  checkWorlds,
  createWorld,
  prepare,
  prepareWorld,
  resolvePaths,
  SetupError,
  subjectsOf,
} from '../../compare/scenario/world/files.ts'
import { Random } from '../../compare/scenario/world/random.ts'
import { createCollider, heightAt, type PlacedShape, placeCollider, placeCore, signedDistance } from '../../contact/index.ts'
import { identity } from '../contact/geometry/poses.ts'
import { blockUrdf, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
folder.write('block.urdf', blockUrdf)
const slab = [
  [0, 0, 0],
  [1, 0, 0],
  [1, 1, 0],
  [0, 1, 0],
  [0, 0, 1],
  [1, 0, 1],
  [1, 1, 1],
  [0, 1, 1],
]
const faces = [
  [1, 4, 3, 2],
  [5, 6, 7, 8],
  [1, 2, 6, 5],
  [2, 3, 7, 6],
  [3, 4, 8, 7],
  [4, 1, 5, 8],
]
folder.write('cube.obj', [...slab.map((v) => `v ${v.join(' ')}`), ...faces.map((f) => `f ${f.join(' ')}`)].join('\n'))
folder.write(
  'arm.urdf',
  '<robot name="arm"><link name="world"/><link name="upper"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>' +
    '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link><joint name="turn" type="revolute"><parent link="world"/>' +
    '<child link="upper"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint></robot>',
)

const read = async (text: string): Promise<Scenario> => {
  const file = `${folder.path}/a.yaml`
  return resolvePaths(await parseScenario(text, file), file)
}
const prepared = async (text: string) => {
  const scenario = await read(text)
  return { scenario, ...(await prepareWorld(scenario, subjectsOf(scenario)[0])) }
}
const worldOf = async (text: string) => {
  const scenario = await read(text)
  const ready = await prepare(scenario, subjectsOf(scenario)[0])
  return { scenario, ...createWorld(scenario, ready, scenario.models[0], 1e-3) }
}

/** Signed distance of a fixture from a point [m]. */
function distanceAt(fixtures: readonly PlacedShape[], x: readonly [number, number, number]): number {
  const point = createCollider({ type: 'sphere', radius: 0 })
  placeCollider(point, identity, Float64Array.from(x), identity, new Float64Array(3))
  placeCore(point)
  const out = new Float64Array(10)
  return Math.min(
    ...fixtures.map(({ shape, R, p }) => {
      const collider = createCollider(shape)
      placeCollider(collider, identity, new Float64Array(3), R, p)
      placeCore(collider)
      signedDistance(collider, point, out)
      return out[0]
    }),
  )
}

describe('an obstacle is where its words say', () => {
  const standing = async (yaml: string) => (await prepared(`robot: block.urdf\nground: false\nobstacles: [${yaml}]`)).fixtures

  test('a ramp rises from its foot by its angle', async () => {
    const ramp = await standing('{ type: ramp, length: 2, width: 1, angle: 30 deg, position: [1, 0, 0] }')
    const rise = Math.tan(Math.PI / 6)
    for (const x of [0.1, 1, 1.9]) {
      // the surface passes through (1 + x, x rise), and a point above it is off by the cosine
      expect(distanceAt(ramp, [1 + x, 0.2, x * rise])).toBeCloseTo(0, 12)
      expect(distanceAt(ramp, [1 + x, 0.2, x * rise + 0.01])).toBeCloseTo(0.01 * Math.cos(Math.PI / 6), 12)
    }
    expect(distanceAt(ramp, [0.9, 0, 0])).toBeCloseTo(0.1, 12)
  })

  test('a ramp by its height, turned about z, rises the other way', async () => {
    const ramp = await standing('{ type: ramp, length: 2, width: 1, height: 1, rpy: [0, 0, 180 deg] }')
    expect(distanceAt(ramp, [-1, 0, 0.5])).toBeCloseTo(0, 12)
  })

  test('stairs of count, rise and run have one tread each', async () => {
    const stairs = await standing('{ type: stairs, count: 3, rise: 0.2, run: 0.5, width: 1, position: [0, 0, 1] }')
    expect(stairs.map(({ name }) => name)).toEqual(['stairs1-1', 'stairs1-2', 'stairs1-3'])
    for (const i of [0, 1, 2]) {
      const x = (i + 0.5) * 0.5
      expect(distanceAt(stairs, [x, 0, 1 + (i + 1) * 0.2])).toBeCloseTo(0, 12)
      expect(distanceAt(stairs, [x, 0, 1 + (i + 1) * 0.2 + 0.05])).toBeCloseTo(0.05, 12)
    }
  })

  test('a rounded box lacks its corners, as an obstacle and in boxes', async () => {
    const obstacle = await standing('{ type: box, size: [2, 2, 2], rounding: 0.5, position: [1, 0, 0] }')
    const { fixtures } = await prepared(
      'robot: block.urdf\nground: false\nboxes: [{ size: [2, 2, 2], rounding: 0.5, position: [1, 0, 0] }]',
    )
    for (const one of [obstacle, fixtures]) {
      expect(distanceAt(one, [2.1, 0.2, 0.1])).toBeCloseTo(0.1, 14)
      expect(distanceAt(one, [2, 1, 1])).toBeCloseTo(0.5 * Math.sqrt(3) - 0.5, 14)
    }
  })

  test('a step stands on its place and begins there', async () => {
    const step = await standing('{ type: step, length: 0.4, width: 1, height: 0.1, position: [1, 0, 0] }')
    expect(distanceAt(step, [1.2, 0, 0.1])).toBeCloseTo(0, 14)
    expect(distanceAt(step, [0.9, 0, 0.05])).toBeCloseTo(0.1, 14)
  })

  test('a height field from a function of x and y has its heights at its points', async () => {
    const [field] = await standing('{ type: heightfield, heights: 0.1*x + 0.2*y^2, size: [2, 1], spacing: [0.5, 0.25] }')
    if (field.shape.type !== 'heightfield') throw new Error()
    expect(field.shape).toMatchObject({ columns: 5, rows: 5 })
    const out = new Float64Array(4)
    for (const [x, y] of [
      [0, 0],
      [0.5, 0.25],
      [-1, 0.5],
    ]) {
      heightAt(field.shape, Float64Array.of(x, y, 0), out)
      expect(out[0]).toBeCloseTo(0.1 * x + 0.2 * y * y, 14)
    }
  })

  test('a height field from rows: the first is that of least y', async () => {
    const [field] = await standing('{ type: heightfield, heights: [[0, 1], [2, 3]], spacing: 1 }')
    if (field.shape.type !== 'heightfield') throw new Error()
    const out = new Float64Array(4)
    heightAt(field.shape, Float64Array.of(0.5, -0.5, 0), out)
    expect(out[0]).toBe(1)
    heightAt(field.shape, Float64Array.of(-0.5, 0.5, 0), out)
    expect(out[0]).toBe(2)
  })

  test('a mesh and the hull of a mesh come from a file beside the scenario, scaled', async () => {
    const [mesh, hull] = await standing(
      '{ type: mesh, file: cube.obj, scale: 0.5 }, { type: hull, file: cube.obj, position: [3, 0, 0] }',
    )
    expect(mesh.shape.type).toBe('mesh')
    expect(distanceAt([hull], [3.5, 0.5, 1.25])).toBeCloseTo(0.25, 14)
    if (mesh.shape.type === 'mesh') expect(Math.max(...mesh.shape.mesh.vertices)).toBe(0.5)
  })

  test('a surface says all that it may', async () => {
    const [box] = await standing('{ type: box, size: [1, 1, 1], friction: 0.4, staticFriction: 0.5, solvedStaticFriction: true }')
    expect(box).toMatchObject({ friction: 0.4, staticFriction: 0.5, solvedStaticFriction: true })
  })

  test('a mesh with a hole is refused, with a way out', async () => {
    folder.write(
      'open.obj',
      [...slab.map((v) => `v ${v.join(' ')}`), ...faces.slice(1).map((f) => `f ${f.join(' ')}`)].join('\n'),
    )
    await expect(standing('{ type: mesh, file: open.obj }')).rejects.toThrow(/open\.obj: the mesh is not closed.*"type: hull"/)
    await expect(standing('{ type: mesh, file: none.obj }')).rejects.toThrow('none.obj: cannot be read (ENOENT)')
  })
})

describe('what moves', () => {
  const crowd = `
robot: block.urdf
start: { position: [0, 0, 1] }
companions:
  - { name: twin, robot: block.urdf, position: [2, 0, 1], rpy: [0, 0, 90 deg], linearVelocity: [1, 0, 0] }
  - { name: arm, robot: arm.urdf, position: [0, 3, 0.5], rpy: [0, 0, 90 deg], joints: { turn: 0.5 } }
bodies:
  - { name: ball, shape: { type: sphere, radius: 0.1 }, density: 1000, position: [-2, 0], friction: 0.3 }
  - { name: grid, shape: { type: box, size: [0.1, 0.1, 0.1] }, mass: 1, position: [5, 5, 1], repeat: [2, 1, 2], spacing: [0.5, 0, 0.2] }
`
  test('is the robot, its companions and its bodies, each with its own name, start and controller', async () => {
    const { world, loops } = await worldOf(crowd)
    expect(world.robots.map(({ name }) => name)).toEqual(['block', 'twin', 'arm', 'ball', 'grid-1', 'grid-2', 'grid-3', 'grid-4'])
    expect(loops.map((loop) => loop !== undefined)).toEqual([true, true, true, false, false, false, false, false])
    const [, twin, arm, ball, , second, third] = world.robots
    const quarter = [2, 0, 1, 0, 0, Math.SQRT1_2, Math.SQRT1_2]
    quarter.forEach((x, i) => {
      expect(twin.state.q[i]).toBeCloseTo(x, 14)
    })
    // 1 m/s along the world's x is along -y of a body that looks to the left
    expect([...twin.state.v].map((x) => Math.round(1e9 * x) / 1e9 + 0)).toEqual([0, 0, 0, 0, -1, 0])
    expect(arm.state.q[0]).toBe(0.5)
    const place = world.robot.shapes.find(({ name }) => name.startsWith('arm/'))
    expect(place?.body).toBe(world.robots[2].start.body + 1)
    expect(ball.state.q[2]).toBeCloseTo(0.1, 12) // set on the ground
    expect([second.state.q[0], second.state.q[2], third.state.q[0], third.state.q[2]]).toEqual([5.5, 1, 5, 1.2])
    expect(world.robot.massUsed).toBeCloseTo(2 + 2 + 1 + (4 / 3) * Math.PI + 4, 12)
  })

  test('without a robot is the bodies alone', async () => {
    const { world, loop } = await worldOf('bodies: [{ shape: { type: sphere, radius: 1 }, mass: 2 }]')
    expect(world.robots).toHaveLength(1)
    expect(loop).toBeUndefined()
    expect(world.state.q[2]).toBeCloseTo(1, 14)
  })

  test('falls as gravity says: down, or anywhere', async () => {
    for (const [gravity, g] of [
      ['1.62', [0, 0, -1.62]],
      ['[1, 0, 0]', [1, 0, 0]],
    ] as const) {
      const { world } = await worldOf(
        `robot: block.urdf\ngravity: ${gravity}\nground: false\ncontroller: none\nbodies: [{ shape: { type: sphere, radius: 1 }, mass: 2, position: [9, 0, 9] }]`,
      )
      for (let k = 0; k < 100; k++) world.step()
      for (const { state } of world.robots) for (const k of [0, 1, 2]) expect(state.v[3 + k]).toBeCloseTo(0.1 * g[k], 12)
    }
  })

  test('with no height stated is set on what lies below, be it a step or a hill', async () => {
    const { members } = await prepared(
      'robot: block.urdf\nstart: { position: [1, 0] }\nobstacles: [{ type: step, position: [0.5, 0, 0], length: 1, width: 1, height: 0.3 }]',
    )
    expect(members[0].q[2]).toBeCloseTo(0.4, 5)
    const hill = await prepared(
      'robot: block.urdf\nground: false\nobstacles: [{ type: heightfield, heights: 0.5 + 0.2*x, size: [4, 4], spacing: 1 }]',
    )
    expect(hill.members[0].q[2]).toBeCloseTo(0.5 + 0.1 + 0.2 * 0.1, 4) // on the edge that lies uphill
  })

  test('of joints and links that are not there is refused, by the field', async () => {
    for (const [text, message] of [
      ['companions: [{ name: a, robot: arm.urdf, joints: { bend: 1 } }]', 'companions.a.joints.bend: "arm" has no moving joint'],
      [
        'companions: [{ name: a, robot: arm.urdf, linearVelocity: [1, 0, 0] }]',
        'companions.a.linearVelocity: the base of "arm" is fixed',
      ],
      ['materials: { nose: { friction: 1 } }', 'materials.nose: "block" has no link "nose"'],
    ]) {
      const making = prepared(`robot: block.urdf\n${text}`)
      await expect(making).rejects.toThrow(SetupError)
      await expect(making).rejects.toThrow(message)
    }
  })

  test('that overlaps something else at the start is said, pair by pair', async () => {
    const { scenario, ...ready } = await prepared(
      'robot: block.urdf\nstart: { position: [0, 0, 0.08] }\nmodels: penalty\n' +
        'bodies: [{ name: ball, shape: { type: sphere, radius: 0.1 }, mass: 1, position: [0.15, 0, 0.5] }]\n' +
        'boxes: [{ name: shelf, size: [0.2, 0.2, 0.1], position: [0.15, 0, 0.38] }]',
    )
    const overlaps = checkWorlds(scenario, ready)
    expect(overlaps.map(({ a, b, depth }) => [a, b, Math.round(1e6 * depth) / 1e6])).toEqual([
      ['ball', 'shelf', 0.03],
      ['block/body', 'ground', 0.02],
    ])
  })
})

test('the depth of a rounded box is that of its balls, in the ground, a box and a height field', async () => {
  const field = '{ type: heightfield, heights: [[0, 0], [0, 0]], spacing: 4, position: [20, 0, 0] }'
  const die = (name: string, x: number) =>
    `{ name: ${name}, shape: { type: box, size: [0.2, 0.2, 0.2], rounding: 0.05 }, mass: 1, position: [${x}, 0, 0.0967], rpy: [0, 45 deg, 0] }`
  const { scenario, ...ready } = await prepared(
    'robot: block.urdf\nstart: { position: [-9, 0, 5] }\nmodels: ncp\nground: false\n' +
      `bodies: [${die('one', 0)}, ${die('other', 20)}]\nobstacles: [${field}]\n` +
      'boxes: [{ name: table, size: [2, 2, 1], position: [0, 0, -0.5] }]',
  )
  const found = checkWorlds(scenario, ready)
  // from the edge of the core to its middle 0.05 sqrt 2
  const depth = 0.05 + 0.05 * Math.SQRT2 - 0.0967
  expect(found.map(({ a, b }) => [a, b])).toEqual(
    expect.arrayContaining([
      ['one', 'table'],
      ['other', expect.stringContaining('heightfield')],
    ]),
  )
  for (const one of found) expect(one.depth).toBeCloseTo(depth, 9)
})

describe('what is set down in something', () => {
  const beside = (wall: string) =>
    prepared(`robot: block.urdf\nstart: { position: [0, 0] }\nboxes: [{ name: wall, size: ${wall} }]`)

  test('is lifted onto it', async () => {
    const { members } = await beside('[0.4, 0.4, 0.3], position: [0, 0, 0.15]')
    // half of its height above the wall's top
    expect(members[0].q[2]).toBeCloseTo(0.4, 5)
  })

  test('and cannot be lifted out, with 1 cm of its side in a high wall, is refused by its name', async () => {
    const making = beside('[0.2, 1, 6], position: [0.19, 0, 3]')
    await expect(making).rejects.toThrow(SetupError)
    await expect(making).rejects.toThrow(/^start: "block" was to be set down where it is 0.010 m deep in "wall"/)
  })
})

describe('a perturbed start', () => {
  const scenario = (seed: number, more = '') =>
    `robot: arm.urdf\nseed: ${seed}\ncompanions: [{ name: block, robot: block.urdf, position: [1, 0, 1] }]\n` +
    `perturb: { position: [0.1, 0.2, 0], rotation: 5 deg, joints: 0.3, linearVelocity: 0.5, angularVelocity: 0 }\n${more}`
  const startsOf = async (text: string) => (await prepared(text)).members.map(({ q, v }) => ({ q: [...q], v: [...v] }))

  test('is the same for a seed, another for another, and does not hang on what else is there', async () => {
    const once = await startsOf(scenario(3))
    expect(await startsOf(scenario(3))).toEqual(once)
    expect(await startsOf(scenario(4))).not.toEqual(once)
    const more = await startsOf(scenario(3, 'bodies: [{ shape: { type: sphere, radius: 1 }, mass: 1, position: [9, 9, 9] }]'))
    expect(more.slice(0, 2)).toEqual(once)
  })

  test('stays within its bounds, fills them, and leaves alone what is not named', async () => {
    const [least, most] = [new Array(14).fill(Infinity), new Array(14).fill(-Infinity)]
    const base = await read(scenario(0))
    for (let seed = 0; seed < 200; seed++) {
      const { members } = await prepareWorld({ ...base, seed }, subjectsOf(base)[0])
      const [arm, block] = members
      const row = [arm.q[0], ...block.q, ...block.v]
      row.forEach((x, i) => {
        least[i] = Math.min(least[i], x)
        most[i] = Math.max(most[i], x)
      })
      // turned by at most 5 degrees about each axis
      expect(2 * Math.acos(Math.min(1, Math.abs(block.q[6])))).toBeLessThan((Math.sqrt(3) * 5 * Math.PI) / 180 + 1e-12)
      expect(Math.hypot(...block.v.subarray(3, 6))).toBeLessThan(0.5 * Math.sqrt(3) + 1e-12)
    }
    for (const [i, middle, reach] of [
      [0, 0, 0.3],
      [1, 1, 0.1],
      [2, 0, 0.2],
      [3, 1, 0],
    ]) {
      expect(least[i]).toBeGreaterThanOrEqual(middle - reach)
      expect(most[i]).toBeLessThanOrEqual(middle + reach)
      // of 200 even draws the extremes miss the bounds by more than a tenth with probability 0.95^200
      expect(least[i]).toBeLessThanOrEqual(middle - 0.9 * reach)
      expect(most[i]).toBeGreaterThanOrEqual(middle + 0.9 * reach)
    }
    for (const i of [8, 9, 10]) expect([least[i], most[i]].map(Math.abs)).toEqual([0, 0]) // no turning was asked for
  })

  test('moves no base that is bolted down', async () => {
    const placed = 'robot: arm.urdf\nstart: { position: [1, 2, 3], rpy: [0, 0, 1] }\n'
    const [still] = (await prepared(placed)).members
    const [arm] = (await prepared(`${placed}perturb: { position: 1, rotation: 1, joints: 0.5 }`)).members
    expect(arm.q[0]).not.toBe(still.q[0])
    expect(arm.robot).toEqual(still.robot)
  })

  test('its numbers are even over [0, 1): mean, variance and neighbours are those of even numbers', () => {
    const random = new Random(1)
    const n = 100_000
    const x = Array.from({ length: n }, () => random.next() - 0.5)
    const mean = x.reduce((sum, value) => sum + value, 0) / n
    const variance = x.reduce((sum, value) => sum + value * value, 0) / n
    const neighbours = x.slice(1).reduce((sum, value, i) => sum + value * x[i], 0) / n
    // five standard deviations: of the mean sqrt(1/12 / n), of x^2 sqrt(1/180 / n), of the product 1/12 / sqrt(n)
    expect(Math.abs(mean)).toBeLessThan(5 * Math.sqrt(1 / 12 / n))
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(5 * Math.sqrt(1 / 180 / n))
    expect(Math.abs(neighbours)).toBeLessThan(5 / 12 / Math.sqrt(n))
  })
})
