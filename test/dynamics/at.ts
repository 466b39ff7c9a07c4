import {
  aba,
  createData,
  createState,
  type Data,
  kinematics,
  kineticEnergy,
  type Model,
  potentialEnergy,
  type State,
  velocities,
} from '../../dynamics/index.ts'

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

/** Kinetic and potential energy of a state [J]. */
export function energiesOf(model: Model, state: State, data = dataAt(model, state)): [kinetic: number, potential: number] {
  const [kinetic] = filled(1, (out) => kineticEnergy(model, state, data, out))
  const [potential] = filled(1, (out) => potentialEnergy(model, state, data, out))
  return [kinetic, potential]
}

/** Acceleration under efforts, by default none, by the articulated-body algorithm. */
export function accelerationAt(model: Model, state: State, tau = new Float64Array(model.nv)): Float64Array {
  return filled(model.nv, (out) => aba(model, state, tau, dataAt(model, state), out))
}

/** The same for integrators: without efforts. */
export function freeMotion(model: Model) {
  const data = createData(model)
  const tau = new Float64Array(model.nv)
  return {
    evaluate(state: State, a: Float64Array) {
      kinematics(model, state, data)
      aba(model, state, tau, data, a)
    },
  }
}

/** Arrays one behind the other. */
export const concatenated = (arrays: readonly Float64Array[]) => Float64Array.from(arrays.flatMap((array) => [...array]))
