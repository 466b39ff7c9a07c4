export { type ActuatorOptions, actuated, withRotors } from './actuators.ts'
