import { type Data, directionRow, type Model, place3 } from '../dynamics/index.ts'
import type { Robot } from '../robots/index.ts'
import { restingContacts } from '../simulation/index.ts'
import { ControllerError } from './controllerError.ts'

/** The points that a robot stands on, kept in a controller's memory. */
export interface StandingPoints {
  /** Body of each. */
  readonly body: Int32Array
  /** 3 a point: in its body's axes [m]; of a ball its centre, since a ball rolls. */
  readonly point: Float64Array
  /** How far it is below that [m]: the radius of a ball, 0 for others. */
  readonly below: Float64Array
  /** 3 a point, in the world [m], and 3 rows of nv, its Jacobian in world axes (`placePoints`). */
  readonly place: Float64Array
  readonly J: Float64Array
}

/** Four corners say what a foot can do. */
const MOST_POINTS = 4

/**
 * The collision points that touch the level ground z = 0 now, at most four of each shape.
 *
 * Reads data of the present configuration (`kinematics`); writes data.V.
 *
 * @param controller what errors call it @throws ControllerError for a robot that touches nothing
 */
export function standingPoints(robot: Robot, data: Data, controller: string): StandingPoints {
  const contacts = restingContacts(robot, data, undefined, MOST_POINTS)
  if (contacts.count === 0)
    throw new ControllerError(controller, `robot "${robot.name}" touches no ground at z = 0 where it starts; set it down`)
  const body = Int32Array.from({ length: contacts.count }, (_, i) => contacts.bodyB[i])
  const point = new Float64Array(3 * contacts.count)
  const below = new Float64Array(contacts.count)
  const shapes = robot.shapes.filter(({ body }) => body > 0)
  body.forEach((b, i) => {
    const { shape, p: centre } = shapes[contacts.pair[i]]
    if (shape.type === 'sphere') {
      point.set(centre, 3 * i)
      below[i] = shape.radius
      return
    }
    const R = data.R_WB[b]
    const p = data.p_WB[b]
    for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) point[3 * i + c] += R[3 * r + c] * (contacts.point[3 * i + r] - p[r])
  })
  return {
    body,
    point,
    below,
    place: new Float64Array(3 * contacts.count),
    J: new Float64Array(3 * contacts.count * robot.model.nv),
  }
}

const axes = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
const now = new Float64Array(3)
const own = new Float64Array(3)

/** Writes where the points are now, and their Jacobians. Reads data.R_WB, data.p_WB, data.SW (`kinematics`). */
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
