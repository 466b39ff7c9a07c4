import type { ControllerLoop } from './controllerLoop.ts'

/** A controller all of whose efforts are multiplied by a factor before they are clamped: its loop gain, for gain margins. */
export function scaled(loop: ControllerLoop, gain: number): ControllerLoop {
  if (!(gain >= 0 && gain < Infinity)) throw new RangeError(`gain is ${gain}; give a finite factor of at least 0, such as 1.5`)
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
