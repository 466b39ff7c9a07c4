/** The engines from outside, each in one file: add a line here, and a file beside. */
import type { EngineAdapter } from './engine.ts'

export * from './engine.ts'

const files: Readonly<Record<string, () => Promise<{ readonly adapters: readonly EngineAdapter[] }>>> = {
  cannon: () => import('./cannon/cannon.ts'),
  jolt: () => import('./jolt/jolt.ts'),
  mujoco: () => import('./mujoco/mujoco.ts'),
  rapier: () => import('./rapier/rapier.ts'),
}

/** The real MuJoCo in the place of a contact model. */
export const besideMujoco = () => import('./mujoco/beside.ts')

export const engineNames: readonly string[] = Object.keys(files)

/**
 * The adapters of an engine, one for each of its settings.
 *
 * @throws EngineMissing if its package is not installed
 */
export async function adaptersOf(engine: string): Promise<readonly EngineAdapter[]> {
  try {
    return (await files[engine]()).adapters
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new EngineMissing(engine, error as Error)
  }
}

/** An engine's package is not installed. */
export class EngineMissing extends Error {
  override name = 'EngineMissing'
  constructor(engine: string, cause: Error) {
    const [, name = engine] = /'([^']+)'/.exec(cause.message) ?? []
    super(`${engine}: needs the package ${name}; npm install ${name}, or leave ${engine} out of --engines`, { cause })
  }
}
