import { describe, expect, test } from 'vitest'
import {
  type Collider,
  type PlacedShape,
  placeCollider,
  placeCore,
  type Shape,
  signedDistance,
} from '../../../contact/geometry/index.ts'
import { constraintKind, contactChoice, type DetectorOptions, featureKind, readFeatures } from '../../../contact/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { trials } from '../../dailyModels.ts'
import { contactsOf, fixedBox, ground, Scene } from '../detection/scene.ts'
import { colliderAt, identity, origin, randomRotation, randomShapes, randomUnit } from '../geometry/poses.ts'
import { type RuleName, rules } from './constraintScene.ts'

const point: Shape = { type: 'sphere', radius: 0 }

const reading = (rule: RuleName = 'exact'): DetectorOptions => ({
  reading: 'features',
  features: readFeatures({ rule: rules[rule], epsilon: 0.01 }),
})

const fixed = (shape: Shape): PlacedShape => ({ name: 'fixed', body: 0, shape, R: identity, p: origin })

/** 0.05 s at rest look 2.5 cm ahead. */
const horizon = 0.05
const margin = 9.81 * horizon ** 2 + 1e-4

/** Within 5 cm of the surface of a shape about the origin, mostly near its edges and corners, which stand out. */
function nearSurface(body: Collider, random: Random, out: Float64Array): number[] {
  const particle = colliderAt(point, identity, origin)
  const u = randomUnit(random)
  const wanted = random.between(-0.05, 0.05)
  const p = new Float64Array(3)
  let [low, high] = [0, 2]
  for (let k = 0; k < 20; k++) {
    const t = 0.5 * (low + high)
    for (let d = 0; d < 3; d++) p[d] = t * u[d]
    placeCollider(particle, identity, p, identity, origin)
    placeCore(particle)
    signedDistance(body, particle, out)
    if (out[0] < wanted) low = t
    else high = t
  }
  return [...p]
}

describe('a point and a polyhedron', () => {
  for (const side of ['the point moves', 'the polyhedron moves'] as const) {
    test(`${side}: apart by the greatest gap exactly where the signed distance is positive, and else as deep`, () => {
      const random = createRandom(721)
      const out = new Float64Array(10)
      const count = { inside: 0, outside: 0, beyond: 0, choices: 0 }
      for (let n = 0; n < trials(20); n++) {
        const shape = n % 2 === 0 ? randomShapes.box(random) : randomShapes.hull(random)
        const scene =
          side === 'the point moves' ? new Scene(point, [fixed(shape)], reading()) : new Scene(shape, [fixed(point)], reading())
        const body = colliderAt(shape, identity, origin)
        for (let k = 0; k < 100; k++) {
          const p = nearSurface(body, random, out)
          const distance = out[0]
          const at = side === 'the point moves' ? p : p.map((x) => -x)
          const { constraints, ...found } = scene.detect(identity, at, horizon)
          if (distance > margin + 1e-9) {
            expect(found.count).toBe(0)
            count.beyond++
            continue
          }
          if (distance > margin - 1e-9) continue
          let value = -Infinity
          for (let c = 0; c < found.count; c++) {
            value = Math.max(value, found.gap[c])
            expect(found.kind[c]).toBe(side === 'the point moves' ? featureKind.faceVertex : featureKind.vertexFace)
            // no contact that holds by itself, whatever the others do
            expect(found.applicability[c]).toBe(0.5)
          }
          // outside, the distance may be to an edge; inside it is to a face; 1e-9 is what the search for it leaves
          if (distance > 1e-9) expect(value).toBeGreaterThan(0)
          if (distance > 0) expect(value).toBeLessThan(distance + 1e-9)
          else expect(Math.abs(value - distance)).toBeLessThan(1e-9)
          if (distance > 0) count.outside++
          else count.inside++
          // one constraint that is satisfied by any one face
          expect(constraints.count).toBe(1)
          expect(constraints.disjunctCount).toBe(found.count)
          expect(constraints.kind[0]).toBe(found.count > 1 ? constraintKind.inter : constraintKind.unilateral)
          expect(constraints.pushing[0]).toBe(found.count)
          for (let m = 0; m < found.count; m++) expect(constraints.contact[constraints.contactStart[m]]).toBe(m)
          if (found.count > 1) count.choices++
        }
      }
      for (const seen of Object.values(count)) expect(seen).toBeGreaterThan(trials(200))
    })
  }

  test('have the same under the rules that look at vertices', () => {
    const random = createRandom(722)
    const out = new Float64Array(10)
    for (let n = 0; n < trials(100); n++) {
      const shape = randomShapes.hull(random)
      const p = nearSurface(colliderAt(shape, identity, origin), random, out)
      const lists = (['lnc', 'literal'] as const).map((rule) => {
        const { constraints, count } = new Scene(point, [fixed(shape)], reading(rule)).detect(identity, p, horizon)
        return [count, constraints.count, constraints.disjunctCount, ...constraints.contact.subarray(0, count)]
      })
      expect(lists[0]).toEqual(lists[1])
      if (lists[0][0] > 0) expect(lists[0][1]).toBe(1)
    }
  })
})

test('a point lies on a half-space and on another point by its manifold', () => {
  for (const other of [ground, fixed(point)]) {
    const found = new Scene(point, [other], reading()).detect(randomRotation(createRandom(723)), [0, 0, 0.01], horizon)
    expect(contactsOf(found)).toEqual(contactsOf(new Scene(point, [other]).detect(identity, [0, 0, 0.01], horizon)))
    expect([found.count, found.applicability[0], found.constraints.count]).toEqual([1, 1, 1])
  }
})

describe('peg: a particle of 1 kg and a box of 1 m whose top is at zero', () => {
  const g = 9.81
  const dt = 0.01

  function particle(position: [number, number, number], v: [number, number, number], gravity: number, model = 'peg'): World {
    const options = { shape: point, mass: 1, centerOfMass: [0, 0, 0], inertia: [1, 1, 1, 0, 0, 0] } as const
    return new World({
      robot: createFreeBody({ name: 'particle', ...options, position, gravity: [0, 0, -gravity] }),
      v: [0, 0, 0, ...v],
      fixtures: [fixedBox('box', [1, 1, 1], [0, 0, -0.5])],
      ...contactChoice(model, { compliance: 1e-12 }),
      physical: { friction: 0, restitution: 0 },
      dt,
    })
  }

  test('is let go in the step in which it passes the edge', () => {
    const world = particle([0.475, 0, 0], [1, 0, 0], g)
    for (let k = 1; k <= 8; k++) {
      world.step()
      // steps one and two end on the box, step three 5 mm beyond its edge
      const falling = Math.max(0, k - 2)
      expect(world.state.q[0]).toBeCloseTo(0.475 + 0.01 * k, 12)
      expect(world.state.q[2]).toBeCloseTo((-g * dt * dt * falling * (falling + 1)) / 2, 9)
    }
  })

  test('which Stewart-Trinkle holds up for the rest of the step', () => {
    const world = particle([0.475, 0, 0], [1, 0, 0], g, 'stewart-trinkle')
    for (let k = 1; k <= 3; k++) world.step()
    expect(world.state.q[0]).toBeGreaterThan(0.5)
    expect(world.state.q[2]).toBeCloseTo(0, 9)
  })

  test('rests on top, in the middle and 1 mm from a corner, carried by its weight', () => {
    for (const x of [0, 0.499]) {
      const world = particle([x, x, 0], [0, 0, 0], g)
      for (let k = 0; k < 50; k++) {
        world.step()
        let sum = 0
        for (let c = 0; c < world.contacts.count; c++) sum += world.contacts.impulse[3 * c]
        expect(sum).toBeCloseTo(g * dt, 9)
        expect(world.state.q[2]).toBeCloseTo(0, 9)
      }
    }
  })

  test('is stopped by a side, also just below the edge', () => {
    for (const z of [-0.3, -1e-3]) {
      const world = particle([0.523, 0, z], [-1, 0, 0], 0)
      for (let k = 0; k < 5; k++) world.step()
      expect(world.state.q[0]).toBeCloseTo(0.5, 9)
      expect(world.state.q[2]).toBe(z)
    }
  })
})
