/** Lagrange multipliers of the joints of a tree in O(n) (Baraff 1996, which Drumwright's II-B names), beside the algorithms on joint coordinates. */
import { Random } from '../../../compare/scenario/world/random.ts'
import {
  aba,
  addCrossForce,
  addWork,
  addXTransposed,
  buildModel,
  createData,
  createState,
  crossMotion,
  type Data,
  directionRow,
  dot,
  JointType,
  kinematics,
  type Model,
  massMatrix,
  mulInertia,
  rneaTable,
  SparseCholesky,
  type State,
  workSpent,
} from '../../../dynamics/index.ts'
import { fittedOrder } from '../baraff/numerics.ts'
import { difference } from '../baraff/scene.ts'
import type { Claim } from '../page.ts'
import { measured } from './measured.ts'
import { significant } from './numbers.ts'

const axes = Array.from({ length: 6 }, (_, i) => Float64Array.from({ length: 6 }, (_, j) => (i === j ? 1 : 0)))
/** Unknowns of a body: its acceleration, 6, and the multipliers of its joint, 5. */
const SIZE = 11

/** 6: by a helper that writes its first argument. */
function made(write: (out: Float64Array) => void): Float64Array {
  const out = new Float64Array(6)
  write(out)
  return out
}

/** A basis of the forces that a joint of motion S bears, T with Sᵀ T = 0: axis j less S_j / S_m of the axis m along which S is largest. */
function borne(S: Float64Array): Float64Array[] {
  const m = S.reduce((best, x, j) => (Math.abs(x) > Math.abs(S[best]) ? j : best), 0)
  const others = axes.filter((_, j) => j !== m)
  return others.map((axis) => axis.map((x, j) => (j === m ? -dot(axis, S) / S[m] : x)))
}

/**
 * Bodies in maximal coordinates, each in its own axes: M A - Jᵀ λ = f, -J A = -c, with rows Tᵀ (A_i - X A_p) = Tᵀ (V_i × S v) a joint, in the order
 * leaves to root, in which the matrix of a tree has no fill-in. L D Lᵀ takes O(n); a fixed base, and joints of one motion.
 */
export class JointMultipliers {
  /** Per unknown: its row of the matrix from the diagonal on, by columns; the same after elimination, D on the diagonal and D Lᵀ beside. */
  private readonly rows: Map<number, number>[] = []
  private readonly factor: Map<number, number>[]
  private readonly model: Model
  private readonly data: Data

  /** After `kinematics`, whose data it keeps. */
  constructor(model: Model, data: Data) {
    this.model = model
    this.data = data
    for (let i = model.nb - 1; i > 0; i--) {
      const [at, p] = [this.first(i), model.parent[i]]
      const T = borne(this.motion(i))
      const M = axes.map((axis) => made((out) => mulInertia(out, model.I[i], axis)))
      for (let d = 0; d < 6; d++) {
        const row = new Map(Array.from({ length: 6 - d }, (_, e) => [at + d + e, M[d][d + e]]))
        for (const [r, t] of T.entries()) row.set(at + 6 + r, -t[d])
        this.rows.push(row)
      }
      T.forEach((t, r) => {
        const above = p > 0 ? Array.from(this.onParent(i, t), (x, d): [number, number] => [this.first(p) + d, x]) : []
        this.rows.push(new Map([[at + 6 + r, 0], ...above]))
      })
    }
    this.factor = this.rows.map((row) => new Map(row))
    this.factor.forEach((row, k) => {
      const later = [...row].filter(([j]) => j > k)
      addWork(later.length, later.length + 3, 1)
      for (const [i, x] of later) for (const [j, y] of later) if (j >= i) this.subtract(i, j, (x * y) / (row.get(k) as number))
    })
  }

  private subtract(i: number, j: number, x: number): void {
    this.factor[i].set(j, (this.factor[i].get(j) ?? 0) - x)
  }

  /** Index of the first unknown of body i. */
  first(i: number): number {
    return SIZE * (this.model.nb - 1 - i)
  }

  private motion(i: number): Float64Array {
    return this.data.S[this.model.sStart[i]]
  }

  /** Xᵀ t, of the force t on body i. */
  private onParent(i: number, t: Float64Array): Float64Array {
    return made((out) => addXTransposed(out, this.data.X[i], t))
  }

  /** x of the matrix times x = right. */
  solve(right: ArrayLike<number>): Float64Array {
    const x = Float64Array.from(right)
    const { factor } = this
    factor.forEach((row, k) => {
      x[k] /= row.get(k) as number
      for (const [j, u] of row) if (j > k) x[j] -= u * x[k]
    })
    for (let k = x.length - 1; k >= 0; k--) {
      addWork(factor[k].size, 2, 1)
      for (const [j, u] of factor[k]) if (j > k) x[k] -= (u / (factor[k].get(k) as number)) * x[j]
    }
    return x
  }

  /** Largest entry of the matrix times x less right, over the largest of right. */
  residual(x: Float64Array, right: Float64Array): number {
    const off = right.map((value) => -value)
    this.rows.forEach((row, k) => {
      for (const [j, u] of row) {
        off[k] += u * x[j]
        if (j > k) off[j] += u * x[k]
      }
    })
    return Math.max(...off.map(Math.abs)) / Math.max(...right.map(Math.abs))
  }

  /** The right-hand side of motion v under gravity, without efforts of joints; after `rneaTable`, of which it reads V. */
  load({ v }: State): Float64Array {
    const { nb, parent, I, gravity } = this.model
    const { V } = this.data
    const right = new Float64Array(SIZE * (nb - 1))
    for (let i = 1; i < nb; i++) {
      const [S, at] = [this.motion(i), this.first(i)]
      const momentum = made((out) => mulInertia(out, I[i], V[i]))
      const gyroscopic = made((out) => addCrossForce(out, V[i], momentum))
      for (let d = 0; d < 6; d++) right[at + d] = -gyroscopic[d]
      const turned = made((out) => crossMotion(out, V[i], S))
      for (const [r, t] of borne(S).entries()) {
        // the world accelerates upwards in place of gravity
        const rising = parent[i] > 0 ? 0 : dot(this.onParent(i, t), gravity)
        right[at + 6 + r] = rising - dot(t, turned) * v[i - 1]
      }
    }
    return right
  }

  /** The force that joint i transmits, T λ: 6. */
  transmitted(x: Float64Array, i: number): Float64Array {
    const T = borne(this.motion(i))
    return axes[0].map((_, d) => T.reduce((sum, t, r) => sum + t[d] * x[this.first(i) + 6 + r], 0))
  }
}

/** A chain of so many links of 10 cm, their axes crosswise in turn; or a tree by the parent of each. */
export const chainOf = (links: number, parents?: readonly number[]) =>
  buildModel(
    'chain',
    Array.from({ length: links }, (_, k) => ({
      name: `link ${k + 1}`,
      jointName: `joint ${k + 1}`,
      parent: parents?.[k] ?? k,
      jointType: JointType.revolute,
      axis: k % 2 === 0 ? ([0, 1, 0] as const) : ([1, 0, 0] as const),
      position: [0, 0, 0.1] as const,
      mass: 1,
      inertia: [0.01, 0.01, 0.01, 0, 0, 0] as const,
    })),
  )

/** Bent and in motion, its joints without efforts; `rneaTable` was called with the accelerations of `aba`. */
export function chainInMotion(links: number, parents?: readonly number[]) {
  const random = new Random(links)
  const model = chainOf(links, parents)
  const [state, data] = [createState(model), createData(model)]
  const [tau, a] = [new Float64Array(links), new Float64Array(links)]
  for (let k = 0; k < links; k++) {
    state.q[k] = random.within(0.5)
    state.v[k] = random.within(1)
  }
  kinematics(model, state, data)
  aba(model, state, tau, data, a)
  rneaTable(model, state, a, data, tau)
  return { model, state, data }
}

/** A chain by both methods: multiply-adds and processor time of a factor and of one contact at its tip; and how far they are apart. */
export function multipliersOf(links: number) {
  const { model, state, data } = chainInMotion(links)
  const tip = { point: data.p_WB[links], axis: Float64Array.of(0.6, 0, 0.8) }
  const row = new Float64Array(links)
  directionRow(model, data, links, tip.point, 0, tip.axis, 0, 1, row, 0)
  const along = [0, 1, 2].map((d) => [0, 1, 2].reduce((sum, r) => sum + data.R_WB[links][3 * r + d] * tip.axis[r], 0))
  // of the last link, which is the first
  const unit = Float64Array.from({ length: SIZE * links }, (_, k) => (k < 3 ? 0 : (along[k - 3] ?? 0)))
  let joints = new JointMultipliers(model, data)
  const W = [0, 0]
  const multipliers = measured(() => {
    joints = new JointMultipliers(model, data)
    W[0] = dot(unit, joints.solve(unit))
  }, workSpent)
  const M = new Float64Array(links * links)
  massMatrix(model, data, M)
  const sparse = new SparseCholesky(model)
  const factor = measured(() => {
    const [H, x] = [M.slice(), row.slice()]
    sparse.factorize(H)
    sparse.solve(H, x)
    W[1] = dot(row, x)
  }, workSpent)
  const right = joints.load(state)
  const x = joints.solve(right)
  const off = data.F.slice(1).map((F, k) => Math.max(...difference(F, joints.transmitted(x, k + 1)).map(Math.abs)))
  const reaction = Math.max(...off) / Math.max(...data.F.slice(1).map((F) => Math.max(...F.map(Math.abs))))
  return { multipliers, factor, residual: joints.residual(x, right), reaction, apart: Math.abs(W[1] / W[0] - 1) }
}

/** Section II-B, of joints: "a Lagrange-multiplier approach can be used to solve for the constraining forces in O(n) time". */
export function multiplierClaim(sizes: readonly number[] = [8, 16, 32, 64, 128, 256, 512]): Claim {
  const done = sizes.map(multipliersOf)
  const orderOf = (cost: (one: (typeof done)[number]) => number) => fittedOrder(sizes, done.map(cost))
  const growth = (way: 'multipliers' | 'factor') => {
    const { count, time } = done[done.length - 1][way]
    const [ofCount, ofTime] = [orderOf((one) => one[way].count), orderOf((one) => one[way].time)]
    return `n^${significant(ofCount, 2)}, ${significant(count, 2)} (time n^${significant(ofTime, 2)}, ${significant(1e3 * time, 2)} ms)`
  }
  const order = orderOf((one) => one.multipliers.count)
  const most = (what: 'residual' | 'reaction' | 'apart') => significant(Math.max(...done.map((one) => one[what])), 1)
  return {
    where: 'Section II-B',
    claim: 'multiply-adds of the multipliers of all joints of a chain in maximal coordinates, and of one contact through them',
    paper: 'O(n), n links of a loop-free body (Baraff 1996)',
    found:
      `${sizes[0]} to ${sizes[sizes.length - 1]} links, a factor and one solve: multipliers ${growth('multipliers')}; the factor of M ${growth('factor')}. ` +
      `Residual ${most('residual')}; joint forces within ${most('reaction')} of those of rnea at the accelerations of aba; W of the contact by both within ${most('apart')}`,
    judgement:
      Math.abs(order - 1) < 0.05 && done.every((one) => one.reaction < 1e-6 && one.apart < 1e-6)
        ? 'reproduced'
        : 'not reproduced',
    why: 'L D Lᵀ of (M −Jᵀ; −J 0), leaves first, where nothing fills in. Judged by the order of the count to 0.05. M itself, O(n²), is not counted. The models have joint coordinates, in which aba and test forces (next row) are O(n), with less in each link.',
  }
}
