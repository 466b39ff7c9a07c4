import { bitsMeet, geomPairOf, type PlacedShape, supportPoint } from '../contact/geometry/index.ts'
import { createData, createState, type Data, kinematics, mulMatrix3 } from '../dynamics/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import { type CollisionShape, type Robot, robotKind } from './robot.ts'

/** Pairs of shapes on pairs of links, by their names. @unchecked */
export function shapePairsOf(
  links: readonly (readonly [string, string])[],
  shapes: readonly PlacedShape[],
): (readonly [string, string])[] {
  const on = (link: string) => shapes.filter((shape) => shape.link === link)
  return links.flatMap(([a, b]) => on(a).flatMap((x) => on(b).map((y) => [x.name, y.name] as const)))
}

/** The plane z = 0 of a robot's file. @unchecked */
export function floorOf({ surroundings = [] }: Pick<Robot, 'surroundings'>): PlacedShape | undefined {
  return surroundings.find(({ shape, R, p }) => shape.type === 'halfspace' && R[8] === 1 && p[2] === 0)
}

/** The shapes that the ground touches: all but those that the file keeps apart from its floor. @unchecked */
export function groundedShapes(robot: Pick<Robot, 'shapes' | 'surroundings' | 'disabledCollisions'>): readonly CollisionShape[] {
  const floor = floorOf(robot)
  const isApart = (link: string) =>
    floor && robot.disabledCollisions.some((pair) => pair.includes(link) && pair.includes('world'))
  return robot.shapes.filter(
    (shape) => (floor && geomPairOf(shape, floor)) || (bitsMeet(shape, floor ?? {}) && !isApart(shape.link)),
  )
}

/** Kinematics at q. @throws RangeError if q has not nq finite entries */
export function placesAt(robot: Robot, q: Float64Array): Data {
  is.check(robot, robotKind, 'robot')
  is.check(q, is.numbers(robot.model.nq), `q of "${robot.name}"`)
  const state = createState(robot.model)
  state.q.set(q)
  const data = createData(robot.model)
  kinematics(robot.model, state, data)
  return data
}

/** Every shape's pose in the world at q. */
export function placedShapes(robot: Robot, q: Float64Array, { R_WB, p_WB } = placesAt(robot, q)) {
  return robot.shapes.map(({ shape, body, R, p }) => {
    const RW = new Float64Array(9)
    mulMatrix3(RW, R_WB[body], R)
    const B = R_WB[body]
    const pW = Float64Array.from([0, 1, 2], (i) => p_WB[body][i] + B[3 * i] * p[0] + B[3 * i + 1] * p[1] + B[3 * i + 2] * p[2])
    return { shape, R: RW, p: pW }
  })
}

/** Diagonal of the bounding box of its collision shapes and bodies, at least 1 cm [m]. */
export function sizeOf(robot: Robot, q: Float64Array): number {
  const [low, high] = [new Float64Array(3).fill(Infinity), new Float64Array(3).fill(-Infinity)]
  const widen = (point: Float64Array) => {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], point[k])
      high[k] = Math.max(high[k], point[k])
    }
  }
  const point = new Float64Array(3)
  const places = placesAt(robot, q)
  for (const { shape, R, p } of placedShapes(robot, q, places)) {
    for (let k = 0; k < 6; k++) {
      const direction = new Float64Array(3)
      direction[k % 3] = k < 3 ? 1 : -1
      supportPoint(shape, R, p, direction, point)
      widen(point)
    }
  }
  places.p_WB.slice(1).forEach(widen)
  return Math.max(0.01, Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]))
}
