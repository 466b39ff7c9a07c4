/** Data for the script of a report in its page. Blocks are raw deflate in base64, unpacked when they are shown. */
export interface PageData {
  /** Lines of `sceneText`, and of each scene which they are. */
  readonly blocks: readonly string[]
  readonly scenes: readonly (readonly number[])[]
  /** Visual meshes that could not be read, in whose place collision shapes are drawn. */
  readonly missing: readonly string[]
  readonly subjects: readonly PageSubject[]
}

/** One robot in its world. */
export interface PageSubject {
  readonly name: string
  /** [s] */
  readonly duration: number
  readonly limits: { readonly penetration: number; readonly tracking: number; readonly energy: number }
  /** Energy that the motion has to do with [J], and weight of all that moves [N]: values far beyond are no motion of this scene. */
  readonly scales: { readonly energy: number; readonly force: number }
  readonly runs: readonly PageRun[]
  /** The variants of a sweep's world, in words; none without one. */
  readonly worlds?: readonly string[]
  /** Indices of the runs that are shown at first; the first of them is the solid one. */
  readonly shown: readonly number[]
}

export interface PageRun {
  readonly model: string
  /** [s] */
  readonly dt: number
  /** The step in words. */
  readonly step: string
  /** Number of the model's colour in the page's style. */
  readonly color: number
  /** Number of the step, for the stroke of lines. */
  readonly dash: number
  /** `verdict`, `runner-up`, `worst` and the like, or ''. */
  readonly role: string
  /** Index into the scenes; null where no frames are kept. */
  readonly scene: number | null
  /** `encodeFrames`. */
  readonly frames: string | null
  /** `encodeSeries`. */
  readonly series: string | null
  /** Bookmarks of the replay, rising. */
  readonly marks: readonly PageMark[]
  /** When and why it broke off, or null. */
  readonly failure: string | null
  /** The same pair in the other variants of a sweep, in the order of `worlds` behind the first; null where it was not kept. */
  readonly others?: readonly (PageRun | null)[]
}

/** A time that a verdict knows [s]. */
export interface PageMark {
  readonly t: number
  readonly text: string
}
