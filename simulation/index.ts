export * from './effortSource.ts'
export * from './worldOptions.ts'
