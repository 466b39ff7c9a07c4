export { CheckpointError, checkpointText, parseCheckpoint } from './checkpointFile.ts'
export {
  type CompareOptions,
  type Comparison,
  compare,
  RESULTS_VERSION,
  type Results,
  type RunPlots,
  type RunResult,
  type ShownRobot,
  type ShownScenario,
} from './compare.ts'
export { type DynamicsAt, dynamicsAt, parseStateFile, type StateFile, StateFileError, velocityNames } from './dynamicsAt.ts'
export { ExpressionError, evaluator, type Kind, type Program, parseExpression } from './expression.ts'
export { type MetricDefinition, metricDefinitions } from './metricDefinitions.ts'
export { Meter, type Metrics, type RobotTracking, type Series } from './metrics.ts'
export { type Overlap, PenetrationMeter, type ShapesOfWorld } from './penetration.ts'
export { canUseThreads, type PoolOptions, runJobs } from './pool.ts'
export { type LinearProblem, type Problem, ProblemFileError, parseProblem, problemText } from './problemFile.ts'
export * from './recording/index.ts'
export { errorsOf, REFERENCE_REFINEMENT, type RobotScale, type RunError } from './reference.ts'
export { reportOf } from './report/report.ts'
export { doJob, type Job, type Outcome, type RunHooks } from './run.ts'
export type { SavedStep, ShownStep } from './savedSteps.ts'
export {
  type BodyChoice,
  type ClosedForm,
  type Companion,
  type ControllerChoice,
  checkScenario,
  type Default,
  type FixedBox,
  type Limits,
  type ModelChoice,
  type Obstacle,
  type Perturbation,
  type Placement,
  parseScenario,
  type RawScenario,
  type Scenario,
  ScenarioError,
  type Start,
  scenarioDefaults,
  type Variant,
} from './scenario.ts'
export {
  checkWorlds,
  createWorld,
  loadRobotBySource,
  type Prepared,
  type PreparedWorld,
  prepare,
  prepareWorld,
  resolvePaths,
  SetupError,
  subjectsOf,
} from './setup.ts'
export { type Agreement, type Solution, type SolverResult, type Solvers, solveProblem, solverNames } from './solve.ts'
export type { SolverOutcome } from './solverOutcomes.ts'
export { solvers } from './solvers.ts'
export { type Trajectory, type TrajectoryPart, TrajectoryRecorder } from './trajectory.ts'
export { type Judged, judge, type LimitName, type Missed, missedLimits, type Verdict } from './verdict.ts'
