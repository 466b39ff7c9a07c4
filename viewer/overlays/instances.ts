/** Meshes of many instances, which overlays draw their marks with. */
import { type BufferGeometry, DynamicDrawUsage, InstancedMesh, type Material } from 'three'

/** @param order of drawing */
export function instanced(geometry: BufferGeometry, material: Material, capacity: number, order: number): InstancedMesh {
  const mesh = new InstancedMesh(geometry, material, capacity)
  mesh.instanceMatrix.setUsage(DynamicDrawUsage)
  mesh.count = 0 // it begins with all, at the origin
  mesh.frustumCulled = false
  mesh.renderOrder = order
  return mesh
}

/** Draws the first `count` instances as they are now. */
export function show(meshes: readonly InstancedMesh[], count: number): void {
  for (const mesh of meshes) {
    mesh.count = count
    mesh.visible = count > 0
    mesh.instanceMatrix.needsUpdate = true
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true
  }
}
