import * as d from '../../dynamics/index.ts'
import { body, hinge, solid } from '../dynamics/bodies.ts'
import { randomState, randomTree, randomVector } from '../dynamics/randomTree.ts'

import type { Subject } from './subject.ts'

const random = d.createRandom(9)
// every joint type in one tree
export const model = randomTree(random, { bodies: 8, floating: true, armature: true, everyType: true })
model.damping.fill(1)
model.friction.fill(1)
const state = randomState(random, model)
const other = randomState(random, model)
const data = d.createData(model)
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
const rest = d.createState(model)
const none = new Float64Array(nv)
const workspace = d.createRk4Workspace(model)
const euler = d.createEulerWorkspace(model)
const centroidal = d.createCentroidalWorkspace(model)
const implicit = d.createImplicitPassiveWorkspace(model)
const inertias = d.createArticulatedInertias(model)
const branches = d.createBranches(model)
const tips = Int32Array.of(nb - 1, 0, nb - 2, 0)
const frame = { name: 'tip', body: nb - 1, R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), p: Float64Array.of(1, 2, 3) }
const R = new Float64Array(9)
const W = new Float64Array(4)
const rows = new Float64Array(2 * nv)
// what goes another way where joints follow others
export const following = randomTree(d.createRandom(5), { bodies: 12, floating: true, followers: true })
const followingState = randomState(random, following)
const followingData = d.createData(following)
const followingInertias = d.createArticulatedInertias(following)
const followingOut = new Float64Array(following.nv)
const followingTau = randomVector(random, following.nv)
const followingForcesW = randomVector(random, 6 * following.nb)
const dt = 1e-9 // so that many steps stay where they began
const last = model.vLast[nb - 1]
// so that each of the calls below can be measured by itself
d.kinematics(model, state, data)
d.velocities(model, state, data)
d.crba(model, data)
d.factorize(model, data.M, data.L)
d.articulatedInertias(model, data, inertias)
const acceleration: d.Acceleration = {
  evaluate(at, result) {
    d.kinematics(model, at, data)
    d.aba(model, at, none, data, result)
  },
}

// the axes of a tree at random lie along no coordinate axis; those of real robots do, which has a way of its own
const axes: [number, number, number][] = [
  [1, 0, 0],
  [0, -1, 0],
  [0, 0, 1],
]
const aligned = d.buildModel(
  'aligned',
  axes.map((axis, parent) => body(`body ${parent + 1}`, hinge(`joint ${parent + 1}`, parent, axis), solid(1, [1, 1, 1]))),
)
const alignedState = randomState(random, aligned)
const alignedData = d.createData(aligned)

const calls: Record<string, () => void> = {
  sincos: () => d.sincos(six, state.q, 7),
  kinematics: () => d.kinematics(model, state, data),
  'kinematics along coordinate axes': () => d.kinematics(aligned, alignedState, alignedData),
  velocities: () => d.velocities(model, state, data),
  rnea: () => d.rnea(model, state, a, data, out),
  biasForces: () => d.biasForces(model, state, data, out),
  gravityForces: () => d.gravityForces(model, state, data, out),
  crba: () => d.crba(model, data),
  factorize: () => d.factorize(model, data.M, data.L),
  solve: () => {
    out.set(x)
    d.solve(model, data.L, out)
  },
  'solveL and solveLTransposed': () => {
    out.set(x)
    d.solveL(model, data.L, out)
    d.solveLTransposed(model, data.L, out)
    d.solveLTransposedOnBranch(model, data.L, last, out, 0)
  },
  aba: () => d.aba(model, state, tau, data, out),
  abaWithForces: () => d.abaWithForces(model, state, tau, forcesW, data, out),
  'kinematics, inverse dynamics and inertia where joints follow others': () => {
    d.kinematics(following, followingState, followingData)
    d.velocities(following, followingState, followingData)
    d.rnea(following, followingState, followingTau, followingData, followingOut)
    d.gravityForces(following, followingState, followingData, followingOut)
    d.crba(following, followingData)
    d.factorize(following, followingData.M, followingData.L)
  },
  'forward dynamics where joints follow others': () => {
    d.aba(following, followingState, followingTau, followingData, followingOut)
    d.abaWithForces(following, followingState, followingTau, followingForcesW, followingData, followingOut)
  },
  rneaTable: () => d.rneaTable(model, state, a, data, out),
  pointJacobian: () => d.pointJacobian(model, data, nb - 1, point, J3),
  bodyJacobianW: () => d.bodyJacobianW(model, data, nb - 1, J6),
  directionRow: () => d.directionRow(model, data, nb - 1, forcesW, 1, forcesW, 4, -1, J3, nv),
  pointVelocity: () => d.pointVelocity(data, nb - 1, point, R3),
  'energy and momentum': () => {
    d.kineticEnergy(model, state, data, six)
    d.potentialEnergy(model, state, data, six)
    d.momentumW(model, data, six)
    d.centerOfMass(model, data, R3)
  },
  integrateConfiguration: () => d.integrateConfiguration(model, state.q, state.v, dt, q),
  configurationDifference: () => d.configurationDifference(model, state.q, other.q, out),
  'accelerations of points and frames': () => {
    d.accelerations(model, state, a, data)
    d.pointAcceleration(data, nb - 1, point, R3)
    d.frameAcceleration(data, frame, six)
    d.bodyVelocityW(data, nb - 1, six)
  },
  'pose, velocity and Jacobian of a frame': () => {
    d.framePose(data, frame, R, R3)
    d.frameVelocity(data, frame, six)
    d.frameVelocityLocal(data, frame, six)
    d.frameJacobian(model, data, frame, J6)
    d.frameJacobianLocal(model, data, frame, J6)
  },
  'Jdot v': () => {
    d.pointJacobianDotTimesV(model, state, data, nb - 1, point, R3)
    d.frameJacobianDotTimesV(model, state, data, frame, six)
    d.frameJacobianLocalDotTimesV(model, state, data, frame, six)
  },
  'centroidal quantities': () => {
    d.centerOfMassVelocity(model, data, centroidal, R3)
    d.centerOfMassJacobian(model, data, centroidal, J3)
    d.centerOfMassJacobianDotTimesV(model, state, data, centroidal, R3)
    d.centroidalMomentum(model, data, centroidal, six)
    d.centroidalMomentumMatrix(model, data, centroidal, J6)
    d.centroidalMomentumMatrixDotTimesV(model, state, data, centroidal, six)
  },
  'power and joint losses': () => {
    d.power(model, state, tau, data, R3)
    d.passiveForces(model, state, out)
    d.clampEfforts(model, out)
  },
  articulatedInertias: () => d.articulatedInertias(model, data, inertias),
  'impulse responses': () => {
    d.impulseResponse(model, data, inertias, nb - 1, forceW, out)
    d.selectBranches(model, tips, 4, branches)
    d.addImpulse(model, data, inertias, nb - 2, forcesW, 7)
    d.velocityChangeAlong(model, inertias, branches, rows, nv)
    d.pointVelocityChange(model, data, inertias, nb - 1, point, six, 0, 2)
  },
  'impulse responses where joints follow others': () => {
    d.kinematics(following, followingState, followingData)
    d.articulatedInertias(following, followingData, followingInertias)
    d.impulseResponse(following, followingData, followingInertias, 12, forceW, followingOut)
    d.pointVelocityChange(following, followingData, followingInertias, 12, point, six)
  },
  'M^-1 J^T and W': () => {
    rows.fill(0)
    d.directionRow(model, data, nb - 1, forcesW, 1, forcesW, 4, -1, rows, nv)
    d.halfSolveTransposedJacobian(model, data.L, tips, 2, rows)
    d.delassusMatrix(model, tips, 2, rows, W)
    d.solveTransposedJacobian(model, data.L, tips, 2, rows)
  },
  semiImplicitEuler: () => d.semiImplicitEuler(model, rest, none, dt, euler),
  implicitPassiveEuler: () => d.implicitPassiveEuler(model, rest, none, dt, data, implicit),
  rk4: () => d.rk4(model, rest, acceleration, dt, workspace),
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
