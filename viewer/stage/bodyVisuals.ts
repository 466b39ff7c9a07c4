import { BufferAttribute, BufferGeometry, Color, type Material, Matrix4, Mesh, MeshStandardMaterial } from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import type { Robot } from '../../robots/index.ts'
import { placement, shapeGeometry } from './shapeMeshes.ts'
import type { Visuals } from './visuals.ts'

/**
 * Visuals of one body, in the body's axes. Everything plain is one mesh with colours at its vertices: a robot of a
 * hundred parts is then drawn by a few dozen calls.
 */
export type BodyVisual = NonNullable<ReturnType<typeof createBodyVisuals>[number]>

const painted = new MeshStandardMaterial({ vertexColors: true, roughness: 0.5, metalness: 0.05 })

/** Colour of collision shapes that stand in for visuals whose meshes are missing. */
const standIn = new Color('#8f979e')

/**
 * One entry a body; undefined where there is nothing to be seen.
 *
 * @param colorOf of each of the robot's collision shapes that stand in for visuals
 */
export function createBodyVisuals(
  robot: Pick<Robot, 'model' | 'frames' | 'shapes'>,
  visuals: Pick<Visuals, 'links' | 'incomplete'>,
  colorOf: (shape: number) => Color = () => standIn,
) {
  const parts = Array.from({ length: robot.model.nb }, () => ({ plain: [] as BufferGeometry[], meshes: [] as Mesh[] }))
  for (const { name, body, R, p } of robot.frames) {
    const link = visuals.links.get(name)
    if (!link) continue
    link.updateMatrixWorld(true)
    const frame = placement(new Matrix4(), R, p)
    link.traverse((part) => {
      if (!(part instanceof Mesh)) return
      const matrix = new Matrix4().multiplyMatrices(frame, part.matrixWorld)
      if (isPlain(part.material)) {
        parts[body].plain.push(paintedGeometry(part.geometry, matrix, part.material.color))
      } else {
        const mesh = new Mesh(part.geometry, part.material)
        mesh.matrixAutoUpdate = false
        mesh.matrix.copy(matrix)
        parts[body].meshes.push(mesh)
      }
    })
  }
  robot.shapes.forEach(({ link, body, shape, R, p }, s) => {
    if (!visuals.incomplete.has(link)) return
    const geometry = shapeGeometry(shape, 0)
    parts[body].plain.push(paintedGeometry(geometry, placement(new Matrix4(), R, p), colorOf(s)))
  })
  return parts.map(({ plain, meshes }) => {
    if (plain.length + meshes.length === 0) return undefined
    const merged = plain.length > 0 ? [mergeGeometries(plain)] : []
    const others = meshes.map((mesh) => paintedGeometry(mesh.geometry, mesh.matrix, new Color()))
    return {
      meshes: [...merged.map((geometry) => new Mesh(geometry, painted)), ...meshes],
      /** All of it, for ghosts. */
      whole: mergeGeometries([...merged, ...others]),
    }
  })
}

function isPlain(material: Material | Material[]): material is MeshStandardMaterial {
  if (!(material instanceof MeshStandardMaterial)) return false
  return !material.map && !material.transparent && !material.vertexColors && material.metalness < 0.2
}

/** A copy in other axes, without indices, with nothing but positions, normals and one colour. */
function paintedGeometry(source: BufferGeometry, matrix: Matrix4, color: Color): BufferGeometry {
  const flat = source.index ? source.toNonIndexed() : source
  const position = Float32Array.from({ length: flat.attributes.position.count * 3 }, (_, i) =>
    flat.attributes.position.getComponent(Math.floor(i / 3), i % 3),
  )
  const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(position, 3))
  const { normal } = flat.attributes
  if (normal) {
    const values = Float32Array.from({ length: normal.count * 3 }, (_, i) => normal.getComponent(Math.floor(i / 3), i % 3))
    geometry.setAttribute('normal', new BufferAttribute(values, 3))
  } else {
    geometry.computeVertexNormals()
  }
  const colors = new Float32Array(position.length)
  for (let i = 0; i < colors.length; i += 3) color.toArray(colors, i)
  geometry.setAttribute('color', new BufferAttribute(colors, 3))
  geometry.applyMatrix4(matrix)
  if (matrix.determinant() < 0) turnInsideOut(geometry)
  return geometry
}

/** A mirrored triangle runs the wrong way round. */
function turnInsideOut({ attributes }: BufferGeometry): void {
  for (const attribute of Object.values(attributes)) {
    for (let i = 0; i + 2 < attribute.count; i += 3) {
      for (let k = 0; k < attribute.itemSize; k++) {
        const first = attribute.getComponent(i, k)
        attribute.setComponent(i, k, attribute.getComponent(i + 1, k))
        attribute.setComponent(i + 1, k, first)
      }
    }
  }
}
