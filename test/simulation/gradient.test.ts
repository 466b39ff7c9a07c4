import { describe, expect, test } from 'vitest'
import type { ContactModelName } from '../../contact/index.ts'
import { type BodyDefinition, configurationDifference, createRandom, integrateConfiguration } from '../../dynamics/index.ts'
import { createFreeBody } from '../../robots/index.ts'
import {
  GradientError,
  type GradientParameter,
  gradientModels,
  StepGradient,
  World,
  type WorldOptions,
} from '../../simulation/index.ts'
import { full } from '../dailyModels.ts'
import { body, free, hinge, solid } from '../dynamics/bodies.ts'
import { contactSetOf, holdLaws, lawsOf } from './contactSet.ts'
import { robotOf } from './robots.ts'

/*
 * Gradients of steps equal differences of steps that start a little apart, by the contact set of these (`contactSetOf`): central ones where
 * both sides keep the set of the step itself, one-sided ones where one side does. Where neither does, at a kink on both sides, they equal
 * central differences of steps whose laws are held in the modes of the step itself, from a start on the same side of every target's kink.
 */

const STEPS = full ? 10_000 : 600
/** Largest error relative to the largest entry of the difference, or to `SMALL`. */
const TOLERANCE = 1e-6
/** Least size to which errors are relative; of derivatives by a parameter as a part of the velocity over the parameter's size. */
const SMALL = 0.1
/** Size of the state that comes with a parameter, over the parameter's. */
const CARRIED = 0.3
/** Changes of the state, and of parameters relative to their size: each a quarter of the one before. */
const CHANGES = Array.from({ length: 10 }, (_, c) => 2e-3 / 4 ** c)
/**
 * Differences between estimates, relative: below which no further change is tried; and above which a difference is no measure to the
 * tolerance. Such are of pyramids that turn with slow slip, whose direction has the rounding of velocities over the slip, and of laws held
 * where joints and contacts stick more than the robot can move. Largest error against these, and the most of a case, with kinks of which no
 * start nearby keeps all sides.
 */
const EXACT = 1e-8
const DOUBTFUL = 1e-7
const DOUBTFUL_ERROR = 1e-4
const FEW = 0.08
/** Distances of starts from a kink, and draws at each. */
const OFFSETS = [0, 1e-7, 1e-6, 1e-5]
const DRAWS = 150

interface Scene {
  readonly robots: readonly {
    readonly name: string
    readonly bodies: readonly BodyDefinition[]
    readonly shapes: Parameters<typeof robotOf>[2]
    readonly q: readonly number[]
    readonly v: readonly number[]
  }[]
  readonly physical: { readonly friction: number; readonly restitution?: number }
  readonly parameters: readonly GradientParameter[]
}

const ofBody = (body: number): GradientParameter[] => [
  { kind: 'mass', body },
  { kind: 'centerOfMass', body, axis: body % 3 },
  { kind: 'inertia', body, axis: 0 },
  { kind: 'inertia', body, axis: 3 },
]
const ofJoint = (velocity: number): GradientParameter[] => [
  { kind: 'armature', velocity },
  { kind: 'damping', velocity },
  { kind: 'jointFriction', velocity },
]
const jointed = { lower: -1.2, upper: 1.2, damping: 0.05, friction: 0.05, armature: 0.01 }
const turned = (x: number, y: number, z: number) => [x, y, z, Math.sqrt(1 - x * x - y * y - z * z)]

const box = {
  name: 'box',
  bodies: [body('box', free('free'), solid(2, [0.008, 0.017, 0.022], [0.01, 0.005, -0.01]))],
  shapes: { box: { type: 'box', size: [0.3, 0.2, 0.1] } as const },
  q: [0, 0, 0.25, ...turned(0.2, 0.1, 0.05)],
  v: [3, -2, 1, 0.5, 1, -0.5],
}
const ball = (name: string, q: number[], v: number[]) => ({
  ...{ name, q, v },
  bodies: [body('ball', free('free'), solid(1, [0.004, 0.004, 0.004]))],
  shapes: { ball: { type: 'sphere', radius: 0.1 } as const },
})
const hand = { hand: { type: 'sphere', radius: 0.04 } as const }
const arm = {
  name: 'arm',
  bodies: [
    body('upper', hinge('shoulder', 0, [0, 1, 0], [0, 0, 0.45]), solid(1.5, [0.02, 0.02, 0.004], [0, 0, -0.15]), jointed),
    body('lower', hinge('elbow', 1, [0, 1, 0], [0, 0, -0.3]), solid(1, [0.01, 0.01, 0.002], [0.01, 0, -0.1]), jointed),
    body('hand', hinge('wrist', 2, [1, 0, 0], [0, 0, -0.2]), solid(0.4, [0.001, 0.001, 0.001], [0, 0.01, 0]), jointed),
  ],
  shapes: hand,
  q: [0.7, -0.9, 0.1],
  v: [-2, 1, 0.3],
}
const legs = [0, 1, 2, 3]
const walker = {
  name: 'walker',
  bodies: [
    body('trunk', free('base'), solid(4, [0.03, 0.06, 0.08], [0.01, 0, 0.01])),
    ...legs.map((leg) =>
      body(
        `leg${leg}`,
        hinge(`hip${leg}`, 1, [0, 1, 0], [leg < 2 ? 0.2 : -0.2, leg % 2 ? 0.12 : -0.12, 0]),
        solid(0.5, [0.004, 0.004, 0.001], [0.01, 0, -0.1]),
        jointed,
      ),
    ),
  ],
  shapes: Object.fromEntries(legs.map((leg) => [`leg${leg}`, { type: 'capsule', radius: 0.03, length: 0.4 } as const])),
  q: [0, 0, 0.3, 0, 0, 0, 1, 0.1, -0.1, 0.2, -0.2],
  v: [0.1, 0.3, 0.2, 0.8, 0.2, 0, 0.5, -0.4, 0.2, 0.1],
}
const tumbling: Scene = { robots: [box], physical: { friction: 0.4 }, parameters: [{ kind: 'friction' }, ...ofBody(1)] }
const rolling: Scene = {
  robots: [
    ball('first', [0, 0, 0.1001, 0, 0, 0, 1], [0, 0, 1, 1.5, 0.1, 0]),
    ball('second', [0.5, 0.02, 0.1, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0]),
  ],
  physical: { friction: 0.3 },
  parameters: [{ kind: 'friction' }, { kind: 'mass', body: 2 }, { kind: 'inertia', body: 1, axis: 1 }],
}
const scenes: Record<string, Scene> = {
  'a box that rebounds': {
    ...tumbling,
    physical: { friction: 0.4, restitution: 0.5 },
    parameters: [{ kind: 'restitution' }, ...tumbling.parameters],
  },
  'a box that tumbles and slides to rest': tumbling,
  'a ball that slides, rolls and hits another': rolling,
  'an arm that drags its hand over the ground': {
    robots: [arm],
    physical: { friction: 0.5 },
    parameters: [{ kind: 'friction' }, ...ofBody(2), ...ofJoint(1)],
  },
  'a walker that lands, slides and stands': {
    robots: [walker],
    physical: { friction: 0.4 },
    parameters: [{ kind: 'friction' }, ...ofBody(1), ...ofBody(3), ...ofJoint(7)],
  },
}

/** Options of a scene with a parameter changed in the definitions. */
function optionsOf(
  { robots, physical }: Scene,
  contactModel: ContactModelName,
  parameter?: GradientParameter,
  by = 0,
): WorldOptions {
  let bodies = 0
  let velocities = 0
  const changed = robots.map(({ name, bodies: own, shapes, q, v }) => {
    const start = bodies
    const from = velocities
    bodies += own.length
    velocities += v.length
    const firstJoint = own.length === v.length ? from : from + 5
    const all = own.map((one, i) => (parameter ? changedBody(one, parameter, by, start + i + 1, firstJoint + i) : one))
    return { name, robot: robotOf(name, all, shapes, [...q]), q, v }
  })
  const more =
    parameter?.kind === 'friction' || parameter?.kind === 'restitution'
      ? { [parameter.kind]: physical[parameter.kind]! + by }
      : {}
  const drift = contactModel === 'anitescu-potra' ? { contactOptions: { drift: 'baumgarte' } } : {}
  return { robots: changed, physical: { ...physical, ...more }, dt: 2e-3, contactModel, ...drift } as WorldOptions
}

function changedBody(
  one: BodyDefinition,
  parameter: GradientParameter,
  by: number,
  index: number,
  velocity: number,
): BodyDefinition {
  const { mass, centerOfMass = [0, 0, 0], inertia, friction = 0 } = one
  const added = (list: readonly number[], axis: number) => list.map((x, i) => (i === axis ? x + by : x))
  if (parameter.kind === 'mass' && parameter.body === index) return { ...one, mass: mass + by }
  if (parameter.kind === 'centerOfMass' && parameter.body === index)
    return { ...one, centerOfMass: added(centerOfMass, parameter.axis) as never }
  if (parameter.kind === 'inertia' && parameter.body === index)
    return { ...one, inertia: added(inertia, parameter.axis) as never }
  if (!('velocity' in parameter) || parameter.velocity !== velocity) return one
  if (parameter.kind === 'jointFriction') return { ...one, friction: friction + by }
  return { ...one, [parameter.kind]: (one[parameter.kind] ?? 0) + by }
}

interface Moved {
  readonly dq: Float64Array
  readonly dv: Float64Array
  readonly dtau: Float64Array
}

interface Start extends Readonly<Record<'q' | 'v' | 'tau' | 'memory', Float64Array>> {
  readonly stepCount: number
}

const startOf = ({ state: { q, v }, tau, memory, stepCount }: World): Start => ({
  ...{ q: q.slice(), v: v.slice(), tau: tau.slice(), memory: memory.slice() },
  stepCount,
})

/** Puts a world at a start moved by `part` in a direction. */
function place(world: World, start: Start, { dq, dv, dtau }: Moved, part: number): void {
  const { state, tau, memory } = world
  integrateConfiguration(world.model, start.q, dq, part, state.q)
  for (let k = 0; k < dv.length; k++) {
    state.v[k] = start.v[k] + part * dv[k]
    tau[k] = start.tau[k] + part * dtau[k]
  }
  memory.set(start.memory)
  world.stepCount = start.stepCount
}

const largest = (x: ArrayLike<number>) => Array.from(x).reduce((most, y) => Math.max(most, Math.abs(y)), 0)

/** The end of a step relative to that of another, as tangents of q, then v. */
function endOf({ model, state: { q, v } }: World, { state }: World): number[] {
  const dq = new Float64Array(model.nv)
  configurationDifference(model, state.q, q, dq)
  return [...dq, ...v.map((x, k) => x - state.v[k])]
}

/**
 * Derivative from quotients with changes that shrink by `ratio`, of errors with powers `order`, 2 order, ... of the change: the entry of
 * Neville's table that differs least from its neighbours (Ridders, Adv. Eng. Softw. 4, 1982).
 */
function extrapolated(quotients: readonly number[][], ratio: number, order: number) {
  let best = { value: quotients[0], doubt: Infinity }
  let column = quotients
  for (let m = 1; column.length > 1; m++) {
    const factor = ratio ** (order * m)
    const next = column.slice(1).map((fine, i) => fine.map((x, k) => (factor * x - column[i][k]) / (factor - 1)))
    for (const [i, value] of next.entries()) {
      const doubt = Math.max(...[column[i], column[i + 1]].map((other) => largest(value.map((x, k) => x - other[k]))))
      if (doubt < best.doubt) best = { value, doubt }
    }
    column = next
  }
  return best
}

/** Order of magnitude of a parameter. */
function sizeOf({ robots }: Scene, parameter?: GradientParameter): number {
  if (parameter === undefined || !('body' in parameter)) return parameter !== undefined && 'velocity' in parameter ? 0.02 : 1
  const { mass, inertia } = robots.flatMap(({ bodies }) => bodies)[parameter.body - 1]
  const spin = inertia[0] + inertia[1] + inertia[2]
  return { mass, centerOfMass: Math.sqrt(spin / mass), inertia: spin }[parameter.kind as 'mass']
}

/** Sides of a difference; and a difference, with its disagreement with the next best, relative to the size. */
type Sides = readonly number[]
interface Difference {
  readonly value: readonly number[]
  readonly doubt: number
}

interface Compared {
  readonly kind: 'central' | 'oneSided' | 'kink' | 'doubtful' | 'none'
  readonly error: number
  readonly doubt: number
  /** Of a kink: distance to the start of the difference. */
  readonly offset: number
}

/** A direction in which steps of a scene are compared: of the state, or of a parameter. */
class Direction {
  readonly parameter: GradientParameter | undefined
  readonly gradient: StepGradient
  readonly unit: number
  private readonly worlds = new Map<number, World>()
  private readonly worldAt: (change: number) => World

  constructor(scene: Scene, contactModel: ContactModelName, parameter?: GradientParameter) {
    this.parameter = parameter
    this.unit = parameter ? sizeOf(scene, parameter) : 1
    this.gradient = new StepGradient(optionsOf(scene, contactModel), [{ parameter }])
    this.worldAt = (change) => {
      const world = this.worlds.get(change) ?? new World(optionsOf(scene, contactModel, parameter, change))
      this.worlds.set(change, world)
      return world
    }
  }

  /** Compares the gradient of the step from a start. @throws GradientError */
  compare(start: Start, moved: Moved, draw: () => Float64Array): Compared {
    const { world, directions } = this.gradient
    place(world, start, moved, 0)
    for (const name of ['dq', 'dv', 'dtau'] as const) directions[0][name].set(moved[name])
    this.gradient.step()
    const { all, sides, modes } = contactSetOf(world)
    const found = [...directions[0].dq, ...directions[0].dv]
    const least = SMALL * (this.parameter ? largest([1, ...start.v]) / this.unit : 1)
    const errorOf = ({ value }: Difference) => largest(value.map((x, k) => x - found[k])) / Math.max(largest(value), least)
    const isSame = (other: World) => {
      const set = contactSetOf(other)
      return set.sides === sides && set.modes === modes
    }
    const ends = this.endsFrom(start, moved, (other) => other.step(), isSame)
    for (const ofSides of [[1, -1], [1], [-1]]) {
      const difference = this.difference(ends, ofSides, least)
      if (difference === undefined) continue
      const { doubt } = difference
      return {
        kind: doubt > DOUBTFUL ? 'doubtful' : ofSides.length === 2 ? 'central' : 'oneSided',
        error: errorOf(difference),
        doubt,
        offset: 0,
      }
    }
    const laws = lawsOf(world)
    const step = (other: World) => {
      const release = holdLaws(other, laws)
      other.step()
      release()
    }
    const isHeld = (other: World) => contactSetOf(other).all === all
    let best: Compared = { kind: 'none', error: 0, doubt: Infinity, offset: 0 }
    for (const offset of OFFSETS) {
      for (let n = 0; n < (offset > 0 ? DRAWS : 1) && best.doubt > DOUBTFUL; n++) {
        const off = { dq: draw(), dv: draw(), dtau: draw() }
        // at the kink itself, or from two distances
        const at = (part: number) =>
          this.difference(this.endsFrom(this.moved(start, off, part), moved, step, isHeld), [1, -1], least)
        const far = at(offset)
        const near = far && at(offset / 2)
        if (far === undefined || near === undefined) continue
        const value = near.value.map((x, k) => 2 * x - far.value[k])
        const doubt = far.doubt + 2 * near.doubt
        if (doubt < best.doubt)
          best = { kind: doubt > DOUBTFUL ? 'doubtful' : 'kink', error: errorOf({ ...far, value }), doubt, offset }
      }
    }
    return best
  }

  private moved(start: Start, off: Moved, part: number): Start {
    const world = this.worldAt(0)
    place(world, start, off, part)
    return startOf(world)
  }

  /** The end of the step with a change, undefined if that does not keep the contact set. */
  private endsFrom(start: Start, moved: Moved, step: (world: World) => void, keeps: (world: World) => boolean) {
    const { parameter, gradient } = this
    const ends = new Map<number, number[] | undefined>()
    return (change: number) => {
      if (!ends.has(change)) {
        const world = this.worldAt(parameter ? change : 0)
        place(world, start, moved, change)
        step(world)
        ends.set(change, keeps(world) ? endOf(world, gradient.world) : undefined)
      }
      return ends.get(change)
    }
  }

  private difference(end: (change: number) => number[] | undefined, sides: Sides, least: number): Difference | undefined {
    const at = sides.length === 1 ? end(0) : undefined
    if (sides.length === 1 && at === undefined) return undefined
    let best: Difference | undefined
    const quotients: number[][] = []
    for (const relative of CHANGES) {
      const change = relative * this.unit
      const all = sides.map((side) => end(side * change))
      if (all.some((one) => one === undefined)) quotients.length = 0
      else quotients.push(all[0]!.map((x, k) => (sides[0] * (x - (all[1] ?? at)![k])) / (sides.length * change)))
      if (quotients.length < 3) continue
      const { value, doubt } = extrapolated(quotients, 4, sides.length)
      const size = Math.max(largest(value), least)
      if (!(doubt / size >= (best?.doubt ?? Infinity))) best = { value, doubt: doubt / size }
      if (best && best.doubt < EXACT) break
    }
    return best
  }
}

/** Compares the gradient of each step of a scene, in one direction after another, with differences. */
function compared(scene: Scene, contactModel: ContactModelName, steps: number) {
  const random = createRandom(7)
  const base = new World(optionsOf(scene, contactModel))
  const still = () => new Float64Array(base.model.nv)
  const draw = () => Float64Array.from(still(), () => 2 * random.next() - 1)
  const directions = [undefined, undefined, ...scene.parameters].map((one) => new Direction(scene, contactModel, one))
  const count = { central: 0, oneSided: 0, kink: 0, doubtful: 0, none: 0 }
  const most = { central: 0, oneSided: 0, kink: 0, doubtful: 0, none: 0 }
  const refused: string[] = []
  const wrong: object[] = []
  for (let n = 0; n < steps; n++) {
    const start = startOf(base)
    base.step()
    const k = n % directions.length
    const { parameter, unit } = directions[k]
    // every other direction of a parameter carries a state from earlier steps
    const isCarried = Math.floor(n / directions.length) % 2 === 1
    const carried = () => draw().map((x) => (CARRIED / unit) * x)
    const moved =
      parameter === undefined
        ? { dq: k === 0 ? draw() : still(), dv: draw(), dtau: draw() }
        : { dq: isCarried ? carried() : still(), dv: isCarried ? carried() : still(), dtau: still() }
    try {
      const one = directions[k].compare(start, moved, draw)
      count[one.kind]++
      most[one.kind] = Math.max(most[one.kind], one.error)
      if (one.error <= (one.kind === 'doubtful' ? DOUBTFUL_ERROR : TOLERANCE)) continue
      wrong.push({ step: n, of: parameter?.kind ?? k, ...one })
    } catch (error) {
      if (!(error instanceof GradientError)) throw error
      refused.push(`${n}: ${error.message}`)
    }
  }
  return { count, most, refused, wrong }
}

describe.each(gradientModels)('%s', (contactModel) => {
  test.each(Object.entries(scenes))('gradients equal differences: %s', (name, scene) => {
    const steps = Math.ceil(STEPS / gradientModels.length / Object.keys(scenes).length)
    const { wrong, ...found } = compared(scene, contactModel, steps)
    if (full) console.log(JSON.stringify({ contactModel, name, ...found }))
    expect(wrong).toEqual([])
    expect(found.refused).toEqual([])
    expect(found.count.doubtful + found.count.none).toBeLessThanOrEqual(FEW * steps)
  })
})

test('directions follow a run: a block that slides is slowed by mu g, and moved by its start', () => {
  const block = {
    ...{ name: 'block', shapes: box.shapes, q: [0, 0, 0.05, 0, 0, 0, 1], v: [0, 0, 0, 2, 0, 0] },
    bodies: [body('box', free('free'), solid(2, [0.008, 0.017, 0.022]))],
  }
  const options = optionsOf({ robots: [block], physical: { friction: 0.3 }, parameters: [] }, 'ncp')
  const start = { dv: [0, 0, 0, 1, 0, 0] }
  const gradient = new StepGradient(options, [
    { parameter: { kind: 'friction' } },
    start,
    { parameter: { kind: 'mass', body: 1 } },
  ])
  const [steps, dt, g] = [200, 2e-3, 9.81]
  for (let n = 0; n < steps; n++) gradient.step()
  const [byFriction, byStart, byMass] = gradient.directions
  expect(byFriction.dv[3]).toBeCloseTo(-g * steps * dt, 5)
  expect(byFriction.dq[3]).toBeCloseTo((-g * dt * dt * steps * (steps + 1)) / 2, 5)
  expect(byStart.dv[3]).toBeCloseTo(1, 5)
  expect(byStart.dq[3]).toBeCloseTo(steps * dt, 5)
  expect(Math.abs(byMass.dv[3])).toBeLessThan(1e-5)
})

test('directions of a run with contacts equal differences of whole runs', () => {
  const scene = scenes['an arm that drags its hand over the ground']
  const parameter: GradientParameter = { kind: 'mass', body: 2 }
  const dv = [0.3, -0.2, 0.1]
  const gradient = new StepGradient(optionsOf(scene, 'drake'), [{ parameter }, { dv }])
  const by = 1e-5
  const ends = [1, -1].map((side) => new World(optionsOf(scene, 'drake', parameter, side * by)))
  const moved = [1, -1].map(() => new World(optionsOf(scene, 'drake')))
  for (const [i, { state }] of moved.entries()) for (let k = 0; k < 3; k++) state.v[k] += (i === 0 ? by : -by) * dv[k]
  for (let n = 0; n < 40; n++) {
    gradient.step()
    for (const world of [...ends, ...moved]) world.step()
  }
  for (const [i, [plus, minus]] of [ends, moved].entries()) {
    const { dq, dv } = gradient.directions[i]
    const size = largest([...dq, ...dv])
    for (let k = 0; k < 3; k++) {
      expect(Math.abs((plus.state.q[k] - minus.state.q[k]) / (2 * by) - dq[k])).toBeLessThan(1e-5 * size)
      expect(Math.abs((plus.state.v[k] - minus.state.v[k]) / (2 * by) - dv[k])).toBeLessThan(1e-5 * size)
    }
  }
})

describe('refused, and named:', () => {
  const of = (more: object) => () => new StepGradient({ ...optionsOf(tumbling, 'ncp'), ...more } as WorldOptions, [{}])
  test.each([
    ['a model of forces', { contactModel: 'penalty' }, 'ncp'],
    ['its steps by another solver', { contactOptions: { solver: 'contact-pgs' } }, 'solver other than "newton"'],
    ['projection of drift', { contactOptions: { drift: 'projection' } }, 'drift "projection"'],
    ['the trapezoidal step', { contactOptions: { step: 'trapezoidal' } }, 'step "trapezoidal"'],
    ['continuous collision detection', { ccd: true }, 'continuous collision detection'],
  ])('%s', (_, more, reason) => {
    expect(of(more)).toThrow(GradientError)
    expect(of(more)).toThrow(reason)
  })

  test('a push during the run', () => {
    const robot = createFreeBody({ name: 'box', shape: box.shapes.box, mass: 1, position: [0, 0, 1] })
    const gradient = new StepGradient({ robot, contactModel: 'ncp', dt: 1e-3 }, [{ dv: [1, 0, 0, 0, 0, 0] }])
    gradient.step()
    gradient.world.act({ type: 'push', impulse: [0.1, 0, 0] })
    expect(() => gradient.step()).toThrow('forces that its equations do not have')
  })

  test('directions of wrong length, and parameters that are not there', () => {
    const from = (direction: object) => () => new StepGradient(optionsOf(tumbling, 'ncp'), [direction])
    expect(from({ dv: [1] })).toThrow('directions[0].dv has 1 entries; the world has nv = 6')
    expect(from({ parameter: { kind: 'mass', body: 2 } })).toThrow('body 2 has no mass')
    expect(from({ parameter: { kind: 'inertia', body: 1, axis: 6 } })).toThrow('inertia has no axis 6')
    expect(from({ parameter: { kind: 'damping', velocity: 6 } })).toThrow('there is no velocity 6')
  })
})

test('a step gives the same bits with its gradient as without', () => {
  for (const scene of Object.values(scenes)) {
    const world = new World(optionsOf(scene, 'ncp'))
    const gradient = new StepGradient(optionsOf(scene, 'ncp'), [{ parameter: { kind: 'friction' } }])
    for (let n = 0; n < 60; n++) {
      world.step()
      gradient.step()
    }
    expect(gradient.world.hash()).toBe(world.hash())
  }
})
