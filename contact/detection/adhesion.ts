import type { ContactSet } from '../contactSet.ts'
import { geomPairOf, marginOfPair, type PlacedShape } from '../geometry/index.ts'
import type { CollisionPairs } from './pairs.ts'

/** Of the gap up to which rigid contacts touch: a rolling wheel and a rocking body open it in a step [m/s²]; and its largest value [m]. */
const GRAVITY = 10
const MOST_SLACK = 1e-4

/**
 * Adhesion: contacts whose bodies attract each other along the normal with a constant force d while their gap is at most a range. The law
 * of a model then holds for f + d, f being the net force: a contact bears tension up to d, and friction up to mu (f + d). So adhesion is
 * nothing but that attraction as a force on the bodies, under every model, with the model's own law against it (the factorisation of the
 * translated friction cone of MuJoCo 4; for spheres the theory of Derjaguin, Muller and Toporov, J. Colloid Interface Sci. 53, 1975). @unchecked
 */
export class Adhesion {
  /** Largest range [m]. */
  readonly range: number
  /** nb: attraction of all contacts of a body together by actuators, shared equally among them [N]; set at each step, 0 at first. */
  readonly ofBody: Float64Array
  /** Whether contacts are rigid: such a one touches up to a gap that gravity opens in a step. */
  isRigid = false
  /** 1: step over which `ContactSet.adhesion` is an impulse [s]. */
  readonly dt = new Float64Array(1)
  // per pair of shapes
  private readonly ofPair: Float64Array
  private readonly ofPoint: Float64Array
  private readonly ranges: Float64Array
  /** Contacts in range of the current set. */
  private readonly pointsOfPair: Int32Array
  private readonly pointsOfBody: Int32Array

  /** @returns undefined if nothing adheres @param driven whether `ofBody` will be set */
  static of(pairs: CollisionPairs, shapes: readonly PlacedShape[], nb: number, driven = false): Adhesion | undefined {
    const adheres = ({ adhesion = 0, geom, geomPairs = [] }: PlacedShape) =>
      adhesion > 0 || [geom, ...geomPairs.map(({ surface }) => surface.geom)].some((one) => one?.adhesion)
    return driven || shapes.some(adheres) ? new Adhesion(pairs, shapes, nb) : undefined
  }

  private constructor(pairs: CollisionPairs, shapes: readonly PlacedShape[], nb: number) {
    const { count } = pairs
    this.ofBody = new Float64Array(nb)
    this.ofPair = new Float64Array(count)
    this.ofPoint = new Float64Array(count)
    this.ranges = new Float64Array(count)
    this.pointsOfPair = new Int32Array(count)
    this.pointsOfBody = new Int32Array(nb)
    for (let a = 0; a < pairs.shapeCount; a++) {
      for (let b = a + 1; b < shapes.length; b++) {
        const pair = pairs.numberOf(a, b)
        if (pair < 0) continue
        const [x, y] = [shapes[a], shapes[b]]
        this.ofPair[pair] = (x.adhesion ?? 0) + (y.adhesion ?? 0)
        this.ofPoint[pair] = adhesionOfGeoms(x, y)
        this.ranges[pair] = Math.max(x.adhesionRange ?? 0, y.adhesionRange ?? 0, marginOfPair(x, y) + gapOfPair(x, y))
      }
    }
    this.range = this.ranges.reduce((most, range) => Math.max(most, range), 0)
  }

  /** Writes `adhesion` of new contacts. */
  write(contacts: ContactSet): void {
    const { ofBody, ofPair, ofPoint, ranges, pointsOfPair, pointsOfBody, dt } = this
    const { count, pair, gap, bodyA, bodyB, adhesion, passiveAdhesion } = contacts
    const slack = this.isRigid ? Math.min(GRAVITY * dt[0] * dt[0], MOST_SLACK) : 0
    pointsOfPair.fill(0)
    pointsOfBody.fill(0)
    for (let i = 0; i < count; i++) {
      if (!(gap[i] <= Math.max(ranges[pair[i]], slack))) continue
      pointsOfPair[pair[i]]++
      pointsOfBody[bodyA[i]]++
      pointsOfBody[bodyB[i]]++
    }
    for (let i = 0; i < count; i++) {
      const a = bodyA[i]
      const b = bodyB[i]
      const k = pair[i]
      adhesion[i] = 0
      passiveAdhesion[i] = 0
      if (!(gap[i] <= Math.max(ranges[k], slack))) continue
      passiveAdhesion[i] = dt[0] * (ofPair[k] / pointsOfPair[k] + ofPoint[k])
      adhesion[i] = passiveAdhesion[i] + dt[0] * (ofBody[a] / pointsOfBody[a] + ofBody[b] / pointsOfBody[b])
    }
  }
}

/** Per contact [N]: the sum of two geoms of MuJoCo, or of that of higher priority; or of the `GeomPair`. */
function adhesionOfGeoms(a: PlacedShape, b: PlacedShape): number {
  const stated = geomPairOf(a, b)
  if (stated) return stated.surface.geom.adhesion ?? 0
  const { priority: first = 0, adhesion: one = 0 } = a.geom ?? {}
  const { priority: second = 0, adhesion: other = 0 } = b.geom ?? {}
  if (!a.geom || !b.geom || first === second) return one + other
  return first > second ? one : other
}

/** Distance beyond their margin at which contacts of two geoms of MuJoCo are detected; those of two add up [m]. */
function gapOfPair(a: PlacedShape, b: PlacedShape): number {
  const stated = geomPairOf(a, b)
  if (stated) return stated.surface.geom.gap ?? 0
  return (a.geom?.gap ?? 0) + (b.geom?.gap ?? 0)
}
