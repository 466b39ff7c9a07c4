import { joints } from './joints.ts'
import type { Model } from './model.ts'

/**
 * Everything that can be recomputed from a model and a state, and all scratch of the algorithms. Made once by
 * `createData`, owned by one caller. Arrays "per body" and "per velocity" are views into one flat buffer each.
 *
 * Spatial vectors are Featherstone's, angular part first: [omega; v] for motion, [n; f] for force, in the axes and
 * about the origin of their own body; a name that ends in W is in world axes about the world's origin.
 */
export interface Data {
  // constant, set by `createData`
  /** Per velocity, 6: motion subspace in the body's axes; constant for every joint type. */
  readonly S: readonly Float64Array[]
  /** Per body: the heaviest body of its tree. That one's origin is the tree's center; see IC. */
  readonly center: Int32Array

  // written by `kinematics(model, state, data)`
  /** Per body, 12: from the parent to the body at this q, [E (9), r (3)] as in `Model.XT`. */
  readonly X: readonly Float64Array[]
  /** Per body, 9, row-major: turns the body's axes into the world's. */
  readonly R_WB: readonly Float64Array[]
  /** Per body, 3: the body's origin from the world's origin, in world axes [m]. */
  readonly p_WB: readonly Float64Array[]
  /** Per velocity, 6: motion subspace in world axes about the world's origin; makes a point's Jacobian one line. */
  readonly SW: readonly Float64Array[]

  // written by `velocities(model, state, data)`, and by rnea on its way
  /** Per body, 6: spatial velocity. */
  readonly V: readonly Float64Array[]

  // written by rnea
  /** Per body, 6: spatial acceleration. */
  readonly A: readonly Float64Array[]
  /** Per body, 6: force that the joint under the body passes on. */
  readonly F: readonly Float64Array[]

  // Written by crba and aba: in world axes, about the tree's center. About the world's origin, which may be far, inertias
  // of metres squared would swallow a finger's.
  /** Per velocity, 6: motion subspace. */
  readonly SC: readonly Float64Array[]

  // written by crba
  /** Per body, 10: composite inertia in the layout of `Model.I`, as SC. */
  readonly IC: readonly Float64Array[]
  /** Per velocity, 6: F = IC S, the force that its unit acceleration takes, as SC. */
  readonly FC: readonly Float64Array[]
  /** nv x nv row-major: joint-space inertia. */
  readonly M: Float64Array

  /** nv x nv row-major: room for the factor that `factorize` makes of M. */
  readonly L: Float64Array

  // written by aba, as SC
  /** Per body, 6: spatial velocity and acceleration; the latter carries -gravity, as body 0 does. */
  readonly VC: readonly Float64Array[]
  readonly AC: readonly Float64Array[]
  /** Per body, 6: velocity-product acceleration, C = V x S v. */
  readonly C: readonly Float64Array[]
  /** Per body, 36 row-major: articulated-body inertia, upper triangle (the lower one is not used). */
  readonly IA: readonly Float64Array[]
  /** Per body, 6: articulated-body bias force. */
  readonly pA: readonly Float64Array[]
  /** Per velocity, 6: U = IA S. */
  readonly U: readonly Float64Array[]
  /** Per body, up to 6 x 6: D^-1, D = S^T U + armature. */
  readonly Dinv: readonly Float64Array[]
  /** nv: u = tau - S^T pA. */
  readonly u: Float64Array

  /** Scratch. */
  readonly scratch: {
    readonly one: Float64Array
    readonly a6: Float64Array
    readonly b6: Float64Array
    readonly a10: Float64Array
    readonly a36: Float64Array
    /** nv zeros, never written. */
    readonly zero: Float64Array
  }
}

/** `count` views of `size` numbers into one buffer of zeros. */
export function views(count: number, size: number): Float64Array[] {
  const buffer = new Float64Array(count * size)
  return Array.from({ length: count }, (_, i) => buffer.subarray(i * size, (i + 1) * size))
}

export function createData(model: Model): Data {
  const { nb, nv } = model
  const S = views(nv, 6)
  for (let i = 1; i < nb; i++) joints[model.jointType[i]].subspace(S, model, i)
  return {
    X: views(nb, 12),
    S,
    R_WB: views(nb, 9),
    p_WB: views(nb, 3),
    V: views(nb, 6),
    A: views(nb, 6),
    F: views(nb, 6),
    M: new Float64Array(nv * nv),
    L: new Float64Array(nv * nv),
    IC: views(nb, 10),
    SW: views(nv, 6),
    SC: views(nv, 6),
    FC: views(nv, 6),
    IA: views(nb, 36),
    pA: views(nb, 6),
    C: views(nb, 6),
    VC: views(nb, 6),
    AC: views(nb, 6),
    U: views(nv, 6),
    Dinv: views(nb, 36),
    u: new Float64Array(nv),
    center: centersOf(model),
    scratch: {
      a6: new Float64Array(6),
      b6: new Float64Array(6),
      one: new Float64Array(1),
      a10: new Float64Array(10),
      a36: new Float64Array(36),
      zero: new Float64Array(nv),
    },
  }
}

/** Per body: the heaviest body of its tree, the first of them if several are. */
function centersOf({ nb, parent, I }: Model): Int32Array {
  const root = new Int32Array(nb)
  const heaviest = new Int32Array(nb)
  for (let i = 1; i < nb; i++) {
    root[i] = parent[i] === 0 ? i : root[parent[i]]
    if (root[i] === i || I[i][0] > I[heaviest[root[i]]][0]) heaviest[root[i]] = i
  }
  return root.map((r) => heaviest[r])
}
