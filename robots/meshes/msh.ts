import { type Mesh, MeshBuilder } from './mesh.ts'
import { MeshError, maxCoordinate } from './meshError.ts'

/**
 * MuJoCo's own format, binary: four counts (vertices, normals, texture coordinates, faces) as int32, then these as float32, the faces
 * as int32. Normals and texture coordinates are ignored.
 *
 * @throws MeshError
 */
export function readMsh(bytes: Uint8Array): Mesh {
  if (bytes.length < 16) throw new MeshError(`${bytes.length} bytes are too few for an MSH file; expected at least 16`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [vertices, normals, texture, faces] = [0, 4, 8, 12].map((at) => view.getInt32(at, true))
  const size = 16 + 12 * vertices + 12 * normals + 8 * texture + 12 * faces
  if (vertices < 4 || normals < 0 || texture < 0 || faces < 0 || size !== bytes.length)
    throw new MeshError(
      `byte 0: ${vertices} vertices, ${normals} normals, ${texture} texture coordinates and ${faces} faces take ${size} bytes; it has ${bytes.length}`,
    )
  const builder = new MeshBuilder()
  builder.reserve(vertices, faces)
  for (let k = 0; k < vertices; k++) {
    const at = 16 + 12 * k
    const [x, y, z] = [0, 4, 8].map((offset) => view.getFloat32(at + offset, true))
    if (!(Math.abs(x) <= maxCoordinate && Math.abs(y) <= maxCoordinate && Math.abs(z) <= maxCoordinate))
      throw new MeshError(`byte ${at}: a vertex at ${x} ${y} ${z}; expected finite numbers up to ${maxCoordinate}`)
    builder.point(x, y, z)
  }
  for (let at = size - 12 * faces; at < size; at += 12) {
    const corners = [0, 4, 8].map((offset) => view.getInt32(at + offset, true))
    const wrong = corners.find((corner) => corner < 0 || corner >= vertices)
    if (wrong !== undefined) throw new MeshError(`byte ${at}: a face has vertex ${wrong}; there are ${vertices}`)
    builder.triangle(corners[0], corners[1], corners[2])
  }
  return builder.finish()
}
