import { describe, expect, test } from 'vitest'
import * as d from '../../dynamics/index.ts'
import { concatenated } from './at.ts'
import { randomState, randomTree, randomVector } from './randomTree.ts'

/*
 * What each function says it reads of `Data`, it reads, and nothing else; what it says it writes, it writes, and nothing
 * else. Everything that it does not claim to read is made NaN; then it must answer the bits that it answers otherwise.
 */

const kinematicsWrites = ['X', 'R_WB', 'p_WB', 'SW']
const poses = ['R_WB', 'p_WB']
const rneaWrites = ['V', 'A', 'F', 'pull']
const crbaWrites = ['IC', 'SC', 'FC', 'M']
const abaWrites = ['SC', 'VC', 'IA', 'pA', 'U', 'u', 'biasAC', 'addedAC', 'flat.Dinv']
const without = (list: readonly string[], name: string) => list.filter((entry) => entry !== name)

interface Claim {
  readonly reads: readonly string[]
  readonly writes?: readonly string[]
  /** Answers what it was asked for. */
  run(data: d.Data): Float64Array
}

/** Of a function that answers so many numbers. */
function claim(
  reads: readonly string[],
  length: number,
  write: (data: d.Data, out: Float64Array) => void,
  writes?: readonly string[],
): Claim {
  return {
    reads,
    writes,
    run(data) {
      const out = new Float64Array(length)
      write(data, out)
      return out
    },
  }
}

/** Claims that hold for every model; where joints follow others some more is read and written. */
function claimsOf(model: d.Model): Record<string, Claim> {
  const random = d.createRandom(51)
  const { nb, nv } = model
  const state = randomState(random, model)
  const a = randomVector(random, nv)
  const tau = randomVector(random, nv)
  const forcesW = randomVector(random, 6 * nb)
  const point = randomVector(random, 3)
  const body = nb - 1
  const frame = { name: 'tool', body, R: Float64Array.of(0, -1, 0, 1, 0, 0, 0, 0, 1), p: randomVector(random, 3) }
  const centroidal = d.createCentroidalWorkspace(model)
  const inertias = d.createArticulatedInertias(model)
  d.articulatedInertias(model, dataOf(model), inertias)
  const follow = model.ns > nv
  const kinematicsReads = follow ? kinematicsWrites : without(kinematicsWrites, 'X')
  const forwardWrites = follow ? [...rneaWrites, ...without(crbaWrites, 'M')] : abaWrites

  return {
    kinematics: claim([], 0, (data) => d.kinematics(model, state, data), kinematicsWrites),
    velocities: claim(['X'], 0, (data) => d.velocities(model, state, data), ['V']),
    accelerations: claim(['X'], 0, (data) => d.accelerations(model, state, a, data), ['V', 'trueA']),
    rnea: claim(['X'], nv, (data, out) => d.rnea(model, state, a, data, out), rneaWrites),
    rneaTable: claim(['X'], nv, (data, out) => d.rneaTable(model, state, a, data, out), without(rneaWrites, 'pull')),
    biasForces: claim(['X'], nv, (data, out) => d.biasForces(model, state, data, out), rneaWrites),
    gravityForces: claim(['X'], nv, (data, out) => d.gravityForces(model, state, data, out), ['A', 'F']),
    crba: claim(['SW', ...poses], 0, (data) => d.crba(model, data), crbaWrites),
    massMatrix: claim(['SW', ...poses], nv * nv, (data, out) => d.massMatrix(model, data, out), without(crbaWrites, 'M')),
    aba: claim(kinematicsReads, nv, (data, out) => d.aba(model, state, tau, data, out), forwardWrites),
    abaWithForces: claim(
      kinematicsReads,
      nv,
      (data, out) => d.abaWithForces(model, state, tau, forcesW, data, out),
      forwardWrites,
    ),
    pointVelocity: claim([...poses, 'V'], 3, (data, out) => d.pointVelocity(data, body, point, out)),
    pointAcceleration: claim([...poses, 'V', 'trueA'], 3, (data, out) => d.pointAcceleration(data, body, point, out)),
    bodyVelocityW: claim([...poses, 'V'], 6, (data, out) => d.bodyVelocityW(data, body, out)),
    framePose: claim(poses, 12, (data, out) => {
      const [R, p] = [new Float64Array(9), new Float64Array(3)]
      d.framePose(data, frame, R, p)
      out.set(R)
      out.set(p, 9)
    }),
    frameVelocity: claim([...poses, 'V'], 6, (data, out) => d.frameVelocity(data, frame, out)),
    frameVelocityLocal: claim([...poses, 'V'], 6, (data, out) => d.frameVelocityLocal(data, frame, out)),
    frameAcceleration: claim([...poses, 'V', 'trueA'], 6, (data, out) => d.frameAcceleration(data, frame, out)),
    frameJacobian: claim([...poses, 'SW'], 6 * nv, (data, out) => d.frameJacobian(model, data, frame, out)),
    frameJacobianLocal: claim([...poses, 'SW'], 6 * nv, (data, out) => d.frameJacobianLocal(model, data, frame, out)),
    frameJacobianDotTimesV: claim([...poses, 'V'], 6, (data, out) => d.frameJacobianDotTimesV(model, state, data, frame, out)),
    frameJacobianLocalDotTimesV: claim([...poses, 'V'], 6, (data, out) =>
      d.frameJacobianLocalDotTimesV(model, state, data, frame, out),
    ),
    pointJacobian: claim(['SW'], 3 * nv, (data, out) => d.pointJacobian(model, data, body, point, out)),
    bodyJacobianW: claim(['SW'], 6 * nv, (data, out) => d.bodyJacobianW(model, data, body, out)),
    directionRow: claim(['SW'], nv, (data, out) => d.directionRow(model, data, body, point, 0, point, 0, 1, out, 0)),
    addBodyForces: claim(['SW'], nv, (data, out) => d.addBodyForces(model, forcesW, data, out)),
    pointJacobianDotTimesV: claim([...poses, 'V'], 3, (data, out) =>
      d.pointJacobianDotTimesV(model, state, data, body, point, out),
    ),
    angularJacobianDotTimesV: claim([...poses, 'V'], 3, (data, out) => d.angularJacobianDotTimesV(model, state, data, body, out)),
    kineticEnergy: claim(['V'], 1, (data, out) => d.kineticEnergy(model, state, data, out)),
    potentialEnergy: claim(poses, 1, (data, out) => d.potentialEnergy(model, state, data, out)),
    power: claim(['R_WB', 'V'], 3, (data, out) => d.power(model, state, tau, data, out)),
    momentumW: claim([...poses, 'V'], 6, (data, out) => d.momentumW(model, data, out)),
    centerOfMass: claim(poses, 3, (data, out) => d.centerOfMass(model, data, out)),
    centerOfMassVelocity: claim([...poses, 'V'], 3, (data, out) => d.centerOfMassVelocity(model, data, centroidal, out)),
    centerOfMassJacobian: claim([...poses, 'SW'], 3 * nv, (data, out) => d.centerOfMassJacobian(model, data, centroidal, out)),
    centerOfMassJacobianDotTimesV: claim(['X', ...poses, 'V'], 3, (data, out) =>
      d.centerOfMassJacobianDotTimesV(model, state, data, centroidal, out),
    ),
    centroidalMomentum: claim([...poses, 'V'], 6, (data, out) => d.centroidalMomentum(model, data, centroidal, out)),
    centroidalMomentumMatrix: claim([...poses, 'SW'], 6 * nv, (data, out) =>
      d.centroidalMomentumMatrix(model, data, centroidal, out),
    ),
    centroidalMomentumMatrixDotTimesV: claim(['X', ...poses, 'V'], 6, (data, out) =>
      d.centroidalMomentumMatrixDotTimesV(model, state, data, centroidal, out),
    ),
    articulatedInertias: claim(
      [...poses, 'SW'],
      0,
      (data) => d.articulatedInertias(model, data, inertias),
      follow ? crbaWrites : [],
    ),
    impulseResponse: claim(follow ? ['p_WB', 'SW'] : ['p_WB'], nv + 3, (data, out) => {
      const dv = new Float64Array(nv)
      d.impulseResponse(model, data, inertias, body, forcesW.slice(0, 6), dv)
      out.set(dv)
      d.pointVelocityChange(model, data, inertias, body, point, out, 0, nv)
    }),
    implicitPassiveEuler: {
      reads: kinematicsWrites,
      writes: [...rneaWrites, ...crbaWrites],
      run: (data) => {
        const next = d.createState(model)
        next.q.set(state.q)
        next.v.set(state.v)
        d.implicitPassiveEuler(model, next, tau, 1e-3, data, d.createImplicitPassiveWorkspace(model))
        return Float64Array.of(...next.q, ...next.v)
      },
    },
  }
}

/** The arrays of data that are not constant, by name; a row of the world, whose pose is, is no part of them. */
function tables(data: d.Data): Map<string, Float64Array[]> {
  const constant = new Set(['S', 'center', 'hinge', 'straight', 'free', 'tip', 'lastChild', 'flat', 'scratch', 'compiled'])
  const found = new Map<string, Float64Array[]>()
  for (const [name, table] of Object.entries(data)) {
    if (constant.has(name)) continue
    found.set(name, poses.includes(name) ? table.slice(1) : table instanceof Float64Array ? [table] : [...table])
  }
  const { pull, biasAC, addedAC, Dinv } = data.flat
  found.set('pull', [pull]).set('biasAC', [biasAC]).set('addedAC', [addedAC]).set('flat.Dinv', [Dinv])
  return found
}

function spoil(arrays: readonly Float64Array[]): void {
  for (const array of arrays) array.fill(Number.NaN)
}

/** Data of a state, with everything in it that the functions below may want to read. */
function dataOf(model: d.Model): d.Data {
  const data = d.createData(model)
  const random = d.createRandom(51)
  const state = randomState(random, model)
  d.kinematics(model, state, data)
  d.accelerations(model, state, randomVector(random, model.nv), data)
  return data
}

describe.each([false, true])('data, with joints that follow others: %s', (followers) => {
  const model = randomTree(d.createRandom(52), { bodies: 14, floating: true, everyType: true, armature: true, followers })
  const chain = randomTree(d.createRandom(53), { bodies: 7, floating: true })
  if (followers !== model.ns > model.nv) throw new Error('this seed should give the other kind of tree')

  for (const name of Object.keys(claimsOf(model))) {
    test(`${name} reads and writes what it says`, () => {
      for (const subject of followers ? [model] : [model, chain]) {
        const { reads, writes = [], run } = claimsOf(subject)[name]
        const data = dataOf(subject)
        const spoilt = dataOf(subject)
        const { zero, ...scratch } = spoilt.scratch
        spoil(Object.values(scratch))
        for (const [table, arrays] of tables(spoilt)) if (!reads.includes(table)) spoil(arrays)
        const before = new Map([...tables(spoilt)].map(([table, arrays]) => [table, concatenated(arrays)]))

        const expected = run(data)
        expect(expected.every(Number.isFinite)).toBe(true)
        expect(run(spoilt)).toEqual(expected)
        expect(zero).toEqual(new Float64Array(subject.nv))
        for (const [table, arrays] of tables(spoilt)) {
          const found = concatenated(arrays)
          if (!writes.includes(table)) expect(found, table).toEqual(before.get(table))
          else {
            // rows of the world, lower triangles and rooms for larger joints stay as they were
            const right = concatenated(tables(data).get(table) as Float64Array[])
            expect(
              found.map((x, k) => (Number.isNaN(x) ? right[k] : x)),
              table,
            ).toEqual(right)
            expect(found.some((x) => !Number.isNaN(x))).toBe(true)
          }
        }
      }
    })
  }
})
