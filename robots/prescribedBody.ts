import { createFreeBody, type FreeBodyOptions } from './freeBody.ts'
import type { Robot } from './robot.ts'

/** Without mass, density, centre of mass and inertia, as no force moves it. */
export type PrescribedBodyOptions = Omit<FreeBodyOptions, 'mass' | 'density' | 'centerOfMass' | 'inertia'>

/**
 * A rigid body whose motion is prescribed (`WorldRobot.motion`), as a conveyor, a vibrating plate or a turntable: a free body without mass.
 *
 * @throws GeometryError for invalid numbers of a shape
 */
export function createPrescribedBody(options: PrescribedBodyOptions): Robot {
  const robot = createFreeBody({ ...options, mass: 1, inertia: [1, 1, 1, 0, 0, 0] })
  const I = robot.model.I.map((inertia) => new Float64Array(inertia.length))
  return { ...robot, model: { ...robot.model, I }, massDeclared: 0, massUsed: 0 }
}
