/**
 * A controller script: joints follow a slow swing about where they start, by springs and dampers with inverse dynamics fed forward,
 *
 *   tau = rnea(q, v, a_ref) - share Jᵀ f + kp (q_ref - q) + kd (v_ref - v)
 *
 * f: what contacts gave each body over the step before (`contactForces`). At share: 0 inverse dynamics answers as if motors carried all by
 * themselves; at rest kp (q_ref - q) = -(1 - share) Jᵀ f. At share: 1 nothing in that holds any load where it is.
 *   npx featherbed compare docs/examples/feedforward.yaml --out results
 * Options: share; omega [rad/s], the springs' natural frequency; swing, the amplitude of joints by name [rad, m]; frequency [Hz].
 */
import { hold } from 'featherbed/control'
import { addBodyForces, cos, rnea, sin } from 'featherbed/dynamics'

export default {
  rate: 1000, // each tick sees the forces of the tick before

  init(setup) {
    const { robot, model, options } = setup
    const { kp, kd } = hold({ omega: options.omega ?? 10 }).init(setup) // for the load that each joint carries
    return {
      kp,
      kd,
      share: options.share ?? 1,
      amplitude: Float64Array.from(robot.joints, ({ name }) => options.swing?.[name] ?? 0),
      omega: 2 * Math.PI * (options.frequency ?? 0.5),
      start: new Float64Array(0),
      a: new Float64Array(model.nv),
      tau: new Float64Array(model.nv),
      contacts: new Float64Array(model.nv),
      efforts: new Float64Array(robot.joints.length),
    }
  },

  update({ t, q, v, robot, model, state, data, contactForces, memory, target }) {
    const { kp, kd, share, amplitude, omega, a, tau, contacts, efforts } = memory
    if (memory.start.length === 0) memory.start = Float64Array.from(robot.joints, ({ qIndex }) => q[qIndex])
    const [s, c] = [sin(omega * t), cos(omega * t)]

    robot.joints.forEach(({ vIndex }, j) => {
      a[vIndex] = 0.5 * amplitude[j] * omega * omega * c
    })
    rnea(model, state, a, data, tau)
    contacts.fill(0)
    addBodyForces(model, contactForces, data, contacts)

    robot.joints.forEach(({ qIndex, vIndex: k }, j) => {
      target.joints[j] = memory.start[j] + 0.5 * amplitude[j] * (1 - c)
      const speed = 0.5 * amplitude[j] * omega * s
      efforts[j] = tau[k] - share * contacts[k] + kp[j] * (target.joints[j] - q[qIndex]) + kd[j] * (speed - v[k])
    })
    return efforts
  },
}
