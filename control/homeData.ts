import { createData, createState, type Data, kinematics } from '../dynamics/index.ts'
import type { Robot } from '../robots/index.ts'

/** Kinematics at the robot's home pose, in data of its own. */
export function homeData({ model, home }: Robot): Data {
  const state = createState(model)
  state.q.set(home)
  const data = createData(model)
  kinematics(model, state, data)
  return data
}
