import { type Mesh, MeshBuilder } from './mesh.ts'
import { MeshError, maxCoordinate, maxTriangles } from './meshError.ts'
import { TextScanner } from './textScanner.ts'

const headerBytes = 84
const triangleBytes = 50
const normalBytes = 12

/**
 * An STL file, binary or ASCII, in the file's units. Its normals and colours are ignored.
 *
 * A binary file is known by its size, 84 + 50 n bytes for the n that it states, because many binary files begin with the
 * word `solid` that marks ASCII ones. Nothing is allocated before the stated count is checked against the size.
 *
 * @throws MeshError
 */
export function readStl(bytes: Uint8Array): Mesh {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const claimed = bytes.length >= headerBytes ? view.getUint32(80, true) : -1
  const needed = headerBytes + triangleBytes * claimed
  if (claimed >= 0 && bytes.length === needed) return readBinary(view, claimed)
  if (looksAscii(bytes)) return readAscii(bytes)
  if (claimed < 0) throw new MeshError(`${bytes.length} bytes are too few for an STL file; expected at least ${headerBytes}`)
  if (bytes.length < needed) {
    throw new MeshError(
      `byte 80: it claims ${claimed} triangles, which take ${needed} bytes, but has ${bytes.length}; it is cut short or no STL`,
    )
  }
  return readBinary(view, claimed)
}

function readBinary(view: DataView, count: number): Mesh {
  if (count > maxTriangles) throw new MeshError(`byte 80: ${count} triangles; at most ${maxTriangles} are read`)
  if (count === 0) throw new MeshError('byte 80: it claims 0 triangles; it holds no vertices')
  const builder = new MeshBuilder()
  builder.reserve(3 * count, count)
  for (let triangle = 0; triangle < count; triangle++) {
    const start = headerBytes + triangleBytes * triangle + normalBytes
    for (let corner = 0; corner < 3; corner++) {
      const at = start + 12 * corner
      const x = view.getFloat32(at, true)
      const y = view.getFloat32(at + 4, true)
      const z = view.getFloat32(at + 8, true)
      if (!(Math.abs(x) <= maxCoordinate && Math.abs(y) <= maxCoordinate && Math.abs(z) <= maxCoordinate)) {
        throw new MeshError(
          `byte ${at}: a corner of triangle ${triangle} is at ${x} ${y} ${z}; expected finite numbers up to ${maxCoordinate}`,
        )
      }
      builder.point(x, y, z)
    }
    builder.triangle(3 * triangle, 3 * triangle + 1, 3 * triangle + 2)
  }
  const rest = view.byteLength - headerBytes - triangleBytes * count
  if (rest > 0) builder.warn(`${rest} bytes behind the last triangle were passed by`)
  return builder.finish()
}

/** `solid` first and a `facet` soon after, and text; a binary header that begins with `solid` is followed by other bytes. */
function looksAscii(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 1024)
  if (head.includes(0)) return false
  const text = new TextDecoder('latin1').decode(head).trimStart().toLowerCase()
  return text.replace(/^ï»¿/, '').startsWith('solid') && (text.includes('facet') || text.includes('endsolid'))
}

function readAscii(bytes: Uint8Array): Mesh {
  const builder = new MeshBuilder()
  const scanner = new TextScanner(bytes)
  let corners = 0 // of the facet that is being read
  let facetLine = 0
  let open = false
  const closeFacet = () => {
    if (corners !== 0 && corners !== 3) {
      throw new MeshError(`line ${facetLine}: a facet with ${corners} vertices; expected 3`)
    }
    if (corners === 3) builder.triangle(builder.pointCount - 3, builder.pointCount - 2, builder.pointCount - 1)
    corners = 0
  }
  do {
    if (!scanner.word()) continue
    if (scanner.is('vertex')) {
      builder.point(scanner.number('a vertex'), scanner.number('a vertex'), scanner.number('a vertex'))
      if (corners++ === 0) facetLine = scanner.line
      if (scanner.word()) throw new MeshError(`line ${scanner.line}: a vertex has three numbers; found more, "${scanner.text()}"`)
    } else if (scanner.is('facet') || scanner.is('endloop') || scanner.is('endfacet')) closeFacet()
    else if (scanner.is('solid')) open = true
    else if (scanner.is('endsolid')) {
      closeFacet()
      open = false
    } else if (!scanner.is('outer')) builder.strangeLine(scanner)
  } while (scanner.nextLine())
  closeFacet()
  if (open) builder.warn('the last solid has no endsolid; the file may be cut short')
  return builder.finish()
}
