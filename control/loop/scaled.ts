import * as is from '../../dynamics/math/arguments.ts'
import { given } from '../expected.ts'
import type { ControllerLoop } from './controllerLoop.ts'

/** A controller all of whose efforts are multiplied by a factor before they are clamped: its loop gain, for gain margins. */
export function scaled(loop: ControllerLoop, gain: number): ControllerLoop {
  given('loop', loop, 'scaled: loop')
  is.check(gain, is.number(0), 'scaled: gain')
  return {
    target: loop.target,
    command: loop.command,
    get log() {
      return loop.log
    },
    get everySteps() {
      return loop.everySteps
    },
    start(model, dt, surroundings) {
      loop.start(model, dt, surroundings)
    },
    tick(state, data, tau, contactForces) {
      loop.tick(state, data, tau, contactForces)
      for (let k = 0; k < tau.length; k++) tau[k] *= gain
    },
    save: () => loop.save(),
    restore(memory) {
      loop.restore(memory)
    },
    metrics: () => loop.metrics(),
  }
}
