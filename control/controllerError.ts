/** A controller that threw, returned an unusable value, or could not be loaded. Ends its own run and no other. */
export class ControllerError extends Error {
  override readonly name = 'ControllerError'
  /** Name of the controller, or its file. */
  readonly controller: string
  /** Time of the tick [s]; NaN when the controller had not started. */
  readonly time: number

  constructor(controller: string, message: string, time = NaN, cause?: unknown) {
    super(`controller "${controller}": ${shortened(message, 3 * LONGEST)}`, cause === undefined ? undefined : { cause })
    this.controller = controller
    this.time = time
  }
}

/** Longest message [characters]; longer ones are cut, for they are printed, also in tables. */
const LONGEST = 1000

/** Text of a thrown value, with the line of its own source where the stack names one. Never throws, though reading a message may. */
export function describe(error: unknown): string {
  try {
    if (!(error instanceof Error)) return shortened(String(error))
    const line = /(?:^|\n)\s+at (.*)/.exec(String(error.stack ?? ''))?.[1]
    return `${shortened(String(error.message))}${line ? ` (at ${shortened(line)})` : ''}`
  } catch {
    return 'something that cannot be shown'
  }
}

function shortened(text: string, most = LONGEST): string {
  return text.length > most ? `${text.slice(0, most)}... (${text.length} characters)` : text
}
