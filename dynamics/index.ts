// Public functions and types. The tables of `Data`, and parts of `math/` for the algorithms alone, stay internal.

export * from './algorithms/accelerations.ts'
export * from './algorithms/centroidal.ts'
export * from './algorithms/energy.ts'
export { aba, abaWithForces } from './algorithms/fast/aba.ts'
export { crba, crbaOnBranches, massMatrix } from './algorithms/fast/crba.ts'
export * from './algorithms/frames.ts'
export { FreeTree } from './algorithms/freeTree.ts'
export * from './algorithms/impulseResponse.ts'
export * from './algorithms/integrators.ts'
export * from './algorithms/inverseInertia.ts'
export * from './algorithms/jacobianDerivatives.ts'
export * from './algorithms/jacobians.ts'
export { kinematics, pointVelocity, velocities } from './algorithms/kinematics.ts'
export * from './algorithms/restFrame.ts'
export * from './algorithms/rnea.ts'
export { TrapezoidalDynamics } from './algorithms/trapezoidalDynamics.ts'
export { compilation, createStepData } from './compile/stepCode.ts'
export { dot } from './math/dot.ts'
export * from './math/eigenSymmetric.ts'
export { addInertia, inertiaToWorld, mulInertia } from './math/inertia.ts'
export { listed, shortened } from './math/listed.ts'
export { Meter, workAsked } from './math/meter.ts'
export { closest, didYouMean } from './math/nearest.ts'
export * from './math/quaternion.ts'
export * from './math/random.ts'
export {
  addCrossForce,
  addForceToWorld,
  addXTransposed,
  crossMotion,
  motionToWorld,
  mulX,
  shiftMotion,
} from './math/spatial.ts'
export { angleOf, cos, sin, sincos } from './math/trig.ts'
export * from './math/vector3.ts'
export * from './math/work.ts'
export { buildModel } from './model/buildModel.ts'
export { combineModels, type ModelPart } from './model/combineModels.ts'
export { createData, createDataWithoutM, type Data } from './model/data.ts'
export { configurationDifference, integrateConfiguration, integrateJoint } from './model/integrateConfiguration.ts'
export * from './model/model.ts'
export { partOfModel } from './model/partOfModel.ts'
export { placeBody } from './model/placeBody.ts'
export * from './model/state.ts'
export { PassiveElements } from './passive/elements.ts'
export type { EllipsoidCoefficients, Fluid, FluidPart, Medium } from './passive/fluid.ts'
export * from './passive/joints.ts'
export type { LengthConstraint } from './passive/lengthConstraint.ts'
export { movedPart } from './passive/moved.ts'
export {
  type BodyFrame,
  type BodyPoint,
  type LengthPart,
  type Polynomial,
  type Tendon,
  TendonLengths,
} from './passive/tendons.ts'
export {
  addFactorWork,
  factorize,
  solve,
  solveL,
  solveLTransposed,
  solveLTransposedOnBranch,
  solveLTransposedRange,
} from './sparse/factorization.ts'
export { IslandFactor, solveTreeOfFactor } from './sparse/islandFactor.ts'
export { SparseCholesky } from './sparse/sparseCholesky.ts'
