import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { loadRobotFile, openRobotFile } from '../../robots/files.ts'
import { loadExamined, loadRobot, memoryResolver, type Robot, separated } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { codes, errorOf } from './lookalike.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`./mjcf/${name}.xml`, import.meta.url))
const load = (name: string): Robot => loadRobotFile(pathOf(name))
const examine = (name: string) => {
  const { text, options } = openRobotFile(pathOf(name))
  return loadExamined(text, options)
}
const robotOf = (inside: string, body = '<joint name="j"/><geom size="0.1"/>', options = {}) =>
  loadRobot(`<mujoco>${inside}<worldbody><body name="b">${body}</body></worldbody></mujoco>`, { file: 'm.xml', ...options })
describe('MJCF', () => {
  test('keyframes are poses, with the base where they say', () => {
    const { poses } = load('keyframes')
    expect(poses.map(({ name }) => name)).toEqual(['stand', 'crouch'])
    expect([...poses[0].q]).toEqual([0, 0, 0.63, 0, 0, 0, 1, 0, 0])
    expect(loadRobotFile(pathOf('keyframes'), { pose: 'crouch' }).home[8]).toBe(-2)
    const several = load('free-bodies')
    expect([...several.poses[0].q].filter((x) => x === 0.5)).toHaveLength(5)
  })

  const free = (name: string, inside = '') =>
    `<body name="${name}" pos="0 0 1"><freejoint name="${name}"/><geom size="0.1"/>${inside}</body>`
  const hinged = (name: string) => `<body name="${name}"><joint name="${name}"/><geom size="0.1"/></body>`
  const motors = (...joints: string[]) => `<actuator>${joints.map((joint) => `<motor joint="${joint}"/>`).join('')}</actuator>`
  test.each([
    ['one free body is the robot', free('a'), '', 'a', []],
    ['several are objects', free('a') + free('b'), '', undefined, ['a', 'b']],
    ['beside joints on the world they are objects', free('a') + hinged('arm') + free('b'), '', undefined, ['a', 'b']],
    ['the one with joints is the robot', free('a') + free('b', hinged('leg')) + free('c'), '', 'b', ['a', 'c']],
    ['of two with joints the first', free('a', hinged('x')) + free('b', hinged('y')), '', 'a', []],
    ['of two with joints that with more motors', free('a', hinged('x')) + free('b', hinged('y')), motors('y'), 'b', []],
    ['what is jointed to the world before what floats', free('a', hinged('x')) + hinged('y'), '', undefined, []],
    ['a door without motors is no robot', free('a', hinged('x')) + hinged('door') + free('b'), motors('x'), 'a', ['b']],
    [
      'a body welded to a free one is no joint',
      free('a', '<body><geom size="0.1"/></body>') + free('b'),
      '',
      undefined,
      ['a', 'b'],
    ],
  ])('the base among free bodies: %s', (_, bodies, actuators, base, objects) => {
    const robot = loadRobot(`<mujoco><worldbody>${bodies}</worldbody>${actuators}</mujoco>`, { file: 'm.xml' })
    const names = (robot.objects ?? []).map((body) => robot.model.bodyName[body])
    expect([robot.floating ? robot.model.bodyName[1] : undefined, names]).toEqual([base, objects])
    // all of a file with several are where it says
    const heights = robot.freeJoints.map(({ qIndex }) => robot.home[qIndex + 2])
    expect(heights.every((z) => z === 1)).toBe(true)
    if (robot.floating) expect(robot.home[2]).toBeCloseTo(robot.isPlaced ? 1 : 0.1, 12)
    const { rest, objects: parts } = separated(robot)
    expect([rest.model.nq, ...parts.map(({ model }) => model.nq)].reduce((sum, n) => sum + n)).toBe(robot.model.nq)
    expect(parts.map(({ home }) => home[2])).toEqual(objects.map(() => 1))
  })

  test('joints that an equality ties to another follow it, by tendons too', () => {
    const degree = Math.PI / 180
    // q - 0 = -1.5 (left - 10 degrees) + 0.1
    const [right] = load('followers').mimics
    expect(right).toMatchObject({ name: 'right', follows: 'left', multiplier: -1.5 })
    expect(right.offset).toBeCloseTo(0.1 + 15 * degree, 15)
    expect(load('tendon-followers').mimics).toMatchObject([{ name: 'near', follows: 'far', multiplier: 0.5, offset: 0 }])
  })

  test('an ellipsoid is one, with its mass and moments at the density of the file', () => {
    const body = '<joint name="j"/><geom type="ellipsoid" size="0.1 0.2 0.3" density="500" pos="0 0 1"/>'
    const { shapes, massUsed } = robotOf('', body)
    expect(shapes).toMatchObject([{ shape: { type: 'ellipsoid', radii: [0.1, 0.2, 0.3] }, p: Float64Array.of(0, 0, 1) }])
    expect(massUsed).toBeCloseTo(500 * (4 / 3) * Math.PI * 0.1 * 0.2 * 0.3, 10)
  })

  test('actuators give joints their effort limits, and those without any none', () => {
    const { robot, examined } = examine('actuators')
    expect(robot.joints.map(({ vIndex }) => robot.model.effortLimit[vIndex])).toEqual([30, 20, 7, 6, 0])
    const servos = examined.description.actuators!.map(({ gain, bias }) => [gain[0], ...bias])
    expect(servos).toEqual([
      [1, 0, 0, 0],
      [50, 0, -50, -2],
      [9, 0, 0, -9],
      [100, 0, -100, -5],
    ])
  })

  test('bodies that are excluded, or whose bits do not meet, do not collide; geoms without bits are only seen', () => {
    const robot = load('contacts')
    expect(robot.disabledCollisions).toEqual([
      ['base', 'hand'],
      ['base', 'arm'],
      ['arm', 'hand'],
    ])
    expect(robot.shapes.map(({ link, friction }) => [link, friction])).toEqual([
      ['base', undefined],
      ['arm', undefined],
      ['hand', 1.5],
    ])
    expect(robot.surroundings).toMatchObject([
      { name: 'surrounding1', shape: { type: 'halfspace' } },
      { name: 'wall', shape: { type: 'box', size: [0.2, 2, 2] }, friction: 0.3 },
    ])
  })

  test('sites are frames, height fields and planes surroundings, gravity that of the file', () => {
    const robot = load('gravity-and-hfield')
    expect([...robot.model.gravity]).toEqual([0, 0, 0, 0, 0.1, -1.62])
    expect(robot.frames.map(({ name }) => name)).toEqual(['rover', 'eye', 'rover_site'])
    expect(robot.surroundings!.map(({ shape }) => shape.type)).toEqual(['heightfield', 'halfspace'])
    const [{ shape }] = robot.surroundings!
    expect(shape).toMatchObject({ rows: 3, columns: 4, spacing: [4 / 3, 1.5] })
  })

  test('a loop that the file closes is one of the world', () => {
    const robot = load('loops')
    const { loops } = robot
    expect(loops).toMatchObject([{ name: 'loop1', kind: 'point', a: { link: 'rod', point: [0.4, 0, 0] }, b: { link: 'rocker' } }])
    for (const x of loops![0].b.point!) expect(Math.abs(x)).toBeLessThan(1e-15)
    const world = new World({ robot, dt: 1e-3, contactModel: 'stewart-trinkle', loops })
    for (let n = 0; n < 100; n++) world.step()
    expect(world.state.q.every(Number.isFinite)).toBe(true)
  })

  test('springs act, their energy falling by 1 / (1 + (omega dt)²) a step', () => {
    const robot = robotOf(
      '<option gravity="0 0 0"/>',
      '<joint name="j" axis="0 1 0" stiffness="4" springref="20"/><geom size="0.1" pos="1 0 0" mass="1"/>',
    )
    const { stiffness, springReference, I } = robot.model
    expect([stiffness[0], springReference[0]]).toEqual([4, (20 * Math.PI) / 180])
    const dt = 1e-3
    const world = new World({ robot, dt, contactModel: 'penalty', fixtures: [] })
    const inertia = I[1][5]
    const energy = () => 0.5 * inertia * world.state.v[0] ** 2 + 0.5 * 4 * (world.state.q[0] - springReference[0]) ** 2
    let expected = energy()
    for (let n = 0; n < 10_000; n++) {
      world.step()
      // of implicit Euler on an oscillator
      expected /= 1 + (4 / inertia) * dt * dt
      expect(Math.abs(energy() / expected - 1)).toBeLessThan(1e-10)
    }
  })

  test('what has no counterpart is told by name and place', () => {
    const robot = robotOf(
      `<actuator><dcmotor name="m" joint="j"/></actuator>
       <equality><joint joint1="j"/></equality><deformable/>`,
    )
    const told = robot.diagnostics.filter(({ code }) => code === 'mjcf-unsupported').map(({ element }) => element)
    expect(told.sort()).toEqual(['<dcmotor name="m">', '<deformable>'])
    expect(() => robotOf('', '<joint name="j" rnage="1 2"/><geom size="0.1"/>', { strict: true })).toThrow(/range may be meant/)
  })

  test.each([
    ['a class that is not there', '<default/>', '<geom class="x" size="1"/>', 'class-unknown'],
    ['a mesh that is not there', '', '<geom type="mesh" mesh="x"/>', 'mesh-unknown'],
    ['a size that is not positive', '', '<geom type="box" size="1 0 1"/>', 'size'],
    ['a joint type', '', '<joint type="screw"/><geom size="1"/>', 'joint-type'],
    ['an axis without direction', '', '<joint axis="0 0 0"/><geom size="1"/>', 'axis-zero'],
    ['a number', '', '<geom size="1.x"/>', 'number'],
    ['an include that is not there', '<include file="x.xml"/>', '<geom size="1"/>', 'include-missing'],
    ['global coordinates', '<compiler coordinate="global"/>', '<geom size="1"/>', 'option'],
    ['a name in an equality', '<equality><weld body1="b" body2="c"/></equality>', '<joint/><geom size="1"/>', 'name-unknown'],
  ])('%s is an error with its place', (_, inside, body, code) => {
    const { diagnostics } = errorOf(() => robotOf(inside, body))
    expect(codes(diagnostics, 'error').map((text) => text.split(':')[0])).toContain(code)
  })

  test('a point of a mesh beyond single precision is refused by its size', () => {
    const mesh = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1e39 0 0 0 1"/></asset>'
    const { diagnostics } = errorOf(() => robotOf(mesh, '<joint/><geom type="mesh" mesh="m"/>'))
    expect(codes(diagnostics, 'error').map((text) => text.split(':')[0])).toContain('magnitude')
  })

  test('an include that includes itself is refused', () => {
    const text = '<mujoco><include file="m.xml"/></mujoco>'
    const resolver = memoryResolver(new Map([['m.xml', new TextEncoder().encode(text)]]))
    expect(errorOf(() => loadRobot(text, { file: 'm.xml', resolver })).diagnostics[0].code).toBe('include-loop')
  })
})
