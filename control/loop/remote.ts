/** Key of what a controller adds whose memory is not in this process's objects: `sandbox/host.ts`. */
export const remote = Symbol('remote')

/** Its memory is what `init` returned. */
export interface Remote {
  /** As plain data. */
  save(memory: unknown): unknown
  /** @returns the memory that holds what was saved */
  restore(memory: unknown, saved: unknown): unknown
  /** `missingRead` where the memory is. */
  missing(memory: unknown): string | undefined
}
