import type { RobotActuator } from '../../robots/index.ts'

type Muscle = NonNullable<RobotActuator['muscle']>

/*
 * MuJoCo's muscle ("Muscles" in its documentation): force = -F (f_L(L) f_V(V) a + f_P(L)), L and V length and speed over the optimal length and
 * its largest speed, a the activation; the optimal length is that by which `lengthRange` becomes `range`. Piecewise quadratic curves stand for
 * those of Zajac (1989). Activation follows its input with a time constant by the activation itself (Millard et al. 2013, eq. 1).
 */

/** forces[k] += the muscle's force at at[0] = length, at[1] = speed, at[2] = activation; at[3] is scratch. */
export function addMuscleForce(own: Muscle, at: Float64Array, forces: Float64Array, k: number): void {
  const { range, lengthRange, force, speed, lengthening, longest, passive, isActive, isPassive } = own
  const optimal = (lengthRange[1] - lengthRange[0]) / Math.max(1e-15, range[1] - range[0])
  const L = range[0] + (at[0] - lengthRange[0]) / Math.max(1e-15, optimal)
  if (isActive) {
    const V = at[1] / Math.max(1e-15, optimal * speed)
    const y = lengthening - 1
    let byV = lengthening
    if (V <= -1) byV = 0
    else if (V <= 0) byV = (V + 1) * (V + 1)
    else if (V <= y) byV = lengthening - ((y - V) * (y - V)) / Math.max(1e-15, y)
    at[3] = L
    byLength(own, at)
    forces[k] -= force * at[3] * byV * at[2]
  }
  if (isPassive && L > 1) {
    const b = 0.5 * (1 + longest)
    const x = (Math.min(L, b) - 1) / Math.max(1e-15, b - 1)
    const beyond = Math.max(0, L - b) / Math.max(1e-15, b - 1)
    forces[k] -= force * passive * (0.5 * x * x + beyond)
  }
}

/** Replaces a length at[3] by the active force there over its largest: a bell of parabolas from the shortest length over 1 to the longest. */
function byLength({ shortest, longest }: Muscle, at: Float64Array): void {
  const L = at[3]
  at[3] = 0
  if (L < shortest || L > longest) return
  const end = L <= 1 ? shortest : longest
  const knee = 0.5 * (end + 1)
  const isOuter = L <= 1 ? L <= knee : L > knee
  const width = Math.max(1e-15, Math.abs(isOuter ? knee - end : 1 - knee))
  const x = Math.abs(L - (isOuter ? end : 1)) / width
  at[3] = isOuter ? 0.5 * x * x : 1 - 0.5 * x * x
}

/** at[3] = the rate of activation k towards its input at[2] [1/s]. */
export function muscleRate({ timeConstants }: Muscle, at: Float64Array, activations: Float64Array, k: number): void {
  const activation = activations[k]
  const rise = timeConstants[0]
  const fall = timeConstants[1]
  const width = timeConstants[2]
  const wanted = Math.min(1, Math.max(0, at[2]))
  const scale = 0.5 + 1.5 * Math.min(1, Math.max(0, activation))
  const more = wanted - activation
  let share = more > 0 ? 1 : 0
  if (width > 1e-15) {
    const x = Math.min(1, Math.max(0, more / width + 0.5))
    share = x * x * x * (10 + x * (6 * x - 15))
  }
  const time = fall / scale + (rise * scale - fall / scale) * share
  at[3] = more / Math.max(1e-15, time)
}
