import type { PlacedShape } from '../contact/geometry/index.ts'
import type { World } from '../simulation/index.ts'
import { UnsupportedScene } from './engine.ts'

/**
 * Friction and restitution of each shape, so that the smaller friction and the larger restitution of two shapes are those of their pair in the
 * world: surfaces combined by the default rules. One that is silent counts as the other of its pair there, and as the world's where both are.
 *
 * @throws UnsupportedScene where no value for silent surfaces does that
 */
export function surfacesOf({
  shapes,
  fixtures,
  physical,
}: World): (shape: PlacedShape) => { readonly friction: number; readonly restitution: number } {
  const all: readonly PlacedShape[] = [...shapes, ...fixtures]
  const silent = (key: 'friction' | 'restitution', neutral: (stated: number[]) => number): number => {
    const stated = all.flatMap((shape) => shape[key] ?? [])
    const value = neutral([...stated, physical[key]])
    const silentPairs =
      fixtures.some((shape) => shape[key] === undefined) || shapes.filter((shape) => shape[key] === undefined).length > 1
    if (silentPairs && shapes.some((shape) => shape[key] === undefined) && value !== physical[key])
      throw new UnsupportedScene(`surfaces of which some state their ${key} and some do not`)
    return value
  }
  const friction = silent('friction', (values) => Math.max(...values))
  const restitution = silent('restitution', (values) => Math.min(...values))
  return (shape) => ({ friction: shape.friction ?? friction, restitution: shape.restitution ?? restitution })
}
