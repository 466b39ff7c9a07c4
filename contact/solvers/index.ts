export * from './leastNorm.ts'
export * from './lemke.ts'
export * from './modeGuess.ts'
