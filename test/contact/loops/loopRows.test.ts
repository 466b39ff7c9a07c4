import { describe, expect, test } from 'vitest'
import { ContactRows } from '../../../contact/constraints/index.ts'
import { ContactSet, type LoopClosure, type LoopKind, LoopRows, rowsOfLoop } from '../../../contact/index.ts'
import {
  combineModels,
  crba,
  createData,
  createRandom,
  type Data,
  integrateConfiguration,
  kinematics,
  type Model,
  mulMatrix3,
  quaternionOfRotation,
  quaternionOfRotationVector,
  type Random,
  rotateTransposed3,
  rotationOfQuaternion,
  type State,
} from '../../../dynamics/index.ts'
import { randomRotation, randomState, randomTree, randomVector, relativeError, treeKind } from '../../dynamics/randomTree.ts'
import { choleskySolve } from '../../oracle/dense.ts'

const kinds = Object.keys(rowsOfLoop) as LoopKind[]

describe('rows of loops', () => {
  test('the error of a closed loop changes at the rate J v: central differences on random forests', () => {
    forEachForest(41, ({ random, model, state, data }) => {
      const rows = new LoopRows(model, closedLoops(random, model, data, 4))
      const at = (h: number) => {
        const moved = { ...state, q: new Float64Array(model.nq) }
        integrateConfiguration(model, state.q, state.v, h, moved.q)
        kinematics(model, moved, data)
        rows.build(data)
        return rows.error.slice()
      }
      const h = 1e-6
      const ahead = at(h)
      const behind = at(-h)
      const now = at(0)
      const J = denseRows(rows, data, model)
      for (let r = 0; r < rows.count; r++) {
        expect(Math.abs(now[r])).toBeLessThan(1e-11) // poses of chains some metres long
        const rate = dot(J[r], state.v)
        const speed = 1 + J[r].reduce((sum, x, k) => sum + Math.abs(x * state.v[k]), 0)
        // rounding of positions over h, and h² times third derivatives, which go with the cube of the speed
        expect(Math.abs((ahead[r] - behind[r]) / (2 * h) - rate) / speed ** 3).toBeLessThan(1e-8)
      }
    })
  })

  test('the error of an open one is how far the points are apart, and the turn between the frames', () => {
    const random = createRandom(42)
    const model = freeBodies(2)
    const data = createData(model)
    for (let n = 0; n < 50; n++) {
      const state = randomState(random, model)
      kinematics(model, state, data)
      const [offset, turn, spin] = [randomVector(random, 3), randomVector(random, 3), random.next() * 6]
      const apart = closedLoops(random, model, data, 1, { bodies: [1, 2], kind: kinds[n % 3], offset, turn, spin })
      const rows = new LoopRows(model, apart)
      rows.build(data)
      const [loop] = apart
      const axes = turned(data.R_WB[1], loop.orientationA)
      // metres and radians, after a dozen rotations
      for (let d = 0; d < 3; d++) expect(rows.error[d]).toBeCloseTo(offset[d], 12)
      if (loop.kind === 'weld') for (let d = 0; d < 3; d++) expect(rows.error[3 + d]).toBeCloseTo(turn[d], 12)
      if (loop.kind === 'hinge') {
        // the hinge's turn is about no z, and so is all error, whatever the spin about z
        const [x, y] = [0, 1].map((k) => [0, 1, 2].reduce((sum, d) => sum + axes[3 * d + k] * turn[d], 0))
        expect(rows.error[3]).toBeCloseTo(x, 12)
        expect(rows.error[4]).toBeCloseTo(y, 12)
      }
    }
  })

  test('an open loop too has no resultant: what moves both bodies as one moves no row', () => {
    const random = createRandom(43)
    const model = freeBodies(2)
    const data = createData(model)
    for (let n = 0; n < 50; n++) {
      kinematics(model, randomState(random, model), data)
      const [offset, turn] = [randomVector(random, 3), randomVector(random, 3)]
      const rows = new LoopRows(model, closedLoops(random, model, data, 1, { bodies: [1, 2], kind: kinds[n % 3], offset, turn }))
      rows.build(data)
      // a twist of the world's axes, as each body has it
      const [omega, linear] = [randomVector(random, 3), randomVector(random, 3)]
      const v = new Float64Array(12)
      for (const b of [1, 2]) {
        const p = data.p_WB[b]
        const at = Float64Array.from(
          linear,
          (x, d) => x + omega[(d + 1) % 3] * p[(d + 2) % 3] - omega[(d + 2) % 3] * p[(d + 1) % 3],
        )
        const own = v.subarray(6 * (b - 1), 6 * b)
        rotateTransposed3(own.subarray(0, 3), data.R_WB[b], omega)
        rotateTransposed3(own.subarray(3, 6), data.R_WB[b], at)
      }
      for (const row of denseRows(rows, data, model)) expect(Math.abs(dot(row, v))).toBeLessThan(1e-12) // rounding
    }
  })

  test('M + Jᵀ B J of loops and contacts, factored by the pattern that knows both, is solved as a dense matrix is', () => {
    forEachForest(44, ({ random, model, data }) => {
      const { nv } = model
      const rows = new LoopRows(model, closedLoops(random, model, data, 1 + random.index(3)))
      const contactRows = new ContactRows(model, rows)
      const contacts = new ContactSet()
      // twice, for the pattern of the second set is not that of the first
      for (let set = 0; set < 2; set++) {
        contacts.count = random.index(4)
        for (let i = 0; i < contacts.count; i++) {
          contacts.bodyA[i] = random.index(model.nb)
          contacts.bodyB[i] = random.index(model.nb)
          for (const vectors of [contacts.point, contacts.normal]) vectors.set(randomVector(random, 3), 3 * i)
        }
        contactRows.build(data, contacts)
        rows.build(data)
        crba(model, data)
        const dense = Float64Array.from({ length: nv * nv }, (_, k) => {
          const [i, j] = [Math.floor(k / nv), k % nv]
          return data.M[Math.max(i, j) * nv + Math.min(i, j)]
        })
        const H = new Float64Array(nv * nv)
        contactRows.pattern.load(data.M, H)
        const add = (J: ArrayLike<number>, list: Int32Array, b: number) => {
          list.forEach((k, n) => {
            for (const l of list.slice(n)) H[k * nv + l] += b * J[k] * J[l]
          })
          for (const k of list) for (const l of list) dense[k * nv + l] += b * J[k] * J[l]
        }
        const J = new Float64Array(nv).fill(Number.NaN)
        for (let r = 0; r < rows.count; r++) {
          rows.writeRow(data, r, J, 0)
          add(J, rows.velocities.slice(rows.first[r], rows.first[r] + rows.size[r]), 1 + random.next())
        }
        for (let i = 0; i < contacts.count; i++) {
          const list = contactRows.velocities.slice(contactRows.first[i], contactRows.first[i] + contactRows.size[i])
          add(contactRows.denseRow(i, 0), list, 1 + random.next())
        }
        const b = randomVector(random, nv)
        const x = b.slice()
        contactRows.pattern.factorize(H)
        contactRows.pattern.solve(H, x)
        // condition numbers are some 1e4
        expect(relativeError(x, choleskySolve(dense, b))).toBeLessThan(1e-9)
      }
    })
  })

  test('nothing is written but the velocities that move either body', () => {
    forEachForest(45, ({ random, model, data }) => {
      const rows = new LoopRows(model, closedLoops(random, model, data, 3))
      rows.build(data)
      new ContactRows(model, rows) // lists their velocities
      const out = new Float64Array(model.nv + 2).fill(Number.NaN)
      for (let r = 0; r < rows.count; r++) {
        out.fill(Number.NaN)
        rows.writeRow(data, r, out, 1)
        const list = [...rows.velocities.slice(rows.first[r], rows.first[r] + rows.size[r])].sort((a, b) => a - b)
        expect([...out.keys()].filter((k) => !Number.isNaN(out[k])).map((k) => k - 1)).toEqual(list)
      }
    })
  })
})

interface Closing {
  readonly bodies?: readonly [number, number]
  readonly kind?: LoopKind
  /** By how much it is open [m, rad]; and a hinge's turn about its own axis [rad]. */
  readonly offset?: Float64Array
  readonly turn?: Float64Array
  readonly spin?: number
}

/** Loops at random between random bodies, closed at the configuration of data but for what is asked. */
function closedLoops(random: Random, model: Model, data: Data, count: number, asked: Closing = {}): LoopClosure[] {
  return Array.from({ length: count }, (_, l): LoopClosure => {
    const [bodyA, bodyB] = asked.bodies ?? [random.index(model.nb), random.index(model.nb)]
    const kind = asked.kind ?? kinds[random.index(3)]
    const pointA = randomVector(random, 3)
    const own = randomRotation(random)
    const axes = new Float64Array(9)
    mulMatrix3(axes, data.R_WB[bodyA], own)
    // a hinge's error has no part along its axis
    const turn = asked.turn ?? new Float64Array(3)
    if (kind === 'hinge') {
      const along = turn[0] * axes[2] + turn[1] * axes[5] + turn[2] * axes[8]
      for (let d = 0; d < 3; d++) turn[d] -= along * axes[3 * d + 2]
    }
    const spin = kind === 'hinge' ? (asked.spin ?? random.next()) : 0
    const axesB = times(rotationBy(turn), times(axes, rotationBy(Float64Array.of(0, 0, spin))))
    const place = Float64Array.from([0, 1, 2], (r) => {
      const [p, R] = [data.p_WB[bodyA], data.R_WB[bodyA]]
      return p[r] + R[3 * r] * pointA[0] + R[3 * r + 1] * pointA[1] + R[3 * r + 2] * pointA[2] + (asked.offset?.[r] ?? 0)
    })
    const pointB = place.map((x, d) => x - data.p_WB[bodyB][d])
    rotateTransposed3(pointB, data.R_WB[bodyB], pointB)
    const back = Float64Array.from({ length: 9 }, (_, k) => data.R_WB[bodyB][3 * (k % 3) + Math.floor(k / 3)])
    const orientations = [own, times(back, axesB)].map((R) => {
      const turned = new Float64Array(4)
      quaternionOfRotation(turned, 0, R)
      return [...turned]
    })
    const name = `loop ${l}`
    const [orientationA, orientationB] = orientations
    return { name, kind, bodyA, bodyB, pointA: [...pointA], pointB: [...pointB], orientationA, orientationB }
  })
}

function times(A: Float64Array, B: Float64Array): Float64Array {
  const out = new Float64Array(9)
  mulMatrix3(out, A, B)
  return out
}

function rotationBy(vector: Float64Array): Float64Array {
  const [turn, R] = [new Float64Array(4), new Float64Array(9)]
  quaternionOfRotationVector(turn, 0, vector, 0)
  rotationOfQuaternion(R, turn, 0)
  return R
}

function turned(R_WB: Float64Array, orientation: readonly number[]): Float64Array {
  const own = new Float64Array(9)
  rotationOfQuaternion(own, Float64Array.from(orientation), 0)
  return times(R_WB, own)
}

function denseRows(rows: LoopRows, data: Data, model: Model): Float64Array[] {
  return Array.from({ length: rows.count }, (_, r) => {
    const row = new Float64Array(model.nv)
    rows.writeRow(data, r, row, 0)
    return row
  })
}

const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, x, k) => sum + x * b[k], 0)

function freeBodies(count: number): Model {
  const random = createRandom(1)
  return forestOf(Array.from({ length: count }, () => randomTree(random, { bodies: 1, floating: true })))
}

/** Trees in one world, which has the gravity of the first. */
function forestOf(trees: readonly Model[]): Model {
  const [{ gravity }] = trees
  return combineModels(
    'forest',
    trees.map((model, i) => ({ model: { ...model, gravity }, prefix: `${i}/` })),
  )
}

interface Forest {
  readonly random: Random
  readonly model: Model
  readonly state: State
  readonly data: Data
}

/** Up to three random trees at random states. */
function forEachForest(seed: number, run: (forest: Forest) => void): void {
  const random = createRandom(seed)
  for (let n = 0; n < 60; n++) {
    const trees = Array.from({ length: 1 + random.index(3) }, () =>
      randomTree(random, { bodies: 1 + random.index(8), ...treeKind(n) }),
    )
    const model = forestOf(trees)
    if (model.nv === 0) continue
    const state = randomState(random, model)
    const data = createData(model)
    kinematics(model, state, data)
    run({ random, model, state, data })
  }
}
