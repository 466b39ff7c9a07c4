import { type BufferAttribute, LineSegments } from 'three'
import { describe, expect, test } from 'vitest'
import { centerOfMass, createData, createState, kinematics } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { combineRobots, createFreeBody, loadRobot, type Robot } from '../../robots/index.ts'
import { forceOn } from '../../viewer/overlays/contactForces.ts'
import { type OverlayName, Overlays, overlayNamed, overlayNames } from '../../viewer/overlays/overlays.ts'
import { partsOf } from '../../viewer/overlays/parts.ts'
import type { Sight } from '../../viewer/overlays/pen.ts'
import { trailOf } from '../../viewer/overlays/trails.ts'
import { History } from '../../viewer/runs/history.ts'
import type { Snapshot } from '../../viewer/runs/protocol.ts'

function dataOf(robot: Robot, q = robot.home) {
  const [state, data] = [createState(robot.model), createData(robot.model)]
  state.q.set(q)
  kinematics(robot.model, state, data)
  return data
}

/** @param contacts ten numbers each, of the ground and the robot's third body @param effort over the limit of each joint */
const snapshotOf = (robot: Robot, contacts: number[] = [], { mu = 0.8, q = robot.home, effort = 0 } = {}) =>
  ({
    step: 0,
    q,
    tau: robot.model.effortLimit.map((limit) => (limit < Infinity ? effort * limit : 0)),
    contacts: Float32Array.from(contacts),
    contactBodies: Int32Array.from({ length: contacts.length / 5 }, (_, i) => (i % 2 === 0 ? 0 : 3)),
    mu: new Float32Array(contacts.length / 10).fill(mu),
  }) as unknown as Snapshot

const sightOf = (robot: Robot, more: Partial<Sight> = {}): Sight => ({
  robot,
  data: dataOf(robot),
  snapshot: snapshotOf(robot),
  parts: [[1, robot.model.nb]],
  size: 0.5,
  selected: -1,
  metresPerNewton: 0.01,
  record: () => [],
  ...more,
})

/** Ends of the lines that are drawn, in the order of drawing. */
function drawn(overlays: Overlays): number[][] {
  const [lines] = overlays.group.children as [LineSegments]
  expect(lines).toBeInstanceOf(LineSegments)
  const position = lines.geometry.attributes.position as BufferAttribute
  return Array.from({ length: lines.geometry.drawRange.count }, (_, i) => [position.getX(i), position.getY(i), position.getZ(i)])
}

function show(robot: Robot, names: OverlayName[], more: Partial<Sight> = {}): number[][] {
  const overlays = new Overlays()
  overlays.update(names, sightOf(robot, more))
  return drawn(overlays)
}

const quadruped = loadOwnRobot('quadruped')

describe('overlays', () => {
  test('draw nothing that was not asked for', () => {
    expect(show(quadruped, [])).toEqual([])
  })

  test('put the cross of the centre of mass where the core has it', () => {
    const center = new Float64Array(3)
    centerOfMass(quadruped.model, dataOf(quadruped), center)
    const ends = show(quadruped, ['centre of mass'])
    for (let k = 0; k < 3; k++) expect((ends[0][k] + ends[1][k]) / 2).toBeCloseTo(center[k], 6)
    expect(ends[ends.length - 1][2]).toBe(0)
  })

  test('give a brick an inertia box of its own size', () => {
    const brick = createFreeBody({ name: 'brick', mass: 3, shape: { type: 'box', size: [0.4, 0.2, 0.1] } })
    const ends = show(brick, ['inertia boxes'])
    const reach = [0, 1, 2].map((k) => Math.max(...ends.map((end) => end[k])) - Math.min(...ends.map((end) => end[k])))
    for (const [k, size] of [0.4, 0.2, 0.1].entries()) expect(reach[k]).toBeCloseTo(size, 6)
  })

  test('go round the points that push, with the centre of pressure by their forces', () => {
    const contact = (x: number, y: number, up: number) => [x, y, 0, 0, 0, 1, 0, 0, up, 0]
    const contacts = [
      ...contact(0, 0, 10),
      ...contact(1, 0, 30),
      ...contact(0, 1, 0),
      ...contact(0.2, 0.5, 10),
      ...contact(0.4, 0.1, 1e-9),
    ]
    const ends = show(quadruped, ['support and pressure'], { snapshot: snapshotOf(quadruped, contacts) })
    // three corners: the one within counts for nothing, the one without force neither
    const corners = ends.slice(0, 6)
    for (const [x, y] of [
      [0, 0],
      [1, 0],
      [0.2, 0.5],
    ])
      expect(corners.some((end) => Math.hypot(end[0] - x, end[1] - y) < 1e-6)).toBe(true)
    const cross = ends.slice(6)
    expect((cross[0][0] + cross[1][0]) / 2).toBeCloseTo((30 + 0.2 * 10) / 50, 6)
    expect((cross[0][1] + cross[1][1]) / 2).toBeCloseTo((0.5 * 10) / 50, 6)
  })

  test('take each robot of a scene by itself', () => {
    const bricks = ['low', 'high'].map((name) => ({
      name,
      robot: createFreeBody({ name, mass: 1, shape: { type: 'box', size: [0.4, 0.2, 0.1] } }),
    }))
    const both = combineRobots('both', bricks)
    const parts = partsOf(bricks)
    expect(parts).toEqual([
      [1, 2],
      [2, 3],
    ])
    const q = both.home.slice()
    q.set([3, 0, 0.5], 7)
    // low stands on the ground, high at a point on low, which it pushes down
    const contacts = [0.1, 0, 0, 0, 0, 1, 0, 0, 20, 0].concat([0.2, 0, 0.1, 0, 0, 1, 0, 0, 10, 0])
    const contactBodies = Int32Array.of(0, 1, 1, 2)
    for (const order of [contactBodies, Int32Array.of(0, 1, 2, 1)]) {
      // the force is that on the second body of the pair
      const sign = order === contactBodies ? 1 : -1
      const snapshot = {
        ...snapshotOf(both, [...contacts.slice(0, 18), 10 * sign, 0], { q }),
        contactBodies: order,
      }
      const more = { data: dataOf(both, q), snapshot, parts }
      const crosses = show(both, ['support and pressure'], more)
      const middles = [...new Set(crosses.map((end, i) => (i % 2 ? (end[0] + crosses[i - 1][0]) / 2 : Number.NaN).toFixed(4)))]
      expect(middles.filter((x) => x !== 'NaN').sort()).toEqual(['0.1000', '0.2000'])
      const masses = show(both, ['centre of mass'], more)
      expect((masses[8][0] + masses[9][0]) / 2 - (masses[0][0] + masses[1][0]) / 2).toBeCloseTo(3 - both.home[0], 6)
    }
  })

  test('draw no cone where friction is not known, as in a recording', () => {
    const snapshot = snapshotOf(quadruped, [1, 2, 0, 0, 0, 1, 3, 0, 20, 0], { mu: Number.NaN })
    expect(show(quadruped, ['friction cones'], { snapshot })).toEqual([])
  })

  test('follow the centre of mass through the record', () => {
    const moved = (x: number) => {
      const q = quadruped.home.slice()
      q[0] += x
      return snapshotOf(quadruped, [], { q })
    }
    const record = [0, 0.1, 0.3].map(moved)
    const ends = show(quadruped, ['trail of the centre of mass'], { record: () => record })
    expect(ends).toHaveLength(4)
    expect(ends[1][0] - ends[0][0]).toBeCloseTo(0.1, 6)
    expect(ends[3][0] - ends[2][0]).toBeCloseTo(0.2, 6)
    expect(show(quadruped, ['trail of the selected link'], { record: () => record })).toEqual([])
  })

  test("open a friction cone by the pair's coefficient, as high as the normal force", () => {
    const mu = 0.6
    const snapshot = snapshotOf(quadruped, [1, 2, 0, 0, 0, 1, 3, 0, 20, 0], { mu })
    const ends = show(quadruped, ['friction cones'], { snapshot })
    const spokes = ends.filter((end) => Math.hypot(end[0] - 1, end[1] - 2, end[2]) < 1e-6).length
    expect(spokes).toBe(4)
    for (const [x, y, z] of ends) {
      if (z === 0) continue
      expect(z).toBeCloseTo(0.01 * 20, 6)
      expect(Math.atan(Math.hypot(x - 1, y - 2) / z)).toBeCloseTo(Math.atan(mu), 6)
    }
  })

  test('write the force that two bodies give each other, however many points they touch at', () => {
    const overlays = new Overlays()
    const contacts = [0, 0, 0, 0, 0, 1, 3, 0, 20, 0].concat([1, 0, 0, 0, 0, 1, 0, 4, 20, 0])
    overlays.update(['forces in newtons'], sightOf(quadruped, { snapshot: snapshotOf(quadruped, contacts) }))
    expect(overlays.notes.map(({ text }) => text)).toEqual(['40.3 N']) // hypot(3, 4, 40)
  })

  test("turn a gauge about each joint by its effort's part of the limit", () => {
    const pieces = (effort: number) => {
      const overlays = new Overlays()
      overlays.update(['effort against limit'], sightOf(quadruped, { snapshot: snapshotOf(quadruped, [], { effort }) }))
      return overlays.shown().lines['effort against limit'].length / 6
    }
    // three rings of 24 pieces where it is full, one where it rests
    const rings = quadruped.joints.length
    expect(pieces(1)).toBe(rings * (3 * 24 + 24))
    expect(pieces(0.5)).toBe(rings * (3 * 12 + 24))
  })

  test('draw tendons always, round what they go round', () => {
    const robot = loadRobot(
      `<mujoco><worldbody><site name="a" pos="-1 0 0"/><site name="top" pos="0 0 1"/><geom name="drum" type="cylinder" size=".5 .1" euler="90 0 0"/>
        <body pos="1 0 0"><joint type="slide"/><geom size=".1"/><site name="b"/></body></worldbody>
        <tendon><spatial><site site="a"/><geom geom="drum" sidesite="top"/><site site="b"/></spatial></tendon></mujoco>`,
      { file: 'm.xml', ground: false },
    )
    const overlays = new Overlays()
    overlays.update([], sightOf(robot))
    const { tendons } = overlays.shown().lines
    expect(tendons.length / 6).toBe(1 + 8 + 1)
    expect(tendons.slice(0, 3)).toEqual([-1, 0, 0])
    expect(tendons.slice(-3)).toEqual([1, 0, 0])
    const middle = tendons.slice(6 * 4 + 3, 6 * 4 + 6)
    expect(middle[2]).toBeCloseTo(0.5, 9)
  })

  test('have a key each, of their own', () => {
    const keys = overlayNames.map((name) => overlayNamed(name).key)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('mark the link that is selected, at its origin', () => {
    const data = dataOf(quadruped)
    const ends = show(quadruped, [], { selected: 3 })
    for (let k = 0; k < 3; k++) expect(ends[0][k]).toBeCloseTo(data.p_WB[3][k], 6)
  })
})

test('a trail is drawn from five seconds of the record, evenly where each step is on it', () => {
  const history = new History(10_000)
  for (let step = 0; step <= 8000; step++) history.add({ step } as Snapshot)
  const steps = trailOf(history, 8000, 1e-3).map(({ step }) => step)
  expect(steps[0]).toBeGreaterThanOrEqual(3000)
  expect(steps[0]).toBeLessThan(3020)
  expect(steps.at(-1)).toBe(8000)
  expect(steps.length).toBeLessThan(450)
  const gaps = new Set(steps.slice(1, -1).map((step, i) => step - steps[i]))
  expect(gaps).toEqual(new Set([12]))
})

test('the contact force of a link is the sum of those on it, whichever side it is', () => {
  const force = (x: number, y: number, z: number) => [0, 0, 0, 0, 0, 1, x, y, z, 0]
  const snapshot = {
    contacts: Float32Array.from([...force(0, 3, 4), ...force(0, 0, 1), ...force(9, 9, 9)]),
    contactBodies: Int32Array.of(0, 2, 2, 5, 0, 4),
  } as unknown as Snapshot
  expect(Math.hypot(...forceOn(snapshot, 2))).toBeCloseTo(Math.hypot(3, 3), 6)
  expect(forceOn(snapshot, 1)).toEqual([0, 0, 0])
})
