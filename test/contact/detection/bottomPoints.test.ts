import { describe, expect, test } from 'vitest'
import { BottomPoints, selectBottom } from '../../../contact/detection/penetration/bottomPoints.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { outsideBy, planeHull } from './penaltyScene.ts'

type Point = readonly [x: number, y: number, depth: number]

function choose(points: readonly Point[], tolerance = 1e-9): number[] {
  const scratch = new BottomPoints(4)
  scratch.reserve(points.length)
  scratch.count = points.length
  scratch.tolerance.fill(tolerance)
  points.forEach(([x, y, depth], i) => {
    scratch.x[i] = x
    scratch.y[i] = y
    scratch.depth[i] = depth
  })
  selectBottom(scratch)
  return Array.from(scratch.chosen.subarray(0, scratch.chosenCount))
}
const sorted = (list: readonly number[]) => [...list].sort((a, b) => a - b)

describe('the polygon of Drumwright, figure 5', () => {
  // own coordinates, deepest first: the comparator, five points each outside of the polygon so far, one inside
  const seven: Point[] = [
    [0, 0, 7],
    [1, 1, 6],
    [-2, 1, 5],
    [0, 3, 4],
    [1.2, 2.4, 3],
    [-1.8, 2.5, 2],
    [-0.5, 1.5, 1],
  ]

  test('six of seven points are kept and the one inside is discarded', () => {
    expect(sorted(choose(seven))).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('the comparator comes first and the others follow counter-clockwise around it', () => {
    expect(choose(seven)).toEqual([0, 1, 4, 3, 5, 2])
  })

  test('of equally deep points the comparator is the bottom one, of these the right one', () => {
    const square: Point[] = [
      [0, 0, 1],
      [1, 0, 1],
      [1, 1, 1],
      [0, 1, 1],
    ]
    expect(choose(square)).toEqual([1, 2, 3, 0])
    // depths and heights that differ by rounding alone are equal
    const noisy = square.map(([x, y, d], i): Point => [x, y + (i === 1 ? 1e-13 : 0), d + 1e-13 * i])
    expect(choose(noisy)).toEqual([1, 2, 3, 0])
  })
})

describe('degenerate sets', () => {
  test('no point, one point, and points on one another', () => {
    expect(choose([])).toEqual([])
    expect(choose([[3, 4, 5]])).toEqual([0])
    expect(choose(Array.from({ length: 9 }, (): Point => [1, 2, 3]))).toEqual([0])
    expect(choose([0, 1, 2, 3].map((d): Point => [1, 2, d]))).toEqual([3])
  })

  test('points on a level or an inclined line: its ends', () => {
    for (const slope of [0, 0.1, -0.1]) {
      const line = Array.from({ length: 11 }, (_, i): Point => [0.3 * i, 0.4 * i, 1 + slope * i])
      expect(sorted(choose(line))).toEqual([0, 10])
    }
  })

  test('a line that is deepest in its middle keeps its middle', () => {
    const line = [-2, -1, 0, 1, 2].map((x): Point => [x, 0, 1 - 0.1 * x * x])
    expect(sorted(choose(line))).toEqual([0, 1, 2, 3, 4])
  })

  test('a tip in the middle is kept with all that is around it', () => {
    const cone: Point[] = [[0, 0, 1]]
    for (let k = 0; k < 12; k++) cone.push([Math.cos((Math.PI * k) / 6), Math.sin((Math.PI * k) / 6), 0.5])
    expect(sorted(choose(cone))).toEqual(cone.map((_, i) => i))
  })

  test('a grid on a flat face, level or inclined to any side, gives the four corners', () => {
    const grid = Array.from({ length: 81 }, (_, i) => [(i % 9) / 8, Math.floor(i / 9) / 8] as const)
    for (let k = 0; k < 16; k++) {
      for (const slope of [0, 1e-12, 1e-7, 1e-3, 0.5]) {
        const [sx, sy] = [slope * Math.cos(0.4 * k), slope * Math.sin(0.4 * k)]
        const chosen = choose(grid.map(([x, y]): Point => [x, y, 1 + sx * x + sy * y]))
        // the comparator may be a point that is as deep as a corner but for the tolerance
        const others = chosen.filter((i, place) => place > 0 || slope !== 1e-7 || [0, 8, 72, 80].includes(i))
        expect(sorted(others), `slope ${slope} towards ${0.4 * k} rad`).toEqual([0, 8, 72, 80])
      }
    }
  })

  test('a level face of any outline gives its corners, not what lies between or inside', () => {
    const random = createRandom(5)
    for (let n = 0; n < 300; n++) {
      const cloud = Array.from({ length: 3 + (n % 40) }, () => [random.between(-1, 1), random.between(-1, 1)] as const)
      const hull = planeHull(cloud)
      const chosen = choose(cloud.map(([x, y]): Point => [x, y, 0.1])).map((i) => cloud[i])
      expect(new Set(chosen)).toEqual(new Set(hull))
    }
  })
})

describe('clouds of points', () => {
  const random = createRandom(11)
  const clouds = Array.from({ length: trials(400) }, (_, n) =>
    Array.from(
      { length: 1 + Math.floor(random.between(0, n < 20 ? 400 : 40)) },
      (): Point => [random.between(-1, 1), random.between(-1, 1), random.between(0, 1)],
    ),
  )

  test('no point lies outside of the chosen, seen along the normal', () => {
    for (const cloud of clouds) {
      const seen = cloud.map(([x, y]) => [x, y] as const)
      const polygon = planeHull(choose(cloud).map((i) => seen[i]))
      if (cloud.length < 3) continue
      for (const p of seen) expect(outsideBy(polygon, p)).toBeLessThan(1e-8) // ten times the tolerance, for slender wedges
    }
  })

  test('the choice is that of the definition tried on the points one by one, without bisection', () => {
    for (const cloud of clouds) expect(sorted(choose(cloud))).toEqual(sorted(oneByOne(cloud)))
  })

  test('the order in which points are given does not matter, nor where the plane has its origin', () => {
    for (const cloud of clouds.slice(0, 100)) {
      const order = cloud
        .map((_, i) => i)
        .sort(
          (i, j) => cloud[i][0] * 7919 - Math.floor(cloud[i][0] * 7919) - (cloud[j][0] * 7919 - Math.floor(cloud[j][0] * 7919)),
        )
      const shuffled = choose(order.map((i) => cloud[i])).map((k) => order[k])
      expect(shuffled).toEqual(choose(cloud))
      expect(choose(cloud.map(([x, y, d]): Point => [x + 3, y - 2, d + 1]))).toEqual(choose(cloud))
    }
  })

  test('thousands of points on a bowl are all kept', () => {
    const count = trials(20_000)
    const bowl = Array.from({ length: count }, (_, i): Point => {
      // spiral outwards, ever higher: each point is outside of all before
      const r = Math.sqrt(i / count)
      const angle = 2.399963229728653 * i
      return [r * Math.cos(angle), r * Math.sin(angle), 1 - r * r]
    })
    // a spiral point may lie within a side of the polygon by a little: what is inside is few, and all outside are in
    const chosen = choose(bowl, 1e-12)
    expect(chosen.length).toBeGreaterThan(0.5 * count)
    const polygon = planeHull(chosen.map((i) => [bowl[i][0], bowl[i][1]] as const))
    expect(Math.max(...bowl.map(([x, y]) => outsideBy(polygon, [x, y])))).toBeLessThan(1e-10)
  })
})

/**
 * The same by brute force: points in falling depth; the polygon is a list of corners sorted by angle anew for each point, and
 * inside is being within one of its triangles with the comparator.
 */
function oneByOne(cloud: readonly Point[]): number[] {
  const order = cloud.map((_, i) => i).sort((i, j) => cloud[j][2] - cloud[i][2])
  const c = order[0]
  const way = (i: number) => [cloud[i][0] - cloud[c][0], cloud[i][1] - cloud[c][1]] as const
  const angle = (i: number) => Math.atan2(-way(i)[0], way(i)[1])
  const cross = ([a, b]: readonly [number, number], [d, e]: readonly [number, number]) => a * e - b * d
  let corners: number[] = []
  const turned = (i: number, j: number) => (angle(j) - angle(i) + 2 * Math.PI) % (2 * Math.PI)
  for (const i of order.slice(1)) {
    const p = way(i)
    const inside = corners.some((a, k) => {
      const b = corners[(k + 1) % corners.length]
      if (a === b || turned(a, b) >= Math.PI) return false
      const [u, v] = [way(a), way(b)]
      const area = cross(u, v)
      const [s, t] = [cross(p, v) / area, cross(u, p) / area]
      return s >= 0 && t >= 0 && s + t <= 1
    })
    if (inside) continue
    corners = [...corners, i].sort((a, b) => angle(a) - angle(b))
    for (const step of [1, -1]) {
      for (;;) {
        const n = corners.length
        const at = corners.indexOf(i)
        const corner = corners[(at + step + n) % n]
        const far = corners[(at + 2 * step + n) % n]
        if (n < 3 || far === i) break
        const [first, last] = step > 0 ? [i, far] : [far, i]
        if (turned(first, corner) >= Math.PI || turned(corner, last) >= Math.PI || turned(first, last) >= Math.PI) break
        const [u, v, q] = [way(i), way(far), way(corner)]
        const area = cross(u, v)
        const [s, t] = [cross(q, v) / area, cross(u, q) / area]
        const level = cloud[c][2] + s * (cloud[i][2] - cloud[c][2]) + t * (cloud[far][2] - cloud[c][2])
        if (s + t > 1 || cloud[corner][2] > level) break
        corners = corners.filter((k) => k !== corner)
      }
    }
  }
  return [c, ...corners]
}
