export { type ActuatorOptions, actuated, withRotors } from './actuators.ts'
export { Motors } from './motors.ts'
