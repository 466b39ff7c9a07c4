/*
 * Tolerances shared by files of contact/geometry and contact/detection; those of one file are in that file. All are relative: lengths to
 * the stated size, angles as sines or cosines.
 */

/**
 * Points of a shape nearer than this fraction of its half extent count as one, and faces that deviate from a plane by less are flat. Well
 * above the noise of single-precision mesh files (6e-8), and well below any length that matters for contact.
 */
export const shapeTolerance = 1e-6

/** Lengths below this fraction of the smaller half extent are rounding in a volume of intersection. */
export const lengthRounding = 1e-9

/** Difference of the bounds of the distance, relative to the pair's size, at which GJK ends; less would be rounding. */
export const gjkPrecision = 1e-13

/** The square of the sine below which two edges are parallel: at 1e-12 their cross product is only rounding. */
export const parallelSine2 = 1e-24

/** Sine of the angle below which a contact normal counts as along a cylinder's axis, or orthogonal to it. */
export const flushSine = 1e-7

/**
 * Sine of the angle between a cylinder's axis and the normal below which the points on its lower rim turn from the direction of steepest
 * descent to one fixed in the body, so that the feet of a standing cylinder do not wander. The error of the lowest point is then less than
 * twice the radius times this.
 */
export const standingSine = 1e-3

/** Greatest product of a wall's normal with the contact normal at which the wall counts as parallel to it. */
export const uprightProduct = 1e-6

/** Difference in the components of two axes along a normal below which they count as equal, and the first is used. */
export const axisTie = 1e-6
