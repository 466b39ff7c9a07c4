import { type Data, directionRow, type Model, place3 } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import { restingContacts } from '../../simulation/index.ts'
import { ControllerError } from '../controllerError.ts'

/** The points that a robot stands on, kept in a controller's memory. */
export type StandingPoints = Readonly<ReturnType<typeof standingPoints>>

/** Most points of a shape; four corners represent a foot. */
const MOST_POINTS = 4

/** Tolerance for merging points, and for points on a line [m]. */
const FLAT = 1e-4

/**
 * The collision points in contact with the level ground z = 0, at most four of each shape. Of a body's points only the corners of their
 * convex hull are kept: forces at the others are equivalent to forces at these.
 *
 * Reads data of the present configuration (`kinematics`); writes data.V.
 *
 * @param controller its name in errors @throws ControllerError for a robot that touches nothing
 */
export function standingPoints(robot: Robot, data: Data, controller: string) {
  const contacts = restingContacts(robot, data, undefined, MOST_POINTS)
  if (contacts.count === 0)
    throw new ControllerError(controller, `robot "${robot.name}" touches no ground at z = 0 where it starts; set it down`)
  const used = Array.from({ length: contacts.count }, (_, i) => i).filter((i, _, all) =>
    isCorner(
      contacts.point,
      i,
      all.filter((k) => contacts.bodyB[k] === contacts.bodyB[i]),
    ),
  )
  const body = Int32Array.from(used, (i) => contacts.bodyB[i])
  const point = new Float64Array(3 * used.length)
  const below = new Float64Array(used.length)
  const shapes = robot.shapes.filter(({ body }) => body > 0)
  used.forEach((i, k) => {
    const { shape, p: centre } = shapes[contacts.pair[i]]
    if (shape.type === 'sphere') {
      point.set(centre, 3 * k)
      below[k] = shape.radius
      return
    }
    const R = data.R_WB[body[k]]
    const p = data.p_WB[body[k]]
    for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) point[3 * k + c] += R[3 * r + c] * (contacts.point[3 * i + r] - p[r])
  })
  return {
    /** Body of each. */
    body,
    /** 3 a point: in its body's axes [m]; of a ball its centre, since a ball rolls. */
    point,
    /** Depth of the contact point below that [m]: the radius of a ball, 0 for others. */
    below,
    /** 3 a point, in the world [m], and 3 rows of nv, its Jacobian in world axes (`placePoints`). */
    place: new Float64Array(3 * used.length),
    J: new Float64Array(3 * used.length * robot.model.nv),
  }
}

/** From a corner all other points lie within half a turn, starting at one of them. Of several at one place the first counts. */
function isCorner(points: Float64Array, i: number, all: readonly number[]): boolean {
  const from = (k: number) => [points[3 * k] - points[3 * i], points[3 * k + 1] - points[3 * i + 1]] as const
  const isHere = (k: number) => Math.hypot(...from(k)) < FLAT
  if (all.some((k) => k < i && isHere(k))) return false
  const others = all.filter((k) => !isHere(k)).map(from)
  const isFirst = ([x, y]: readonly [number, number]) =>
    others.every(([u, w]) => {
      const left = (x * w - y * u) / Math.hypot(x, y)
      return left > FLAT || (left > -FLAT && x * u + y * w > 0)
    })
  return others.length === 0 || others.some(isFirst)
}

const axes = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
const now = new Float64Array(3)
const own = new Float64Array(3)

/** Writes the current positions of the points, and their Jacobians. Reads data.R_WB, data.p_WB, data.SW (`kinematics`). */
export function placePoints({ body, point, below, place, J }: StandingPoints, model: Model, data: Data): void {
  J.fill(0)
  for (let i = 0; i < body.length; i++) {
    for (let r = 0; r < 3; r++) own[r] = point[3 * i + r]
    place3(now, data.R_WB[body[i]], data.p_WB[body[i]], own)
    now[2] -= below[i]
    place.set(now, 3 * i)
    for (let r = 0; r < 3; r++) directionRow(model, data, body[i], now, 0, axes, 3 * r, 1, J, (3 * i + r) * model.nv)
  }
}
