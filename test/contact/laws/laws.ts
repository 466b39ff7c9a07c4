import { expect, test } from 'vitest'
import { impactLaws } from './impact.ts'
import { jointLaws } from './joints.ts'
import { createSuite, type LawOptions } from './law.ts'
import { rollingLaws } from './rolling.ts'
import { slidingLaws } from './sliding.ts'
import { staticsLaws } from './statics.ts'
import { tippingLaws } from './tipping.ts'
import { tumblingLaws } from './tumbling.ts'
import { wheelLaws } from './wheels.ts'

export type { LawOptions } from './law.ts'

/** The laws of dry contact that every contact model is held to, section by section. */
export function contactLaws(model: string, options: LawOptions = {}): void {
  const suite = createSuite(model, options)
  slidingLaws(suite)
  rollingLaws(suite)
  wheelLaws(suite)
  staticsLaws(suite)
  tippingLaws(suite)
  impactLaws(suite)
  tumblingLaws(suite)
  jointLaws(suite)

  test('every exception is of a law that exists', () => {
    expect(Object.keys(options.except ?? {}).filter((title) => !suite.known.has(title))).toEqual([])
  })
}
