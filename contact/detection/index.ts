export * from './detector.ts'
export * from './materials.ts'
export * from './pairDistances.ts'
