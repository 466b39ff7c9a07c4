export * from './lemke.ts'
