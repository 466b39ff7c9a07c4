import {
  buildModel,
  createEulerWorkspace,
  createRandom,
  createRk4Workspace,
  createState,
  JointType,
  type Model,
  momentumW,
  rk4,
  type State,
  semiImplicitEuler,
} from '../../dynamics/index.ts'
import { dataAt, energiesOf, filled, freeMotion, stateOf } from './at.ts'

export type Method = 'semi-implicit Euler' | 'RK4'

/** Largest departures from the start over a flight, each over the size of what it departs from. */
export interface Drift {
  /** Of mechanical energy, over the kinetic energy at the start. */
  readonly energy: number
  /** Of angular momentum about the world's origin, and of linear momentum, over their lengths at the start if not 0. */
  readonly angular: number
  readonly linear: number
}

/** The model where nothing pulls. */
export function weightless(model: Model): Model {
  return { ...model, gravity: new Float64Array(6) }
}

/** A copy of the start after a flight without efforts; what is conserved is looked at a hundred times on the way. */
export function fly(model: Model, start: State, method: Method, dt: number, duration: number): { end: State; drift: Drift } {
  const state = stateOf(model, start.q, start.v)
  const a = new Float64Array(model.nv)
  const acceleration = freeMotion(model)
  const rk4Workspace = createRk4Workspace(model)
  const eulerWorkspace = createEulerWorkspace(model)
  const before = invariants(model, state)
  let [energy, angular, linear] = [0, 0, 0]
  const steps = Math.round(duration / dt)
  for (let n = 1; n <= steps; n++) {
    if (method === 'RK4') rk4(model, state, acceleration, dt, rk4Workspace)
    else {
      acceleration.evaluate(state, a)
      semiImplicitEuler(model, state, a, dt, eulerWorkspace)
    }
    if (n % Math.ceil(steps / 100) !== 0 && n !== steps) continue
    const after = invariants(model, state)
    energy = Math.max(energy, Math.abs(after.energy - before.energy))
    angular = Math.max(angular, distance(after.momentum, before.momentum, 0))
    linear = Math.max(linear, distance(after.momentum, before.momentum, 3))
  }
  const size = (k: number) => distance(before.momentum, new Float64Array(6), k) || 1
  return { end: state, drift: { energy: energy / before.kinetic, angular: angular / size(0), linear: linear / size(3) } }
}

export function invariants(model: Model, state: State): { kinetic: number; energy: number; momentum: Float64Array } {
  const data = dataAt(model, state)
  const [kinetic, potential] = energiesOf(model, state, data)
  return { kinetic, energy: kinetic + potential, momentum: filled(6, (out) => momentumW(model, data, out)) }
}

function distance(a: Float64Array, b: Float64Array, k: number): number {
  return Math.hypot(a[k] - b[k], a[k + 1] - b[k + 1], a[k + 2] - b[k + 2])
}

/**
 * The robot let go in a slow tumble: its base turns at 0.3 rad/s and moves at 0.2 m/s, each joint at up to 0.3 rad/s or m/s.
 * Faster, the free fingers whip round and the motion is chaos within the 10 s, in which no order can be seen.
 */
export function tumble(model: Model): State {
  const random = createRandom(1)
  const state = createState(model)
  for (let k = 6; k < model.nv; k++) state.v[k] = random.between(-0.3, 0.3)
  state.v.set([0.18, -0.21, 0.12, 0.15, 0.15, 0.075])
  return state
}

/** A box of 1 x 2 x 3 dm and 1 kg. */
export function box(): Model {
  const inertia = (a: number, b: number) => (a * a + b * b) / 12
  const [x, y, z] = [0.1, 0.2, 0.3]
  return buildModel(
    'box',
    [
      {
        ...{ name: 'box', jointName: 'free', parent: 0, jointType: JointType.floating, mass: 1 },
        inertia: [inertia(y, z), inertia(x, z), inertia(x, y), 0, 0, 0],
      },
    ],
    [0, 0, 0],
  )
}

/** The box spinning about its middle axis at 5 rad/s, a hundredth off: it turns over and over (Dzhanibekov). */
export function dzhanibekov(model: Model): State {
  return stateOf(model, [], [0.05, 5, 0.05, 0, 0, 0])
}
