import { readDae } from './dae.ts'
import { MeshError, maxMeshBytes } from './meshError.ts'
import { readObj } from './obj.ts'
import { readStl } from './stl.ts'

export { MeshError, maxMeshBytes } from './meshError.ts'

const readers: ReadonlyMap<string, (bytes: Uint8Array) => Float64Array> = new Map([
  ['stl', readStl],
  ['obj', readObj],
  ['dae', readDae],
])

/** The formats whose vertices can be read, by the end of the file's name. */
export function isMeshFormat(path: string): boolean {
  return readers.has(extensionOf(path))
}

export function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase()
}

/**
 * The vertices of a mesh file, n x 3 in metres as far as the format has units.
 *
 * @throws MeshError
 */
export function readMeshPoints(bytes: Uint8Array, path: string): Float64Array {
  const read = readers.get(extensionOf(path))
  if (!read) throw new MeshError(`the format "${extensionOf(path)}" is not read; expected ${[...readers.keys()].join(', ')}`)
  if (bytes.length > maxMeshBytes) throw new MeshError(`${bytes.length} bytes; at most ${maxMeshBytes} are read`)
  return read(bytes)
}
