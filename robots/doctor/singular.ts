import {
  crba,
  createRandom,
  createState,
  type Data,
  integrateConfiguration,
  kinematics,
  type Model,
} from '../../dynamics/index.ts'
import { zeroPose } from '../compile/home.ts'

/** A pivot of M below this part of its diagonal entry is 0 but for rounding. */
const leastPivot = 1e-10
/** Multiplications of the elimination: as many as a chain of a thousand hinges takes. Bodies beyond are not looked at. */
const mostOperations = 5e8
/** Radius of gyration of the robot's whole mass about an axis below which nothing resists about it, squared [m^2]. */
const leastGyration = 1e-24

/**
 * The bodies whose joints nothing resists: by Cholesky elimination of M from the last velocity to the first, at the zero pose and
 * at one in general position. A velocity without a pivot is left out, so that all of a chain are found.
 *
 * @param data scratch of the model
 */
export function bodiesWithoutInertia(model: Model, data: Data): Set<number> {
  const { nv, bodyOfV } = model
  const lacking = new Set<number>()
  const state = createState(model)
  const random = createRandom(1)
  const motion = Float64Array.from({ length: nv }, () => random.between(-1, 1))
  const home = zeroPose(model, undefined)
  const { M } = data
  const leastEntry = leastGyration * model.I.reduce((sum, [mass]) => sum + mass, 0)
  let left = mostOperations
  for (const dt of [0, 1]) {
    integrateConfiguration(model, home, motion, dt, state.q)
    kinematics(model, state, data)
    crba(model, data)
    const diagonal = Float64Array.from({ length: nv }, (_, i) => M[i * nv + i])
    for (let i = nv - 1; i >= 0; i--) {
      const pivot = M[i * nv + i]
      if (!(diagonal[i] > leastEntry && pivot > leastPivot * diagonal[i])) {
        lacking.add(bodyOfV[i])
        continue
      }
      for (let j = 0; j < i && left > 0; j++) {
        const part = M[i * nv + j] / pivot
        if (part === 0) continue
        left -= j
        for (let k = 0; k <= j; k++) M[j * nv + k] -= part * M[i * nv + k]
      }
    }
  }
  return lacking
}
