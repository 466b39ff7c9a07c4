import { expect, test } from 'vitest'
import { brickLaws } from './bricks.ts'
import { collisionLaws } from './collisions.ts'
import { convergenceLaws } from './convergence.ts'
import { groundLaws } from './grounds.ts'
import { impactLaws } from './impact.ts'
import { jointLaws } from './joints.ts'
import { createSuite, type LawOptions } from './law.ts'
import { loadLaws } from './loads.ts'
import { restLaws } from './rest.ts'
import { rockingLaws } from './rocking.ts'
import { rollingLaws } from './rolling.ts'
import { slidingLaws } from './sliding.ts'
import { stackLaws } from './stacks.ts'
import { standingLaws } from './standing.ts'
import { staticsLaws } from './statics.ts'
import { surfaceLaws } from './surfaces.ts'
import { tippingLaws } from './tipping.ts'
import { tumblingLaws } from './tumbling.ts'
import { wheelLaws } from './wheels.ts'

export type { LawOptions } from './law.ts'

const sections = {
  'one body': [
    slidingLaws,
    surfaceLaws,
    rollingLaws,
    wheelLaws,
    staticsLaws,
    tippingLaws,
    impactLaws,
    tumblingLaws,
    jointLaws,
    loadLaws,
    standingLaws,
  ],
  'several bodies': [collisionLaws, stackLaws, brickLaws, groundLaws, restLaws, rockingLaws, convergenceLaws],
}

/** The laws of dry contact that every contact model is held to, section by section; one half of them, for a file of tests each, or the first sections of it. */
export function contactLaws(
  model: string,
  half: keyof typeof sections,
  options: LawOptions = {},
  count = sections[half].length,
): void {
  const suite = createSuite(model, options, true)
  for (const laws of sections[half].slice(0, count)) laws(suite)

  test('every exception is of a law that exists', () => {
    const all = createSuite(model, options, false)
    for (const laws of [...sections['one body'], ...sections['several bodies']]) laws(all)
    expect(Object.keys(options.except ?? {}).filter((title) => !all.known.has(title))).toEqual([])
  })
}
