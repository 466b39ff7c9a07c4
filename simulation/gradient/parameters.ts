import type { Model } from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import type { Robot } from '../../robots/index.ts'
import type { World } from '../world.ts'
import type { WorldOptions } from '../worldOptions.ts'

/**
 * A parameter of a world. Bodies and velocities are those of `World.model`.
 *
 *   friction, restitution              of surfaces that state none (`PhysicalInputs`)
 *   mass [kg]                          with the centre of mass and the inertia about it held
 *   centerOfMass [m]                   along axis 0 to 2 of the body's frame, with the inertia about it held
 *   inertia [kg m²]                    about the centre of mass, in the body's axes: entry 0 to 5 of xx, yy, zz, xy, xz, yz
 *   armature [kg m², kg], damping [N m s/rad, N s/m], jointFriction [N m, N]  of the joint of a velocity
 *   options                            any other: `vary` gives the options with the parameter changed by `change`, which is `by` or -by
 */
export type GradientParameter =
  | { readonly kind: 'friction' | 'restitution' }
  | { readonly kind: 'mass'; readonly body: number }
  | { readonly kind: 'centerOfMass' | 'inertia'; readonly body: number; readonly axis: number }
  | { readonly kind: 'armature' | 'damping' | 'jointFriction'; readonly velocity: number }
  | { readonly kind: 'options'; readonly by: number; vary(options: WorldOptions, change: number): WorldOptions }

const kinds = [
  'friction',
  'restitution',
  'mass',
  'centerOfMass',
  'inertia',
  'armature',
  'damping',
  'jointFriction',
  'options',
] as const
const kindOfParameter = is.oneOf(...kinds)

/** Change by which equations are differenced, relative to a parameter. */
const CHANGE = 1e-5
/** Least size of joint armature, damping and friction [as these]: of a joint without any, too. */
const LEAST = 0.1

/** The options with a parameter changed; and the change by which equations are differenced. */
interface Variation {
  readonly by: number
  vary(change: number): WorldOptions
}

/** @throws RangeError for a body, axis or velocity that the world does not have, and a body without mass */
export function variationOf(options: WorldOptions, world: World, parameter: GradientParameter): Variation {
  const { model, physical } = world
  is.check(parameter.kind, kindOfParameter, 'kind of a parameter')
  switch (parameter.kind) {
    case 'friction':
    case 'restitution': {
      const { kind } = parameter
      return { by: CHANGE, vary: (by) => ({ ...options, physical: { ...options.physical, [kind]: physical[kind] + by } }) }
    }
    case 'options':
      return { by: parameter.by, vary: (change) => parameter.vary(options, change) }
    case 'mass':
    case 'centerOfMass':
    case 'inertia': {
      const { body } = parameter
      const axis = parameter.kind === 'mass' ? 0 : parameter.axis
      const I = model.I[body]
      if (!(body > 0 && I?.[0] > 0))
        throw new RangeError(`body ${body} has no mass to vary; the world has bodies 1 to ${model.nb - 1}`)
      if (!(Number.isInteger(axis) && axis >= 0 && axis < (parameter.kind === 'inertia' ? 6 : 3)))
        throw new RangeError(`${parameter.kind} has no axis ${axis}; it has 0 to ${parameter.kind === 'inertia' ? 5 : 2}`)
      const spin = (I[4] + I[5] + I[6]) / 2
      const size = { mass: I[0], centerOfMass: Math.sqrt(spin / I[0]), inertia: spin }[parameter.kind]
      const change = ({ I: all }: Model, at: number, by: number) => {
        const I = changedInertia(all[at], parameter.kind, axis, by)
        return { I: all.with(at, I) }
      }
      return { by: CHANGE * size, vary: (by) => withModel(options, world, 'body', body, (own, at) => change(own, at, by)) }
    }
    default: {
      const { kind, velocity } = parameter
      const name = kind === 'jointFriction' ? 'friction' : kind
      if (!(velocity in model[name])) throw new RangeError(`there is no velocity ${velocity}; the world has 0 to ${model.nv - 1}`)
      const size = Math.max(model[name][velocity], LEAST)
      const change = (own: Model, at: number, by: number) => ({ [name]: own[name].with(at, own[name][at] + by) })
      return { by: CHANGE * size, vary: (by) => withModel(options, world, 'v', velocity, (own, at) => change(own, at, by)) }
    }
  }
}

/** The options with a change of the model of the robot to which an index belongs. */
function withModel(
  options: WorldOptions,
  { robots }: World,
  of: 'body' | 'v',
  index: number,
  change: (model: Model, at: number) => Partial<Model>,
): WorldOptions {
  const n = robots.findLastIndex(({ start }) => start[of] < (of === 'body' ? index : index + 1))
  const at = index - robots[n].start[of]
  const changed = (robot: Robot): Robot => ({ ...robot, model: { ...robot.model, ...change(robot.model, at) } })
  if (options.robots === undefined) return { ...options, robot: changed(options.robot as Robot) }
  return { ...options, robots: options.robots.map((one, i) => (i === n ? { ...one, robot: changed(one.robot) } : one)) }
}

/** An inertia changed along its derivative. */
function changedInertia(I: Float64Array, kind: 'mass' | 'centerOfMass' | 'inertia', axis: number, by: number): Float64Array {
  const [m, ...moment] = I.subarray(0, 4)
  const c = moment.map((x) => x / m)
  const unit = [0, 1, 2].map((d) => (d === axis ? by : 0))
  const changed = I.slice()
  const add = (first: number, change: readonly number[]) => {
    for (const [i, x] of change.entries()) changed[first + i] += x
  }
  if (kind === 'inertia') changed[4 + axis] += by
  else if (kind === 'mass') add(0, [by, ...c.map((x) => by * x), ...momentsOf(by, c, c)])
  else add(1, [...unit.map((x) => m * x), ...momentsOf(2 * m, c, unit)])
  return changed
}

/** Moments xx, yy, zz, xy, xz, yz of m (a · b - a bᵀ), symmetric. */
function momentsOf(m: number, a: readonly number[], b: readonly number[]): number[] {
  const product = (i: number, j: number) => (m * (a[i] * b[j] + a[j] * b[i])) / 2
  const [xx, yy, zz] = [product(0, 0), product(1, 1), product(2, 2)]
  return [yy + zz, xx + zz, xx + yy, -product(0, 1), -product(0, 2), -product(1, 2)]
}
