import { createData, createState, type Data, kinematics, type Model, type State, velocities } from '../../dynamics/index.ts'

/** A state whose first positions and velocities are these; the others are those of a new state. */
export function stateOf(model: Model, q: ArrayLike<number>, v: ArrayLike<number> = []): State {
  const state = createState(model)
  state.q.set(q)
  state.v.set(v)
  return state
}

/** New data with the poses and velocities of a state. */
export function dataAt(model: Model, state: State): Data {
  const data = createData(model)
  kinematics(model, state, data)
  velocities(model, state, data)
  return data
}

/** A new array, from 0, of so many numbers that are written to it. */
export function filled(length: number, write: (out: Float64Array) => void): Float64Array {
  const out = new Float64Array(length)
  write(out)
  return out
}
