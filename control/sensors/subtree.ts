/** Sums over part of a robot: its momentum, and the force that moves it. */
import { marginOfPair } from '../../contact/geometry/index.ts'
import { addCrossForce, addForceToWorld, type Data, mulInertia, rotate3, rotateTransposed3 } from '../../dynamics/index.ts'
import type { RobotSensor } from '../../robots/index.ts'
import { type RecordedShape, type Surroundings, shapesOfPairs } from '../../simulation/index.ts'
import type { Sight } from './sensor.ts'

/** Bodies, or those of their links that belong to it, with their inertia as in `Model.I`. */
export type Subtree = NonNullable<RobotSensor['subtree']>

const three = new Float64Array(3)
const six = new Float64Array(6)
const A = new Float64Array(6)

/**
 * Reads data.V (`velocities`).
 *
 * @param mass     out: 4: mass, and mass times the centre of mass in world axes [kg, kg m]
 * @param momentum out: 6: [angular about the world's origin; linear] in world axes
 */
export function subtreeMomentum(subtree: Subtree, { R_WB, p_WB, V }: Data, mass: Float64Array, momentum: Float64Array): void {
  mass.fill(0)
  momentum.fill(0)
  for (const { body, I } of subtree) {
    for (let k = 0; k < 3; k++) three[k] = I[1 + k]
    rotate3(three, R_WB[body], three)
    mass[0] += I[0]
    for (let k = 0; k < 3; k++) mass[1 + k] += three[k] + I[0] * p_WB[body][k]
    if (body === 0) continue
    mulInertia(six, I, V[body])
    addForceToWorld(momentum, R_WB[body], p_WB[body], six)
  }
}

/**
 * out = the force that gives a subtree its acceleration against gravity, [moment about the world's origin; force] in world axes [N m, N].
 *
 * Reads data.V and data.trueA (`accelerations`).
 *
 * @param gravity 6, of the model
 */
export function subtreeForce(subtree: Subtree, gravity: Float64Array, { R_WB, p_WB, V, trueA }: Data, out: Float64Array): void {
  out.fill(0)
  for (const { body, I } of subtree) {
    for (let k = 0; k < 3; k++) three[k] = gravity[3 + k]
    rotateTransposed3(three, R_WB[body], three)
    A.fill(0)
    if (body > 0) A.set(trueA[body])
    for (let k = 0; k < 3; k++) A[3 + k] -= three[k]
    mulInertia(six, I, A)
    if (body > 0) {
      mulInertia(A, I, V[body])
      addCrossForce(six, V[body], A)
    }
    addForceToWorld(out, R_WB[body], p_WB[body], six)
  }
}

/** The name in the world of a link of the robot, or of an object of its file, which is after it; that of all fixtures is `world`. */
export function linkInWorld({ world: { robots }, index }: Surroundings, link: string): string {
  if (robots.length === 1 || link === 'world') return link
  const carrier = robots.slice(index).find(({ robot }) => robot.frames.some(({ name }) => name === link)) ?? robots[index]
  return `${carrier.name}/${link}`
}

/** Of shapes, whether they are on one of the links, and of the geom if one is stated; fixtures are on `world`. */
function areOn(surroundings: Surroundings, shapes: readonly RecordedShape[], links: readonly string[], geom?: string): boolean[] {
  const own = new Set(links.map((link) => linkInWorld(surroundings, link)))
  const { fixtures } = surroundings.world
  return shapes.map(
    ({ link, placed }) => own.has(fixtures.includes(placed) ? 'world' : link) && (geom === undefined || placed.geomName === geom),
  )
}

/** By pair of shapes: 1 where the second is on one of the robot's links and the first is not, -1 the other way round. */
export function sidesOf(surroundings: Surroundings, links: readonly string[]): Int8Array {
  const { shapes, shapeA, shapeB } = shapesOfPairs(surroundings.world)
  const isOn = areOn(surroundings, shapes, links)
  return Int8Array.from(shapeA, (a, pair) => Number(isOn[shapeB[pair]]) - Number(isOn[a]))
}

/** By pair of shapes: the gap up to which they are in contact [m], NaN where they are not on the sides of a sensor. */
export function reachBetween(surroundings: Surroundings, [one, other]: NonNullable<RobotSensor['sides']>): Float64Array {
  const { shapes, shapeA, shapeB } = shapesOfPairs(surroundings.world)
  const [first, second] = [one, other].map((side) =>
    side ? areOn(surroundings, shapes, side.links, side.geom) : shapes.map(() => true),
  )
  return Float64Array.from(shapeA, (a, pair) => {
    const b = shapeB[pair]
    return (first[a] && second[b]) || (first[b] && second[a]) ? marginOfPair(shapes[a].placed, shapes[b].placed) : NaN
  })
}

/** Subtracts the mean forces of pushes, pulls and loops on bodies over the last step, about the world's origin. */
export function subtractLoads({ surroundings }: Sight, bodies: readonly number[], out: Float64Array): void {
  if (surroundings === undefined) return
  const { world, index } = surroundings
  const { loads } = world.stepBefore
  const { body: first } = world.robots[index].start
  for (let n = 0; n < bodies.length; n++) for (let k = 0; k < 6; k++) out[k] -= loads[6 * (first + bodies[n]) + k]
}

/** Subtracts the mean forces of contacts on links, as in MuJoCo never on fixtures, over the last step, about the world's origin. */
export function withoutContacts(links: readonly string[]): (sight: Sight, out: Float64Array) => void {
  const moving = links.filter((link) => link !== 'world')
  let side: Int8Array | undefined
  return ({ surroundings }, out) => {
    if (surroundings === undefined) return
    side ??= sidesOf(surroundings, moving)
    const { count, pair, force } = surroundings.world.stepBefore
    for (let i = 0; i < count; i++) {
      const sign = side[pair[i]]
      if (sign !== 0) for (let k = 0; k < 6; k++) out[k] -= sign * force[6 * i + k]
    }
  }
}
