import { readDae } from './dae.ts'
import { readGltf } from './gltf.ts'
import type { Mesh } from './mesh.ts'
import { MeshError, maxMeshBytes } from './meshError.ts'
import { readMsh } from './msh.ts'
import { readObj } from './obj.ts'
import type { MeshOptions } from './options.ts'
import { readPly } from './ply.ts'
import { readStl } from './stl.ts'

export type { Mesh } from './mesh.ts'
export { MeshError, maxMeshBytes } from './meshError.ts'
export type { MeshOptions } from './options.ts'

const readers: ReadonlyMap<string, (bytes: Uint8Array, options: MeshOptions) => Mesh> = new Map([
  ['stl', readStl],
  ['obj', readObj],
  ['dae', readDae],
  ['gltf', readGltf],
  ['glb', readGltf],
  ['ply', readPly],
  ['msh', readMsh],
])

/** The ends of names whose files can be read, for messages. */
export const meshFormats: readonly string[] = [...readers.keys()]

/** Whether a file can be read, by the end of its name. */
export function isMeshFormat(path: string): boolean {
  return readers.has(extensionOf(path))
}

export function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase()
}

/**
 * The surface in a mesh file: STL, OBJ, COLLADA, glTF 2.0, PLY or MuJoCo's MSH, by the end of its name. Metres as far as the format has
 * units; axes as the file has them, but for glTF, which is turned from y up to z up. @unchecked
 *
 * Files may be untrusted: stated sizes are checked against the file's length before memory is allocated, and the
 * work is linear in that length or within fixed limits.
 *
 * @throws MeshError, and nothing else
 */
export function readMesh(bytes: Uint8Array, path: string, options: MeshOptions = {}): Mesh {
  const read = readers.get(extensionOf(path))
  if (!read) throw new MeshError(`the format "${extensionOf(path)}" is not read; expected ${meshFormats.join(', ')}`)
  if (bytes.length > maxMeshBytes) throw new MeshError(`${bytes.length} bytes; at most ${maxMeshBytes} are read`)
  return read(bytes, options)
}
