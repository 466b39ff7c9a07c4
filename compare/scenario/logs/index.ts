export { JOINT_STATE, readMcap, runIn } from './mcap.ts'
export { type LoggedState, rosLogOf } from './rosLog.ts'
