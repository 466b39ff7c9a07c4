import type { contactModels } from '../../../contact/index.ts'
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
import { Random } from '../../random.ts'
import { between, uniformRotation } from '../uniform.ts'
import { cube, lambda, statedGains, timeStep } from './paper.ts'

export type Method = 'penalty' | 'penalty-deepest' | 'stewart-trinkle'

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
  const random = new Random(seed)
  const pressure = new Pressure(
    Array.from({ length: pushes }, () => ({
      force: between(random, 10, 100),
      x: between(random, -0.5, 0.5) * cube.size,
      y: between(random, -0.5, 0.5) * cube.size,
    })),
  )
  const rest = method === 'stewart-trinkle' ? 0 : staticDepth(method, mass)
  const world = worldOf(method, mass, [0, 0, cube.size / 2 - rest], [0, 0, 0, 1], pressure)
  return run(world, method, mass, seed, pushes * (pushedSteps + freeSteps))
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
  const isPenalty = method !== 'stewart-trinkle'
  return new World({
    robot,
    controller,
    contactModel: method satisfies keyof typeof contactModels,
    contactOptions: isPenalty ? { ...statedGains[method], lambda, integral: true, impacts: 'newton' } : {},
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
  readonly #pushes: readonly { readonly force: number; readonly x: number; readonly y: number }[]
  readonly #R = new Float64Array(9)
  readonly #force = new Float64Array(3)
  readonly #down = new Float64Array(3)

  constructor(pushes: readonly { readonly force: number; readonly x: number; readonly y: number }[]) {
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
