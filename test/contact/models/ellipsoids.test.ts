/*
 * Bodies whose shape decides how they roll: an ellipsoid at rest and rocking, the tippe top, and the rattleback, under every contact model.
 */
import { describe, expect, test } from 'vitest'
import { boxPolyhedron, hullOf, meshOfPolyhedron, type Shape } from '../../../contact/geometry/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { dailyModels } from '../../dailyModels.ts'
import { energyMeter, g, identity, isRigid, run, sinkOf } from '../laws/scenes.ts'

type Three = readonly [number, number, number]
const names = dailyModels

/** How high the centre is over a plane that the ellipsoid touches, turned by a unit quaternion. */
function heightOn([a, b, c]: Three, [x, y, z, w]: readonly [number, number, number, number]): number {
  return Math.hypot(2 * a * (x * z - y * w), 2 * b * (y * z + x * w), c * (1 - 2 * (x * x + y * y)))
}

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

  /*
   * Rolling without slip at small angles, about the point in touch: (I + m h²) a'' = -m g (rho - h) a, with rho = a²/c the radius of curvature
   * and h the height of the centre.
   */
  test.skipIf(yields(contactModel))('an ellipsoid rocks without slip at sqrt(m g (rho - h) / (I + m h²))', () => {
    const radii: Three = [0.1, 0.06, 0.05]
    const [mass, h, tilt, dt] = [2, radii[2], 2e-3, 1e-3]
    const rho = (radii[0] * radii[0]) / h
    const inertia = 0.2 * mass * (radii[0] * radii[0] + h * h)
    const period = 2 * Math.PI * Math.sqrt((inertia + mass * h * h) / (mass * g * (rho - h)))
    const quaternion = [0, Math.sin(tilt / 2), 0, Math.cos(tilt / 2)] as const
    const position = [0, 0, heightOn(radii, quaternion) - sinkOf(contactModel)] as const
    const robot = createFreeBody({ name: 'body', shape: { type: 'ellipsoid', radii }, mass, position, quaternion })
    const world = new World({ robot, contactModel, dt, physical: { friction: 1, restitution: 0 } })
    const crossings: number[] = []
    let before = tilt
    run(world, 4.5 * period, () => {
      const angle = 2 * Math.asin(world.state.q[4])
      if (before > 0 && angle <= 0) crossings.push(world.state.t[0] + (dt * angle) / (before - angle))
      before = angle
    })
    expect(crossings.length).toBeGreaterThan(3)
    const measured = (crossings[crossings.length - 1] - crossings[0]) / (crossings.length - 1)
    // springs sink by up to a millimetre, and with h falls the moment of inertia about the point in touch
    expect(Math.abs(measured / period - 1)).toBeLessThan(isRigid(contactModel) ? 1e-4 : 1e-2)
  })

  /*
   * A ball with its centre of mass below its middle, spun fast about the line through both, turns upside down by sliding friction: Cohen, The
   * tippe top revisited, Am. J. Phys. 45 (1977).
   */
  test.skipIf(yields(contactModel))('a tippe top turns upside down, raises its centre of mass, and never gains energy', () => {
    const [radius, mass, tilt, spin, dt] = [0.02, 0.02, 0.5, 250, 2e-4]
    const offset = 0.15 * radius
    const moment = 0.4 * mass * radius * radius
    const robot = createFreeBody({
      name: 'top',
      shape: { type: 'sphere', radius },
      mass,
      centerOfMass: [0, 0, -offset],
      inertia: [moment, moment, moment, 0, 0, 0],
      position: [0, 0, radius],
      quaternion: [Math.sin(tilt / 2), 0, 0, Math.cos(tilt / 2)],
    })
    const v = [0, spin * Math.sin(tilt), spin * Math.cos(tilt), 0, 0, 0]
    const world = new World({ robot, v, contactModel, dt, physical: { friction: 0.5, restitution: 0 } })
    const upright = () => 1 - 2 * (world.state.q[3] ** 2 + world.state.q[4] ** 2)
    const energy = energyMeter(world)
    const start = energy()
    let most = 0
    run(world, 1.4, (_, step) => {
      if (step % 10 === 0) most = Math.max(most, energy() / start)
    })
    expect(upright()).toBeLessThan(-0.9)
    expect(most).toBeLessThan(1 + 1e-9)
    expect(energy() / start).toBeLessThan(0.8)
    expect(world.events).toMatchObject({ failures: 0 })
  })

  /*
   * Kane and Levinson, Realistic mathematical modeling of the rattleback, Int. J. Non-Linear Mechanics 17 (1982): semi-axes 20, 3, 2 cm, the
   * centre of mass 1 cm below the middle, 1 kg, moments 2e-4, 1.6e-3, 1.7e-3 kg m². Its product of inertia is 2e-5; with 1e-4 it turns sooner.
   */
  test('a rattleback turned one way reverses, and turned the other way does not; it never gains energy', () => {
    const radii: Three = [0.2, 0.03, 0.02]
    const ends = [-5, 5].map((spin) => {
      const lean = 0.0043
      const w = 1 / Math.sqrt(1 + 2 * lean * lean)
      const quaternion = [lean * w, lean * w, 0, w] as const
      const robot = createFreeBody({
        name: 'rattleback',
        shape: { type: 'ellipsoid', radii },
        mass: 1,
        centerOfMass: [0, 0, -0.01],
        inertia: [2e-4, 1.6e-3, 1.7e-3, -1e-4, 0, 0],
        position: [0, 0, heightOn(radii, quaternion)],
        quaternion,
      })
      const v = [0, 0, spin, 0, 0, 0]
      const world = new World({ robot, v, contactModel, dt: 1e-3, physical: { friction: 1, restitution: 0 } })
      const energy = energyMeter(world)
      const start = energy()
      let least = spin
      let most = spin
      run(world, 2.5, (_, step) => {
        least = Math.min(least, world.state.v[2])
        most = Math.max(most, world.state.v[2])
        if (step % 10 === 0) expect(energy()).toBeLessThan(start + 1e-9)
      })
      expect(world.events).toMatchObject({ failures: 0 })
      return [least, most]
    })
    expect(ends[0][1]).toBeGreaterThan(0.05)
    expect(ends[1][0]).toBeGreaterThan(3.5)
  })
})
