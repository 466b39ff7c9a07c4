import { biasForces, gravityForces } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Controller, ControllerSetup } from '../controller.ts'
import { given } from '../expected.ts'
import { trajectoriesOf } from './computedTorque.ts'
import type { JointTrajectory } from './jointTrajectories.ts'

export interface ImpedanceOptions {
  /** Of every joint, or by name; a joint that is not named has none [N m/rad, N m s/rad; N/m, N s/m]. */
  readonly stiffness?: number | Readonly<Record<string, number>>
  readonly damping?: number | Readonly<Record<string, number>>
  /** Compensated terms: weight, or weight with Coriolis and centrifugal terms. Default 'gravity'. */
  readonly cancels?: 'nothing' | 'gravity' | 'dynamics'
  /** Rest positions of the springs; default: the joints' positions at the first tick. */
  readonly trajectory?: (robot: Robot) => JointTrajectory
}

export type ImpedanceMemory = Readonly<ReturnType<typeof createMemory>>

function createMemory(
  { robot: { name: robot, joints }, model: { nv } }: ControllerSetup,
  { stiffness = 50, damping = 5 }: ImpedanceOptions,
) {
  const of = (values: number | Readonly<Record<string, number>>, what: string) => {
    const names = joints.map(({ name }) => name)
    const unknown = typeof values === 'number' ? undefined : Object.keys(values).find((name) => !names.includes(name))
    if (unknown !== undefined) throw new RangeError(`impedance: ${what} names "${unknown}"; "${robot}" has ${names.join(', ')}`)
    return Float64Array.from(names, (name) => (typeof values === 'number' ? values : (values[name] ?? 0)))
  }
  const room = () => new Float64Array(joints.length)
  return {
    stiffness: of(stiffness, 'stiffness'),
    damping: of(damping, 'damping'),
    /** Rest positions of the springs, NaN before the first tick. */
    q: room(),
    v: room(),
    a: room(),
    held: room().fill(NaN),
    tau: new Float64Array(nv),
    efforts: room(),
  }
}

/**
 * Joint impedance control, springs and dampers of stated stiffness at any load: tau = K (q_d - q) + D (v_d - v) + compensated terms
 * (Hogan, "Impedance control", Journal of Dynamic Systems, Measurement, and Control 107, 1985, without shaping of inertia). An external
 * effort tau_ext moves a joint at rest by tau_ext / K. For robots with a fixed base: a floating one is not supported.
 */
export function impedance(options: ImpedanceOptions = {}): Controller<ImpedanceMemory> {
  const { cancels = 'gravity', trajectory } = given('impedance', options)
  const trajectories = trajectory && trajectoriesOf(trajectory)
  return {
    rate: 1000,
    init: (setup) => createMemory(setup, options),
    update({ robot, model, state, data, memory, target }) {
      const { q, v, a, held, tau, efforts } = memory
      q.fill(NaN)
      v.fill(0)
      trajectories?.(robot).sample(state.t, q, v, a)
      tau.fill(0)
      if (cancels === 'gravity') gravityForces(model, state, data, tau)
      else if (cancels === 'dynamics') biasForces(model, state, data, tau)
      for (let j = 0; j < efforts.length; j++) {
        const { qIndex, vIndex } = robot.joints[j]
        if (Number.isNaN(held[j])) held[j] = state.q[qIndex]
        const end = Number.isNaN(q[j]) ? held[j] : q[j]
        const speed = Number.isNaN(q[j]) ? 0 : v[j]
        efforts[j] = tau[vIndex] + memory.stiffness[j] * (end - state.q[qIndex]) + memory.damping[j] * (speed - state.v[vIndex])
        target.joints[j] = end
      }
      return efforts
    },
  }
}
