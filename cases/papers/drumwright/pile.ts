import { Random } from '../../../compare/scenario/world/random.ts'
import type { Shape } from '../../../contact/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { World, type WorldRobot } from '../../../simulation/index.ts'
import { fixture, type Vector } from '../baraff/scene.ts'
import type { Claim } from '../page.ts'
import { between, uniformRotation } from '../uniform.ts'
import { kineticMeter } from './block.ts'
import { metres, significant } from './numbers.ts'
import { gainsPerMass, lambda } from './paper.ts'

/** Figure 13: boxes, cylinders and spheres fall into a box and lie still. */
export interface PileOptions {
  readonly bodies: number
  readonly seed: number
  /** Until they rest, and how long they are then watched [s]. */
  readonly settle: number
  readonly watch: number
  readonly dt: number
  /** Rule of section III-C, or working gains: a stated stiffness, and shares by depth. */
  readonly gains: 'rule' | 'stated'
  readonly progress?: (fraction: number) => void
}

export type PileRun = ReturnType<typeof pile>

/**
 * Of all pairs: that at which the heaviest body's weight presses 1 mm deep. With the stiffness of its own weight a body of one
 * kilogram under the pile's five tonnes would be pressed flat, and out of the box [N/m].
 */
const stiffness = 1e6
/** With points that count alike however shallow they are, bodies that stand high rock on and on; see `penalty`. */
const fullShare = 0.5
/** The paper leaves it open. */
const friction = 0.5
/** Bodies start in layers, on a square grid of this spacing, layers likewise; between the outermost and the walls is a margin [m]. */
const spacing = 0.36
/** Of a body's sizes [m]. */
const smallest = 0.1
const margin = 0.19
/** Places along a side of the grid: so few that bodies lie upon each other, as nothing else stops rolling ones. */
const gridOf = (bodies: number) => (bodies > 40 ? 3 : 2)
/** Half the width of the box; it has no lid [m]. */
const halfWidthOf = (bodies: number) => ((gridOf(bodies) - 1) / 2) * spacing + margin

/**
 * @returns mass of all [kg]; kinetic energy over the mass, every tenth of a second from the start, and the most while they were watched [J/kg]; the
 *   farthest that any centre moved meanwhile [m]; bodies whose centre is outside of the box at the end (`escaped`); computing time of a step, mean [s]
 * @throws SimulationError if a state is not finite
 */
export function pile({ bodies, seed, settle, watch, dt, gains, progress }: PileOptions) {
  const random = new Random(seed)
  const halfWidth = halfWidthOf(bodies)
  const robots = Array.from({ length: bodies }, (_, i) => randomBody(random, i, gridOf(bodies)))
  const world = new World({
    robots,
    fixtures: walls(halfWidth),
    contactModel: 'penalty',
    ...(gains === 'rule'
      ? { contactOptions: { gains: 'paper', lambda }, physical: { friction } }
      : { contactOptions: { fullShare }, physical: { friction, stiffness } }),
    dt,
  })
  const kinetic = kineticMeter(world)
  const mass = world.robot.massUsed
  const energy: number[] = []
  let restEnergyMax = 0
  const atRest = new Float64Array(3 * bodies)
  let drift = 0
  const settleSteps = Math.round(settle / dt)
  const steps = settleSteps + Math.round(watch / dt)
  const tenth = Math.round(0.1 / dt)
  const begin = performance.now()
  for (let k = 0; k < steps; k++) {
    world.step()
    if (world.stepCount % tenth === 0) {
      const now = kinetic() / mass
      energy.push(now)
      if (world.stepCount > settleSteps) restEnergyMax = Math.max(restEnergyMax, now)
      progress?.(k / steps)
    }
    if (world.stepCount === settleSteps) atRest.set(centres(world))
  }
  const stepTime = (performance.now() - begin) / 1e3 / steps
  const now = centres(world)
  let escaped = 0
  for (let i = 0; i < 3 * bodies; i += 3) {
    drift = Math.max(drift, Math.hypot(now[i] - atRest[i], now[i + 1] - atRest[i + 1], now[i + 2] - atRest[i + 2]))
    if (Math.abs(now[i]) > halfWidth || Math.abs(now[i + 1]) > halfWidth || now[i + 2] < 0) escaped++
  }
  return {
    gains,
    bodies,
    seed,
    dt,
    mass,
    energy,
    restEnergyMax,
    drift,
    escaped,
    contacts: world.contacts.count,
    fallbacks: world.events.fallbacks,
    stepTime,
    hash: world.hash(),
  }
}

/** 3 a body. */
function centres({ robots }: World): Float64Array {
  return Float64Array.from(robots.flatMap(({ state: { q } }) => [q[0], q[1], q[2]]))
}

function randomBody(random: Random, i: number, grid: number): WorldRobot {
  const layer = Math.floor(i / (grid * grid))
  const column = (k: number) => (k - (grid - 1) / 2) * spacing + between(random, -0.01, 0.01)
  const size = () => between(random, smallest, 0.3)
  const shapes: Shape[] = [
    { type: 'box', size: [size(), size(), size()] },
    { type: 'cylinder', radius: size() / 2, length: size() },
    { type: 'sphere', radius: size() / 2 },
  ]
  const robot = createFreeBody({
    name: `body${i + 1}`,
    shape: shapes[i % 3],
    mass: Math.max(1, between(random, 0, 100)),
    position: [column(i % grid), column(Math.floor(i / grid) % grid), 0.3 + layer * spacing],
    quaternion: uniformRotation(random),
  })
  return { robot }
}

/** Floor and four walls, half-spaces all: nothing gets through. */
function walls(halfWidth: number) {
  const half = (name: string, normal: Vector, offset: number) => fixture(name, { type: 'halfspace', normal, offset })
  return [
    half('floor', [0, 0, 1], 0),
    half('wall -x', [1, 0, 0], -halfWidth),
    half('wall +x', [-1, 0, 0], -halfWidth),
    half('wall -y', [0, 1, 0], -halfWidth),
    half('wall +y', [0, -1, 0], -halfWidth),
  ]
}

/** Of bodies that move by so little all is at rest: 1.4 cm/s [J/kg]. */
const restEnergy = 1e-4

export function pileClaim({ gains, bodies, restEnergyMax, drift, escaped, contacts }: PileRun): Claim {
  const rests = restEnergyMax < restEnergy
  const ownDepth = 9.81 / (gainsPerMass.kp + gainsPerMass.ki / (1 - lambda))
  const isRule = gains === 'rule'
  const judgement = !rests
    ? 'not reproduced'
    : escaped === 0
      ? isRule
        ? 'reproduced'
        : 'order reproduced'
      : isRule && ownDepth > smallest / 2
        ? 'cannot follow'
        : 'not reproduced'
  return {
    where: 'Figure 13',
    claim: `pile of ${bodies} bodies, ${isRule ? 'by the rule 100, 50, 2 (m1 + m2)' : 'by a stated stiffness and shares by depth'}`,
    paper: 'steady',
    found: `kinetic energy at most ${significant(restEnergyMax)} J/kg while watched, no centre moved more than ${metres(drift)}, ${escaped} escaped, ${contacts} contacts`,
    judgement,
    why: isRule
      ? `Judged by 1e-4 J/kg and by no centre beyond the floor or a wall. By the rule any body lies ${metres(ownDepth)} deep in the floor by its own weight, whatever its mass, and deeper by what is on it; half of one of ${smallest} m is ${smallest / 2} m.`
      : 'Not by the paper’s gains: 1 MN/m for all pairs. Judged by 1e-4 J/kg, 1.4 cm/s, and by nothing leaving the box.',
  }
}
