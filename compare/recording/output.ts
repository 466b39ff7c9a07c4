/**
 * Output that grows by pieces, each complete in itself: a chunk, or a number of rows. It always ends with a complete one.
 *
 * Writing is synchronous: it stands in the loop that steps a world.
 */
export interface Output {
  readonly path: string
  /** Bytes so far. */
  readonly size: number
  /** Frames that it holds completely. */
  readonly frames: number
  /**
   * Adds a piece, which brings the number of complete frames to `frames`, the last at time t [s].
   *
   * @throws RecordingError if it cannot be written
   */
  append(piece: Uint8Array, frames?: number, t?: number): void
  /** @throws RecordingError if written data could not be kept */
  close(): void
  /** Closes a failed output; its error is known. */
  abandon(): void
}

/** An output that is kept in memory. */
export class MemoryOutput implements Output {
  readonly path: string
  readonly pieces: Uint8Array<ArrayBuffer>[] = []
  size = 0
  frames = 0

  constructor(path: string) {
    this.path = path
  }

  append(piece: Uint8Array, frames = this.frames): void {
    this.pieces.push(Uint8Array.from(piece))
    this.size += piece.length
    this.frames = frames
  }

  close(): void {}

  abandon(): void {}
}
