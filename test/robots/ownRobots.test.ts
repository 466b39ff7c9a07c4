import { describe, expect, test } from 'vitest'
import { centerOfMass, createRandom, type Data } from '../../dynamics/index.ts'
import { loadOwnRobot, OWN_ROBOTS } from '../../robots/files.ts'
import type { CollisionShape, Robot } from '../../robots/index.ts'
import { dataAt, filled, stateOf } from '../dynamics/at.ts'

const diffdrive = loadOwnRobot('diffdrive')
const humanoid = loadOwnRobot('humanoid')
const robots = { diffdrive, humanoid }

/** Links that stand on the ground, round the support polygon counter-clockwise seen from above. */
const supports = {
  diffdrive: ['right_wheel', 'left_wheel', 'caster'],
  humanoid: ['front_caster', 'left_wheel', 'rear_caster', 'right_wheel'],
}

const arm = (side: string) => [
  `${side}_shoulder_pitch_joint`,
  `${side}_shoulder_roll_joint`,
  `${side}_shoulder_yaw_joint`,
  `${side}_elbow_joint`,
  `${side}_wrist_yaw_joint`,
  `${side}_wrist_pitch_joint`,
  `${side}_wrist_roll_joint`,
]
const hand = (side: string) => [`${side}_finger_joint`, `${side}_thumb_joint`]

const groups = {
  wheels: ['left_wheel_joint', 'right_wheel_joint'],
  waist: ['waist_yaw_joint', 'waist_roll_joint', 'waist_pitch_joint'],
  neck: ['neck_yaw_joint', 'neck_pitch_joint', 'neck_roll_joint'],
  'left arm': arm('left'),
  'left hand': hand('left'),
  'right arm': arm('right'),
  'right hand': hand('right'),
}

type Pose = Readonly<Record<string, number>>

/** The home pose with the named joints elsewhere, and what follows from it. */
function placed(robot: Robot, pose: Pose = {}) {
  const state = stateOf(robot.model, robot.home)
  for (const [name, value] of Object.entries(pose)) state.q[jointOf(robot, name).qIndex] = value
  const data = dataAt(robot.model, state)
  return { data, com: filled(3, (out) => centerOfMass(robot.model, data, out)) }
}

function jointOf(robot: Robot, name: string) {
  const joint = robot.joints.find((joint) => joint.name === name)
  if (!joint) throw new Error(`${robot.name} has no joint ${name}`)
  return joint
}

/** Height of a shape's lowest point, in closed form: |z-row of R| against the half extents. */
function lowest(shape: CollisionShape, { R_WB, p_WB }: Data): number {
  const B = R_WB[shape.body]
  const zRow = [0, 1, 2].map((j) => B[6] * shape.R[j] + B[7] * shape.R[3 + j] + B[8] * shape.R[6 + j]) as [number, number, number]
  const z = p_WB[shape.body][2] + B[6] * shape.p[0] + B[7] * shape.p[1] + B[8] * shape.p[2]
  const s = shape.shape
  if (s.type === 'sphere') return z - s.radius
  if (s.type === 'cylinder') return z - s.radius * Math.hypot(zRow[0], zRow[1]) - (s.length / 2) * Math.abs(zRow[2])
  if (s.type === 'box') return z - s.size.reduce((sum, length, k) => sum + (length / 2) * Math.abs(zRow[k]), 0)
  throw new Error(`${shape.name}: no closed form for a ${s.type}`)
}

/** Where the centre of the link's collision shape stands, seen from above. */
function footprint(robot: Robot, link: string, data: Data): [number, number] {
  const shape = robot.shapes.find((shape) => shape.link === link)!
  const B = data.R_WB[shape.body]
  const p = data.p_WB[shape.body]
  const at = (k: number) => p[k] + B[3 * k] * shape.p[0] + B[3 * k + 1] * shape.p[1] + B[3 * k + 2] * shape.p[2]
  return [at(0), at(1)]
}

/** Distance of the centre of mass, seen from above, from the nearest side of the support polygon; positive inside [m]. */
function stabilityMargin(robot: Robot, links: readonly string[], pose: Pose = {}): number {
  const { data, com } = placed(robot, pose)
  const corners = links.map((link) => footprint(robot, link, data))
  return Math.min(
    ...corners.map(([x, y], i) => {
      const [xNext, yNext] = corners[(i + 1) % corners.length]
      return ((xNext - x) * (com[1] - y) - (yNext - y) * (com[0] - x)) / Math.hypot(xNext - x, yNext - y)
    }),
  )
}

test.each(OWN_ROBOTS)('every body of %s has an inertia that a solid can have', (name) => {
  const { model } = loadOwnRobot(name)
  for (let i = 1; i < model.nb; i++) {
    const [m, mx, my, mz, xx, yy, zz, xy, xz, yz] = Array.from(model.I[i])
    const [x, y, z] = [mx / m, my / m, mz / m]
    // about the centre of mass, by the parallel-axis theorem
    const Cxx = xx - m * (y * y + z * z)
    const Cyy = yy - m * (z * z + x * x)
    const Czz = zz - m * (x * x + y * y)
    const Cxy = xy + m * x * y
    const Cxz = xz + m * x * z
    const Cyz = yz + m * y * z
    // The second moments of mass P = tr(C)/2 E - C are positive definite if and only if the principal moments satisfy the
    // triangle inequality strictly; Sylvester's criterion on the leading minors.
    const h = (Cxx + Cyy + Czz) / 2
    const [Pxx, Pyy, Pzz] = [h - Cxx, h - Cyy, h - Czz]
    const minor2 = Pxx * Pyy - Cxy * Cxy
    const minor3 = Pzz * minor2 - Pxx * Cyz * Cyz - Pyy * Cxz * Cxz - 2 * Cxy * Cxz * Cyz
    expect(m, model.bodyName[i]).toBeGreaterThan(0)
    // h sets the scale; a hundred-thousandth of it is far above rounding and far below what any solid here has
    expect(Pxx / h, model.bodyName[i]).toBeGreaterThan(1e-5)
    expect(minor2 / h ** 2, model.bodyName[i]).toBeGreaterThan(1e-5)
    expect(minor3 / (h * h * h), model.bodyName[i]).toBeGreaterThan(1e-5)
  }
})

for (const [name, robot] of Object.entries(robots)) {
  const feet = supports[name as keyof typeof supports]

  describe(name, () => {
    test('loads without a warning', () => {
      expect(robot.diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
      expect(robot.name).toBe(name)
      expect(robot.floating).toBe(true)
    })

    test('every joint holds zero, states its limits and has a little damping', () => {
      const { model } = robot
      for (const joint of robot.joints) {
        const i = joint.vIndex
        expect(robot.home[joint.qIndex], joint.name).toBe(0)
        expect(model.effortLimit[i], joint.name).toBeLessThanOrEqual(200)
        expect(model.effortLimit[i], joint.name).toBeGreaterThan(0)
        expect(model.velocityLimit[i], joint.name).toBeLessThanOrEqual(20)
        expect(model.damping[i], joint.name).toBeGreaterThan(0)
        if (joint.type === 'continuous') continue
        expect(model.lower[i], joint.name).toBeLessThan(-0.05)
        expect(model.upper[i], joint.name).toBeGreaterThan(0.05)
      }
    })

    test('wheels and casters touch z = 0, and nothing else comes near it', () => {
      const { data } = placed(robot)
      for (const shape of robot.shapes) {
        const height = lowest(shape, data)
        // rounding of sums of a few lengths below 1 m
        if (feet.includes(shape.link)) expect(Math.abs(height), shape.name).toBeLessThan(1e-12)
        else expect(height, shape.name).toBeGreaterThan(0.049)
      }
      for (const link of feet) expect(robot.shapes.filter((shape) => shape.link === link).length, link).toBe(1)
    })

    test('wheels are round about their joints: turning them lifts nothing', () => {
      const { data } = placed(robot, { left_wheel_joint: 1.1, right_wheel_joint: -2.3 })
      // as above; the cylinder's axis stays level to the rounding of a rotation
      for (const shape of robot.shapes) {
        if (feet.includes(shape.link)) expect(Math.abs(lowest(shape, data)), shape.name).toBeLessThan(1e-12)
      }
    })

    test('a positive wheel speed drives forward', () => {
      const { data } = placed(robot)
      for (const name of groups.wheels) {
        const { body, vIndex } = jointOf(robot, name)
        const SW = data.SW[vIndex]
        // v + omega x p at p = (x, y, 0), the wheel's lowest point, with the base held: backwards, so the robot is pushed forward
        const [x, y] = [data.p_WB[body][0], data.p_WB[body][1]]
        const vx = SW[3] - SW[2] * y
        expect(vx, name).toBeCloseTo(-0.1, 12) // radius 0.1 m at 1 rad/s
        expect(SW[4] + SW[2] * x, name).toBeCloseTo(0, 12)
      }
    })

    test('only the casters are smooth', () => {
      for (const shape of robot.shapes) {
        expect(shape.friction, shape.name).toBe(shape.link.endsWith('caster') ? 0.01 : undefined)
      }
    })
  })
}

describe('diffdrive', () => {
  // chassis, tower, scanner, caster and the two wheels as the drawing has them: [mass kg, x m, z m above the axle]
  const parts = [
    [6.2, -0.085, 0.02],
    [0.7, -0.12, 0.085 + 0.06],
    [0.3, -0.12, 0.085 + 0.12 + 0.025],
    [0.3, -0.22, -0.065],
    [2.6, 0, 0],
  ] as const
  const mass = parts.reduce((sum, [m]) => sum + m, 0)
  const x = parts.reduce((sum, [m, x]) => sum + m * x, 0) / mass
  const z = parts.reduce((sum, [m, , z]) => sum + m * z, 0) / mass
  const g = 9.81

  test("has two driven joints and its parts' mass", () => {
    expect(robots.diffdrive.joints.map(({ name, type }) => [name, type])).toEqual([
      ['left_wheel_joint', 'continuous'],
      ['right_wheel_joint', 'continuous'],
    ])
    expect(diffdrive.massDeclared).toBeCloseTo(mass, 12)
    expect(diffdrive.massUsed).toBe(diffdrive.massDeclared)
  })

  test('the centre of mass lies where its parts put it', () => {
    const { com } = placed(diffdrive)
    expect(com[0]).toBeCloseTo(x, 12)
    expect(com[1]).toBeCloseTo(0, 12)
    expect(com[2]).toBeCloseTo(z + 0.1, 12)
  })

  test('by the lever rule the wheels carry two thirds of the weight and the caster a third', () => {
    const { data, com } = placed(diffdrive)
    const [caster] = footprint(diffdrive, 'caster', data)
    const [wheels] = footprint(diffdrive, 'left_wheel', data)
    const wheelShare = (com[0] - caster) / (wheels - caster)
    expect(wheelShare).toBeCloseTo(1 - x / -0.22, 12)
    expect(wheelShare).toBeGreaterThan(0.6)
    expect(1 - wheelShare).toBeGreaterThan(0.25)
  })

  test('braking with full effort does not lift the caster', () => {
    const r = 0.1
    const wheelInertia = 0.5 * 1.3 * r * r
    const effort = diffdrive.model.effortLimit[jointOf(diffdrive, 'left_wheel_joint').vIndex]
    // thrust of both wheels on the robot's mass and the wheels' spin
    const braking = (2 * effort) / r / (mass + (2 * wheelInertia) / (r * r))
    // the whole robot's moments about the wheels' line of contact when the caster carries nothing
    const lifting = (mass * g * -x) / (mass * (z + r) + (2 * wheelInertia) / r)
    expect(braking).toBeCloseTo(4.4, 1)
    expect(lifting).toBeCloseTo(4.9, 1)
    expect(braking).toBeLessThan(lifting)
  })

  test('stands', () => {
    expect(stabilityMargin(diffdrive, supports.diffdrive)).toBeGreaterThan(0.05)
  })
})

describe('humanoid', () => {
  test('has 26 driven joints in their groups', () => {
    expect(new Set(humanoid.joints.map(({ name }) => name))).toEqual(new Set(Object.values(groups).flat()))
    expect(humanoid.joints.length).toBe(26)
    expect(humanoid.model.nv).toBe(6 + 26)
    for (const { name, type } of humanoid.joints) {
      expect(type, name).toBe(groups.wheels.includes(name) ? 'continuous' : 'revolute')
    }
  })

  test('weighs 50 to 80 kg, all of it stated, and low', () => {
    expect(humanoid.massDeclared).toBeGreaterThan(50)
    expect(humanoid.massDeclared).toBeLessThan(80)
    // no repairs; two sums of 33 masses in different orders
    expect(humanoid.massUsed).toBeCloseTo(humanoid.massDeclared, 10)
    expect(placed(humanoid).com[2]).toBeLessThan(0.5)
  })

  test('stands 1.5 m tall', () => {
    const { data } = placed(humanoid)
    const head = humanoid.shapes.find(({ link }) => link === 'head')!
    const top = 2 * data.p_WB[head.body][2] + 2 * head.p[2] - lowest(head, data) // a sphere: its top mirrors its bottom
    expect(top).toBeGreaterThan(1.4)
    expect(top).toBeLessThan(1.6)
  })

  test('collides with boxes, cylinders, spheres and a point at each thumb', () => {
    expect(new Set(humanoid.shapes.map(({ shape }) => shape.type))).toEqual(new Set(['box', 'cylinder', 'sphere']))
    const points = humanoid.shapes.filter(({ shape }) => shape.type === 'sphere' && shape.radius === 0)
    expect(points.map(({ link }) => link).sort()).toEqual(['left_thumb', 'right_thumb'])
  })

  test('is its own mirror image', () => {
    const { model } = humanoid
    const bodyOf = (link: string) => humanoid.frames.find(({ name }) => name === link)!.body
    const { p_WB } = placed(humanoid).data
    // masses, lever arms and moments keep their value, but for those odd in y: m cy, Ixy, Iyz
    const sign = [1, 1, -1, 1, 1, 1, 1, -1, 1, -1]
    for (const left of humanoid.frames.filter(({ name }) => name.startsWith('left_'))) {
      const right = bodyOf(left.name.replace('left_', 'right_'))
      // rounding of sums of a few lengths below 1 m, and of the rotations behind the turned inertias
      for (let k = 0; k < 3; k++) expect(p_WB[left.body][k], left.name).toBeCloseTo((k === 1 ? -1 : 1) * p_WB[right][k], 12)
      for (let k = 0; k < 10; k++) expect(model.I[left.body][k], `${left.name} ${k}`).toBeCloseTo(sign[k] * model.I[right][k], 12)
    }
    for (const left of humanoid.joints.filter(({ name }) => name.startsWith('left_'))) {
      const [i, j] = [left.vIndex, jointOf(humanoid, left.name.replace('left_', 'right_')).vIndex]
      const turned = /roll|yaw/.test(left.name)
      expect([model.lower[i], model.upper[i]], left.name).toEqual(
        turned ? [-model.upper[j], -model.lower[j]] : [model.lower[j], model.upper[j]],
      )
    }
  })

  const both = (joint: string, left: number, right: number): Pose => ({ [`left_${joint}`]: left, [`right_${joint}`]: right })
  const forward = both('shoulder_pitch_joint', -Math.PI / 2, -Math.PI / 2)
  const poses: Record<string, Pose> = {
    home: {},
    'both arms forward': forward,
    'both arms sideways': both('shoulder_roll_joint', Math.PI / 2, -Math.PI / 2),
    'left arm sideways': { left_shoulder_roll_joint: Math.PI / 2 },
    'right arm forward, left arm sideways': { left_shoulder_roll_joint: Math.PI / 2, right_shoulder_pitch_joint: -Math.PI / 2 },
    'both arms overhead': both('shoulder_pitch_joint', -3, -3),
    'both arms forward, bent down': { ...forward, waist_pitch_joint: 0.8 },
    'both arms forward, turned and bent to the side': {
      ...forward,
      waist_yaw_joint: 0.7,
      waist_pitch_joint: 0.8,
      waist_roll_joint: 0.4,
    },
  }
  for (const [name, pose] of Object.entries(poses)) {
    test(`stands with ${name}`, () => {
      expect(stabilityMargin(humanoid, supports.humanoid, pose)).toBeGreaterThan(0.06)
    })
  }

  test('in no pose that the joint limits allow does the centre of mass come near the edge of its support', () => {
    // A seeded search for the worst pose: joint by joint to whichever limit, or random place, leaves the smallest margin.
    const random = createRandom(20081)
    const { model } = humanoid
    const movable = humanoid.joints.filter(({ type, name }) => type === 'revolute' && !/finger|thumb/.test(name))
    const between = (i: number) => model.lower[i] + (model.upper[i] - model.lower[i]) * random.next()
    for (let start = 0; start < 4; start++) {
      let pose: Pose = Object.fromEntries(movable.map(({ name, vIndex }) => [name, between(vIndex)]))
      let worst = stabilityMargin(humanoid, supports.humanoid, pose)
      for (let sweep = 0; sweep < 5; sweep++) {
        for (const { name, vIndex: i } of movable) {
          for (const value of [model.lower[i], model.upper[i], between(i), between(i)]) {
            const candidate = { ...pose, [name]: value }
            const margin = stabilityMargin(humanoid, supports.humanoid, candidate)
            if (margin >= worst) continue
            worst = margin
            pose = candidate
          }
        }
      }
      expect(worst).toBeGreaterThan(0.06)
    }
  })
})
