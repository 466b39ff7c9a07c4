import { Color } from 'three'
import { crossed, type Data } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Snapshot } from '../runs/protocol.ts'
import type { Part } from './parts.ts'

export type Point = ArrayLike<number>

/** Words at a place in the run's world [m]. */
export interface Note {
  readonly at: Point
  readonly text: string
}

/** Input of overlays. */
export interface Sight {
  readonly robot: Pick<Robot, 'model' | 'joints' | 'frames'>
  /** `kinematics` of the snapshot. */
  readonly data: Data
  readonly snapshot: Snapshot
  /** Of each robot its bodies. */
  readonly parts: readonly Part[]
  /** Half the size of the robot [m]. */
  readonly size: number
  /** Body that is selected; -1 for none. */
  readonly selected: number
  /** Length at which forces are drawn. */
  readonly metresPerNewton: number
  /** Recent record up to this snapshot, oldest first. */
  record(): readonly Snapshot[]
}

export const red = new Color('#d6403a')
export const green = new Color('#2f9e44')
export const blue = new Color('#2f6fe6')
export const amber = new Color('#e8930c')
export const violet = new Color('#8a4fd3')
export const teal = new Color('#0c8599')
export const grey = new Color('#7b8794')
export const axisColors = [red, green, blue]

/** Drawing by overlays: line segments and notes in world axes [m], written anew with each picture into room that is kept. */
export class Pen {
  /** 6 a segment: its ends. */
  ends = new Float64Array(6 * 256)
  /** 6 a segment: red, green and blue at its ends. */
  colors = new Float32Array(6 * 256)
  /** Segments. */
  count = 0
  readonly notes: Note[] = []

  wipe(): void {
    this.count = 0
    this.notes.length = 0
  }

  line(a: Point, b: Point, { r, g, b: blue }: Color): void {
    const k = 6 * this.count++
    if (k + 6 > this.ends.length) this.grow()
    const { ends, colors } = this
    for (let i = 0; i < 3; i++) {
      ends[k + i] = a[i]
      ends[k + 3 + i] = b[i]
    }
    colors[k] = colors[k + 3] = r
    colors[k + 1] = colors[k + 4] = g
    colors[k + 2] = colors[k + 5] = blue
  }

  /** Three lines that cross at a point. */
  cross(p: Point, arm: number, color: Color): void {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [Array.from(p), Array.from(p)]
      a[k] -= arm
      b[k] += arm
      this.line(a, b, color)
    }
  }

  /** A frame's axes: x red, y green, z blue. @param R 9, row-major */
  axes(p: Point, R: Point, length: number): void {
    for (let k = 0; k < 3; k++)
      this.line(
        p,
        [0, 1, 2].map((i) => p[i] + length * R[3 * i + k]),
        axisColors[k],
      )
  }

  /**
   * From one angle to another [rad] about a centre, in the plane of two directions u and v at right angles, u at angle 0.
   *
   * @param pieces of which it is made
   */
  arc(center: Point, u: Point, v: Point, radius: number, from: number, to: number, pieces: number, color: Color): void {
    let before = around(center, u, v, radius, from)
    for (let i = 1; i <= pieces; i++) {
      const next = around(center, u, v, radius, from + ((to - from) * i) / pieces)
      this.line(before, next, color)
      before = next
    }
  }

  note(at: Point, text: string): void {
    this.notes.push({ at: Array.from(at), text })
  }

  private grow(): void {
    const { ends, colors } = this
    this.ends = new Float64Array(2 * ends.length)
    this.colors = new Float32Array(2 * ends.length)
    this.ends.set(ends)
    this.colors.set(colors)
  }
}

export function around(center: Point, u: Point, v: Point, radius: number, angle: number): number[] {
  const [c, s] = [radius * Math.cos(angle), radius * Math.sin(angle)]
  return [0, 1, 2].map((k) => center[k] + c * u[k] + s * v[k])
}

/** A point in a body's axes, in the world's. */
export const at = (p: Point, R: Point, x: number, y: number, z: number): number[] =>
  [0, 1, 2].map((k) => p[k] + R[3 * k] * x + R[3 * k + 1] * y + R[3 * k + 2] * z)

export const along = (p: Point, n: Point, s: number): number[] => [0, 1, 2].map((k) => p[k] + s * n[k])

/** Two directions across a unit vector, right-handed with it. */
export function across(n: Point): [number[], number[]] {
  const least = [0, 1, 2].reduce((best, k) => (Math.abs(n[k]) < Math.abs(n[best]) ? k : best), 0)
  const e = [0, 0, 0]
  e[least] = 1
  const u = crossed(e, n)
  const length = Math.hypot(...u)
  const unit = u.map((x) => x / length)
  return [unit, crossed(n, unit)]
}
