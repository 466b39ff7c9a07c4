/**
 * What most programs need, for Node; each folder's own entry, such as `featherbed/simulation`, has the rest, and all but
 * `featherbed/robots/files`, `featherbed/control/files` and `featherbed/compare` run in a page too.
 */
import type { CompareOptions, Comparison, RawScenario, Scenario } from './compare/index.ts'

export type { CompareOptions, Comparison, RawScenario, Results, RunResult, Scenario } from './compare/index.ts'
export type { ContactModel, ContactModelName, CreateContactModel, PhysicalInputs } from './contact/index.ts'
export { contactModels } from './contact/index.ts'
export type { Controller } from './control/index.ts'
export { createControllerLoop, defaultControllerFor } from './control/index.ts'
export { loadOwnRobot, loadRobotFile } from './robots/files.ts'
export type { Robot } from './robots/index.ts'
export { createFreeBody, loadRobot, placeRobot, RobotError } from './robots/index.ts'
export type { WorldOptions } from './simulation/index.ts'
export { createGround, World } from './simulation/index.ts'

// what follows reads files, starts threads and draws reports: it is loaded when it is called

/** Runs every combination of a scenario and judges them, as `featherbed compare` does. @throws ScenarioError, SetupError or RobotError */
export async function compare(scenario: Scenario, options?: CompareOptions): Promise<Comparison> {
  return (await import('./compare/index.ts')).compare(scenario, options)
}

/** A scenario of its fields as a file states them, checked, with every default. @throws ScenarioError with every problem */
export async function checkScenario(raw: RawScenario): Promise<Scenario> {
  return (await import('./compare/index.ts')).checkScenario(raw)
}
