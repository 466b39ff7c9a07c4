/** How a mesh file is read. */
export interface MeshOptions {
  /**
   * What becomes of COLLADA's `<up_axis>`. `ignore` (default): axes are taken as they are, as ROS tools do. `apply`: turned
   * so that z is up. glTF always has y up by its standard and is always turned; the other formats say nothing of it.
   */
  readonly upAxis?: 'ignore' | 'apply'
  /** The bytes of a file that the mesh refers to, by a path relative to the mesh; undefined if there is none. */
  readonly read?: (path: string) => Uint8Array | undefined
}
