/** Inner product of two lists, not for hot code: a returned number may be boxed on the heap. @unchecked */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k]
  return sum
}
