import { createRandom, JointType } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { WorldRobot } from '../../simulation/index.ts'
import {
  box,
  fixedBox,
  floating,
  floor,
  makeRobot,
  type Scene,
  type ShapeOn,
  sphere,
  type Vector,
} from '../../test/contact/laws/scenes.ts'

/** Parts of a scene, whichever model runs it. */
export type Things = Pick<Scene, 'robot' | 'robots' | 'fixtures' | 'physical' | 'q' | 'v' | 'push'>

/** Boxes on top of each other, a little askew and nearly at rest: four contacts each, all in one island. */
export function stack(count: number): Things {
  const random = createRandom(1)
  const robots = Array.from({ length: count }, (_, k): WorldRobot => {
    const [x, y] = [random.between(-0.02, 0.02), random.between(-0.02, 0.02)]
    const v = Array.from({ length: 6 }, () => random.between(-1e-3, 1e-3))
    return { robot: box([0.2, 0.2, 0.1], 1 + (k % 3)), q: [x, y, 0.05 + 0.1 * k, 0, 0, 0, 1], v }
  })
  return { robots }
}

/** The same boxes side by side on the ground: each is an island. */
export function apart(count: number): Things {
  const across = Math.ceil(Math.sqrt(count))
  const robots = Array.from({ length: count }, (_, k): WorldRobot => {
    const q = [0.4 * (k % across), 0.4 * Math.floor(k / across), 0.05, 0, 0, 0, 1]
    return { robot: box([0.2, 0.2, 0.1], 1 + (k % 3)), q }
  })
  return { robots }
}

/** One rigid plate on so many round feet in two rows. */
export function plate(feet: number): Things {
  const length = 0.1 * feet
  const inertia: readonly [number, number, number, number, number, number] = [0.1, length ** 2, length ** 2 + 0.1, 0, 0, 0]
  const shapes = Array.from({ length: feet }, (_, k): ShapeOn => {
    const x = 0.2 * (Math.floor(k / 2) - (feet / 2 - 1) / 2)
    return { body: 1, shape: { type: 'sphere', radius: 0.02 }, p: [x, k % 2 === 0 ? 0.15 : -0.15, -0.05] }
  })
  return { robot: makeRobot('plate', [{ ...floating, mass: 10, inertia }], shapes), q: [0, 0, 0.07, 0, 0, 0, 1] }
}

/** A base on four round feet that carries a chain of so many joints, upright and damped. */
export function mast(joints: number): Things {
  const bodies = [
    { ...floating, mass: 20, inertia: [0.5, 0.5, 0.8, 0, 0, 0] as const },
    ...chain(1, joints, [0, 0, 0.05], 0.05, 2),
  ]
  const shapes = [-1, 1].flatMap((x) => [-1, 1].map((y) => round([0.3 * x, 0.3 * y, -0.05], 1)))
  return { robot: makeRobot('mast', bodies, shapes), q: [0, 0, 0.07, 0, 0, 0, 1, ...Array<number>(joints).fill(0)] }
}

/** A trunk on eight legs of so many joints each, upright and damped, one round foot on each. */
export function legged(joints: number): Things {
  const bodies: BodyList = [{ ...floating, mass: 20, inertia: [0.5, 1, 1, 0, 0, 0] }]
  const shapes: ShapeOn[] = []
  const link = 0.4 / joints
  for (let k = 0; k < 8; k++) {
    const hip = [0.25 * (Math.floor(k / 2) - 1.5), k % 2 === 0 ? 0.2 : -0.2, 0] as const
    bodies.push(...chain(bodies.length, joints, hip, -link, 1, 1))
    shapes.push(round([0, 0, -link], bodies.length))
  }
  return { robot: makeRobot('legged', bodies, shapes), q: [0, 0, 0.42, 0, 0, 0, 1, ...Array<number>(8 * joints).fill(0)] }
}

type BodyList = Parameters<typeof makeRobot>[1][number][]

const round = (p: Vector, body: number): ShapeOn => ({ body, shape: { type: 'sphere', radius: 0.02 }, p })

/** Links of `mass` in all behind body `last`, the first of them on body `root`. */
function chain(last: number, joints: number, at: Vector, link: number, mass: number, root = last): BodyList {
  const m = mass / joints
  return Array.from({ length: joints }, (_, k) => ({
    name: `link ${last + k + 1}`,
    jointName: `joint ${last + k + 1}`,
    parent: k === 0 ? root : last + k,
    jointType: JointType.revolute,
    axis: k % 2 === 0 ? [0, 1, 0] : [1, 0, 0],
    position: k === 0 ? at : [0, 0, link],
    mass: m,
    centerOfMass: [0, 0, link / 2],
    inertia: [0.01 * m, 0.01 * m, 0.01 * m, 0, 0, 0],
    damping: 20,
  }))
}

/** A trunk on so many legs of two joints, four points on each foot, that slides on ice: with more friction its feet would tip. */
export function walker(legs: number): Things {
  const rest = Array<number>(2 * legs).fill(0)
  return {
    robot: walkerRobot(legs),
    q: [0, 0, 0.32, 0, 0, 0, 1, ...rest],
    v: [0, 0, 0, 0.2, 0.1, 0, ...rest],
    push(tau, _t, q) {
      for (let k = 6; k < tau.length; k++) tau[k] = -1000 * q[k + 1]
    },
    physical: { friction: 0.1 },
  }
}

function walkerRobot(legs: number): Robot {
  const length = 0.2 + 0.075 * legs
  const bodies: BodyList = [
    { ...floating, mass: 2 * legs, inertia: [0.05 * legs, 0.2 * legs * length ** 2, 0.2 * legs * length ** 2, 0, 0, 0] },
  ]
  const feet: ShapeOn[] = []
  const part = { mass: 0.5, centerOfMass: [0, 0, -0.07], inertia: [0.004, 0.004, 0.002, 0, 0, 0], damping: 5 } as const
  for (let k = 0; k < legs; k++) {
    const hip = bodies.length + 1
    const x = 0.15 * (Math.floor(k / 2) - (Math.ceil(legs / 2) - 1) / 2)
    const y = legs === 1 ? 0 : k % 2 === 0 ? 0.1 : -0.1
    const thigh = { ...part, name: `thigh ${hip}`, jointName: `hip ${hip}`, parent: 1, position: [x, y, 0] as const }
    const shank = { ...part, name: `shank ${hip}`, jointName: `knee ${hip}`, parent: hip, position: [0, 0, -0.15] as const }
    const { revolute } = JointType
    bodies.push({ ...thigh, jointType: revolute, axis: [1, 0, 0] }, { ...shank, jointType: revolute, axis: [0, 1, 0] })
    for (const dx of [-0.05, 0.05]) for (const dy of [-0.03, 0.03]) feet.push(round([dx, dy, -0.15], hip + 1))
  }
  return makeRobot('walker', bodies, feet)
}

/** So many boxes and balls above each other in a bin. */
export function heap(bodies: number): Things {
  const random = createRandom(2)
  const across = Math.max(2, Math.ceil(Math.cbrt(bodies)))
  const width = 0.12 * across
  const robots = Array.from({ length: bodies }, (_, k): WorldRobot => {
    const at = (n: number) => 0.12 * ((n % across) - (across - 1) / 2) + random.between(-0.01, 0.01)
    const turn = [0, 0, 0, 0].map(() => random.between(-1, 1))
    const length = Math.hypot(...turn)
    const z = 0.08 + 0.12 * Math.floor(k / (across * across))
    const q = [at(k), at(Math.floor(k / across)), z, ...turn.map((x) => x / length)]
    const mass = random.between(0.5, 2)
    return { robot: k % 2 === 0 ? sphere(0.045, mass) : box([0.07, 0.07, 0.07], mass), q }
  })
  const wall = (name: string, x: number, y: number) =>
    fixedBox(name, [x, y, 1], x === 0 ? [width + 0.4, 0.1, 2] : [0.1, width + 0.4, 2], 0.4)
  const edge = width / 2 + 0.05
  const fixtures = [floor, wall('east', edge, 0), wall('west', -edge, 0), wall('north', 0, edge), wall('south', 0, -edge)]
  return { robots, fixtures, physical: { friction: 0.4 } }
}

/** So many bodies, boxes if nothing else is said, that start in each other, within 0.2 m. */
export function inOneAnother(count: number, one: () => Robot = () => box([0.2, 0.2, 0.1], 1)): Things {
  const random = createRandom(count)
  const robots = Array.from({ length: count }, (): WorldRobot => {
    const turn = [0, 0, 0, 0].map(() => random.between(-1, 1))
    const length = Math.hypot(...turn)
    const at = [0, 0, 0].map(() => random.between(-0.1, 0.1))
    return { robot: one(), q: [at[0], at[1], 0.2 + at[2], ...turn.map((x) => x / length)] }
  })
  return { robots }
}
