import { describe, expect, test } from 'vitest'
import { errorsOf } from '../../compare/judge/reference.ts'
import { angleBetween, place, type Trajectory } from '../../compare/measure/trajectory.ts'
import { parseExpression } from '../../compare/scenario/index.ts'

const scale = { size: 1, weight: 100 }

interface MadeUp {
  readonly every?: number
  readonly count?: number
  readonly x?: (t: number) => number
  readonly yaw?: (t: number) => number
  readonly joint?: (t: number) => number
  readonly kinetic?: (t: number) => number
  readonly potential?: (t: number) => number
}

/** A robot of one joint that moves along x, turns about z, and has these energies. */
function trajectory({
  every = 0.01,
  count = 101,
  x = () => 0,
  yaw = () => 0,
  joint = () => 0,
  kinetic = () => 0,
  potential = () => 0,
}: MadeUp): Trajectory {
  const t = Array.from({ length: count }, (_, i) => i * every)
  return {
    t,
    name: '',
    others: [],
    joints: ['arm'],
    turns: [true],
    position: t.flatMap((s) => [x(s), 0, 0]),
    orientation: t.flatMap((s) => [0, 0, Math.sin(yaw(s) / 2), Math.cos(yaw(s) / 2)]),
    angles: t.map(joint),
    kinetic: t.map(kinetic),
    potential: t.map(potential),
  }
}

describe('errors', () => {
  test('of a run that is its reference are zero', () => {
    const same = trajectory({ x: (t) => t, yaw: (t) => t, joint: Math.sin })
    const { error } = errorsOf(same, same, scale)
    expect(error.tracking).toBeLessThan(1e-15) // a quaternion is normalised on the way
    expect(error).toMatchObject({ energy: 0, against: 'reference' })
  })

  test('are the root mean square over the largest distance in the reference', () => {
    const reference = trajectory({ x: (t) => 4 * t })
    const { error } = errorsOf(trajectory({ x: (t) => 4 * t + 0.02 }), reference, scale)
    expect(error.tracking).toBeCloseTo(0.02 / 4, 14)
    expect(error).toMatchObject({ trackingOf: 'base position', trackingScale: 4, trackingUnit: 'm' })
  })

  test('that are no number are not passed over for one that is', () => {
    const { error } = errorsOf(trajectory({ x: (t) => t, joint: () => Number.NaN }), trajectory({}), scale)
    expect(error).toMatchObject({ tracking: Number.NaN, trackingOf: 'arm' })
  })

  test('count the worst quantity', () => {
    const reference = trajectory({ x: (t) => 4 * t, joint: (t) => 2 * t })
    const { error } = errorsOf(trajectory({ x: (t) => 4 * t + 0.02, joint: (t) => 2 * t - 0.5 }), reference, scale)
    expect(error.tracking).toBeCloseTo(0.25, 14)
    expect(error.trackingOf).toBe('arm')
  })

  test('of a robot at rest are over a tenth of its size, or a tenth of a radian', () => {
    expect(errorsOf(trajectory({ x: () => 1e-3 }), trajectory({}), { size: 3, weight: 1 }).error.tracking).toBeCloseTo(
      1e-3 / 0.3,
      14,
    )
    expect(errorsOf(trajectory({ yaw: () => 1e-3 }), trajectory({}), scale).error.tracking).toBeCloseTo(1e-3 / 0.1, 10)
    expect(errorsOf(trajectory({ joint: () => 1e-3 }), trajectory({}), scale).error.tracking).toBeCloseTo(1e-3 / 0.1, 14)
  })

  test('of the energy are over the largest kinetic energy plus the range of the potential', () => {
    const reference = trajectory({ kinetic: (t) => 6 * t, potential: (t) => -4 * t })
    const run = trajectory({ kinetic: (t) => 6 * t + 0.1, potential: (t) => -4 * t + 0.3 })
    const { error } = errorsOf(run, reference, scale)
    expect(error.energyScale_J).toBeCloseTo(10, 12)
    expect(error.energy).toBeCloseTo(0.04, 12)
  })

  test('of the energy at rest are over the weight lifted by a hundredth of the size', () => {
    expect(errorsOf(trajectory({ potential: () => 0.5 }), trajectory({}), { size: 2, weight: 100 }).error.energy).toBeCloseTo(
      0.5 / 2,
      14,
    )
  })

  test('against a closed form leave the reference aside', async () => {
    const exact = {
      x: await parseExpression('2*t', ['t']),
      joints: { arm: await parseExpression('t^2', ['t']) },
      energy: await parseExpression('-3*t', ['t']),
    }
    const wrong = trajectory({ x: (t) => 2 * t + 0.5, joint: (t) => t * t + 9, kinetic: () => 7 }) // same start, same energy there
    const right = trajectory({ x: (t) => 2 * t, joint: (t) => t * t, potential: (t) => 7 - 3 * t })
    const { error } = errorsOf(right, wrong, scale, exact)
    expect(error.against).toBe('closed form')
    expect(error.tracking).toBeLessThan(1e-14)
    expect(error.energy).toBeLessThan(1e-14)
  })

  test('between the reference’s rows are taken from a straight line', () => {
    const reference = trajectory({ every: 0.01, x: (t) => 4 * t })
    const run = trajectory({ every: 0.015, count: 60, x: (t) => 4 * t })
    expect(errorsOf(run, reference, scale).error.tracking).toBeLessThan(1e-14)
  })

  test('come with their course over time', () => {
    const { series } = errorsOf(trajectory({ x: (t) => 2 * t }), trajectory({ x: (t) => t }), scale)
    expect(series.t).toHaveLength(101)
    expect(series.tracking[100]).toBeCloseTo(1, 12)
  })
})

describe('times', () => {
  test('that coincide up to rounding are rows, not places between rows', () => {
    const times = Array.from({ length: 5001 }, (_, i) => i * 1e-3)
    for (const k of [0, 1, 7, 100, 499, 500]) {
      const { row, fraction } = place(times, k * 1e-2) as { row: number; fraction: number }
      expect(row + fraction).toBe(10 * k)
    }
    expect(place(times, 5.1)).toBeUndefined()
  })
})

describe('the angle between two orientations', () => {
  const about = (angle: number) => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)]
  for (const angle of [0, 1e-9, 0.3, 3, Math.PI]) {
    test(`is ${angle}, whatever the sign of the quaternion`, () => {
      expect(angleBetween(about(0.5), 0, about(0.5 + angle), 0)).toBeCloseTo(angle, 12)
      expect(
        angleBetween(
          about(0.5),
          0,
          about(0.5 + angle).map((c) => -c),
          0,
        ),
      ).toBeCloseTo(angle, 12)
    })
  }
})
