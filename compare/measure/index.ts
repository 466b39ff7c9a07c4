export { droppedInputs } from './droppedInputs.ts'
export { isKept, type LawCheck, lawDefinitions, lawSentence, lawsOf, shownValue } from './laws.ts'
export { Meter } from './metrics.ts'
