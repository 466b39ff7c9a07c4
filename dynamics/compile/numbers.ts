import { type Allocate, type CompiledCode, type Data, dataOf } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import { createState, type State } from '../model/state.ts'

/** Numbers of a robot's algorithms, all in one memory, at the same addresses for equal models. */
export interface Numbers {
  readonly data: Data
  readonly state: State
  /** nv each. */
  readonly a: Float64Array
  readonly tau: Float64Array
}

export function numbersOf(model: Model, allocate: Allocate, compiled?: CompiledCode): Numbers {
  const { nq, nv } = model
  const state = { q: allocate(nq), v: allocate(nv), t: allocate(1) }
  state.q.set(createState(model).q)
  return { data: dataOf(model, nv * nv, allocate, compiled), state, a: allocate(nv), tau: allocate(nv) }
}
