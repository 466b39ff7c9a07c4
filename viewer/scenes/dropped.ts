import type { RobotFiles } from '../robots/robotFiles.ts'
import type { Origin, Scene } from './scene.ts'

/** A script or policy, as a scene of one robot that it drives. */
export function sceneOfController(files: RobotFiles, controller: string, robot: string, origin: Origin): Scene {
  const file = 'scene of the page.yaml'
  const text = `robot: ${JSON.stringify(robot)}\ncontroller: { file: ${JSON.stringify(controller)} }\nduration: 60 s\n`
  return { file, origin, files: new Map([...files.all, [file, new TextEncoder().encode(text)]]) }
}
