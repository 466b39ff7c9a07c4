import type { Data, Model, State } from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import type { Surroundings } from '../../simulation/index.ts'
import { Motors } from '../actuators/motors.ts'
import { given } from '../expected.ts'
import type { ControllerLoop } from './controllerLoop.ts'

/** A controller whose efforts, or control inputs, act with a delay of so many of its periods; until the first is due, that one acts. */
export function delayed(loop: ControllerLoop, periods: number): ControllerLoop {
  given('loop', loop, 'delayed: loop')
  is.check(periods, is.whole(0), 'delayed: periods')
  // servos see the state as it is
  if (loop instanceof Motors && loop.source) return new Motors(loop.robot, [], delayed(loop.source, periods), loop.acting)
  /** Efforts that are still to act, oldest first. */
  let waiting: Float64Array[] = []
  return {
    target: loop.target,
    get everySteps() {
      return loop.everySteps
    },
    get log() {
      return loop.log
    },
    start(model: Model, dt: number, surroundings?: Surroundings) {
      waiting = []
      loop.start(model, dt, surroundings)
    },
    tick(state: State, data: Data, tau: Float64Array, contactForces: Float64Array) {
      loop.tick(state, data, tau, contactForces)
      if (waiting.length === 0) waiting = Array.from({ length: periods }, () => tau.slice())
      const due = waiting.shift()
      if (due === undefined) return
      for (let k = 0; k < tau.length; k++) {
        const now = tau[k]
        tau[k] = due[k]
        due[k] = now
      }
      waiting.push(due)
    },
    save: () => ({ loop: loop.save(), waiting: structuredClone(waiting) }),
    restore(saved: unknown) {
      const { loop: own, waiting: late } = saved as { loop: unknown; waiting: Float64Array[] }
      loop.restore(own)
      waiting = structuredClone(late)
    },
    metrics: () => loop.metrics(),
  }
}
