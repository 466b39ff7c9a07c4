import { type SurfaceTriangles, separationAlong, signedDistance, timeOfContact } from '../../contact/index.ts'
import { addWork, rotate3, rotateTransposed3 } from '../../dynamics/index.ts'
import { MovingShapes } from './movingShapes.ts'
import type { StepMotion } from './stepMotion.ts'

/** The depth, as a share of the thickness of the thinner shape, from which on a pair may get through: half of it is the middle. */
export const DEEP = 1 / 4
/** The depth that contact in progress is let to; still before the middle. */
const DEEPEST = 3 / 8
/** Motion that is cut ends with shapes this deep in each other, so that every model finds them in contact [m]; less for thin ones. */
const HAIR = 1e-5
/** Tolerance of a depth, as a share of it. */
export const TOLERANCE = 1 / 8
/** Work of a pair in multiply-adds, besides what its distances count. */
const PASSAGE = 300
/** Cosines between normals: above, a contact is still the same; below minus this it is the one of the other side. */
const ALIKE = 0.5

/**
 * Whether the two shapes of a pair get through each other in a step, and with `ccd` where in the step their motion has to end.
 *
 * A pair is through when it has been deeper in this step than a quarter of the thinner shape's thickness, or was so at its start, and
 * ends on the other side: apart, but not along the normal that it had there, or in contact with a normal that pushes the other way.
 */
export class PairPassage {
  /** The pair at hand, set by the caller. */
  readonly moving: MovingShapes
  /** 1, with `ccd`: the part of the step at which the motion of the pair examined last has to end, Infinity if it may go on. */
  readonly cutAt = new Float64Array(1)
  private readonly motion: StepMotion
  /** Per body: sum of the turns of the step along the path from its root [rad]. */
  private readonly turn: Float64Array
  private readonly ccd: boolean
  private readonly s = new Float64Array(1)
  private readonly goal = new Float64Array(2)
  private readonly distance = new Float64Array(10)
  private readonly normal = new Float64Array(3)
  private readonly depth = new Float64Array(1)

  constructor(motion: StepMotion, turn: Float64Array, ccd: boolean) {
    this.motion = motion
    this.turn = turn
    this.ccd = ccd
    this.moving = new MovingShapes(motion)
  }

  /**
   * Whether the pair gets through; sets `cutAt`.
   *
   * @param deep    the depth from which on it may [m]
   * @param endless whether the second shape has no other side
   */
  examine(deep: number, endless: boolean): boolean {
    this.cutAt[0] = Infinity
    return this.examinePair(deep, endless)
  }

  /**
   * The same with the triangles of a surface near the box that the shape sweeps, of which a mesh's touch what has its middle on their
   * outer side. That is also how to know that the shape is through.
   *
   * @param boxes boxes[box..]: the box
   */
  examineSurface(surface: SurfaceTriangles, boxes: Float64Array, box: number, deep: number, endless: boolean): boolean {
    const { moving, s, cutAt } = this
    surface.findNear(boxes, box)
    let through = false
    let first = Infinity
    for (let k = 0; k < surface.nearCount[0]; k++) {
      const t = surface.near[k]
      moving.b = surface.colliderOf(t)
      s[0] = 0
      moving.place(s)
      if (!this.isOutside(surface, t)) continue
      cutAt[0] = Infinity
      const behind = this.examinePair(deep, true, endless ? undefined : surface, t)
      through ||= behind
      if (cutAt[0] < first) first = cutAt[0]
    }
    cutAt[0] = first
    return through
  }

  private isOutside({ normalsW: n, verticesW: x, mesh }: SurfaceTriangles, t: number): boolean {
    const { centerW: c } = this.moving.a
    const v = 3 * mesh.triangles[3 * t]
    const k = 3 * t
    if (n[k] === 0 && n[k + 1] === 0 && n[k + 2] === 0) return false
    return n[k] * (c[0] - x[v]) + n[k + 1] * (c[1] - x[v + 1]) + n[k + 2] * (c[2] - x[v + 2]) >= 0
  }

  private examinePair(deep: number, endless: boolean, surface?: SurfaceTriangles, t = 0): boolean {
    const { moving, s, distance, cutAt } = this
    addWork(PASSAGE, 1, 1)
    s[0] = 0
    moving.place(s)
    signedDistance(moving.a, moving.b, distance)
    const before = -distance[0]
    if (!(before >= deep) && !this.reaches(deep, deep * TOLERANCE)) return false
    const deepAt = s[0]
    const through = surface !== undefined ? this.isBehind(surface, t) : !endless && this.isThrough(Math.max(deep, before), deep)
    if (!this.ccd) return through

    const hair = Math.min(HAIR, TOLERANCE * deep)
    const deepest = endless && surface === undefined ? Infinity : deep * (DEEPEST / DEEP)
    s[0] = 0
    if (before < 0.25 * hair) {
      // met for the first time
      this.reaches(hair, 0.5 * hair)
      cutAt[0] = s[0]
    } else if (before < 0.5 * deep) cutAt[0] = deepAt
    else if (before < deepest) {
      // a spring is let in further, for its force to grow; and however deep it is, out: at once deep enough, it would stand still for ever
      const tolerance = deep * TOLERANCE
      if (this.reaches(Math.max(Math.min(2 * before, deepest), before + 2 * tolerance), tolerance)) cutAt[0] = s[0]
    } else if (through) cutAt[0] = 0
    return through
  }

  private isBehind(surface: SurfaceTriangles, t: number): boolean {
    this.s[0] = 1
    this.moving.place(this.s)
    return !this.isOutside(surface, t)
  }

  /**
   * Whether the end of the motion is on the other side of the contact that the pair has at s: read from `distance`.
   *
   * @param before how deep it is there [m]
   */
  private isThrough(before: number, deep: number): boolean {
    const { moving, motion, s, distance, normal, turn, depth } = this
    const { a, b, placedA, placedB } = moving
    // the normal stands still on the one that turns less
    const body = placedA.body === 0 || (placedB.body > 0 && turn[placedA.body] < turn[placedB.body]) ? placedA.body : placedB.body
    const R = motion.data.R_WB[body]
    for (let d = 0; d < 3; d++) normal[d] = distance[1 + d]
    rotateTransposed3(normal, R, normal)
    s[0] = 1
    moving.place(s)
    rotate3(normal, R, normal)
    signedDistance(a, b, distance)
    if (distance[0] < 0) {
      const cosine = distance[1] * normal[0] + distance[2] * normal[1] + distance[3] * normal[2]
      if (cosine > ALIKE) return false
      if (cosine < -ALIKE) return true
    }
    // beside the contact that it had: farther in than it was along that normal, or all the way behind
    separationAlong(a, b, normal, depth)
    if (-depth[0] > before + 0.5 * deep) return true
    for (let d = 0; d < 3; d++) normal[d] = -normal[d]
    separationAlong(a, b, normal, depth)
    return depth[0] >= 0
  }

  /** Whether the pair gets so deep from s on; then s is where. */
  private reaches(deep: number, tolerance: number): boolean {
    const { goal, moving, s, distance } = this
    goal[0] = -deep
    goal[1] = tolerance
    return timeOfContact(moving, goal, s, distance)
  }
}
