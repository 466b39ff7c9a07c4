import type { Group } from 'three'
import type { RobotFiles } from '../robots/robotFiles.ts'
import { isOwnRobot, loadOwnRobot, loadRobotFile } from '../robots/robotSource.ts'
import { readVisuals, type Visuals } from '../stage/visuals.ts'
import type { SceneAtRest } from './scene.ts'

/** Visuals of a scene: of robots those of their files, of bodies their shapes. */
export async function visualsOfScene(
  { members, robot }: SceneAtRest,
  files: RobotFiles,
  loads: (change: 1 | -1) => void,
): Promise<Visuals> {
  const links = new Map<string, Group>()
  const incomplete = new Set<string>()
  const problems: string[] = []
  const read = new Map<string, Visuals>()
  for (const { prefix, source, robot: own, fileOf } of members) {
    if (source === undefined) {
      for (const { link } of own.shapes) incomplete.add(prefix + link)
      continue
    }
    let seen = read.get(fileOf)
    if (!seen) {
      const loaded = isOwnRobot(source) ? loadOwnRobot(source) : loadRobotFile(files, source, '')
      seen = await readVisuals(loaded.examined, loaded.files, loads)
      read.set(fileOf, seen)
      problems.push(...seen.problems)
    }
    const isOwn = (link: string) => own.frames.some(({ name }) => name === link)
    for (const [name, group] of seen.links) if (isOwn(name)) links.set(prefix + name, group)
    for (const name of seen.incomplete) if (isOwn(name)) incomplete.add(prefix + name)
  }
  // a robot whose file states no visuals would be invisible beside others that have them
  for (const { link } of robot.shapes) if (!links.has(link)) incomplete.add(link)
  return { links, incomplete, problems }
}
