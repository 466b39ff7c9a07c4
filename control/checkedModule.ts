const remedy = 'write `export default { init(setup) { ... }, update(state, dt) { ... } }`'

/** What is wrong with the exports of a controller's file; undefined if nothing is. */
export function problemOf({ default: controller }: Readonly<Record<string, unknown>>): string | undefined {
  if (controller === undefined) return `has no default export; ${remedy}`
  if (typeof controller !== 'object' || controller === null)
    return `its default export is a ${typeof controller}, not an object; ${remedy}`
  for (const name of ['init', 'update'])
    if (typeof (controller as Record<string, unknown>)[name] !== 'function')
      return `its default export has no function "${name}"; ${remedy}`
  const { log } = controller as { log?: unknown }
  if (log !== undefined && !(Array.isArray(log) && log.every((name) => typeof name === 'string')))
    return "its log is no list of names; write `log: ['height']`, and `state.log.height = ...` in update"
  return undefined
}
