import { describe, expect, test } from 'vitest'
import { createFeatureBody, type FeatureBody } from '../../../contact/detection/featureBody.ts'
import { constrainFeatures } from '../../../contact/detection/featureConstraints.ts'
import { featureContacts } from '../../../contact/detection/featureContacts.ts'
import { FeatureContacts, type FeatureOptions, featureKind, featureLimits } from '../../../contact/detection/featureSet.ts'
import type { Collider } from '../../../contact/geometry/index.ts'
import { ContactConstraints } from '../../../contact/solvers/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { colliderAt, identity, product, randomUnit, rotation } from '../geometry/poses.ts'
import { type Constraint, constrained, constraintsOf, constraintValue, named } from './constraintScene.ts'
import {
  bodyAt,
  cube,
  edgeBetween,
  faceAlong,
  hull,
  type Listed,
  listed,
  randomNearPair,
  separation,
  vertexAt,
} from './featureScene.ts'

const full = process.env.FEATHERBED_FULL !== undefined
const pairs = full ? 10_000 : 100
/** Features that lie flat within the relaxation are one direction: gaps along it are off by that share of their size. */
const askew = 0.02

/** Two random polyhedra, of which every other pair has flush faces, moved along the line of their origins until their separation is given. */
function pairAt(random: Random, apart: number): [Collider, Collider] {
  for (;;) {
    const [a, b] = randomNearPair(random)
    const reach = Math.hypot(...[0, 1, 2].map((k) => b.p[k] - a.p[k]))
    const at = (t: number) =>
      colliderAt(
        b.shape,
        b.R,
        b.p.map((x, k) => x + (t * (x - a.p[k])) / reach),
      )
    let [low, high] = [-0.1, 0.1]
    if (!(separation(a, at(low)) < apart && separation(a, at(high)) > apart)) continue
    for (let k = 0; k < 45; k++) {
      const middle = 0.5 * (low + high)
      if (separation(a, at(middle)) > apart) high = middle
      else low = middle
    }
    return [a, at(high)]
  }
}

interface Motion {
  readonly axis: Float64Array
  readonly turn: number
  readonly shift: Float64Array
}

const randomMotion = (random: Random, most: number): Motion => ({
  axis: randomUnit(random),
  turn: random.between(0, most),
  shift: randomUnit(random).map((x) => x * random.between(0, most)),
})

/** Where a body was before the motion: turned back about its origin, then shifted back. */
const before = ({ shape, R, p }: Collider, { axis, turn, shift }: Motion) =>
  colliderAt(
    shape,
    product(rotation(axis, -turn), R),
    p.map((x, k) => x - shift[k]),
  )

/** The gap after the motion of B, to first order. */
const gapAfter = ({ p }: Collider, { axis: [x, y, z], turn, shift }: Motion) => {
  return ({ gap, normal: n, point }: Listed) => {
    const [rx, ry, rz] = [0, 1, 2].map((k) => point[k] - p[k])
    const velocity = [y * rz - z * ry, z * rx - x * rz, x * ry - y * rx].map((w, k) => turn * w + shift[k])
    return gap + n[0] * velocity[0] + n[1] * velocity[1] + n[2] * velocity[2]
  }
}

/** What the constraints say of the end of a motion, at its start. */
function foretold(a: Collider, end: Collider, motion: Motion, options: FeatureOptions): number {
  const start = before(end, motion)
  const { constraints } = constrained(createFeatureBody(a), createFeatureBody(start), 'exact', options)
  return constraintValue(constraints, gapAfter(start, motion))
}

const slab = { type: 'box', size: [2, 2, 0.5] } as const
const roof = hull(-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1, 0, -1, 0, 0, 1, 0)
const upsideDown = rotation([1, 0, 0], Math.PI)
const tipDown = product(rotation([0, 1, 0], Math.atan(Math.SQRT2)), rotation([0, 0, 1], Math.PI / 4))
const half = Math.sqrt(3) / 2
/** Pairs that touch, B above A. */
const scenes: Record<string, () => [Collider, Collider]> = {
  'a block on a block of the same size': () => [colliderAt(cube, identity, [0, 0, 0]), colliderAt(cube, identity, [0, 0, 1])],
  'a block half off an edge': () => [colliderAt(slab, identity, [0, 0, -0.25]), colliderAt(cube, identity, [1, 0.1, 0.5])],
  'a block half off a corner, turned': () => [
    colliderAt(slab, identity, [0, 0, -0.25]),
    colliderAt(cube, rotation([0, 0, 1], 0.5), [0.9, 0.95, 0.5]),
  ],
  'a block with its edge on an edge': () => [
    colliderAt(slab, identity, [0, 0, -0.25]),
    colliderAt(cube, identity, [1.5, 0.1, 0.5]),
  ],
  'a block with its corner on a corner': () => [
    colliderAt(slab, identity, [0, 0, -0.25]),
    colliderAt(cube, identity, [1.5, 1.5, 0.5]),
  ],
  'a block with its edge on a face': () => [
    colliderAt(slab, identity, [0, 0, -0.25]),
    colliderAt(cube, rotation([1, 0, 0], Math.PI / 4), [0.8, 0, Math.SQRT1_2]),
  ],
  'two roofs with crossed ridges': () => [
    colliderAt(roof, identity, [0, 0, 0]),
    colliderAt(roof, product(upsideDown, rotation([0, 0, 1], 0.7)), [0.1, 0.2, 0]),
  ],
  'two roofs with parallel ridges': () => [colliderAt(roof, identity, [0, 0, 0]), colliderAt(roof, upsideDown, [0, 0.4, 0])],
  'a cube on its tip on a face': () => [colliderAt(slab, identity, [0, 0, -0.25]), colliderAt(cube, tipDown, [0.2, 0.1, half])],
  'a cube on its tip on an edge': () => [colliderAt(slab, identity, [0, 0, -0.25]), colliderAt(cube, tipDown, [1, 0.1, half])],
  'a cube on its tip on a corner': () => [colliderAt(slab, identity, [0, 0, -0.25]), colliderAt(cube, tipDown, [1, 1, half])],
  'a cube on its tip on the tip of another': () => [
    colliderAt(cube, tipDown, [0, 0, -half]),
    colliderAt(cube, product(rotation([0, 0, 1], 1), tipDown), [0, 0, half]),
  ],
}

/** Edges that lie on each other along their length, and end or begin there. */
const parallel = new Set([
  'a block with its edge on an edge',
  'a block with its corner on a corner',
  'two roofs with parallel ridges',
])



test('find', () => {
  const random = createRandom(101)
  for (let k = 0; k < 4000; k++) {
    const [a, b] = pairAt(random, (k % 2 === 0 ? -1 : 1) * 10 ** random.between(-9, -2))
    if (k < 2700 && process.env.QUICK === undefined) { if (k !== 2733) continue }
    const apart = separation(a, b)
    const { constraints, contacts } = constrained(createFeatureBody(a), createFeatureBody(b), 'exact', { margin: 0.03, epsilon: 0.01 })
    const error = constraintValue(constraints, ({ gap }) => gap) - apart
    if (k === 2733 || error > 1e-8 + askew * Math.abs(apart) || error < -1e-5 - 1e-8 - askew * Math.abs(apart)) {
      console.log(k, 'apart', apart, 'error', error, a.shape.type, b.shape.type, a.radius, b.radius)
      for (const c of constraints) console.log('  ', named(c))
      for (const c of contacts) console.log('    ', c.kind, c.a, c.b, 'gap', c.gap.toExponential(3), 'aside', c.aside.toExponential(2), 'app', c.applicability.toExponential(2), [...c.normal].map((x) => x.toFixed(5)).join(' '))
    }
  }
})
void [foretold, randomMotion, before, gapAfter, scenes, parallel, listed, cube, edgeBetween, faceAlong, hull, vertexAt, bodyAt, constraintsOf, featureContacts, featureKind, ContactConstraints, constrainFeatures, FeatureContacts, featureLimits, expect, describe]
