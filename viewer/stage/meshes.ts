import { Group, type LoadingManager, type Material, Mesh, type Object3D } from 'three'
import { ColladaLoader } from 'three/addons/loaders/ColladaLoader.js'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js'
import { decodeXml, readMesh } from '../../robots/index.ts'
import { shapeGeometry } from './shapeMeshes.ts'

/**
 * Reads a mesh that is shown, not simulated: in metres and with z up, so that it lies on the same file read as a
 * collision. Formats without materials come from the reader of collision meshes, the others from three's.
 *
 * @param material for formats that have none of their own
 * @param manager  finds the textures and the parts that the mesh names
 * @throws Error if the format is unknown or the bytes contradict their header
 */
export async function readVisualMesh(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  material: Material,
  manager: LoadingManager,
): Promise<Object3D> {
  switch (name.split('.').pop()?.toLowerCase()) {
    case 'stl':
    case 'ply':
    case 'msh': {
      const { points, triangles } = readMesh(bytes, name)
      if (triangles.length === 0) throw new Error('it holds points and no faces')
      const mesh = { vertices: points, triangles: Int32Array.from(triangles) }
      return new Mesh(shapeGeometry({ type: 'mesh', mesh }, 0), material) // normals that files bring along are often zeros
    }
    case 'obj': {
      const object = new OBJLoader(manager).parse(new TextDecoder().decode(bytes))
      object.traverse((part) => {
        if (part instanceof Mesh) part.material = material
      })
      return object
    }
    case 'dae': {
      // three rotates Z_UP files; by the convention of ROS tools the axes stay as they are
      const text = decodeXml(bytes, name).replace(/(<up_axis>\s*)Z_UP/g, '$1Y_UP')
      const collada = new ColladaLoader(manager).parse(text, '')
      if (!collada) throw new Error('this is not a COLLADA document')
      return collada.scene
    }
    case 'glb':
    case 'gltf': {
      const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
      const { scene } = await new GLTFLoader(manager).parseAsync(buffer, '')
      // glTF has y up; the group around the turned scene is there because urdf-loader sets the outermost turn to none
      scene.rotation.x = Math.PI / 2
      return new Group().add(scene)
    }
    default:
      throw new Error('this mesh format is not supported; convert it to STL, OBJ, PLY, DAE, GLB or MSH')
  }
}
