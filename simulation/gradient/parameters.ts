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

const kinds = ['friction', 'restitution', 'mass', 'centerOfMass', 'inertia', 'armature', 'damping', 'jointFriction', 'options']

/** Change by which equations are differenced, relative to a parameter; and the least size of joint armature, damping and friction. */
const CHANGE = 2e-5
const LEAST = 0.1

/** The options with a parameter changed; and the change by which equations are differenced. */
interface Variation {
  readonly by: number
  vary(change: number): WorldOptions
}

/** @throws RangeError for a body, axis or velocity that the world does not have, and a body without mass */
export function variationOf(options: WorldOptions, world: World, parameter: GradientParameter): Variation {
  const { model, physical } = world
  is.check(parameter.kind, is.oneOf(...kinds), 'kind of a parameter')
  if ('by' in parameter) return { by: parameter.by, vary: (change) => parameter.vary(options, change) }
  if ('velocity' in parameter) {
    const { kind, velocity } = parameter
    const name = kind === 'jointFriction' ? 'friction' : kind
    if (!(velocity in model[name])) throw new RangeError(`there is no velocity ${velocity}; the world has 0 to ${model.nv - 1}`)
    const vary = (by: number) =>
      withModel(options, world, 'v', velocity, (own, at) => ({ [name]: own[name].with(at, own[name][at] + by) }))
    return { by: CHANGE * Math.max(model[name][velocity], LEAST), vary }
  }
  const { kind } = parameter
  if (!('body' in parameter))
    return {
      by: CHANGE,
      vary: (by) => ({ ...options, physical: { ...options.physical, [kind]: physical[kind as 'friction'] + by } }),
    }
  const { body } = parameter
  const axis = 'axis' in parameter ? parameter.axis : 0
  const last = kind === 'inertia' ? 5 : 2
  const I = model.I[body]
  if (!(body > 0 && I?.[0] > 0))
    throw new RangeError(`body ${body} has no mass to vary; the world has bodies 1 to ${model.nb - 1}`)
  if (!(Number.isInteger(axis) && axis >= 0 && axis <= last))
    throw new RangeError(`${kind} has no axis ${axis}; it has 0 to ${last}`)
  const spin = (I[4] + I[5] + I[6]) / 2
  const size = { mass: I[0], centerOfMass: Math.sqrt(spin / I[0]), inertia: spin }[parameter.kind]
  const vary = (by: number) =>
    withModel(options, world, 'body', body, (own, at) => ({
      I: own.I.with(at, changedInertia(own.I[at], parameter.kind, axis, by)),
    }))
  return { by: CHANGE * size, vary }
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

function changedInertia(I: Float64Array, kind: 'mass' | 'centerOfMass' | 'inertia', axis: number, by: number): Float64Array {
  const m = I[0]
  const c = [I[1] / m, I[2] / m, I[3] / m]
  const before = pointMass(m, c)
  const after = kind === 'mass' ? pointMass(m + by, c) : pointMass(m, kind === 'inertia' ? c : c.with(axis, c[axis] + by))
  return I.map((x, i) => x + after[i] - before[i] + (kind === 'inertia' && i === 4 + axis ? by : 0))
}

/** Mass, first moment and inertia xx, yy, zz, xy, xz, yz of a mass at a point. */
const pointMass = (m: number, [x, y, z]: readonly number[]): number[] =>
  [1, x, y, z, y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z].map((moment) => m * moment)
