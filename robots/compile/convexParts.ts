/** Cuts a surface into convex parts: the corners of each, n x 3. `points` is n x 3 [m], `triangles` t x 3 indices into it. */
export type ConvexCutter = (points: Float64Array, triangles: Int32Array) => readonly Float64Array[]

/**
 * V-HACD (Mamou, Volumetric hierarchical approximate convex decomposition, Game Engine Gems 3, 2016) as Rapier has it in WebAssembly,
 * with its 64 voxels along the longest side. The package `@dimforge/rapier3d-compat` is not a dependency of this one.
 *
 * @throws Error if it is not installed
 */
export async function rapierCutter(): Promise<ConvexCutter> {
  const { default: rapier } = await import('@dimforge/rapier3d-compat').catch(() => {
    throw new Error('cutting meshes needs the package @dimforge/rapier3d-compat; npm install @dimforge/rapier3d-compat')
  })
  await rapier.init()
  return (points, triangles) => {
    const compound = rapier.ColliderDesc.convexDecomposition(Float32Array.from(points), Uint32Array.from(triangles))?.shape as
      | InstanceType<typeof rapier.Compound>
      | undefined
    return (compound?.shapes ?? []).map((part) =>
      Float64Array.from((part as InstanceType<typeof rapier.ConvexPolyhedron>).vertices),
    )
  }
}
