import { ContactDetector, ContactSet, defaultPhysicalInputs } from '../contact/index.ts'
import { createState, type Data, velocities } from '../dynamics/index.ts'
import { groundedShapes, type Robot } from '../robots/index.ts'
import { createGround } from './ground.ts'

/**
 * Contacts of a robot in its home pose with the ground z = 0, up to a gap of `margin`. A robot on many points, or with casters slightly
 * above its wheels' level, touches with some only once settled. @unchecked
 *
 * Reads kinematics of the home pose in data; writes data.V.
 *
 * @param maxPoints most points of each shape (`reduceManifold`)
 */
export function restingContacts(robot: Robot, data: Data, margin = 5e-3, maxPoints?: number): ContactSet {
  const { model } = robot
  const state = createState(model)
  state.q.set(robot.home)
  velocities(model, state, data)
  const shapes = groundedShapes(robot).filter(({ body }) => body > 0)
  const contacts = new ContactSet()
  // at rest, a horizon h includes gaps up to g h^2
  const gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
  const horizon = Float64Array.of(gravity > 0 ? Math.sqrt(margin / gravity) : 0)
  const detector = new ContactDetector(model, shapes, [createGround()], defaultPhysicalInputs, { maxPoints })
  detector.detect(data, horizon, contacts, new Float64Array(detector.memorySize))
  return contacts
}
