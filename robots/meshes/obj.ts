import { checkPoints, MeshError, PointList } from './meshError.ts'

/**
 * The vertices of a Wavefront OBJ file, the `v` lines; n x 3 in the file's units. Weights and colours behind the three
 * coordinates are passed by.
 *
 * @throws MeshError
 */
export function readObj(bytes: Uint8Array): Float64Array {
  const text = new TextDecoder().decode(bytes)
  const list = new PointList()
  let lineStart = 0
  for (let line = 1; lineStart < text.length; line++) {
    let lineEnd = text.indexOf('\n', lineStart)
    if (lineEnd < 0) lineEnd = text.length
    if (text.startsWith('v ', lineStart) || text.startsWith('v\t', lineStart)) {
      const words = text.slice(lineStart, lineEnd).trim().split(/\s+/)
      const [x, y, z] = [Number(words[1]), Number(words[2]), Number(words[3])]
      if (words.length < 4 || !Number.isFinite(x + y + z)) throw new MeshError(`line ${line}: a vertex needs three numbers`)
      list.push(x, y, z)
    }
    lineStart = lineEnd + 1
  }
  return checkPoints(list.points())
}
