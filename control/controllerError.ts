/** A controller that threw, answered something unusable, or could not be loaded. It ends its own run and no other. */
export class ControllerError extends Error {
  override readonly name = 'ControllerError'
  /** Name of the controller, or its file. */
  readonly controller: string
  /** Time of the tick [s]; NaN when the controller had not started. */
  readonly time: number

  constructor(controller: string, message: string, time = NaN, cause?: unknown) {
    super(`controller "${controller}": ${message}`, cause === undefined ? undefined : { cause })
    this.controller = controller
    this.time = time
  }
}

/** An error in words, with the line of its own source where the stack names one. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const line = /\n\s+at (.*)/.exec(error.stack ?? '')?.[1]
  return `${error.message}${line ? ` (at ${line})` : ''}`
}
