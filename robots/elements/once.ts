/** The value of a key, made at the first call and kept: equal work is done once. */
export function once<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  if (!known.has(key)) known.set(key, make())
  return known.get(key) as V
}
