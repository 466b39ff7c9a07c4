import { expect, test } from 'vitest'
import { finerDistance, roughDistance, Simplex } from '../../../contact/geometry/distance/gjk.ts'
import {
  type Collider,
  createCollider,
  pairMemorySize,
  placeCollider,
  placeCore,
  type Shape,
  separationWarm,
  signedDistance,
} from '../../../contact/geometry/index.ts'
import { createRandom, limitWork, type Random, workSpent } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { identity, origin, randomRotation, randomUnit } from './poses.ts'

const wheel: Shape = { type: 'cylinder', radius: 0.1, length: 0.04 }
const can: Shape = { type: 'cylinder', radius: 0.05, length: 0.3 }
const plate: Shape = { type: 'box', size: [0.6, 0.4, 0.012] }
const block: Shape = { type: 'box', size: [0.2, 0.2, 0.2] }

function placed(shape: Shape, R: Float64Array, p: Float64Array): Collider {
  const collider = createCollider(shape)
  placeCollider(collider, R, p, identity, origin)
  placeCore(collider)
  return collider
}

/** A cylinder in any orientation, or flat on its side or cap, moved to a distance from a box. */
function pose(random: Random, box: Collider, shape: Shape, distance: number): Collider {
  const out = new Float64Array(10)
  const kind = random.between(0, 3)
  const R = kind < 1 ? randomRotation(random) : kind < 2 ? identity : Float64Array.of(1, 0, 0, 0, 0, -1, 0, 1, 0)
  const way = randomUnit(random)
  let reach = 1
  let cylinder = placed(shape, R, Float64Array.from(way, (x) => reach * x))
  for (let n = 0; n < 60; n++) {
    signedDistance(box, cylinder, out)
    reach -= out[0] - distance
    cylinder = placed(shape, R, Float64Array.from(way, (x) => reach * x))
  }
  return cylinder
}

test('where a face gives the distance of a cylinder, it is that of the search over all features, with the same normal', () => {
  const random = createRandom(1)
  const found = new Float64Array(10)
  const searched = new Float64Array(10)
  const memory = new Float64Array(pairMemorySize)
  let proven = 0
  for (let n = 0; n < trials(1000); n++) {
    const box = placed(n % 2 === 0 ? plate : block, randomRotation(random), randomUnit(random))
    const depth = [1e-3, 1e-4, 1e-8, 0, -1e-9, -1e-5, -1e-3, -3e-3][n % 8]
    const cylinder = pose(random, box, n % 3 === 0 ? can : wheel, depth)
    const limit = n % 5 === 0 ? depth - 1e-3 : Infinity
    limitWork(Float64Array.of(Infinity))
    const isKnown = separationWarm(box, cylinder, Float64Array.of(limit), memory, 0, found)
    const isProven = workSpent() === 0
    signedDistance(box, cylinder, searched)
    if (isProven) proven++
    if (found[0] > limit) {
      expect(searched[0]).toBeGreaterThan(limit)
      expect(found[0]).toBeLessThanOrEqual(searched[0] + 1e-12)
      continue
    }
    // 1e-9 of the size is what the search claims for overlapping cylinders
    expect(Math.abs(found[0] - searched[0])).toBeLessThan(searched[0] > 0 ? 1e-13 : 3e-10)
    if (!isProven) continue
    expect(isKnown).toBe(false)
    const cosine = found[1] * searched[1] + found[2] * searched[2] + found[3] * searched[3]
    expect(1 - cosine).toBeLessThan(1e-9)
  }
  expect(proven).toBeGreaterThan(trials(1000) / 10)
})

test('a wheel on a plate is no search', () => {
  const box = placed(plate, identity, origin)
  const lying = Float64Array.of(1, 0, 0, 0, 0, -1, 0, 1, 0)
  for (const gap of [1e-4, 1e-9, 0, -1e-9, -1e-4]) {
    const cylinder = placed(wheel, lying, Float64Array.of(0.05, 0.02, 0.006 + 0.1 + gap))
    const out = new Float64Array(10)
    limitWork(Float64Array.of(Infinity))
    separationWarm(box, cylinder, Float64Array.of(1), new Float64Array(pairMemorySize), 0, out)
    expect(workSpent()).toBe(0)
    expect(out[0]).toBeCloseTo(gap, 15)
    expect([...out.slice(1, 4)]).toEqual([0, 0, 1])
  }
})

test('a finer distance goes on from a rough one, with the bits of a search from the start', () => {
  const random = createRandom(2)
  const [rough, fine] = [Float64Array.of(1e-7), Float64Array.of(1e-13)]
  const [first, second, out, again] = [new Simplex(), new Simplex(), new Float64Array(10), new Float64Array(10)]
  for (let n = 0; n < trials(600); n++) {
    const box = placed(block, randomRotation(random), randomUnit(random))
    const cylinder = pose(random, box, wheel, [1e-2, 1e-4, 1e-7][n % 3])
    roughDistance(box, cylinder, fine, first, out)
    roughDistance(box, cylinder, rough, second, again)
    if (!(again[0] > 0)) continue
    finerDistance(box, cylinder, fine, second, again)
    expect([...again]).toEqual([...out])
    expect([...second.W.slice(0, 3 * second.count)]).toEqual([...first.W.slice(0, 3 * first.count)])
  }
})
