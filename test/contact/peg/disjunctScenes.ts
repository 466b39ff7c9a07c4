import {
  ContactConstraints,
  ContactDisjunctProblem,
  type ContactProblem,
  constraintKind,
  type DisjunctProblem,
  GroupKind,
  LemkeSolver,
  PyramidSolver,
  pyramidSides,
} from '../../../contact/index.ts'
import type { Random } from '../../../dynamics/index.ts'
import { cross as crossOf, plus, randomTriple, unit as unitOf } from '../geometry/poses.ts'
import type { CornerScene } from './planarCorners.ts'

/** Contacts under constraints as numbers: normals alone, psi = W p + rhs over the step. */
export interface DisjunctScene {
  readonly n: number
  readonly W: Float64Array
  readonly rhs: Float64Array
  readonly startGap: Float64Array
  readonly key: Int32Array
  readonly constraints: ContactConstraints
  /** n x dof, and what J is made of the velocities: M diagonal, v_free. */
  readonly J: number[][]
  readonly mass: number[]
  readonly v: number[]
}

export interface Answer {
  readonly cost: number
  readonly v: number[]
  /** The contacts that push. */
  readonly pushing: number[]
}

/** constraints of a list [kind, members that may push, others]. */
export type Group = readonly [kind: number, pushing: readonly (readonly number[])[], others?: readonly (readonly number[])[]]
export function constraintsOf(groups: readonly Group[]): ContactConstraints {
  const constraints = new ContactConstraints()
  for (const [kind, pushing, others] of groups) {
    constraints.begin(kind)
    for (const [members, mayPush] of [
      [pushing, true],
      [others ?? [], false],
    ] as const) {
      for (const member of members) {
        constraints.addDisjunct(mayPush)
        for (const i of member) constraints.addContact(i)
      }
    }
  }
  return constraints
}

export const { unilateral, inter, cross } = constraintKind

/** Both corners against the edges of the other, and the pairs of edges of the same side. */
export const cornerGroups: readonly Group[] = [
  [inter, [[0], [1]]],
  [inter, [[2], [3]]],
  [cross, [], [[0], [3]]],
  [cross, [], [[1], [2]]],
]
/** The four contacts as one group. */
export const unionGroup: readonly Group[] = [[inter, [[0], [1], [2], [3]]]]

export function sceneOf({ h, gaps, J, mass, v }: CornerScene, constraints: ContactConstraints): DisjunctScene {
  const n = gaps.length
  const dot = (a: number[], b: number[]) => a.reduce((sum, x, k) => sum + x * b[k], 0)
  const W = Float64Array.from({ length: n * n }, (_, at) => {
    const i = Math.floor(at / n)
    const j = at % n
    // the same sum both ways
    return J[i].reduce((sum, x, k) => sum + (x * J[j][k]) / mass[k], 0)
  })
  const startGap = Float64Array.from(gaps, (gap) => gap / h)
  const rhs = Float64Array.from(gaps, (gap, i) => gap / h + dot(J[i], v))
  const key = Int32Array.from(gaps, (_, i) => 10 * i + 3)
  return { n, W, rhs, startGap, key, constraints, J, mass, v }
}

export interface SceneOptions {
  /** Inter-contact groups, and bodies, six velocities each. */
  readonly groups: number
  readonly bodies: number
  /** Members of a group. */
  readonly members: readonly [number, number]
  /** Contacts of a member. */
  readonly contacts?: number
  /** Unilateral contacts, cross-contact groups; members that may not push. */
  readonly unilateral?: number
  readonly cross?: number
  readonly silent?: number
}

/**
 * Bodies between which corners meet at a large step: each group has members whose normals lie on a cone about its own direction. All
 * constraints hold at the start.
 */
export function cornerScene(random: Random, options: SceneOptions): { scene: CornerScene; constraints: ContactConstraints } {
  const { groups, bodies, members, contacts = 1 } = options
  const dof = 6 * bodies
  const mass = Array.from({ length: dof }, (_, k) => (k % 6 < 3 ? 1 : 0.1) * random.between(0.3, 3))
  const v = Array.from({ length: dof }, () => random.between(-0.5, 0.5))
  const J: number[][] = []
  const gaps: number[] = []
  const list: Group[] = []
  const unit = () => [...unitOf(randomTriple(random))]
  const addRow = (n: number[], a: number, b: number, gap: number) => {
    const row = new Array<number>(dof).fill(0)
    for (const [body, sign] of [
      [a, -1],
      [b, 1],
    ]) {
      if (body < 0) continue
      const r = unit().map((x) => 0.5 * x)
      const turn = crossOf(r, n)
      for (let k = 0; k < 3; k++) {
        row[6 * body + k] += sign * n[k]
        row[6 * body + 3 + k] += sign * turn[k]
      }
    }
    J.push(row)
    gaps.push(gap)
    return J.length - 1
  }
  for (let g = 0; g < groups; g++) {
    const b = g % bodies
    const a = g < bodies ? b - 1 : random.index(bodies + 1) - 1
    const axis = unit()
    const from = a < 0 || a === b ? -1 : a
    // towards each other
    for (let k = 0; k < 3; k++) v[6 * b + k] -= random.between(0, 1.5) * axis[k]
    const pushing: number[][] = []
    const others: number[][] = []
    const count = members[0] + random.index(members[1] - members[0] + 1)
    for (let m = 0; m < count; m++) {
      const side = unit()
      const spread = random.between(0.2, 1.5)
      const n = [...unitOf(plus(axis, side, spread))]
      // one at least is apart
      const apart = m === 0 || random.next() < 0.4
      const gap = apart ? random.between(0.01, 0.3) : -random.between(0.01, 0.5)
      const silent = m > 0 && random.next() < (options.silent ?? 0)
      const size = 1 + random.index(contacts)
      ;(silent ? others : pushing).push(Array.from({ length: size }, () => addRow(n, from, b, gap + random.between(0, 0.1))))
    }
    list.push([inter, pushing, others])
  }
  for (let k = 0; k < (options.unilateral ?? 0); k++) {
    list.push([unilateral, [[addRow(unit(), -1, random.index(bodies), random.between(0, 0.2))]]])
  }
  for (let k = 0; k < (options.cross ?? 0); k++) {
    // of two groups one contact each, of which one is apart
    const [one, other] = [list[random.index(groups)], list[random.index(groups)]]
    const x = one[1][0][0]
    const y = other[1][random.index(other[1].length)][0]
    if (x !== y) list.push([cross, [], [[x], [y]]])
  }
  return { scene: { h: 0.5, gaps, J, mass, v }, constraints: constraintsOf(list) }
}

/**
 * All velocities that satisfy the constraints, pushes included, by trying every set of contacts that may push: W p + rhs = 0 there,
 * p > 0. A set whose rows depend on each other is left out: a smaller one has the same velocity. Cheapest first.
 *
 * @param isPath whether the constraints are to hold all along the way from `startGap` too; only a member that was apart then is a way to stay so
 */
export function everyAnswer(scene: DisjunctScene, isPath = false, tolerance = 1e-9): Answer[] {
  const { n, W, rhs, constraints, J, mass, v } = scene
  const mayPush: number[] = []
  const { count, kind, disjunctStart, pushing, contactStart, contact } = constraints
  for (let g = 0; g < count; g++) {
    if (kind[g] === cross) continue
    for (let k = contactStart[disjunctStart[g]]; k < contactStart[disjunctStart[g] + pushing[g]]; k++) mayPush.push(contact[k])
  }
  const answers: Answer[] = []
  for (let mask = 0; mask < 1 << mayPush.length; mask++) {
    const rows = mayPush.filter((_, k) => mask & (1 << k))
    const p = solved(
      rows.map((i) => rows.map((j) => W[i * n + j])),
      rows.map((i) => -rhs[i]),
    )
    if (p?.every((x) => x > 0) !== true) continue
    const psi = Array.from({ length: n }, (_, i) => rhs[i] + rows.reduce((sum, j, k) => sum + W[i * n + j] * p[k], 0))
    const least = (m: number) => Math.min(...Array.from(contact.slice(contactStart[m], contactStart[m + 1]), (i) => psi[i]))
    const wasApart = (m: number) => contact.slice(contactStart[m], contactStart[m + 1]).every((i) => scene.startGap[i] >= 0)
    const excused = new Set<number>()
    let legal = true
    for (let g = 0; g < count; g++) {
      const values = Array.from({ length: disjunctStart[g + 1] - disjunctStart[g] }, (_, k) => least(disjunctStart[g] + k))
      const value = Math.max(...values)
      if (value < -tolerance || (isPath && dip(scene, psi, g) < -1e-8)) legal = false
      if (kind[g] === cross || (!isPath && value > tolerance)) continue
      for (let m = 0; m < pushing[g]; m++) {
        if (values[m] < -tolerance) continue
        if (isPath && values.some((x, other) => x > tolerance && wasApart(disjunctStart[g] + other))) continue
        for (let k = contactStart[disjunctStart[g] + m]; k < contactStart[disjunctStart[g] + m + 1]; k++) excused.add(contact[k])
      }
    }
    if (!legal || !rows.every((i) => excused.has(i))) continue
    const after = v.map((x, d) => x + rows.reduce((sum, j, k) => sum + (J[j][d] * p[k]) / mass[d], 0))
    if (answers.some((other) => other.v.every((x, d) => Math.abs(x - after[d]) < 1e-8))) continue
    const cost = rows.reduce((sum, j, k) => sum - p[k] * rhs[j], 0)
    answers.push({ cost, v: after, pushing: rows })
  }
  return answers.sort((x, y) => x.cost - y.cost)
}

/** The least value of constraint g on the way from the start to psi, at 1,000 places. */
export function dip({ startGap, constraints }: DisjunctScene, psi: ArrayLike<number>, g: number): number {
  const { disjunctStart, contactStart, contact } = constraints
  let worst = Number.POSITIVE_INFINITY
  for (let step = 0; step <= 1000; step++) {
    const t = step / 1000
    let greatest = Number.NEGATIVE_INFINITY
    for (let m = disjunctStart[g]; m < disjunctStart[g + 1]; m++) {
      let least = Number.POSITIVE_INFINITY
      for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
        const i = contact[k]
        least = Math.min(least, (1 - t) * startGap[i] + t * psi[i])
      }
      greatest = Math.max(greatest, least)
    }
    worst = Math.min(worst, greatest)
  }
  return worst
}

/** v_free + M⁻¹ Jᵀ p. */
export function velocityAfter({ J, mass, v }: DisjunctScene, p: Float64Array): number[] {
  return v.map((x, d) => x + J.reduce((sum, row, i) => sum + (row[d] * p[i]) / mass[d], 0))
}

function solved(A: number[][], b: number[]): number[] | undefined {
  const n = b.length
  const M = A.map((row, i) => [...row, b[i]])
  for (let k = 0; k < n; k++) {
    let best = k
    for (let i = k + 1; i < n; i++) if (Math.abs(M[i][k]) > Math.abs(M[best][k])) best = i
    if (Math.abs(M[best][k]) < 1e-9) return undefined
    ;[M[k], M[best]] = [M[best], M[k]]
    for (let i = 0; i < n; i++) {
      if (i === k) continue
      const factor = M[i][k] / M[k][k]
      for (let j = k; j <= n; j++) M[i][j] -= factor * M[k][j]
    }
  }
  return M.map((row, i) => row[n] / row[i])
}

/**
 * The scene with friction: per contact its normal and two tangents, which turn their bodies as they please; then as many joints' stops and
 * joints with dry friction, by turns.
 */
export function frictionalProblem({ h, gaps, J, mass, v }: CornerScene, random: Random, mu: number, joints = 0): ContactProblem {
  const contacts = gaps.length
  const rows: number[][] = []
  const rhs: number[] = []
  const first = [0]
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, k) => sum + x * b[k], 0)
  for (let i = 0; i < contacts; i++) {
    rows.push(J[i], ...[0, 1].map(() => J[i].map((x) => (x === 0 ? 0 : random.between(-1, 1)))))
    rhs.push(gaps[i] / h + dot(J[i], v), dot(rows[3 * i + 1], v), dot(rows[3 * i + 2], v))
    first.push(rows.length)
  }
  for (let k = 0; k < joints; k++) {
    const row = mass.map((_, d) => (d === random.index(mass.length) ? 1 : 0))
    row[k % mass.length] = 1
    rows.push(row)
    rhs.push(dot(row, v) + (k % 2 === 0 ? random.between(0, 0.5) : 0))
    first.push(rows.length)
  }
  const n = rows.length
  const groups = contacts + joints
  return {
    rowCount: n,
    W: Float64Array.from({ length: n * n }, (_, at) => {
      const i = Math.floor(at / n)
      const j = at % n
      return rows[i].reduce((sum, x, d) => sum + (x * rows[j][d]) / mass[d], 0)
    }),
    rhs: Float64Array.from(rhs),
    groupCount: groups,
    first: Int32Array.from(first),
    kind: Uint8Array.from({ length: groups }, (_, g) =>
      g < contacts ? GroupKind.frictional : (g - contacts) % 2 === 0 ? GroupKind.unilateral : GroupKind.bounded,
    ),
    limit: Float64Array.from({ length: groups }, (_, g) => (g < contacts ? mu : (g - contacts) % 2 === 0 ? 0 : 0.1)),
  }
}

/** A contact problem whose first groups are the contacts, with friction, by Lemke's method on pyramids of four sides. */
export function frictionalDisjuncts(problem: ContactProblem, constraints: ContactConstraints, contacts: number): DisjunctProblem {
  const solver = new PyramidSolver(new LemkeSolver(), pyramidSides(4))
  return new ContactDisjunctProblem(problem, constraints, contacts, new Float64Array(problem.rowCount), undefined, [solver])
}
