export { CheckpointError, checkpointText, parseCheckpoint } from './checkpointFile.ts'
export {
  type CompareOptions,
  type Comparison,
  compare,
  type Machine,
  RESULTS_VERSION,
  type Results,
  type ResultsFile,
  type RunPlots,
  type RunResult,
  resultsFile,
  type ShownRobot,
  type ShownScenario,
  type ShownTruth,
} from './compare.ts'
export { ALIKE, type Cost, type Work } from './cost.ts'
export { type DynamicsAt, dynamicsAt, parseStateFile, type StateFile, StateFileError, velocityNames } from './dynamicsAt.ts'
export {
  isKept,
  type LawCheck,
  type LawDefinition,
  type LawName,
  lawDefinitions,
  lawNames,
  lawSentence,
  lawsOf,
} from './laws.ts'
export { type Overlap, PenetrationMeter, type ShapesOfWorld } from './meters/penetration.ts'
export { type MetricDefinition, metricDefinitions } from './metricDefinitions.ts'
export { Meter, type Metrics, type PairLoad, type RobotTracking, type Series } from './metrics.ts'
export { canUseThreads, type PoolOptions, runJobs } from './pool.ts'
export { type LinearProblem, type Problem, ProblemFileError, parseProblem, problemText } from './problemFile.ts'
export * from './recording/index.ts'
export { errorsOf, REFERENCE_REFINEMENT, type RobotScale, type RunError } from './reference.ts'
export { reportOf } from './report/report.ts'
export { doJob, type Job, type Outcome, type RunHooks, type RunRecord } from './run.ts'
export type { SavedStep, ShownStep } from './savedSteps.ts'
export {
  type BodyChoice,
  type ClosedForm,
  type Companion,
  type ControllerChoice,
  checkScenario,
  type Default,
  ExpressionError,
  evaluator,
  type FixedBox,
  type Kind,
  type Limits,
  type ModelChoice,
  type Obstacle,
  type Perturbation,
  type Placement,
  type Program,
  parseExpression,
  parseScenario,
  type RawScenario,
  type Scenario,
  ScenarioError,
  type Start,
  type Variant,
} from './scenario/index.ts'
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
export type { Divergence } from './truth/divergence.ts'
export type { Camp, Parting, TruthKind } from './truth/truth.ts'
export {
  type Judged,
  judge,
  type LimitName,
  type Missed,
  type MissedLimit,
  missedLimits,
  type Verdict,
  type VerdictKind,
} from './verdict.ts'
