import type { MeasuredStep } from '../measuredStep.ts'

/** Cosines of the tilt up to which a robot stands, 30 degrees, and beyond which it lies, 60 degrees. */
const STANDS = Math.sqrt(3) / 2
const LIES = 0.5
/** How long it has to stand before it can fall [s]: the touches of one that tumbles are shorter. */
const STOOD = 0.1
/** Height of the base above its lowest contact, over the most while it stood: lower it lies, higher it has got up. */
const LOW = 0.5
const HIGH = 2

/**
 * Falls of robots with a floating base and joints: one that stood on something lies to the end, its base tilted by more than 60 degrees from the
 * start, and at less than half its height, or on bodies that touched nothing while it stood.
 */
export class FallMeter {
  private readonly walkers

  constructor({ world, end }: MeasuredStep) {
    const walks = world.robots.filter(({ robot }) => robot.floating && robot.joints.length > 0)
    this.walkers = walks.map(({ name, robot, start: { body } }) => ({
      ...{ name, base: body + 1, end: body + robot.model.nb, up: end.R_WB[body + 1].slice(6) },
      ...{ carriers: new Set<number>(), height: 0, stood: 0, t: Number.NaN },
    }))
  }

  /** The first robot that fell, and when [s]; null if none. */
  get fell(): { readonly robot: string; readonly t: number } | null {
    const [first] = this.walkers.filter(({ t }) => t >= 0).sort((a, b) => a.t - b.t)
    return first === undefined ? null : { robot: first.name, t: first.t }
  }

  measure({ world: { contacts, state }, count, active, end: { R_WB, p_WB }, dt }: MeasuredStep): void {
    const { bodyA, bodyB, impulse, point } = contacts
    for (const walker of this.walkers) {
      const { base, end, up, carriers } = walker
      const R = R_WB[base]
      const upright = R[6] * up[0] + R[7] * up[1] + R[8] * up[2]
      let height = 0
      let isOther = false
      for (let i = 0; i < count; i++) {
        const c = active[i]
        const isA = bodyA[c] >= base && bodyA[c] < end
        if (isA === (bodyB[c] >= base && bodyB[c] < end) || !(impulse[3 * c] > 0)) continue
        const body = isA ? bodyA[c] : bodyB[c]
        if (upright > STANDS) carriers.add(body)
        else if (!carriers.has(body)) isOther = true
        height = Math.max(height, p_WB[base][2] - point[3 * c + 2])
      }
      const isLow = height < LOW * walker.height || (isOther && height < HIGH * walker.height)
      if (upright > STANDS) walker.height = Math.max(walker.height, height)
      if (upright > STANDS && height > 0) walker.stood += dt
      if (upright >= LIES) walker.t = Number.NaN
      else if (walker.stood >= STOOD && height > 0 && isLow && !(walker.t >= 0)) walker.t = state.t[0]
    }
  }
}
