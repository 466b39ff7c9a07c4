import { centerOfMass, createData, createState, type Data, kinematics, type Model, type State } from '../../dynamics/index.ts'
import type { Snapshot } from '../protocol.ts'

/** How long trails are [s of simulation], and of how many places at most. */
export const trailLength = { seconds: 5, places: 400 }

const workspaces = new WeakMap<Model, { readonly state: State; readonly data: Data }>()
const known = new WeakMap<Snapshot, readonly Float64Array[]>()

/** Where the centre of mass is in a snapshot, first, then the origin of each body, in world axes [m]. They are computed once. */
export function placesOf(model: Model, snapshot: Snapshot): readonly Float64Array[] {
  const there = known.get(snapshot)
  if (there) return there
  let workspace = workspaces.get(model)
  if (workspace === undefined) workspaces.set(model, (workspace = { state: createState(model), data: createData(model) }))
  const { state, data } = workspace
  state.q.set(snapshot.q)
  kinematics(model, state, data)
  const center = new Float64Array(3)
  centerOfMass(model, data, center)
  const places = data.p_WB.map((p, i) => (i === 0 ? center : Float64Array.from(p)))
  known.set(snapshot, places)
  return places
}
