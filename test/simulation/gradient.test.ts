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
import { robotOf } from './robots.ts'

/*
 * Gradients of steps equal differences of steps that start a little apart: central ones, or at kinks, where contacts stick on one side and
 * slip on the other, say, those of one side.
 */

const STEPS = full ? 10_000 : 600
/** Largest error relative to the largest entry of the gradient. */
const TOLERANCE = 1e-6
/** Largest of all, and the share of steps above the first: rounding, of contacts that slip slowly under pyramids most. */
const COARSE = 1e-4
const FEW = 0.08
/**
 * Changes of the state, and of parameters relative to their size, of which the best gives the difference: small ones keep contacts, large ones
 * have less of the solvers' rounding.
 */
const CHANGES = [1e-5, 1e-4, 1e-6, 1e-7]
const PARAMETER_CHANGES = [1e-4, 1e-3, 1e-5, 1e-6]
/** Difference between the sides above which there is a kink. */
const KINK = 1e-4
/** Least size of a gradient to which errors are relative; by a parameter as a part of the velocity over its size. */
const SMALL = 0.1

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

/** Ends of a step with the change -2 to 2 times, relative to that without: tangents of q, then v. */
function endsOf(worlds: readonly World[]): number[][] {
  for (const world of worlds) world.step()
  const { model, state } = worlds[2]
  const dq = new Float64Array(model.nv)
  return worlds.map(({ state: { q, v } }) => {
    configurationDifference(model, state.q, q, dq)
    return [...dq, ...v.map((x, k) => x - state.v[k])]
  })
}

const largest = (x: readonly number[]) => x.reduce((most, y) => Math.max(most, Math.abs(y)), 0)

/** Errors of a gradient against central and one-sided differences, relative to these; and how much these differ from side to side. */
function errorsOf(gradient: readonly number[], [b2, b1, , f1, f2]: readonly number[][], change: number, least: number) {
  const error = (estimate: (k: number) => number) => {
    const all = gradient.map((_, k) => estimate(k) / change)
    return largest(all.map((x, k) => x - gradient[k])) / Math.max(largest(all), least)
  }
  const forward = error((k) => 2 * f1[k] - 0.5 * f2[k])
  const backward = error((k) => 0.5 * b2[k] - 2 * b1[k])
  const bend = largest(f1.map((x, k) => (x + b1[k]) / change)) / Math.max(largest(gradient), least)
  const central = Math.min(
    error((k) => (8 * (f1[k] - b1[k]) - (f2[k] - b2[k])) / 12),
    error((k) => (f1[k] - b1[k]) / 2),
  )
  return { central, oneSided: Math.min(forward, backward), bend }
}

/** Order of magnitude of a parameter. */
function sizeOf({ robots }: Scene, parameter?: GradientParameter): number {
  if (parameter === undefined || !('body' in parameter)) return parameter !== undefined && 'velocity' in parameter ? 0.02 : 1
  const { mass, inertia } = robots.flatMap(({ bodies }) => bodies)[parameter.body - 1]
  const spin = inertia[0] + inertia[1] + inertia[2]
  return { mass, centerOfMass: Math.sqrt(spin / mass), inertia: spin }[parameter.kind as 'mass']
}

/** Compares the gradient of each step of a scene, in one direction after another, with differences. */
function compared(scene: Scene, contactModel: ContactModelName, steps: number) {
  const options = optionsOf(scene, contactModel)
  const random = createRandom(7)
  const base = new World(options)
  const still = () => new Float64Array(base.model.nv)
  const draw = () => Float64Array.from(still(), () => 2 * random.next() - 1)
  const directions = [undefined, undefined, ...scene.parameters]
  const gradients = directions.map((parameter) => new StepGradient(options, [{ parameter }]))
  const changes = directions.map((parameter) =>
    parameter === undefined ? CHANGES : PARAMETER_CHANGES.map((change) => change * sizeOf(scene, parameter)),
  )
  const worldsAt = (parameter: GradientParameter | undefined, change: number) =>
    [-2, -1, 0, 1, 2].map((n) => new World(optionsOf(scene, contactModel, parameter, n * change)))
  const same = worldsAt(undefined, 0)
  const worlds = directions.map((parameter, k) => changes[k].map((change) => (parameter ? worldsAt(parameter, change) : same)))
  const found = {
    central: 0,
    oneSided: 0,
    kinks: 0,
    refused: [] as string[],
    wrong: [] as { step: number; of: string | number; error: number }[],
  }
  for (let n = 0; n < steps; n++) {
    const start = startOf(base)
    base.step()
    const k = n % directions.length
    const isMoved = directions[k] === undefined
    const moved = { dq: k === 0 ? draw() : still(), dv: isMoved ? draw() : still(), dtau: isMoved ? draw() : still() }
    const { world, directions: columns } = gradients[k]
    place(world, start, moved, 0)
    columns[0].dq.set(moved.dq)
    columns[0].dv.set(moved.dv)
    columns[0].dtau.set(moved.dtau)
    try {
      gradients[k].step()
    } catch (error) {
      if (!(error instanceof GradientError)) throw error
      found.refused.push(`${n}: ${error.message}`)
      continue
    }
    const gradient = [...columns[0].dq, ...columns[0].dv]
    const least = SMALL * (isMoved ? 1 : largest([1, ...start.v]) / sizeOf(scene, directions[k]))
    const best = { central: Infinity, oneSided: Infinity, bend: 0 }
    for (let c = 0; c < CHANGES.length && Math.min(best.central, best.oneSided) > TOLERANCE; c++) {
      worlds[k][c].forEach((world, i) => {
        place(world, start, moved, isMoved ? (i - 2) * changes[k][c] : 0)
      })
      const { central, oneSided, bend } = errorsOf(gradient, endsOf(worlds[k][c]), changes[k][c], least)
      best.central = Math.min(best.central, central)
      best.oneSided = Math.min(best.oneSided, oneSided)
      best.bend = Math.max(best.bend, c < 2 ? 0 : bend)
    }
    if (best.central <= TOLERANCE) found.central++
    else if (best.oneSided <= TOLERANCE) found.oneSided++
    else if (best.bend > KINK) found.kinks++
    else found.wrong.push({ step: n, of: directions[k]?.kind ?? k, error: Math.min(best.central, best.oneSided) })
  }
  return found
}

describe.each(gradientModels)('%s', (contactModel) => {
  test.each(Object.entries(scenes))('gradients equal differences: %s', (name, scene) => {
    const steps = Math.ceil(STEPS / gradientModels.length / Object.keys(scenes).length)
    const { central, oneSided, kinks, refused, wrong } = compared(scene, contactModel, steps)
    console.log(`${contactModel}, ${name}: ${JSON.stringify({ central, oneSided, kinks, refused, wrong })}`)
    expect(wrong.filter(({ error }) => error > COARSE)).toEqual([])
    expect(wrong.length).toBeLessThanOrEqual(steps * FEW)
    expect(refused.length).toBeLessThanOrEqual(1)
    expect(kinks).toBeLessThanOrEqual(0.15 * steps)
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
    expect(() => gradient.step()).toThrow('efforts that are not of its options')
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
