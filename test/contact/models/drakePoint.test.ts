import { describe, expect, test } from 'vitest'
import type { Shape } from '../../../contact/geometry/index.ts'
import { cos, createData, kinematics, sin } from '../../../dynamics/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import type { World } from '../../../simulation/index.ts'
import { full } from '../laws/law.ts'
import { floating, identity, makeRobot, makeWorld, type Vector } from '../laws/scenes.ts'

/*
 * `drake` with one point a pair beside Drake 1.51.1 itself: the middle of the two witness points of ComputePointPairPenetration, and runs of a
 * MultibodyPlant with ContactModel.kPoint, at a step of 1 ms. Its defaults: stiffness 1e6 N/m, dissipation 50 s/m and relaxation time 0.1 s a
 * shape, which two shapes combine to 5e5 N/m, 50 s/m and 0.2 s; stiction tolerance 0.1 mm/s; gravity 9.81 m/s². Friction is 0.5.
 */

const shapes = {
  box: { type: 'box', size: [0.2, 0.3, 0.15] },
  disc: { type: 'cylinder', radius: 0.15, length: 0.02 },
  rod: { type: 'capsule', radius: 0.05, length: 0.3 },
  ball: { type: 'sphere', radius: 0.1 },
} as const satisfies Record<string, Shape>

const fixture = (shape: Shape, z = 0) => ({ name: 'fixture', body: 0, shape, R: identity, p: Float64Array.of(0, 0, z) })
const floors = {
  'half-space': fixture({ type: 'halfspace', normal: [0, 0, 1], offset: 0 }),
  box: fixture({ type: 'box', size: [2, 2, 1] }, -0.5),
}

/** The quaternion of Drake's RollPitchYaw. */
function turned([roll, pitch, yaw]: Vector): number[] {
  const [a, b, c] = [roll / 2, pitch / 2, yaw / 2].map((x) => [cos(x), sin(x)])
  return [
    a[1] * b[0] * c[0] - a[0] * b[1] * c[1],
    a[0] * b[1] * c[0] + a[1] * b[0] * c[1],
    a[0] * b[0] * c[1] - a[1] * b[1] * c[0],
    a[0] * b[0] * c[0] + a[1] * b[1] * c[1],
  ]
}

function pointOf(floor: ReturnType<typeof fixture>, shape: Shape, p: Vector, rpy: Vector) {
  const robot = createFreeBody({ name: 'body', shape, mass: 1 })
  const world = makeWorld({ robot, fixtures: [floor], model: 'drake', options: { points: 'one' }, q: [...p, ...turned(rpy)] })
  const detector = world.createDetector('point')
  const contacts = detector.createContacts()
  const data = createData(world.model)
  kinematics(world.model, world.state, data)
  detector.detect(data, Float64Array.of(0), contacts, new Float64Array(detector.memorySize))
  const [count, depth] = [contacts.count, -contacts.gap[0]]
  return { count, depth, point: contacts.point.slice(0, 3), normal: contacts.normal.slice(0, 3) }
}

const onFloors: readonly [keyof typeof floors, keyof typeof shapes, Vector, Vector, number, Vector][] = [
  // flat: the middle of the face on a half-space, up to 0.45 mrad; the corner of a box on a box
  ['half-space', 'box', [0, 0, 0.074], [0, 0, 0.3], 0.001, [0, 0, -0.0005]],
  ['half-space', 'box', [0.3, 0.1, 0.074], [1e-4, 2e-4, 0.3], 0.00103499812, [0.299983454, 0.100002732, -0.000482499063]],
  ['box', 'box', [0, 0, 0.074], [0, 0, 0.3], 0.001, [-0.0512056179, -0.172852494, -0.0005]],
  ['box', 'box', [0.3, 0.1, 0.074], [1e-4, 2e-4, 0.3], 0.00103499812, [0.439845128, -0.0137457212, -0.000517499062]],
  // on an edge: its end, opposite ones by the two ways
  ['half-space', 'box', [0.3, 0.1, 0.074], [0.01, 0, 0], 0.00249622503, [0.4, -0.0492425126, -0.00124811252]],
  ['box', 'box', [0.3, 0.1, 0.074], [0.01, 0, 0], 0.00249622503, [0.2, -0.0492425126, -0.00124811252]],
  ['half-space', 'box', [0.3, 0.1, 0.074], [0.01, -0.02, 0.3], 0.00448079297, [0.250051131, -0.071670835, -0.00224039648]],
  ['box', 'box', [0.3, 0.1, 0.074], [0.01, -0.02, 0.3], 0.00448079297, [0.250051131, -0.071670835, -0.00224039648]],
  ['half-space', 'disc', [0.3, 0.1, 0.009], [1e-4, 0, 0], 0.00099999995, [0.3, 0.100001, -0.000499999975]],
  ['half-space', 'disc', [0.3, 0.1, 0.009], [0.001, 0.002, 0.3], 0.00133538487, [0.447973496, 0.0755659212, -0.000667692436]],
  ['half-space', 'disc', [0.3, 0.1, 0.149], [Math.PI / 2, 0, 0.3], 0.001, [0.3, 0.1, -0.0005]],
  [
    'half-space',
    'disc',
    [0.3, 0.1, 0.149],
    [Math.PI / 2 - 0.001, 0, 0.3],
    0.001009925,
    [0.297089127, 0.10941006, -0.000504962499],
  ],
  ['half-space', 'rod', [0.3, 0.1, 0.049], [0, Math.PI / 2, 0.3], 0.001, [0.3, 0.1, -0.0005]],
  [
    'half-space',
    'rod',
    [0.3, 0.1, 0.049],
    [0, Math.PI / 2 - 0.001, 0.3],
    0.00114999997,
    [0.156699598, 0.0556719912, -0.000574999987],
  ],
  ['half-space', 'ball', [0.3, 0.1, 0.099], [0.2, 0.3, 0.4], 0.001, [0.3, 0.1, -0.0005]],
  ['box', 'ball', [0.3, 0.1, 0.099], [0.2, 0.3, 0.4], 0.001, [0.3, 0.1, -0.0005]],
  // by MPR, which puts it up to half the depth nearer the middle of the shape; a disc's normal is exact to 1e-12
  ['box', 'disc', [0.3, 0.1, 0.009], [1e-4, 0, 0], 0.00101499995, [0.300000896, -0.0497004806, -0.000995068724]],
  ['box', 'disc', [0.3, 0.1, 0.009], [0.001, 0.002, 0.3], 0.00133538487, [0.447586228, 0.075629439, -0.00130834047]],
  ['box', 'disc', [0.3, 0.1, 0.149], [Math.PI / 2 - 0.001, 0, 0.3], 0.001009925, [0.297093645, 0.109395437, -0.000776853521]],
  ['box', 'rod', [0.3, 0.1, 0.049], [0, Math.PI / 2 - 0.001, 0.3], 0.00114999997, [0.156999139, 0.0557646569, -0.00104516948]],
]

test.each(onFloors)(
  'on a %s the point of a %s at %j, turned by %j, is where Drake has it',
  (floor, name, p, rpy, depth, middle) => {
    const ours = pointOf(floors[floor], shapes[name], p, rpy)
    expect(ours.count).toBe(1)
    expect(Math.abs(ours.depth - depth)).toBeLessThan(1e-11)
    expect(ours.normal[2]).toBeCloseTo(1, 11)
    const isMpr = floor === 'box' && (name === 'disc' || name === 'rod')
    expect(Math.hypot(...middle.map((x, k) => x - ours.point[k]))).toBeLessThan(isMpr ? 0.6 * depth : 1e-9)
  },
)

test.each([
  [[0.02, 0.03, 0.149], [0, 0, 0], 0.001, [-0.08, -0.12, 0.0745], [0, 0, 1]],
  [[0.02, 0.03, 0.149], [0, 0, 0.4], 0.001, [-0.0136933481, -0.147100983, 0.0745], [0, 0, 1]],
  [
    [0.05, 0.1, 0.149],
    [0.01, 0.02, 0.4],
    0.00233468282,
    [0.0999746548, -0.0409150274, 0.0738329338],
    [0.0217118649, 0, 0.99976427],
  ],
  [[0.1, 0.1, 0.14], [0.7, 0.6, 0.5], 0.0763155388, [0.0765398096, -0.0013065143, 0.0449062326], [0.614820801, 0, 0.788666839]],
] as [Vector, Vector, number, Vector, Vector][])(
  'of two boxes, one at %j turned by %j, likewise',
  (p, rpy, depth, middle, normal) => {
    const ours = pointOf(fixture(shapes.box), shapes.box, p, rpy)
    expect(Math.abs(ours.depth - depth)).toBeLessThan(1e-10)
    for (let k = 0; k < 3; k++)
      expect(Math.abs(ours.point[k] - middle[k]) + Math.abs(ours.normal[k] - normal[k])).toBeLessThan(2e-9)
  },
)

test('shapes that touch without overlap have no point', () => {
  expect(pointOf(floors['half-space'], shapes.box, [0, 0, 0.075], [0, 0, 0]).count).toBe(0)
  expect(pointOf(floors.box, shapes.ball, [0, 0, 0.1], [0, 0, 0]).count).toBe(0)
})

// runs: a cube of 0.2 m and 1 kg, or its corners as balls of 1 cm, on a box of 20 x 20 x 1 m

type Approximation = 'lagged' | 'similar' | 'sap' | 'tamsi'
interface Run {
  readonly corners?: boolean
  readonly disc?: boolean
  readonly rpy?: Vector
  readonly sink?: number
  readonly push?: number
  /** In world axes. */
  readonly v?: Vector
  readonly w?: Vector
}

function start(
  approximation: Approximation,
  { corners, disc, rpy = [0, 0, 0], sink = 0, push = 0, v = [0, 0, 0], w = [0, 0, 0] }: Run,
): World {
  const size = [0.2, 0.2, 0.2] as const
  const mass = 1
  const corner = (i: number): Vector => [0, 1, 2].map((k) => ((i >> k) & 1 ? 0.09 : -0.09)) as unknown as Vector
  const balls = Array.from({ length: 8 }, (_, i) => ({ body: 1, shape: { type: 'sphere', radius: 0.01 } as const, p: corner(i) }))
  const ofCube = (mass * 0.04) / 6
  const robot = corners
    ? makeRobot('corners', [{ ...floating, mass, inertia: [ofCube, ofCube, ofCube, 0, 0, 0] }], balls)
    : createFreeBody({ name: 'body', shape: disc ? shapes.disc : { type: 'box', size }, mass })
  const own = turned(rpy)
  /** A vector in the axes of the body at q. */
  const inBody = ([x, y, z]: Vector, q: ArrayLike<number>, at: number): Vector => {
    const [a, b, c, s] = [q[at], q[at + 1], q[at + 2], q[at + 3]]
    // R(q)ᵀ, row by row
    return [
      (1 - 2 * (b * b + c * c)) * x + 2 * (a * b + c * s) * y + 2 * (a * c - b * s) * z,
      2 * (a * b - c * s) * x + (1 - 2 * (a * a + c * c)) * y + 2 * (b * c + a * s) * z,
      2 * (a * c + b * s) * x + 2 * (b * c - a * s) * y + (1 - 2 * (a * a + b * b)) * z,
    ]
  }
  return makeWorld({
    robot,
    fixtures: [fixture({ type: 'box', size: [20, 20, 1] }, -0.5)],
    model: 'drake',
    dt: 1e-3,
    physical: { friction: 0.5, stiffness: 5e5 },
    options: { approximation, points: 'one', ...(approximation === 'sap' ? { relaxationTime: 0.2 } : { dissipation: 50 }) },
    q: [0, 0, (disc ? 0.01 : 0.1) - sink, ...own],
    v: [...inBody(w, own, 0), ...inBody(v, own, 0)],
    push: push > 0 ? (tau, _t, q) => tau.set(inBody([push, 0, 0], q, 3), 3) : undefined,
  })
}

/** Deceleration along x over 0.2 s from 2 m/s, and the highest rise of the centre, in mm. */
function slide(approximation: Approximation, run: Run): [number, number] {
  const world = start(approximation, { ...run, v: [2, 0, 0] })
  const z = world.state.q[2]
  let [hop, x] = [0, 0]
  for (let n = 0; n < 200; n++) {
    x = world.state.q[0]
    world.step()
    hop = Math.max(hop, 1e3 * (world.state.q[2] - z))
  }
  return [(2 - (world.state.q[0] - x) / 1e-3) / 0.2, hop]
}

const close = (found: number, expected: number, within: number) => expect(Math.abs(found / expected - 1)).toBeLessThan(within)
const quarter: Vector = [0, 0, Math.PI / 4]

describe('a cube that slides at 2 m/s, 4.905 m/s² by Coulomb', () => {
  // lagged amplifies what differs, by 1e-6 in a step: Drake's solver ends there. Shifted by 0.1 nm up to 1 µm, Drake itself gives 6.4 to 6.7, and
  // 9.4 to 10.4 at 45 degrees
  test.each([
    ['lagged', 6.4717, 41.4111, 10.0456, 12.9512, 2e-3],
    ['similar', 5.483, 24.8245, 4.8574, 26.3437, 5e-4],
    ['sap', 4.8191, 27.1089, 4.9995, 28.4269, 2e-5],
    ['tamsi', 4.8787, 0, 4.9246, 0, 2e-5],
  ] as const)(
    '%s: slowed at %d and hops %d mm along its edge, at %d and %d mm along its diagonal',
    (law, x, hopX, askew, hopAskew, within) => {
      for (const [found, hop, expected, high] of [
        [...slide(law, {}), x, hopX],
        [...slide(law, { rpy: quarter }), askew, hopAskew],
      ]) {
        close(found, expected, within)
        expect(Math.abs(hop - high)).toBeLessThan(5e-3)
      }
    },
  )

  test.each([
    ['lagged', 5.0944, 0.0312, 5.013],
    ['tamsi', 4.905, 0.0164, 4.905],
  ] as const)(
    'on balls at its corners %s is slowed at %d, with a rise of %d mm, and at %d along its diagonal',
    (law, x, rise, askew) => {
      const [found, hop] = slide(law, { corners: true, sink: 2e-5 })
      close(found, x, 2e-3)
      expect(Math.abs(hop - rise)).toBeLessThan(1e-3)
      close(slide(law, { corners: true, sink: 2e-5, rpy: quarter })[0], askew, 2e-3)
    },
  )
})

test('under lagged friction comes to 2.2 mu times the normal impulse while the cube hops, under tamsi to mu', () => {
  const ratio = (law: Approximation) => {
    const world = start(law, { v: [2, 0, 0] })
    let [normal, friction] = [0, 0]
    for (let n = 0; n < 200; n++) {
      world.step()
      const { count, impulse } = world.contacts
      for (let c = 0; c < 3 * count; c += 3) {
        normal += impulse[c]
        friction += Math.hypot(impulse[c + 1], impulse[c + 2])
      }
    }
    return friction / (0.5 * normal)
  }
  expect(ratio('lagged')).toBeCloseTo(2.2, 1)
  // its softened direction lacks 1e-13 of it
  expect(ratio('tamsi')).toBeCloseTo(1, 6)
})

describe('the cube pushed by 4.9 N, which friction holds', () => {
  const creep = (law: Approximation, run: Run) => {
    const world = start(law, { push: 4.9, ...run })
    for (let n = 0; n < (full ? 3000 : 500); n++) world.step()
    return 1e3 * world.state.q[0]
  }
  // similar amplifies what differs: 933 mm in 3 s in Drake, 1041 here
  test.each([
    ['lagged', [1.61606, 10.0532], [2.16454, 8.10978]],
    ['sap', [40.70111, 1098.15991], [0.01898, 0.03167]],
    ['tamsi', [32.94637, 356.586], [1.87278, 2.69804]],
  ] as const)('%s: creeps %j mm in 0.5 and in 3 s, on balls at its corners %j', (law, box, corners) => {
    close(creep(law, {}), box[full ? 1 : 0], 1e-4)
    close(creep(law, { corners: true, sink: 2e-5 }), corners[full ? 1 : 0], 5e-4)
  })
})

describe('a disc of 15 cm on its face, 0.1 mrad askew, that spins at 1 m/s of its rim', () => {
  /** Time until a tenth, a twentieth and a hundredth of the spin are left [s]. */
  const times = (law: Approximation) => {
    const world = start(law, { disc: true, rpy: [1e-4, 0, 0], w: [0, 0, 1 / 0.15] })
    const left = [0.1, 0.05, 0.01]
    const found: number[] = []
    for (let n = 1; n < 300 && found.length < 3; n++) {
      world.step()
      while (found.length < 3 && Math.abs(world.state.v[2]) < left[found.length] / 0.15) found.push(n * 1e-3)
    }
    return found
  }
  test.each([
    ['lagged', [0.009, 0.012, 0.022], 1e-9],
    ['tamsi', [0.092, 0.097, 0.102], 1e-9],
    // flight between hops: exact here, with the gyroscopic moment of the start of the step in Drake. With a ball's inertia both agree to 1e-5
    ['similar', [0.092, 0.1, 0.15], 0.0061],
    ['sap', [0.09, 0.099, 0.151], 0.0061],
  ] as const)('%s: stops after %j s', (law, expected, within) => {
    times(law).forEach((t, k) => {
      expect(Math.abs(t - expected[k])).toBeLessThan(within)
    })
  })
})
