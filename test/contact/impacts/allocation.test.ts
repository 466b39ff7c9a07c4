import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundled, type OwnProcess, type WindowedAllocation, windowFlags } from '../../ownProcess.ts'
import { hypotheses } from './scene.ts'

let script: OwnProcess
let rigid: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./allocation.run.ts', import.meta.url))
  rigid = await bundled(new URL('./rigidAllocation.run.ts', import.meta.url))
})
afterAll(() => {
  script.delete()
  rigid.delete()
})

describe('allocation', () => {
  test.each(hypotheses)('%s: 2,500 steps, every other with impacts of jointed robots, allocate nothing', (hypothesis) => {
    const measured = script.run(windowFlags, [hypothesis]) as WindowedAllocation & { readonly impulses: number }
    expect(measured.impulses).toBeGreaterThan(25_000)
    // 3,700 impulses: one boxed number in each would be 60,000 bytes in every window
    expect(measured.middle).toBeLessThan(5_000)
    expect(measured.growthAfterCollection).toBeLessThan(50_000)
  })

  test.each([
    ['stewart-trinkle', 'simultaneous'],
    ['ncp', 'sequential'],
    ['lcp', 'simultaneous'],
  ])('%s, %s: 2,000 steps of elastic balls allocate nothing', (model, impulses) => {
    const measured = rigid.run(windowFlags, [model, impulses]) as WindowedAllocation & { readonly impacts: number }
    expect(measured.impacts).toBeGreaterThan(500)
    // one boxed number in each impact would be 8,000 bytes in every window
    expect(measured.quietest).toBeLessThan(2_000)
    // what the engine compiles at last it keeps, once: a hundred kilobytes
    expect(measured.growthAfterCollection).toBeLessThan(100_000)
  })
})
