/*
 * Tolerances that more than one file of contact/geometry and contact/detection uses; one that a single file uses stands
 * there with its reason. All are relative: lengths to the size named, angles as sines or cosines.
 */

/**
 * Points of a shape nearer than this fraction of its half extent are one point, and faces that deviate from a plane by less
 * are flat. It stands well above the noise of single-precision mesh files (6e-8) and well below anything that contact sees.
 */
export const shapeTolerance = 1e-6

/** Lengths below this fraction of the smaller half extent are rounding in a volume of intersection. */
export const lengthRounding = 1e-9

/** GJK ends when its bounds of the distance differ by this fraction of the pair's size; closer, they would be rounding. */
export const gjkPrecision = 1e-13

/** The square of the sine below which two edges are parallel: at 1e-12 their cross product is rounding and nothing else. */
export const parallelSine2 = 1e-24

/**
 * Sine of the angle below which a contact normal lies along a cylinder's axis, or across it: the farthest point is then not
 * unique.
 */
export const flushSine = 1e-7

/**
 * Below this sine of the angle between a cylinder's axis and the normal, the points on its lower rim turn from the
 * steepest direction to one fixed in the body, so that a cylinder that stands does not shuffle its feet. The lowest
 * point is then off by less than twice radius times this.
 */
export const standingSine = 1e-3

/** A wall whose normal has at most this product with the contact normal is upright and faces neither way along it. */
export const uprightProduct = 1e-6

/** An axis must be less along a normal than another by this to be taken in its place: the first of two that tie stays. */
export const axisTie = 1e-6
