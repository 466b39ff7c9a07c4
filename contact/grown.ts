/** A longer list with the entries of the old one. */
export function grown<List extends Uint8Array | Int32Array | Float64Array>(old: List, length: number): List {
  const list = new (old.constructor as new (length: number) => List)(length)
  list.set(old)
  return list
}
