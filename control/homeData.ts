import type { Data } from '../dynamics/index.ts'
import { placesAt, type Robot } from '../robots/index.ts'

/** Kinematics at the robot's home pose, in data of its own. */
export const homeData = (robot: Robot): Data => placesAt(robot, robot?.home)
