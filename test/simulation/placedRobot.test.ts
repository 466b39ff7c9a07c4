import { expect, test } from 'vitest'
import { createControllerLoop, hold } from '../../control/index.ts'
import { buildModel, JointType, rotationOfQuaternion } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { createFreeBody, placeRobot, type Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

/** An arm of one link on a hinge about y, its centre half a metre out along x. */
function arm(limits: { lower?: number; upper?: number } = {}): Robot {
  const body = createFreeBody({ name: 'arm', shape: { type: 'sphere', radius: 0.01 }, mass: 2 })
  const model = buildModel('arm', [
    {
      name: 'link',
      jointName: 'hinge',
      parent: 0,
      jointType: JointType.revolute,
      axis: [0, 1, 0],
      mass: 2,
      centerOfMass: [0.5, 0, 0],
      inertia: [0.01, 0.01, 0.01, 0, 0, 0],
      ...limits,
    },
  ])
  const joint = { name: 'hinge', type: 'revolute' as const, body: 1, qIndex: 0, vIndex: 0 }
  return { ...body, name: 'arm', model, floating: false, joints: [joint], shapes: [], frames: [], home: new Float64Array(1) }
}

test('a robot that is bolted to a wall is held against the gravity that pulls on it there', () => {
  // rolled by 90 degrees about x the hinge is upright and the arm feels no gravity about it
  const R = new Float64Array(9)
  rotationOfQuaternion(R, Float64Array.of(Math.SQRT1_2, 0, 0, Math.SQRT1_2), 0)
  const robot = placeRobot(arm(), R, undefined)
  const world = new World({ robot, contactModel: 'penalty', dt: 1e-3, controller: createControllerLoop(hold(), robot) })
  for (let k = 0; k < 500; k++) world.step()
  expect(Math.abs(world.state.q[0])).toBeLessThan(1e-12)
})

test('bodies far away make no difference to the stops of a joint, whatever stiffness is stated', () => {
  const restOf = (others: { robot: Robot }[]) => {
    const world = new World({
      robots: [{ robot: arm({ lower: -1, upper: 0 }) }, ...others],
      contactModel: 'penalty',
      physical: { stiffness: 2e4 },
      dt: 1e-3,
    })
    for (let k = 0; k < 2000; k++) world.step()
    return world.state.q[0]
  }
  const ball = createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.5 }, mass: 2000, position: [5, 0, 0.5] })
  const alone = restOf([])
  expect(Math.abs(alone)).toBeLessThan(1e-9)
  expect(restOf([{ robot: ball }])).toBe(alone)
})

test('a checkpoint of the same robots in another order is refused', () => {
  const [a, b] = ['a', 'b'].map((name) =>
    createFreeBody({ name, shape: { type: 'sphere', radius: 0.1 }, mass: 1, position: [name === 'a' ? 0 : 1, 0, 1] }),
  )
  const world = (robots: Robot[]) => new World({ robots: robots.map((robot) => ({ robot })), contactModel: 'penalty', dt: 1e-3 })
  const saved = world([a, b]).checkpoint()
  expect(() => world([b, a]).restore(saved)).toThrow(/the checkpoint is of a, b, this world of b, a/)
  expect(() => world([a, b]).restore(saved)).not.toThrow()
})

test('Runge-Kutta reports at the contacts of the start of the step, whatever its stages saw', () => {
  const robots = Array.from({ length: 6 }, (_, i) => ({
    robot: createFreeBody({
      name: `box${i}`,
      shape: { type: 'box', size: [0.2, 0.15, 0.1] },
      mass: 1 + i,
      position: [0.02 * i, 0.015 * i, 0.06 + 0.11 * i],
      quaternion: [0, 0, 0.1 * i, 1].map((x, _, q) => x / Math.hypot(...q)) as [number, number, number, number],
    }),
  }))
  const world = new World({
    robots,
    contactModel: 'penalty',
    integrator: 'rk4',
    physical: { allowedPenetration: 2e-3 },
    dt: 5e-4,
  })
  const { detection } = world as unknown as { detection: { detectContacts: (horizon: Float64Array) => void } }
  let compared = 0
  for (let k = 0; k < 600; k++) {
    let atStart = ''
    const shown = () => {
      const { count, pair, feature, normal } = world.contacts
      return JSON.stringify([[...pair.slice(0, count)], [...feature.slice(0, count)], [...normal.slice(0, 3 * count)]])
    }
    const detect = detection.detectContacts.bind(detection)
    detection.detectContacts = (horizon) => {
      detect(horizon)
      if (atStart === '') atStart = shown()
    }
    world.step()
    detection.detectContacts = detect
    expect(shown()).toBe(atStart)
    compared += world.contacts.count
  }
  expect(compared).toBeGreaterThan(1000)
})

test('one robot that stands elsewhere keeps its names', () => {
  const robot = loadOwnRobot('humanoid', { base: 'fixed' })
  const placed = placeRobot(robot, undefined, Float64Array.of(1, 2, 3))
  expect(placed.shapes.find(({ body }) => body === 0)?.p[1]).toBe(2 + (robot.shapes.find(({ body }) => body === 0)?.p[1] ?? 0))
  expect(placed.joints.map(({ name }) => name)).toEqual(robot.joints.map(({ name }) => name))
})
