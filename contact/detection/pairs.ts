import { JointType, type Model } from '../../dynamics/index.ts'
import { bitsMeet, GeometryError, geomPairOf, type PlacedShape } from '../geometry/index.ts'
import type { PairFilter } from './broadPhase.ts'

/**
 * Self-collision of a robot, from none to all pairs on bodies that can move against each other. Left out are neighbours, which have only
 * joints between them, by `all-but-adjacent`; by MuJoCo's rule, `all-but-parent`, a body and the one that carries it, unless that is
 * fixed to the world.
 */
export const selfCollisions = ['none', 'all-but-parent', 'all-but-adjacent', 'all'] as const
export type SelfCollision = (typeof selfCollisions)[number]

export interface PairOptions {
  /** Default 'none'; or one for each robot, by its number. */
  readonly selfCollision?: SelfCollision | readonly SelfCollision[]
  /** Per shape: number of its robot or free body. Default: one for all. Shapes of different ones may always touch. */
  readonly robotOf?: Int32Array
  /** Per shape: number of the file that it is from, within which each `GeomPair` counts. Default: `robotOf`. */
  readonly fileOf?: Int32Array
  /** Pairs that never touch, by the names of their shapes. */
  readonly excluded?: readonly (readonly [string, string])[]
  /** If given: the only pairs that may touch, with fixtures too, by the names of their shapes. */
  readonly only?: readonly (readonly [string, string])[]
}

/**
 * The collision filter: the pairs of shapes that may touch, and their numbers. @unchecked
 *
 * Shapes are numbered consecutively: those of robots first, then the fixtures. Pair `shape * number of fixtures + fixture` is a robot's
 * shape with a fixture; above these come the pairs of two robot shapes that may touch, in the order of the first, then of the second.
 * Numbers depend only on the shapes and options; those of pairs with fixtures do not depend on `selfCollision`.
 *
 * Filtered out are, in this order: pairs of fixtures; pairs on bodies that cannot move against each other (the same, or joined by
 * fixed joints); and, but for those that a `GeomPair` of their file names, shapes of one robot by `selfCollision`; pairs that their
 * bits keep apart (`PlacedShape.contype`); pairs in `excluded`; and pairs not in `only`.
 */
export class CollisionPairs implements PairFilter {
  readonly shapeCount: number
  readonly fixtureCount: number
  /** Bound of the pair numbers: all are less. */
  readonly count: number
  /** Number of pairs of robot shapes that may touch, of one robot or two; these have the last numbers. */
  readonly selfCount: number
  /** Per pair of a robot shape and a fixture: 1 if it may touch. */
  readonly #withFixture: Uint8Array
  /** Per pair a < b of robot shapes, b (b - 1) / 2 + a: its number or -1; empty if there are none. */
  readonly #number: Int32Array

  /**
   * @param shapes   on bodies of the model; those on body 0 touch no fixture
   * @param fixtures on the world
   * @throws GeometryError if `excluded` or `only` names an unknown shape
   * @throws RangeError if `robotOf` has not one entry a shape
   */
  constructor(model: Model, shapes: readonly PlacedShape[], fixtures: readonly PlacedShape[], options: PairOptions = {}) {
    const { selfCollision = 'none', robotOf, fileOf = robotOf, excluded = [], only } = options
    for (const [name, of] of Object.entries({ robotOf, fileOf }))
      if (of !== undefined && of.length !== shapes.length)
        throw new RangeError(`${name} has ${of.length} entries, expected one a shape, ${shapes.length}`)
    const placed = [...shapes, ...fixtures]
    const out = namedPairs(excluded, placed, 'excluded')
    const listed = only ? namedPairs(only, placed, 'only') : undefined
    const allowed = (i: number, j: number) => {
      if (!bitsMeet(placed[i], placed[j])) return false
      const key = i * placed.length + j
      return !out.has(key) && (listed === undefined || listed.has(key))
    }
    const rigid = rigidGroups(model)
    // what stands still, or is placed from outside, touches only what moves
    const moves = (a: number, b: number) => rigid[a] !== rigid[b] && (model.vLast[a] >= 0 || model.vLast[b] >= 0)
    const above = neighbourAbove(model, rigid, shapes)
    const carrier = carrierOf(model, rigid)
    const ruleOf = (shape: number) => (typeof selfCollision === 'string' ? selfCollision : selfCollision[robotOf?.[shape] ?? 0])
    const several = robotOf?.some((robot) => robot !== robotOf[0]) ?? false

    this.shapeCount = shapes.length
    this.fixtureCount = fixtures.length
    this.#withFixture = Uint8Array.from(
      shapes.flatMap((a, i) =>
        fixtures.map((b, j) => (moves(a.body, b.body) && (geomPairOf(a, b) || allowed(i, shapes.length + j)) ? 1 : 0)),
      ),
    )
    let next = shapes.length * fixtures.length
    const first = next
    const none = !several && !shapes.some((shape, i) => shape.geomPairs || ruleOf(i) !== 'none')
    this.#number = new Int32Array(none ? 0 : (shapes.length * (shapes.length - 1)) / 2).fill(-1)
    for (let i = 0; i < shapes.length && !none; i++) {
      const a = shapes[i]
      const groupA = rigid[a.body]
      const rule = ruleOf(i)
      for (let j = i + 1; j < shapes.length; j++) {
        const b = shapes[j]
        const groupB = rigid[b.body]
        if (!moves(a.body, b.body)) continue
        const isOne = robotOf === undefined || robotOf[i] === robotOf[j]
        const isNamed = (fileOf === undefined || fileOf[i] === fileOf[j]) && geomPairOf(a, b)
        if (!isNamed) {
          if (isOne && rule === 'none') continue
          const isNext = (next: Int32Array) => next[groupA] === groupB || next[groupB] === groupA
          if (isOne && rule === 'all-but-adjacent' && isNext(above)) continue
          if (isOne && rule === 'all-but-parent' && groupA > 0 && groupB > 0 && isNext(carrier)) continue
          if (!allowed(i, j)) continue
        }
        this.#number[(j * (j - 1)) / 2 + i] = next++
      }
    }
    this.count = next
    this.selfCount = next - first
  }

  /** The number of a pair a < b of shapes, or -1 if it may not touch. */
  numberOf(a: number, b: number): number {
    const shapes = this.shapeCount
    if (b < shapes) return this.selfCount > 0 ? this.#number[(b * (b - 1)) / 2 + a] : -1
    if (a >= shapes) return -1
    const pair = a * this.fixtureCount + b - shapes
    return this.#withFixture[pair] === 1 ? pair : -1
  }

  allows(a: number, b: number): boolean {
    return this.numberOf(a, b) >= 0
  }
}

/** Per body: the body nearest to the world in its group of bodies joined by fixed joints. @unchecked */
export function rigidGroups({ nb, parent, jointType }: Model): Int32Array {
  const rigid = new Int32Array(nb)
  for (let i = 1; i < nb; i++) rigid[i] = jointType[i] === JointType.fixed ? rigid[parent[i]] : i
  return rigid
}

/**
 * Per rigid group: the next group towards the world that has shapes, unless a floating joint lies between; else -1. The world counts as
 * having shapes.
 */
function neighbourAbove(model: Model, rigid: Int32Array, shapes: readonly PlacedShape[]): Int32Array {
  const { nb, parent, jointType } = model
  const solid = new Set(shapes.map(({ body }) => rigid[body]))
  const above = new Int32Array(nb).fill(-1)
  for (let i = 1; i < nb; i++) {
    if (rigid[i] !== i || jointType[i] === JointType.floating) continue
    const next = rigid[parent[i]]
    above[i] = next === 0 || solid.has(next) ? next : above[next]
  }
  return above
}

/** Per rigid group: the next group towards the world that has mass, or the world: frames between the joints of one body have none. */
function carrierOf({ nb, parent, I, jointType }: Model, rigid: Int32Array): Int32Array {
  const mass = new Float64Array(nb)
  for (let i = 1; i < nb; i++) mass[rigid[i]] += jointType[i] === JointType.mocap ? 1 : I[i][0]
  const carrier = new Int32Array(nb).fill(-1)
  for (let i = 1; i < nb; i++) {
    if (rigid[i] !== i) continue
    const next = rigid[parent[i]]
    carrier[i] = next === 0 || mass[next] > 0 ? next : carrier[next]
  }
  return carrier
}

/** Pairs i < j of shapes as i times their number plus j. */
function namedPairs(
  pairs: readonly (readonly [string, string])[],
  placed: readonly PlacedShape[],
  option: string,
): ReadonlySet<number> {
  const indices = new Map<string, number[]>()
  placed.forEach(({ name }, i) => {
    indices.set(name, [...(indices.get(name) ?? []), i])
  })
  const called = (name: string) => {
    const found = indices.get(name)
    if (found !== undefined) return found
    throw new GeometryError(`${option} names a shape "${name}"; there are ${[...indices.keys()].join(', ')}`)
  }
  const key = (i: number, j: number) => Math.min(i, j) * placed.length + Math.max(i, j)
  return new Set(pairs.flatMap(([a, b]) => called(a).flatMap((i) => called(b).map((j) => key(i, j)))))
}
