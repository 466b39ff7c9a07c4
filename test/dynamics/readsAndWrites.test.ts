import { describe, expect, test } from 'vitest'
import * as d from '../../dynamics/index.ts'
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
  const answer = (length: number, run: (out: Float64Array) => void) => {
    const out = new Float64Array(length)
    run(out)
    return out
  }
  const kinematicsReads = follow ? kinematicsWrites : without(kinematicsWrites, 'X')
  const forwardWrites = follow ? [...rneaWrites, ...without(crbaWrites, 'M')] : abaWrites

  return {
    kinematics: {
      reads: [],
      writes: kinematicsWrites,
      run: (data) => answer(0, () => d.kinematics(model, state, data)),
    },
    kinematicsTable: {
      reads: [],
      writes: kinematicsWrites,
      run: (data) => answer(0, () => d.kinematicsTable(model, state, data)),
    },
    velocities: { reads: ['X'], writes: ['V'], run: (data) => answer(0, () => d.velocities(model, state, data)) },
    accelerations: {
      reads: ['X'],
      writes: ['V', 'trueA'],
      run: (data) => answer(0, () => d.accelerations(model, state, a, data)),
    },
    rnea: { reads: ['X'], writes: rneaWrites, run: (data) => answer(nv, (out) => d.rnea(model, state, a, data, out)) },
    rneaTable: {
      reads: ['X'],
      writes: without(rneaWrites, 'pull'),
      run: (data) => answer(nv, (out) => d.rneaTable(model, state, a, data, out)),
    },
    biasForces: {
      reads: ['X'],
      writes: rneaWrites,
      run: (data) => answer(nv, (out) => d.biasForces(model, state, data, out)),
    },
    gravityForces: {
      reads: ['X'],
      writes: ['A', 'F'],
      run: (data) => answer(nv, (out) => d.gravityForces(model, state, data, out)),
    },
    crba: { reads: ['SW', ...poses], writes: crbaWrites, run: (data) => answer(0, () => d.crba(model, data)) },
    crbaTable: { reads: ['SW', ...poses], writes: crbaWrites, run: (data) => answer(0, () => d.crbaTable(model, data)) },
    massMatrix: {
      reads: ['SW', ...poses],
      writes: without(crbaWrites, 'M'),
      run: (data) => answer(nv * nv, (out) => d.massMatrix(model, data, out)),
    },
    aba: {
      reads: kinematicsReads,
      writes: forwardWrites,
      run: (data) => answer(nv, (out) => d.aba(model, state, tau, data, out)),
    },
    abaWithForces: {
      reads: kinematicsReads,
      writes: forwardWrites,
      run: (data) => answer(nv, (out) => d.abaWithForces(model, state, tau, forcesW, data, out)),
    },
    ...(!follow && {
      abaTable: {
        reads: ['SW', ...poses],
        writes: ['SC', 'VC', 'AC', 'C', 'IA', 'pA', 'U', 'Dinv', 'u'],
        run: (data) => answer(nv, (out) => d.abaTable(model, state, tau, data, out)),
      },
    }),
    pointVelocity: {
      reads: [...poses, 'V'],
      run: (data) => answer(3, (out) => d.pointVelocity(data, body, point, out)),
    },
    pointAcceleration: {
      reads: [...poses, 'V', 'trueA'],
      run: (data) => answer(3, (out) => d.pointAcceleration(data, body, point, out)),
    },
    bodyVelocityW: { reads: [...poses, 'V'], run: (data) => answer(6, (out) => d.bodyVelocityW(data, body, out)) },
    framePose: {
      reads: poses,
      run: (data) =>
        answer(12, (out) => {
          const [R, p] = [new Float64Array(9), new Float64Array(3)]
          d.framePose(data, frame, R, p)
          out.set(R)
          out.set(p, 9)
        }),
    },
    frameVelocity: { reads: [...poses, 'V'], run: (data) => answer(6, (out) => d.frameVelocity(data, frame, out)) },
    frameVelocityLocal: {
      reads: [...poses, 'V'],
      run: (data) => answer(6, (out) => d.frameVelocityLocal(data, frame, out)),
    },
    frameAcceleration: {
      reads: [...poses, 'V', 'trueA'],
      run: (data) => answer(6, (out) => d.frameAcceleration(data, frame, out)),
    },
    frameJacobian: {
      reads: [...poses, 'SW'],
      run: (data) => answer(6 * nv, (out) => d.frameJacobian(model, data, frame, out)),
    },
    frameJacobianLocal: {
      reads: [...poses, 'SW'],
      run: (data) => answer(6 * nv, (out) => d.frameJacobianLocal(model, data, frame, out)),
    },
    frameJacobianDotTimesV: {
      reads: [...poses, 'V'],
      run: (data) => answer(6, (out) => d.frameJacobianDotTimesV(model, state, data, frame, out)),
    },
    frameJacobianLocalDotTimesV: {
      reads: [...poses, 'V'],
      run: (data) => answer(6, (out) => d.frameJacobianLocalDotTimesV(model, state, data, frame, out)),
    },
    pointJacobian: { reads: ['SW'], run: (data) => answer(3 * nv, (out) => d.pointJacobian(model, data, body, point, out)) },
    bodyJacobianW: { reads: ['SW'], run: (data) => answer(6 * nv, (out) => d.bodyJacobianW(model, data, body, out)) },
    directionRow: {
      reads: ['SW'],
      run: (data) => answer(nv, (out) => d.directionRow(model, data, body, point, 0, point, 0, 1, out, 0)),
    },
    addBodyForces: { reads: ['SW'], run: (data) => answer(nv, (out) => d.addBodyForces(model, forcesW, data, out)) },
    pointJacobianDotTimesV: {
      reads: [...poses, 'V'],
      run: (data) => answer(3, (out) => d.pointJacobianDotTimesV(model, state, data, body, point, out)),
    },
    angularJacobianDotTimesV: {
      reads: [...poses, 'V'],
      run: (data) => answer(3, (out) => d.angularJacobianDotTimesV(model, state, data, body, out)),
    },
    kineticEnergy: { reads: ['V'], run: (data) => answer(1, (out) => d.kineticEnergy(model, state, data, out)) },
    potentialEnergy: { reads: poses, run: (data) => answer(1, (out) => d.potentialEnergy(model, state, data, out)) },
    power: { reads: ['R_WB', 'V'], run: (data) => answer(3, (out) => d.power(model, state, tau, data, out)) },
    momentumW: { reads: [...poses, 'V'], run: (data) => answer(6, (out) => d.momentumW(model, data, out)) },
    centerOfMass: { reads: poses, run: (data) => answer(3, (out) => d.centerOfMass(model, data, out)) },
    centerOfMassVelocity: {
      reads: [...poses, 'V'],
      run: (data) => answer(3, (out) => d.centerOfMassVelocity(model, data, centroidal, out)),
    },
    centerOfMassJacobian: {
      reads: [...poses, 'SW'],
      run: (data) => answer(3 * nv, (out) => d.centerOfMassJacobian(model, data, centroidal, out)),
    },
    centerOfMassJacobianDotTimesV: {
      reads: ['X', ...poses, 'V'],
      run: (data) => answer(3, (out) => d.centerOfMassJacobianDotTimesV(model, state, data, centroidal, out)),
    },
    centroidalMomentum: {
      reads: [...poses, 'V'],
      run: (data) => answer(6, (out) => d.centroidalMomentum(model, data, centroidal, out)),
    },
    centroidalMomentumMatrix: {
      reads: [...poses, 'SW'],
      run: (data) => answer(6 * nv, (out) => d.centroidalMomentumMatrix(model, data, centroidal, out)),
    },
    centroidalMomentumMatrixDotTimesV: {
      reads: ['X', ...poses, 'V'],
      run: (data) => answer(6, (out) => d.centroidalMomentumMatrixDotTimesV(model, state, data, centroidal, out)),
    },
    articulatedInertias: {
      reads: [...poses, 'SW'],
      writes: follow ? crbaWrites : [],
      run: (data) => answer(0, () => d.articulatedInertias(model, data, inertias)),
    },
    impulseResponse: {
      reads: follow ? ['p_WB', 'SW'] : ['p_WB'],
      run: (data) =>
        answer(nv + 3, (out) => {
          const dv = new Float64Array(nv)
          d.impulseResponse(model, data, inertias, body, forcesW.slice(0, 6), dv)
          out.set(dv)
          d.pointVelocityChange(model, data, inertias, body, point, out, 0, nv)
        }),
    },
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
  const constant = new Set(['S', 'center', 'hinge', 'straight', 'free', 'tip', 'lastChild', 'flat', 'scratch'])
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
        const before = new Map([...tables(spoilt)].map(([table, arrays]) => [table, joined(arrays)]))

        const expected = run(data)
        expect(expected.every(Number.isFinite)).toBe(true)
        expect(run(spoilt)).toEqual(expected)
        expect(zero).toEqual(new Float64Array(subject.nv))
        for (const [table, arrays] of tables(spoilt)) {
          const found = joined(arrays)
          if (!writes.includes(table)) expect(found, table).toEqual(before.get(table))
          else {
            // rows of the world, lower triangles and rooms for larger joints stay as they were
            const right = joined(tables(data).get(table) as Float64Array[])
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

function joined(arrays: readonly Float64Array[]): Float64Array {
  return Float64Array.from(arrays.flatMap((array) => [...array]))
}
