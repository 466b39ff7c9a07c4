/**
 * Offsets of a group's numbers in an array: w (3), P (3), D (9, row-major), then the law's parameter, the smoothing, the pyramid's first
 * corner, and the five of a compliant law (`spring`).
 */
export const slot = { w: 0, P: 3, D: 6, parameter: 15, smoothing: 16, cosine: 17, sine: 18, spring: 19, size: 24 } as const

/** A law's projection: reads w, its parameter and the smoothing in b from o on, and writes P and D. */
export type Projection = (b: Float64Array, o: number) => void
