import { Meter } from '../../compare/measure/metrics.ts'
import type { PlacedShape, SelfCollision } from '../../contact/index.ts'
import { type Controller, createControllerLoop } from '../../control/index.ts'
import type { Robot } from '../../robots/index.ts'
import { createGround, World } from '../../simulation/index.ts'

/** Time step of worlds that are moved by hand [s]. */
export const dt = 1e-3

export interface Contact {
  readonly impulse: readonly [number, number, number]
  readonly gap?: number
  readonly mu?: number
  readonly point?: readonly [number, number, number]
  readonly feature?: number
  readonly impact?: readonly [number, number, number]
  /** Default 0. */
  readonly restitution?: number
  /** Static friction; default: mu. */
  readonly muStatic?: number
  readonly bodyA?: number
  readonly bodyB?: number
}

/** A world that is moved by hand: `step` sets the state after each step and the contacts that acted over it. */
export function byHand(
  robot: Robot | readonly Robot[],
  {
    controller,
    steps = 100,
    fixtures = [createGround()] as PlacedShape[],
    selfCollision,
  }: { controller?: Controller; steps?: number; fixtures?: PlacedShape[]; selfCollision?: SelfCollision } = {},
) {
  const robots = Array.isArray(robot) ? (robot as readonly Robot[]) : [robot as Robot]
  const loop = controller && createControllerLoop(controller, robots[0])
  const world = new World({
    robots: robots.map((own, i) => ({ robot: own, controller: i === 0 ? loop : undefined })),
    contactModel: 'penalty',
    dt,
    fixtures,
    selfCollision,
    physical: { friction: 0.5 },
  })
  const meterFrom = () => new Meter(world, [loop], steps)
  let meter: Meter | undefined
  return {
    world,
    loop,
    /** Begins measuring from the state as it is now. */
    begin: () => (meter = meterFrom()),
    step(move: () => void, contacts: readonly Contact[] = []) {
      meter ??= meterFrom()
      meter.before()
      const { contacts: set, state } = world
      set.count = contacts.length
      contacts.forEach(({ impulse, gap = 0, mu = 0.5, point = [0, 0, 0], feature = 0, impact = [0, 0, 0], ...more }, c) => {
        set.bodyA[c] = more.bodyA ?? 0
        set.bodyB[c] = more.bodyB ?? 1
        set.pair[c] = 0
        set.feature[c] = feature
        set.point.set(point, 3 * c)
        set.tangent1.set([1, 0, 0], 3 * c)
        set.tangent2.set([0, 1, 0], 3 * c)
        set.normal.set([0, 0, 1], 3 * c)
        set.gap[c] = gap
        set.mu[c] = mu
        set.restitution[c] = more.restitution ?? 0
        set.muStatic[c] = more.muStatic ?? mu
        set.viscous[c] = 0
        set.stribeck[c] = 0
        set.stiffness[c] = Number.NaN
        set.damping[c] = Number.NaN
        set.impact.set(impact, 3 * c)
        set.impulse.set(impulse, 3 * c)
      })
      move()
      world.stepCount++
      state.t[0] = world.stepCount * dt
      meter.after()
    },
    metrics: () => (meter as Meter).metrics(),
    laws: () => (meter as Meter).laws(),
    meter: () => meter as Meter,
  }
}
