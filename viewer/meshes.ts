import { type LoadingManager, type Material, Mesh, type Object3D } from 'three'
import { ColladaLoader } from 'three/addons/loaders/ColladaLoader.js'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js'
import { STLLoader } from 'three/addons/loaders/STLLoader.js'

/**
 * Reads a mesh that is shown, not simulated.
 *
 * @param material for formats that have none of their own
 * @param manager  finds the textures that the mesh names
 * @throws Error if the format is unknown or the bytes are not what their header says
 */
export async function readMesh(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  material: Material,
  manager: LoadingManager,
): Promise<Object3D> {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  switch (name.split('.').pop()?.toLowerCase()) {
    case 'stl': {
      checkStl(bytes)
      const geometry = new STLLoader(manager).parse(buffer)
      geometry.computeVertexNormals() // many exporters write zeros
      return new Mesh(geometry, material)
    }
    case 'obj': {
      const object = new OBJLoader(manager).parse(new TextDecoder().decode(bytes))
      object.traverse((part) => {
        if (part instanceof Mesh) part.material = material
      })
      return object
    }
    case 'dae': {
      const collada = new ColladaLoader(manager).parse(new TextDecoder().decode(bytes), '')
      if (!collada) throw new Error('this is not a COLLADA document')
      return collada.scene
    }
    case 'glb':
    case 'gltf':
      return (await new GLTFLoader(manager).parseAsync(buffer, '')).scene
    default:
      throw new Error('this mesh format is not supported; convert it to STL, OBJ, DAE or GLB')
  }
}

/** A binary STL's header may promise more triangles than the file holds; the loader would make room for all of them. */
function checkStl(bytes: Uint8Array): void {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  if (/^\s*solid\b/.test(text) && text.includes('facet')) return
  if (bytes.byteLength < 84) throw new Error(`this STL has ${bytes.byteLength} bytes, a binary one has at least 84`)
  const triangles = new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true)
  const expected = 84 + 50 * triangles
  if (expected > bytes.byteLength) {
    throw new Error(`this STL promises ${triangles} triangles, ${expected} bytes, but has ${bytes.byteLength}; it is cut short`)
  }
}
