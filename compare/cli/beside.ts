import { didYouMean } from '../../dynamics/index.ts'
import { adaptersOf, byFile, EngineMissing, engineNames } from '../../engines/index.ts'
import type { ModelChoice } from '../scenario/index.ts'
import { UsageError } from './errors.ts'

/** The flag of verbs that have engines from outside beside the models. */
export const besideFlag = {
  '--beside <engines>':
    'engines from outside as further models: drake,mujoco,newton (as they come), drake:sap (one of its settings), drake:all',
} as const

/**
 * The engines that the flag names, as models of a scenario.
 *
 * @param readsFile whether they read the robot's file themselves
 * @throws UsageError for one that is not known or not installed
 */
export async function besideModels({ beside }: { readonly beside?: string }, readsFile = false): Promise<ModelChoice[]> {
  if (beside === undefined) return []
  const columns = await Promise.all(beside.split(',').map(columnsOf)).catch((error: Error) => {
    throw error instanceof EngineMissing ? new UsageError(`--beside: ${error.message}`) : error
  })
  // a name that is in no registry
  return columns.flat().map((name) => ({ name: readsFile ? byFile(name) : name, options: {} }) as unknown as ModelChoice)
}

/** Columns of `drake`, `drake:sap` or `drake:all`. */
async function columnsOf(word: string): Promise<readonly string[]> {
  const [engine, variant] = word.split(':')
  if (!engineNames.includes(engine))
    throw new UsageError(`--beside found "${engine}", expected ${engineNames.join(', ')}${didYouMean(engine, engineNames)}`)
  const names = (await adaptersOf(engine)).map(({ name }) => name)
  if (variant === undefined) return names.slice(0, 1)
  if (variant === 'all') return names
  const own = names.map((name) => name.split(', ')[1]?.toLowerCase().replaceAll(' ', '-') ?? '')
  if (!own.includes(variant))
    throw new UsageError(`--beside ${word}: ${engine} has the settings ${own.filter((x) => x !== '').join(', ')}, or all`)
  return [names[own.indexOf(variant)]]
}
