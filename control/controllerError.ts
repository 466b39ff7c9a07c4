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

/** Longer messages are cut, in characters: they are printed, and stand in tables. */
const LONGEST = 1000

/** What was thrown in words, with the line of its own source where the stack names one. Never throws: even a message may. */
export function describe(error: unknown): string {
  try {
    if (!(error instanceof Error)) return shortened(String(error))
    const line = /(?:^|\n)\s+at (.*)/.exec(String(error.stack ?? ''))?.[1]
    return `${shortened(String(error.message))}${line ? ` (at ${shortened(line)})` : ''}`
  } catch {
    return 'something that cannot be shown'
  }
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}... (${text.length} characters)` : text
}
