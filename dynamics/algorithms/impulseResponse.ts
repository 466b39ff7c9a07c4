import {
  addLessOuter6,
  addScaled,
  addSymmetric6,
  dot6,
  inertiaToWorld,
  matrixOfInertia,
  mulSymmetric6,
  shiftMotion,
  subtractSquare6,
} from '../math/index.ts'
import { checkBody, checkLength, checkRoom } from '../model/checkLength.ts'
import { type Data, views } from '../model/data.ts'
import { JointType, type Model } from '../model/model.ts'
import { factorize, solve } from '../sparse/factorization.ts'
import { nothingToMove } from './articulated.ts'
import { crba } from './fast/crba.ts'

/*
 * Change of all velocities by an impulse on a body, M^-1 J^T impulse, by the articulated-body algorithm: inward from the body to the root,
 * outward to the requested bodies. Mirtich, Impulse-based dynamic simulation of rigid body systems (PhD thesis, Berkeley, 1996), section
 * 4.2; Kokkevis, Practical physics for articulated characters (GDC 2004).
 *
 *   articulatedInertias    once a configuration: the part independent of the impulse
 *   addImpulse             inward, once for each body with an impulse; impulses add up
 *   addJointImpulse        for an impulse in a joint
 *   velocityChange         outward over the trees with impulses; or
 *   velocityChangeAlong      outward along the paths to the requested bodies (`selectBranches`)
 *   pointVelocityChange    the resulting change at a point of a body
 *   bodyVelocityChange     or of its spatial velocity
 *
 * With forces in place of impulses the results are accelerations. A column of W = J M^-1 J^T is one impulse along a contact's direction,
 * `velocityChangeAlong` and a `pointVelocityChange` for each contact: proportional to the depth of the tree, not to its size.
 *
 * A joint with several velocities is treated as a chain of joints with one each, at the body itself: eliminating the columns of D one after
 * another is equivalent to inverting D, with one loop for all joint types.
 *
 * If joints follow others, a single body has no articulated inertia (see `aba`), and these functions solve with the factor of M: correct,
 * but as slow for one body as for all.
 */
export type ArticulatedInertias = Readonly<ReturnType<typeof createArticulatedInertias>>

/** @unchecked */
export function createArticulatedInertias(model: Model) {
  const { nb, nv, ns, vParent, vStart, bodyOfV, jointType } = model
  const follow = ns > nv
  const flatS = new Float64Array(6 * nv)
  const flatU = new Float64Array(6 * nv)
  const tree = new Int32Array(nv)
  const members: number[][] = []
  for (let k = 0; k < nv; k++) {
    tree[k] = vParent[k] < 0 ? members.push([]) - 1 : tree[vParent[k]]
    members[tree[k]].push(k)
  }
  const treeStart = new Int32Array(members.length + 1)
  members.forEach((list, t) => {
    treeStart[t + 1] = treeStart[t] + list.length
  })
  return {
    /** Per velocity, 6: S and U = IA S, in world axes about the tree's center (`Data.center`); also as flat arrays. */
    S: Array.from({ length: nv }, (_, k) => flatS.subarray(6 * k, 6 * k + 6)),
    U: Array.from({ length: nv }, (_, k) => flatU.subarray(6 * k, 6 * k + 6)),
    flatS,
    flatU,
    /** nv: 1 / D, D = S . U + armature. */
    Dinv: new Float64Array(nv),
    /** Per body, 36: articulated inertia, upper triangle. */
    IA: views(nb, 36),
    inertia: new Float64Array(10),
    /** nv: the next velocity towards the root, nv at a root. */
    next: vParent.map((p) => (p < 0 ? nv : p)),
    /**
     * nv: the next velocity inward for an impulse, -1 at a root and at a floating joint, which transmits none unless something
     * is added to its diagonal.
     */
    inward: vParent.map((p, k) => (k === vStart[bodyOfV[k]] && jointType[bodyOfV[k]] === JointType.floating ? -1 : p)),
    /** nv: the tree of each velocity, from 0 up. */
    tree,
    /** nv: velocities tree by tree, rising in each; and the start of each tree, then the end of the last. */
    velocitiesByTree: Int32Array.from(members.flat()),
    treeStart,
    /** Per tree: 1 if it has an impulse; pushedTrees lists these, pushedCount[0] of them. */
    pushed: new Uint8Array(members.length),
    pushedTrees: new Int32Array(members.length),
    pushedCount: new Int32Array(1),
    /** nv: S . impulse, less the contributions of joints further out; 6: the impulse passed inward. */
    u: new Float64Array(nv),
    f: new Float64Array(6),
    /** (nv + 1) x 6: change of spatial velocity of each velocity's body, about the tree's center; the last is the world's, 0. */
    dV: new Float64Array(6 * nv + 6),
    /** nv x nv and nv: factor of M, and change of velocity, if joints follow others; else empty. */
    L: new Float64Array(follow ? nv * nv : 0),
    dv: new Float64Array(follow ? nv : 0),
  }
}

/**
 * Articulated-body inertias of the configuration: the part of `aba` that depends neither on velocities nor on forces, with each rotor's
 * inertia. Clears pending impulses. @unchecked
 *
 * Reads data.R_WB, data.p_WB, data.SW (`kinematics`). If joints follow others it writes the outputs of `crba`.
 *
 * @param added nv: added to the diagonal of M, such as the step times the joints' damping; the results are then those of this sum in M's
 * place [kg m^2, kg]
 * @throws RangeError if added has not nv entries
 * @throws Error if a joint moves no inertia, as `aba`
 */
export function articulatedInertias(
  model: Model,
  data: Data,
  inertias: ArticulatedInertias,
  added: Float64Array = data.scratch.zero,
): void {
  checkLength('added', added, model.nv)
  inertias.u.fill(0)
  forgetPushes(inertias)
  if (model.ns > model.nv) {
    crba(model, data)
    const { L } = inertias
    L.set(data.M)
    for (let k = 0; k < model.nv; k++) L[k * model.nv + k] += added[k]
    factorize(model, L, L)
    return
  }
  startBodies(model, data, inertias)
  eliminateJoints(model, inertias, added)
}

function forgetPushes({ pushed, pushedTrees, pushedCount }: ArticulatedInertias): void {
  for (let i = 0; i < pushedCount[0]; i++) pushed[pushedTrees[i]] = 0
  pushedCount[0] = 0
}

function startBodies(model: Model, data: Data, inertias: ArticulatedInertias): void {
  const { nb, vStart, I } = model
  const { R_WB, p_WB, SW, center } = data
  const { S, IA, inertia } = inertias
  for (let i = 1; i < nb; i++) {
    const c = p_WB[center[i]]
    inertiaToWorld(inertia, R_WB[i], p_WB[i], c, I[i])
    matrixOfInertia(IA[i], inertia)
    for (let k = vStart[i]; k < vStart[i + 1]; k++) shiftMotion(S[k], SW[k], c)
  }
}

function eliminateJoints(model: Model, inertias: ArticulatedInertias, added: Float64Array): void {
  const { nb, parent, jointType, vStart, vParent, armature } = model
  const { S, U, Dinv, IA, inward } = inertias
  for (let i = nb - 1; i > 0; i--) {
    const first = vStart[i]
    const passes = jointType[i] !== JointType.floating || resists(first, added)
    if (jointType[i] === JointType.floating) inward[first] = passes ? vParent[first] : -1
    for (let k = vStart[i + 1] - 1; k >= first; k--) {
      mulSymmetric6(U[k], IA[i], S[k]) //               U = IA S
      dot6(Dinv, k, S[k], U[k])
      const D = Dinv[k] + armature[k] + added[k] //     D = S . U + armature + added
      if (!(D > 0)) throw nothingToMove(model, i, D, 'articulatedInertias')
      Dinv[k] = 1 / D
      if (k > first) subtractSquare6(IA[i], Dinv, k, U[k]) // IA -= U D^-1 U^T
    }
    // a floating joint transmits no inertia: rounding would leave 1e-16 of it, possibly much for the parent
    if (parent[i] === 0 || !passes) continue
    if (vStart[i + 1] > first) addLessOuter6(IA[parent[i]], IA[i], Dinv, first, U[first])
    else addSymmetric6(IA[parent[i]], IA[i])
  }
}

/** Whether anything is added at the six velocities of a floating joint. */
function resists(first: number, added: Float64Array): boolean {
  for (let k = first; k < first + 6; k++) if (added[k] !== 0) return true
  return false
}

/**
 * Applies an impulse to a body. Impulses accumulate until `velocityChange` or `velocityChangeAlong`, so that a contact between two bodies
 * is a call for each, with opposite impulses. @unchecked
 *
 * Reads data.p_WB and, if joints follow others, data.SW.
 *
 * @param impulseW at impulseOffset..+5 the impulse [moment; force] in world axes about the world's origin [N m s, N s]: for f at the point
 * p, [p x f; f]
 * @throws RangeError if there is no such body
 */
export function addImpulse(
  model: Model,
  data: Data,
  inertias: ArticulatedInertias,
  body: number,
  impulseW: Float64Array,
  impulseOffset = 0,
): void {
  const { nb, nv, ns, vLast } = model
  const { u, f } = inertias
  checkBody(body, nb)
  const last = vLast[body]
  if (last < 0) return
  if (ns > nv) {
    addGeneralised(model, data, body, impulseW, impulseOffset, u)
    return
  }
  markPushed(inertias, last)
  const c = data.p_WB[data.center[body]]
  const f3 = impulseW[impulseOffset + 3]
  const f4 = impulseW[impulseOffset + 4]
  const f5 = impulseW[impulseOffset + 5]
  f[0] = impulseW[impulseOffset] - (c[1] * f5 - c[2] * f4)
  f[1] = impulseW[impulseOffset + 1] - (c[2] * f3 - c[0] * f5)
  f[2] = impulseW[impulseOffset + 2] - (c[0] * f4 - c[1] * f3)
  f[3] = f3
  f[4] = f4
  f[5] = f5
  propagate(inertias, last)
}

/** Applies a unit impulse times `sign` at a joint's velocity k, not of a floating joint. Like `addImpulse`. [N m s, N s] @unchecked */
export function addJointImpulse({ nv, ns }: Model, inertias: ArticulatedInertias, k: number, sign: number): void {
  const { U, Dinv, u, inward, f } = inertias
  u[k] += sign
  if (ns > nv) return
  markPushed(inertias, k)
  const g = -Dinv[k] * sign
  for (let c = 0; c < 6; c++) f[c] = g * U[k][c]
  propagate(inertias, inward[k])
}

function markPushed({ tree, pushed, pushedTrees, pushedCount }: ArticulatedInertias, k: number): void {
  const t = tree[k]
  if (pushed[t] !== 0) return
  pushed[t] = 1
  pushedTrees[pushedCount[0]++] = t
}

/** Inward from velocity `last`: each joint stores S . f in u; the rest, f - U D^-1 S . f, is passed towards the root. */
function propagate({ flatS: S, flatU: U, Dinv, u, inward, f }: ArticulatedInertias, last: number): void {
  let f0 = f[0]
  let f1 = f[1]
  let f2 = f[2]
  let f3 = f[3]
  let f4 = f[4]
  let f5 = f[5]
  for (let k = last; k >= 0; k = inward[k]) {
    const j = 6 * k
    const s = S[j] * f0 + S[j + 1] * f1 + S[j + 2] * f2 + S[j + 3] * f3 + S[j + 4] * f4 + S[j + 5] * f5
    u[k] += s
    const g = Dinv[k] * s
    f0 -= g * U[j]
    f1 -= g * U[j + 1]
    f2 -= g * U[j + 2]
    f3 -= g * U[j + 3]
    f4 -= g * U[j + 4]
    f5 -= g * U[j + 5]
  }
}

/** u += J^T impulse. */
function addGeneralised(model: Model, data: Data, body: number, f: Float64Array, j: number, u: Float64Array): void {
  const { vOfS, sParent, sLast } = model
  for (let s = sLast[body]; s >= 0; s = sParent[s]) {
    const S = data.SW[s]
    u[vOfS[s]] += S[0] * f[j] + S[1] * f[j + 1] + S[2] * f[j + 2] + S[3] * f[j + 3] + S[4] * f[j + 4] + S[5] * f[j + 5]
  }
}

/**
 * Change of all velocities by the accumulated impulses, M^-1 J^T impulse, which are then cleared. @unchecked
 *
 * @param dv out: nv numbers at dvOffset: the change of velocity [rad/s, m/s]; 0 for trees without impulses
 * @throws RangeError if dv has too few entries
 */
export function velocityChange(model: Model, inertias: ArticulatedInertias, dv: Float64Array, dvOffset = 0): void {
  const { nv, ns } = model
  const { tree, pushed, dV } = inertias
  checkRoom('dv', dv, dvOffset, nv)
  if (ns > nv) {
    changeThroughM(model, inertias)
    for (let k = 0; k < nv; k++) dv[dvOffset + k] = inertias.dv[k]
    return
  }
  for (let k = 0; k < nv; k++) {
    if (pushed[tree[k]] !== 0) changeOf(inertias, k, dv, dvOffset)
    else {
      dv[dvOffset + k] = 0
      for (let j = 6 * k; j < 6 * k + 6; j++) dV[j] = 0
    }
  }
  forgetPushes(inertias)
}

/** The velocities that `velocityChangeAlong` computes. Made by `createBranches`, set by `selectBranches`. */
export interface Branches {
  /** nv: the velocities, rising. */
  readonly velocities: Int32Array
  /** 1: how many. */
  readonly count: Int32Array
}

/** @unchecked */
export function createBranches(model: Model): Branches {
  return { velocities: new Int32Array(model.nv), count: new Int32Array(1) }
}

/**
 * Sets `branches` to all velocities that move at least one of the bodies, and some more if joints follow others. @unchecked
 *
 * @param bodies the first `count` entries are read; body 0 and repetitions are allowed
 * @throws RangeError if there is no such body
 */
export function selectBranches(model: Model, bodies: Int32Array, count: number, branches: Branches): void {
  const { nb, nv, vLast, vParent } = model
  const { velocities } = branches
  velocities.fill(0)
  for (let i = 0; i < count; i++) {
    checkBody(bodies[i], nb)
    for (let k = vLast[bodies[i]]; k >= 0 && velocities[k] === 0; k = vParent[k]) velocities[k] = 1
  }
  let n = 0
  for (let k = 0; k < nv; k++) {
    if (velocities[k] === 0) continue
    velocities[n++] = k
  }
  branches.count[0] = n
}

/**
 * `velocityChange` for the velocities of `branches` alone; other entries of dv are unchanged. The cost grows with these branches and
 * slightly with the trees with impulses, not with the rest of the model. @unchecked
 *
 * @param dv out: the entries of `branches` among nv numbers at dvOffset [rad/s, m/s]
 * @throws RangeError if dv has too few entries
 */
export function velocityChangeAlong(
  model: Model,
  inertias: ArticulatedInertias,
  branches: Branches,
  dv: Float64Array,
  dvOffset = 0,
): void {
  const { nv, ns } = model
  const { velocities } = branches
  const { u, velocitiesByTree, treeStart, pushedTrees, pushedCount } = inertias
  const n = branches.count[0]
  checkRoom('dv', dv, dvOffset, nv)
  if (ns > nv) {
    changeThroughM(model, inertias)
    for (let s = 0; s < n; s++) dv[dvOffset + velocities[s]] = inertias.dv[velocities[s]]
    return
  }
  for (let s = 0; s < n; s++) changeOf(inertias, velocities[s], dv, dvOffset)
  // impulses may act outside these branches
  for (let i = 0; i < pushedCount[0]; i++) {
    const t = pushedTrees[i]
    for (let s = treeStart[t]; s < treeStart[t + 1]; s++) u[velocitiesByTree[s]] = 0
  }
  forgetPushes(inertias)
}

/** dv = D^-1 (u - U . dVp), dV = dVp + S dv; clears u. */
function changeOf(inertias: ArticulatedInertias, k: number, dv: Float64Array, dvOffset: number): void {
  const { flatS: S, flatU: U, Dinv, u, next, dV } = inertias
  const j = 6 * k
  const p = 6 * next[k]
  const d0 = dV[p]
  const d1 = dV[p + 1]
  const d2 = dV[p + 2]
  const d3 = dV[p + 3]
  const d4 = dV[p + 4]
  const d5 = dV[p + 5]
  const x = Dinv[k] * (u[k] - (U[j] * d0 + U[j + 1] * d1 + U[j + 2] * d2 + U[j + 3] * d3 + U[j + 4] * d4 + U[j + 5] * d5))
  u[k] = 0
  dv[dvOffset + k] = x
  dV[j] = d0 + S[j] * x
  dV[j + 1] = d1 + S[j + 1] * x
  dV[j + 2] = d2 + S[j + 2] * x
  dV[j + 3] = d3 + S[j + 3] * x
  dV[j + 4] = d4 + S[j + 4] * x
  dV[j + 5] = d5 + S[j + 5] * x
}

function changeThroughM(model: Model, { L, u, dv }: ArticulatedInertias): void {
  for (let k = 0; k < model.nv; k++) {
    dv[k] = u[k]
    u[k] = 0
  }
  solve(model, L, dv)
}

/**
 * Change of the velocity of a point of a body, in world axes [m/s]: J dv of the last `velocityChange`, or of a `velocityChangeAlong` whose
 * branches include the body. @unchecked
 *
 * Reads data.p_WB and, if joints follow others, data.SW.
 *
 * @param points  the point at pointOffset..+2, world axes from the world's origin [m]
 * @param out     out: 3 numbers at outOffset
 * @throws RangeError if there is no such body
 */
export function pointVelocityChange(
  model: Model,
  data: Data,
  inertias: ArticulatedInertias,
  body: number,
  points: Float64Array,
  out: Float64Array,
  pointOffset = 0,
  outOffset = 0,
): void {
  const { nb, nv, ns, vLast } = model
  checkBody(body, nb)
  if (ns > nv) {
    changeOfFollower(model, data, inertias, body, points, out, pointOffset, outOffset)
    return
  }
  const c = data.p_WB[data.center[body]]
  const { dV } = inertias
  const j = vLast[body] < 0 ? 6 * nv : 6 * vLast[body]
  const x = points[pointOffset] - c[0]
  const y = points[pointOffset + 1] - c[1]
  const z = points[pointOffset + 2] - c[2]
  out[outOffset] = dV[j + 3] + (dV[j + 1] * z - dV[j + 2] * y)
  out[outOffset + 1] = dV[j + 4] + (dV[j + 2] * x - dV[j] * z)
  out[outOffset + 2] = dV[j + 5] + (dV[j] * y - dV[j + 1] * x)
}

/**
 * Change of a body's spatial velocity [angular; linear at the world's origin], in world axes, as `pointVelocityChange`. @unchecked
 *
 * @param out out: 6
 */
export function bodyVelocityChange(
  model: Model,
  data: Data,
  inertias: ArticulatedInertias,
  body: number,
  out: Float64Array,
): void {
  const { nb, nv, ns, vLast, vOfS, sParent, sLast } = model
  const { dV, dv } = inertias
  checkBody(body, nb)
  checkLength('out', out, 6)
  if (ns > nv) {
    out.fill(0)
    for (let s = sLast[body]; s >= 0; s = sParent[s]) addScaled(out, dv, vOfS[s], data.SW[s])
    return
  }
  const c = data.p_WB[data.center[body]]
  const j = vLast[body] < 0 ? 6 * nv : 6 * vLast[body]
  for (let d = 0; d < 3; d++) out[d] = dV[j + d]
  out[3] = dV[j + 3] + (c[1] * dV[j + 2] - c[2] * dV[j + 1])
  out[4] = dV[j + 4] + (c[2] * dV[j] - c[0] * dV[j + 2])
  out[5] = dV[j + 5] + (c[0] * dV[j + 1] - c[1] * dV[j])
}

function changeOfFollower(
  { vOfS, sParent, sLast }: Model,
  { SW }: Data,
  { dv }: ArticulatedInertias,
  body: number,
  points: Float64Array,
  out: Float64Array,
  pointOffset: number,
  outOffset: number,
): void {
  const x = points[pointOffset]
  const y = points[pointOffset + 1]
  const z = points[pointOffset + 2]
  out[outOffset] = 0
  out[outOffset + 1] = 0
  out[outOffset + 2] = 0
  for (let s = sLast[body]; s >= 0; s = sParent[s]) {
    const S = SW[s]
    const f = dv[vOfS[s]]
    out[outOffset] += f * (S[3] + S[1] * z - S[2] * y)
    out[outOffset + 1] += f * (S[4] + S[2] * x - S[0] * z)
    out[outOffset + 2] += f * (S[5] + S[0] * y - S[1] * x)
  }
}

/**
 * `addImpulse` and `velocityChange` in one: the change of all velocities by an impulse on one body. @unchecked
 *
 * @param impulseW 6: [moment; force] in world axes about the world's origin [N m s, N s]; a force gives accelerations
 * @param dv       out: nv [rad/s, m/s]
 * @throws RangeError if there is no such body, if impulseW has not 6 entries, or if dv has not nv
 */
export function impulseResponse(
  model: Model,
  data: Data,
  inertias: ArticulatedInertias,
  body: number,
  impulseW: Float64Array,
  dv: Float64Array,
): void {
  checkLength('impulseW', impulseW, 6)
  checkLength('dv', dv, model.nv)
  addImpulse(model, data, inertias, body, impulseW)
  velocityChange(model, inertias, dv)
}

/**
 * `addImpulse` and `velocityChangeAlong` in one. @unchecked
 *
 * @param dv out: of nv entries those of `branches` are written
 */
export function impulseResponseAlong(
  model: Model,
  data: Data,
  inertias: ArticulatedInertias,
  body: number,
  impulseW: Float64Array,
  branches: Branches,
  dv: Float64Array,
): void {
  checkLength('impulseW', impulseW, 6)
  checkLength('dv', dv, model.nv)
  addImpulse(model, data, inertias, body, impulseW)
  velocityChangeAlong(model, inertias, branches, dv)
}
