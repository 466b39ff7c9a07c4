export { type ActuatorOptions, actuated, withRotors } from './actuators.ts'
export { Motors } from './motors.ts'
export { type ThrusterOptions, withThrusters } from './thrusters.ts'
