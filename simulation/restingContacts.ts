import { ContactDetector, ContactSet, defaultPhysicalInputs } from '../contact/index.ts'
import { createState, type Data, velocities } from '../dynamics/index.ts'
import { groundedShapes, type Robot } from '../robots/index.ts'
import { createGround } from './ground.ts'

/**
 * Contacts with the ground of a robot in its home pose: those with z = 0 that are at most `margin` apart. A robot
 * on many points, or whose casters hang a little lower than its wheels, touches with some of them only after it settled.
 *
 * Reads kinematics of the home pose in data; writes data.V.
 *
 * @param maxPoints at most this many of each shape, those that matter most
 */
export function restingContacts(robot: Robot, data: Data, margin = 5e-3, maxPoints?: number): ContactSet {
  const { model } = robot
  const state = createState(model)
  state.q.set(robot.home)
  velocities(model, state, data)
  const shapes = groundedShapes(robot).filter(({ body }) => body > 0)
  const contacts = new ContactSet()
  // At rest, looking ahead by h finds gaps up to g h^2.
  const gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
  const horizon = Float64Array.of(gravity > 0 ? Math.sqrt(margin / gravity) : 0)
  const detector = new ContactDetector(model, shapes, [createGround()], defaultPhysicalInputs, { maxPoints })
  detector.detect(data, horizon, contacts, new Float64Array(detector.memorySize))
  return contacts
}
