import type { ContactStep } from '../contact/index.ts'
import { clampEfforts, createData, createServos, type Data, kinematics, type Servos, velocities } from '../dynamics/index.ts'
import { LastStep } from './lastStep.ts'
import { type Shaking, watchShaking } from './loads/shaking.ts'
import { StageEfforts } from './loads/stageEfforts.ts'
import type { World } from './world.ts'
import type { RobotInWorld } from './worldParts.ts'

/** Runs a world's controllers, with their data of the last step. */
export class ControllerTurns {
  /** Whether a controller is running, so that errors are attributed to it. */
  isRunning = false
  /** Whether there is any controller. */
  readonly any: boolean
  /** 6 a body: mean forces of contacts over the last step. */
  readonly contactForces: Float64Array
  readonly stepBefore: LastStep
  private readonly robots: readonly RobotInWorld[]
  /** Servos of the controllers that a step takes at its end, if any. */
  readonly servos: Servos | undefined
  readonly hasStages: boolean
  readonly takesRates: boolean
  /** Of steps with stages, where efforts follow the state. */
  readonly stages: StageEfforts | undefined
  /** Views of `contactForces`, for each robot's bodies. */
  private readonly own: readonly Float64Array[]
  private shaking: readonly (Shaking | undefined)[] = []
  /** Kinematics for controllers alone, so that their computations do not affect the step. */
  readonly data: readonly Data[]
  /** The step count of the last tick. */
  private tickedAt = Number.NaN

  /**
   * @param robots     with their controllers
   * @param hasStages  whether servos act at the start of a step alone, in the stages of which no velocity at its end is sought
   * @param takesRates whether those of efforts act as servos that damp
   * @param data       of others in the same world; default its own
   */
  constructor(
    world: World,
    robots: readonly RobotInWorld[],
    hasStages: boolean,
    takesRates: boolean,
    data: readonly Data[] = robots.map(({ robot }) => createData(robot.model)),
  ) {
    const { model, loops } = world
    const hasServos =
      !hasStages && robots.some(({ controller: own }) => own?.servos !== undefined || (takesRates && own?.rates !== undefined))
    this.hasStages = hasStages
    this.takesRates = takesRates
    this.stages = hasStages && StageEfforts.areIn(model, robots) ? new StageEfforts(world, this) : undefined
    this.servos = hasServos ? createServos(model.nv) : undefined
    this.robots = robots
    this.any = robots.some(({ controller }) => controller !== undefined)
    this.contactForces = new Float64Array(6 * model.nb)
    this.stepBefore = new LastStep(model.nb, model.nq, model.nv, 6 * loops.length + (model.lengths?.length ?? 0))
    // a robot's body 0, the world, has the index of the last body of the robot before it
    this.own = robots.map(({ robot: { model: own }, start: { body } }) =>
      this.contactForces.subarray(6 * body, 6 * (body + own.nb)),
    )
    this.data = data
  }

  /** @throws ControllerError if a controller's start fails */
  start(world: World): void {
    this.shaking = this.robots.map((own) => own.controller && watchShaking(own, world.events, world.wholeStep))
    this.robots.forEach(({ controller, robot, start }, index) => {
      controller?.start(robot.model, world.wholeStep, { world, index })
      if (this.servos === undefined) return
      if (controller?.servos === undefined) {
        this.servos.limit.fill(Infinity, start.v, start.v + robot.model.nv)
        return
      }
      this.servos.stiffness.set(controller.servos.stiffness, start.v)
      this.servos.damping.set(controller.servos.damping, start.v)
      this.servos.limit.set(controller.servos.limit, start.v)
    })
  }

  /** Ticks the controllers that are due, once a step. */
  run(stepCount: number): void {
    if (stepCount === this.tickedAt || !Number.isInteger(stepCount)) return
    for (let i = 0; i < this.robots.length; i++) this.runOne(i, stepCount)
    this.tickedAt = stepCount
  }

  private runOne(i: number, stepCount: number): void {
    const { robot, controller, state, tau, start } = this.robots[i]
    if (controller === undefined || stepCount % controller.everySteps !== 0) return
    const data = this.data[i]
    this.isRunning = true
    kinematics(robot.model, state, data)
    velocities(robot.model, state, data)
    controller.tick(state, data, tau, this.own[i])
    this.shaking[i]?.asked.set(tau)
    clampEfforts(robot.model, tau)
    if (this.servos !== undefined) {
      if (controller.servos !== undefined) begin(controller.servos, tau)
      else if (this.takesRates && controller.rates !== undefined) this.servos.damping.set(controller.rates, start.v)
    }
    this.shaking[i]?.after(stepCount)
    this.isRunning = false
  }

  /** Sets the efforts at a later stage of a step. */
  actuate(stage: number): void {
    for (let i = 0; i < this.robots.length; i++) {
      const { robot, controller, state, tau } = this.robots[i]
      if (controller?.stage === undefined) continue
      const data = this.data[i]
      kinematics(robot.model, state, data)
      velocities(robot.model, state, data)
      controller.stage(state, data, stage, tau)
      clampEfforts(robot.model, tau)
    }
  }

  /** Puts the servos' efforts over the step in place of those at its start. */
  readServos({ tau, applied }: World): void {
    if (this.servos === undefined) return
    const { effort } = this.servos
    for (let k = 0; k < tau.length; k++) applied[k] += effort[k] - tau[k]
    tau.set(effort)
  }

  /** Reads the forces of the step that has just ended. @param pushed 6 a body: by pushes and pulls, as `ContactStep.loopForces` */
  read({ contacts, dt, loopForces }: ContactStep, pushed: Float64Array): void {
    if (!this.any) return
    contacts.writeBodyForces(dt, this.contactForces)
    this.stepBefore.readContacts(contacts, dt)
    this.stepBefore.readLoads(pushed, loopForces)
  }

  /** Makes the controllers due at the next step. */
  forget(): void {
    this.isRunning = false
    this.tickedAt = Number.NaN
  }
}

/** tau := the law of each servo, whose limit the step applies. */
function begin({ stiffness, damping, effort }: Servos, tau: Float64Array): void {
  for (let k = 0; k < tau.length; k++) if (stiffness[k] !== 0 || damping[k] !== 0) tau[k] = effort[k]
}
