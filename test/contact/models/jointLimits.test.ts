import { describe, expect, test } from 'vitest'
import { type ContactModelName, contactModelNames } from '../../../contact/index.ts'
import { createData, kinematics, kineticEnergy, velocities } from '../../../dynamics/index.ts'
import { createFreeBody, loadRobot } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'

/* Limits of joints whatever their links weigh. `mujoco` is left out: its limits yield by solref and solimp, as MuJoCo's. */

const models = contactModelNames.filter((name) => name !== 'mujoco')
const springs: readonly ContactModelName[] = ['penalty-deepest', 'penalty', 'hunt-crossley']
const inertial = (mass: number, at: string, inertia: number) =>
  `<inertial><origin xyz="${at}"/><mass value="${mass}"/><inertia ixx="${inertia}" iyy="${inertia}" izz="${inertia}" ixy="0" ixz="0" iyz="0"/></inertial>`
const joint = (name: string, type: string, parent: string, axis: string, limits: string, more = '') =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${name}_link"/><axis xyz="${axis}"/><limit ${limits} effort="9" velocity="9"/>${more}</joint>`
const load = (inside: string) => loadRobot(`<robot name="r"><link name="world"/>${inside}</robot>`, { file: 'r.urdf' })

/** A slide of `mass` along z with a plate on top, whose lower stop is at 0. */
const plate = (mass: number) =>
  load(
    `<link name="lift_link">${inertial(mass, '0 0 0', 1e-4 * mass)}<collision><geometry><box size="0.4 0.4 0.02"/></geometry></collision></link>${joint('lift', 'prismatic', 'world', '0 0 1', 'lower="0" upper="1"')}`,
  )
/** Two hinges about z with centres of mass at their links' middles, the first limited to `upper`. */
const door = (upper: number, m1: number, m2: number) =>
  load(
    `<link name="a_link">${inertial(m1, '0.4 0 0', 0.05 * m1)}</link>${joint('a', 'revolute', 'world', '0 0 1', `lower="-1" upper="${upper}"`)}
    <link name="b_link">${inertial(m2, '0.2 0 0', 0.02 * m2)}</link>${joint('b', 'revolute', 'a_link', '0 0 1', 'lower="-9" upper="9"', '<origin xyz="0.8 0 0"/>')}`,
  )

describe.each(models)('%s', (contactModel) => {
  test.each([
    [0.01, 1, 1e-3],
    [0.01, 1, 5e-3],
    [1, 500, 1e-3],
    [10, 0.1, 5e-3],
  ])('a lift of %f kg at its stop bears %f kg, at a step of %f s', (light, heavy, dt) => {
    const box = createFreeBody({
      name: 'box',
      shape: { type: 'box', size: [0.2, 0.2, 0.2] },
      mass: heavy,
      position: [0, 0, 0.11],
    })
    const world = new World({ robots: [{ robot: plate(light) }, { robot: box }], contactModel, dt, fixtures: [] })
    let lowest = 0
    for (let n = 0; n * dt < 0.5; n++) {
      world.step()
      lowest = Math.min(lowest, world.state.q[0])
    }
    expect(lowest).toBeGreaterThan(-1e-6)
    expect(world.state.q[1 + 2]).toBeGreaterThan(0.11 - 1.5e-3) // the box by its own contact
  })

  test.each([0, 0.5, 0.9])('a door that meets its stop leaves it with restitution %f, and its leaf keeps its momentum', (e) => {
    const [m1, m2, w] = [10, 2, 3]
    const robot = door(1, m1, m2)
    const world = new World({
      ...{ robot, contactModel, dt: 1e-3, fixtures: [], q: [0.5, 0], v: [w, 0] },
      physical: { limitRestitution: e },
    })
    let hinge = w
    for (let n = 0; n < 400 && hinge > 0.99 * w; n++) {
      world.step()
      hinge = world.state.v[0]
    }
    if (e === 0) world.step() // it arrives at the stop, and then rests
    expect(Math.abs(world.state.v[0] + e * w)).toBeLessThan(e === 0 ? 1e-3 : 1e-5)
    // M12 w + M22 v2 is kept
    const M22 = m2 * (0.02 + 0.04)
    const M12 = M22 + m2 * 0.8 * 0.2
    expect(Math.abs(world.state.v[1] - (M12 / M22) * w * (1 + e))).toBeLessThan(0.05)
    expect(world.state.q[0]).toBeLessThan(1 + 1e-6)
  })
})

describe('springs', () => {
  const steps = [1e-3, 5e-3]

  test.each(springs)('under %s nothing rebounds from a stop without restitution, under RK4 neither', (contactModel) => {
    for (const integrator of ['semi-implicit-euler', 'rk4'] as const) {
      for (const dt of steps) {
        const world = new World({ robot: plate(2), contactModel, integrator, dt, fixtures: [], q: [0.3] })
        let [fastest, deepest] = [0, 0]
        while (world.state.t[0] < 1) {
          world.step()
          if (world.state.t[0] > 0.26) fastest = Math.max(fastest, world.state.v[0])
          deepest = Math.min(deepest, world.state.q[0])
        }
        const speed = Math.sqrt(2 * 9.81 * 0.3)
        const isRk4 = integrator === 'rk4'
        // it is stopped within a step, and under RK4 comes back over 50
        expect(deepest).toBeGreaterThan(isRk4 ? -dt * speed : -1e-9)
        expect(fastest).toBeLessThan(isRk4 ? 0.03 * speed : 1e-6)
        expect(Math.abs(world.state.q[0])).toBeLessThan(isRk4 ? 0.1 * dt * speed : 1e-9)
      }
    }
  })

  test.each(springs)(
    'under %s and RK4 a stop bears a load of 100 times its link, and restitution is what is stated',
    (contactModel) => {
      const box = createFreeBody({ name: 'box', shape: { type: 'box', size: [0.2, 0.2, 0.2] }, mass: 1, position: [0, 0, 0.11] })
      const bears = new World({
        ...{ robots: [{ robot: plate(0.1) }, { robot: box }], contactModel, integrator: 'rk4', dt: 1e-3, fixtures: [] },
      })
      for (let n = 0; n < 500; n++) bears.step()
      expect(Math.abs(bears.state.q[0])).toBeLessThan(1e-4)
      const bounces = new World({
        ...{ robot: plate(1), contactModel, integrator: 'rk4', dt: 1e-4, fixtures: [], q: [0.2] },
        physical: { limitRestitution: 0.6 },
      })
      while (!(bounces.state.v[0] > 0 && bounces.state.q[0] > 0)) bounces.step()
      expect(bounces.state.v[0] / Math.sqrt(2 * 9.81 * 0.2)).toBeGreaterThan(0.58)
    },
  )

  test.each(springs)('under %s a joint locked by equal limits stays, and one beyond its range is not thrown', (contactModel) => {
    const locked = new World({ robot: door(1, 1, 1), contactModel, dt: 1e-3, fixtures: [], q: [1, 0] })
    locked.model.lower[0] = 1
    for (let n = 0; n < 100; n++) locked.step()
    expect(Math.abs(locked.state.q[0] - 1)).toBeLessThan(1e-9)
    const beyond = new World({ robot: plate(1), contactModel, dt: 1e-3, fixtures: [], q: [-0.02] })
    let highest = 0
    for (let n = 0; n < 1000; n++) {
      beyond.step()
      highest = Math.max(highest, beyond.state.q[0])
    }
    expect(highest).toBeLessThan(2e-3) // of 20 mm
    expect(Math.abs(beyond.state.q[0])).toBeLessThan(1e-5)
  })

  test.each(springs)('under %s a pendulum that swings between two stops gains no energy', (contactModel) => {
    const robot = door(0.2, 1, 1)
    for (const e of [0, 0.7, 1]) {
      const world = new World({
        ...{ robot, contactModel, dt: 1e-3, fixtures: [], q: [0, 0.3], v: [4, 9] },
        physical: { limitRestitution: e },
      })
      const energy = new Float64Array(1)
      const data = createData(world.model)
      const kinetic = () => {
        kinematics(world.model, world.state, data)
        velocities(world.model, world.state, data)
        kineticEnergy(world.model, world.state, data, energy)
        return energy[0]
      }
      world.step()
      const start = kinetic()
      for (let n = 0; n < 3000; n++) world.step()
      expect(kinetic()).toBeLessThan(start * (e === 1 ? 1.1 : 1))
    }
  })
})

test('mujoco names restitution of limits as one of the inputs that it does not use', () => {
  const of = (contactModel: ContactModelName, limitRestitution?: number) =>
    new World({ robot: plate(1), contactModel, dt: 1e-3, fixtures: [], physical: { limitRestitution } }).contactModel.parameters
  expect(of('mujoco', 0.5).unused).toContain('limitRestitution')
  expect(of('mujoco').unused).not.toContain('limitRestitution')
  for (const name of models) expect(of(name, 0.5).used.find((one) => one.name === 'limitRestitution')?.value).toBe(0.5)
})
