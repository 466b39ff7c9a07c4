import { describe, expect, test } from 'vitest'
import { loadOwnRobot } from '../../robots/files.ts'
import { combineRobots, createFreeBody, loadRobot, type Robot, startsOf } from '../../robots/index.ts'
import { dataAt, stateOf } from '../dynamics/at.ts'
import { inertial } from './lookalike.ts'

const ball = createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 2, position: [1, 2, 3] })

/** On the world, with a post that is welded to it, two hinges of which the second follows the first, and a pair that never touches. */
const gripper = loadRobot(
  `<robot name="gripper"><link name="world"/>
  <link name="post">${inertial}<collision><origin xyz="0 0 0.1"/><geometry><box size="0.1 0.1 0.2"/></geometry></collision></link>
  <joint name="weld" type="fixed"><parent link="world"/><child link="post"/><origin xyz="0.5 0 0"/></joint>
  ${finger('left')}${finger('right', '<mimic joint="left_hinge" multiplier="-1"/>')}</robot>`,
  {
    file: 'gripper.urdf',
    srdf: {
      file: 'gripper.srdf',
      text: '<robot name="gripper"><disable_collisions link1="left" link2="right" reason="Never"/></robot>',
    },
  },
)

function finger(name: string, inside = ''): string {
  const origin = `<origin xyz="0 ${name === 'left' ? 0.3 : -0.3} 0.5"/>`
  return `<link name="${name}">${inertial}<collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="${name}_hinge" type="revolute"><parent link="post"/><child link="${name}"/>${origin}<axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="5" velocity="5"/>${inside}</joint>`
}

/** Where each shape's origin is in the world at a configuration. */
function placesOf(robot: Robot, q: ArrayLike<number>): number[][] {
  const { model } = robot
  const data = dataAt(model, stateOf(model, q))
  return robot.shapes.map(({ body, p }) => {
    const [R, at] = [data.R_WB[body], data.p_WB[body]]
    return [0, 1, 2].map((d) => at[d] + R[3 * d] * p[0] + R[3 * d + 1] * p[1] + R[3 * d + 2] * p[2])
  })
}

describe('several robots as one', () => {
  const parts = [
    { name: 'a', robot: gripper },
    { name: 'b', robot: ball },
    { name: 'c', robot: gripper },
    { name: 'd', robot: loadOwnRobot('diffdrive') },
  ]
  const whole = combineRobots('everything', parts)

  test('names of links, joints and shapes begin with the part; each is there once', () => {
    expect(whole.joints.map(({ name }) => name).slice(0, 2)).toEqual(['a/left_hinge', 'c/left_hinge'])
    expect(whole.mimics.map(({ name, follows }) => [name, follows])).toEqual([
      ['a/right_hinge', 'a/left_hinge'],
      ['c/right_hinge', 'c/left_hinge'],
    ])
    expect(whole.disabledCollisions).toContainEqual(['a/left', 'a/right'])
    expect(whole.disabledCollisions).toContainEqual(['c/left', 'c/right'])
    const names = whole.shapes.map(({ name }) => name)
    expect(names.slice(0, 4)).toEqual(['a/post', 'a/left', 'a/right', 'b/ball'])
    expect(whole.shapes.map(({ link }) => link).slice(0, 4)).toEqual(['a/post', 'a/left', 'a/right', 'b/ball'])
    for (const list of [names, whole.frames.map(({ name }) => name), whole.model.bodyName, whole.model.jointName.slice(1)]) {
      expect(new Set(list).size).toBe(list.length)
    }
  })

  test('its joints move what they moved, and nothing else', () => {
    const home = placesOf(whole, whole.home)
    for (const joint of whole.joints) {
      expect(whole.model.jointName[joint.body]).toBe(joint.name)
      expect(whole.model.qStart[joint.body]).toBe(joint.qIndex)
      expect(whole.model.vStart[joint.body]).toBe(joint.vIndex)
    }
    // a hinge that turns its own ball about itself moves nothing; the base of the ball moves one shape
    const q = whole.home.slice()
    const { q: start } = startsOf(parts, 1)
    q[start] += 0.5
    placesOf(whole, q).forEach((place, i) => {
      expect(place[0] - home[i][0]).toBeCloseTo(whole.shapes[i].name === 'b/ball' ? 0.5 : 0, 14)
    })
  })

  test('every part is where it was on its own', () => {
    const expected = parts.flatMap(({ robot }) => placesOf(robot, robot.home))
    placesOf(whole, whole.home).forEach((place, i) => {
      expect(place).toEqual(expected[i])
    })
    expect([...whole.home]).toEqual(parts.flatMap(({ robot }) => [...robot.home]))
  })

  test('masses and counts add up', () => {
    const sum = (of: (robot: Robot) => number) => parts.reduce((total, { robot }) => total + of(robot), 0)
    expect(whole.massUsed).toBeCloseTo(
      sum(({ massUsed }) => massUsed),
      12,
    )
    expect(whole.massDeclared).toBeCloseTo(
      sum(({ massDeclared }) => massDeclared),
      12,
    )
    expect(whole.counts.links).toBe(sum(({ counts }) => counts.links))
    expect(whole.counts.joints.mimic).toBe(2)
    for (let k = 0; k < 4; k++)
      expect(whole.worldMoments[k]).toBeCloseTo(
        sum(({ worldMoments }) => worldMoments[k]),
        12,
      )
  })

  test('the parts start where those before them end', () => {
    expect(startsOf(parts, 0)).toEqual({ body: 0, q: 0, v: 0, shape: 0 })
    expect(startsOf(parts, 2)).toEqual({
      body: gripper.model.nb - 1 + 1,
      q: gripper.model.nq + 7,
      v: gripper.model.nv + 6,
      shape: gripper.shapes.length + 1,
    })
  })
})

describe('a part that is bolted to the world', () => {
  const turn = Float64Array.of(0, -1, 0, 1, 0, 0, 0, 0, 1) // x to y
  const p = Float64Array.of(10, 0, 0)

  test('stands where it is put, with what is welded to the world, and its moments too', () => {
    for (const others of [[], [{ name: 'ball', robot: ball }]]) {
      const placed = combineRobots('placed', [{ name: 'arm', robot: gripper, R: turn, p }, ...others])
      const before = placesOf(gripper, gripper.home)
      placesOf(placed, placed.home)
        .slice(0, before.length)
        .forEach((place, i) => {
          const [x, y, z] = before[i]
          for (const [d, expected] of [10 - y, x, z].entries()) expect(place[d]).toBeCloseTo(expected, 12)
        })
      const [mass, x, y, z] = gripper.worldMoments
      expect(mass).toBeGreaterThan(0)
      for (const [k, expected] of [mass, 10 * mass - y, x, z].entries()) expect(placed.worldMoments[k]).toBeCloseTo(expected, 12)
    }
  })

  test('a part left at the origin, alone, is the robot itself', () => {
    expect(combineRobots('alone', [{ name: 'any', robot: gripper }])).toBe(gripper)
  })
})

test('two of one name, none at all, and two gravities are refused', () => {
  expect(() =>
    combineRobots('twins', [
      { name: 'twin', robot: ball },
      { name: 'twin', robot: gripper },
    ]),
  ).toThrow(/two robots are called "twin"; give each a name/)
  expect(() => combineRobots('nobody', [])).toThrow(/"nobody" has no parts/)
  const floating = createFreeBody({ name: 'balloon', shape: { type: 'sphere', radius: 1 }, mass: 1, gravity: [0, 0, 0] })
  expect(() =>
    combineRobots('two', [
      { name: 'ball', robot: ball },
      { name: 'balloon', robot: floating },
    ]),
  ).toThrow(/gravity is \[0,0,0\] for "balloon"/)
})
