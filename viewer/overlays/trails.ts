import { createData, createState, type Data, kinematics, type Model, type State } from '../../dynamics/index.ts'
import type { Snapshot } from '../runs/protocol.ts'
import type { Part } from './parts.ts'

/** How long trails are [s of simulation], and of how many places about at most. */
const trailLength = { seconds: 5, places: 400 }

/** Snapshots of a run's record for a trail up to a step, oldest first: evenly in time, also where each step is on record. */
export function trailOf(
  history: { between(from: number, to: number): readonly Snapshot[] },
  step: number,
  dt: number,
): readonly Snapshot[] {
  const steps = Math.round(trailLength.seconds / dt)
  const period = Math.max(1, Math.floor(steps / trailLength.places))
  const list = history.between(step - steps, step)
  const of = (i: number) => Math.floor(list[i].step / period)
  return list.filter((_, i) => i === list.length - 1 || of(i) !== of(i + 1))
}

/** Where the bodies of a model are, by body, in world axes. */
export interface Places {
  /** Origins [m]. */
  readonly origins: readonly Float64Array[]
  /** Mass times centre of mass [kg m]. */
  readonly moments: readonly Float64Array[]
}

const workspaces = new WeakMap<Model, { readonly state: State; readonly data: Data }>()
const known = new WeakMap<Snapshot, Places>()

/** Computed once for each snapshot. */
export function placesOf(model: Model, snapshot: Snapshot): Places {
  const there = known.get(snapshot)
  if (there) return there
  let workspace = workspaces.get(model)
  if (workspace === undefined) workspaces.set(model, (workspace = { state: createState(model), data: createData(model) }))
  const { state, data } = workspace
  state.q.set(snapshot.q)
  kinematics(model, state, data)
  const origins = data.p_WB.map((p) => p.slice())
  const moments = origins.map((p, i) => {
    const [m, ...h] = model.I[i]
    const R = data.R_WB[i]
    return p.map((x, k) => m * x + R[3 * k] * h[0] + R[3 * k + 1] * h[1] + R[3 * k + 2] * h[2])
  })
  const places = { origins, moments }
  known.set(snapshot, places)
  return places
}

/** Centre of mass of a part [m]; NaN where it has no mass. */
export function partCenter({ I }: Model, { moments }: Places, [first, end]: Part): Float64Array {
  const center = new Float64Array(3)
  let mass = 0
  for (let i = first; i < end; i++) {
    mass += I[i][0]
    for (let k = 0; k < 3; k++) center[k] += moments[i][k]
  }
  for (let k = 0; k < 3; k++) center[k] /= mass
  return center
}
