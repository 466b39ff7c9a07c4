import type { PlacedShape } from '../../contact/geometry/index.ts'
import { createRandom, type Random } from '../../dynamics/index.ts'
import { createFreeBody } from '../../robots/index.ts'
import { World, type WorldOptions, type WorldRobot } from '../../simulation/index.ts'
import { fixedBox, floor, type Vector } from '../../test/contact/laws/scenes.ts'

/** Step of every engine [s], and friction of every surface. */
export const PILE_DT = 2e-3
const PILE_FRICTION = 0.5
/** Edges of the boxes [m], and their density [kg/m³]. */
const EDGE = [0.1, 0.3] as const
const DENSITY = 500
/** Thickness and height of the walls [m], and the least air between boxes at the start. */
const WALL = 0.5
const WALL_HEIGHT = 8
const AIR = 0.005
/** Places that a box may fall to at the start, of which the lowest is taken. */
const PLACES = 20

/** Boxes over a bin of four walls, at rest and nowhere in touch, from where they fall to a pile. */
export interface Pile {
  readonly boxes: readonly PiledBox[]
  /** Inner width of the bin, which is square and about the origin [m]. */
  readonly width: number
  /** The ground z = 0 and the walls. */
  readonly fixtures: readonly PlacedShape[]
}

export interface PiledBox {
  /** Edge of the cube [m], and its mass [kg]. */
  readonly edge: number
  readonly mass: number
  /** Where it starts: position, then quaternion as x, y, z, w. */
  readonly q: Float64Array
}

/** The same boxes at the same places for the same count. */
export function pile(count: number): Pile {
  const random = createRandom(count)
  // about as high as it is wide, at a third of the bin filled
  const width = Math.max(0.6, Math.cbrt(0.03 * count))
  const boxes: PiledBox[] = []
  for (let k = 0; k < count; k++) {
    const edge = random.between(...EDGE)
    const q = Float64Array.of(...lowest(random, boxes, edge, width), ...turned(random))
    boxes.push({ edge, mass: DENSITY * edge ** 3, q })
  }
  const at = (width + WALL) / 2
  const wall = (name: string, x: number, y: number) =>
    fixedBox(name, [x, y, WALL_HEIGHT / 2], [x === 0 ? width + 2 * WALL : WALL, y === 0 ? width + 2 * WALL : WALL, WALL_HEIGHT])
  const fixtures = [floor, wall('east', at, 0), wall('west', -at, 0), wall('north', 0, at), wall('south', 0, -at)]
  return { boxes, width, fixtures }
}

/** The pile as a world. @param contactModel a model's name, or what makes one */
export const pileWorld = (scene: Pile, contactModel: WorldOptions['contactModel']): World =>
  new World({
    robots: robotsOf(scene),
    fixtures: scene.fixtures,
    physical: { friction: PILE_FRICTION, restitution: 0 },
    contactModel,
    dt: PILE_DT,
  })

const robotsOf = ({ boxes }: Pile): WorldRobot[] =>
  boxes.map(({ edge, mass, q }, k) => ({
    name: `box ${k}`,
    robot: createFreeBody({ name: `box ${k}`, shape: { type: 'box', size: [edge, edge, edge] }, mass }),
    q,
  }))

/** The lowest of some places over the others at which its bounding sphere is clear of theirs. */
function lowest(random: Random, boxes: readonly PiledBox[], edge: number, width: number): Vector {
  const radius = radiusOf(edge)
  let best: Vector = [0, 0, Number.POSITIVE_INFINITY]
  for (let n = 0; n < PLACES; n++) {
    const room = width / 2 - radius - AIR
    const [x, y] = [random.between(-room, room), random.between(-room, room)]
    let z = radius + 0.1
    for (const other of boxes) {
      const apart = radius + radiusOf(other.edge) + AIR
      const squared = apart ** 2 - (x - other.q[0]) ** 2 - (y - other.q[1]) ** 2
      if (squared > 0) z = Math.max(z, other.q[2] + Math.sqrt(squared))
    }
    if (z < best[2]) best = [x, y, z]
  }
  return best
}

const radiusOf = (edge: number) => (Math.sqrt(3) / 2) * edge

function turned(random: Random): number[] {
  const q = [0, 0, 0, 0].map(() => random.between(-1, 1))
  const length = Math.hypot(...q)
  return q.map((x) => x / length)
}
