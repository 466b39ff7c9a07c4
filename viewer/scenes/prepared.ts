import { prepare, type Sources, subjectsOf } from '../../compare/scenario/world/index.ts'
import { ControllerError, isPolicy, openPolicy } from '../../control/index.ts'
import { WatchedFiles } from '../robots/robotFiles.ts'
import { type PreparedScene, readScene, type Scene } from './scene.ts'
import { runInSandbox, runScript } from './script.ts'
import { beside, type Files, memorySources } from './sources.ts'

/** Loads controllers, which runs scripts: a worker alone imports this. @throws as `sceneAtRest`; ControllerError */
export async function prepareScene(scene: Scene): Promise<PreparedScene> {
  const files = new WatchedFiles(scene.files as WatchedFiles)
  const scenario = await readScene({ ...scene, files })
  const sources = { ...memorySources(files), controller: controllersOf(files) }
  return { scenario, prepared: await prepare(sources, scenario, subjectsOf(scenario)[0]), read: files.read }
}

const controllersOf =
  (files: Files): Sources['controller'] =>
  async (file, limits) => {
    const own = (path: string) => files.get(path)
    if (own(file) === undefined) throw new ControllerError(file, 'is not among the files; drop it too')
    if (!isPolicy(file)) return limits === undefined ? runScript(file, own) : runInSandbox(file, own, limits)
    const read = async (path: string) => {
      const bytes = own(path)
      if (bytes === undefined) throw new Error(`${path} is not among the files; drop it too`)
      return bytes
    }
    return openPolicy(file, file, { read, beside })
  }
