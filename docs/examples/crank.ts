/**
 * A controller script: a motor at one joint, called drive, that keeps a speed. Every other joint is left alone.
 *   npx featherbed run docs/examples/fourbar.yaml --model penalty
 */
export default {
  rate: 1000, // ticks a second

  init({ robot, options }) {
    const drive = robot.joints.findIndex(({ name }) => name === 'drive')
    return { drive, speed: options.speed ?? 3, gain: options.gain ?? 2 }
  },

  update({ v, robot, memory }) {
    const { drive, speed, gain } = memory
    return robot.joints.map(({ vIndex }, j) => (j === drive ? gain * (speed - v[vIndex]) : 0))
  },
}
