import { hullOf, type PlacedShape, type Shape } from '../../../contact/geometry/index.ts'
import type { ContactModelName, ContactModelOptions } from '../../../contact/index.ts'
import { type BodyDefinition, createData, createRandom, JointType, kinematics, type Random } from '../../../dynamics/index.ts'
import type { World } from '../../../simulation/index.ts'
import { body, free, hinge, solid } from '../../dynamics/bodies.ts'
import { identity, kineticMeter, makeRobot, makeWorld, type ShapeOn, sphere, type Vector } from '../laws/scenes.ts'

/*
 * Random impacts without gravity and springs, and what one step makes of their kinetic energy. The step is so short that nothing moves in it: what a
 * body that tumbles gains by its integration is of the first order in the step.
 */

const STEP = 1e-11
const RADIUS = 0.01
const weightless: Vector = [0, 0, 0]

/** A point of contact: a ball; to models that know polyhedra alone the tip of a pyramid. */
const tip = (model: ContactModelName): Shape =>
  model === 'peg' || model === 'lnc'
    ? {
        type: 'hull',
        polyhedron: hullOf(Float64Array.of(0, 0, -RADIUS, RADIUS, 0, RADIUS, -RADIUS, RADIUS, RADIUS, -RADIUS, -RADIUS, RADIUS)),
      }
    : { type: 'sphere', radius: RADIUS }

export const forceLevel = ['penalty', 'penalty-deepest', 'hunt-crossley']

/** Whether a model has impulses for impacts; the springs of the others meet them. */
export const meetsImpacts = (model: ContactModelName): boolean =>
  makeWorld({ robot: sphere(0.1), model }).contactModel.parameters.used.some(({ name }) => name === 'impacts')

/** What of a model's options decides how impacts are met. */
export function waysOf(model: ContactModelName): ContactModelOptions[] {
  const hypotheses = ['stronge', 'poisson', 'newton']
  if (forceLevel.includes(model)) return hypotheses.map((impacts) => ({ impacts }))
  return [
    ...['poisson', 'newton'].map((impacts) => ({ impulses: 'simultaneous', impacts })),
    ...hypotheses.map((impacts) => ({ impulses: 'sequential', impacts })),
  ]
}

const between = (random: Random, low: number, high: number, count: number) =>
  Array.from({ length: count }, () => random.between(low, high))

/** Moments that some body has. */
function momentsOf(random: Random, mass: number): [number, number, number] {
  const [x, y, z] = between(random, 0.001, 0.05, 3).map((k) => k * mass)
  return [y + z, z + x, x + y]
}

const surface = (random: Random) => ({
  friction: random.index(4) === 0 ? 0 : random.between(0, 1),
  restitution: [0, 1, random.between(0, 1), random.between(0, 1)][random.index(4)],
})

/** Models that meet impacts ahead see contacts that close within the step; the others those that overlap. */
const gapOf = (model: ContactModelName, random: Random) =>
  forceLevel.includes(model) ? -random.between(0, 1e-10) : random.between(0, 0.2) * STEP

type Scene = Parameters<typeof makeWorld>[0]

/** A free body that falls on one to four points at once. */
function onPoints(model: ContactModelName, random: Random): Omit<Scene, 'model'> {
  const mass = random.between(0.5, 3)
  const count = 1 + random.index(4)
  const shapes = Array.from({ length: count }, (): ShapeOn => {
    const [x, y] = between(random, -0.3, 0.3, 2)
    return { body: 1, shape: tip(model), p: [x, y, -0.2 + gapOf(model, random)], ...surface(random) }
  })
  const [x, y, z] = between(random, -0.15, 0.15, 3)
  const tipped = body('body', free('free'), solid(mass, momentsOf(random, mass), [x, y, z]))
  return {
    robot: makeRobot('body', [tipped], shapes, weightless),
    q: [0, 0, 0.2 + RADIUS, 0, 0, 0, 1],
    v: [...between(random, -4, 4, 3), ...between(random, -2, 2, 2), random.between(-3, -0.5)],
  }
}

/** The same on a box that is free itself. */
function onBox(model: ContactModelName, random: Random): Omit<Scene, 'model'> {
  const { robot, q, v } = onPoints(model, random)
  const mass = random.between(0.2, 5)
  const box = body('box', free('free box'), solid(mass, momentsOf(random, mass)))
  const below = makeRobot('box', [box], [{ body: 1, shape: { type: 'box', size: [1, 1, 0.2] }, ...surface(random) }], weightless)
  return {
    robots: [
      { robot: below, q: [0, 0, -0.1, 0, 0, 0, 1], v: between(random, -1, 1, 6) },
      { robot: robot as NonNullable<typeof robot>, q, v },
    ],
    fixtures: [],
  }
}

/** A chain of two to four links, whose last one strikes the floor with one or two points, and some that touch with another link. */
function chain(model: ContactModelName, random: Random): Omit<Scene, 'model'> {
  const count = 2 + random.index(3)
  const isFree = random.index(2) === 0
  const links = Array.from({ length: count }, (_, i): BodyDefinition => {
    const mass = random.between(0.3, 2)
    return {
      name: `link ${i}`,
      jointName: `joint ${i}`,
      parent: i,
      jointType: i === 0 && isFree ? JointType.floating : JointType.revolute,
      axis: random.index(2) === 0 ? [0, 1, 0] : [1, 0, 0],
      position: [0, 0, i === 0 ? 0 : -0.4],
      mass,
      centerOfMass: [random.between(-0.05, 0.05), 0, -0.2],
      inertia: [...momentsOf(random, mass), 0, 0, 0],
    }
  })
  const feet = 1 + random.index(2)
  const joints = count - (isFree ? 1 : 0)
  const q = [...(isFree ? [0, 0, 0, 0, 0, 0, 1] : []), ...between(random, -1, 1, joints)]
  const bare = makeRobot('chain', links, [], weightless)
  const data = createData(bare.model)
  kinematics(bare.model, { q: Float64Array.from(q), v: new Float64Array(bare.model.nv), t: new Float64Array(1) }, data)
  // the tip points downwards whatever the link's pose; it is turned back into the link's axes
  const shapes: ShapeOn[] = []
  let lowest = 0
  for (let k = 0; k < feet; k++) {
    const body = k === 0 ? count : 1 + random.index(count)
    const { R, p } = poseOf(data, body)
    const local: [number, number, number] = [random.between(-0.1, 0.1), random.between(-0.1, 0.1), -0.4]
    const at = [0, 1, 2].map((d) => p[d] + R[3 * d] * local[0] + R[3 * d + 1] * local[1] + R[3 * d + 2] * local[2])
    if (k === 0) lowest = at[2]
    else {
      // down or up to the height of the first, by the link's own axes
      const lift = lowest - at[2]
      for (let d = 0; d < 3; d++) local[d] += R[6 + d] * lift
    }
    const turned = Float64Array.from([R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]])
    shapes.push({ body, shape: tip(model), p: local, R: turned, ...surface(random) })
  }
  return {
    robot: makeRobot('chain', links, shapes, weightless),
    fixtures: [plane(lowest - RADIUS - gapOf(model, random))],
    q,
    v: [...(isFree ? [...between(random, -2, 2, 5), random.between(-3, 0)] : []), ...between(random, -5, 5, joints)],
  }
}

/** R and p of a body in world axes, from `kinematics`. */
function poseOf(data: ReturnType<typeof createData>, body: number): { R: ArrayLike<number>; p: ArrayLike<number> } {
  return { R: data.R_WB[body], p: data.p_WB[body] }
}

/** Two to six balls, or cubes, in a row, of different masses and surfaces, the first of which strikes the rest. */
function row(model: ContactModelName, random: Random): Omit<Scene, 'model'> {
  const count = 2 + random.index(5)
  const isBox = model === 'peg' || model === 'lnc'
  let x = 0
  const robots = Array.from({ length: count }, (_, i) => {
    const mass = random.between(0.2, 5)
    const half = random.between(0.05, 0.1)
    x += (i === 0 ? 0 : gapOf(model, random)) + half
    const width = 2 * (i % 2 === 0 ? 0.05 : 0.07)
    const shape: Shape = isBox ? { type: 'box', size: [2 * half, width, width] } : { type: 'sphere', radius: half }
    const ball = body('ball', free('free'), solid(mass, momentsOf(random, mass)))
    const at = x
    x += half
    return {
      robot: makeRobot('ball', [ball], [{ body: 1, shape, ...surface(random) }], weightless),
      q: [at, 0, 0, 0, 0, 0, 1],
      v: i === 0 ? [...between(random, -2, 2, 3), random.between(0.5, 3), 0, 0] : [0, 0, 0, random.between(-0.1, 0.1), 0, 0],
    }
  })
  return { robots, fixtures: [] }
}

/**
 * Kane's double pendulum: two uniform rods of 1 m at 20 and 30 degrees from the vertical, whose tip strikes the floor. Kane and Levinson, Dynamics
 * (1985): Newton's rule with friction has it gain energy.
 */
export function kanesPendulum(model: ContactModelName, restitution: number, options: ContactModelOptions): Outcome {
  const rod = (parent: number): BodyDefinition =>
    body(
      `rod ${parent}`,
      hinge(`hinge ${parent}`, parent, [0, 1, 0], [0, 0, -parent]),
      solid(1, [1 / 12, 1 / 12, 1e-3], [0, 0, -0.5]),
    )
  const [q1, q2] = [Math.PI / 9, Math.PI / 18]
  const [s, c] = [Math.sin(q1 + q2), Math.cos(q1 + q2)]
  const turned = Float64Array.of(c, 0, -s, 0, 1, 0, s, 0, c)
  const gap = forceLevel.includes(model) ? -1e-11 : 0
  const lowest = -Math.cos(q1) - c
  const world = makeWorld({
    robot: makeRobot('double pendulum', [rod(0), rod(1)], [{ body: 2, shape: tip(model), R: turned, p: [0, 0, -1] }], weightless),
    fixtures: [plane(lowest - RADIUS - gap)],
    model,
    dt: STEP,
    physical: { restitution, friction: 0.5 },
    options: forceLevel.includes(model) ? options : { ...options, drift: 'none' },
    q: [q1, q2],
    v: [-0.1, -0.1],
  })
  return { ...step(world), options, kind: 'pendulum' }
}

/** Rods of the same lengths whose tip is 1 mm above a floor at a lower place, after 0.2 s: share of its energy gained. */
export function pendulumBeforeItStrikes(
  model: ContactModelName,
  tilt: number,
  v: readonly [number, number],
  restitution: number,
  dt: number,
): { readonly gain: number; readonly world: World } {
  const rod = (parent: number): BodyDefinition =>
    body(
      `rod ${parent}`,
      hinge(`hinge ${parent}`, parent, [0, 1, 0], [0, 0, -parent]),
      solid(1, [1 / 12, 1 / 12, 1e-3], [0, 0, -0.5]),
    )
  const first = (tilt * Math.PI) / 180
  const world = makeWorld({
    robot: makeRobot(
      'double pendulum',
      [rod(0), rod(1)],
      [{ body: 2, shape: { type: 'sphere', radius: 0.02 }, p: [0, 0, -1] }],
      weightless,
    ),
    fixtures: [plane(-1.83)],
    model,
    dt,
    physical: { restitution, friction: 0.5 },
    q: [first, Math.acos(1.83 - 0.021 - Math.cos(first)) - first],
    v: [...v],
  })
  const energy = kineticMeter(world)
  const before = energy()
  for (let k = 0; k < 0.2 / dt; k++) world.step()
  return { world, gain: energy() / before - 1 }
}

/** A ball strikes a row of others without gravity, in line or a little off it; 0.3 s of it. */
export function bouncingRow(
  model: ContactModelName,
  seed: number,
): { readonly gain: number; readonly gains: number; readonly text: string } {
  const random = createRandom(seed)
  const count = 3 + random.index(8)
  const masses = Array.from({ length: count }, () => 10 ** random.between(-1.5, 1.5))
  const dt = 10 ** random.between(-4, Math.log10(5e-3))
  const restitution = [1, 0.97, random.between(0, 1)][random.index(3)]
  const friction = [0, 0.5][random.index(2)]
  const gap = [0, 1e-3, 0.01, 0.05][random.index(4)]
  const off = gap > 0 ? [0, 0.05][random.index(2)] : 0
  const speed = 10 ** random.between(-1, 1)
  const world = makeWorld({
    robots: masses.map((mass, i) => ({
      robot: makeRobot(
        'ball',
        [body('ball', free('free'), solid(mass, [0.004 * mass, 0.004 * mass, 0.004 * mass]))],
        [{ body: 1, shape: { type: 'sphere', radius: 0.1 } }],
        weightless,
      ),
      q: [i * (0.2 + gap + 1e-9), off * random.between(-1, 1), 0, 0, 0, 0, 1],
      v: [0, 0, 0, i === 0 ? speed : 0, 0, 0],
    })),
    fixtures: [],
    model,
    dt,
    physical: { restitution, friction },
  })
  const energy = kineticMeter(world)
  const before = energy()
  for (let k = 0; k < 0.3 / dt; k++) world.step()
  const text = `${masses.map((mass) => mass.toPrecision(3)).join(', ')} kg at ${dt} s, e ${restitution}, mu ${friction}, gap ${gap}, ${speed} m/s`
  return { gain: energy() / before - 1, gains: world.events.energyGains, text }
}

const plane = (offset: number): PlacedShape => ({
  name: 'floor',
  body: 0,
  shape: { type: 'halfspace', normal: [0, 0, 1], offset },
  R: identity,
  p: new Float64Array(3),
})

const kinds = [onPoints, onBox, chain, row]

export interface Outcome {
  readonly world: World
  /** Share of the kinetic energy that the step has gained, below 0 if it was lost. */
  readonly gain: number
  /** Whether anything struck. */
  readonly struck: boolean
  readonly options: ContactModelOptions
  readonly kind: string
}

export function randomImpact(model: ContactModelName, seed: number): Outcome {
  const random = createRandom(seed)
  const ways = waysOf(model)
  const kind = kinds[seed % kinds.length]
  const way = ways[Math.floor(seed / kinds.length) % ways.length]
  const options = forceLevel.includes(model) ? way : { ...way, drift: 'none' }
  const world = makeWorld({ dt: STEP, ...kind(model, random), model, options })
  return { ...step(world), options, kind: kind.name }
}

/** Takes one step. */
function step(world: World): Pick<Outcome, 'world' | 'gain' | 'struck'> {
  const energy = kineticMeter(world)
  const before = energy()
  world.step()
  const { count, impulse } = world.contacts
  let struck = false
  for (let i = 0; i < count; i++) if (impulse[3 * i] > 0) struck = true
  return { world, gain: energy() / before - 1, struck }
}
