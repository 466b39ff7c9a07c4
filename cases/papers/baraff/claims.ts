import type { Judgement } from '../page.ts'
import { short } from './scene.ts'

export const judged = (holds: boolean): Judgement => (holds ? 'reproduced' : 'not reproduced')
export const worst = (values: readonly number[]) => Math.max(...values)
export const range = (values: readonly number[]) => `${short(Math.min(...values))} to ${short(worst(values))}`
