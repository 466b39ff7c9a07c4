import { aba } from '../algorithms/fast/aba.ts'
import { crbaOnBranches } from '../algorithms/fast/crba.ts'
import { kinematics } from '../algorithms/fast/kinematics.ts'
import { rnea } from '../algorithms/fast/rnea.ts'
import { checkLength } from '../model/checkLength.ts'
import { allocator } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import { type Numbers, numbersOf } from './numbers.ts'
import { type EmittedModule, emitPrograms, evaluationNames } from './programs.ts'
import { type WasmModule, webAssembly } from './webAssembly.ts'

/**
 * Dynamics of one robot, compiled to WebAssembly: the algorithms of this folder with the robot's constants folded in, what is 0 left out, and
 * mirrored limbs two at a time. Results are those of the algorithms, to the bit (a zero may have the other sign). Where a number is beyond
 * what the code was made for, an angle above 1e6 rad or an inertia that is not positive, the algorithm itself runs, and throws what it throws. @unchecked
 */
export class CompiledDynamics {
  readonly model: Model
  private readonly numbers: Numbers
  private readonly code: Readonly<Record<(typeof evaluationNames)[number], () => number>>

  /** Called by `compileDynamics`. */
  constructor(model: Model, { pages, constants }: EmittedModule, module: WasmModule) {
    const memory = new (webAssembly().Memory)({ initial: pages, maximum: pages })
    this.model = model
    this.numbers = numbersOf(model, allocator(memory.buffer).allocate)
    const view = new DataView(memory.buffer)
    for (const [address, value] of constants) view.setFloat64(address, value, true)
    this.code = new (webAssembly().Instance)(module, { state: { memory } }).exports as typeof this.code
  }

  /**
   * tau = M(q) a + c(q, v): `kinematics` and `rnea`. @unchecked
   *
   * @param a   nv: generalised acceleration [rad/s^2, m/s^2]
   * @param tau out: nv: generalised force [N m, N]
   * @throws RangeError if an array has the wrong length
   */
  inverseDynamics(q: Float64Array, v: Float64Array, a: Float64Array, tau: Float64Array): void {
    const { model, numbers } = this
    this.setState(q, v)
    checkLength('a', a, model.nv)
    checkLength('tau', tau, model.nv)
    numbers.a.set(a)
    if (this.code.inverseDynamics() !== 0) {
      kinematics(model, numbers.state, numbers.data)
      rnea(model, numbers.state, numbers.a, numbers.data, numbers.tau)
    }
    tau.set(numbers.tau)
  }

  /**
   * M(q): `kinematics` and `crbaOnBranches`. @unchecked
   *
   * @returns nv x nv, row-major, the same array at each call: the entries of pairs of velocities on one branch, all others being 0
   * @throws RangeError if q has the wrong length
   */
  massMatrix(q: Float64Array): Float64Array {
    const { model, numbers } = this
    checkLength('q', q, model.nq)
    numbers.state.q.set(q)
    if (this.code.massMatrix() !== 0) {
      kinematics(model, numbers.state, numbers.data)
      crbaOnBranches(model, numbers.data)
    }
    return numbers.data.M
  }

  /**
   * a = M^-1 (tau - c): `kinematics` and `aba`. @unchecked
   *
   * @param tau nv: generalised force [N m, N]
   * @param a   out: nv: generalised acceleration [rad/s^2, m/s^2]
   * @throws RangeError if an array has the wrong length; else as `aba`
   */
  forwardDynamics(q: Float64Array, v: Float64Array, tau: Float64Array, a: Float64Array): void {
    const { model, numbers } = this
    this.setState(q, v)
    checkLength('tau', tau, model.nv)
    checkLength('a', a, model.nv)
    numbers.tau.set(tau)
    if (this.code.forwardDynamics() !== 0) {
      kinematics(model, numbers.state, numbers.data)
      aba(model, numbers.state, numbers.tau, numbers.data, numbers.a)
    }
    a.set(numbers.a)
  }

  private setState(q: Float64Array, v: Float64Array): void {
    const { model, numbers } = this
    checkLength('q', q, model.nq)
    checkLength('v', v, model.nv)
    numbers.state.q.set(q)
    numbers.state.v.set(v)
  }
}

/**
 * Compiles a robot's dynamics: about half a second for a humanoid. @unchecked
 *
 * @throws TraceError for a model that an algorithm treats in a way unknown to the compiler; Error where WebAssembly is forbidden, as by a
 * page's policy. Use `rnea`, `crba` and `aba` then
 */
export async function compileDynamics(model: Model): Promise<CompiledDynamics> {
  const emitted = emitPrograms(model, evaluationNames)
  return new CompiledDynamics(model, emitted, await webAssembly().compile(emitted.bytes))
}
