/** Terms for the judged errors, used in several places. */
import { REFERENCE_REFINEMENT } from '../run/run.ts'

export const motionText = `The root mean square difference of each tracked quantity (the base's position, its orientation, every joint) from the same model's own run at a ${REFERENCE_REFINEMENT}th of the smallest step, over the quantity's scale: how far it travels in that reference, at least a tenth of the robot's size, or 0.1 rad. The worst quantity counts. Where the scenario states the exact solution, the difference is taken from that.`
export const energyText =
  "The root mean square difference of the mechanical energy, over the largest kinetic energy plus the range of the potential energy in the reference, at least the robot's weight lifted by a hundredth of its size."
