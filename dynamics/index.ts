// Public functions and types. The tables of `Data`, and parts of `math/` for the algorithms alone, stay internal.

export * from './accelerations.ts'
export { buildModel } from './buildModel.ts'
export * from './centroidal.ts'
export { combineModels, type ModelPart } from './combineModels.ts'
export { createData, createDataWithoutM, type Data } from './data.ts'
export { Elimination } from './elimination.ts'
export * from './energy.ts'
export { factorize, solve, solveL, solveLTransposed, solveLTransposedOnBranch } from './factorization.ts'
export { aba, abaWithForces } from './fast/aba.ts'
export { crba, crbaOnBranches, massMatrix } from './fast/crba.ts'
export * from './frames.ts'
export * from './impulseResponse.ts'
export { configurationDifference, integrateConfiguration, integrateJoint } from './integrateConfiguration.ts'
export * from './integrators.ts'
export * from './inverseInertia.ts'
export { IslandFactor, solveTreeOfFactor } from './islandFactor.ts'
export * from './jacobianDerivatives.ts'
export * from './jacobians.ts'
export * from './kinematics.ts'
export { dot } from './math/dot.ts'
export { addInertia, inertiaToWorld, mulInertia } from './math/inertia.ts'
export { listed, shortened } from './math/listed.ts'
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
export * from './math/trig.ts'
export * from './math/vector3.ts'
export * from './math/work.ts'
export * from './model.ts'
export * from './passive.ts'
export { placeBody } from './placeBody.ts'
export * from './restFrame.ts'
export * from './rnea.ts'
export * from './state.ts'
export { TrapezoidalDynamics } from './trapezoidalDynamics.ts'
