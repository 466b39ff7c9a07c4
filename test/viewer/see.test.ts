import { type BufferAttribute, LineSegments } from 'three'
import { describe, expect, test } from 'vitest'
import { centerOfMass, createData, createState, kinematics } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { createFreeBody, type Robot } from '../../robots/index.ts'
import type { Snapshot } from '../../viewer/protocol.ts'
import { contactForce } from '../../viewer/see/linkTree.ts'
import { type OverlayName, Overlays } from '../../viewer/see/overlays.ts'

function dataOf(robot: Robot, q = robot.home) {
  const [state, data] = [createState(robot.model), createData(robot.model)]
  state.q.set(q)
  kinematics(robot.model, state, data)
  return data
}

const snapshotOf = (robot: Robot, contacts: number[] = [], step = 0) =>
  ({ step, q: robot.home, contacts: Float32Array.from(contacts) }) as unknown as Snapshot

/** Ends of the lines that are drawn, in the order of drawing. */
function drawn(overlays: Overlays): number[][] {
  const [lines] = overlays.group.children as [LineSegments]
  expect(lines).toBeInstanceOf(LineSegments)
  const position = lines.geometry.attributes.position as BufferAttribute
  return Array.from({ length: lines.geometry.drawRange.count }, (_, i) => [position.getX(i), position.getY(i), position.getZ(i)])
}

function show(robot: Robot, names: OverlayName[], snapshot = snapshotOf(robot), selected = -1): number[][] {
  const overlays = new Overlays()
  overlays.update(names, { robot, data: dataOf(robot), snapshot, size: 0.5, selected })
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
    const ends = show(quadruped, ['support and pressure'], snapshotOf(quadruped, contacts))
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

  test('follow the centre of mass, and begin anew where the clock goes back', () => {
    const overlays = new Overlays()
    const at = (step: number) =>
      overlays.update(['trail of the centre of mass'], {
        robot: quadruped,
        data: dataOf(quadruped),
        snapshot: snapshotOf(quadruped, [], step),
        size: 0.5,
        selected: -1,
      })
    for (const step of [0, 10, 20, 20, 30]) at(step)
    expect(drawn(overlays)).toHaveLength(6) // three pieces
    at(5)
    expect(drawn(overlays)).toHaveLength(0)
  })

  test('mark the link that is selected, at its origin', () => {
    const data = dataOf(quadruped)
    const ends = show(quadruped, [], snapshotOf(quadruped), 3)
    for (let k = 0; k < 3; k++) expect(ends[0][k]).toBeCloseTo(data.p_WB[3][k], 6)
  })
})

test('the contact force of a link is the sum of those on it, whichever side it is', () => {
  const force = (x: number, y: number, z: number) => [0, 0, 0, 0, 0, 1, x, y, z, 0]
  const snapshot = {
    contacts: Float32Array.from([...force(0, 3, 4), ...force(0, 0, 1), ...force(9, 9, 9)]),
    contactBodies: Int32Array.of(0, 2, 2, 5, 0, 4),
  } as unknown as Snapshot
  expect(contactForce(snapshot, 2)).toBeCloseTo(Math.hypot(3, 3), 6)
  expect(contactForce(snapshot, 1)).toBe(0)
})
