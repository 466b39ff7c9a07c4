import { checkPoints, MeshError, maxTriangles, PointList } from './meshError.ts'

const headerBytes = 84
const triangleBytes = 50

/**
 * The vertices of an STL file, binary or ASCII, each triangle's three in turn; n x 3 in the file's units.
 *
 * A binary file is known by its size, 84 + 50 n bytes for the n that it states, because many binary files begin with the
 * word `solid` that marks ASCII ones. Nothing is allocated before the size has been found to hold what is claimed.
 *
 * @throws MeshError
 */
export function readStl(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const claimed = bytes.length >= headerBytes ? view.getUint32(80, true) : -1
  if (claimed >= 0 && bytes.length === headerBytes + triangleBytes * claimed) return readBinary(view, claimed)
  if (looksAscii(bytes)) return readAscii(new TextDecoder().decode(bytes))
  if (claimed < 0) throw new MeshError(`${bytes.length} bytes are too few for an STL file`)
  const needed = headerBytes + triangleBytes * claimed
  if (bytes.length < needed) {
    throw new MeshError(`it claims ${claimed} triangles, which take ${needed} bytes, but has ${bytes.length}`)
  }
  return readBinary(view, claimed)
}

function readBinary(view: DataView, count: number): Float64Array {
  if (count > maxTriangles) throw new MeshError(`${count} triangles; at most ${maxTriangles} are read`)
  const points = new Float64Array(9 * count)
  for (let triangle = 0; triangle < count; triangle++) {
    const start = headerBytes + triangleBytes * triangle + 12 // after the normal
    for (let k = 0; k < 9; k++) points[9 * triangle + k] = view.getFloat32(start + 4 * k, true)
  }
  return checkPoints(points)
}

/** `solid` first and a `facet` soon after; a binary header that begins with `solid` is followed by bytes that are no text. */
function looksAscii(bytes: Uint8Array): boolean {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1024)).trimStart().toLowerCase()
  return head.startsWith('solid') && (head.includes('facet') || head.includes('endsolid'))
}

function readAscii(text: string): Float64Array {
  const list = new PointList()
  let lineStart = 0
  for (let line = 1; lineStart < text.length; line++) {
    let lineEnd = text.indexOf('\n', lineStart)
    if (lineEnd < 0) lineEnd = text.length
    const words = text.slice(lineStart, lineEnd).trim().split(/\s+/)
    if (words[0].toLowerCase() === 'vertex') {
      const [x, y, z] = [Number(words[1]), Number(words[2]), Number(words[3])]
      if (words.length !== 4 || !Number.isFinite(x + y + z)) throw new MeshError(`line ${line}: a vertex needs three numbers`)
      list.push(x, y, z)
    }
    lineStart = lineEnd + 1
  }
  return checkPoints(list.points())
}
