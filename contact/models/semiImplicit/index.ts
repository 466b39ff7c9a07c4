export { SemiImplicitForces } from './semiImplicitForces.ts'
