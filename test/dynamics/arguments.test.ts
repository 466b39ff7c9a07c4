import { describe, expect, test } from 'vitest'
import * as d from '../../dynamics/index.ts'
import { randomState, randomTree } from './randomTree.ts'

/*
 * JavaScript drops a write past the end of an array and reads NaN there: an array of the wrong length that is not refused is
 * a wrong number somewhere else.
 */

const model = randomTree(d.createRandom(11), { bodies: 5, floating: true })
const { nb, nq, nv } = model
const state = randomState(d.createRandom(12), model)
const data = d.createData(model)
const centroidal = d.createCentroidalWorkspace(model)
const inertias = d.createArticulatedInertias(model)
const branches = d.createBranches(model)
const [frame] = d.bodyFrames(model)
d.kinematics(model, state, data)
d.velocities(model, state, data)
d.crba(model, data)
d.articulatedInertias(model, data, inertias)

const vector = (length: number) => new Float64Array(length)
const six = vector(6)
const three = vector(3)
const good = vector(nv)
const bad = vector(nv - 1)
const badQ: d.State = { ...state, q: vector(nq - 1) }
const badV: d.State = { ...state, v: vector(nv + 1) }
const matrix = vector(nv * nv)
const bodies = Int32Array.of(1, 2)
const acceleration = { evaluate: () => {} }

/** Name of the array, as the error begins, and calls that are given a wrong one. */
const wrong: Record<string, Record<string, () => void>> = {
  q: {
    kinematics: () => d.kinematics(model, badQ, data),
    passiveForces: () => d.passiveForces(model, badQ, vector(nv)),
    addPassiveForces: () => d.addPassiveForces(model, badQ, 1, vector(nv)),
    addSpringEnergy: () => d.addSpringEnergy(model, badQ.q, six, 0),
    addSpringPower: () => d.addSpringPower(model, badQ, six, 0),
    potentialEnergy: () => d.potentialEnergy(model, badQ, data, vector(1)),
    power: () => d.power(model, badQ, good, data, three),
    integrateConfiguration: () => d.integrateConfiguration(model, badQ.q, good, 1, vector(nq)),
    semiImplicitEuler: () => d.semiImplicitEuler(model, badQ, good, 1e-3, d.createEulerWorkspace(model)),
    implicitPassiveEuler: () => d.implicitPassiveEuler(model, badQ, good, 1e-3, data, d.createImplicitPassiveWorkspace(model)),
  },
  q0: { configurationDifference: () => d.configurationDifference(model, badQ.q, state.q, good) },
  q1: { configurationDifference: () => d.configurationDifference(model, state.q, badQ.q, good) },
  v: {
    velocities: () => d.velocities(model, badV, data),
    accelerations: () => d.accelerations(model, badV, good, data),
    rnea: () => d.rnea(model, badV, good, data, vector(nv)),
    rneaTable: () => d.rneaTable(model, badV, good, data, vector(nv)),
    biasForces: () => d.biasForces(model, badV, data, vector(nv)),
    aba: () => d.aba(model, badV, good, data, vector(nv)),
    abaWithForces: () => d.abaWithForces(model, badV, good, vector(6 * nb), data, vector(nv)),
    kineticEnergy: () => d.kineticEnergy(model, badV, data, vector(1)),
    power: () => d.power(model, badV, good, data, three),
    lossPower: () => d.lossPower(model, bad, six, 0),
    addSpringPower: () => d.addSpringPower(model, badV, six, 0),
    passiveForces: () => d.passiveForces(model, badV, vector(nv)),
    addPassiveForces: () => d.addPassiveForces(model, badV, 1, vector(nv)),
    pointJacobianDotTimesV: () => d.pointJacobianDotTimesV(model, badV, data, 1, three, vector(3)),
    angularJacobianDotTimesV: () => d.angularJacobianDotTimesV(model, badV, data, 1, vector(3)),
    frameJacobianDotTimesV: () => d.frameJacobianDotTimesV(model, badV, data, frame, six),
    centerOfMassJacobianDotTimesV: () => d.centerOfMassJacobianDotTimesV(model, badV, data, centroidal, three),
    centroidalMomentumMatrixDotTimesV: () => d.centroidalMomentumMatrixDotTimesV(model, badV, data, centroidal, six),
    integrateConfiguration: () => d.integrateConfiguration(model, state.q, bad, 1, vector(nq)),
    semiImplicitEuler: () => d.semiImplicitEuler(model, badV, good, 1e-3, d.createEulerWorkspace(model)),
    implicitPassiveEuler: () => d.implicitPassiveEuler(model, badV, good, 1e-3, data, d.createImplicitPassiveWorkspace(model)),
  },
  a: {
    accelerations: () => d.accelerations(model, state, bad, data),
    rnea: () => d.rnea(model, state, bad, data, vector(nv)),
    rneaTable: () => d.rneaTable(model, state, bad, data, vector(nv)),
    aba: () => d.aba(model, state, good, data, bad),
    abaWithForces: () => d.abaWithForces(model, state, good, vector(6 * nb), data, bad),
    semiImplicitEuler: () => d.semiImplicitEuler(model, state, bad, 1e-3, d.createEulerWorkspace(model)),
  },
  tau: {
    rnea: () => d.rnea(model, state, good, data, bad),
    rneaTable: () => d.rneaTable(model, state, good, data, bad),
    biasForces: () => d.biasForces(model, state, data, bad),
    aba: () => d.aba(model, state, bad, data, vector(nv)),
    abaWithForces: () => d.abaWithForces(model, state, bad, vector(6 * nb), data, vector(nv)),
    addBodyForces: () => d.addBodyForces(model, vector(6 * nb), data, bad),
    addPassiveForces: () => d.addPassiveForces(model, state, 1, bad),
    clampEfforts: () => d.clampEfforts(model, bad),
    power: () => d.power(model, state, bad, data, three),
    implicitPassiveEuler: () => d.implicitPassiveEuler(model, state, bad, 1e-3, data, d.createImplicitPassiveWorkspace(model)),
  },
  g: { gravityForces: () => d.gravityForces(model, state, data, bad) },
  h: { centroidalMomentum: () => d.centroidalMomentum(model, data, centroidal, three) },
  AG: { centroidalMomentumMatrix: () => d.centroidalMomentumMatrix(model, data, centroidal, vector(5 * nv)) },
  J: {
    pointJacobian: () => d.pointJacobian(model, data, 1, three, vector(6 * nv)),
    bodyJacobianW: () => d.bodyJacobianW(model, data, 1, vector(3 * nv)),
    frameJacobian: () => d.frameJacobian(model, data, frame, vector(3 * nv)),
    frameJacobianLocal: () => d.frameJacobianLocal(model, data, frame, vector(3 * nv)),
    centerOfMassJacobian: () => d.centerOfMassJacobian(model, data, centroidal, vector(6 * nv)),
  },
  M: {
    massMatrix: () => d.massMatrix(model, data, bad),
    factorize: () => d.factorize(model, bad, matrix),
  },
  L: {
    factorize: () => d.factorize(model, data.M, bad),
    solve: () => d.solve(model, bad, vector(nv)),
    solveL: () => d.solveL(model, bad, vector(nv)),
    solveLTransposed: () => d.solveLTransposed(model, bad, vector(nv)),
    solveLTransposedOnBranch: () => d.solveLTransposedOnBranch(model, bad, 1, vector(nv), 0),
    halfSolveTransposedJacobian: () => d.halfSolveTransposedJacobian(model, bad, bodies, 1, vector(nv)),
    solveTransposedJacobian: () => d.solveTransposedJacobian(model, bad, bodies, 1, vector(nv)),
  },
  x: {
    solve: () => d.solve(model, matrix, bad),
    solveL: () => d.solveL(model, matrix, bad),
    solveLTransposed: () => d.solveLTransposed(model, matrix, bad),
    solveLTransposedOnBranch: () => d.solveLTransposedOnBranch(model, matrix, 1, vector(nv), 1),
  },
  R: { framePose: () => d.framePose(data, frame, three, three) },
  p: { framePose: () => d.framePose(data, frame, vector(9), six) },
  row: { directionRow: () => d.directionRow(model, data, 1, three, 0, three, 0, 1, vector(nv), 1) },
  forcesW: {
    abaWithForces: () => d.abaWithForces(model, state, good, six, data, vector(nv)),
    addBodyForces: () => d.addBodyForces(model, six, data, vector(nv)),
  },
  impulseW: {
    impulseResponse: () => d.impulseResponse(model, data, inertias, 1, three, vector(nv)),
    impulseResponseAlong: () => d.impulseResponseAlong(model, data, inertias, 1, three, branches, vector(nv)),
  },
  dv: {
    velocityChange: () => d.velocityChange(model, inertias, vector(nv), 1),
    velocityChangeAlong: () => d.velocityChangeAlong(model, inertias, branches, vector(nv), 1),
    impulseResponse: () => d.impulseResponse(model, data, inertias, 1, six, bad),
    impulseResponseAlong: () => d.impulseResponseAlong(model, data, inertias, 1, six, branches, bad),
  },
  out: {
    pointVelocity: () => d.pointVelocity(data, 1, three, six),
    pointAcceleration: () => d.pointAcceleration(data, 1, three, six),
    bodyVelocityW: () => d.bodyVelocityW(data, 1, three),
    frameVelocity: () => d.frameVelocity(data, frame, three),
    frameVelocityLocal: () => d.frameVelocityLocal(data, frame, three),
    frameAcceleration: () => d.frameAcceleration(data, frame, three),
    frameJacobianDotTimesV: () => d.frameJacobianDotTimesV(model, state, data, frame, three),
    frameJacobianLocalDotTimesV: () => d.frameJacobianLocalDotTimesV(model, state, data, frame, three),
    pointJacobianDotTimesV: () => d.pointJacobianDotTimesV(model, state, data, 1, three, six),
    angularJacobianDotTimesV: () => d.angularJacobianDotTimesV(model, state, data, 1, six),
    centerOfMass: () => d.centerOfMass(model, data, six),
    centerOfMassVelocity: () => d.centerOfMassVelocity(model, data, centroidal, six),
    centerOfMassJacobianDotTimesV: () => d.centerOfMassJacobianDotTimesV(model, state, data, centroidal, six),
    centroidalMomentumMatrixDotTimesV: () => d.centroidalMomentumMatrixDotTimesV(model, state, data, centroidal, three),
    momentumW: () => d.momentumW(model, data, three),
    power: () => d.power(model, state, good, data, six),
    passiveForces: () => d.passiveForces(model, state, bad),
    integrateConfiguration: () => d.integrateConfiguration(model, state.q, good, 1, badQ.q),
    configurationDifference: () => d.configurationDifference(model, state.q, state.q, bad),
  },
}

describe('an array of the wrong length is refused by name', () => {
  for (const [name, calls] of Object.entries(wrong)) {
    for (const [entry, call] of Object.entries(calls)) {
      test(`${entry}: ${name}`, () => {
        expect(call).toThrow(RangeError)
        expect(call).toThrow(new RegExp(`^${name} has \\d+ entries`))
      })
    }
  }

  test('rk4: q and v, by the steps that it takes', () => {
    const workspace = d.createRk4Workspace(model)
    expect(() => d.rk4(model, badQ, acceleration, 1e-3, workspace)).toThrow(RangeError)
    expect(() => d.rk4(model, badV, acceleration, 1e-3, workspace)).toThrow(RangeError)
  })
})
