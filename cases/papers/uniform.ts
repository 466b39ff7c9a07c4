import type { Random } from '../../compare/scenario/world/random.ts'
import { cos, sin } from '../../dynamics/index.ts'

export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random.next()
}

/** A unit quaternion x, y, z, w, uniform over all rotations (Shoemake, Graphics Gems III, 1992). */
export function uniformRotation(random: Random): [number, number, number, number] {
  const u = random.next()
  const a = 2 * Math.PI * random.next()
  const b = 2 * Math.PI * random.next()
  const [outer, inner] = [Math.sqrt(1 - u), Math.sqrt(u)]
  return [outer * sin(a), outer * cos(a), inner * sin(b), inner * cos(b)]
}
