import type { World } from '../../../simulation/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'

/** Events of the solver since the start: a step counts once, however often its solver failed or fell back. */
export class SolverMeter {
  private failed = 0
  fallbacks = 0
  private readonly world: World
  private readonly strainedBefore: number
  private readonly tunnelledBefore: number
  private readonly energyGainsBefore: number
  private failuresSeen: number
  private fallbacksSeen: number

  constructor(world: World) {
    const { failures, fallbacks, strained, tunnelled, energyGains } = world.events
    this.world = world
    this.failuresSeen = failures
    this.fallbacksSeen = fallbacks
    this.strainedBefore = strained
    this.tunnelledBefore = tunnelled
    this.energyGainsBefore = energyGains
  }

  /** Those of a step that was broken off included. */
  get failures(): number {
    return this.failed + (this.world.events.failures > this.failuresSeen ? 1 : 0)
  }

  get strained(): number {
    return this.world.events.strained - this.strainedBefore
  }

  get tunnelled(): number {
    return this.world.events.tunnelled - this.tunnelledBefore
  }

  get energyGains(): number {
    return this.world.events.energyGains - this.energyGainsBefore
  }

  measure({ world: { events } }: MeasuredStep): void {
    if (events.failures > this.failuresSeen) this.failed++
    if (events.fallbacks > this.fallbacksSeen) this.fallbacks++
    this.failuresSeen = events.failures
    this.fallbacksSeen = events.fallbacks
  }
}
