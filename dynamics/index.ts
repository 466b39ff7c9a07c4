export * from './data.ts'
export * from './model.ts'
export * from './state.ts'
