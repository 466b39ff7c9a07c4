import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadExamined, loadRobot, writeMjcf, writeSdf, writeUrdf } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

const sdf = (ode: string, pose = '') => `<?xml version="1.0"?><sdf version="1.9"><model name="m"><link name="base">
  <inertial><mass>1</mass><inertia><ixx>.02</ixx><iyy>.02</iyy><izz>.02</izz></inertia></inertial>
  <collision name="c">${pose}<geometry><box><size>.2 .2 .2</size></box></geometry>
  <surface><friction><ode>${ode}</ode></friction></surface></collision></link></model></sdf>`

/** Way in 0.3 s of what starts at 1 m/s along x and along y [m]. */
function ways(text: string, file: string, turn = 0): readonly number[] {
  const robot = loadRobot(text, { file })
  return [0, 1].map((axis) => {
    const q = robot.home.slice()
    q.set([0, 0, 0.1, 0, 0, Math.sin(turn / 2), Math.cos(turn / 2)])
    const v = new Float64Array(6)
    // in the body's axes
    v[3] = axis === 0 ? Math.cos(turn) : Math.sin(turn)
    v[4] = axis === 0 ? -Math.sin(turn) : Math.cos(turn)
    const world = new World({ robot, q, v, contactModel: 'ncp', dt: 1e-3 })
    for (let k = 0; k < 300; k++) world.step()
    return world.state.q[axis]
  })
}

/** v t - mu g t² / 2, or v² / 2 mu g where it stops before. */
const way = (mu: number) => (mu * 9.81 * 0.3 > 1 ? 1 / (2 * mu * 9.81) : 0.3 - 0.5 * mu * 9.81 * 0.09)

describe('friction by direction of a file', () => {
  test.each([
    ['along y', '<mu>0.8</mu><mu2>0.1</mu2><fdir1>0 1 0</fdir1>', '', 0, [0.1, 0.8]],
    ['along x', '<mu>0.8</mu><mu2>0.1</mu2><fdir1>3 0 0</fdir1>', '', 0, [0.8, 0.1]],
    ['turned with the body', '<mu>0.8</mu><mu2>0.1</mu2><fdir1>1 0 0</fdir1>', '', Math.PI / 2, [0.1, 0.8]],
    [
      'turned with the shape',
      '<mu>0.8</mu><mu2>0.1</mu2><fdir1>1 0 0</fdir1>',
      '<pose>0 0 0 0 0 1.5707963267948966</pose>',
      0,
      [0.1, 0.8],
    ],
    ['without a direction, in axes of the world', '<mu>0.8</mu><mu2>0.1</mu2>', '', 0, [0.1, 0.8]],
    ['without a direction, however it is turned', '<mu>0.8</mu><mu2>0.1</mu2>', '', Math.PI / 2, [0.1, 0.8]],
    ['mu2 beside a mu of 1', '<mu2>0.1</mu2><fdir1>1 0 0</fdir1>', '', 0, [1, 0.1]],
  ] as const)('of SDF: %s', (_, ode, pose, turn, expected) => {
    for (const [k, s] of ways(sdf(ode, pose), 'm.sdf', turn).entries()) expect(Math.abs(s - way(expected[k]))).toBeLessThan(2e-3)
  })

  test('of SDF: a direction in the axes of another frame is told', () => {
    const text = sdf('<mu>0.8</mu><mu2>0.1</mu2><fdir1 gz:expressed_in="base">1 0 0</fdir1>').replace('<sdf', '<sdf xmlns:gz="x"')
    const { diagnostics } = loadRobot(text, { file: 'm.sdf' })
    expect(diagnostics.find(({ code }) => code === 'friction-anisotropic')).toMatchObject({
      repaired: true,
      message: 'fdir1 in the frame base.',
    })
  })

  test('of URDF: a skate, which is the same in SDF and in URDF again; MJCF has the smaller coefficient, and says so', () => {
    const text = readFileSync(new URL('../../cases/closed-forms/robots/sled.urdf', import.meta.url), 'utf8')
    const { examined } = loadExamined(text, { file: 'sled.urdf' })
    const { repaired } = examined
    const surfaces = (text: string, file: string) =>
      loadRobot(text, { file }).shapes.map(({ friction, frictionAcross, frictionAxis }) => [
        friction,
        frictionAcross,
        frictionAxis,
      ])
    const own = [0.02, 0.8, [1, 0, 0]]
    expect(surfaces(text, 'sled.urdf')).toEqual([own, own])
    const written = writeSdf(repaired)
    expect(surfaces(written.text, 'sled.sdf')).toEqual([own, own])
    expect(surfaces(writeUrdf(repaired), 'sled.urdf')).toEqual([own, own])
    // of shapes, as SDF has it, that of the link
    const again = loadExamined(written.text, { file: 'sled.sdf' }).examined.repaired
    expect(surfaces(writeUrdf(again), 'sled.urdf')).toEqual([own, own])
    const mjcf = writeMjcf(repaired)
    expect(surfaces(mjcf.text, 'sled.xml').map(([friction]) => friction)).toEqual([0.02, 0.02])
    expect(mjcf.lost.join()).toContain('friction by direction, of which the smaller coefficient is written: "sled"')
  })

  test('of MJCF: surfaces that run, adhere and pairs by direction are written and read again', () => {
    const text = `<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body name="b" pos="0 0 .1"><freejoint/>
      <geom name="g" size=".1" mass="1" surfacevel="1 2 3 4 5 6" adhesion="7" gap=".01" margin=".02"/></body></worldbody>
      <contact><pair geom1="floor" geom2="g" friction="0.5 0.7" solreffriction="0.1 1" adhesion="3" gap=".02"/></contact>
      <actuator><adhesion name="pad" body="b" gain="5" ctrlrange="0 2"/></actuator></mujoco>`
    const read = (text: string) => {
      const { shapes, actuators } = loadRobot(text, { file: 'm.xml' })
      const [{ surfaceVelocity, geom, geomPairs }] = shapes
      return {
        surfaceVelocity,
        geom,
        geomPairs,
        actuators: actuators!.map(({ name, attracts, gain, control }) => [name, attracts, gain, control]),
      }
    }
    const first = read(text)
    expect(first.surfaceVelocity).toEqual([1, 2, 3, 4, 5, 6])
    expect(first.geom).toMatchObject({ adhesion: 7, gap: 0.01, margin: 0.02 })
    expect(first.geomPairs![0].surface).toMatchObject({
      friction: 0.5,
      frictionAcross: 0.7,
      geom: { frictionReference: [0.1, 1], adhesion: 3, gap: 0.02 },
    })
    expect(first.actuators).toEqual([['pad', 1, [5, 0, 0], [0, 2]]])
    expect(read(writeMjcf(loadExamined(text, { file: 'm.xml' }).examined.repaired).text)).toEqual(first)
  })
})
