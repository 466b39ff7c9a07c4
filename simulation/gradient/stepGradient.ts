import { type ContactModel, contactModelNames } from '../../contact/index.ts'
import { configurationDifference, integrateConfiguration } from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import { World } from '../world.ts'
import type { WorldOptions } from '../worldOptions.ts'
import { type GradientParameter, variationOf } from './parameters.ts'

type Tangent = ReturnType<NonNullable<ContactModel['tangent']>>

/**
 * Changes of the state by which equations are differenced, of rigid contacts and of springs, which curve more: smaller ones have more
 * rounding.
 */
const STATE_CHANGE = 1e-6
const STATE_CHANGE_OF_SPRINGS = 6e-8
/**
 * Parts of a change at which equations are evaluated, and their weights in the derivative: central; or, where a contact is on one side
 * alone, of that.
 */
const CENTRAL = [
  [1, 0.5],
  [-1, -0.5],
] as const
const stencils = [CENTRAL, [[1, 2], [2, -0.5], [0, -1.5]], [[-1, -2], [-2, 0.5], [0, 1.5]]] as const // biome-ignore format: a line
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
  readonly varied: readonly World[] | undefined
  readonly by: number
}

/** A twin at the start of the step moved by a part of a direction, and the weight of its equations in the derivative. */
interface Evaluation {
  readonly twin: World
  readonly moved: number
  readonly weight: number
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
 * that of one side. Its equations are differenced in twins of the world, at the start of the step with the state, and a parameter, a
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
  /** With the same parameters. */
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
    this.twins = stencils[1].map(() => new World(bare))
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
        varied: variation && CENTRAL.map(([part]) => new World(variation.vary(part * by))),
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
    for (const column of this.columns) this.follow(tangent, column)
  }

  /** Replaces a direction at the start of the step by that at its end. */
  private follow(tangent: Tangent, column: Column): void {
    const { twins, change, dvNext } = this
    const { varied, by, dq, dv } = column
    const { model, state } = this.world
    const size = this.sizeOf(column)
    const most = tangent.isCurved ? STATE_CHANGE_OF_SPRINGS : STATE_CHANGE
    let used = varied && by * size <= most ? this.difference(tangent, column, varied, by, by) : []
    if (used.length === 0) {
      const byParameter = varied ? this.difference(tangent, column, varied, by, 0) : []
      const byState = size > 0 ? this.difference(tangent, column, twins, most / size, most / size) : []
      if ((varied && byParameter.length === 0) || (size > 0 && byState.length === 0))
        throw this.refused('contacts that no change of its start keeps')
      used = [...byParameter, ...byState]
    }
    tangent.respond(dvNext)
    dq.fill(0)
    dv.fill(0)
    for (const { twin, moved, weight } of used) {
      this.tangentOf(twin).finish(tangent, moved, dvNext)
      configurationDifference(model, state.q, twin.state.q, change)
      for (let k = 0; k < dq.length; k++) {
        dq[k] += weight * change[k]
        dv[k] += weight * (twin.state.v[k] - state.v[k])
      }
    }
  }

  /**
   * Adds the difference of the equations in worlds that are changed by parts of `by`, with the state moved by parts of `moved`.
   *
   * @returns its evaluations, none if contacts do not stay
   * @throws GradientError unless the equations have the step as their solution
   */
  private difference(
    tangent: Tangent,
    column: Column,
    worlds: readonly World[],
    by: number,
    moved: number,
  ): readonly Evaluation[] {
    for (const stencil of stencils) {
      if (stencil.length > worlds.length) break
      const all = stencil.map(([part, weight], n) => ({ twin: worlds[n], moved: part * moved, weight: weight / by }))
      if (!all.every(({ twin, moved }) => this.hold(tangent, column, twin, moved))) continue
      const [plus, minus] = all.map(({ twin }) => this.tangentOf(twin))
      if (stencil === CENTRAL && !tangent.isBalanced(plus, minus)) throw this.refused('forces that its equations do not have')
      for (const { twin, weight } of all) tangent.add(this.tangentOf(twin), weight)
      return all
    }
    return []
  }

  private hold(tangent: Tangent, { dq, dv, dtau }: Column, twin: World, part: number): boolean {
    const { world, q, v } = this
    const { state, tau } = twin
    integrateConfiguration(world.model, q, dq, part, state.q)
    for (let k = 0; k < v.length; k++) {
      state.v[k] = v[k] + part * dv[k]
      tau[k] = world.tau[k] + part * dtau[k]
    }
    twin.memory.set(this.memory)
    twin.stepCount = this.stepCount
    return this.tangentOf(twin).hold(twin.beginStep(), tangent)
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
