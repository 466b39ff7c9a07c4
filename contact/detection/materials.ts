import type { PlacedShape } from '../geometry/index.ts'

type Surface = Pick<PlacedShape, 'friction' | 'restitution'>

/** Friction of a pair: the smaller if both surfaces state one, the only one if one does, else the default. */
export function pairFriction(a: Surface, b: Surface, byDefault: number): number {
  if (a.friction !== undefined && b.friction !== undefined) return Math.min(a.friction, b.friction)
  return a.friction ?? b.friction ?? byDefault
}

/** Restitution of a pair: the larger if both surfaces state one, the only one if one does, else the default. */
export function pairRestitution(a: Surface, b: Surface, byDefault: number): number {
  if (a.restitution !== undefined && b.restitution !== undefined) return Math.max(a.restitution, b.restitution)
  return a.restitution ?? b.restitution ?? byDefault
}
