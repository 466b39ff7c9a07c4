/** Ranges of contact forces that explain one motion, beside closed forms and random admissible forces. */
import { describe, expect, test } from 'vitest'
import { type ExplainedMotion, ForceRanges } from '../../../contact/index.ts'
import { createRandom } from '../../../dynamics/index.ts'

const ends = new Float64Array(2)

/** The range of a force, number k of those of the motion. */
function rangeOf(ranges: ForceRanges, { forces }: ExplainedMotion, k: number): [number, number] {
  ranges.range(
    Array.from(forces, (_, i) => Number(i === k)),
    ends,
  )
  return [forces[k] + ends[0], forces[k] + ends[1]]
}

/** Force and moments about the origin of contacts on level ground: rows of normal forces, then with friction of the other three. */
function balance(points: readonly (readonly number[])[]): number[][] {
  const row = (of: (x: number, y: number) => [number, number, number]) => points.flatMap(([x, y]) => of(x, y))
  return [
    row(() => [1, 0, 0]),
    row((_, y) => [y, 0, 0]),
    row((x) => [-x, 0, 0]),
    row(() => [0, 1, 0]),
    row(() => [0, 0, 1]),
    row((x, y) => [0, -y, x]),
  ]
}

describe('forces that statics determine', () => {
  test('three feet without friction: each range is the force itself', () => {
    const points = [
      [0.3, 0],
      [-0.2, 0.4],
      [-0.1, -0.3],
    ]
    const motion = { forces: [4, 0, 0, 3, 0, 0, 2, 0, 0], friction: [0, 0, 0], equations: balance(points) }
    const ranges = new ForceRanges()
    ranges.begin(motion)
    expect(ranges.excess).toBe(0)
    // 1e-6 of the largest force, over the levers of these feet
    for (let k = 0; k < 9; k++) for (const end of rangeOf(ranges, motion, k)) expect(end).toBeCloseTo(motion.forces[k], 4)
  })

  test('a force without admissible ones in its place is as far from its cone as reported', () => {
    // one foot that all balances determine, with friction of 3 where 0.5 * 4 = 2 is admissible
    const motion = { forces: [4, 3, 0], friction: [0.5], equations: balance([[0, 0]]) }
    const ranges = new ForceRanges()
    ranges.begin(motion)
    expect(ranges.excess).toBeCloseTo(1 / Math.hypot(1, 0.5), 9)
    expect(ranges.relaxation).toBeCloseTo(1 / Math.hypot(1, 0.5), 9)
  })

  test('forces outside their cones with admissible ones in their place need no relaxation', () => {
    // two feet at one point: one pulls, both together push
    const motion = { forces: [-1, 0, 0, 3, 0, 0], friction: [0.5, 0.5], equations: balance([[0, 0], [0, 0]]) } // biome-ignore format: two points
    const ranges = new ForceRanges()
    ranges.begin(motion)
    expect(ranges.excess).toBeCloseTo(1, 9)
    expect(ranges.relaxation).toBe(0)
    expect(rangeOf(ranges, motion, 0)[0]).toBeCloseTo(0, 4)
    expect(rangeOf(ranges, motion, 0)[1]).toBeCloseTo(2, 4)
  })
})

describe('forces that statics leave open', () => {
  test.each([
    [0, 0],
    [0.2, 0],
    [0.15, -0.3],
  ])('a table on four legs, its load at (%f, %f): the interval of each leg', (x, y) => {
    const [a, b, weight] = [0.5, 0.4, 100]
    const [u, v] = [x / a, y / b]
    const signs = [[1, 1], [1, -1], [-1, -1], [-1, 1]] // biome-ignore format: the corners
    const mean = signs.map(([s, t]) => (weight / 4) * (1 + s * u + t * v))
    // all others are the mean plus and minus one number
    const least = -Math.min(mean[0], mean[2])
    const most = Math.min(mean[1], mean[3])
    const motion = {
      forces: mean.flatMap((n) => [n, 0, 0]),
      friction: [0.5, 0.5, 0.5, 0.5],
      equations: balance(signs.map(([s, t]) => [s * a, t * b])),
    }
    const ranges = new ForceRanges()
    ranges.begin(motion)
    mean.forEach((n, i) => {
      const [from, to] = rangeOf(ranges, motion, 3 * i)
      expect(from).toBeCloseTo(n + (i % 2 === 0 ? least : -most), 3)
      expect(to).toBeCloseTo(n + (i % 2 === 0 ? most : -least), 3)
    })
  })

  test('the curved boundary of a cone: largest friction across a coupled pull', () => {
    // n + t1 / 2 = 10; the largest t2 has t1 = -mu² 10 / (2 - mu² / 2)
    const mu = 0.8
    const motion = { forces: [10, 0, 0], friction: [mu], equations: [[1, 0.5, 0]] }
    const ranges = new ForceRanges()
    ranges.begin(motion)
    const t1 = (-mu * mu * 10) / (2 - (mu * mu) / 2)
    const largest = Math.sqrt((mu * (10 - t1 / 2)) ** 2 - t1 * t1)
    const [from, to] = rangeOf(ranges, motion, 2)
    expect(to).toBeGreaterThan(largest) // a bound from outside
    expect(to).toBeLessThan(largest * (1 + 1e-5))
    expect(from).toBeCloseTo(-to, 6)
  })

  test('a squeezed body: without bounds, and bounded where the cones close', () => {
    // two opposite contacts along one axis: any equal forces explain rest
    const motion = { forces: [1, 0, 0, 1, 0, 0], friction: [0.5, 0.5], equations: [[1, 0, 0, -1, 0, 0]] }
    const ranges = new ForceRanges()
    ranges.begin(motion)
    expect(rangeOf(ranges, motion, 0)[1]).toBe(Infinity)
    expect(rangeOf(ranges, motion, 0)[0]).toBeCloseTo(0, 4)
    // a loop that carries the difference alone: nothing bounds it, or either force
    const loop = { ...motion, free: 1, equations: [[1, 0, 0, -1, 0, 0, 0]] }
    ranges.begin(loop)
    ranges.range([0, 0, 0, 0, 0, 0, 1], ends)
    expect([...ends]).toEqual([-Infinity, Infinity])
  })
})

test('random admissible forces lie within, and the ends are reached by the best of them', () => {
  const random = createRandom(5)
  const uniform = (low: number, high: number) => random.between(low, high)
  for (let trial = 0; trial < 20; trial++) {
    const points = Array.from({ length: 3 }, () => [uniform(-1, 1), uniform(-1, 1)])
    const friction = points.map(() => uniform(0.1, 1))
    // forces in their cones
    const forces = friction.flatMap((mu) => {
      const n = uniform(1, 2)
      const [size, angle] = [uniform(0, 0.9) * mu * n, uniform(0, 2 * Math.PI)]
      return [n, size * Math.cos(angle), size * Math.sin(angle)]
    })
    const motion = { forces, friction, equations: balance(points) }
    const row = Array.from({ length: 9 }, () => uniform(-1, 1))
    const ranges = new ForceRanges()
    ranges.begin(motion)
    ranges.range(row, ends)
    const [least, greatest] = ends
    // of three directions of change, which fill the null space, the longest admissible steps
    const [highest, lowest] = searched(motion, row, uniform)
    expect(greatest).toBeGreaterThan(highest - 1e-9)
    expect(least).toBeLessThan(lowest + 1e-9)
    expect(highest).toBeGreaterThan(greatest - 0.02 * (greatest - least))
    expect(lowest).toBeLessThan(least + 0.02 * (greatest - least))
  }
})

/** Greatest and least row · change over admissible forces, by random directions that keep the balance. */
function searched(
  { forces, friction, equations }: ExplainedMotion,
  row: readonly number[],
  uniform: (a: number, b: number) => number,
) {
  const rows = equations.map((own) => Float64Array.from(own))
  for (let i = 0; i < rows.length; i++) {
    for (let k = 0; k < i; k++) project(rows[i], rows[k])
    const size = Math.hypot(...rows[i])
    for (let k = 0; k < 9; k++) rows[i][k] /= size
  }
  const isWithin = (f: Float64Array) =>
    Array.from(friction, (mu, i) => Math.hypot(f[3 * i + 1], f[3 * i + 2]) <= mu * f[3 * i]).every(Boolean)
  return [1, -1].map((sign) => {
    let best = Float64Array.from(forces)
    const value = (f: Float64Array) => sign * row.reduce((sum, x, k) => sum + x * (f[k] - forces[k]), 0)
    let reach = 1
    for (let step = 0; step < 4000; step++) {
      const way = Float64Array.from({ length: 9 }, () => uniform(-reach, reach))
      for (const own of [...rows, ...rows]) project(way, own)
      const next = best.map((x, k) => x + way[k])
      if (value(next) > value(best) && isWithin(next)) best = next
      else reach = Math.max(1e-3, reach * 0.998)
    }
    return sign * value(best)
  })
}

function project(x: Float64Array, unit: Float64Array): void {
  const part = x.reduce((sum, value, k) => sum + value * unit[k], 0)
  for (let k = 0; k < x.length; k++) x[k] -= part * unit[k]
}
