import { type Mesh, MeshBuilder } from './mesh.ts'
import { MeshError } from './meshError.ts'
import { decimal, TextScanner } from './textScanner.ts'

/** Words at the start of a line that do not change the shape: names, groups, normals, textures, materials, points, lines. */
const passedBy = 'vn vt vp p l o g s mg mtllib usemtl usemap maplib lod shadow_obj trace_obj bevel c_interp d_interp'.split(' ')

/**
 * A Wavefront OBJ file in its own units: the `v` lines, and the `f` lines as fans of triangles from their first corner,
 * which is exact for convex faces. Weights and colours behind a vertex' three coordinates are ignored, as are groups,
 * materials and everything else that is no surface.
 *
 * @throws MeshError
 */
export function readObj(bytes: Uint8Array): Mesh {
  const builder = new MeshBuilder()
  const scanner = new TextScanner(bytes, { continued: true })
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
      let count = 0
      let first = 0
      let previous = 0
      while (scanner.word()) {
        const vertex = corner()
        if (count === 0) first = vertex
        else if (count >= 2) builder.triangle(first, previous, vertex)
        previous = vertex
        count++
      }
      if (count < 3) builder.warn(`line ${line}: a face with ${count} corners; passed by, expected 3 or more`)
    } else if (bytes[scanner.start] !== 0x23 && !passedBy.some((word) => scanner.is(word))) {
      builder.strangeLine(scanner)
    }
  } while (scanner.nextLine())

  if (largest >= builder.pointCount) {
    throw new MeshError(`line ${largestLine}: a face has vertex ${largest + 1}, but there are ${builder.pointCount}`)
  }
  return builder.finish()
}
