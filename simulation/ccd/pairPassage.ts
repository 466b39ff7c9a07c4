import { type SurfaceTriangles, separationAlong, separationCold, signedDistance, timeOfContact } from '../../contact/index.ts'
import { addWork, rotate3, rotateTransposed3 } from '../../dynamics/index.ts'
import { MovingShapes } from './movingShapes.ts'
import type { StepMotion } from './stepMotion.ts'

/** Depth, relative to the thickness of the thinner shape, beyond which a pair may pass through: half of that to the middle. */
export const DEEP = 1 / 4
/** Greatest depth of contact in progress; still before the middle. */
const DEEPEST = 3 / 8
/** Depth of shapes at the end of a shortened motion, so that every model detects contact [m]; less for thin ones. */
const HAIR = 1e-5
/** Relative tolerance of a depth. */
export const TOLERANCE = 1 / 8
/** Cost of a pair in multiply-adds, besides its distance queries. */
const PASSAGE = 300
/** Cosine between normals above which a contact counts as the same, and below minus which as one of the opposite side. */
const ALIKE = 0.5

/**
 * Decides whether the two shapes of a pair pass through each other in a step, and, with `ccd`, where in the step their motion must end.
 *
 * A pair passes through if in this step, or at its start, it was deeper than a quarter of the thinner shape's thickness, and it ends on the
 * other side: separated, but not along its normal at that depth, or in contact with an opposite normal.
 */
export class PairPassage {
  /** The current pair, set by the caller. */
  readonly moving: MovingShapes
  /** 1, with `ccd`: fraction of the step at which the motion of the pair examined last must end; Infinity if it may continue. */
  readonly cutAt = new Float64Array(1)
  private readonly motion: StepMotion
  /** Per body: sum of the rotations in the step along the path from its root [rad]. */
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
   * Whether the pair passes through; sets `cutAt`.
   *
   * @param deep    depth beyond which it may [m]
   * @param endless whether the second shape has no other side
   */
  examine(deep: number, endless: boolean): boolean {
    this.cutAt[0] = Infinity
    return this.examinePair(deep, endless)
  }

  /**
   * `examine` for a shape and the triangles of a surface in the box that the shape sweeps. A mesh's triangles touch only shapes whose
   * middle is on their outer side, which also shows whether the shape has passed through.
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
    // a cut is to the bit, a count is not
    if (this.ccd) signedDistance(moving.a, moving.b, distance)
    else separationCold(moving.a, moving.b, distance)
    const before = -distance[0]
    if (!(before >= deep) && !this.reaches(deep, deep * TOLERANCE, true)) return false
    const deepAt = s[0]
    const through = surface !== undefined ? this.isBehind(surface, t) : !endless && this.isThrough(Math.max(deep, before), deep)
    if (!this.ccd) return through

    const hair = Math.min(HAIR, TOLERANCE * deep)
    const deepest = endless && surface === undefined ? Infinity : deep * (DEEPEST / DEEP)
    s[0] = 0
    if (before < 0.25 * hair) {
      // first contact
      this.reaches(hair, 0.5 * hair)
      cutAt[0] = s[0]
    } else if (before < 0.5 * deep) cutAt[0] = deepAt
    else if (before < deepest) {
      // a spring is allowed more depth, so that its force can grow; if already deep, it must still be able to separate
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
   * Whether the end of the motion is on the other side of the pair's contact at s, which is in `distance`.
   *
   * @param before depth at s [m]
   */
  private isThrough(before: number, deep: number): boolean {
    const { moving, motion, s, distance, normal, turn, depth } = this
    const { a, b, placedA, placedB } = moving
    // the normal is fixed in the body that rotates less
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
    // beside its former contact: deeper than before along that normal, or entirely behind it
    separationAlong(a, b, normal, depth)
    if (-depth[0] > before + 0.5 * deep) return true
    for (let d = 0; d < 3; d++) normal[d] = -normal[d]
    separationAlong(a, b, normal, depth)
    return depth[0] >= 0
  }

  /** Whether the pair reaches depth `deep` after s; then s is set to that point. @param isKnown as in `timeOfContact` */
  private reaches(deep: number, tolerance: number, isKnown = false): boolean {
    const { goal, moving, s, distance } = this
    goal[0] = -deep
    goal[1] = tolerance
    return timeOfContact(moving, goal, s, distance, isKnown)
  }
}
