import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Allocation, allocationFlags, bundled, type OwnProcess } from '../../ownProcess.ts'

let script: OwnProcess
beforeAll(async () => {
  script = await bundled(new URL('./allocation.run.ts', import.meta.url))
})
afterAll(() => script.delete())

const measure = (fixture: string, reading = 'manifold', count = 40000) =>
  script.run(allocationFlags, [String(count), fixture, reading]) as Allocation & { contacts: number; detections: number }

test('detection of every shape on the ground allocates nothing', () => {
  const { scavenges, growthAfterCollection, contacts, detections } = measure('ground')
  expect(contacts).toBeGreaterThan(detections)
  // the nursery of 1 MB would not hold one boxed number each, 3 MB; less than a byte each stays
  expect(scavenges).toBe(0)
  expect(growthAfterCollection).toBeLessThan(detections)
})

test('detection of every shape on a fixed box keeps nothing, and allocates no more than two numbers', () => {
  const { scavenges, growthAfterCollection, detections } = measure('box')
  expect(detections).toBe(200_000)
  // V8 may leave numbers of convexManifold boxed, up to 30 bytes a detection as seen; a scavenge is about 1 MB
  expect(scavenges).toBeLessThanOrEqual(8)
  expect(growthAfterCollection).toBeLessThan(detections)
})

test('nor do the volumes of polyhedra on the ground and on a fixed box', () => {
  for (const fixture of ['ground', 'box']) {
    const { scavenges, growthAfterCollection, contacts } = measure(fixture, 'volume', 4000)
    expect(contacts).toBeGreaterThan(0)
    // one boxed number a detection would be two thirds of a scavenge
    expect(scavenges, fixture).toBeLessThanOrEqual(1)
    expect(growthAfterCollection, fixture).toBeLessThan(20000)
  }
})

test('nor do meshes that move, on a fixed box', () => {
  const { scavenges, growthAfterCollection, contacts, detections } = measure('box of meshes', 'manifold', 2000)
  expect(contacts).toBeGreaterThan(detections)
  expect(scavenges).toBe(0)
  expect(growthAfterCollection).toBeLessThan(20000)
})
