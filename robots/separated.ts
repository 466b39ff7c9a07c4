import { partOfModel } from '../dynamics/index.ts'
import { oneFreeBody } from './freeBody.ts'
import type { Robot, RobotSensor } from './robot.ts'

/** A robot of a file and its objects, each by itself. */
export interface Separated {
  /** All but the objects; where nothing of it moves, the shapes and names of what is fixed to the world. */
  readonly rest: Robot
  readonly objects: readonly Robot[]
  /** Links that are not to collide with each other, of which at least one is on an object. */
  readonly between: readonly (readonly [string, string])[]
}

/** The robot of a file without its objects, which are free bodies of their own. @unchecked */
export function separated(robot: Robot): Separated {
  const { objects = [], disabledCollisions, model, loops } = robot
  if (objects.length === 0) return { rest: robot, objects: [], between: [] }
  const linksOf = (body: number) => robot.frames.filter((frame) => frame.body === body).map(({ name }) => name)
  const names = new Set(objects.flatMap(linksOf))
  const isWithin = (pair: readonly [string, string]) => !pair.some((link) => names.has(link))
  const reachesObject = ({ type, object, reference, subtree = [], sides = [] }: RobotSensor) =>
    type.startsWith('e_') ||
    sides.some(({ links }) => links.some((link) => names.has(link))) ||
    [object, reference, ...subtree].some((one) => one !== undefined && one.body >= objects[0])
  const mass = objects.reduce((sum, body) => sum + model.I[body][0], 0)
  const rest: Robot = {
    ...robot,
    ...part(robot, 1, objects[0], robot.name),
    freeJoints: robot.freeJoints.filter(({ body }) => body < objects[0]),
    disabledCollisions: disabledCollisions.filter(isWithin),
    overlaps: robot.overlaps.filter(isWithin),
    ...(loops && { loops }),
    objects: undefined,
    ...(robot.sensors?.some(reachesObject) && { beside: objects.map((body) => model.bodyName[body]) }),
    massDeclared: robot.massDeclared - mass,
    massUsed: robot.massUsed - mass,
  }
  return {
    rest,
    objects: objects.map((body) => ({
      ...oneFreeBody,
      ...part(robot, body, body + 1, model.bodyName[body]),
      massDeclared: model.I[body][0],
      massUsed: model.I[body][0],
      isPlaced: true,
      selfCollision: robot.selfCollision,
    })),
    between: disabledCollisions.filter((pair) => !isWithin(pair)),
  }
}

/** Bodies `from` to `to` - 1, and what is fixed to the world for body 1. */
function part({ model, frames, shapes, home, fileStart, poses }: Robot, from: number, to: number, name: string) {
  const has = ({ body }: { readonly body: number }) => (body >= from || (body === 0 && from === 1)) && body < to
  const own = <T extends { readonly body: number }>(one: T): T => ({ ...one, body: one.body > 0 ? one.body - from + 1 : 0 })
  const cut = (q: Float64Array) => q.slice(model.qStart[from], model.qStart[to])
  return {
    name,
    model: partOfModel(name, model, from, to),
    frames: frames.filter(has).map(own),
    shapes: shapes.filter(has).map(own),
    home: cut(home),
    ...(fileStart && { fileStart: cut(fileStart) }),
    poses: poses.map((pose) => ({
      ...pose,
      q: cut(pose.q),
      ...(pose.v && { v: pose.v.slice(model.vStart[from], model.vStart[to]) }),
    })),
  }
}
