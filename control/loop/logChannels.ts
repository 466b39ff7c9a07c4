/** An object with a number by each name and no others. Setters write into the array, which boxes nothing. */
export function channelsInto(names: readonly string[], values: Float64Array): Record<string, number> {
  const others = new Proxy(Object.create(null), {
    set(_, name) {
      throw new RangeError(`there is no channel "${String(name)}"; name it in the controller's log: ['${String(name)}']`)
    },
  })
  // setters of a prototype, which the engine calls without a search
  const setters = Object.create(others)
  names.forEach((name, i) => {
    Object.defineProperty(setters, name, {
      get: () => values[i],
      set(value: unknown) {
        if (typeof value !== 'number') throw notANumber(name, value)
        values[i] = value
      },
    })
  })
  return Object.preventExtensions(Object.create(setters))
}

const notANumber = (name: string, value: unknown) => new TypeError(`log.${name} is ${kind(value)}; it must be a number`)

/** What a value is, for messages. @param by the function that returned it */
export function kind(value: unknown, by = 'update'): string {
  if (value === null || value === undefined) return String(value)
  if (value instanceof Promise) return `a promise (${by} must not be async)`
  if (typeof value !== 'object') return `${typeof value} ${String(value)}`
  const { length } = value as { length?: unknown }
  return typeof length === 'number' ? `${length} entries` : 'an object without a length'
}
