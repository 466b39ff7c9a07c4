import { filesOf } from '../../robots/files.ts'
import { type Look, type Looks, looksOf } from '../recording/replay/index.ts'
import type { RobotCache } from '../scenario/world/files.ts'

/** The looks of robots that were read. */
export async function looksOfRobots(robots: RobotCache): Promise<Looks> {
  const looks = new Map<string, readonly Look[]>()
  for (const [key, loading] of robots) {
    const files = filesOf(await loading)
    if (files) looks.set(JSON.parse(key)[2], await looksOf(files.links, files.meshes()))
  }
  return looks
}
