import { normalizeQuaternion } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'

/** Poses of a robot's mocap bodies, between its q and a controller. */
export class MocapPoses {
  /** 7 a body: position and quaternion x, y, z, w in the world; handed out, so that it may come to be empty. */
  readonly poses: Float64Array
  readonly length: number
  private readonly names: readonly string[]
  /** Index in q of each entry of `poses`. */
  private readonly index: Int32Array

  constructor({ mocaps = [] }: Robot) {
    this.index = Int32Array.from(mocaps.flatMap(({ qIndex }) => Array.from({ length: 7 }, (_, k) => qIndex + k)))
    this.length = this.index.length
    this.poses = new Float64Array(this.length)
    this.names = mocaps.map(({ name }) => name)
  }

  read(q: Float64Array): void {
    for (let i = 0; i < this.length; i++) this.poses[i] = q[this.index[i]]
  }

  /** Places the bodies. @returns why not, or '' */
  write(q: Float64Array): string {
    const { poses, index } = this
    for (let i = 0; i < this.length; i += 7) {
      let sum = 0
      let turn = 0
      for (let k = i; k < i + 7; k++) sum += poses[k] - poses[k]
      for (let k = i + 3; k < i + 7; k++) turn += poses[k] * poses[k]
      if (sum !== 0 || !(turn > 1e-12)) return this.complaint(i)
      for (let k = i; k < i + 7; k++) q[index[k]] = poses[k]
      normalizeQuaternion(q, index[i + 3])
    }
    return ''
  }

  private complaint(i: number): string {
    const found = Array.from(this.poses.subarray(i, i + 7)).join(', ')
    return `mocap has ${found} for "${this.names[i / 7]}"; it must be a position and a quaternion x, y, z, w`
  }
}
