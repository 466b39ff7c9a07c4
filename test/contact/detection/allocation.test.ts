import { expect, test } from 'vitest'
import { type Allocation, allocationFlags, bundled } from '../../ownProcess.ts'

test('detection of every shape, on the ground and on a fixed box, allocates nothing', async () => {
  const script = await bundled(new URL('./allocation.run.ts', import.meta.url))
  try {
    const measured = script.run(allocationFlags, ['40000']) as Allocation & { contacts: number; detections: number }
    expect(measured.contacts).toBeGreaterThan(measured.detections)
    expect(measured.scavenges).toBe(0)
    // the nursery of 1 MB would not hold one boxed number each, 3 MB; less than a byte each stays
    expect(measured.growthAfterCollection).toBeLessThan(measured.detections)
  } finally {
    script.delete()
  }
})
