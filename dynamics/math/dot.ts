/** Inner product of two lists, not for hot code: a returned number may be boxed on the heap. @unchecked */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k]
  return sum
}

/** Vector product of two lists of three, not for hot code. @unchecked */
export const crossed = (a: ArrayLike<number>, b: ArrayLike<number>): [number, number, number] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
