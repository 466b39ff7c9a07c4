import { workSpent } from '../../dynamics/index.ts'
import { LoopError, SimulationError, StepBudgetError, World, WorldError } from '../../simulation/index.ts'
import { EnergyOracle } from './energyOracle.ts'
import type { SoakWorld } from './soakWorlds.ts'

export interface SoakOutcome {
  readonly n: number
  readonly text: string
  /** Steps that were taken, of those that were wanted or that the work allowed was enough for. */
  readonly steps: number
  /** Multiply-adds of all of them. */
  readonly work: number
  /** As `EnergyOracle`; energies in joules. */
  readonly invented: number
  readonly scale: number
  readonly firstStep: number
  readonly jumpStep: number
  readonly jump: number
  /** Contacts that passed something on in the step of the largest jump. */
  readonly active: number
  /** At the end. */
  readonly kinetic: number
  readonly failures: number
  readonly tunnelled: number
  readonly strained: number
  readonly energyGains: number
  readonly firstEnergyGain: string
  /** Name and message of what ended it, or ''. */
  readonly error: string
  /** What no world may do. */
  readonly defects: readonly string[]
}

/**
 * A world, run to its end.
 *
 * @param allowed multiply-adds after which it takes no further step
 */
export function soak({ n, options, steps, size, text }: SoakWorld, allowed: number): SoakOutcome {
  const defects: string[] = []
  const none = { n, text, steps: 0, work: 0, invented: 0, scale: 0, firstStep: 0, jumpStep: 0, jump: 0, active: 0, kinetic: 0 }
  let world: World
  try {
    world = new World(options)
  } catch (error) {
    if (!(error instanceof WorldError || error instanceof LoopError)) defects.push(`untyped: ${(error as Error).stack}`)
    return { ...none, ...counts(undefined), error: String(error), defects }
  }
  const { state, contacts } = world
  const oracle = new EnergyOracle(world, size)
  const budget = options.stepBudget as number
  let error = ''
  let active = 0
  let spent = 0
  let taken = 0
  const attempt = (action: () => void): boolean => {
    try {
      action()
      return true
    } catch (thrown) {
      error = String(thrown).slice(0, 500)
      if (!(thrown instanceof SimulationError)) defects.push(`untyped: ${(thrown as Error).stack}`)
      if (thrown instanceof StepBudgetError && !(thrown.place !== '' && thrown.spent > budget))
        defects.push(`a budget that ended nowhere: ${error}`)
      if (world.failure !== thrown) defects.push('the failure is not the error')
      return false
    }
  }
  while (taken < steps && spent < allowed) {
    oracle.before()
    if (!attempt(() => world.step())) break
    taken++
    const work = workSpent()
    spent += work
    if (work > budget) defects.push(`step ${taken} took ${work} of ${budget} and went on`)
    if (![...state.q, ...state.v].every(Number.isFinite)) defects.push(`step ${taken} left a state that is not finite`)
    if (!contacts.impulse.subarray(0, 3 * contacts.count).every(Number.isFinite))
      defects.push(`step ${taken} left an impulse that is not finite`)
    if (defects.length > 0) break
    oracle.after()
    if (oracle.jumpStep === taken) active = oracle.active
  }
  // the energy of a step may be looked at when the next one begins
  if (error === '') attempt(() => (world as { finish?(): void }).finish?.())
  const { invented, scale, firstStep, jumpStep, jump, kinetic } = oracle
  // JSON knows no number that is not finite
  const finite = (x: number) => (x < Number.MAX_VALUE ? x : Number.MAX_VALUE)
  return {
    ...{ n, text, steps: taken, work: spent, invented: finite(invented), scale, firstStep, jumpStep, jump: finite(jump), active },
    ...{ kinetic: finite(kinetic), ...counts(world), error, defects },
  }
}

function counts(world: World | undefined) {
  const { failures = 0, tunnelled = 0, strained = 0 } = world?.events ?? {}
  const { energyGains = 0, firstEnergyGain = '' } = (world?.events ?? {}) as { energyGains?: number; firstEnergyGain?: string }
  return { failures, tunnelled, strained, energyGains, firstEnergyGain }
}
