export * from './lemke.ts'
export * from './modeGuess.ts'
