import { closeSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs'
import type { Output } from './output.ts'
import { cannotOpen, cannotWrite, type RecordingError } from './recordingError.ts'
import { synchronize } from './wholeFile.ts'

/** A file. A piece that fails to be written is taken back, so that the file always ends with a complete one. */
export class OutputFile implements Output {
  readonly path: string
  /** Bytes in the file. */
  size = 0
  /** Frames that the file holds completely, and the time of the last [s]. */
  frames = 0
  lastTime = 0
  #descriptor: number | undefined

  /** Replaces an older file. @throws RecordingError if it cannot be opened */
  constructor(path: string) {
    this.path = path
    try {
      this.#descriptor = openSync(path, 'w')
    } catch (error) {
      throw cannotOpen(path, error)
    }
  }

  append(piece: Uint8Array, frames = this.frames, t = this.lastTime): void {
    try {
      for (let done = 0; done < piece.length; ) done += writeSync(this.#open(), piece, done, piece.length - done)
    } catch (error) {
      this.#takeBack()
      throw this.#failed(error)
    }
    this.size += piece.length
    this.frames = frames
    this.lastTime = t
  }

  /** Makes sure that it is on the disk, and closes. @throws RecordingError if the disk did not take it */
  close(): void {
    const descriptor = this.#descriptor
    if (descriptor === undefined) return
    this.#descriptor = undefined
    try {
      synchronize(descriptor)
    } catch (error) {
      throw this.#failed(error)
    } finally {
      closeSync(descriptor)
    }
  }

  abandon(): void {
    try {
      this.close()
    } catch {}
  }

  #open(): number {
    if (this.#descriptor === undefined) throw new Error('it was closed before')
    return this.#descriptor
  }

  /** Cuts off the part of a piece that was written. One that is not ordinary cannot be cut, and matters no more. */
  #takeBack(): void {
    try {
      ftruncateSync(this.#open(), this.size)
    } catch {}
  }

  #failed(cause: unknown): RecordingError {
    return cannotWrite(this.path, this.size, this.frames, this.lastTime, cause)
  }
}

/** Whether there is a folder of this path. @throws RecordingError if it may not be read */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch (error) {
    throw cannotOpen(path, error)
  }
}
