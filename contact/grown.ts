/** A longer copy of a list. */
export function grown<List extends Uint8Array | Int32Array | Float64Array>(old: List, length: number): List {
  const list = new (old.constructor as new (length: number) => List)(length)
  list.set(old)
  return list
}
