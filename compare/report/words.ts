/** Terms for the judged errors, used in several places. */
import { REFERENCE_REFINEMENT } from '../run/run.ts'

export const motionText = `The root mean square difference of each tracked quantity (the base's position, its orientation, every joint) from its reference: the same model's run at a ${REFERENCE_REFINEMENT}th of the smallest step. It is divided by the quantity's scale: its largest distance from the start in the reference, at least a tenth of the robot's size, or 0.1 rad. The worst quantity counts. Where the scenario states the exact solution, that is the reference.`
export const energyText =
  "The root mean square difference of the mechanical energy from the reference, over a scale. The scale is the largest kinetic energy plus the range of the potential energy in the reference, at least the robot's weight lifted by a hundredth of its size."
