import { cutFace } from './ears.ts'
import { type Mesh, MeshBuilder } from './mesh.ts'
import { MeshError } from './meshError.ts'
import { decimal, TextScanner } from './textScanner.ts'

/** Words at the start of a line that do not change the shape: names, groups, normals, textures, materials, points, lines. */
const passedBy = 'vn vt vp p l o g s mg mtllib usemtl usemap maplib lod shadow_obj trace_obj bevel c_interp d_interp'.split(' ')

/**
 * A Wavefront OBJ file in its own units: the `v` lines, and the `f` lines cut into triangles by `cutFace`. Weights and colours behind a vertex' three coordinates are ignored, as are groups,
 * materials and everything else that is no surface.
 *
 * @throws MeshError
 */
export function readObj(bytes: Uint8Array): Mesh {
  const builder = new MeshBuilder()
  const scanner = new TextScanner(bytes, { continued: true })
  const large: number[][] = []
  let largest = -1
  let largestLine = 0

  /** The first number of `7/2/5`, which may count from the end. */
  const corner = (): number => {
    let end = scanner.start
    while (end < scanner.end && bytes[end] !== 0x2f) end++
    const index = decimal(bytes, scanner.start, end)
    if (!Number.isSafeInteger(index) || index === 0 || index < -builder.pointCount) {
      throw new MeshError(
        `line ${scanner.line}: "${scanner.text()}" names no vertex; expected 1 or more, or down to -${builder.pointCount}`,
      )
    }
    const vertex = index > 0 ? index - 1 : builder.pointCount + index
    if (vertex > largest) {
      largest = vertex
      largestLine = scanner.line
    }
    return vertex
  }

  do {
    if (!scanner.word()) continue
    if (scanner.is('v')) {
      builder.point(scanner.number('a vertex'), scanner.number('a vertex'), scanner.number('a vertex'))
    } else if (scanner.is('f') || scanner.is('fo')) {
      const { line } = scanner
      const face: number[] = []
      while (scanner.word()) face.push(corner())
      if (face.length === 3) builder.triangle(face[0], face[1], face[2])
      // its corners may stand further down
      else if (face.length > 3) large.push(face)
      else builder.warn(`line ${line}: a face with ${face.length} corners; passed by, expected 3 or more`)
    } else if (bytes[scanner.start] !== 0x23 && !passedBy.some((word) => scanner.is(word))) {
      builder.strangeLine(scanner)
    }
  } while (scanner.nextLine())

  if (largest >= builder.pointCount) {
    throw new MeshError(`line ${largestLine}: a face has vertex ${largest + 1}, but there are ${builder.pointCount}`)
  }
  for (const face of large) {
    if (!cutFace(builder.points, face, (a, b, c) => builder.triangle(a, b, c), builder.meter)) continue
    builder.warn(`a face of ${face.length} corners that is not convex is cut from one of them: it takes too long otherwise`)
  }
  return builder.finish()
}
