import { describe, expect, test } from 'vitest'
import { type ContactModelName, contactModelNames } from '../../../contact/index.ts'
import { createFreeBody, loadRobot } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'

/* Dry friction of joints holds: a joint under a load below it stands still. `mujoco` creeps by its softness, as MuJoCo does. */

const models = contactModelNames.filter((name) => name !== 'mujoco')
const springs: readonly ContactModelName[] = ['penalty-deepest', 'penalty', 'hunt-crossley']
const steppers = [
  ...models.map((contactModel) => ({ contactModel, integrator: 'semi-implicit-euler' as const })),
  ...springs.map((contactModel) => ({ contactModel, integrator: 'rk4' as const })),
]
const link = (name: string, mass: number, at: string, more = '') =>
  `<link name="${name}_link"><inertial><origin xyz="${at}"/><mass value="${mass}"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>${more}</link>`
const joint = (name: string, type: string, parent: string, axis: string, friction: number, more = '') =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${name}_link"/><axis xyz="${axis}"/><limit lower="-9" upper="9" effort="99" velocity="99"/><dynamics friction="${friction}"/>${more}</joint>`
const load = (inside: string) => loadRobot(`<robot name="r"><link name="world"/>${inside}</robot>`, { file: 'r.urdf' })
const g = 9.81

/** A level arm of 2 kg at 0.3 m, and one of 1 kg at 0.2 m at its end, with friction f1 and f2. */
const arms = (f1: number, f2: number) =>
  load(
    `${link('a', 2, '0.3 0 0')}${joint('a', 'revolute', 'world', '0 1 0', f1)}${link('b', 1, '0.2 0 0')}${joint('b', 'revolute', 'a_link', '0 1 0', f2, '<origin xyz="0.5 0 0"/>')}`,
  )
const wheel = (friction: number) => load(`${link('a', 1, '0 0 0')}${joint('a', 'revolute', 'world', '0 0 1', friction)}`)
const lift = (friction: number) =>
  load(
    `${link('a', 2, '0 0 0', '<collision><geometry><box size="0.4 0.4 0.02"/></geometry></collision>')}${joint('a', 'prismatic', 'world', '0 0 1', friction)}`,
  )
/** A carriage of 2 kg whose nut of that friction follows a spindle by 1 mm a radian. */
const screw = (friction: number) =>
  load(
    `${link('a', 1, '0 0 0')}${joint('a', 'revolute', 'world', '0 0 1', 0)}${link('b', 2, '0 0 0')}${joint('b', 'prismatic', 'world', '0 0 1', friction, '<mimic joint="a" multiplier="1e-3"/>')}`,
  )

describe.each(steppers)('$contactModel, $integrator', ({ contactModel, integrator }) => {
  const worldOf = (robot: ReturnType<typeof load>, dt: number, more: object = {}) =>
    new World({ robot, contactModel, integrator, dt, fixtures: [], ...more })

  test.each([
    ['an arm by its weight, 98 % of it', arms(1.02 * g * (0.6 + 0.7), 1.02 * g * 0.2), 2],
    ['a lift by its weight, half of it', lift(4 * g), 1],
    ['a nut that follows its spindle, 90 % of it', screw(2.2 * g), 1],
  ])('%s: drifts by less than 1e-9 in 2 s', (_, robot, nv) => {
    for (const dt of [1e-3, 5e-3]) {
      const world = worldOf(robot, dt)
      while (world.state.t[0] < 2) world.step()
      for (let k = 0; k < nv; k++) expect(Math.abs(world.state.q[k])).toBeLessThan(1e-9)
    }
  })

  test('of two joints the one slides whose load is above its friction, the other holds', () => {
    const world = worldOf(arms(30, 0.5 * g * 0.2), 1e-3)
    for (let n = 0; n < 100; n++) world.step()
    expect(Math.abs(world.state.q[0])).toBeLessThan(1e-9)
    expect(world.state.v[1]).toBeCloseTo((0.1 * 0.5 * g * 0.2) / (0.02 + 0.04), 1)
  })

  test('a load that grows starts the joint when it passes the friction, not before', () => {
    const dt = 1e-3
    const effort = { t: 0 }
    const world = worldOf(wheel(0.4), dt)
    let started = Number.NaN
    for (let n = 0; n < 800 && Number.isNaN(started); n++) {
      effort.t = n * dt
      world.act({ type: 'efforts', efforts: [effort.t] })
      world.step()
      if (Math.abs(world.state.v[0]) > 1e-9) started = world.state.t[0]
    }
    expect(started).toBeGreaterThan(0.4)
    expect(started).toBeLessThan(0.4 + 4 * dt)
  })

  test('a joint that slides stops after I v² / 2 f, and stays', () => {
    const world = worldOf(wheel(0.4), 1e-3, { v: [2] })
    for (let n = 0; n < 300; n++) world.step()
    const stopped = world.state.q[0]
    expect(Math.abs(stopped - (0.02 * 4) / 0.8)).toBeLessThan(2e-3)
    for (let n = 0; n < 1000; n++) world.step()
    expect(Math.abs(world.state.q[0] - stopped)).toBeLessThan(1e-9)
  })

  test('a lift bears a box on it by the friction of its joint', () => {
    const box = createFreeBody({ name: 'box', shape: { type: 'box', size: [0.2, 0.2, 0.2] }, mass: 3, position: [0, 0, 0.11] })
    const world = new World({
      ...{ robots: [{ robot: lift(5.5 * g) }, { robot: box }], contactModel, integrator, dt: 1e-3, fixtures: [] },
    })
    for (let n = 0; n < 500; n++) world.step()
    // while a spring takes up the box its force overshoots the weight
    const before = world.state.q[0]
    expect(before).toBeGreaterThan(-2e-3)
    for (let n = 0; n < 500; n++) world.step()
    // a box on one point at a time shakes, and its force with it
    const shakes = contactModel === 'penalty-deepest' && integrator === 'rk4'
    expect(Math.abs(world.state.q[0] - before)).toBeLessThan(shakes ? 5e-4 : 1e-9)
  })
})
