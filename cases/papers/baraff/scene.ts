import {
  type ContactModelOptions,
  contactChoice,
  contactModelNames,
  type PhysicalInputs,
  type PlacedShape,
  type Shape,
} from '../../../contact/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { type EffortSource, World, type WorldLoop } from '../../../simulation/index.ts'

export type Vector = readonly [number, number, number]
/** [m/s²] */
export const g = 9.81
export const models = contactModelNames
/** Models whose contacts are springs: results depend on a stiffness, whatever the step. */
export const compliant: readonly string[] = ['penalty-deepest', 'penalty', 'hunt-crossley', 'mujoco', 'drake']
/** Models with an option `impulses`. */
export const isRigid = (model: string) => !compliant.includes(model)
export const rigid = models.filter(isRigid)

export const length = (v: readonly number[]) => Math.hypot(...v)
export const difference = (a: ArrayLike<number>, b: ArrayLike<number>) => Array.from(a, (x, k) => x - b[k])

/** A fixed shape, unturned. */
export const fixture = (name: string, shape: Shape, p: Vector = [0, 0, 0]): PlacedShape => ({
  name,
  body: 0,
  shape,
  R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
  p: Float64Array.from(p),
})
/** A free box, upright; where it starts [m]. */
export const boxOf = (name: string, size: Vector, mass: number, position: Vector, gravity = g) =>
  createFreeBody({ name, shape: { type: 'box', size }, mass, position, gravity: [0, 0, -gravity] })
export const floor = fixture('floor', { type: 'halfspace', normal: [0, 0, 1], offset: 0 })

/** A force [N] and its moment about the body's origin [N m], in the body's axes, at time t [s] and coordinates q. */
type Load = (t: number, q: Float64Array) => readonly [fx: number, fy: number, fz: number, mx?: number, my?: number, mz?: number]

/** Load on a free body that does not turn, so that its axes are the world's. */
export const loadOf = (load: Load): EffortSource => ({
  start() {},
  everySteps: 1,
  tick({ t, q }, _data, tau) {
    const [fx, fy, fz, mx = 0, my = 0, mz = 0] = load(t[0], q)
    tau.set([mx, my, mz, fx, fy, fz])
  },
  save: () => null,
  restore() {},
})

interface Scene {
  readonly model: string
  readonly dt: number
  readonly options?: ContactModelOptions
  readonly physical?: Partial<PhysicalInputs>
  readonly integrator?: 'rk4'
  readonly ccd?: boolean
  readonly gravity?: Vector
  readonly fixtures?: readonly PlacedShape[]
  readonly load?: Load
  readonly loops?: readonly WorldLoop[]
}

interface Body extends Scene {
  readonly shape: Shape
  /** Where the shape is on the body [m]. Default: at its origin. */
  readonly at?: Vector
  /** Default 1 [kg]. */
  readonly mass?: number
  readonly centerOfMass?: Vector
  readonly inertia?: readonly [number, number, number, number, number, number]
  readonly position: readonly number[]
  readonly quaternion?: readonly [number, number, number, number]
  /** In the body's axes: turning, then moving, of its origin. */
  readonly v?: readonly number[]
  readonly staticFriction?: number
}

/** A world of one free body. */
export function worldOf(body: Body): World {
  const { model, options, dt, physical, integrator, ccd, gravity = [0, 0, -g], fixtures = [floor], load, loops, v } = body
  const { shape, at = [0, 0, 0], mass = 1, centerOfMass, inertia, position, quaternion, staticFriction } = body
  const made = createFreeBody({
    name: 'body',
    shape,
    mass,
    centerOfMass,
    inertia,
    staticFriction,
    friction: staticFriction === undefined ? undefined : physical?.friction,
    position: position as Vector,
    quaternion,
    gravity,
  })
  const robot = { ...made, shapes: made.shapes.map((one) => ({ ...one, p: Float64Array.from(at) })) }
  const controller = load && loadOf(load)
  return new World({
    robot,
    v,
    controller,
    dt,
    physical,
    integrator,
    ccd,
    fixtures,
    loops,
    ...contactChoice(model, options),
  })
}

/** Half the width of the particle's own sphere, which stands for its point: it never turns [m]. */
export const grain = 0.05

/** The particle of section 2.1: unit mass, a sphere without friction, at `position`. */
export const particle = (scene: Scene & { readonly position: readonly number[]; readonly v?: readonly number[] }): World =>
  worldOf({
    ...scene,
    shape: { type: 'sphere', radius: grain },
    v: [0, 0, 0, ...(scene.v ?? [0, 0, 0])],
    physical: { friction: 0, ...scene.physical },
  })

/** Sum of the impulses of a step on the body along the world's axes [N s]. */
export function impulseOf({ contacts: { count, impulse, normal, tangent1, tangent2 } }: World): [number, number, number] {
  const out: [number, number, number] = [0, 0, 0]
  for (let i = 0; i < count; i++)
    for (let d = 0; d < 3; d++)
      out[d] +=
        impulse[3 * i] * normal[3 * i + d] + impulse[3 * i + 1] * tangent1[3 * i + d] + impulse[3 * i + 2] * tangent2[3 * i + d]
  return out
}

export const short = (x: number) => (Math.abs(x) < 1e-3 && x !== 0 ? x.toExponential(1) : String(Number(x.toPrecision(3))))
export const worst = (values: readonly number[]) => Math.max(...values)
export const range = (values: readonly number[]) => `${short(Math.min(...values))} to ${short(worst(values))}`
