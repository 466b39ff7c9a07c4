export * from './controller.ts'
