/** The engines from outside, each in a folder: add a line here, and a folder beside. */
import type { EngineAdapter } from './engine.ts'
import { installedVersion, installing, pythonEngines } from './python/installation.ts'

const files: Readonly<Record<string, () => Promise<{ readonly adapters: readonly EngineAdapter[] }>>> = {
  cannon: () => import('./cannon/cannon.ts'),
  jolt: () => import('./jolt/jolt.ts'),
  mujoco: () => import('./mujoco/mujoco.ts'),
  rapier: () => import('./rapier/rapier.ts'),
  'mujoco-native': () => import('./mujoco-native/native.ts'),
  drake: () => import('./drake/drake.ts'),
  newton: () => import('./newton/newton.ts'),
  dart: () => import('./dart/dart.ts'),
  pinocchio: () => import('./pinocchio/pinocchio.ts'),
  pybullet: () => import('./pybullet/pybullet.ts'),
  sapien: () => import('./sapien/sapien.ts'),
  exudyn: () => import('./exudyn/exudyn.ts'),
}

export const engineNames: readonly string[] = Object.keys(files)

/**
 * The adapters of an engine, one for each of its settings; the first is as it comes.
 *
 * @throws EngineMissing if its package is not installed
 */
export async function adaptersOf(engine: string): Promise<readonly EngineAdapter[]> {
  const python = pythonEngines.find((name) => name === engine)
  if (python !== undefined && installedVersion(python) === undefined) throw new EngineMissing(engine, installing(python))
  try {
    return (await files[engine]()).adapters
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const [, name = engine] = /'([^']+)'/.exec((error as Error).message) ?? []
    throw new EngineMissing(engine, `npm install ${name}`, error as Error)
  }
}

/** The adapter of a column, of any engine that is installed. */
export async function adapterNamed(column: string): Promise<EngineAdapter | undefined> {
  for (const engine of engineNames) {
    const adapters = await adaptersOf(engine).catch((error: Error) => {
      if (error instanceof EngineMissing) return []
      throw error
    })
    const found = adapters.find(({ name }) => name === column)
    if (found !== undefined) return found
  }
  return undefined
}

/** An engine's package is not installed. */
export class EngineMissing extends Error {
  override name = 'EngineMissing'
  constructor(engine: string, command: string, cause?: Error) {
    super(`${engine} is not installed: ${command}, or leave it out`, { cause })
  }
}
