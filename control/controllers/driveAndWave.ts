import type { Controller } from '../controller.ts'
import { given } from '../expected.ts'
import { homeData } from '../homeData.ts'
import { arc, type Path } from '../paths.ts'
import { type ComputedTorqueMemory, type ComputedTorqueOptions, createTracker, track, trajectoriesOf } from './computedTorque.ts'
import { wave } from './jointTrajectories.ts'
import { createFollower, type FollowerMemory, follow, type UnicycleOptions } from './unicycle.ts'

export interface DriveAndWaveOptions extends ComputedTorqueOptions, UnicycleOptions {
  /** Path of the wheels. Default: a wide turn to the left at 0.3 m/s. */
  readonly path?: Path
}

export interface DriveAndWaveMemory {
  readonly follower: FollowerMemory
  readonly tracker: ComputedTorqueMemory
  readonly efforts: Float64Array
}

/** The wheels follow a path (`unicycle`) while all other joints move by computed torque (`computedTorque`). */
export function driveAndWave(options: DriveAndWaveOptions = {}): Controller<DriveAndWaveMemory> {
  const path = given('drive-and-wave', options).path ?? arc({ speed: 0.3, curvature: 0.4, ramp: 1 })
  const trajectories = trajectoriesOf(options.trajectory ?? ((robot) => wave(robot)))
  return {
    init(setup) {
      return {
        follower: createFollower(setup, homeData(setup.robot), options),
        tracker: createTracker(setup, options),
        efforts: new Float64Array(setup.robot.joints.length),
      }
    },
    update(state) {
      const { follower, tracker, efforts } = state.memory
      track(tracker, trajectories(state.robot), state, efforts)
      follow(follower, path, state, efforts)
      return efforts
    },
  }
}
