import { expect, test } from 'vitest'
import { type WalkRow, walkRow, walkScenes } from '../../../bench/contact/featureWalks.ts'

const rows = (method: WalkRow['method'], part: string) =>
  walkScenes([50, 250])
    .filter(({ name }) => name.includes(part))
    .flatMap((scene) => [true, false].map((warm) => walkRow(scene, method, warm)))

test.each(['V-Clip', 'Lin-Canny'] as const)(
  '%s walks to the distance that GJK finds, of hulls and of boxes in parallel',
  (method) => {
    for (const { endless, wrong, error } of rows(method, 'apart')) {
      expect([endless, wrong]).toEqual([0, 0])
      expect(error).toBeLessThan(1e-14)
    }
  },
)

test('V-Clip tells overlap from distance in every query of hulls that pass through each other', () => {
  for (const { endless, wrong, error } of rows('V-Clip', 'through')) {
    expect([endless, wrong]).toEqual([0, 0])
    expect(error).toBeLessThan(1e-14)
  }
})

test('Lin and Canny’s walk goes round for ever on some of the overlapping pairs, and is right where it ends', () => {
  const found = rows('Lin-Canny', 'through')
  expect(found.every(({ endless }) => endless > 40)).toBe(true)
  expect(found.every(({ wrong }) => wrong === 0)).toBe(true)
})

test('a walk from the last features takes less than one move a query, whatever the number of vertices', () => {
  for (const method of ['V-Clip', 'Lin-Canny'] as const) {
    const found = rows(method, 'hulls').filter(({ scene, warm }) => warm && scene.includes('apart'))
    const cold = rows(method, 'hulls').filter(({ scene, warm }) => !warm && scene.includes('apart'))
    expect(Math.max(...found.map(({ steps }) => steps))).toBeLessThan(1)
    expect(Math.min(...cold.map(({ steps }) => steps))).toBeGreaterThan(10)
  }
})
