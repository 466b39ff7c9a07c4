import type { Data } from '../../dynamics/index.ts'
import { type Collider, createCollider, type PlacedShape, place, signedDistance } from '../geometry/index.ts'

const identity = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const zero = new Float64Array(3)

/**
 * The exact signed distance of every pair of a robot's shape and a fixture, for metrics. It shares no code with the
 * points that `ContactDetector` makes but the shapes themselves and, against fixtures other than half-spaces, `signedDistance`.
 */
export class PairDistances {
  /** Pairs are numbered as in `ContactSet.pair`: robot shape * number of fixtures + fixture. */
  readonly pairCount: number
  readonly #robotShapes: readonly PlacedShape[]
  readonly #robot: readonly Collider[]
  readonly #fixtures: readonly Collider[]
  readonly #distance = new Float64Array(10)

  constructor(robotShapes: readonly PlacedShape[], fixtures: readonly PlacedShape[]) {
    this.pairCount = robotShapes.length * fixtures.length
    this.#robotShapes = robotShapes
    this.#robot = robotShapes.map(({ shape }) => createCollider(shape))
    this.#fixtures = fixtures.map((fixture) => {
      const collider = createCollider(fixture.shape)
      place(collider, identity, zero, fixture)
      return collider
    })
  }

  /**
   * Reads data.R_WB and data.p_WB.
   *
   * @param out out: pairCount [m], negative when penetrating
   * @throws RangeError if out has not pairCount entries
   */
  measure(data: Data, out: Float64Array): void {
    if (out.length !== this.pairCount)
      throw new RangeError(`out has ${out.length} entries, expected one a pair, ${this.pairCount}`)
    const robot = this.#robot
    const fixtures = this.#fixtures
    for (let i = 0; i < robot.length; i++) {
      const placed = this.#robotShapes[i]
      place(robot[i], data.R_WB[placed.body], data.p_WB[placed.body], placed)
      for (let j = 0; j < fixtures.length; j++) {
        signedDistance(fixtures[j], robot[i], this.#distance)
        out[i * fixtures.length + j] = this.#distance[0]
      }
    }
  }
}
