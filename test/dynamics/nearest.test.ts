import { expect, test } from 'vitest'
import { didYouMean } from '../../dynamics/index.ts'
import { editDistance } from '../../dynamics/math/nearest.ts'

test('one insertion, deletion, replacement or swap of neighbours is one edit', () => {
  for (const [a, b, edits] of [
    ['friction', 'friction', 0],
    ['fricton', 'friction', 1],
    ['frriction', 'friction', 1],
    ['fraction', 'friction', 1],
    ['firction', 'friction', 1],
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
  ] as const) {
    expect(editDistance(a, b)).toBe(edits)
    expect(editDistance(b, a)).toBe(edits)
  }
})

test('the nearest word is suggested, whatever its case, and none where a third of the letters differ or more', () => {
  expect(didYouMean('Fricton', ['restitution', 'friction'])).toBe('. Did you mean friction?')
  expect(didYouMean('colour', ['friction'])).toBe('')
  expect(didYouMean(7, ['friction'])).toBe('')
})
