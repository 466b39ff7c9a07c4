/*
 * Tolerances shared by files of contact/geometry and contact/detection; those of a single file are defined there, with their
 * reasons. All are relative: lengths to the size named, angles as sines or cosines.
 */

/**
 * Points of a shape nearer than this fraction of its half extent are one point, and faces that deviate from a plane by less
 * are flat. Well above the noise of single-precision mesh files (6e-8), and well below any length that matters for contact.
 */
export const shapeTolerance = 1e-6

/** Lengths below this fraction of the smaller half extent are rounding in a volume of intersection. */
export const lengthRounding = 1e-9

/** GJK ends when its bounds of the distance differ by this fraction of the pair's size; closer, they would be rounding. */
export const gjkPrecision = 1e-13

/** The square of the sine below which two edges are parallel: at 1e-12 their cross product is only rounding. */
export const parallelSine2 = 1e-24

/**
 * Sine of the angle below which a contact normal lies along a cylinder's axis, or across it: the support point is then not unique.
 */
export const flushSine = 1e-7

/**
 * Below this sine of the angle between a cylinder's axis and the normal, the points on its lower rim turn from the
 * steepest direction to one fixed in the body, so that the feet of a standing cylinder do not wander. The error of the lowest
 * point is then less than twice radius times this.
 */
export const standingSine = 1e-3

/** Greatest product of a wall's normal with the contact normal for which the wall counts as parallel to the contact normal. */
export const uprightProduct = 1e-6

/** Difference in the components of two axes along a normal below which they tie, and the first is used. */
export const axisTie = 1e-6
