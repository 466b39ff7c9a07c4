import { type ContactModel, contactModelNames } from '../../contact/index.ts'
import { configurationDifference, integrateConfiguration } from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import { World } from '../world.ts'
import type { WorldOptions } from '../worldOptions.ts'
import { type GradientParameter, variationOf } from './parameters.ts'

type Tangent = ReturnType<NonNullable<ContactModel['tangent']>>

/** Change of the state by which equations are differenced; and without impulses of contacts, of which the rows curve most. */
const STATE_CHANGE = 1.5e-7
const STATE_CHANGE_APART = 5e-7
/** Change of the velocities at the end by that, relative to their size, above which the equations are checked, as every so many steps; by none. */
const LARGE = 1e-3
const CHECKED = 64
const BALANCED = 1e-7
/** Relative change of efforts besides those of the direction that a change of the state makes. */
const SAME_EFFORT = 1e-4
const UNEXPLAINED = 'forces, or a change of mode, that its equations do not have'
/** Models whose steps have gradients. */
export const gradientModels = ['stewart-trinkle', 'anitescu-potra', 'convex', 'ncp', 'mujoco', 'drake'] as const

/** A step, or a world, without gradients. */
export class GradientError extends Error {
  override readonly name = 'GradientError'
}

/** A direction in which the run of a world is differentiated: of a start, efforts and a parameter, each by default unchanged. */
export interface GradientDirection {
  /** nv: of the start, in the tangent of q (`integrateConfiguration`), and of v [rad, m and rad/s, m/s, per unit of the direction]. */
  readonly dq?: ArrayLike<number>
  readonly dv?: ArrayLike<number>
  /** nv: of the efforts, in every step until changed [N m, N]. */
  readonly dtau?: ArrayLike<number>
  /** Changes by 1 per unit of the direction. */
  readonly parameter?: GradientParameter
}

/** A direction, at the end of the last step. */
interface Column extends Readonly<Record<'dq' | 'dv' | 'dtau', Float64Array>> {
  /** Worlds with the parameter changed by `by` and by -by. */
  readonly varied: readonly [World, World] | undefined
  readonly by: number
  /** Whether rows, and r, curve with the parameter, so that both sides are differenced. */
  readonly curves: { readonly rows: boolean; readonly r: boolean }
}

const STRAIGHT = { rows: false, r: false }

/** A twin with the start of the step, or its parameter, changed by `by`. */
interface Difference {
  readonly twin: World
  readonly by: number
}

const directionKind = is.fields<GradientDirection>(
  {},
  {
    dq: is.numbers(),
    dv: is.numbers(),
    dtau: is.numbers(),
    parameter: is.made('a parameter, such as { kind: "friction" }', 'kind'),
  },
)

function withoutControllers(options: WorldOptions): WorldOptions {
  const { controller: _, ...bare } = options
  return { ...bare, robots: options.robots?.map(({ controller, ...one }) => one) } as WorldOptions
}

/**
 * A world whose steps are differentiated: after each, every direction has the derivative of q and v at its end.
 *
 * ```ts
 * const gradient = new StepGradient({ robot, contactModel: 'ncp', dt: 1e-3 }, [{ parameter: { kind: 'friction' } }, { dv }])
 * gradient.step()
 * gradient.directions[0].dv // of the velocities by the coefficient of friction
 * ```
 *
 * A step is differentiated implicitly, on the set of active contacts, stick and slip that it found (`StepTangent`): at a kink the derivative is
 * that of one side. Its equations are differenced in twins of the world, at the start of the step with the state, or a parameter, a
 * little changed; so parameters act by everything that a world makes of them. Efforts are taken as given: a controller's dependence on the
 * state is not included. The derivatives of a run are those of its steps, chained: they start from `dq` and `dv`, and grow as it does.
 *
 * Steps and settings without gradients are refused, never differentiated in part.
 */
export class StepGradient {
  readonly world: World
  /** In the order of the constructor; `dtau` may be set between steps, and `dq` and `dv` too, to start anew. */
  readonly directions: readonly Pick<Column, 'dq' | 'dv' | 'dtau'>[]
  private readonly columns: readonly Column[]
  /** With the same parameters: of both sides, and without a change. */
  private readonly twins: readonly World[]
  // the start of the step: nq, nv, and the contacts' memory
  private readonly q: Float64Array
  private readonly v: Float64Array
  private readonly memory: Float64Array
  private stepCount = 0
  /** nv: difference of two configurations; and derivative of the velocity at the end, in the axes of the start. */
  private readonly change: Float64Array
  private readonly dvNext: Float64Array

  /**
   * @throws GradientError for a contact model or options without gradients; RangeError for a direction of wrong length or an unknown
   * parameter; as `World`
   */
  constructor(options: WorldOptions, directions: readonly GradientDirection[]) {
    is.check(directions, is.listOf(directionKind), 'directions')
    if (directions.length === 0) throw new RangeError('directions is empty; a gradient has one or more')
    this.world = new World(options)
    const { world } = this
    const { nq, nv } = world.model
    this.refuse(options)
    const bare = withoutControllers(options)
    this.twins = [1, -1, 0].map(() => new World(bare))
    this.columns = directions.map(({ dq, dv, dtau, parameter }, n) => {
      const start = { dq, dv, dtau }
      const [q, v, tau] = (['dq', 'dv', 'dtau'] as const).map((name) => {
        const given = start[name] ?? new Float64Array(nv)
        if (given.length !== nv)
          throw new RangeError(`directions[${n}].${name} has ${given.length} entries; the world has nv = ${nv}`)
        return Float64Array.from(given)
      })
      const variation = parameter && variationOf(bare, world, parameter)
      const by = variation ? variation.by : 0
      return {
        dq: q,
        dv: v,
        dtau: tau,
        by,
        curves: { rows: parameter?.kind === 'friction', r: parameter?.kind === 'centerOfMass' },
        varied: variation && [new World(variation.vary(by)), new World(variation.vary(-by))],
      }
    })
    this.directions = this.columns
    this.q = new Float64Array(nq)
    this.v = new Float64Array(nv)
    this.memory = new Float64Array(world.memory.length)
    this.change = new Float64Array(nv)
    this.dvNext = new Float64Array(nv)
  }

  private refuse({ ccd }: WorldOptions): void {
    const { world } = this
    const { contactModel, model } = world
    if (contactModel.tangent === undefined)
      throw new GradientError(
        `steps of ${contactModel.name} have no gradients as chosen here; of ${contactModelNames.length} models ${gradientModels.join(', ')} have`,
      )
    let { refusal } = contactModel.tangent()
    if (ccd) refusal = 'continuous collision detection (ccd)'
    if (world.turns.servos !== undefined) refusal = 'efforts with rates, taken at the end of the step'
    for (let body = 1; body < model.nb; body++) if (world.isPrescribed(body)) refusal = 'prescribed motion'
    if (refusal !== '') throw new GradientError(`${contactModel.name} has no gradients of steps with ${refusal}`)
  }

  /**
   * Advances the world by a step, and all directions with it. Each direction costs about as much again (docs/dynamics.md).
   *
   * @throws GradientError for a step that a fallback solved, or that is not whole; as `World.step`
   */
  step(): void {
    const { world, q, v, memory } = this
    const { state, events } = world
    q.set(state.q)
    v.set(state.v)
    memory.set(world.memory)
    this.stepCount = world.stepCount
    const irregular = events.failures + events.fallbacks
    world.step()
    const tangent = this.tangentOf(world)
    const refusal = tangent.record()
    if (refusal !== '') throw this.refused(refusal)
    if (world.stepCount !== this.stepCount + 1) throw this.refused('part of its length')
    if (events.failures + events.fallbacks > irregular) throw this.refused('a solution by a fallback')
    if (this.stepCount % CHECKED === 0) this.checkBalance(tangent)
    for (const column of this.columns) this.follow(tangent, column)
  }

  /** @throws GradientError unless a twin without a change has the step as its solution */
  private checkBalance(tangent: Tangent): void {
    const [, , twin] = this.twins
    const isHeld = this.hold(tangent, this.columns[0], twin, 0)
    tangent.add(this.tangentOf(twin), 1)
    if (!isHeld || !(tangent.respond(this.change) <= BALANCED)) throw this.refused(UNEXPLAINED)
  }

  /** Replaces a direction at the start of the step by that at its end. */
  private follow(tangent: Tangent, column: Column): void {
    const { twins, dvNext } = this
    const { varied, by, dq, dv } = column
    const size = this.sizeOf(column)
    const change = tangent.isPressed ? STATE_CHANGE : STATE_CHANGE_APART
    const isJoint = varied !== undefined && by * size <= change
    const byParameter = varied && this.difference(tangent, column, varied, by, isJoint ? by : 0, column.curves)
    const isMoved = !isJoint && size > 0
    const byState = isMoved ? this.difference(tangent, column, twins, change / size, change / size) : undefined
    const last = byState ?? byParameter
    // a large change is rare, but what the equations do not have makes one
    if (last && !(Math.abs(last.by) * tangent.respond(dvNext) <= LARGE)) this.checkBalance(tangent)
    dq.fill(0)
    dv.fill(0)
    if (byParameter) this.finish(tangent, column, byParameter, isJoint)
    if (byState) this.finish(tangent, column, byState, true)
  }

  /** Adds the difference of the equations in a twin of the pair changed by `by` or -by, with the state moved by `moved` in the direction. */
  private difference(
    tangent: Tangent,
    column: Column,
    pair: readonly World[],
    by: number,
    moved: number,
    { rows, r } = STRAIGHT,
  ): Difference {
    for (let side = 1; side > -2; side -= 2) {
      const [twin, other] = side > 0 ? pair : [pair[1], pair[0]]
      // or else a contact with an impulse is not there on this side
      if (!this.hold(tangent, column, twin, side * moved)) continue
      const isAll = r || tangent.hasImpacts
      const isBoth = (isAll || tangent.isCurved || rows) && side > 0 && this.hold(tangent, column, other, -moved, isAll)
      tangent.add(this.tangentOf(twin), side / by, isBoth ? this.tangentOf(other) : undefined, isAll)
      return { twin, by: side * by }
    }
    throw this.refused('contacts that no change of its start keeps')
  }

  private hold(tangent: Tangent, { dq, dv, dtau }: Column, twin: World, part: number, hasForces = true): boolean {
    const { world, q, v } = this
    const { state, tau } = twin
    integrateConfiguration(world.model, q, dq, part, state.q)
    for (let k = 0; k < v.length; k++) {
      state.v[k] = v[k] + part * dv[k]
      tau[k] = world.tau[k] + part * dtau[k]
    }
    twin.memory.set(this.memory)
    twin.stepCount = this.stepCount
    const step = twin.beginStep()
    for (let k = 0; k < v.length; k++) {
      const off = Math.abs(twin.applied[k] - world.applied[k] - part * dtau[k])
      if (!(off <= SAME_EFFORT * (1 + Math.abs(world.applied[k])))) throw this.refused('efforts that are not of its options')
    }
    return this.tangentOf(twin).hold(step, tangent, hasForces)
  }

  /** Adds the difference of the end of the step. */
  private finish(tangent: Tangent, { dq, dv }: Column, { twin, by }: Difference, moves: boolean): void {
    const { change, dvNext } = this
    const { model, state } = this.world
    this.tangentOf(twin).finish(tangent, moves ? by : 0, dvNext)
    configurationDifference(model, state.q, twin.state.q, change)
    for (let k = 0; k < dq.length; k++) {
      dq[k] += change[k] / by
      dv[k] += (twin.state.v[k] - state.v[k]) / by
    }
  }

  /** Largest change of the state, and of the velocity by efforts in a step, per unit of a direction. */
  private sizeOf({ dq, dv, dtau }: Column): number {
    const { data, dt } = this.world
    let size = 0
    for (let k = 0; k < dq.length; k++) {
      size = Math.max(size, Math.abs(dq[k]), Math.abs(dv[k]), (dt * Math.abs(dtau[k])) / data.M[k * dq.length + k])
    }
    return size
  }

  private tangentOf({ contactModel }: World): Tangent {
    return (contactModel.tangent as () => Tangent)()
  }

  private refused(reason: string): GradientError {
    return new GradientError(`step ${this.stepCount} has no gradient: it had ${reason}`)
  }
}
