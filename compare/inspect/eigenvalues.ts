import { eigenSymmetric } from '../../dynamics/index.ts'

/** Eigenvalues of a symmetric matrix, rising. */
export const eigenvalues = (A: readonly (readonly number[])[]): number[] =>
  eigenSymmetric(Float64Array.from(A.flat()), A.length).values.sort((x, y) => x - y)
