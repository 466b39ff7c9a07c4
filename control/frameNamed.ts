import { type Frame, frameIndex } from '../dynamics/index.ts'
import { ControllerError } from './controllerError.ts'

/** A copy of a link's frame, for a controller's memory. @throws ControllerError for an unknown link */
export function frameNamed(frames: readonly Frame[], link: string, controller: string): Frame {
  try {
    return structuredClone(frames[frameIndex(frames, link)])
  } catch (error) {
    throw new ControllerError(controller, (error as Error).message)
  }
}
