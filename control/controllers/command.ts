/** Largest rates of change of a commanded motion: forward [m/s^2], of the yaw rate [rad/s^2]. */
const MOST = [1, 3]

/**
 * Moves the forward speed and the yaw rate of a driven robot towards the command (`ControllerState.command`), within rates for
 * wheels and legs.
 *
 * @param motion   in and out: [0] speed ahead [m/s], [turnAt] rate of turn [rad/s]
 * @param period   [periodAt]: time since the last call [s]
 * @returns false, and changes nothing, where nothing is commanded
 */
export function followCommand(
  command: Float64Array,
  motion: Float64Array,
  turnAt: number,
  period: Float64Array,
  periodAt: number,
): boolean {
  if (Number.isNaN(command[0]) || Number.isNaN(command[1])) return false
  for (let i = 0; i < 2; i++) {
    const k = i === 0 ? 0 : turnAt
    const most = MOST[i] * period[periodAt]
    motion[k] = Math.min(Math.max(command[i], motion[k] - most), motion[k] + most)
  }
  return true
}
