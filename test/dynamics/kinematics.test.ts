import { describe, expect, test } from 'vitest'
import {
  bodyJacobianW,
  buildModel,
  createData,
  createRandom,
  createState,
  directionRow,
  integrateConfiguration,
  kinematics,
  mulMatrix3,
  place3,
  pointJacobian,
  pointVelocity,
  quaternionOfRotationVector,
  rotationOfQuaternion,
} from '../../dynamics/index.ts'
import { dataAt, filled, stateOf } from './at.ts'
import { body, hinge, solid } from './bodies.ts'
import { randomRotation, randomVector, relativeError } from './randomTree.ts'
import { derivative, forEachTree } from './trials.ts'

describe('kinematics', () => {
  test('a revolute joint turns its body about the axis, along a coordinate axis or not', () => {
    const random = createRandom(22)
    const r = Math.SQRT1_2
    const axes: [number, number, number][] = [
      ...([
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [-1, 0, 0],
        [0, -1, 0],
        [0, 0, -1],
      ] as [number, number, number][]),
      ...([
        [r, r, 0],
        [0, -r, r],
        [0.48, -0.6, 0.64],
        [-1.3e-8, -1, 0], // of length 1 to the last bit, and not the y axis
      ] as [number, number, number][]),
    ]
    const unturned = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
    for (const [axis, rotation] of axes.flatMap((axis) => [[axis, randomRotation(random)] as const, [axis, unturned] as const])) {
      const model = buildModel('one joint', [body('b', hinge('j', 0, axis), solid(1, [1, 1, 1]), { rotation })])
      const state = stateOf(model, [random.between(-3, 3)])
      const data = dataAt(model, state)
      const turn = new Float64Array(4)
      const R = new Float64Array(9)
      quaternionOfRotationVector(
        turn,
        0,
        Float64Array.from(axis, (x) => x * state.q[0]),
        0,
      )
      rotationOfQuaternion(R, turn, 0)
      mulMatrix3(R, rotation, R)
      expect(relativeError(data.R_WB[1], R)).toBeLessThan(1e-14)
    }
  })

  test('a state that is not finite leaves nothing behind', () => {
    forEachTree(33, ({ model, state, data }) => {
      const used = createData(model)
      kinematics(model, { ...state, q: new Float64Array(model.nq).fill(Number.NaN) }, used)
      kinematics(model, state, used)
      for (const name of ['X', 'R_WB', 'p_WB'] as const) expect(used[name]).toEqual(data[name])
      expect(used.SW).toEqual(data.SW)
    })
  })

  test('a point Jacobian is the derivative of the point with respect to each velocity', () => {
    forEachTree(17, ({ random, model, state, data }) => {
      const { nb, nv } = model
      const body = random.index(nb)
      const local = randomVector(random, 3)
      const point = new Float64Array(3)
      place3(point, data.R_WB[body], data.p_WB[body], local)
      const J = filled(3 * nv, (out) => pointJacobian(model, data, body, point, out))

      const next = createData(model)
      const columns = new Float64Array(3 * nv)
      for (let k = 0; k < nv; k++) {
        const along = new Float64Array(nv)
        along[k] = 1
        const at = (h: number) => {
          const moving = createState(model)
          integrateConfiguration(model, state.q, along, h, moving.q)
          kinematics(model, moving, next)
          const out = new Float64Array(3)
          place3(out, next.R_WB[body], next.p_WB[body], local)
          return out
        }
        derivative(at, 1e-3).forEach((x, r) => {
          columns[r * nv + k] = x
        })
      }
      if (model.vLast[body] < 0) expect(J).toEqual(new Float64Array(3 * nv))
      else expect(relativeError(columns, J)).toBeLessThan(1e-10) // as for the gradient of potential energy
    })
  })

  test('J v is the velocity of the point, by rows, by directions and by the spatial Jacobian', () => {
    forEachTree(18, ({ random, model, state, data }) => {
      const { nb, nv } = model
      const body = 1 + random.index(nb - 1)
      const point = randomVector(random, 3)
      const velocity = filled(3, (out) => pointVelocity(data, body, point, out))

      const J = filled(3 * nv, (out) => pointJacobian(model, data, body, point, out))
      const Jv = velocity.map((_, r) => state.v.reduce((sum, v, k) => sum + J[r * nv + k] * v, 0))
      const size = 1 + Math.hypot(...velocity)
      for (let r = 0; r < 3; r++) expect(Math.abs(Jv[r] - velocity[r]) / size).toBeLessThan(1e-12)

      const JW = filled(6 * nv, (out) => bodyJacobianW(model, data, body, out))
      const V = Array.from({ length: 6 }, (_, r) => state.v.reduce((sum, v, k) => sum + JW[r * nv + k] * v, 0))
      const fromSpatial = [
        V[3] + V[1] * point[2] - V[2] * point[1],
        V[4] + V[2] * point[0] - V[0] * point[2],
        V[5] + V[0] * point[1] - V[1] * point[0],
      ]
      for (let r = 0; r < 3; r++) expect(Math.abs(fromSpatial[r] - velocity[r]) / size).toBeLessThan(1e-12)

      const direction = randomVector(random, 3)
      const row = new Float64Array(nv)
      directionRow(model, data, body, point, 0, direction, 0, -1, row, 0)
      const speed = state.v.reduce((sum, v, k) => sum + row[k] * v, 0)
      const expected = -(direction[0] * velocity[0] + direction[1] * velocity[1] + direction[2] * velocity[2])
      expect(Math.abs(speed - expected) / size).toBeLessThan(1e-12)
    })
  })
})
