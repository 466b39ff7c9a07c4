import type { FluidPart, Medium } from '../../dynamics/index.ts'
import { principalFrame } from '../mjcf/principalAxes.ts'
import type { Robot } from '../robot.ts'
import { addBody, centralOf, emptyMoments, type SymmetricInertia } from './massProperties.ts'
import { compose, inversePose, type Pose, poseAt } from './pose.ts'

/** The robot in a medium, which acts on what its file says, or else on the box of each body's inertia (`FluidPart`). @unchecked */
export function inMedium(robot: Robot, medium: Medium | undefined): Robot {
  if (medium === undefined) return robot
  const { model } = robot
  return { ...robot, model: { ...model, fluid: { ...medium, parts: model.fluid?.parts ?? boxesOf(robot) } } }
}

function boxesOf({ model }: Robot): FluidPart[] {
  return model.I.flatMap(([mass, x, y, z, xx, yy, zz, xy, xz, yz], body): FluidPart[] => {
    if (body === 0 || !(mass > 0)) return []
    const moments = { ...emptyMoments(), mass, first: Float64Array.of(x, y, z), inertia: Float64Array.of(xx, yy, zz, xy, xz, yz) }
    const frame = principalFrame(moments, Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1))
    const { centerOfMass, inertia } = centralOf(moments)
    const [px, py, pz] = frame.p
    return [{ body, point: [px, py, pz], rotation: [...frame.R], size: sidesOfBox(mass, inertia, poseAt(centerOfMass), frame) }]
  })
}

/**
 * Sides sqrt(6 (Iyy + Izz - Ixx) / m) of the box along the axes of a frame at the centre of mass that has an inertia [m].
 *
 * @param at where that inertia is stated: the centre of mass, and its axes
 */
export function sidesOfBox(mass: number, inertia: SymmetricInertia, at: Pose, frame: Pose): FluidPart['size'] {
  const moments = emptyMoments()
  addBody(moments, mass, inertia, compose(inversePose(frame), at))
  const [xx, yy, zz] = moments.inertia
  const side = (sum: number) => Math.sqrt((Math.max(1e-15, sum) / mass) * 6)
  return [side(yy + zz - xx), side(xx + zz - yy), side(xx + yy - zz)]
}
