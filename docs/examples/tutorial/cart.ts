/** The controller of docs/tutorial.md: the wheels turn at a speed that rises to 4 rad/s, the arm is held upright. */
export default {
  rate: 500, // ticks a second

  init({ robot }) {
    const index = (name) => robot.joints.findIndex((joint) => joint.name === name)
    return {
      wheels: [index('left_wheel_joint'), index('right_wheel_joint')],
      arm: index('arm_joint'),
      angle: 0,
      effort: [0, 0, 0],
    }
  },

  update({ t, q, v, robot, memory, target }, dt) {
    const { wheels, arm, effort } = memory
    const speed = 4 * Math.min(t, 1)
    memory.angle += speed * dt // where the wheels should be
    for (const j of wheels) {
      const { qIndex, vIndex } = robot.joints[j]
      effort[j] = 2 * (memory.angle - q[qIndex]) + 0.4 * (speed - v[vIndex])
      target.joints[j] = memory.angle // tracking is measured against this
    }
    const { qIndex, vIndex } = robot.joints[arm]
    effort[arm] = -40 * q[qIndex] - 4 * v[vIndex]
    target.joints[arm] = 0
    return effort
  },
}
