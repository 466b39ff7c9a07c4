/** The same world with inputs off by a factor, for sensitivities and sampled robots. */
import type { Surface } from '../../../contact/geometry/index.ts'
import type { Robot } from '../../../robots/index.ts'
import { defaultPhysical } from '../../../simulation/index.ts'
import type { Scenario } from '../scenario.ts'
import type { Prepared } from './assemble.ts'

/** Factors; and how many of its periods late the controller's efforts act. */
export interface Variation {
  /** Of every coefficient of friction, stated or default. */
  readonly friction?: number
  /** Of every stiffness that is stated; where it follows from the allowed penetration, that is divided. */
  readonly stiffness?: number
  /** Of the mass and the inertia of all that moves. Controllers know of it, as they are handed the robot. */
  readonly mass?: number
  readonly delay?: number
}

/** The inputs of a run, varied. */
export function varied(
  scenario: Scenario,
  prepared: Prepared,
  { friction = 1, stiffness = 1, mass = 1, delay = 0 }: Variation,
): { scenario: Scenario; prepared: Prepared } {
  const { physical } = scenario
  const inputs = { ...defaultPhysical(prepared.members), ...physical }
  const times = (value: number | undefined, factor: number) => (value === undefined ? undefined : value * factor)
  // a geom of MuJoCo has friction 1 where neither it nor the scenario states any
  const isVaried = friction !== 1
  const surface = <S extends Surface>(own: S): S => ({
    ...own,
    friction: times(own.friction ?? (own.geom && isVaried ? (physical.friction ?? 1) : undefined), friction),
    ...(own.geom && { geom: { ...own.geom, spin: own.geom.spin * friction } }),
    frictionAcross: times(own.frictionAcross, friction),
    staticFriction: times(own.staticFriction, friction),
    stiffness: times(own.stiffness, stiffness),
  })
  const robot = (own: Robot): Robot => ({
    ...own,
    massUsed: own.massUsed * mass,
    shapes: own.shapes.map(surface),
    model: mass === 1 ? own.model : { ...own.model, I: own.model.I.map((inertia) => inertia.map((entry) => entry * mass)) },
  })
  return {
    scenario: {
      ...scenario,
      physical: {
        ...physical,
        friction: isVaried ? inputs.friction * friction : physical.friction,
        stiffness: times(inputs.stiffness, stiffness),
        allowedPenetration: inputs.allowedPenetration / stiffness,
      },
    },
    prepared: {
      ...prepared,
      members: prepared.members.map((member) => ({ ...member, robot: robot(member.robot) })),
      fixtures: prepared.fixtures.map(surface),
      controllers: prepared.controllers.map((driver, i) => (i === 0 && driver ? { ...driver, delay } : driver)),
    },
  }
}
