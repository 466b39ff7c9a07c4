import { expect, test } from 'vitest'
import { collisionLaws } from './collisions.ts'
import { convergenceLaws } from './convergence.ts'
import { groundLaws } from './grounds.ts'
import { impactLaws } from './impact.ts'
import { jointLaws } from './joints.ts'
import { createSuite, type LawOptions } from './law.ts'
import { restLaws } from './rest.ts'
import { rockingLaws } from './rocking.ts'
import { rollingLaws } from './rolling.ts'
import { slidingLaws } from './sliding.ts'
import { stackLaws } from './stacks.ts'
import { staticsLaws } from './statics.ts'
import { tippingLaws } from './tipping.ts'
import { tumblingLaws } from './tumbling.ts'
import { wheelLaws } from './wheels.ts'

export type { LawOptions } from './law.ts'

const sections = {
  'one body': [slidingLaws, rollingLaws, wheelLaws, staticsLaws, tippingLaws, impactLaws, tumblingLaws, jointLaws],
  'several bodies': [collisionLaws, stackLaws, groundLaws, restLaws, rockingLaws, convergenceLaws],
}

/** The laws of dry contact that every contact model is held to, section by section; one half of them, for a file of tests each. */
export function contactLaws(model: string, half: keyof typeof sections, options: LawOptions = {}): void {
  const suite = createSuite(model, options, true)
  for (const laws of sections[half]) laws(suite)

  test('every exception is of a law that exists', () => {
    const all = createSuite(model, options, false)
    for (const laws of [...sections['one body'], ...sections['several bodies']]) laws(all)
    expect(Object.keys(options.except ?? {}).filter((title) => !all.known.has(title))).toEqual([])
  })
}
