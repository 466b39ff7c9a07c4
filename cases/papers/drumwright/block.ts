import { Random } from '../../../compare/scenario/world/random.ts'
import {
  createData,
  kinematics,
  kineticEnergy,
  rotateTransposed3,
  rotationOfQuaternion,
  type State,
  velocities,
} from '../../../dynamics/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { type EffortSource, World } from '../../../simulation/index.ts'
import { between, uniformRotation } from '../uniform.ts'
import { cube, lambda, statedGains, timeStep } from './paper.ts'

export type Method = 'penalty' | 'penalty-deepest' | 'lcp'

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
export function staticDepth(method: 'penalty' | 'penalty-deepest', mass: number): number {
  const { kp, ki } = statedGains[method]
  return (mass * cube.gravity) / (kp + ki / (1 - lambda))
}

/**
 * Decay rate of a remaining depth [1/s]. The damper is far above critical, so the slow pole is stiffness over damping, whatever
 * the mass.
 */
export function fadingRate(method: 'penalty' | 'penalty-deepest'): number {
  const { kp, kv, ki } = statedGains[method]
  return (kp + ki / (1 - lambda)) / kv
}

/** Figure 7 by the gains alone while the cube stands on one corner: its depth after t [m]. */
export function fadedDepth(method: 'penalty' | 'penalty-deepest', mass: number, t: number): number {
  const rest = staticDepth(method, mass)
  return rest + (startDepth - rest) * Math.exp(-fadingRate(method) * t)
}

/** Section IV-A: the cube is let go in a random orientation, its lowest corner deep in the plane. */
export function penetratingBlock(
  method: 'penalty' | 'penalty-deepest',
  seed: number,
  steps: number,
  mass: number = cube.mass,
): BlockRun {
  const quaternion = uniformRotation(new Random(seed))
  const height = halfHeight(Float64Array.from(quaternion), 0) - startDepth
  return run(worldOf(method, mass, [0, 0, height], quaternion), method, mass, seed, steps)
}

/** Steps for which a force acts, and for which none does; and how often. */
export const pushedSteps = 500
export const freeSteps = 500
export const pushes = 10

/** Section IV-B: forces of 10 to 100 N press down on random points of the top, each for 500 steps, with 500 free ones after. */
export function perturbedBlock(method: Method, seed: number, mass: number = cube.mass): BlockRun {
  const pressure = new Pressure(pushesOf(seed))
  const rest = method === 'lcp' ? 0 : staticDepth(method, mass)
  const world = worldOf(method, mass, [0, 0, cube.size / 2 - rest], [0, 0, 0, 1], pressure)
  return run(world, method, mass, seed, pushes * (pushedSteps + freeSteps))
}

interface Push {
  readonly force: number
  readonly x: number
  readonly y: number
}

function pushesOf(seed: number): Push[] {
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
export function fadingPushes(method: 'penalty' | 'penalty-deepest', seed: number): Pick<BlockRun, 'kinetic' | 'depth'> {
  const { kp, kv, ki } = statedGains[method]
  const { mass, size } = cube
  const arm = method === 'penalty' ? (size * size) / 4 : Infinity
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

function worldOf(
  method: Method,
  mass: number,
  position: readonly [number, number, number],
  quaternion: readonly [number, number, number, number],
  controller?: EffortSource,
): World {
  const { size, gravity } = cube
  const robot = createFreeBody({
    name: 'cube',
    shape: { type: 'box', size: [size, size, size] },
    mass,
    position,
    quaternion,
    gravity: [0, 0, -gravity],
  })
  return new World({
    robot,
    controller,
    ...(method === 'lcp'
      ? { contactModel: method, contactOptions: { drift: 'deepest-point' } }
      : { contactModel: method, contactOptions: { ...statedGains[method], lambda, integral: true, impacts: 'newton' } }),
    integrator: 'rk4',
    dt: timeStep,
  })
}

function run(world: World, method: Method, mass: number, seed: number, steps: number): BlockRun {
  const kinetic = new Float64Array(steps)
  const depth = new Float64Array(steps)
  const data = createData(world.model)
  const energy = new Float64Array(1)
  for (let k = 0; k < steps; k++) {
    world.step()
    kinematics(world.model, world.state, data)
    velocities(world.model, world.state, data)
    kineticEnergy(world.model, world.state, data, energy)
    kinetic[k] = energy[0]
    depth[k] = Math.max(0, halfHeight(world.state.q, 3) - world.state.q[2])
  }
  return { method, mass, seed, kinetic, depth, hash: world.hash() }
}

/** How far below its centre the lowest corner of the cube is, for the quaternion at q[at] [m]. */
function halfHeight(q: Float64Array, at: number): number {
  const R = new Float64Array(9)
  rotationOfQuaternion(R, q, at)
  return (cube.size / 2) * (Math.abs(R[6]) + Math.abs(R[7]) + Math.abs(R[8]))
}

/** A force straight down at a point that stays on the cube's top. */
class Pressure implements EffortSource {
  readonly everySteps = 1
  readonly #pushes: readonly Push[]
  readonly #R = new Float64Array(9)
  readonly #force = new Float64Array(3)
  readonly #down = new Float64Array(3)

  constructor(pushes: readonly Push[]) {
    this.#pushes = pushes
  }

  start(): void {}

  /** The force and its moment about the centre, in the cube's own axes, as the floating joint's effort is. */
  tick({ q, t }: State, _data: unknown, tau: Float64Array): void {
    const step = Math.round(t[0] / timeStep)
    const interval = Math.floor(step / (pushedSteps + freeSteps))
    tau.fill(0)
    if (interval >= this.#pushes.length || step % (pushedSteps + freeSteps) >= pushedSteps) return
    const { force, x, y } = this.#pushes[interval]
    const z = cube.size / 2
    rotationOfQuaternion(this.#R, q, 3)
    this.#down[2] = -force
    rotateTransposed3(this.#force, this.#R, this.#down)
    const [fx, fy, fz] = this.#force
    tau[0] = y * fz - z * fy
    tau[1] = z * fx - x * fz
    tau[2] = x * fy - y * fx
    tau[3] = fx
    tau[4] = fy
    tau[5] = fz
  }

  save(): null {
    return null
  }

  restore(): void {}
}
