export {
  type DynamicsAt,
  dynamicsAt,
  parseStateFile,
  type StateFile,
  StateFileError,
  velocityNames,
} from './inspect/dynamicsAt.ts'
export { type LinearProblem, type Problem, ProblemFileError, parseProblem, problemText } from './inspect/problemFile.ts'
export { type Agreement, type Solution, type SolverResult, type Solvers, solveProblem, solverNames } from './inspect/solve.ts'
export { solvers } from './inspect/solvers.ts'
export {
  type CompareOptions,
  type Comparison,
  compare,
  type Machine,
  RESULTS_VERSION,
  type ReportedRobot,
  type ReportedScenario,
  type ReportedTruth,
  type Results,
  type ResultsFile,
  type RunPlots,
  type RunResult,
  resultsFile,
} from './judge/compare.ts'
export type { Divergence } from './judge/divergence.ts'
export { errorsOf, type RunError } from './judge/reference.ts'
export type { Camp, Parting, TruthKind } from './judge/truth.ts'
export {
  type Judged,
  judge,
  type LimitName,
  type Missed,
  type MissedLimit,
  missedLimits,
  type Verdict,
  type VerdictState,
} from './judge/verdict.ts'
export type { RunHealth } from './measure/health.ts'
export { isKept, type LawCheck, type LawDefinition, lawDefinitions, lawSentence, lawsOf } from './measure/laws.ts'
export { type MetricDefinition, metricDefinitions } from './measure/metricDefinitions.ts'
export { Meter, type Metrics, type PairLoad, type RobotTracking, type Series } from './measure/metrics.ts'
export { TorqueRanges } from './measure/torqueRanges.ts'
export { type Trajectory, type TrajectoryPart, TrajectoryRecorder } from './measure/trajectory.ts'
export { CheckpointError, checkpointText, parseCheckpoint } from './recording/checkpointFile.ts'
export * from './recording/files.ts'
export { reportOf } from './report/report.ts'
export { ALIKE, type Cost, type Work } from './run/cost.ts'
export { canUseThreads, type PoolOptions, runJobs } from './run/pool.ts'
export { doJob, type Job, type Outcome, REFERENCE_REFINEMENT, type RunHooks, type RunRecord } from './run/run.ts'
export type { ReportedStep, SavedStep } from './run/savedSteps.ts'
export type { SolverOutcome } from './run/solverOutcomes.ts'
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
export { type LawName, lawNames } from './scenario/limits.ts'
export type { RobotScale } from './scenario/world/assemble.ts'
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
} from './scenario/world/files.ts'
export { type Overlap, PenetrationMeter, type ShapesOfWorld } from './scenario/world/penetration.ts'
