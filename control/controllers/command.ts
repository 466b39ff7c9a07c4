/** How fast a commanded motion changes: ahead [m/s^2], of the rate of turn [rad/s^2]. */
const MOST = [1, 3]

/**
 * Moves the speed ahead and the rate of turn at which a robot is driven towards what is commanded (`ControllerState.command`), as fast as
 * wheels and legs bear.
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
