import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hullOf, type Shape } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { randomRotation } from '../geometry/poses.ts'
import { fixedBox, ground, Scene } from './scene.ts'

const random = createRandom(51)
const shapes: Record<string, Shape> = {
  sphere: { type: 'sphere', radius: 0.3 },
  capsule: { type: 'capsule', radius: 0.1, length: 0.5 },
  box: { type: 'box', size: [0.4, 0.5, 0.3] },
  cylinder: { type: 'cylinder', radius: 0.2, length: 0.3 },
  hull: { type: 'hull', polyhedron: hullOf(Float64Array.from({ length: 60 }, () => random.between(-0.3, 0.3))) },
}

test('20,000 detections a shape, on the ground and on a fixed box, allocate nothing', { timeout: 120_000 }, async () => {
  const poses = Array.from({ length: 50 }, () => randomRotation(random))
  const places = poses.map(() => Float64Array.from([random.between(-0.6, 0.6), 0, random.between(0, 0.3)]))
  const scenes = Object.values(shapes).map((shape) => new Scene(shape, [ground, fixedBox('step', [1, 1, 0.2], [0.5, 0, 0.1])]))
  const run = (count: number) => {
    let contacts = 0
    for (let n = 0; n < count; n++) {
      for (let s = 0; s < scenes.length; s++) {
        scenes[s].detect(poses[n % 50], places[n % 50], n % 2 === 0 ? 0.01 : 0)
        contacts += scenes[s].contacts.count
      }
    }
    return contacts
  }
  run(20_000)
  let scavenges = 0
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if ((entry as unknown as { detail: { kind: number } }).detail.kind === 1) scavenges++
    }
  })
  // what happened before does not count
  await setTimeout(50)
  observer.observe({ entryTypes: ['gc'] })
  const before = process.memoryUsage().heapUsed
  const contacts = run(20_000)
  const grown = process.memoryUsage().heapUsed - before
  await setTimeout(50)
  observer.disconnect()
  expect(contacts).toBeGreaterThan(100_000)
  expect(scavenges).toBe(0)
  // 100,000 detections; one boxed number each would be 1.2 MB, the test runner itself takes some
  expect(grown).toBeLessThan(400_000)
})
