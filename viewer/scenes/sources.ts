import { readLogOf, type Sources } from '../../compare/scenario/world/index.ts'
import { loadExamined, memoryResolver, type Robot } from '../../robots/index.ts'
import { isOwnRobot, loadOwnRobot } from '../robots/robotSource.ts'

/** Files by their path, as they were dropped or as a link brings them. */
export type Files = ReadonlyMap<string, Uint8Array>

/** The path that a name has from a file. */
export function beside(file: string, name: string): string {
  const parts = file.split('/').slice(0, -1)
  for (const part of name.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

/** A scenario's files in the page, without its controllers. */
export function memorySources(files: Files): Omit<Sources, 'controller'> {
  const bytesOf = (path: string): Uint8Array => {
    const bytes = files.get(path)
    if (bytes === undefined) throw new Error(`${path} is not among the files; drop it too`)
    return bytes
  }
  return {
    async robot(source, { base, xacro, concave, srdf }): Promise<Robot> {
      if (isOwnRobot(source)) return loadOwnRobot(source, { base }).robot
      const text = new TextDecoder().decode(bytesOf(source))
      return loadExamined(text, {
        file: source,
        base,
        xacroArgs: xacro,
        concave,
        srdf: srdf === undefined ? undefined : { text: new TextDecoder().decode(bytesOf(srdf)), file: srdf },
        resolver: memoryResolver(files as Map<string, Uint8Array>),
      }).robot
    },
    mesh: (file) => ({ stamp: bytesOf(file).length, bytes: () => bytesOf(file) }),
    table: async (file) => readLogOf(file, bytesOf(file)),
  }
}
