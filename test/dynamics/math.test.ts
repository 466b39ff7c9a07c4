import { describe, expect, test } from 'vitest'
import {
  createRandom,
  mulMatrix3,
  mulQuaternion,
  normalizeQuaternion,
  place3,
  quaternionOfRotation,
  quaternionOfRotationVector,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
  rotationVectorOfQuaternion,
} from '../../dynamics/index.ts'
import { randomVector, relativeError } from './randomTree.ts'

const random = createRandom(1)

function randomQuaternion(): Float64Array {
  const q = randomVector(random, 4)
  normalizeQuaternion(q, 0)
  return q
}

function rotationOf(q: Float64Array): Float64Array {
  const R = new Float64Array(9)
  rotationOfQuaternion(R, q, 0)
  return R
}

describe('3-vectors', () => {
  test('a rotation is undone by its transpose, and place3 adds the origin', () => {
    const R = rotationOf(randomQuaternion())
    const a = randomVector(random, 3)
    const b = new Float64Array(3)
    const placed = new Float64Array(3)
    rotate3(b, R, a)
    place3(placed, R, Float64Array.of(1, 2, 3), a)
    expect(relativeError(placed, [b[0] + 1, b[1] + 2, b[2] + 3])).toBeLessThan(1e-15)
    rotateTransposed3(b, R, b)
    expect(relativeError(b, a)).toBeLessThan(1e-14)
  })
})

describe('quaternions', () => {
  test('a quarter turn about z takes x to y', () => {
    const q = new Float64Array(4)
    const y = new Float64Array(3)
    quaternionOfRotationVector(q, 0, Float64Array.of(0, 0, Math.PI / 2), 0)
    rotate3(y, rotationOf(q), Float64Array.of(1, 0, 0))
    expect(relativeError(y, [0, 1, 0])).toBeLessThan(1e-15)
  })

  test('the product of quaternions is the product of their rotations', () => {
    for (let n = 0; n < 20; n++) {
      const a = randomQuaternion()
      const b = randomQuaternion()
      const AB = new Float64Array(9)
      mulMatrix3(AB, rotationOf(a), rotationOf(b))
      mulQuaternion(a, 0, a, 0, b, 0)
      expect(relativeError(rotationOf(a), AB)).toBeLessThan(1e-14)
    }
  })

  test('quaternions come back from their rotations, half turns and near ones too', () => {
    const special = [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 1, 0],
      [1, 0, 0, 1e-9],
      [0, 1, 1e-9, 1e-12],
      [0, 0, 0, 1],
    ].map((q) => Float64Array.from(q))
    for (const q of [...special, ...Array.from({ length: 50 }, randomQuaternion)]) {
      normalizeQuaternion(q, 0)
      const back = new Float64Array(4)
      quaternionOfRotation(back, 0, rotationOf(q))
      const dot = q.reduce((sum, x, k) => sum + x * back[k], 0)
      expect(Math.abs(Math.abs(dot) - 1)).toBeLessThan(1e-15)
      expect(back[3]).toBeGreaterThanOrEqual(0)
      expect(relativeError(rotationOf(back), rotationOf(q))).toBeLessThan(1e-15)
    }
  })

  test('rotation vectors come back, from none to almost half a turn', () => {
    for (const angle of [0, 1e-12, 1e-8, 2e-8, 1e-4, 1, 3.14]) {
      const r = Float64Array.of(0.48 * angle, -0.6 * angle, 0.64 * angle)
      const q = new Float64Array(4)
      const back = new Float64Array(3)
      quaternionOfRotationVector(q, 0, r, 0)
      rotationVectorOfQuaternion(back, 0, q, 0)
      expect(relativeError(back, r)).toBeLessThan(1e-14)
    }
  })
})

describe('seeded random numbers', () => {
  test('one seed gives one stream, two seeds two', () => {
    const [a, b, c] = [7, 7, 8].map((seed) => {
      const stream = createRandom(seed)
      return Array.from({ length: 100 }, () => stream.next())
    })
    expect(a).toEqual(b)
    expect(a).not.toEqual(c)
  })

  test('mean, variance and neighbour correlation are those of a uniform distribution', () => {
    const stream = createRandom(0)
    const N = 100_000
    const x = Array.from({ length: N }, () => stream.next())
    const mean = x.reduce((sum, y) => sum + y, 0) / N
    const variance = x.reduce((sum, y) => sum + (y - mean) ** 2, 0) / N
    const correlation = x.slice(1).reduce((sum, y, k) => sum + (y - mean) * (x[k] - mean), 0) / N / variance
    // four standard deviations: sqrt(1/12 / N), sqrt(1/180 / N), sqrt(1 / N)
    expect(Math.abs(mean - 0.5)).toBeLessThan(4 * Math.sqrt(1 / 12 / N))
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(4 * Math.sqrt(1 / 180 / N))
    expect(Math.abs(correlation)).toBeLessThan(4 / Math.sqrt(N))
    expect(Math.min(...x.slice(0, 1000))).toBeGreaterThanOrEqual(0)
    expect(x.every((y) => y < 1)).toBe(true)
  })

  test('whole numbers cover their range', () => {
    const stream = createRandom(3)
    expect(new Set(Array.from({ length: 200 }, () => stream.index(5)))).toEqual(new Set([0, 1, 2, 3, 4]))
  })
})
