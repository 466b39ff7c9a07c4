import { crbaOnBranches, type Data, type Model } from '../../../dynamics/index.ts'
import type { ContactSet } from '../../contactSet.ts'
import {
  type ContactMatrix,
  type ContactMatrixName,
  chooseMatrixOfTrees,
  createContactMatrix,
  RowSet,
} from '../../matrix/index.ts'
import type { ContactRows } from '../contactRows.ts'
import { RowMatrix } from '../velocityLevel/rowMatrix.ts'
import type { AccelerationProblem } from './accelerationProblem.ts'

export type MatrixChoice = 'auto' | ContactMatrixName

/** Rows that `auto` takes a tree to have: six contacts with friction, as robots on wheels and on legs have 4 to 16. */
const TYPICAL_ROWS = 18

/**
 * M~ = M + diag(added) of one step: what solves with it, and what makes W = J M~⁻¹ Jᵀ of the rows of an island.
 *
 * `begin` once a configuration; then `load`, additions to the diagonal of `H`, and `factor`; then all else, until the next `load`.
 */
export interface TreeInertia {
  readonly name: ContactMatrixName
  /** nv x nv. Between `load` and `factor` its diagonal takes what M~ has besides M's [kg m², kg]. */
  readonly H: Float64Array
  /** rowCount x rowCount of the last `build`, in the first entries. */
  readonly W: Float64Array
  /** Needs `kinematics` in data. */
  begin(data: Data): void
  load(): void
  factor(): void
  /** x := M~⁻¹ x. */
  solve(x: Float64Array): void
  build(problem: AccelerationProblem, contacts: ContactSet): void
  /** Adds what forces on the rows of the last `build` do; `finish` makes a change of velocities of it. */
  addForces(problem: AccelerationProblem, f: Float64Array, x: Float64Array): void
  /** x := M~⁻¹ Σ Jᵀ f. */
  finish(x: Float64Array): void
}

/**
 * The inertia that W is made by: `auto` is the way that measuring found the best for one of the model's trees by itself
 * (`chooseMatrixOfTrees`), and factored, as any other, where joints follow others.
 */
export function createTreeInertia(choice: MatrixChoice, model: Model, rows: ContactRows): TreeInertia {
  const matrix = createContactMatrix(choice === 'auto' ? chooseMatrixOfTrees(model, TYPICAL_ROWS) : choice, model)
  return matrix.name === 'factored' ? new FactoredInertia(model, rows) : new ArticulatedInertia(model, matrix)
}

/** M by the composite-rigid-body algorithm, and its factor with the sparsity that the couplings of contacts leave: H is that. */
class FactoredInertia implements TreeInertia {
  readonly name = 'factored'
  readonly H: Float64Array
  private readonly model: Model
  private readonly rows: ContactRows
  private readonly matrix: RowMatrix
  private data: Data | undefined

  constructor(model: Model, rows: ContactRows) {
    this.model = model
    this.rows = rows
    this.matrix = new RowMatrix(rows, model.nv)
    this.H = new Float64Array(model.nv * model.nv)
  }

  get W(): Float64Array {
    return this.matrix.W
  }

  begin(data: Data): void {
    crbaOnBranches(this.model, data)
    this.data = data
  }

  load(): void {
    if (this.data === undefined) throw new Error('there is no inertia yet; call begin(data) first.')
    this.rows.pattern.load(this.data.M, this.H)
  }

  factor(): void {
    this.rows.pattern.factorize(this.H)
    this.matrix.beginStep()
  }

  solve(x: Float64Array): void {
    this.rows.pattern.solve(this.H, x)
  }

  build(problem: AccelerationProblem): void {
    this.matrix.begin(problem.rowCount)
    problem.addRows(this.matrix, this.H)
    this.matrix.multiply()
  }

  addForces(_: AccelerationProblem, f: Float64Array, x: Float64Array): void {
    this.matrix.addImpulses(f, x)
  }

  finish(x: Float64Array): void {
    this.rows.pattern.solveL(this.H, x)
  }
}

/** By the articulated inertias, from which M~⁻¹ and W come both; there is no M. */
class ArticulatedInertia implements TreeInertia {
  readonly name: ContactMatrixName
  readonly H: Float64Array
  W = new Float64Array(0)
  private readonly nv: number
  private readonly matrix: ContactMatrix
  private readonly rowSet = new RowSet()
  /** nv: the diagonal of H. */
  private readonly added: Float64Array
  private data: Data | undefined

  constructor({ nv }: Model, matrix: ContactMatrix) {
    this.name = matrix.name
    this.matrix = matrix
    this.nv = nv
    this.H = new Float64Array(nv * nv)
    this.added = new Float64Array(nv)
  }

  begin(data: Data): void {
    this.data = data
  }

  load(): void {
    const { H, nv } = this
    for (let k = 0; k < nv; k++) H[k * nv + k] = 0
  }

  factor(): void {
    const { H, added, nv, data, matrix } = this
    if (data === undefined) throw new Error('there is no inertia yet; call begin(data) first.')
    for (let k = 0; k < nv; k++) added[k] = H[k * nv + k]
    matrix.begin(data, added)
  }

  solve(x: Float64Array): void {
    this.matrix.solve(x)
  }

  build(problem: AccelerationProblem, contacts: ContactSet): void {
    const { rowCount } = problem
    if (rowCount * rowCount > this.W.length) this.W = new Float64Array(4 * rowCount * rowCount)
    this.rowSet.clear()
    problem.listRows(this.rowSet, contacts)
    this.matrix.build(this.rowSet, this.W)
  }

  /** Jᵀ f: islands add theirs, and one solution serves all. `ContactMatrix.apply` would go through the whole world for each. */
  addForces(problem: AccelerationProblem, f: Float64Array, x: Float64Array): void {
    problem.addGeneralisedForces(f, x)
  }

  finish(x: Float64Array): void {
    this.matrix.solve(x)
  }
}
