export * from './cubicSpline.ts'
export * from './quintic.ts'
export * from './trapezoidal.ts'
export { poseNamed, type Waypoint } from './waypoints.ts'
