import { Random } from '../../../compare/scenario/world/random.ts'
import { contactChoice } from '../../../contact/index.ts'
import {
  createData,
  kinematics,
  kineticEnergy,
  rotateTransposed3,
  rotationOfQuaternion,
  velocities,
} from '../../../dynamics/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { type EffortSource, World } from '../../../simulation/index.ts'
import { loadOf } from '../baraff/scene.ts'
import { between, uniformRotation } from '../uniform.ts'
import { cube, lambda, statedGains, timeStep } from './paper.ts'

/** 'steiner': several points, with the Steiner points of appendix I-A. */
export type Penalty = 'penalty' | 'penalty-deepest' | 'steiner'
export type Method = Penalty | 'lcp'
/** [N/m, N s/m, N/m] */
export interface Gains {
  readonly kp: number
  readonly kv: number
  readonly ki: number
}

/** Figures 8 to 11: kinetic energy [J] and penetration [m] of the cube after each step. */
export interface BlockRun {
  readonly method: Method
  readonly mass: number
  readonly seed: number
  readonly kinetic: Float64Array
  readonly depth: Float64Array
  readonly hash: string
}

/** How deep the lowest corner of the cube starts in figure 7 [m]. */
export const startDepth = 0.15

/** How deep the load presses the cube at rest: d = W / (kp + ki / (1 - lambda)). */
export function staticDepth(method: Penalty, mass: number, { kp, ki }: Gains = statedGains[method]): number {
  return (mass * cube.gravity) / (kp + ki / (1 - lambda))
}

/**
 * Decay rate of a remaining depth [1/s]. The damper is far above critical, so the slow pole is stiffness over damping, whatever
 * the mass.
 */
export function fadingRate(method: Penalty): number {
  const { kp, kv, ki } = statedGains[method]
  return (kp + ki / (1 - lambda)) / kv
}

/** Figure 7 by the gains alone while the cube stands on one corner: its depth after t [m]. */
export function fadedDepth(method: Penalty, mass: number, t: number): number {
  const rest = staticDepth(method, mass)
  return rest + (startDepth - rest) * Math.exp(-fadingRate(method) * t)
}

/** Section IV-A: the cube is let go in a random orientation, its lowest corner deep in the plane. */
export function penetratingBlock(
  method: Penalty,
  seed: number,
  steps: number,
  mass: number = cube.mass,
  gains?: Gains,
): BlockRun {
  const quaternion = uniformRotation(new Random(seed))
  const height = halfHeight(Float64Array.from(quaternion), 0) - startDepth
  return run(worldOf(method, mass, height, { quaternion, gains }), { method, mass, seed }, steps)
}

/** Steps for which a force acts, and for which none does; and how often. */
export const pushedSteps = 500
export const freeSteps = 500
export const pushes = 10

/** Section IV-B: forces of 10 to 100 N press down on random points of the top, each for 500 steps, with 500 free ones after. */
export function perturbedBlock(method: Method, seed: number, mass: number = cube.mass): BlockRun {
  const controller = pressing(pushesOf(seed))
  const rest = method === 'lcp' ? 0 : staticDepth(method, mass)
  const world = worldOf(method, mass, cube.size / 2 - rest, { controller })
  return run(world, { method, mass, seed }, pushes * (pushedSteps + freeSteps))
}

type Push = ReturnType<typeof pushesOf>[number]

function pushesOf(seed: number) {
  const random = new Random(seed)
  return Array.from({ length: pushes }, () => ({
    force: between(random, 10, 100),
    x: between(random, -0.5, 0.5) * cube.size,
    y: between(random, -0.5, 0.5) * cube.size,
  }))
}

/**
 * Section IV-B by the gains alone: the cube sinks, and with several points tilts, towards the balance of each force at the
 * slow poles. Sinking has stiffness kp + ki / (1 - lambda) and damping kv; tilting, with a quarter of both at each corner and none
 * of the integral, which is the same at all, size² / 4 of kp and of kv. One point resists no tilt: there it only sinks.
 */
export function fadingPushes(method: Penalty, seed: number, mass: number = cube.mass): Pick<BlockRun, 'kinetic' | 'depth'> {
  const { kp, kv, ki } = statedGains[method]
  const { size } = cube
  const arm = method === 'penalty-deepest' ? Infinity : (size * size) / 4
  const inertia = (mass * size * size) / 6
  const list = pushesOf(seed)
  const rest = staticDepth(method, mass)
  const steps = pushes * (pushedSteps + freeSteps)
  const [kinetic, depth] = [new Float64Array(steps), new Float64Array(steps)]
  const stiffness = [kp + ki / (1 - lambda), kp * arm, kp * arm]
  const rates = [fadingRate(method), kp / kv, kp / kv]
  const [at, speed] = [new Float64Array(3), new Float64Array(3)]
  for (let k = 0; k < steps; k++) {
    const { force, x, y } = list[Math.floor(k / (pushedSteps + freeSteps))]
    const acts = k % (pushedSteps + freeSteps) < pushedSteps ? force : 0
    const loads = [acts, acts * x, acts * y]
    for (let d = 0; d < 3; d++) {
      const balance = loads[d] / stiffness[d]
      at[d] = balance + (at[d] - balance) * Math.exp(-rates[d] * timeStep)
      speed[d] = rates[d] * (balance - at[d])
    }
    kinetic[k] = 0.5 * mass * speed[0] * speed[0] + 0.5 * inertia * (speed[1] * speed[1] + speed[2] * speed[2])
    depth[k] = rest + at[0] + 0.5 * size * (Math.abs(at[1]) + Math.abs(at[2]))
  }
  return { kinetic, depth }
}

interface Setup {
  readonly quaternion?: readonly [number, number, number, number]
  readonly controller?: EffortSource
  /** Default: those of section IV-A. */
  readonly gains?: Gains
}

/** @param height of its centre [m] */
export function worldOf(method: Method, mass: number, height: number, { quaternion, controller, gains }: Setup): World {
  const { size, gravity } = cube
  const shape = { type: 'box', size: [size, size, size] } as const
  const position = [0, 0, height] as const
  const robot = createFreeBody({ name: 'cube', shape, mass, position, quaternion, gravity: [0, 0, -gravity] })
  const [model, options] =
    method === 'lcp'
      ? [method, { drift: 'deepest-point' }]
      : [
          method === 'steiner' ? 'penalty' : method,
          { ...(gains ?? statedGains[method]), lambda, integral: true, impacts: 'newton' },
        ]
  return new World({ robot, controller, ...contactChoice(model, options), integrator: 'rk4', dt: timeStep })
}

/** Kinetic energy of the world when it is called [J]. */
export function kineticMeter({ model, state }: World): () => number {
  const data = createData(model)
  const energy = new Float64Array(1)
  return () => {
    kinematics(model, state, data)
    velocities(model, state, data)
    kineticEnergy(model, state, data, energy)
    return energy[0]
  }
}

export function run(world: World, of: Pick<BlockRun, 'method' | 'mass' | 'seed'>, steps: number): BlockRun {
  const [kinetic, depth] = [new Float64Array(steps), new Float64Array(steps)]
  const energy = kineticMeter(world)
  for (let k = 0; k < steps; k++) {
    world.step()
    kinetic[k] = energy()
    depth[k] = Math.max(0, halfHeight(world.state.q, 3) - world.state.q[2])
  }
  return { ...of, kinetic, depth, hash: world.hash() }
}

/** How far below its centre the lowest corner of the cube is, for the quaternion at q[at] [m]. */
function halfHeight(q: Float64Array, at: number): number {
  const R = new Float64Array(9)
  rotationOfQuaternion(R, q, at)
  return (cube.size / 2) * (Math.abs(R[6]) + Math.abs(R[7]) + Math.abs(R[8]))
}

/** A force straight down at a point that stays on the cube's top, and its moment about the centre, in the cube's own axes. */
function pressing(list: readonly Push[]): EffortSource {
  const [R, force, down] = [new Float64Array(9), new Float64Array(3), new Float64Array(3)]
  return loadOf((t, q) => {
    const step = Math.round(t / timeStep)
    const push = list[Math.floor(step / (pushedSteps + freeSteps))]
    if (push === undefined || step % (pushedSteps + freeSteps) >= pushedSteps) return [0, 0, 0]
    rotationOfQuaternion(R, q, 3)
    down[2] = -push.force
    rotateTransposed3(force, R, down)
    const [x, y, z] = [push.x, push.y, cube.size / 2]
    const [fx, fy, fz] = force
    return [fx, fy, fz, y * fz - z * fy, z * fx - x * fz, x * fy - y * fx]
  })
}
