export * from './loopClosure.ts'
export * from './loopRows.ts'
