/** How a mesh file is read. */
export interface MeshOptions {
  /**
   * Treatment of COLLADA's `<up_axis>`. `ignore` (default): axes are kept, as ROS tools do. `apply`: rotated so that z
   * is up. glTF always has y up by its standard and is always rotated; the other formats do not state it.
   */
  readonly upAxis?: 'ignore' | 'apply'
  /** The bytes of a file that the mesh refers to, by a path relative to the mesh; undefined if there is none. */
  readonly read?: (path: string) => Uint8Array | undefined
}
