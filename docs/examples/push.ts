/**
 * A controller script: every joint is held at home by a spring and a damper, whose stiffness the scenario states.
 *   npx featherbed run diffdrive --controller docs/examples/push.ts --duration 2
 */
export default {
  rate: 500, // ticks a second

  /** What it returns is the controller's memory; checkpoints clone it. */
  init({ robot, options }) {
    return { stiffness: options.stiffness ?? 5, worst: 0, home: robot.joints.map(({ qIndex }) => robot.home[qIndex]) }
  },

  /** One effort a moving joint, in the order of robot.joints. */
  update({ q, v, robot, memory, target }) {
    return robot.joints.map(({ qIndex, vIndex }, j) => {
      const error = memory.home[j] - q[qIndex]
      memory.worst = Math.max(memory.worst, Math.abs(error))
      target.joints[j] = memory.home[j] // lets tracking be measured
      return memory.stiffness * error - 0.1 * memory.stiffness * v[vIndex]
    })
  },

  /** Figures of its own, which stand beside the others in the result. */
  metrics({ memory }) {
    return { worstError_rad: memory.worst }
  },
}
