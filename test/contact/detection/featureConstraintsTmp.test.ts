import { test } from 'vitest'
import { createFeatureBody } from '../../../contact/detection/featureBody.ts'
import { colliderAt, identity, product, rotation } from '../geometry/poses.ts'
import { constrained, named } from './constraintScene.ts'
import { cube } from './featureScene.ts'
test('x', () => {
const tipDown = product(rotation([0, 1, 0], Math.atan(Math.SQRT2)), rotation([0, 0, 1], Math.PI / 4))
const half = Math.sqrt(3) / 2
  const a = createFeatureBody(colliderAt(cube, tipDown, [0, 0, -half])), b = createFeatureBody(
    colliderAt(cube, product(rotation([0, 0, 1], 1), tipDown), [0, 0, half]))
  const r = constrained(a, b, 'literal', { margin: 0.05 })
  for (const c of r.constraints) console.log(named(c))
  for (const c of r.contacts) console.log(c.kind, c.a, c.b, c.gap, c.applicability, c.applicable)
})
