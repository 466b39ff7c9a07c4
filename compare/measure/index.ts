export type { RunHealth } from './health.ts'
export { ignoredInputs } from './ignoredInputs.ts'
export { isKept, type LawCheck, lawDefinitions, lawSentence, lawsOf, shownValue } from './laws.ts'
export { Meter } from './metrics.ts'
