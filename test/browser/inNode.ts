import { contactModelNamed } from '../../contact/index.ts'
import { createControllerLoop, defaultControllerFor, scaled } from '../../control/index.ts'
import type { Robot } from '../../robots/index.ts'
import { World, type WorldOptions } from '../../simulation/index.ts'

type Options = Partial<Pick<WorldOptions, 'dt' | 'fixtures' | 'physical'>> & { readonly gain?: number }

/** A robot under its usual controller, as the page has it at first. @param gain factor on the controller */
export function createWorld(robot: Robot, contactModel: string, { dt = 1e-3, gain = 1, ...options }: Options = {}): World {
  const loop = createControllerLoop(defaultControllerFor(robot), robot)
  const controller = gain === 1 ? loop : scaled(loop, gain)
  return new World({ robot, contactModel: contactModelNamed(contactModel), dt, controller, ...options })
}

export function advance(world: World, toStep: number): World {
  while (world.stepCount < toStep) world.step()
  return world
}
