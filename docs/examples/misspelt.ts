/** The typo of docs/controllers.md: `init` says `stiffness`. */
export default {
  init: () => ({ stiffness: 20 }),
  update: ({ q, robot, memory }) => robot.joints.map(({ qIndex }) => -memory.stifness * q[qIndex]),
}
