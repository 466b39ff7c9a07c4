import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundled, type OwnProcess, steadyFlags, type WindowedAllocation } from '../../ownProcess.ts'

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./allocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

describe('allocation', () => {
  test.each(['test-forces', 'recursive'])('%s: 500 matrices of contacts that come and go allocate nothing', (name) => {
    const measured = script.run(steadyFlags, [name]) as WindowedAllocation & { readonly x: number }
    expect(measured.x).toBeGreaterThan(0)
    // one boxed number a matrix would be 8,000 bytes in every window
    expect(measured.middle).toBeLessThan(2_000)
    expect(measured.growthAfterCollection).toBeLessThan(50_000)
  })
})
