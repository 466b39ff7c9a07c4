export * from './robot.ts'
