import {
  boundingRadius,
  type Collider,
  type CollisionPairs,
  type ContactSet,
  convexOf,
  createCollider,
  type LoopClosure,
  type PlacedShape,
  place,
  type Shape,
  type SolverEvents,
  SurfaceTriangles,
  thicknessOf,
  writeBounds,
  writeShapeBounds,
} from '../../contact/index.ts'
import { addWork, type Data, type Model, type State } from '../../dynamics/index.ts'
import { MotionGroups } from './motionGroups.ts'
import { DEEP, PairPassage, TOLERANCE } from './pairPassage.ts'
import { StepMotion } from './stepMotion.ts'

/** Most cuts per pair; each shortens the motion of a tree. */
const mostRounds = 8

/** Widening of boxes against rounding, relative to size and coordinates. */
const SLACK = 1e-9

const identity = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
const origin = new Float64Array(3)
const none = new Float64Array(1)

/** Data of a world for `Tunnelling`. */
export interface TunnellingScene {
  readonly model: Model
  readonly pairs: CollisionPairs
  /** Shapes as numbered by `pairs`: those of robots, then fixtures. */
  readonly shapes: readonly PlacedShape[]
  readonly fixtures: readonly PlacedShape[]
  /** nb: `Trees.treeOf`. */
  readonly treeOf: Int32Array
  readonly loops: readonly LoopClosure[]
  /** Whether the motion of a body is given, and goes on whatever it meets. */
  readonly isGiven: (body: number) => boolean
  /** Time step [s]. */
  readonly dt: number
}

/**
 * Detects pairs of shapes that pass through each other in a step, under any contact model, and counts them; with `ccd` it ends the motion
 * at the time of contact instead. See docs/how-it-works.md. This class finds the candidates; `PairPassage` examines each.
 */
export class Tunnelling {
  private readonly ccd: boolean
  private readonly dt: number
  /** Whether some pair may pass through. */
  private readonly watches: boolean
  private readonly motion: StepMotion
  private readonly passage: PairPassage
  private readonly model: Model
  private readonly pairs: CollisionPairs
  private readonly placed: readonly PlacedShape[]
  private readonly shapeCount: number
  private readonly colliders: readonly Collider[]
  /** Per shape: greatest distance of its core's points from its body's origin [m]. */
  private readonly reach: Float64Array
  /** Per shape: the triangles of a fixed mesh or height field. */
  private readonly surfaces: readonly (SurfaceTriangles | undefined)[]
  /** Per shape: 1 if it has no other side. */
  private readonly endless: Uint8Array
  /** Per pair: its shapes, and the depth beyond which it may pass through [m]; Infinity if it cannot. */
  private readonly shapeA: Int32Array
  private readonly shapeB: Int32Array
  private readonly deep: Float64Array
  private readonly groups: MotionGroups
  /** Per body: half the least depth of its pairs [m]; bound of its shapes' motion [m]; sums of slides below the root, and of rotations. */
  private readonly gate: Float64Array
  private readonly travel: Float64Array
  private readonly slide: Float64Array
  private readonly turn: Float64Array
  /** Per body: greatest distance from its origin of shapes on it, and on its descendants [m]. */
  private readonly beyond: Float64Array
  private readonly fast: Uint8Array
  /** Per body: root of its tree; and 1: increase of the shapes' distances relative to all joints at 0 [m]. */
  private readonly rootOf: Int32Array
  private readonly more = new Float64Array(1)
  /** Per shape: 9, orientation at the start; 3, displacement of its middle; 1, bound of its points' additional motion [m]. */
  private readonly start: Float64Array
  private readonly shift: Float64Array
  private readonly round: Float64Array
  /** 1: bound of the relative motion of two shapes [m]. */
  private readonly approach = new Float64Array(1)
  private readonly isCandidate: Uint8Array
  /** 6 a shape: AABB of its swept volume. */
  private readonly boxes: Float64Array
  private readonly box = new Float64Array(12)
  private candidates = new Int32Array(64)
  private cuts = new Float64Array(64)
  private count = 0

  constructor({ model, pairs, shapes, fixtures, treeOf, loops, isGiven, dt }: TunnellingScene, ccd: boolean) {
    const placed = [...shapes, ...fixtures]
    const { nb } = model
    this.ccd = ccd
    this.dt = dt
    this.model = model
    this.pairs = pairs
    this.placed = placed
    this.shapeCount = shapes.length
    this.motion = new StepMotion(model)
    this.colliders = placed.map(({ shape }) => createCollider(coreOf(shape)))
    this.reach = Float64Array.from(placed, ({ shape, R, p }, i) => boundingRadius(shape, R, p) - this.colliders[i].rounding)
    this.surfaces = placed.map((one) => (isSurface(one) ? new SurfaceTriangles(one) : undefined))
    this.endless = Uint8Array.from(placed, ({ shape: { type } }) => (type === 'halfspace' || type === 'heightfield' ? 1 : 0))
    this.groups = new MotionGroups(treeOf, loops, isGiven)
    this.shapeA = new Int32Array(pairs.count)
    this.shapeB = new Int32Array(pairs.count)
    this.deep = new Float64Array(pairs.count).fill(Infinity)
    this.gate = new Float64Array(nb).fill(Infinity)
    this.setPairs()
    this.watches = this.gate.some((gate) => gate < Infinity)
    this.travel = new Float64Array(nb)
    this.slide = new Float64Array(nb)
    this.turn = new Float64Array(nb)
    this.passage = new PairPassage(this.motion, this.turn, ccd)
    this.fast = new Uint8Array(nb)
    this.beyond = this.reachBeyond().map((reach, i) => reach + this.motion.center[4 * i + 3])
    this.boxes = new Float64Array(6 * placed.length)
    this.start = new Float64Array(9 * placed.length)
    this.shift = new Float64Array(3 * placed.length)
    this.round = new Float64Array(placed.length)
    this.isCandidate = new Uint8Array(pairs.count)
    this.rootOf = new Int32Array(nb)
    for (let i = 1; i < nb; i++) this.rootOf[i] = model.parent[i] === 0 ? i : this.rootOf[model.parent[i]]
    placed.forEach((one, i) => {
      if (one.body > 0) return
      place(this.colliders[i], identity, origin, one)
      writeShapeBounds(one.shape, one.R, one.p, none, 0, this.boxes, 6 * i)
    })
  }

  /** Sets shapes and permitted depth per pair. Moving meshes are tested only against half-spaces. */
  private setPairs(): void {
    const { pairs, placed, endless, gate } = this
    const thickness = placed.map(({ shape }) => thicknessOf(shape) || Infinity)
    for (let b = 1; b < placed.length; b++) {
      for (let a = 0; a < Math.min(b, this.shapeCount); a++) {
        const number = pairs.numberOf(a, b)
        if (number < 0) continue
        this.shapeA[number] = a
        this.shapeB[number] = b
        if (!this.ccd && endless[b] === 1) continue
        // a peg starts inside the hull of a ring around it
        if ((isMoving(placed[a]) || isMoving(placed[b])) && placed[b].shape.type !== 'halfspace') continue
        const deep = DEEP * Math.min(thickness[a], thickness[b])
        this.deep[number] = deep
        for (const { body } of [placed[a], placed[b]]) if (body > 0) gate[body] = Math.min(gate[body], 0.5 * deep)
      }
    }
  }

  private reachBeyond(): Float64Array {
    const { nb, parent, XT } = this.model
    const out = new Float64Array(nb)
    this.placed.forEach(({ body, shape, R, p }) => {
      if (body > 0) out[body] = Math.max(out[body], boundingRadius(shape, R, p))
    })
    for (let i = nb - 1; i > 0; i--) {
      if (parent[i] > 0) out[parent[i]] = Math.max(out[parent[i]], out[i] + Math.hypot(XT[i][9], XT[i][10], XT[i][11]))
    }
    return out
  }

  /** Stores the start of a step. */
  begin(q: Float64Array): void {
    if (this.watches) this.motion.q0.set(q)
  }

  /**
   * Counts, after a step, the pairs that passed through, and shortens the motion if requested.
   *
   * @param state    in and out: at the end of the step
   * @param start    kinematics of its start; undefined if not known
   * @param contacts detected at its start
   */
  end(state: State, start: Data | undefined, contacts: ContactSet, events: SolverEvents): void {
    if (!this.watches) return
    const { motion, ccd } = this
    motion.q1.set(state.q)
    motion.measure()
    for (let k = 0; k < this.count; k++) this.isCandidate[this.candidates[k]] = 0
    this.count = 0
    const isFast = this.findFast() && (start === undefined || this.findNear(start))
    if (isFast) this.addSwept()
    this.addDeep(contacts, isFast)
    if (this.count === 0) return
    motion.begin()
    this.groups.begin()
    if (ccd) this.cut(state)
    for (let k = 0; k < this.count; k++) {
      if (!this.examine(k)) continue
      events.tunnelled++
      if (events.firstTunnelling === '') events.firstTunnelling = this.describe(k, state.t[0])
    }
  }

  private describe(k: number, t: number): string {
    const { dt } = this
    const number = this.candidates[k]
    const [a, b] = [this.shapeA[number], this.shapeB[number]].map((i) => nameOf(this.placed[i]))
    return `${a} passed through ${b} in the step from t = ${Number(t.toPrecision(9))} s to ${Number((t + dt).toPrecision(9))} s`
  }

  /** Marks bodies that moved far enough to bring a separated pair to its depth. @returns whether there are any */
  private findFast(): boolean {
    const { travel, slide, turn, beyond, fast, gate, motion, model } = this
    const { nb, parent } = model
    let more = 0
    for (let i = 1; i < nb; i++) more += motion.offset[i]
    this.more[0] = more
    let some = false
    for (let i = 1; i < nb; i++) {
      const p = parent[i]
      travel[i] = travel[p] + motion.slide[i] + motion.turn[i] * (beyond[i] + more)
      slide[i] = p > 0 ? slide[p] + motion.slide[i] : 0
      turn[i] = turn[p] + motion.turn[i]
      fast[i] = travel[i] > gate[i] ? 1 : 0
      if (fast[i] === 1) some = true
    }
    return some
  }

  /**
   * Whether the swept boxes of any pair with a fast body may overlap: whether boxes around the shapes' bounding balls at the start do, widened
   * by the bound of their motion.
   */
  private findNear(start: Data): boolean {
    const { placed, deep, shapeA, shapeB, fast, box } = this
    addWork(deep.length, 3, 1)
    let known = -1
    for (let number = 0; number < deep.length; number++) {
      if (deep[number] === Infinity) continue
      const a = shapeA[number]
      const b = shapeB[number]
      const { body } = placed[b]
      if (fast[placed[a].body] === 0 && fast[body] === 0) continue
      if (a !== known) this.setAround(start, a, 0)
      known = a
      this.setAround(start, b, 6)
      if (overlap(box, 0, 6)) return true
    }
    return false
  }

  /** Sets `box`, from `at` on, to the box of shape i for `findNear`. */
  private setAround({ R_WB, p_WB }: Data, i: number, at: number): void {
    const { box, boxes, colliders, travel, turn, slide, beyond, rootOf, more } = this
    const { body, R, p } = this.placed[i]
    if (body === 0) {
      for (let d = 0; d < 6; d++) box[at + d] = boxes[6 * i + d]
      return
    }
    const { center: c, radius } = colliders[i]
    const RB = R_WB[body]
    const pB = p_WB[body]
    const x = p[0] + R[0] * c[0] + R[1] * c[1] + R[2] * c[2]
    const y = p[1] + R[3] * c[0] + R[4] * c[1] + R[5] * c[2]
    const z = p[2] + R[6] * c[0] + R[7] * c[1] + R[8] * c[2]
    const T = turn[body]
    const off = (T * T * (beyond[rootOf[body]] + more[0]) + 2 * T * slide[body]) / 8
    for (let d = 0; d < 3; d++) {
      const middle = pB[d] + RB[3 * d] * x + RB[3 * d + 1] * y + RB[3 * d + 2] * z
      const size = radius + travel[body] + off + SLACK * (radius + Math.abs(middle))
      box[at + d] = middle - size
      box[at + 3 + d] = middle + size
    }
  }

  /** Adds pairs with overlapping swept boxes, at least one body fast, that may have moved from apart to their depth. */
  private addSwept(): void {
    const { placed, shapeCount, fast, boxes, pairs, deep, approach } = this
    this.sweep()
    for (let a = 0; a < shapeCount; a++) {
      if (fast[placed[a].body] === 0) continue
      addWork(placed.length, 10, 1)
      for (let b = 0; b < placed.length; b++) {
        if (b === a || (b < a && fast[placed[b].body] === 1) || !overlap(boxes, 6 * a, 6 * b)) continue
        const number = a < b ? pairs.numberOf(a, b) : pairs.numberOf(b, a)
        if (number < 0 || deep[number] === Infinity) continue
        this.measureApproach(a, b)
        if (approach[0] > deep[number] * (1 - TOLERANCE)) this.add(number)
      }
    }
  }

  /** Bounds the relative motion of two shapes; or the motion of each, if that of one may be shortened. */
  private measureApproach(a: number, b: number): void {
    const { approach, shift, round, ccd } = this
    const together = !ccd || this.groupOfShape(a) === this.groupOfShape(b)
    let squareA = 0
    let squareB = 0
    let square = 0
    for (let d = 0; d < 3; d++) {
      const x = shift[3 * a + d]
      const y = shift[3 * b + d]
      squareA += x * x
      squareB += y * y
      square += (x - y) * (x - y)
    }
    approach[0] = round[a] + round[b] + (together ? Math.sqrt(square) : Math.sqrt(squareA) + Math.sqrt(squareB))
  }

  /**
   * Sets the swept boxes of shapes over the whole step, `shift` and `round`. A point deviates from the straight line between start and end
   * by at most an eighth of its greatest second derivative: (T² r + 2 T s) / 8 for the sum T of rotations along the path from the root,
   * distance r, and translations s of joints that rotate with others.
   */
  private sweep(): void {
    const { placed, shapeCount, boxes, box, colliders, motion, turn, slide, beyond, rootOf, more, shift, round, start } = this
    for (let end = 0; end < 2; end++) {
      motion.placeAll(end === 0 ? motion.q0 : motion.q1)
      const { R_WB, p_WB } = motion.data
      for (let i = 0; i < shapeCount; i++) {
        const one = placed[i]
        if (one.body === 0) continue
        const { body } = one
        const collider = colliders[i]
        place(collider, R_WB[body], p_WB[body], one)
        writeBounds(collider, none, 0, box, 0)
        const T = turn[body]
        const off = (T * T * (beyond[rootOf[body]] + more[0]) + 2 * T * slide[body]) / 8
        if (end === 0) {
          for (let d = 0; d < 9; d++) start[9 * i + d] = collider.R[d]
          for (let d = 0; d < 3; d++) shift[3 * i + d] = collider.centerW[d]
        } else {
          // |R1 - R0| of a rotation by an angle is twice the sine of half of it, the root of half the sum of squares
          let square = 0
          for (let d = 0; d < 9; d++) square += (collider.R[d] - start[9 * i + d]) * (collider.R[d] - start[9 * i + d])
          round[i] = Math.sqrt(0.5 * square) * collider.radius + 2 * off
          for (let d = 0; d < 3; d++) shift[3 * i + d] = collider.centerW[d] - shift[3 * i + d]
        }
        for (let d = 0; d < 3; d++) {
          const low = box[d] - off
          const high = box[3 + d] + off
          const k = 6 * i + d
          boxes[k] = end === 0 ? low : Math.min(boxes[k], low)
          boxes[k + 3] = end === 0 ? high : Math.max(boxes[k + 3], high)
        }
      }
    }
  }

  /** Adds pairs that are already deep, which may pass through even slowly. */
  private addDeep({ count, gap, pair }: ContactSet, isSwept: boolean): void {
    const { deep, shapeB, isCandidate } = this
    let swept = isSwept
    for (let i = 0; i < count; i++) {
      const number = pair[i]
      if (!(gap[i] < -deep[number])) continue
      const b = shapeB[number]
      if (isCandidate[number] === 1 || this.endless[b] === 1) continue
      // the box selects a surface's triangles
      if (this.surfaces[b] !== undefined && !swept) {
        this.sweep()
        swept = true
      }
      this.add(number)
    }
  }

  private add(number: number): void {
    if (this.count === this.candidates.length) {
      const longer = new Int32Array(2 * this.count)
      longer.set(this.candidates)
      this.candidates = longer
      this.cuts = new Float64Array(2 * this.count)
    }
    this.isCandidate[number] = 1
    this.candidates[this.count++] = number
  }

  /** Ends the motion of trees where it would bring a pair too deep, the earliest first; then that of trees that would hit these. */
  private cut(state: State): void {
    const { count, cuts, candidates, shapeA, shapeB, placed, groups } = this
    const { cutAt } = this.passage
    for (let k = 0; k < count; k++) {
      this.examine(k)
      cuts[k] = cutAt[0]
    }
    let some = false
    for (let round = 0; round < mostRounds * count; round++) {
      let next = 0
      for (let k = 1; k < count; k++) if (cuts[k] < cuts[next]) next = k
      const s = cuts[next]
      if (s === Infinity) break
      some = true
      const { body: bodyA } = placed[shapeA[candidates[next]]]
      const { body: bodyB } = placed[shapeB[candidates[next]]]
      groups.stop(bodyA, s, bodyB)
      groups.stop(bodyB, s, bodyA)
      const a = groups.of[bodyA]
      const b = groups.of[bodyB]
      for (let k = 0; k < count; k++) {
        const x = this.groupOfShape(shapeA[candidates[k]])
        const y = this.groupOfShape(shapeB[candidates[k]])
        if ((x < 0 || (x !== a && x !== b)) && (y < 0 || (y !== a && y !== b))) continue
        cuts[k] = Infinity
        // what one carries moves no further towards it
        if (groups.carries(x, y) || groups.carries(y, x)) continue
        this.examine(k)
        cuts[k] = cutAt[0]
      }
    }
    if (some) groups.end(this.motion, state)
  }

  private groupOfShape(i: number): number {
    return this.groups.of[this.placed[i].body]
  }

  /** Whether candidate k passes through; with `ccd` also where its motion must end, in `passage.cutAt`. */
  private examine(k: number): boolean {
    const { passage, placed, colliders, shapeA, shapeB, reach, groups, surfaces, boxes } = this
    const { moving } = passage
    const number = this.candidates[k]
    const a = shapeA[number]
    const b = shapeB[number]
    moving.a = colliders[a]
    moving.b = colliders[b]
    moving.placedA = placed[a]
    moving.placedB = placed[b]
    moving.reach[0] = reach[a]
    moving.reach[1] = reach[b]
    const groupA = this.groupOfShape(a)
    const groupB = this.groupOfShape(b)
    moving.ends[0] = groupA < 0 ? 1 : groups.part[groupA]
    moving.ends[1] = groupB < 0 ? 1 : groups.part[groupB]
    const surface = surfaces[b]
    const isEndless = this.endless[b] === 1
    if (surface !== undefined) return passage.examineSurface(surface, boxes, 6 * a, this.deep[number], isEndless)
    return passage.examine(this.deep[number], isEndless)
  }
}

/** Whether a shape is a fixture of triangles. */
const isSurface = ({ body, shape: { type } }: PlacedShape) => type === 'heightfield' || (type === 'mesh' && body === 0)

const isMoving = ({ body, shape: { type } }: PlacedShape) => type === 'mesh' && body > 0

/** Shape used for distances: a moving mesh is its hull against half-spaces; a fixed one has triangles, no collider. */
function coreOf(shape: Shape): Shape {
  if (shape.type === 'heightfield') return { type: 'sphere', radius: 0 }
  return convexOf(shape)
}

function overlap(boxes: Float64Array, a: number, b: number): boolean {
  for (let d = 0; d < 3; d++) if (boxes[a + d] > boxes[b + 3 + d] || boxes[b + d] > boxes[a + 3 + d]) return false
  return true
}

const nameOf = (shape: PlacedShape): string => ('link' in shape ? String(shape.link) : shape.name)
