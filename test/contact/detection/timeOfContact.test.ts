import { describe, expect, test } from 'vitest'
import { Feature, type PlacedShape, type Shape, signedDistance } from '../../../contact/geometry/index.ts'
import { createMovingShape, createTimeOfContact, type MovingShape, timeOfContact, twistBetween } from '../../../contact/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { colliderAt, identity, product, randomRotation, randomShapes, randomUnit, rotation, turned } from '../geometry/poses.ts'

const tolerance = 1e-6
const ground: Shape = { type: 'halfspace', normal: [0, 0, 1], offset: 0 }

type Triple = readonly [number, number, number]
interface MotionOf {
  readonly at?: Triple
  readonly R?: Float64Array
  readonly v?: Triple
  readonly omega?: Triple
  /** The shape's origin on the body. */
  readonly offset?: Triple
}

function moving(
  shape: Shape,
  { at = [0, 0, 0], R = identity, v = [0, 0, 0], omega = [0, 0, 0], offset = [0, 0, 0] }: MotionOf = {},
) {
  const placed: PlacedShape = { name: shape.type, body: 1, shape, R: identity, p: Float64Array.from(offset) }
  const out = createMovingShape(placed)
  out.R_WB.set(R)
  out.p_WB.set(at)
  out.twist.set([...omega, ...v])
  return out
}

function contact(a: MovingShape, b: MovingShape, dt: number, maxIterations?: number) {
  const out = createTimeOfContact()
  timeOfContact(a, b, Float64Array.of(dt), out, { tolerance, maxIterations })
  const { status, iterations, time, distance, features } = out
  return {
    status,
    iterations,
    time: time[0],
    distance: distance[0],
    normal: Array.from(distance.subarray(1, 4)),
    features: Array.from(features),
  }
}

/** Found no later than the true touch, and no sooner than when closing at `speed` leaves the tolerance. */
function expectTime(found: ReturnType<typeof contact>, exact: number, speed: number) {
  expect(found.status).toBe('contact')
  expect(found.distance).toBeGreaterThan(0)
  expect(found.distance).toBeLessThanOrEqual(tolerance)
  // the last bits of the time itself
  expect(found.time).toBeLessThanOrEqual(exact * (1 + 1e-12))
  expect(exact - found.time).toBeLessThan((1.01 * tolerance) / speed)
}

describe('closed forms', () => {
  test('a ball falls on the plane', () => {
    const found = contact(moving(ground), moving({ type: 'sphere', radius: 0.2 }, { at: [0, 0, 3], v: [5, 0, -2] }), 10)
    expectTime(found, 1.4, 2)
    expect(found.normal).toEqual([0, 0, 1])
    expect(found.iterations).toBe(2)
  })

  test('a bullet at 1,000 m/s is found on a pane of 1 mm within a step of 10 ms', () => {
    const pane = moving({ type: 'box', size: [1e-3, 1, 1] })
    for (const shape of [
      { type: 'sphere', radius: 4e-3 },
      { type: 'box', size: [8e-3, 8e-3, 8e-3] },
      { type: 'cylinder', radius: 4e-3, length: 8e-3 },
    ] as const satisfies Shape[]) {
      const R = shape.type === 'cylinder' ? rotation([0, 1, 0], Math.PI / 2) : identity
      const bullet = moving(shape, { at: [-4.2, 0.1, 0.2], v: [1000, 0, 0], R })
      expectTime(contact(bullet, pane, 0.01), (4.2 - 0.0005 - 0.004) / 1000, 1000)
      // at neither end of the step do the two touch
      for (const x of [-4.2, 5.8]) {
        const distance = new Float64Array(10)
        signedDistance(colliderAt(shape, R, [x, 0.1, 0.2]), colliderAt(pane.placed.shape, identity, [0, 0, 0]), distance)
        expect(distance[0]).toBeGreaterThan(1)
      }
    }
  })

  test('a bullet that tumbles at 20,000 rad/s touches the pane with its rim, before its middle would', () => {
    const pane = moving({ type: 'box', size: [1e-3, 1, 1] })
    const bullet = moving(
      { type: 'capsule', radius: 4e-3, length: 0.02 },
      { at: [-4.2, 0, 0], v: [1000, 0, 0], omega: [0, 2e4, 0] },
    )
    const found = contact(bullet, pane, 0.01)
    expect(found.status).toBe('contact')
    // the axis stands at angle 20,000 t to z: the gap is 4.2 - 0.0005 - 0.004 - 1000 t - 0.01 |sin(20,000 t)|
    const gap = (t: number) => 4.1955 - 1000 * t - 0.01 * Math.abs(Math.sin(2e4 * t))
    expect(gap(found.time)).toBeGreaterThan(0)
    expect(gap(found.time)).toBeLessThanOrEqual(1.001 * tolerance)
    for (let t = 0; t < found.time; t += 1e-6) expect(gap(t)).toBeGreaterThan(0)
  })

  test('a rod that turns about its end touches the plane at asin((h - r) / l) / omega', () => {
    const [h, r, l, omega] = [0.4, 0.05, 0.8, 3]
    const rod = { type: 'capsule', radius: r, length: l } as const
    // along x, its end at the body's origin, which turns downwards about y
    const placed = { name: 'rod', body: 1, shape: rod, R: rotation([0, 1, 0], Math.PI / 2), p: Float64Array.of(l / 2, 0, 0) }
    const turning = createMovingShape(placed)
    turning.p_WB[2] = h
    turning.twist[1] = omega
    const exact = Math.asin((h - r) / l) / omega
    expectTime(contact(moving(ground), turning, 2), exact, omega * l * Math.cos(omega * exact))
    // one that is too short never does, though it turns for ever
    turning.p_WB[2] = 0.9
    const { status, iterations } = contact(moving(ground), turning, 100)
    expect(status).toBe('none')
    // the bound moves by at least (0.9 - 0.85) / (3 * 0.85) s, the rod being 5 cm above the plane at best
    expect(iterations).toBeLessThan(100 / ((0.9 - 0.85) / (3 * 0.85)))
  })

  test('a corner of a box that turns touches a wall at (pi/4 - acos(D / rho)) / omega', () => {
    const box = moving({ type: 'box', size: [1, 1, 1] }, { omega: [0, 0, 2] })
    const D = 0.6
    const wall = moving({ type: 'halfspace', normal: [-1, 0, 0], offset: -D })
    const rho = Math.SQRT1_2
    const exact = (Math.PI / 4 - Math.acos(D / rho)) / 2
    // the corner closes at omega times its distance along the wall
    const found = contact(box, wall, 1)
    expectTime(found, exact, 2 * Math.sqrt(rho * rho - D * D))
    // an upright edge of the box at the wall
    expect([found.features[0], found.features[2]]).toEqual([Feature.edge, Feature.face])
  })

  test('two balls that meet at an angle: the root of a quadratic; grazing by a hair they touch, passing by one they do not', () => {
    const ball: Shape = { type: 'sphere', radius: 0.5 }
    for (const offset of [0, 0.5, 0.9, 0.99, 1 - 1e-6]) {
      const a = moving(ball, { at: [-3, offset, 0], v: [4, 0, 1] })
      const b = moving(ball, { at: [3, 0, 0], v: [-2, 0, 1] })
      const along = Math.sqrt(1 - offset * offset)
      // within the tolerance sooner than touching by the way from 1 + tolerance to 1 along the chord
      const early = Math.sqrt((1 + tolerance) ** 2 - offset * offset) - along
      const found = contact(a, b, 10)
      expect(found.status).toBe('contact')
      expect(found.time).toBeLessThanOrEqual((6 - along) / 6 + 1e-12)
      expect(found.time).toBeGreaterThanOrEqual((6 - along - early) / 6 - 1e-12)
    }
    const passing = contact(moving(ball, { at: [-3, 1 + 3e-6, 0], v: [6, 0, 0] }), moving(ball, { at: [3, 0, 0] }), 10)
    expect(passing.status).toBe('none')
  })

  test('what moves along a surface or away from it never touches, and takes one query', () => {
    const box: Shape = { type: 'box', size: [1, 1, 1] }
    const over = { at: [0, 0, 0.6] } as const
    for (const motion of [{ v: [30, 4, 0] }, { v: [0, 0, 1] }, { omega: [0, 0, 5] }] as const) {
      const found = contact(moving(ground), moving(box, { ...over, ...motion }), 10)
      expect([found.status, found.iterations, found.time]).toEqual(['none', 1, 10])
    }
  })

  test('what touches or overlaps at the start does so at time 0, even when it leaves', () => {
    const box: Shape = { type: 'box', size: [1, 1, 1] }
    for (const z of [0.5, 0.3, 0.5 + 0.5 * tolerance]) {
      const found = contact(moving(ground), moving(box, { at: [0, 0, z], v: [0, 0, 1] }), 1)
      expect([found.status, found.time, found.iterations]).toEqual(['contact', 0, 1])
      expect(found.normal).toEqual([0, 0, 1])
    }
  })
})

/** Two random shapes that fly past or into each other, both spinning. */
function randomMotions(random: Random): [MovingShape, MovingShape] {
  const kinds = Object.values(randomShapes)
  const one = (at: Float64Array, v: Float64Array) => {
    const offset = randomUnit(random).map((x) => 0.2 * x)
    const omega = randomUnit(random).map((x) => random.between(0, 5) * x)
    return moving(kinds[random.index(kinds.length)](random), {
      at: [at[0], at[1], at[2]],
      v: [v[0], v[1], v[2]],
      R: randomRotation(random),
      omega: [omega[0], omega[1], omega[2]],
      offset: [offset[0], offset[1], offset[2]],
    })
  }
  const way = randomUnit(random)
  const v = way.map((x, k) => -2 * x + 0.4 * randomUnit(random)[k])
  return [
    one(new Float64Array(3), randomUnit(random)),
    one(
      way.map((x) => 2 * x),
      v,
    ),
  ]
}

function distanceAt(a: MovingShape, b: MovingShape, t: number): number {
  const out = new Float64Array(10)
  const [A, B] = [a, b].map(({ placed, R_WB, p_WB, twist }) => {
    const [x, y, z] = twist
    const speed = Math.hypot(x, y, z)
    const R = speed > 0 ? product(rotation([x / speed, y / speed, z / speed], speed * t), R_WB) : R_WB
    const p = turned(R, placed.p).map((q, k) => q + p_WB[k] + t * twist[3 + k])
    return colliderAt(placed.shape, product(R, placed.R), p)
  })
  signedDistance(A, B, out)
  return out[0]
}

test('between random shapes that spin, nothing is within the tolerance before the time found, and at it they are', () => {
  const random = createRandom(21)
  let touching = 0
  for (let n = 0; n < 150; n++) {
    const [a, b] = randomMotions(random)
    const found = contact(a, b, 2)
    expect(found.status).not.toBe('limit')
    const end = found.status === 'contact' ? found.time : 2
    for (let k = 0; k < 60; k++) expect(distanceAt(a, b, (end * k) / 60)).toBeGreaterThan(found.time === 0 ? -1 : tolerance)
    if (found.status !== 'contact') continue
    touching++
    // 1e-9: what the last bits of an angle of 10 rad move
    expect(distanceAt(a, b, end)).toBeLessThanOrEqual(tolerance + 1e-9)
    if (found.time > 0) expect(distanceAt(a, b, end)).toBeGreaterThan(0)
  }
  expect(touching).toBeGreaterThan(30)
})

test('swapping the bodies, or giving both one more velocity, changes neither time nor, but for its sign, the normal', () => {
  const random = createRandom(22)
  for (let n = 0; n < 60; n++) {
    const [a, b] = randomMotions(random)
    const found = contact(a, b, 2)
    const swapped = contact(b, a, 2)
    expect(swapped.status).toBe(found.status)
    // both lie within the time that closing the tolerance takes, at more than 0.1 m/s here
    expect(Math.abs(swapped.time - found.time)).toBeLessThan(10 * tolerance)
    for (const { twist } of [a, b]) for (let k = 0; k < 3; k++) twist[3 + k] += [3, -2, 1][k]
    const carried = contact(a, b, 2)
    expect(carried.status).toBe(found.status)
    expect(Math.abs(carried.time - found.time)).toBeLessThan(10 * tolerance)
  }
})

test('the twist between two places leads from one to the other, by half a turn too', () => {
  const random = createRandom(23)
  const dt = Float64Array.of(0.01)
  for (const angle of [0, 1e-12, 1e-7, 0.3, 3, Math.PI - 1e-9, Math.PI]) {
    const R0 = randomRotation(random)
    const axis = randomUnit(random)
    const R1 = product(rotation(axis, angle), R0)
    const [p0, p1] = [randomUnit(random), randomUnit(random)]
    const twist = new Float64Array(6)
    twistBetween(R0, p0, R1, p1, dt, twist)
    const [x, y, z] = twist
    const speed = Math.hypot(x, y, z)
    // half a turn is known to the root of the rounding
    expect(Math.abs(0.01 * speed - angle)).toBeLessThan(1e-8)
    const end = speed > 0 ? product(rotation([x / speed, y / speed, z / speed], 0.01 * speed), R0) : R0
    for (let k = 0; k < 9; k++) expect(end[k]).toBeCloseTo(R1[k], 7)
    for (let k = 0; k < 3; k++) expect(p0[k] + 0.01 * twist[3 + k]).toBeCloseTo(p1[k], 12)
  }
})

test('a limit of iterations is told, with a time before which nothing touches; what cannot be answered is refused', () => {
  const [h, r, l] = [0.4, 0.05, 0.8]
  const rod = moving({ type: 'capsule', radius: r, length: l }, { at: [0, 0, h + l], omega: [0, 3, 0] })
  const found = contact(moving(ground), moving({ type: 'sphere', radius: 0.2 }, { at: [0, 0, 3], v: [0, 0, -2] }), 10, 1)
  expect(found.status).toBe('limit')
  expect(found.time).toBeLessThanOrEqual(1.4)
  expect(contact(moving(ground), rod, 1e3, 3).status).toBe('limit')
  expect(() => contact(moving(ground, { omega: [1, 0, 0] }), rod, 1)).toThrow('half-space "halfspace" spins')
  expect(() => contact(moving(ground), moving(ground), 1)).toThrow('two half-spaces')
  const field: Shape = { type: 'heightfield', rows: 2, columns: 2, spacing: [1, 1], heights: new Float64Array(4) }
  expect(() => moving(field)).toThrow('is a heightfield')
})
