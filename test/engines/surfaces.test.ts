/** Surfaces of shapes by an engine's own rule of combining two, so that pairs have those of the world. */
import { describe, expect, test } from 'vitest'
import { surfacesBy } from '../../engines/surfaces.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { createWorld } from '../browser/inNode.ts'

const rules = {
  mean: (a: number, b: number) => (a + b) / 2,
  geometric: (a: number, b: number) => Math.sqrt(a * b),
  product: (a: number, b: number) => a * b,
} as const

describe('surfaces by a rule', () => {
  for (const [rule, combine] of Object.entries(rules))
    test(`${rule}: wheels that grip and a caster that slides have on the floor what the world states`, () => {
      const world = createWorld(loadOwnRobot('diffdrive'), 'ncp')
      const { touching, pairs } = world
      const lacks: string[] = []
      const values = surfacesBy(world, 'friction', rule as keyof typeof rules, lacks)
      const floor = touching.placed.findIndex(({ body }) => body === 0)
      const seen = new Set<number>()
      touching.placed.forEach(({ body }, s) => {
        if (body === 0 || !pairs.allows(Math.min(s, floor), Math.max(s, floor))) return
        const value = touching.materials.friction[pairs.numberOf(Math.min(s, floor), Math.max(s, floor))]
        seen.add(value)
        expect(combine(values[s], values[floor])).toBeCloseTo(value, 6)
        expect(values[s]).toBeGreaterThanOrEqual(0)
      })
      expect(seen.size).toBeGreaterThan(1)
      if (lacks.length > 0) expect(lacks).toEqual(['friction between links of one robot as stated'])
    })
})
