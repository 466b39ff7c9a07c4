import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ContactModelName } from '../../contact/index.ts'
import { type Controller, createControllerLoop, defaultControllerFor, hold } from '../../control/index.ts'
import {
  addBodyForces,
  createData,
  createState,
  kinematics,
  passiveForces,
  rnea,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
  velocities,
} from '../../dynamics/index.ts'
import { loadOwnRobot, loadRobotFile } from '../../robots/files.ts'
import type { Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { dailyModels } from '../dailyModels.ts'

/*
 * Drumwright (2008), footnote 3: under sticking friction what inverse dynamics answers is wrong; whether it is of use as a feedforward remains
 * to be seen. It is wrong by J^T f, and right with the contact forces that the world reports.
 */

/**
 * Of all steps but the first, the largest difference of any joint's effort from inverse dynamics [N m]: without contact forces, with their
 * normal parts alone, and with them.
 */
function errors(robot: Robot, contactModel: ContactModelName, dt: number, controller: Controller, seconds: number) {
  const world = new World({ robot, contactModel, dt, controller: createControllerLoop(controller, robot) })
  const { model } = world
  const start = createState(model)
  const data = createData(model)
  const forces = new Float64Array(6 * model.nb)
  const tau = new Float64Array(model.nv)
  const given = new Float64Array(model.nv)
  const passive = new Float64Array(model.nv)
  const error = () => Math.max(...Array.from(tau.subarray(6), (t, i) => Math.abs(t - world.tau[6 + i])))
  let without = 0
  let normals = 0
  let withForces = 0
  for (let k = 0; k < Math.round(seconds / dt); k++) {
    start.q.set(world.state.q)
    start.v.set(world.state.v)
    world.step()
    const { a, v } = rateOf(start, world, dt)
    kinematics(model, start, data)
    velocities(model, start, data)
    rnea(model, start, a, data, tau)
    start.v.set(v) // joints' damping is that of the end
    passiveForces(model, start, passive)
    for (let i = 0; i < model.nv; i++) tau[i] -= passive[i]
    if (k > 0) without = Math.max(without, error())
    const { contacts } = world
    const subtract = (sign: number) => {
      contacts.writeBodyForces(dt, forces)
      given.fill(0)
      addBodyForces(model, forces, data, given)
      for (let i = 0; i < model.nv; i++) tau[i] -= sign * given[i]
    }
    const impulses = contacts.impulse.slice()
    for (let i = 0; i < impulses.length; i++) if (i % 3 > 0) contacts.impulse[i] = 0
    subtract(1)
    if (k > 0) normals = Math.max(normals, error())
    subtract(-1)
    contacts.impulse.set(impulses)
    subtract(1)
    if (k > 0) withForces = Math.max(withForces, error())
  }
  return { without, normals, withForces }
}

/** The velocity at the end of a step in the axes that the base had at its start, which stand still; and the acceleration, less by omega x v. */
function rateOf({ q, v: v0 }: { q: Float64Array; v: Float64Array }, { state }: World, dt: number) {
  const [R0, R1] = [new Float64Array(9), new Float64Array(9)]
  rotationOfQuaternion(R0, q, 3)
  rotationOfQuaternion(R1, state.q, 3)
  const v = state.v.slice()
  const linear = v.subarray(3, 6)
  rotate3(linear, R1, linear)
  rotateTransposed3(linear, R0, linear)
  const a = v.map((value, i) => (value - v0[i]) / dt)
  for (let d = 0; d < 3; d++) {
    const [i, j] = [(d + 1) % 3, (d + 2) % 3]
    a[3 + d] -= v0[i] * v0[3 + j] - v0[j] * v0[3 + i]
  }
  return { a, v }
}

const humanoid = loadOwnRobot('humanoid')
const quadruped = loadOwnRobot('quadruped')
/** Impulses at a touchdown come before the step, from the velocities of its start: what they give is no force over it. */
const impulsesFirst: readonly ContactModelName[] = ['penalty', 'penalty-deepest', 'lcp', 'lotstedt']

describe.each(dailyModels)('inverse dynamics under %s', (model) => {
  test.each([1e-3, 1e-2])(
    'of a humanoid that drives and waves, by 3 N m wrong without the contact forces, is right with them at dt = %s',
    (dt) => {
      const { without, normals, withForces } = errors(humanoid, model, dt, defaultControllerFor(humanoid), 0.5)
      expect(without).toBeGreaterThan(2)
      expect(normals / without).toBeCloseTo(1, 12) // it is friction that turns wheels
      expect(withForces).toBeLessThan(2e-10)
    },
  )

  test('of a quadruped that trots is right too, but at impacts that are taken before the step', () => {
    const { without, withForces } = errors(quadruped, model, 1e-3, defaultControllerFor(quadruped), 0.5)
    expect(without).toBeGreaterThan(10)
    if (impulsesFirst.includes(model)) {
      expect(withForces).toBeGreaterThan(1e-3)
      expect(withForces).toBeLessThan(0.2)
    } else expect(withForces).toBeLessThan(4e-10)
  })
})

const folder = process.env.FEATHERBED_ROBOTS ?? ''
const real = ['atlas/drake_models/atlas/atlas_convex_hull.urdf', 'a1/a1_description/urdf/a1.urdf'].map((file) =>
  join(folder, file),
)
const there = real.filter((file) => folder !== '' && existsSync(file))
if (there.length < real.length)
  console.log('not run: inverse dynamics of Atlas and A1; set FEATHERBED_ROBOTS to the folder that holds them')

/** Ten times what is measured: with forces, and with normal ones alone, where it stands from the start; landing on springs takes friction. */
const bounds = [
  { withForces: 2e-11, normals: 0.03, landing: 2 },
  { withForces: 2e-13, normals: 0.003, landing: 0.2 },
]

test.runIf(there.length > 0).each(['ncp', 'stewart-trinkle', 'penalty'] as const)(
  'of real robots that stand, under %s: within their limits, of which no force is reported',
  (name) => {
    for (const file of there) {
      const robot = loadRobotFile(file)
      const free = new Float64Array(robot.model.nv).fill(Number.POSITIVE_INFINITY)
      const model = { ...robot.model, friction: new Float64Array(robot.model.nv), upper: free, lower: free.map((x) => -x) }
      const { without, normals, withForces } = errors({ ...robot, model }, name, 1e-3, hold(), 0.2)
      const bound = bounds[real.indexOf(file)]
      expect(without).toBeGreaterThan(9)
      if (name === 'penalty') expect(withForces).toBeLessThan(bound.landing)
      else {
        expect(withForces).toBeLessThan(bound.withForces)
        expect(normals).toBeLessThan(bound.normals) // at rest the soles pull at each other by little
      }
    }
  },
)
