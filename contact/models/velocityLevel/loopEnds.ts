import {
  createDataWithoutM,
  createState,
  type Data,
  kinematics,
  type Model,
  type RestFrame,
  type State,
} from '../../../dynamics/index.ts'
import { type LoopClosure, LoopRows } from '../../constraints/index.ts'
import type { ContactStep } from '../../contactModel.ts'

/** Error of a loop at the end of a step below which it counts as closed [m, rad]. */
const CLOSED = 1e-10
/** Most corrections of the loops in a step. */
export const MOST_CORRECTIONS = 50
/** Ratio of a loop's error to that of the step along the tangent above which corrections diverge. */
export const DIVERGED = 10

/**
 * Pre-stabilisation of loops: impulses such that the configuration at the end of the step closes them, g(q⁺) = 0, not only to first order
 * at its start, g + h J v⁺ = 0. Weinstein, Teran and Fedkiw, Dynamic simulation of articulated rigid bodies with contact and collision,
 * IEEE TVCG 12 (2006), there one joint after another in maximal coordinates; here all loops of a step at once, with its contacts.
 *
 * With J of the start and q⁺(v⁺) the velocities a of the rows' conditions J v⁺ + a = 0 follow by a simplified Newton iteration,
 *
 *   a_0 = g(q) / h,    a_k+1 = a_k + g(q⁺(v⁺_k)) / h,
 *
 * since d g(q⁺) / da = -1 + O(h omega): each correction reduces the error by a factor of about the loop's rotation in the step. The result
 * is M (v⁺ - v) = h f + J(q)ᵀ p, g(q⁺) = 0: SHAKE (Ryckaert, Ciccotti and Berendsen, 1977). Where corrections diverge, as they do where waves
 * run along a loop of light links faster than the step, the step is that along the tangent, and counts as a fallback.
 */
export class LoopEnds {
  /** 1: largest error of a loop at the end of the step evaluated last [m, rad]. */
  readonly open = new Float64Array(1)
  private readonly rows: LoopRows
  private readonly state: State
  private readonly data: Data
  private readonly model: Model

  constructor(model: Model, loops: readonly LoopClosure[]) {
    this.model = model
    this.rows = new LoopRows(model, loops)
    this.state = createState(model)
    this.data = createDataWithoutM(model)
  }

  /**
   * Adds the error of loops at the end of the step, over h, to `target`.
   *
   * @param vMove  nv: the velocity that moves positions
   * @param target per row of loops: a less a_0 [m/s, rad/s]
   * @returns whether they were already closed
   */
  areClosed(
    { state, dt }: ContactStep,
    frame: RestFrame,
    vNext: Float64Array,
    vMove: Float64Array,
    target: Float64Array,
  ): boolean {
    const { model, rows, state: end, data } = this
    end.q.set(state.q)
    frame.finish(end.q, end.v, vNext, dt, vMove)
    kinematics(model, end, data)
    rows.build(data)
    let open = 0
    for (let r = 0; r < rows.count; r++) if (rows.isPulled[r] === 0) open = Math.max(open, Math.abs(rows.error[r]))
    this.open[0] = open
    if (open <= CLOSED) return true
    for (let r = 0; r < rows.count; r++) if (rows.isPulled[r] === 0) target[r] += rows.error[r] / dt
    return false
  }
}
