/** Random worlds of the soak. World n of a list of robots is the same on every machine. */
import { type Shape, supportPoint } from '../../contact/geometry/index.ts'
import { type ContactModelOptions, contactChoice, contactModelNames } from '../../contact/index.ts'
import { createRandom, createState, mulMatrix3, place3, type Random, rotateTransposed3 } from '../../dynamics/index.ts'
import { createFreeBody, placeRobot, type Robot } from '../../robots/index.ts'
import { createGround, type EffortSource, type WorldLoop, type WorldLoopEnd, type WorldOptions } from '../../simulation/index.ts'
import { dataAt } from '../dynamics/at.ts'
import { loadWithRepairs } from '../oracle/corpus.ts'

export interface SoakWorld {
  /** Its number. */
  readonly n: number
  readonly options: WorldOptions
  readonly steps: number
  /** Diagonal of the box around the largest member at the start [m]. */
  readonly size: number
  /** What it is of, in a line. */
  readonly text: string
}

/** Options of each model, one set of which a world in three takes; the others take none. */
const modelOptions: Readonly<Record<string, readonly ContactModelOptions[]>> = {
  'penalty-deepest': [
    { friction: 'springs' },
    { friction: 'solved' },
    { impacts: 'none' },
    { integral: true },
    { gains: 'paper' },
  ],
  penalty: [{ friction: 'springs' }, { friction: 'solved' }, { impacts: 'newton' }, { impacts: 'poisson' }, { patch: 'uniform' }],
  'hunt-crossley': [{ exponent: 1 }, { friction: 'springs' }, { friction: 'solved' }, { impacts: 'stronge' }],
  lcp: [
    { drift: 'none' },
    { drift: 'deepest-point' },
    { impulses: 'sequential' },
    { solver: 'baraff' },
    { solver: 'murty' },
    { matrix: 'recursive' },
  ],
  lotstedt: [{ drift: 'none' }, { impulses: 'sequential', impacts: 'newton' }, { compliance: 1e-4 }, { patch: 'uniform' }],
  'stewart-trinkle': [
    { sides: 8 },
    { solver: 'lemke' },
    { impulses: 'sequential' },
    { jointFriction: 'regularised' },
    { impacts: 'newton' },
  ],
  'anitescu-potra': [{ sides: 8 }, { solver: 'path-following' }, { impulses: 'sequential' }, { compliance: 1e-4 }],
  convex: [{ solver: 'contact-pgs-anderson' }, { impulses: 'sequential' }, { stabilization: 1 }, { patch: 'uniform' }],
  ncp: [{ solver: 'contact-pgs-anderson' }, { impulses: 'sequential' }, { compliance: 1e-4 }, { impacts: 'newton' }],
  mujoco: [{ cone: 'pyramidal' }, { timeConstant: 5e-3 }, { dampingRatio: 0.1 }, { timeConstant: -1e4, dampingRatio: -10 }],
  drake: [
    { approximation: 'similar' },
    { approximation: 'sap' },
    { approximation: 'tamsi' },
    { points: 'one' },
    { dissipation: 0 },
    { jointFriction: 'regularised' },
  ],
  lnc: [{ sides: 8 }, { nodes: 50 }, { impulses: 'sequential' }],
  peg: [{ passes: 3 }, { impulses: 'sequential' }, { sides: 8 }],
}

/** Robots as their files say; and those whose base floats, with it fixed as well. */
export function soakRobots(paths: readonly string[]): Robot[] {
  const loaded = paths.map((path) => loadWithRepairs(path).robot)
  const fixed = paths.flatMap((path, i) =>
    loaded[i].floating && loaded[i].joints.length > 0 ? [loadWithRepairs(path, { base: 'fixed' }).robot] : [],
  )
  return [...loaded, ...fixed]
}

interface Member {
  readonly name: string
  readonly robot: Robot
  readonly q: Float64Array
  readonly v: Float64Array
  readonly controller?: EffortSource
}

/** World n. @param robots `soakRobots` */
export function soakWorld(n: number, robots: readonly Robot[]): SoakWorld {
  const random = createRandom(n)
  const contactModel = contactModelNames[n % contactModelNames.length]
  const { index } = random
  const chance = (p: number) => random.next() < p
  const members: Member[] = []
  const bodiesOnly = chance(0.25)
  const weightlessBodies = bodiesOnly && chance(0.25)
  const robotCount = bodiesOnly ? 0 : chance(0.15) ? 2 : 1
  let effort = 'none'
  for (let i = 0; i < robotCount; i++) {
    const robot = pick(random, members.length === 0 ? robots : robots.filter((other) => sameGravity(other, members[0].robot)))
    const source = chance(0.35) ? undefined : new RandomEfforts(n + 1000 * i, random)
    if (source !== undefined) effort = source.text
    members.push(placed(random, robot, `robot${i + 1}`, members, source))
  }
  const weightless = bodiesOnly ? weightlessBodies : members[0].robot.model.gravity.every((g) => g === 0)
  const bodyCount = bodiesOnly ? 1 + index(5) : chance(0.4) ? 1 + index(3) : 0
  for (let i = 0; i < bodyCount; i++) members.push(freeBody(random, `body${i + 1}`, members, weightless))
  const loops = chance(0.2) ? loopsOf(random, members) : []
  const options = chance(1 / 3) ? pick(random, modelOptions[contactModel]) : undefined
  const ground = weightless ? chance(0.3) : members[0].robot.floating || bodiesOnly || chance(0.5)
  const setup = {
    robots: members,
    loops,
    fixtures: ground ? [createGround()] : [],
    dt: Math.min(logarithmic(random, 2e-4, 1e-2), 1e-2),
    ccd: chance(0.3),
    integrator: chance(0.25) ? 'rk4' : 'semi-implicit-euler',
    selfCollision: pick(random, ['none', 'none', 'all-but-adjacent', 'all-but-adjacent', 'all'] as const),
    stepBudget: chance(0.05) ? logarithmic(random, 1e5, 1e7) : 1e9,
    physical: {
      restitution: pick(random, [0, 0, 1, random.next(), random.next(), random.next()]),
      friction: chance(0.1) ? 0 : random.between(0, 1.2),
      allowedPenetration: chance(0.2) ? logarithmic(random, 1e-4, 1e-2) : undefined,
    },
  } as const
  return {
    n,
    options: { ...setup, ...contactChoice(contactModel, options) } as WorldOptions,
    steps: 100 + index(201),
    size: Math.max(...members.map(({ robot, q }) => Math.hypot(...spanOf(robot, q).edges))),
    text:
      `${contactModel} ${JSON.stringify(options ?? {})}, dt ${setup.dt.toPrecision(3)}, ${setup.integrator}, ` +
      `${members.map(({ robot }) => robot.name + (robot.floating ? '' : ' (fixed)')).join(' + ')}, efforts ${effort}, ` +
      `restitution ${setup.physical.restitution.toPrecision(2)}, friction ${setup.physical.friction.toPrecision(2)}` +
      (setup.physical.allowedPenetration ? `, depth ${setup.physical.allowedPenetration.toPrecision(2)}` : '') +
      `${loops.map(({ kind, b }) => `, ${kind} with ${b.robot ?? 'world'}`).join('')}${ground ? '' : ', no ground'}` +
      `${weightless ? ', weightless' : ''}${setup.ccd ? ', ccd' : ''}, ${setup.selfCollision}` +
      (setup.stepBudget < 1e9 ? `, budget ${setup.stepBudget.toPrecision(2)}` : ''),
  }
}

const pick = <T>(random: Random, list: readonly T[]): T => list[random.index(list.length)]

const sameGravity = (a: Robot, b: Robot) => a.model.gravity.every((g, k) => g === b.model.gravity[k])

/** Nearly: uniform within each doubling, for powers of two are the same in every engine. */
function logarithmic(random: Random, low: number, high: number): number {
  const doublings = random.between(0, Math.log2(high / low))
  const whole = Math.floor(doublings)
  return low * 2 ** whole * (1 + doublings - whole)
}

/** Uniform in the cube of these half edges. */
const vector = (random: Random, reach: number): number[] => [0, 1, 2].map(() => random.between(-reach, reach))

function turn(random: Random): number[] {
  for (;;) {
    const q = [0, 1, 2, 3].map(() => random.between(-1, 1))
    const length = Math.hypot(...q)
    if (length > 0.1 && length <= 1) return q.map((x) => x / length)
  }
}

/** A robot at home or near it, at rest or not, the lowest point of a floating one on the ground or a little above; beside those that are there. */
function placed(random: Random, robot: Robot, name: string, others: readonly Member[], controller?: EffortSource): Member {
  const { model, floating } = robot
  const q = robot.home.slice()
  const v = new Float64Array(model.nv)
  const departure = pick(random, [0, 0, 0.3, 1])
  const speed = pick(random, [0, 0, 1, 10])
  for (const { type, qIndex, vIndex } of robot.joints) {
    const unit = type === 'prismatic' ? 0.1 : 1
    const low = Math.max(model.lower[vIndex], q[qIndex] - 2 * unit)
    const high = Math.min(model.upper[vIndex], q[qIndex] + 2 * unit)
    q[qIndex] += departure * (random.between(low, high) - q[qIndex])
    v[vIndex] = speed * unit * random.between(-1, 1)
  }
  if (floating) {
    q.set(random.next() < 0.7 ? [0, 0, 0, 1] : turn(random), 3)
    v.set(vector(random, 0.5 * speed).concat(vector(random, 0.3 * speed)), 0)
    q[2] -= spanOf(robot, q).low[2] - pick(random, [0, 1e-3, random.between(0, 0.3)])
  }
  const east = others.reduce((most, { robot, q }) => Math.max(most, spanOf(robot, q).high[0]), -Infinity)
  if (east === -Infinity) return { name, robot, q, v, controller }
  const apart = Math.max(east, 0) - spanOf(robot, q).low[0] + random.between(1e-3, 0.1)
  if (!floating) return { name, robot: placeRobot(robot, undefined, Float64Array.of(apart, 0, 0)), q, v, controller }
  q[0] += apart
  return { name, robot, q, v, controller }
}

function shapeOf(random: Random): Shape {
  const size = logarithmic(random, 0.03, 0.3)
  const radius = size * random.between(0.05, 0.2)
  switch (random.index(6)) {
    case 0:
    case 1:
      return { type: 'box', size: [size, size * random.between(0.2, 1), size * random.between(0.05, 1)] }
    case 2:
      return { type: 'sphere', radius: size / 2 }
    case 3:
      return { type: 'capsule', radius, length: size }
    case 4:
      return { type: 'cylinder', radius, length: size }
    default:
      return { type: 'cylinder', radius: size / 2, length: radius }
  }
}

/** Above those that are there, or beside them near the ground; two in five turn fast. */
function freeBody(random: Random, name: string, others: readonly Member[], weightless: boolean): Member {
  const gravity = weightless ? ([0, 0, 0] as const) : undefined
  const robot = createFreeBody({ name, shape: shapeOf(random), density: logarithmic(random, 100, 8000), gravity })
  const q = Float64Array.from([0, 0, 0, ...turn(random)])
  const { low } = spanOf(robot, q)
  const spans = others.map((other) => spanOf(other.robot, other.q))
  const gap = random.between(1e-3, 0.1)
  const most = (k: number) => Math.max(0, ...spans.map(({ high }) => high[k]))
  if (random.next() < 0.5) q.set([random.between(-0.1, 0.1), random.between(-0.1, 0.1), most(2) - low[2] + gap])
  else q.set([most(0) - low[0] + gap, random.between(-0.1, 0.1), -low[2] + random.between(0, 0.05)])
  const spin = random.next() < 0.4 ? logarithmic(random, 5, 200) : random.between(0, 5)
  return { name, robot, q, v: Float64Array.from([...vector(random, spin), ...vector(random, pick(random, [0, 1, 5]))]) }
}

/** One or two: of a moving link with the world, or with one of another member. */
function loopsOf(random: Random, members: readonly Member[]): WorldLoop[] {
  const loops: WorldLoop[] = []
  for (let i = 1 + random.index(2); i > 0; i--) {
    const first = random.index(members.length)
    const [a, origin] = endOf(random, members[first])
    const point = vector(random, 0.05)
    const kind = pick(random, ['point', 'hinge', 'weld'] as const)
    const axis = kind === 'hinge' ? { axis: [0.6, 0, 0.8] } : {}
    const other = members[(first + 1) % members.length]
    if (members.length === 1 || random.next() < 0.3) {
      loops.push({ kind, a: { ...a, ...axis, point }, b: { link: 'world' } })
      continue
    }
    const [b, place] = endOf(random, other)
    loops.push({ kind, a: { ...a, ...axis, point }, b: { ...b, point: place.own(origin.outer(point)) } })
  }
  return loops
}

interface Place {
  outer(own: readonly number[]): Float64Array
  own(outer: Float64Array): number[]
}

/** A link of a member that moves, and what turns points of its axes into the world's and back. */
function endOf(random: Random, { name, robot, q }: Member): [WorldLoopEnd, Place] {
  const { model, frames, joints } = robot
  const body = joints.length > 0 ? pick(random, joints).body : 1
  const frame = frames.find((frame) => frame.body === body)
  const data = dataAt(model, { ...createState(model), q })
  const R = data.R_WB[body].slice()
  const p = data.p_WB[body].slice()
  if (frame !== undefined) {
    place3(p, R, p.slice(), frame.p)
    mulMatrix3(R, R.slice(), frame.R)
  }
  const end = { robot: name, link: frame?.name }
  return [
    end,
    {
      outer(own) {
        const outer = new Float64Array(3)
        place3(outer, R, p, Float64Array.from(own))
        return outer
      },
      own(outer) {
        const own = new Float64Array(3)
        rotateTransposed3(
          own,
          R,
          outer.map((x, k) => x - p[k]),
        )
        return [...own]
      },
    },
  ]
}

/** The box around its collision shapes and bodies. */
function spanOf({ model, shapes }: Robot, q: Float64Array): { low: number[]; high: number[]; edges: number[] } {
  const data = dataAt(model, { ...createState(model), q })
  const low = [Infinity, Infinity, Infinity]
  const high = [-Infinity, -Infinity, -Infinity]
  const widen = (point: Float64Array) => {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], point[k])
      high[k] = Math.max(high[k], point[k])
    }
  }
  const R = new Float64Array(9)
  const p = new Float64Array(3)
  const direction = new Float64Array(3)
  const point = new Float64Array(3)
  for (const shape of shapes) {
    mulMatrix3(R, data.R_WB[shape.body], shape.R)
    place3(p, data.R_WB[shape.body], data.p_WB[shape.body], shape.p)
    for (let k = 0; k < 6; k++) {
      direction.fill(0)
      direction[k % 3] = k < 3 ? 1 : -1
      supportPoint(shape.shape, R, p, direction, point)
      widen(point)
    }
  }
  if (shapes.length === 0) for (let i = 1; i < model.nb; i++) widen(data.p_WB[i])
  return { low, high, edges: high.map((x, k) => Math.max(x - low[k], 0.01)) }
}

/** Efforts at the joints: constant, or others at each tick; up to a part or a multiple of the limits, which the world then cuts off. */
class RandomEfforts implements EffortSource {
  readonly everySteps: number
  readonly text: string
  private readonly random: Random
  private readonly constant: boolean
  private readonly level: number
  private ticks = 0
  private readonly reach: number[] = []

  constructor(seed: number, random: Random) {
    this.random = createRandom(seed ^ 0x5eed)
    this.constant = random.next() < 0.5
    this.level = pick(random, [0.03, 0.3, 1, 4])
    this.everySteps = pick(random, [1, 1, 5, 20])
    this.text = `${this.constant ? 'constant' : `random every ${this.everySteps}`} x ${this.level}`
  }

  start({ nv, effortLimit, bodyOfV, I, jointType, gravity }: Parameters<EffortSource['start']>[0]): void {
    let weight = 0
    for (const inertia of I.slice(1)) weight += inertia[0] * Math.hypot(gravity[3], gravity[4], gravity[5])
    for (let k = 0; k < nv; k++) {
      const limit = effortLimit[k] < Infinity ? effortLimit[k] : 0.2 * weight
      // joints of one coordinate alone have motors
      this.reach.push(jointType[bodyOfV[k]] === 1 || jointType[bodyOfV[k]] === 2 ? this.level * limit : 0)
    }
  }

  tick(_state: unknown, _data: unknown, tau: Float64Array): void {
    if (this.constant && this.ticks++ > 0) return
    for (let k = 0; k < tau.length; k++) tau[k] = this.reach[k] * this.random.between(-1, 1)
  }

  save(): null {
    return null
  }

  restore(): void {}
}
