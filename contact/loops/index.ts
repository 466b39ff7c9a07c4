export * from './loopClosure.ts'
