/** Key of the interface `Remote` of a controller with memory outside of this process's objects: `sandbox/host.ts`. */
export const remote = Symbol('remote')

/** Access to memory, the result of `init`. */
export interface Remote {
  /** As plain data. */
  save(memory: unknown): unknown
  /** @returns the memory restored from `saved` */
  restore(memory: unknown, saved: unknown): unknown
  /** `missingRead` on the side of the memory. */
  missing(memory: unknown): string | undefined
}
