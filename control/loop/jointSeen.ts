import type { Model, State } from '../../dynamics/index.ts'
import type { RobotJoint } from '../../robots/index.ts'

/** A moving joint in a controller's view, by name [rad, m], [rad/s, m/s], [N m, N]. Limits are infinite where the file states none. @unchecked */
export class JointSeen {
  readonly name: string
  readonly lower: number
  readonly upper: number
  readonly velocityLimit: number
  readonly effortLimit: number
  readonly #state: State
  readonly #efforts: Float64Array
  readonly #qIndex: number
  readonly #vIndex: number

  /** @param efforts nv: those that act */
  constructor({ name, qIndex, vIndex }: RobotJoint, model: Model, state: State, efforts: Float64Array) {
    this.name = name
    this.lower = model.lower[vIndex]
    this.upper = model.upper[vIndex]
    this.velocityLimit = model.velocityLimit[vIndex]
    this.effortLimit = model.effortLimit[vIndex]
    this.#state = state
    this.#efforts = efforts
    this.#qIndex = qIndex
    this.#vIndex = vIndex
  }

  get position(): number {
    return this.#state.q[this.#qIndex]
  }

  get velocity(): number {
    return this.#state.v[this.#vIndex]
  }

  /** The effort applied since the last tick, within the joint's limit. */
  get effort(): number {
    return this.#efforts[this.#vIndex]
  }
}
