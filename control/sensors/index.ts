export { encoder, forceTorque, imu, type Mounting, pose, type RaysOptions, rays } from './instruments.ts'
export { LastMotion } from './lastMotion.ts'
export type { ByPart, Instrument, SensorErrors, Sight } from './sensor.ts'
export { fileSensors, type SensorOptions, Sensors } from './sensors.ts'
