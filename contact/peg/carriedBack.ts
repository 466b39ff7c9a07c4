import type { ImpulseProblem } from '../constraints/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'

/**
 * Applies contacts found at the end of a step as impulses on the bodies at its start.
 *
 * A step changes velocities at its start and moves bodies with them, so momentum is conserved if the impulse on both bodies of a contact
 * has one line of action, with the lever arms of the start. The points that touch at the end are apart at the start: the line passes
 * through their mean, weighted so that the lighter body, which an impulse turns more, has its lever arm of the end. The normal is that of
 * the end.
 *
 * These rows give the required change of gaps, except for the rotation and slip of the bodies within the step.
 */
export class CarriedBack {
  private readonly treeOf: Int32Array
  private readonly mass: Float64Array
  private points = new Float64Array(0)
  /** 3: a point in a body's axes. */
  private readonly local = new Float64Array(3)

  constructor({ trees }: ContactModelContext) {
    this.treeOf = trees.treeOf
    this.mass = trees.mass
  }

  /**
   * `problem.begin` with the contacts of `there` and the bodies' poses of `start`; their points become those where impulses act, so that reported
   * forces have the moments that change the bodies' momentum.
   */
  begin(problem: ImpulseProblem, start: ContactStep, there: ContactStep): void {
    const { contacts } = there
    if (contacts.point.length > this.points.length) this.points = new Float64Array(contacts.point.length)
    const { points } = this
    const { count, point, bodyA, bodyB } = contacts
    points.fill(0)
    for (let i = 0; i < count; i++) {
      const a = this.massOf(bodyA[i])
      const b = this.massOf(bodyB[i])
      // a fixed body has weight 0
      const share = a === 0 ? 1 : b === 0 ? 0 : a / (a + b)
      if (share > 0) this.add(start, there, bodyB[i], point, i, share)
      if (share < 1) this.add(start, there, bodyA[i], point, i, 1 - share)
    }
    for (let k = 0; k < 3 * count; k++) point[k] = points[k]
    problem.begin(there, start.data)
  }

  private massOf(body: number): number {
    const tree = this.treeOf[body]
    return tree < 0 ? 0 : this.mass[tree]
  }

  /** Adds `share` times the start position of the body's point that is at point i at the end. */
  private add(start: ContactStep, there: ContactStep, body: number, point: Float64Array, i: number, share: number): void {
    const { points, local } = this
    const R1 = there.data.R_WB[body]
    const p1 = there.data.p_WB[body]
    const R0 = start.data.R_WB[body]
    const p0 = start.data.p_WB[body]
    const x = point[3 * i] - p1[0]
    const y = point[3 * i + 1] - p1[1]
    const z = point[3 * i + 2] - p1[2]
    for (let k = 0; k < 3; k++) local[k] = R1[k] * x + R1[3 + k] * y + R1[6 + k] * z
    for (let k = 0; k < 3; k++) {
      points[3 * i + k] += share * (p0[k] + R0[3 * k] * local[0] + R0[3 * k + 1] * local[1] + R0[3 * k + 2] * local[2])
    }
  }
}
