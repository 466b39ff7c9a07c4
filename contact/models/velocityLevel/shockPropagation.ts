import type { Model } from '../../../dynamics/index.ts'
import type { ImpulsePass, ImpulseProblem } from '../../constraints/index.ts'
import type { ContactStep } from '../../contactModel.ts'
import type { ContactSet } from '../../contactSet.ts'
import { type ContactProblem, ContactProjectedGaussSeidel } from '../../solvers/index.ts'

/** Component of the normal against gravity above which a contact supports. */
const SUPPORTS = 1e-3
/** Level of an unsupported tree. */
const NONE = 0x7fffffff

/**
 * Shock propagation of Guendelman, Bridson and Fedkiw, ACM Trans. Graph. 22 (2003), section 8: after sweeps over a whole island, another
 * pass over its contact graph, level by level from the ground up, with infinite mass of everything below, so that stopped bodies stay
 * stopped. A tree's level is the length of the shortest chain of supports from the ground; contacts, loops and joints have the highest
 * level of their trees.
 *
 * In generalised coordinates infinite mass of a tree means that its rows are dropped from M⁻¹ Jᵀ. A level's impulses of this pass act on it
 * alone, without reaction below it, so momentum is not conserved. Impulses are reported unchanged.
 */
export class ShockPropagation implements ImpulsePass {
  private readonly solver: ContactProjectedGaussSeidel
  /** Level per tree, and per group of the current island. */
  private level = new Int32Array(0)
  private levelOfGroup = new Int32Array(0)
  /** The rows of one level, and their indices in the island. */
  private readonly part = {
    rowCount: 0,
    W: new Float64Array(0),
    rhs: new Float64Array(0),
    groupCount: 0,
    first: new Int32Array(1),
    kind: new Uint8Array(0),
    limit: new Float64Array(0),
  } satisfies ContactProblem
  private rows = new Int32Array(0)
  private p = new Float64Array(0)
  private readonly mode = new Int8Array(0)
  // per row of the island
  private u = new Float64Array(0)
  private unit = new Float64Array(0)

  /** @param sweeps number of sweeps over each level */
  constructor(sweeps: number) {
    this.solver = new ContactProjectedGaussSeidel({ law: 'cone', tolerance: 1e-12, limit: sweeps, updatesInPlace: true })
  }

  /**
   * Runs the pass over the island that `problem` has just solved.
   *
   * @param change nv, in: zero at the island's velocities; out: the velocity change by the island's impulses
   */
  propagate(problem: ImpulseProblem, step: ContactStep, change: Float64Array): void {
    const { system } = problem
    const { p } = system
    const { level } = this
    this.reserve(problem)
    const highest = this.findLevels(problem, step)
    if (highest < 2) {
      system.addVelocity(p, change)
      return
    }
    for (let l = 1; l <= highest; l++) {
      for (let t = 0; t < level.length; t++) system.held[t] = level[t] === l ? 0 : 1
      this.take(problem, l, change)
      this.solver.solve(this.part, this.p, this.mode)
      step.events.iterations += this.solver.iterations
      for (let r = 0; r < this.part.rowCount; r++) p[this.rows[r]] = this.p[r]
      system.addVelocity(p, change)
    }
    for (let t = 0; t < level.length; t++) system.held[t] = level[t] === NONE ? 0 : 1
    system.addVelocity(p, change)
    system.held.fill(0)
  }

  /** Sets up the problem of level l, in which only the velocities of its own trees change. */
  private take({ system }: ImpulseProblem, l: number, change: Float64Array): void {
    const { p } = system
    const { part, rows, levelOfGroup, u, unit } = this
    part.rowCount = 0
    part.groupCount = 0
    for (let g = 0; g < system.groupCount; g++) {
      if (levelOfGroup[g] !== l) continue
      part.kind[part.groupCount] = system.kind[g]
      part.limit[part.groupCount] = system.limit[g]
      part.first[part.groupCount++] = part.rowCount
      for (let r = system.first[g]; r < system.first[g + 1]; r++) rows[part.rowCount++] = r
    }
    part.first[part.groupCount] = part.rowCount
    const n = part.rowCount
    if (n * n > part.W.length) part.W = new Float64Array(2 * n * n)
    const { W, rhs } = part
    unit.fill(0, 0, system.rowCount)
    system.velocitiesOf(change, u)
    for (let r = 0; r < n; r++) rhs[r] = system.rhs[rows[r]] + u[rows[r]]
    // above this level impulses are still those of the sweeps
    system.respond(p, u)
    for (let r = 0; r < n; r++) rhs[r] += u[rows[r]]
    for (let c = 0; c < n; c++) {
      unit[rows[c]] = 1
      system.respond(unit, u)
      unit[rows[c]] = 0
      this.p[c] = p[rows[c]]
      for (let r = 0; r < n; r++) {
        W[r * n + c] = u[rows[r]]
        rhs[r] -= u[rows[r]] * this.p[c]
      }
      W[c * n + c] += system.soft[rows[c]]
    }
  }

  /** @returns the highest level */
  private findLevels({ system, islands, contacts }: ImpulseProblem, step: ContactStep): number {
    const { level, levelOfGroup } = this
    const { velocities, pattern } = contacts.rows
    level.fill(NONE)
    for (let changed = true; changed; ) {
      changed = false
      for (let m = 0; m < system.contactCount; m++)
        if (this.follow(islands.treeOfBody, step.contacts, system.index[m], step.model)) changed = true
    }
    let highest = 0
    for (let n = 0; n < level.length; n++) if (level[n] !== NONE && level[n] > highest) highest = level[n]
    for (let g = 0; g < system.groupCount; g++) {
      levelOfGroup[g] = 0
      for (let c = system.list[g]; c < system.list[g] + system.size[g]; c++) {
        const l = level[pattern.treeOfV[velocities[c]]]
        if (l > levelOfGroup[g]) levelOfGroup[g] = l
      }
    }
    return highest
  }

  /** Raises the tree that contact i supports to one level above its support, if that is lower than before. @returns whether it did */
  private follow(treeOfBody: Int32Array, { bodyA, bodyB, normal }: ContactSet, i: number, { gravity }: Model): boolean {
    const { level } = this
    let along = 0
    let size = 0
    for (let d = 0; d < 3; d++) {
      along -= normal[3 * i + d] * gravity[3 + d]
      size += gravity[3 + d] * gravity[3 + d]
    }
    if (!(along * along > SUPPORTS * SUPPORTS * size)) return false
    const below = treeOfBody[along > 0 ? bodyA[i] : bodyB[i]]
    const above = treeOfBody[along > 0 ? bodyB[i] : bodyA[i]]
    const to = below < 0 ? 1 : level[below] + 1
    if (above < 0 || (below >= 0 && level[below] === NONE) || to >= level[above]) return false
    level[above] = to
    return true
  }

  private reserve({ system, contacts }: ImpulseProblem): void {
    if (this.level.length === 0) this.level = new Int32Array(contacts.rows.pattern.treeCount)
    const { rowCount, groupCount } = system
    if (groupCount > this.levelOfGroup.length) {
      this.levelOfGroup = new Int32Array(2 * groupCount)
      this.part.first = new Int32Array(2 * groupCount + 1)
      this.part.kind = new Uint8Array(2 * groupCount)
      this.part.limit = new Float64Array(2 * groupCount)
    }
    if (rowCount <= this.u.length) return
    this.u = new Float64Array(2 * rowCount)
    this.unit = new Float64Array(2 * rowCount)
    this.rows = new Int32Array(2 * rowCount)
    this.p = new Float64Array(2 * rowCount)
    this.part.rhs = new Float64Array(2 * rowCount)
  }
}
