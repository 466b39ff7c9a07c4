import { describe, expect, test } from 'vitest'
import type { JointSource } from '../../../contact/constraints/index.ts'
import { ContactRows, Islands, LengthRows } from '../../../contact/constraints/index.ts'
import { ContactSet, contactChoice, LoopRows } from '../../../contact/index.ts'
import {
  type BodyDefinition,
  biasForces,
  buildModel,
  combineModels,
  crba,
  createData,
  createRandom,
  directionRow,
  kinematics,
  type Model,
  pointVelocity,
  type Random,
  SparseCholesky,
  velocities,
} from '../../../dynamics/index.ts'
import { createFreeBody, type Robot } from '../../../robots/index.ts'
import { World, type WorldOptions } from '../../../simulation/index.ts'
import { dailyModels } from '../../dailyModels.ts'
import { body, hinge, slide, solid } from '../../dynamics/bodies.ts'
import { randomBodies, randomState, randomVector, relativeError, treeKind } from '../../dynamics/randomTree.ts'
import { g, makeRobot } from '../laws/scenes.ts'

/*
 * Contacts between bodies that both move: of two robots, of a robot and a free body, of two branches of one tree.
 */

const names = dailyModels

describe('rows of contacts', () => {
  test("a contact's rows times v are the velocity of B's point relative to A's", () => {
    forEachSet(71, ({ model, state, data, contacts, rows }) => {
      velocities(model, state, data)
      const u = new Float64Array(3 * contacts.count)
      rows.velocity(u, state.v, contacts.count)
      const [a, b] = [new Float64Array(3), new Float64Array(3)]
      for (let i = 0; i < contacts.count; i++) {
        const point = contacts.point.slice(3 * i, 3 * i + 3)
        pointVelocity(data, contacts.bodyA[i], point, a)
        pointVelocity(data, contacts.bodyB[i], point, b)
        const expected = [contacts.normal, contacts.tangent1, contacts.tangent2].map((axis) =>
          [0, 1, 2].reduce((sum, d) => sum + axis[3 * i + d] * (b[d] - a[d]), 0),
        )
        // two sums of some 30 products of numbers below 100
        expected.forEach((value, r) => {
          expect(u[3 * i + r]).toBeCloseTo(value, 10)
        })
      }
    })
  })

  test('where all contacts are with something fixed, rows and velocities come in one go and are the same', () => {
    forEachSet(77, ({ random, model, state, data, contacts }) => {
      for (let i = 0; i < contacts.count; i++) contacts[random.next() < 0.5 ? 'bodyA' : 'bodyB'][i] = 0
      const rows = new ContactRows(model)
      const u = new Float64Array(3 * contacts.capacity)
      rows.buildMoving(data, contacts, state.v, u)
      const again = new Float64Array(u.length)
      rows.velocity(again, state.v, contacts.count)
      expect(u).toEqual(again)
      const dense = new Float64Array(model.nv)
      for (let i = 0; i < contacts.count; i++) {
        for (const [r, axis] of [contacts.normal, contacts.tangent1, contacts.tangent2].entries()) {
          dense.fill(0)
          directionRow(model, data, contacts.bodyB[i], contacts.point, 3 * i, axis, 3 * i, 1, dense, 0)
          directionRow(model, data, contacts.bodyA[i], contacts.point, 3 * i, axis, 3 * i, -1, dense, 0)
          // sums of products in another order
          rows.denseRow(i, r).forEach((value, k) => {
            expect(value).toBeCloseTo(dense[k], 12)
          })
        }
      }
    })
  })

  test('they are listed in the order of elimination, each velocity once, and what is not listed moves nothing', () => {
    forEachSet(72, ({ model, data, contacts, rows }) => {
      const { nv } = model
      const { first, size, pattern } = rows
      for (let i = 0; i < contacts.count; i++) {
        const list = rows.velocities.slice(first[i], first[i] + size[i])
        expect(new Set(list).size).toBe(list.length)
        for (let n = 1; n < list.length; n++) {
          expect(pattern.position[list[n]]).toBeGreaterThan(pattern.position[list[n - 1]])
        }
        const dense = new Float64Array(nv)
        directionRow(model, data, contacts.bodyB[i], contacts.point, 3 * i, contacts.normal, 3 * i, 1, dense, 0)
        directionRow(model, data, contacts.bodyA[i], contacts.point, 3 * i, contacts.normal, 3 * i, -1, dense, 0)
        for (let k = 0; k < nv; k++) {
          if (!list.includes(k)) expect(dense[k]).toBe(0)
        }
      }
    })
  })

  test('what follows a velocity in its list is on the path of the first one', () => {
    forEachSet(73, ({ model, contacts, rows }) => {
      const { first, size, pattern } = rows
      const path = new Int32Array(model.nv)
      for (let i = 0; i < contacts.count; i++) {
        if (size[i] === 0) continue
        const onPath = path.subarray(0, pattern.path(rows.velocities[first[i]], path))
        for (const k of rows.velocities.slice(first[i], first[i] + size[i])) expect(onPath).toContain(k)
      }
    })
  })
})

describe('islands', () => {
  test('contacts are of one island if a way leads from one to the other over moving bodies, and only then', () => {
    forEachSet(74, ({ random, model, contacts, rows }) => {
      const limits = Int32Array.from({ length: model.nv > 0 ? 3 : 0 }, () => random.index(model.nv))
      const lengths = new LengthRows(model)
      const joints = { count: limits.length, capacity: limits.length, velocity: limits, lengths } as unknown as JointSource
      const loops = new LoopRows(model)
      const islands = new Islands(model, new SparseCholesky(model), joints, loops)
      islands.find(contacts, joints, loops)

      // trees by their roots, joined until nothing changes
      const rootOfV = Array.from(model.vParent)
      rootOfV.forEach((p, k) => {
        rootOfV[k] = p < 0 ? k : rootOfV[p]
      })
      const rootOf = (body: number) => (model.vLast[body] < 0 ? -1 : rootOfV[model.vLast[body]])
      const group = Array.from(rootOfV.keys())
      for (let again = true; again; ) {
        again = false
        for (let i = 0; i < contacts.count; i++) {
          const [a, b] = [rootOf(contacts.bodyA[i]), rootOf(contacts.bodyB[i])]
          if (a < 0 || b < 0 || group[a] === group[b]) continue
          const low = Math.min(group[a], group[b])
          group[a] = low
          group[b] = low
          again = true
        }
      }
      const groupOf = (i: number) => group[Math.max(rootOf(contacts.bodyA[i]), rootOf(contacts.bodyB[i]))]
      const seen = new Set<number>()
      const groups = new Set<number>()
      for (let n = 0; n < islands.count; n++) {
        const members = [...islands.contacts.slice(islands.contactStart[n], islands.contactStart[n + 1])]
        const own = [...islands.joints.slice(islands.jointStart[n], islands.jointStart[n + 1])]
        const all = [...members.map(groupOf), ...own.map((l) => group[rootOfV[limits[l]]])]
        expect(new Set(all).size).toBe(1)
        groups.add(all[0])
        for (const i of members) seen.add(i)
        expect(members).toEqual([...members].sort((x, y) => x - y))
        expect(own).toEqual([...own].sort((x, y) => x - y))
      }
      expect(groups.size).toBe(islands.count)
      for (let i = 0; i < contacts.count; i++) expect(seen.has(i)).toBe(rows.size[i] > 0)
    })
  })
})

for (const contactModel of names) {
  describe(contactModel, () => {
    test('what a step changes of the momenta is what forces and contact impulses give: M (v⁺ - v) = h (tau - c) + Jᵀ p', () => {
      // what is near is to take part, too
      const contactOptions = contactModel === 'anitescu-potra' ? { activeDistance: 1 } : undefined
      const world = new World({ ...tangle(), ...contactChoice(contactModel, contactOptions), dt: 1e-3 })
      const { model, state, contacts, dt } = world
      const { nv } = model
      const data = createData(model)
      const tau = new Float64Array(nv)
      kinematics(model, state, data)
      crba(model, data)
      biasForces(model, state, data, tau)
      world.step()
      const given = tau.map((c) => -dt * c)
      const row = new Float64Array(nv)
      const touching = new Set<string>()
      for (let i = 0; i < contacts.count; i++) {
        const { bodyA, bodyB, point, impulse } = contacts
        const axes = [contacts.normal, contacts.tangent1, contacts.tangent2]
        axes.forEach((axis, r) => {
          row.fill(0)
          directionRow(model, data, bodyB[i], point, 3 * i, axis, 3 * i, 1, row, 0)
          directionRow(model, data, bodyA[i], point, 3 * i, axis, 3 * i, -1, row, 0)
          for (let k = 0; k < nv; k++) given[k] += row[k] * impulse[3 * i + r]
        })
        if (impulse[3 * i] > 0) touching.add(`${model.bodyName[bodyA[i]]}, ${model.bodyName[bodyB[i]]}`)
      }
      const gained = new Float64Array(nv)
      for (let k = 0; k < nv; k++) for (let l = 0; l < nv; l++) gained[k] += data.M[k * nv + l] * state.v[l]
      // the equation is solved by a factorisation of a matrix with a condition of 1e6 or so
      expect(relativeError(gained, given)).toBeLessThan(1e-9)
      // what anitescu-potra does not hear of in time it has no impulse for
      const expected = ['left/tip, right/tip', 'third/tip, fork/prong 1', 'fork/prong 1, fork/prong 2']
      if (contactModel === 'anitescu-potra') expect(expected).toEqual(expect.arrayContaining([...touching]))
      else expect([...touching].sort()).toEqual(expected.sort())
    })
  })
}

describe('a column of boxes', () => {
  for (const contactModel of ['hunt-crossley', 'stewart-trinkle'] as const) {
    test(`${contactModel}: each bears the weight of those above it`, () => {
      const masses = [4, 1, 3, 2, 5]
      const robots = masses.map((mass, i) => ({ name: `box ${i}`, robot: box(0.2, mass, [0, 0, 0.1 + 0.2 * i]) }))
      const world = new World({ robots, contactModel, dt: 1e-3 })
      for (let n = 0; n < 2000; n++) world.step()
      const load = new Float64Array(masses.length)
      const { contacts, dt } = world
      for (let i = 0; i < contacts.count; i++) {
        load[Math.max(contacts.bodyA[i], contacts.bodyB[i]) - 1] += Math.abs(contacts.impulse[3 * i]) / dt
      }
      masses.forEach((_, i) => {
        const weight = masses.slice(i).reduce((sum, mass) => sum + mass, 0) * g
        expect(load[i] / weight).toBeCloseTo(1, 6) // at rest to rounding after 2 s, or a part of the compliance away from it
      })
    })
  }
})

test('stewart-trinkle: who stands apart gets the bits that he gets alone while others collide', () => {
  const apart = { name: 'apart', robot: box(0.2, 5, [2, 0, 0.12]), v: Float64Array.of(0.1, 0, 0.3, 0.5, 0, 0) }
  const others = [0, 1, 2].map((i) => ({ name: `other ${i}`, robot: ball(0.1, 1 + i, [0.05 * i, 0, 0.1 + 0.22 * i]) }))
  const world = new World({ robots: [...others, apart], contactModel: 'stewart-trinkle', dt: 1e-3 })
  const alone = new World({ robot: apart.robot, v: apart.v, contactModel: 'stewart-trinkle', dt: 1e-3 })
  let between = 0
  for (let n = 0; n < 400; n++) {
    world.step()
    alone.step()
    if (world.contacts.bodyA.slice(0, world.contacts.count).some((body) => body > 0)) between++
  }
  expect(between).toBeGreaterThan(50)
  expect(world.robots[3].state.q).toEqual(alone.state.q)
  expect(world.robots[3].state.v).toEqual(alone.state.v)
})

interface Rows {
  readonly random: Random
  readonly model: Model
  readonly state: ReturnType<typeof randomState>
  readonly data: ReturnType<typeof createData>
  readonly contacts: ContactSet
  readonly rows: ContactRows
}

/** Random contacts between random bodies of several mechanisms; the rows' numbers are NaN before they are built. */
function forEachSet(seed: number, run: (set: Rows) => void): void {
  const random = createRandom(seed)
  for (let n = 0; n < 30; n++) {
    const parts = Array.from({ length: 2 + random.index(5) }, (_, i) => ({
      model: buildModel('part', randomBodies(random, { bodies: 1 + random.index(8), ...treeKind(n + i) })),
      prefix: `${i}/`,
    }))
    const model = combineModels('forest', parts)
    const state = randomState(random, model)
    const data = createData(model)
    kinematics(model, state, data)
    const contacts = new ContactSet()
    contacts.count = random.index(12)
    for (let i = 0; i < contacts.count; i++) {
      contacts.bodyA[i] = random.index(model.nb)
      contacts.bodyB[i] = random.index(model.nb)
      for (const axis of [contacts.point, contacts.normal, contacts.tangent1, contacts.tangent2]) {
        axis.set(randomVector(random, 3), 3 * i)
      }
    }
    const rows = new ContactRows(model)
    rows.build(data, contacts)
    run({ random, model, state, data, contacts, rows })
  }
}

/** Links about axes across x in a row from a point of the world, with a ball of 5 cm at the end. */
function chain(name: string, start: readonly [number, number, number], direction: 1 | -1, links: number): Robot {
  const bodies = Array.from(
    { length: links },
    (_, i): BodyDefinition =>
      body(
        i === links - 1 ? 'tip' : `link ${i}`,
        hinge(`joint ${i}`, i, i % 2 === 0 ? [0, 1, 0] : [0, 0, 1], i === 0 ? start : [0.3 * direction, 0, 0]),
        solid(1 + i, [0.02, 0.03, 0.04], [0.15 * direction, 0, 0.01]),
      ),
  )
  return makeRobot(name, bodies, [{ body: links, shape: { type: 'sphere', radius: 0.05 }, p: [0.3 * direction, 0, 0] }])
}

/** Two arms whose tips press on each other, a fork whose prongs do, and a third arm on one of these; nothing else. */
function tangle(): Pick<WorldOptions, 'robots' | 'fixtures' | 'selfCollision'> {
  const prong = (n: number, y: number): BodyDefinition =>
    body(`prong ${n}`, hinge(`hinge ${n}`, 1, [0, 0, 1], [0, y, 0.2]), solid(0.5, [0.01, 0.01, 0.01]))
  const fork = makeRobot(
    'fork',
    [body('handle', slide('slide', 0, [0, 0, 1], [0, 1, 1]), solid(2, [0.1, 0.1, 0.1])), prong(1, 0), prong(2, 0.0995)],
    [2, 3].map((body) => ({ body, shape: { type: 'sphere' as const, radius: 0.05 }, p: [0.2, 0, 0] as const })),
  )
  return {
    robots: [
      { name: 'left', robot: chain('left', [0, 0, 1], 1, 3) },
      { name: 'right', robot: chain('right', [1.8, 0.03, 1.0945], -1, 3) },
      { name: 'third', robot: chain('third', [-0.7 + 0.3, 0.92, 1.23], 1, 2) },
      { name: 'fork', robot: fork },
    ],
    fixtures: [],
    selfCollision: 'all',
  }
}

type Place = readonly [number, number, number]

const ball = (radius: number, mass: number, position: Place, gravity: Place = [0, 0, -g]) =>
  createFreeBody({ name: 'ball', shape: { type: 'sphere', radius }, mass, position, gravity })

const box = (size: number, mass: number, position: Place) =>
  createFreeBody({ name: 'box', shape: { type: 'box', size: [size, size, size] }, mass, position })
