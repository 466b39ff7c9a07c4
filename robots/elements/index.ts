export { type NumberProblem, parseNumbers } from './numbers.ts'
export { Reader } from './reader.ts'
export { closest, editDistance, quote, shorten } from './spelling.ts'
export { Account, type Vocabulary, type Word } from './tags.ts'
