/** A gait for the quadruped of docs/tutorial.md: two diagonal feet at a time go round, the joints follow by springs and dampers. */
const thigh = 0.22 // lengths [m]
const shank = 0.24
const phases = { bow_port: 0.5, stern_starboard: 0.5, bow_starboard: 0, stern_port: 0 }

export default {
  rate: 1000, // ticks a second
  init({ robot, options }) {
    const index = (name) => {
      const j = robot.joints.findIndex((joint) => joint.name === name)
      if (j < 0) throw new Error(`${robot.name} has no joint ${name}`)
      return j
    }
    return {
      legs: Object.entries(phases).map(([leg, phase]) => ({
        phase,
        joints: ['roll', 'swing', 'knee'].map((part) => index(`${leg}_${part}`)),
      })),
      height: options.height ?? 0.345, // of the hips over the toes [m]
      efforts: new Float64Array(robot.joints.length),
    }
  },

  update({ t, q, v, robot, memory, target }) {
    const stride = 0.1 * Math.min(1, t) // it begins on the spot
    for (const { phase, joints } of memory.legs) {
      // where the toe should be, from the hip: 0.2 s ahead through the air, 0.3 s back on the ground
      const s = (2 * t + phase) % 1
      const inAir = s < 0.4
      const x = stride * (inAir ? s / 0.4 - 0.5 : 0.5 - (s - 0.4) / 0.6)
      const z = (inAir ? 0.05 * Math.min(1, 2 * t) * Math.sin((Math.PI * s) / 0.4) : 0) - memory.height
      // the two angles that bring it there
      const knee = -Math.acos((x * x + z * z - thigh * thigh - shank * shank) / (2 * thigh * shank))
      const swing = Math.atan2(-x, -z) - Math.atan2(shank * Math.sin(knee), thigh + shank * Math.cos(knee))
      for (const [k, angle] of [0, swing, knee].entries()) {
        const { qIndex, vIndex } = robot.joints[joints[k]]
        memory.efforts[joints[k]] = 600 * (angle - q[qIndex]) - 5 * v[vIndex]
        target.joints[joints[k]] = angle
      }
    }
    return memory.efforts
  },
}
