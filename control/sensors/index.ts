export { encoder, forceTorque, imu, type Mounting, pose, type RaysOptions, rays } from './instruments.ts'
export type { ByPart, Instrument, SensorErrors, Sight } from './sensor.ts'
export { type SensorOptions, Sensors } from './sensors.ts'
