/**
 * What most programs need, for Node: all of `browser.ts`, which bundlers take in its place, and what reads files, starts threads and draws
 * reports.
 */
import type { CompareOptions, Comparison, RawScenario, Scenario } from './compare/index.ts'

export * from './browser.ts'
export type { CompareOptions, Comparison, RawScenario, Results, RunResult, Scenario } from './compare/index.ts'
export { loadOwnRobot, loadRobotFile } from './robots/files.ts'

// comparisons are loaded when they are called

/** Runs every combination of a scenario and judges them, as `featherbed compare` does. @throws ScenarioError, SetupError or RobotError */
export async function compare(scenario: Scenario, options?: CompareOptions): Promise<Comparison> {
  return (await import('./compare/index.ts')).compare(scenario, options)
}

/** A scenario of its fields as a file states them, checked, with every default. @throws ScenarioError with every problem */
export async function checkScenario(raw: RawScenario): Promise<Scenario> {
  return (await import('./compare/index.ts')).checkScenario(raw)
}
