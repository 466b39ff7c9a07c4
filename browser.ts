/** What most programs need, in a page too; each folder's own entry, such as `featherbed/simulation`, has the rest. */
export type { ContactModel, ContactModelName, CreateContactModel, PhysicalInputs } from './contact/index.ts'
export { contactModels } from './contact/index.ts'
export type { Controller } from './control/index.ts'
export { createControllerLoop, defaultControllerFor } from './control/index.ts'
export type { Robot } from './robots/index.ts'
export { createFreeBody, loadRobot, placeRobot, RobotError } from './robots/index.ts'
export type { WorldOptions } from './simulation/index.ts'
export { createGround, StepGradient, World } from './simulation/index.ts'
