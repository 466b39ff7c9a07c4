import { createData, type Data, kinematics, velocities } from '../../dynamics/index.ts'
import { explainEnergy, gained } from '../explainFailure.ts'
import { EnergyError } from '../simulationError.ts'
import type { World } from '../world.ts'
import { EnergyAudit } from './energyAudit.ts'

/** Schedules the audits of a world's energy, and reports unaccounted energy. */
export class EnergyWatch {
  readonly audit: EnergyAudit
  private readonly world: World
  /** Kinematics at the end of a step, for audits before the next step. */
  private readonly endData: Data

  /** @param size extent of the moving bodies [m] */
  constructor(world: World, size: number) {
    this.world = world
    this.audit = new EnergyAudit(world, size)
    this.endData = createData(world.model)
  }

  /** Audits the last step. @param data kinematics and velocities of the present state. @throws EnergyError */
  auditStep(data: Data): void {
    const { audit, world } = this
    const { state, events } = world
    const isFatal = audit.close(state, data, events) && !world.contactModel.isOutside
    if (events.energyGains > 0 && events.firstEnergyGain === '') {
      const when = `by the end of step ${this.lastStep} (t = ${Number(state.t[0].toPrecision(9))} s)`
      events.firstEnergyGain = `${gained(audit.invented, audit.scale)} ${when}`
    }
    if (isFatal) throw explainEnergy(world, this.lastStep, audit.invented, audit.scale)
  }

  /** Audits at once, not when the next step begins. @throws EnergyError */
  auditNow(): void {
    const { audit, world, endData } = this
    if (audit.isOwed) {
      kinematics(world.model, world.state, endData)
      velocities(world.model, world.state, endData)
      this.auditStep(endData)
    } else if (audit.isFatal && !world.contactModel.isOutside)
      throw explainEnergy(world, this.lastStep, audit.invented, audit.scale)
  }

  /** Audits before the state is saved; a fatal error is thrown by the next step. */
  auditBeforeSave(): void {
    try {
      this.auditNow()
    } catch (error) {
      if (!(error instanceof EnergyError)) throw error
    }
  }

  private get lastStep(): number {
    return Math.ceil(this.world.stepCount) - 1
  }
}
