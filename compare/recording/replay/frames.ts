/** The run as it is played again: where everything was some hundred times, and contact forces then. */
import { FrameSource, type World } from '../../../simulation/index.ts'
import { Reader, Writer } from './bytes.ts'

/** Plain data that structuredClone copies. */
export interface ReplayFrames {
  /** n: times of the frames [s], rising from the start; the last is the end of the run, or where it broke off. */
  readonly t: Float64Array
  /** n x nq: of all robots and bodies together. */
  readonly q: Float64Array
  /** n + 1: contacts first[i] to first[i + 1] - 1 are those of frame i. */
  readonly first: Int32Array
  /**
   * 6 a contact, in world axes: midway between the surfaces [m], and the mean force over the step that ended at the frame on the
   * body with the higher number, impacts left out [N].
   */
  readonly contacts: Float64Array
}

/** Frames that a run has, about: smooth at usual speeds, small enough for a hundred runs in one page. */
const FRAMES = 160
/** Contacts of one frame that are kept, those with the largest forces. */
export const MOST_CONTACTS = 64

/** Writes frames down while a world steps. Reads the world alone and changes nothing in it. */
export class ReplayRecorder {
  private readonly source: FrameSource
  private readonly every: number
  private readonly t: number[] = []
  private readonly q: number[] = []
  private readonly first: number[] = [0]
  private readonly contacts: number[] = []

  /** @param steps that the run takes from here */
  constructor(world: World, steps: number) {
    this.source = new FrameSource(world, false)
    this.every = Math.max(1, Math.round(steps / FRAMES))
    this.record()
  }

  /** After each step. */
  after(): void {
    if (this.source.world.stepCount % this.every === 0) this.record()
  }

  /** With the state at the end of the run. */
  frames(): ReplayFrames {
    if (this.t.at(-1) !== this.source.world.state.t[0]) this.record()
    const { t, q, first, contacts } = this
    return {
      t: Float64Array.from(t),
      q: Float64Array.from(q),
      first: Int32Array.from(first),
      contacts: Float64Array.from(contacts),
    }
  }

  private record(): void {
    const { t, q, contacts } = this.source.read()
    if (!q.every(Number.isFinite)) return // where a run broke off
    this.t.push(t[0])
    for (const x of q) this.q.push(x)
    const { count, point, force, gap } = contacts
    const size = (c: number) => Math.hypot(force[3 * c], force[3 * c + 1], force[3 * c + 2])
    const all = Array.from({ length: count }, (_, c) => c).filter((c) => Number.isFinite(size(c)) && (size(c) > 0 || gap[c] <= 0))
    const kept = all.length <= MOST_CONTACTS ? all : all.toSorted((a, b) => size(b) - size(a)).slice(0, MOST_CONTACTS)
    for (const c of kept) {
      for (let k = 0; k < 3; k++) this.contacts.push(point[3 * c + k])
      for (let k = 0; k < 3; k++) this.contacts.push(force[3 * c + k])
    }
    this.first.push(this.contacts.length / 6)
  }
}

/**
 * Frames in few bytes: each coordinate in 65,536 steps over its range in the run, as the change from frame to frame; forces likewise
 * over the largest. The loss is less than a pixel.
 */
export function encodeFrames({ t, q, first, contacts }: ReplayFrames): Uint8Array {
  const n = t.length
  const nq = n === 0 ? 0 : q.length / n
  const out = new Writer()
  out.counts(n, nq, first[n])
  out.floats(t)
  for (let c = 0; c < nq; c++) out.column(n, (i) => q[i * nq + c])
  out.counts(...first)
  const from = sameInFrameBefore(first)
  for (let k = 0; k < 6; k++) out.column(first[n], (i) => contacts[6 * i + k], from)
  return out.bytes()
}

export function decodeFrames(bytes: Uint8Array): ReplayFrames {
  const bytesIn = new Reader(bytes)
  const [n, nq, m] = bytesIn.counts(3)
  const t = bytesIn.floats(n)
  const q = new Float64Array(n * nq)
  for (let c = 0; c < nq; c++) bytesIn.column(n, (i, x) => (q[i * nq + c] = x))
  const first = bytesIn.counts(n + 1)
  const contacts = new Float64Array(6 * m)
  const from = sameInFrameBefore(first)
  for (let k = 0; k < 6; k++) bytesIn.column(m, (i, x) => (contacts[6 * i + k] = x), from)
  return { t, q, first, contacts }
}

/** Contacts that last keep their place among those of a frame: the number of the one in the frame before, or else of the one before. */
function sameInFrameBefore(first: Int32Array): (contact: number) => number {
  const out = new Int32Array(first[first.length - 1])
  for (let i = 0; i + 1 < first.length; i++) {
    for (let c = first[i]; c < first[i + 1]; c++) {
      const place = c - first[i]
      out[c] = i > 0 && place < first[i] - first[i - 1] ? first[i - 1] + place : c - 1
    }
  }
  return (contact) => out[contact]
}
