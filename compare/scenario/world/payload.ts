/** Payloads of a robot: masses that are bolted to its links, beside what its file states. */
import { addInertia, didYouMean } from '../../../dynamics/index.ts'
import type { Robot } from '../../../robots/index.ts'
import type { Scenario } from '../index.ts'
import { SetupError } from './setupError.ts'

/** The robot with payloads. Controllers know of them, as they are handed the robot. @throws SetupError for an unknown link, or one of the world */
export function withPayloads(robot: Robot, payloads: Scenario['payloads']): Robot {
  if (payloads.length === 0) return robot
  const I = robot.model.I.map((own) => own.slice())
  let { massUsed } = robot
  for (const { link, mass, position, inertia } of payloads) {
    const names = robot.frames.map(({ name }) => name)
    const frame = robot.frames.find(({ name }) => name === link)
    if (frame === undefined) throw new SetupError(`payloads: "${robot.name}" has no link "${link}"${didYouMean(link, names)}`)
    if (frame.body === 0) throw new SetupError(`payloads: link "${link}" of "${robot.name}" does not move; name one that does`)
    addInertia(I[frame.body], momentsOf(mass, position, inertia, frame))
    massUsed += mass
  }
  return { ...robot, massUsed, model: { ...robot.model, I } }
}

/** As `Model.I`: R (inertia - m [p]²) R^T about the body's origin, with p the place of the centre of mass there. */
function momentsOf(
  mass: number,
  position: readonly number[],
  [xx, yy, zz]: readonly number[],
  { R, p }: Robot['frames'][number],
): Float64Array {
  const [x, y, z] = [0, 3, 6].map((i, k) => p[k] + R[i] * position[0] + R[i + 1] * position[1] + R[i + 2] * position[2])
  const own = (i: number, j: number) =>
    R[3 * i] * xx * R[3 * j] + R[3 * i + 1] * yy * R[3 * j + 1] + R[3 * i + 2] * zz * R[3 * j + 2]
  return Float64Array.of(
    ...[mass, mass * x, mass * y, mass * z],
    ...[own(0, 0) + mass * (y * y + z * z), own(1, 1) + mass * (x * x + z * z), own(2, 2) + mass * (x * x + y * y)],
    ...[own(0, 1) - mass * x * y, own(0, 2) - mass * x * z, own(1, 2) - mass * y * z],
  )
}
