import { accelerations, createData, createState, type Data, kinematics, RestFrame, type State } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Sight } from './sensor.ts'

/** A robot at the start of the last step with its mean acceleration over it, shared by the sensors that need it; before any step, at rest. @unchecked */
export class LastMotion {
  readonly state: State
  /** Kinematics, `V` and `trueA`. */
  readonly data: Data
  private readonly robot: Robot
  private readonly a: Float64Array
  private readonly restFrame: RestFrame
  private readAt = NaN

  constructor(robot: Robot) {
    this.robot = robot
    this.state = createState(robot.model)
    this.data = createData(robot.model)
    this.a = new Float64Array(robot.model.nv)
    this.restFrame = new RestFrame(robot.model, Infinity)
  }

  read({ state: now, surroundings }: Sight): void {
    const { state, data, a } = this
    const { model } = this.robot
    const t = now.t[0]
    if (t === this.readAt) return
    this.readAt = t
    a.fill(0)
    state.q.set(now.q)
    state.v.set(now.v)
    if (surroundings !== undefined) this.readStep(surroundings, now)
    kinematics(model, state, data)
    accelerations(model, state, a, data)
  }

  private readStep({ world, index }: NonNullable<Sight['surroundings']>, now: State): void {
    const { state, a, restFrame } = this
    const { q, v } = world.robots[index].start
    const { configuration, velocity } = world.stepBefore
    if (Number.isNaN(configuration[q])) return
    for (let k = 0; k < state.q.length; k++) state.q[k] = configuration[q + k]
    for (let k = 0; k < a.length; k++) state.v[k] = velocity[v + k]
    // a step is one in axes held fixed
    a.set(now.v)
    restFrame.turnBack(state.q, now.q, a)
    restFrame.begin(state.v, world.dt)
    for (let k = 0; k < a.length; k++) a[k] = (a[k] - state.v[k]) / world.dt + restFrame.acceleration[k]
  }

  /** After a checkpoint was restored. */
  forget(): void {
    this.readAt = NaN
  }
}
