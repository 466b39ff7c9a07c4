/*
 * JSON text of messages, put together without building objects first: a message is written at every step.
 */

/** A number so that it reads back bit for bit, -0 too; null if it is not finite. */
export function numberText(x: number): string {
  if (x === 0) return Object.is(x, -0) ? '-0' : '0'
  return Number.isFinite(x) ? String(x) : 'null'
}

/** count numbers of an array, from entry `at`. */
export function listText(values: Float64Array, at = 0, count = values.length): string {
  let text = '['
  for (let i = at; i < at + count; i++) text += i === at ? numberText(values[i]) : ',' + numberText(values[i])
  return text + ']'
}

/** Three numbers from entry `at`, as x, y, z. */
export function vectorText(values: ArrayLike<number>, at = 0): string {
  return `{"x":${numberText(values[at])},"y":${numberText(values[at + 1])},"z":${numberText(values[at + 2])}}`
}

/** A quaternion from entry `at`. */
export function quaternionText(values: ArrayLike<number>, at = 0): string {
  const [x, y, z, w] = [values[at], values[at + 1], values[at + 2], values[at + 3]]
  return `{"x":${numberText(x)},"y":${numberText(y)},"z":${numberText(z)},"w":${numberText(w)}}`
}

/** Position (3) and orientation (quaternion) as a Foxglove pose. */
export function poseText(position: ArrayLike<number>, quaternion: ArrayLike<number>, p = 0, q = 0): string {
  return `{"position":${vectorText(position, p)},"orientation":${quaternionText(quaternion, q)}}`
}

/** Time of a message, from simulated seconds. */
export const nanoseconds = (t: number): bigint => BigInt(Math.round(t * 1e9))

/** The same as Foxglove writes it. */
export function timeText(nanoseconds: bigint): string {
  return `{"sec":${nanoseconds / 1_000_000_000n},"nsec":${nanoseconds % 1_000_000_000n}}`
}
