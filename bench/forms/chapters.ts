import type { Chapter } from './form.ts'
import { impacts, withinAStep } from './impacts.ts'
import { loads } from './loads.ts'
import { rolling } from './rolling.ts'
import { sliding, spinning } from './sliding.ts'
import { surfaces } from './surfaces.ts'
import { turning } from './turning.ts'

/** All closed forms. */
export const chapters: readonly Chapter[] = [sliding, spinning, surfaces, rolling, turning, loads, impacts, withinAStep]
