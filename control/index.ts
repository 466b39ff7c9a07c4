export * from './computedTorque.ts'
export * from './controller.ts'
export { ControllerError, describe as describeThrown } from './controllerError.ts'
export * from './controllerLoop.ts'
export * from './defaultController.ts'
export * from './delayed.ts'
export * from './driveAndWave.ts'
export * from './driveWheels.ts'
export * from './grip.ts'
export * from './hold.ts'
export { homeData } from './homeData.ts'
export * from './hybridForceMotion.ts'
export * from './jointInertia.ts'
export * from './jointTrajectories.ts'
export * from './legs.ts'
export * from './operationalSpace.ts'
export * from './paths.ts'
export {
  createQuadraticProgram,
  forgetActiveRows,
  type QuadraticProgram,
  type QuadraticStatus,
  solveQuadraticProgram,
} from './quadraticProgram.ts'
export * from './riccati.ts'
export { scriptMath } from './scriptMath.ts'
export * from './support.ts'
export * from './trajectories/index.ts'
export * from './trot.ts'
export * from './unicycle.ts'
export * from './wheelServo.ts'
export * from './wholeBody/index.ts'
