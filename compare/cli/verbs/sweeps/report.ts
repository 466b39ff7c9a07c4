import type { Verb } from '../../verb.ts'
export const verb: Verb = { example: '', flags: {}, run: () => {} }
