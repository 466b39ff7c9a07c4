import { createData, kinematics, partOfModel, velocities } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Surroundings } from '../../simulation/index.ts'
import { LastMotion } from './lastMotion.ts'
import type { Sight } from './sensor.ts'

/** A robot and the objects of its file, which are next after it in a world, as one: sensors of the file have the numbers of its bodies. */
export interface WholeFile {
  readonly robot: Robot
  readonly last: LastMotion
  /** Of the robot's own. */
  see(own: Sight): Sight
}

/** @throws RangeError if the objects are not next after the robot */
export function wholeFile(robot: Robot, beside: readonly string[], surroundings: Surroundings | undefined): WholeFile {
  const after = surroundings?.world.robots.slice(surroundings.index + 1) ?? []
  const missing = beside.find((link, i) => after[i]?.robot.model.bodyName[1] !== link)
  if (surroundings === undefined || missing !== undefined)
    throw new RangeError(
      `sensors of the file of "${robot.name}" are on its object "${missing}" too; put all that \`separated\` gives into the world, in its order`,
    )
  const { model: all, state: now, robots } = surroundings.world
  const { start } = robots[surroundings.index]
  const model = partOfModel(robot.name, all, start.body + 1, start.body + robot.model.nb + beside.length)
  const whole = { ...robot, model }
  const data = createData(model)
  const [q, v] = [now.q.subarray(start.q, start.q + model.nq), now.v.subarray(start.v, start.v + model.nv)]
  const state = { q, v, t: now.t }
  let from: Sight | undefined
  let sight: Sight
  return {
    robot: whole,
    last: new LastMotion(whole),
    see(own) {
      kinematics(model, state, data)
      velocities(model, state, data)
      if (own !== from) sight = { ...own, robot: whole, state, data }
      from = own
      return sight
    },
  }
}
