export * from './contactModel.ts'
export * from './contactSet.ts'
export * from './geometry/index.ts'
