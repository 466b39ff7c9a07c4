import { joints } from './joints.ts'
import { JointType, type Model } from './model.ts'

/**
 * Everything that can be recomputed from a model and a state, and all scratch of the algorithms. Made once by
 * `createData`, owned by one caller. Arrays "per body" and "per velocity" are views into one flat buffer each.
 *
 * Spatial vectors are Featherstone's, angular part first: [omega; v] for motion, [n; f] for force, in the axes and
 * about the origin of their own body; a name that ends in W is in world axes about the world's origin.
 */
export interface Data {
  // constant, set by `createData`
  /**
   * Per joint motion, 6: motion subspace in the body's axes; constant for every joint type. For a joint that follows another it is scaled
   * by its multiplier, and multiplies the driving velocity.
   */
  readonly S: readonly Float64Array[]
  /** Per body: the heaviest body of its tree, whose origin is the tree's center (see IC). */
  readonly center: Int32Array
  /** Per body: 1 if its joint is a hinge, whose S has no linear part; else 0. */
  readonly hinge: Uint8Array
  /** Per body: 0, 1 or 2 for an independent hinge along its x, y or z axis, of either sign, with its parent's axes at q = 0; else -1. */
  readonly straight: Int8Array
  /** Per body: 1 if its joint is floating, with its frame equal to the world's; else 0. */
  readonly free: Uint8Array
  /** Per body: 1 if it has no children; and 1 if it is its parent's last child, the first in an inward loop; else 0. */
  readonly tip: Uint8Array
  readonly lastChild: Uint8Array

  // written by `kinematics(model, state, data)`
  /** Per body, 12: from the parent to the body at this q, [E (9), r (3)] as in `Model.XT`. */
  readonly X: readonly Float64Array[]
  /** Per body, 9, row-major: turns the body's axes into the world's. */
  readonly R_WB: readonly Float64Array[]
  /** Per body, 3: the body's origin from the world's origin, in world axes [m]. */
  readonly p_WB: readonly Float64Array[]
  /** Per joint motion, 6: S in world axes about the world's origin. */
  readonly SW: readonly Float64Array[]

  // written by `velocities(model, state, data)`, and by rnea
  /** Per body, 6: spatial velocity. */
  readonly V: readonly Float64Array[]

  // written by rnea
  /** Per body, 6: spatial acceleration; includes -gravity, like body 0's. */
  readonly A: readonly Float64Array[]
  /** Per body, 6: force transmitted by the joint under the body. */
  readonly F: readonly Float64Array[]

  // Written by crba and aba: in world axes, about the tree's center. About the world's origin, possibly far away, m d^2 would round a
  // finger's own inertia away.
  /** Per joint motion, 6: S. */
  readonly SC: readonly Float64Array[]

  // written by crba
  /** Per body, 10: composite inertia in the layout of `Model.I`; axes and point as for SC. */
  readonly IC: readonly Float64Array[]
  /** Per joint motion, 6: F = IC S, the force of its unit acceleration; axes and point as for SC. */
  readonly FC: readonly Float64Array[]
  /** nv x nv row-major: joint-space inertia. */
  readonly M: Float64Array

  /** nv x nv row-major: storage for the factor of M by `factorize`. */
  readonly L: Float64Array

  // Written by aba, axes and point as for SC, if no joint follows another; differences from Featherstone's Table 7.1 are at `flat`.
  /** Per body, 6: spatial velocity. */
  readonly VC: readonly Float64Array[]
  /** Per body, 36 row-major: articulated-body inertia, upper triangle (the lower one is not used). */
  readonly IA: readonly Float64Array[]
  /** Per body, 6: articulated-body bias force. */
  readonly pA: readonly Float64Array[]
  /** Per velocity, 6: U = IA S. */
  readonly U: readonly Float64Array[]
  /** nv: u = tau - S^T pA. */
  readonly u: Float64Array

  // written by `accelerations`
  /** Per body, 6: true spatial acceleration; unlike A without -gravity. */
  readonly trueA: readonly Float64Array[]

  /** Code for this model on these arrays, in the memory of WebAssembly (dynamics/compile/); undefined where the readable code runs. */
  readonly compiled: CompiledCode | undefined

  // Internal to the algorithms; their contents may change.
  readonly flat: FlatData
  readonly scratch: {
    readonly one: Float64Array
    readonly a6: Float64Array
    readonly b6: Float64Array
    readonly a10: Float64Array
    /** 1: position of the current joint, if it follows another. */
    readonly followed: Float64Array
    /** 2: sine and cosine of the current joint's position. */
    readonly sincos: Float64Array
    /** nv zeros, never written. */
    readonly zero: Float64Array
    /** nv, and nv x nv if a joint follows another. */
    readonly aNv: Float64Array
    readonly aNvNv: Float64Array
  }
}

/** Each method does what the algorithm of its name does, to the bit, or returns false: the algorithm is to run as it is written. */
export interface CompiledCode {
  /** Whether it has been compiled; before, all methods return false. */
  readonly isReady: boolean
  kinematics(q: Float64Array): boolean
  velocities(v: Float64Array): boolean
  crbaOnBranches(model: Model): boolean
  rnea(model: Model, v: Float64Array, a: Float64Array, tau: Float64Array): boolean
  /** Of data.L, in place, which is lost if it returns false. Counts no work. */
  factorize(model: Model): boolean
  /** With the factor in data.L. */
  solve(x: Float64Array): boolean
}

/**
 * The tables of `Data` that the functions in `fast/` work on, each as the one array that its views look into: row i of a table of rows of w
 * numbers starts at w i. Names, rows and meaning are those of `Data` and `Model`, unless noted.
 */
export type FlatData = Readonly<ReturnType<typeof flatOf>>

/** `count` views of `size` numbers into one buffer of zeros. */
export function views(count: number, size: number): Float64Array[] {
  return rows(new Float64Array(count * size), size)
}

/** Makes an array of zeros: of its own, or in the memory of compiled code. */
export type Allocate = (length: number) => Float64Array

/** Arrays one after another: in a buffer, or to count their bytes. @unchecked */
export function allocator(buffer?: ArrayBuffer): { readonly allocate: Allocate; bytes: number } {
  const room = {
    bytes: 0,
    allocate: (length: number) => {
      const at = room.bytes
      room.bytes += 16 * Math.ceil(length / 2)
      return buffer === undefined ? new Float64Array(length) : new Float64Array(buffer, at, length)
    },
  }
  return room
}
/** Bytes of the data of models of these sizes, which many worlds have in common. */
const bytes = new Map<string, number>()

function rows(table: Float64Array, size: number): Float64Array[] {
  const { buffer, byteOffset, BYTES_PER_ELEMENT: width } = table
  return Array.from({ length: table.length / size }, (_, i) => new Float64Array(buffer, byteOffset + i * size * width, size))
}

/** Storage for all results of the algorithms for this model. Not for hot code. @unchecked */
export function createData(model: Model): Data {
  return inOneBuffer(model, model.nv * model.nv)
}

/**
 * `createData` without M and L, nv x nv numbers each: hundreds of megabytes for thousands of velocities. Sufficient for poses, velocities,
 * accelerations, Jacobians and inverse dynamics, and for aba if no joint follows another; functions that need M throw a RangeError. @unchecked
 */
export function createDataWithoutM(model: Model): Data {
  return inOneBuffer(model, 0)
}

/** A buffer for all arrays is allocated in a third of the time of one for each. */
function inOneBuffer(model: Model, sizeOfM: number): Data {
  const { nb, nv, ns } = model
  const key = `${nb} ${nv} ${ns} ${sizeOfM}`
  const known = bytes.get(key)
  if (known !== undefined) return dataOf(model, sizeOfM, allocator(new ArrayBuffer(known)).allocate)
  const room = allocator()
  const data = dataOf(model, sizeOfM, room.allocate)
  bytes.set(key, room.bytes)
  return data
}

function flatOf(model: Model, allocate: Allocate) {
  const { nb, nv, ns } = model
  return {
    XT: joined(model.XT, allocate),
    I: joined(model.I, allocate),
    S: allocate(ns * 6),
    X: allocate(nb * 12),
    R_WB: allocate(nb * 9),
    p_WB: allocate(nb * 3),
    SW: allocate(ns * 6),
    V: allocate(nb * 6),
    A: allocate(nb * 6),
    F: allocate(nb * 6),
    /**
     * Per body, 12, in its own axes, by rnea: acceleration of the body's origin, the derivative of its velocity, less gravity
     * (3); and Psi = omega'~ + omega~ omega~ (9, row-major), so that the body's point at c has this acceleration plus Psi c.
     */
    pull: allocate(nb * 12),
    SC: allocate(ns * 6),
    IC: allocate(nb * 10),
    FC: allocate(ns * 6),
    VC: allocate(nb * 6),
    /** Per body, 6, as SC: spatial acceleration at a = 0 without gravity; and the part due to a and -gravity. */
    biasAC: allocate(nb * 6),
    addedAC: allocate(nb * 6),
    /**
     * While aba eliminates a joint's velocities one after another, from the last to the first, IA and pA of a body are the remainders after
     * these. pA includes the inertial force of biasAC.
     */
    IA: allocate(nb * 36),
    pA: allocate(nb * 6),
    /** Per velocity, 6: U = IA S with the remaining IA. */
    U: allocate(nv * 6),
    /** nv: 1 / D, D = S . U + armature, of this U. */
    Dinv: allocate(nv),
  }
}

/** Shared by all, so that V8 has one hidden class. */
export function dataOf(model: Model, sizeOfM: number, allocate: Allocate, compiled?: CompiledCode): Data {
  const { nb, nv, ns, sStart, multiplier } = model
  const flat = flatOf(model, allocate)
  const S = rows(flat.S, 6)
  for (let i = 1; i < nb; i++) {
    joints[model.jointType[i]].subspace(S, sStart[i], model, i)
    for (let k = sStart[i]; k < sStart[i + 1]; k++) for (let j = 0; j < 6; j++) S[k][j] *= multiplier[i]
  }
  return {
    S,
    center: centersOf(model),
    hinge: model.jointType.map((type) => (type === JointType.revolute ? 1 : 0)),
    straight: straightHinges(model),
    free: freeBodies(model),
    ...ends(model),
    X: rows(flat.X, 12),
    R_WB: rows(flat.R_WB, 9),
    p_WB: rows(flat.p_WB, 3),
    SW: rows(flat.SW, 6),
    V: rows(flat.V, 6),
    A: rows(flat.A, 6),
    F: rows(flat.F, 6),
    SC: rows(flat.SC, 6),
    IC: rows(flat.IC, 10),
    FC: rows(flat.FC, 6),
    M: allocate(sizeOfM),
    L: allocate(sizeOfM),
    VC: rows(flat.VC, 6),
    IA: rows(flat.IA, 36),
    pA: rows(flat.pA, 6),
    U: rows(flat.U, 6),
    u: allocate(nv),
    trueA: rows(allocate(nb * 6), 6),
    compiled,
    flat,
    scratch: {
      a6: allocate(6),
      b6: allocate(6),
      one: allocate(1),
      a10: allocate(10),
      followed: allocate(1),
      sincos: allocate(2),
      zero: allocate(nv),
      aNv: allocate(nv),
      aNvNv: allocate(ns > nv ? sizeOfM : 0),
    },
  }
}

function joined(rows: readonly Float64Array[], allocate: Allocate): Float64Array {
  const width = rows[0].length
  const all = allocate(rows.length * width)
  for (let i = 0; i < rows.length; i++) all.set(rows[i], i * width)
  return all
}

function straightHinges({ nb, jointType, jointAxis, follows, XT }: Model): Int8Array {
  const straight = new Int8Array(nb).fill(-1)
  for (let i = 1; i < nb; i++) {
    const turned = XT[i].some((x, k) => k < 9 && x !== (k % 4 === 0 ? 1 : 0))
    if (jointType[i] !== JointType.revolute || follows[i] >= 0 || turned) continue
    const axis = jointAxis.subarray(3 * i, 3 * i + 3)
    if (axis.filter((x) => x !== 0).length === 1) straight[i] = axis.findIndex((x) => x !== 0)
  }
  return straight
}

function freeBodies({ nb, parent, jointType, XT }: Model): Uint8Array {
  const free = new Uint8Array(nb)
  for (let i = 1; i < nb; i++) {
    const placed = XT[i].some((x, k) => x !== (k < 9 && k % 4 === 0 ? 1 : 0))
    if (jointType[i] === JointType.floating && parent[i] === 0 && !placed) free[i] = 1
  }
  return free
}

function ends({ nb, parent }: Model): { tip: Uint8Array; lastChild: Uint8Array } {
  const tip = new Uint8Array(nb).fill(1)
  const lastChild = new Uint8Array(nb)
  for (let i = nb - 1; i > 0; i--) {
    lastChild[i] = tip[parent[i]] // no later link has the same parent
    tip[parent[i]] = 0
  }
  return { tip, lastChild }
}

/** Per body: the heaviest body of its tree, the first of equals. */
function centersOf({ nb, parent, I }: Model): Int32Array {
  const root = new Int32Array(nb)
  const heaviest = new Int32Array(nb)
  for (let i = 1; i < nb; i++) {
    root[i] = parent[i] === 0 ? i : root[parent[i]]
    if (root[i] === i || I[i][0] > I[heaviest[root[i]]][0]) heaviest[root[i]] = i
  }
  return root.map((r) => heaviest[r])
}
