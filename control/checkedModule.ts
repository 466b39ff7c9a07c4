import { closest } from '../dynamics/index.ts'

/** Optional members by their types: a misspelt one would otherwise be ignored silently. */
const optional = { rate: 'number', output: 'string', log: 'object', metrics: 'function' } as const

const remedy = 'write `export default { init(setup) { ... }, update(state, dt) { ... } }`'

/** The problem of the exports of a controller's file; undefined if there is none. @unchecked */
export function problemOf({ default: controller }: Readonly<Record<string, unknown>>): string | undefined {
  if (controller === undefined) return `has no default export; ${remedy}`
  if (typeof controller !== 'object' || controller === null)
    return `its default export is a ${typeof controller}, not an object; ${remedy}`
  for (const name of ['init', 'update'])
    if (typeof (controller as Record<string, unknown>)[name] !== 'function')
      return `its default export has no function "${name}"; ${remedy}`
  for (const [name, value] of Object.entries(controller)) {
    const meant = closest(
      name,
      Object.keys(optional).filter((known) => !(known in controller)),
    ) as keyof typeof optional | undefined
    if (!(name in optional) && meant !== undefined && typeof value === optional[meant])
      return `its default export has a member "${name}", which is none of a controller. Did you mean ${meant}?`
  }
  const { log, output } = controller as { log?: unknown; output?: unknown }
  if (output !== undefined && output !== 'efforts' && output !== 'ctrl')
    return "its output is neither 'efforts' nor 'ctrl'; write `output: 'ctrl'` to give the inputs of the file's actuators"
  if (log !== undefined && !(Array.isArray(log) && log.every((name) => typeof name === 'string')))
    return "its log is no list of names; write `log: ['height']`, and `state.log.height = ...` in update"
  return undefined
}
