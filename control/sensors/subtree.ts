/** Sums over part of a robot: its momentum, and the force that moves it. */
import { addCrossForce, addForceToWorld, type Data, mulInertia, rotate3, rotateTransposed3 } from '../../dynamics/index.ts'
import type { RobotSensor } from '../../robots/index.ts'
import { type Surroundings, shapesOfPairs } from '../../simulation/index.ts'
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

/** By pair of shapes: 1 where the second is on one of the robot's links and the first is not, -1 the other way round. */
export function sidesOf({ world, index }: Surroundings, links: readonly string[]): Int8Array {
  const { shapes, shapeA, shapeB } = shapesOfPairs(world)
  const prefix = world.robots.length > 1 ? `${world.robots[index].name}/` : ''
  const isOn = shapes.map(({ link, placed }) => !world.fixtures.includes(placed) && links.some((own) => prefix + own === link))
  return Int8Array.from(shapeA, (a, pair) => Number(isOn[shapeB[pair]]) - Number(isOn[a]))
}

/** Subtracts the mean forces of contacts on links over the last step, about the world's origin. */
export function withoutContacts(links: readonly string[]): (sight: Sight, out: Float64Array) => void {
  let side: Int8Array | undefined
  return ({ surroundings }, out) => {
    if (surroundings === undefined) return
    side ??= sidesOf(surroundings, links)
    const { count, pair, force } = surroundings.world.stepBefore
    for (let i = 0; i < count; i++) {
      const sign = side[pair[i]]
      if (sign !== 0) for (let k = 0; k < 6; k++) out[k] -= sign * force[6 * i + k]
    }
  }
}
