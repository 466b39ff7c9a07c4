import * as is from '../../dynamics/math/arguments.ts'
import type { PlacedShape, Surface } from './placedShape.ts'

/** Expected values of a surface. */
export const surfaceKinds: { readonly [Name in keyof Surface]-?: is.Kind } = {
  ...{ friction: is.number(0), frictionAcross: is.number(0), frictionAxis: is.either(is.numbers(3), is.oneOf('world')) },
  ...{ staticFriction: is.number(0), viscousFriction: is.number(0, 's/m'), stribeckVelocity: is.number(0, 'm/s') },
  ...{ torsionRadius: is.number(0, 'm'), rollingLength: is.number(0, 'm'), restitution: is.number(0, '', 1) },
  ...{ stiffness: is.number(0, 'N/m'), damping: is.number(0, 'N s/m'), solvedStaticFriction: is.flag },
  ...{ adhesion: is.number(0, 'N'), adhesionRange: is.number(0, 'm'), geom: is.made("a geom's surface", 'priority', 'condim') },
}

/** A placed shape; `checkShape` has the rest. */
export const placedShapeKind = is.fields<PlacedShape>(
  { name: is.text, body: is.whole(0), shape: is.made('a shape', 'type'), R: is.rotation(), p: is.numbers(3) },
  {
    ...surfaceKinds,
    ...{ surfaceVelocity: is.either(is.numbers(6), is.callback), contype: is.finite, conaffinity: is.finite },
    ...{ geomPairs: is.listOf(is.made('a pair of geoms', 'geoms')), geomName: is.text, linkCenter: is.numbers(3), link: is.text },
  },
)
