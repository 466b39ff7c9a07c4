import {
  type Acceleration,
  aba,
  abaTable,
  abaWithForces,
  accelerations,
  addImpulse,
  articulatedInertias,
  biasForces,
  bodyJacobianW,
  bodyVelocityW,
  buildModel,
  centerOfMass,
  centerOfMassJacobian,
  centerOfMassJacobianDotTimesV,
  centerOfMassVelocity,
  centroidalMomentum,
  centroidalMomentumMatrix,
  centroidalMomentumMatrixDotTimesV,
  clampEfforts,
  configurationDifference,
  crba,
  crbaTable,
  createArticulatedInertias,
  createBranches,
  createCentroidalWorkspace,
  createData,
  createEulerWorkspace,
  createImplicitPassiveWorkspace,
  createRandom,
  createRk4Workspace,
  createState,
  delassusMatrix,
  directionRow,
  factorize,
  frameAcceleration,
  frameJacobian,
  frameJacobianDotTimesV,
  frameJacobianLocal,
  frameJacobianLocalDotTimesV,
  framePose,
  frameVelocity,
  frameVelocityLocal,
  gravityForces,
  halfSolveTransposedJacobian,
  implicitPassiveEuler,
  impulseResponse,
  integrateConfiguration,
  kinematics,
  kinematicsTable,
  kineticEnergy,
  momentumW,
  passiveForces,
  pointAcceleration,
  pointJacobian,
  pointJacobianDotTimesV,
  pointVelocity,
  pointVelocityChange,
  potentialEnergy,
  power,
  rk4,
  rnea,
  rneaTable,
  selectBranches,
  semiImplicitEuler,
  sincos,
  solve,
  solveL,
  solveLTransposed,
  solveLTransposedOnBranch,
  solveTransposedJacobian,
  velocities,
  velocityChangeAlong,
} from '../../dynamics/index.ts'
import { body, hinge, solid } from '../dynamics/bodies.ts'
import { randomState, randomTree, randomVector } from '../dynamics/randomTree.ts'

import type { Subject } from './subject.ts'

const random = createRandom(9)
// every joint type in one tree
export const model = randomTree(random, { bodies: 8, floating: true, armature: true, everyType: true })
model.damping.fill(1)
model.friction.fill(1)
const state = randomState(random, model)
const other = randomState(random, model)
const data = createData(model)
const { nb, nq, nv } = model
const tau = randomVector(random, nv)
const a = randomVector(random, nv)
const x = randomVector(random, nv)
const out = new Float64Array(nv)
const q = new Float64Array(nq)
const forcesW = randomVector(random, 6 * nb)
const J3 = new Float64Array(3 * nv)
const J6 = new Float64Array(6 * nv)
const six = new Float64Array(6)
const R3 = new Float64Array(3)
const forceW = randomVector(random, 6)
const point = randomVector(random, 3)
const rest = createState(model)
const none = new Float64Array(nv)
const workspace = createRk4Workspace(model)
const euler = createEulerWorkspace(model)
const centroidal = createCentroidalWorkspace(model)
const implicit = createImplicitPassiveWorkspace(model)
const inertias = createArticulatedInertias(model)
const branches = createBranches(model)
const tips = Int32Array.of(nb - 1, 0, nb - 2, 0)
const frame = { name: 'tip', body: nb - 1, R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), p: Float64Array.of(1, 2, 3) }
const R = new Float64Array(9)
const W = new Float64Array(4)
const rows = new Float64Array(2 * nv)
// what goes another way where joints follow others
export const following = randomTree(createRandom(5), { bodies: 12, floating: true, followers: true })
const followingState = randomState(random, following)
const followingData = createData(following)
const followingInertias = createArticulatedInertias(following)
const followingOut = new Float64Array(following.nv)
const followingTau = randomVector(random, following.nv)
const followingForcesW = randomVector(random, 6 * following.nb)
const dt = 1e-9 // so that many steps stay where they began
const last = model.vLast[nb - 1]
// so that each of the calls below can be measured by itself
kinematics(model, state, data)
velocities(model, state, data)
crba(model, data)
factorize(model, data.M, data.L)
articulatedInertias(model, data, inertias)
const acceleration: Acceleration = {
  evaluate(at, result) {
    kinematics(model, at, data)
    aba(model, at, none, data, result)
  },
}

// the axes of a tree at random lie along no coordinate axis; those of real robots do, which has a way of its own
const axes: [number, number, number][] = [
  [1, 0, 0],
  [0, -1, 0],
  [0, 0, 1],
]
const aligned = buildModel(
  'aligned',
  axes.map((axis, parent) => body(`body ${parent + 1}`, hinge(`joint ${parent + 1}`, parent, axis), solid(1, [1, 1, 1]))),
)
const alignedState = randomState(random, aligned)
const alignedData = createData(aligned)

const calls: Record<string, () => void> = {
  sincos: () => sincos(six, state.q, 7),
  kinematics: () => kinematics(model, state, data),
  'kinematics along coordinate axes': () => kinematics(aligned, alignedState, alignedData),
  velocities: () => velocities(model, state, data),
  rnea: () => rnea(model, state, a, data, out),
  biasForces: () => biasForces(model, state, data, out),
  gravityForces: () => gravityForces(model, state, data, out),
  crba: () => crba(model, data),
  factorize: () => factorize(model, data.M, data.L),
  solve: () => {
    out.set(x)
    solve(model, data.L, out)
  },
  'solveL and solveLTransposed': () => {
    out.set(x)
    solveL(model, data.L, out)
    solveLTransposed(model, data.L, out)
    solveLTransposedOnBranch(model, data.L, last, out, 0)
  },
  aba: () => aba(model, state, tau, data, out),
  abaWithForces: () => abaWithForces(model, state, tau, forcesW, data, out),
  'kinematics, inverse dynamics and inertia where joints follow others': () => {
    kinematics(following, followingState, followingData)
    velocities(following, followingState, followingData)
    rnea(following, followingState, followingTau, followingData, followingOut)
    gravityForces(following, followingState, followingData, followingOut)
    crba(following, followingData)
    factorize(following, followingData.M, followingData.L)
  },
  'forward dynamics where joints follow others': () => {
    aba(following, followingState, followingTau, followingData, followingOut)
    abaWithForces(following, followingState, followingTau, followingForcesW, followingData, followingOut)
  },
  'the tables': () => {
    kinematicsTable(model, state, data)
    rneaTable(model, state, a, data, out)
    crbaTable(model, data)
    abaTable(model, state, tau, data, out)
  },
  pointJacobian: () => pointJacobian(model, data, nb - 1, point, J3),
  bodyJacobianW: () => bodyJacobianW(model, data, nb - 1, J6),
  directionRow: () => directionRow(model, data, nb - 1, forcesW, 1, forcesW, 4, -1, J3, nv),
  pointVelocity: () => pointVelocity(data, nb - 1, point, R3),
  'energy and momentum': () => {
    kineticEnergy(model, state, data, six)
    potentialEnergy(model, state, data, six)
    momentumW(model, data, six)
    centerOfMass(model, data, R3)
  },
  integrateConfiguration: () => integrateConfiguration(model, state.q, state.v, dt, q),
  configurationDifference: () => configurationDifference(model, state.q, other.q, out),
  'accelerations of points and frames': () => {
    accelerations(model, state, a, data)
    pointAcceleration(data, nb - 1, point, R3)
    frameAcceleration(data, frame, six)
    bodyVelocityW(data, nb - 1, six)
  },
  'pose, velocity and Jacobian of a frame': () => {
    framePose(data, frame, R, R3)
    frameVelocity(data, frame, six)
    frameVelocityLocal(data, frame, six)
    frameJacobian(model, data, frame, J6)
    frameJacobianLocal(model, data, frame, J6)
  },
  'Jdot v': () => {
    pointJacobianDotTimesV(model, state, data, nb - 1, point, R3)
    frameJacobianDotTimesV(model, state, data, frame, six)
    frameJacobianLocalDotTimesV(model, state, data, frame, six)
  },
  'centroidal quantities': () => {
    centerOfMassVelocity(model, data, centroidal, R3)
    centerOfMassJacobian(model, data, centroidal, J3)
    centerOfMassJacobianDotTimesV(model, state, data, centroidal, R3)
    centroidalMomentum(model, data, centroidal, six)
    centroidalMomentumMatrix(model, data, centroidal, J6)
    centroidalMomentumMatrixDotTimesV(model, state, data, centroidal, six)
  },
  'power and joint losses': () => {
    power(model, state, tau, data, R3)
    passiveForces(model, state, out)
    clampEfforts(model, out)
  },
  articulatedInertias: () => articulatedInertias(model, data, inertias),
  'impulse responses': () => {
    impulseResponse(model, data, inertias, nb - 1, forceW, out)
    selectBranches(model, tips, 4, branches)
    addImpulse(model, data, inertias, nb - 2, forcesW, 7)
    velocityChangeAlong(model, inertias, branches, rows, nv)
    pointVelocityChange(model, data, inertias, nb - 1, point, six, 0, 2)
  },
  'impulse responses where joints follow others': () => {
    kinematics(following, followingState, followingData)
    articulatedInertias(following, followingData, followingInertias)
    impulseResponse(following, followingData, followingInertias, 12, forceW, followingOut)
    pointVelocityChange(following, followingData, followingInertias, 12, point, six)
  },
  'M^-1 J^T and W': () => {
    rows.fill(0)
    directionRow(model, data, nb - 1, forcesW, 1, forcesW, 4, -1, rows, nv)
    halfSolveTransposedJacobian(model, data.L, tips, 2, rows)
    delassusMatrix(model, tips, 2, rows, W)
    solveTransposedJacobian(model, data.L, tips, 2, rows)
  },
  semiImplicitEuler: () => semiImplicitEuler(model, rest, none, dt, euler),
  implicitPassiveEuler: () => implicitPassiveEuler(model, rest, none, dt, data, implicit),
  rk4: () => rk4(model, rest, acceleration, dt, workspace),
}

const holder: { value: unknown } = { value: 0 }

/** That garbage is seen at all. */
export const garbage: Subject = {
  name: 'one small object a call would be seen',
  steps: 1_000,
  limit: 0,
  setup: () => ({
    step() {
      holder.value = { x: six[0] }
    },
  }),
}

const dynamics: Subject[] = [
  ...Object.entries(calls).map(([name, call]) => ({
    name: `${name} allocates nothing`,
    steps: 1_000,
    limit: 100_000,
    setup: () => ({ step: call }),
  })),
  garbage,
]

export const groups = { dynamics }
