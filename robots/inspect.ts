import { placesAt } from './places.ts'
import type { Robot } from './robot.ts'

/** Output of `featherbed inspect --json`. */
export type Inspection = Readonly<ReturnType<typeof inspectRobot>>

/** @unchecked */
export function inspectRobot(robot: Robot) {
  const { model, counts } = robot
  return {
    name: robot.name,
    links: counts.links,
    joints: counts.joints,
    /** Moving joints without those that follow others and without a floating base; one of several coordinates counts once. */
    dof: robot.joints.length + robot.freeJoints.length,
    nq: model.nq,
    nv: model.nv,
    /** Sum over all links as stated in the file, and after repairs [kg]. */
    mass: robot.massDeclared,
    massUsed: robot.massUsed,
    /** In the home pose, in world axes, over all links and with repairs [m]; zeros where nothing has mass. */
    centerOfMass: centerAtHome(robot),
    /** Requirements of a simulation that the file lacks, a clause each; with any of these the robot can only be viewed. */
    lacks: lacksOf(robot),
    doctor: robot.diagnostics,
    tags: robot.tags,
  }
}

/** Estimated mass of a body that has neither mass nor shapes [kg]. */
const bareMass = 1e-3

/**
 * Missing properties without which simulated results are meaningless: mass, where the file states none and shapes give no
 * estimate; or collision shapes, where the base floats. @unchecked
 */
export function lacksOf({ model, floating, shapes, massDeclared, massUsed, worldMoments }: Robot): string[] {
  const lacks: string[] = []
  const moving = model.nb - 1
  if (moving === 0) return lacks
  const [welded] = worldMoments
  const invented = massDeclared - welded <= 0 && massUsed - welded <= bareMass * moving * (1 + 1e-9)
  if (invented) lacks.push('no part of it that moves has mass, nor a shape to estimate one from')
  if (floating && !shapes.some(({ body }) => body > 0)) lacks.push('it floats and has no collision shape')
  return lacks
}

function centerAtHome(robot: Robot): [number, number, number] {
  const { model, home, worldMoments } = robot
  const data = placesAt(robot, home)
  let [mass, x, y, z] = worldMoments
  for (let body = 1; body < model.nb; body++) {
    const [m, mx, my, mz] = model.I[body]
    const R = data.R_WB[body]
    const p = data.p_WB[body]
    mass += m
    x += m * p[0] + R[0] * mx + R[1] * my + R[2] * mz
    y += m * p[1] + R[3] * mx + R[4] * my + R[5] * mz
    z += m * p[2] + R[6] * mx + R[7] * my + R[8] * mz
  }
  return mass > 0 ? [x / mass, y / mass, z / mass] : [0, 0, 0]
}
