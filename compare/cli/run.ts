import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { metricDefinitions } from '../metricDefinitions.ts'
import type { Metrics } from '../metrics.ts'
import { canUseThreads, runJobs } from '../pool.ts'
import type { Outcome } from '../run.ts'
import { milliseconds, significant } from '../verdict.ts'
import { exitCodes } from './errors.ts'
import type { CommonFlags } from './main.ts'
import { outputFolder, type ScenarioFlags, scenarioOf } from './scenarioArguments.ts'
import { Progress, paintFor } from './terminal.ts'
import { onlyXacro } from './words.ts'

export interface RunFlags extends CommonFlags, ScenarioFlags {
  readonly out?: string
}

/** `featherbed run`. */
export async function run(target: string, xacroArguments: readonly string[], flags: RunFlags): Promise<void> {
  const scenario = await scenarioOf([target, ...onlyXacro(xacroArguments)], flags)
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  const progress = new Progress(flags.quiet === true)
  const job = { scenario, robot: scenario.robots[0], model: scenario.models[0], dt: scenario.dt[0] }
  const show = (stage: string) => (fraction: number) =>
    progress.show(`${stage} ${job.model.name} at ${milliseconds(job.dt)}`, fraction)
  const options = { threads: canUseThreads() ? 1 : 0, patience: scenario.patience }
  const [outcome] = await runJobs([{ kind: 'run', ...job }], { ...options, progress: show('simulating') })
  const timing =
    outcome.status === 'ok' ? await runJobs([{ kind: 'timing', ...job }], { ...options, progress: show('timing') }) : []
  progress.end()

  const named = { ...outcome, robotName: outcome.robotName || job.robot } // a run that was never set up has no name
  const result = resultOf(named, job.model.name, job.dt, scenario.seed, timing[0]?.stepTime ?? null)
  if (folder !== undefined) {
    await writeFile(
      join(folder, 'run.json'),
      `${JSON.stringify({ ...result, series: outcome.series, trajectory: outcome.trajectory }, null, 2)}\n`,
    )
  }
  process.stdout.write(flags.json ? `${JSON.stringify(result, null, 2)}\n` : summary(result, scenario.duration))
  if (outcome.status === 'failed') process.exitCode = exitCodes.failed
}

function resultOf(outcome: Outcome, model: string, dt: number, seed: number, stepTime: number | null) {
  const {
    robotName: robot,
    controller,
    controllerPeriod,
    status,
    failure,
    hash,
    steps,
    metrics,
    controllerMetrics,
    parameters,
    physical,
    solverFailure,
  } = outcome
  const timed = metrics && {
    ...metrics,
    step_us: stepTime === null ? null : stepTime * 1e6,
    realTimeFactor: stepTime === null ? null : dt / stepTime,
  }
  return {
    robot,
    controller,
    controllerPeriod_s: controllerPeriod,
    model,
    dt,
    seed,
    status,
    failure: failure || null,
    hash,
    steps,
    metrics: timed,
    controllerMetrics,
    parameters,
    physical,
    solverFailure: solverFailure || null,
  }
}

function summary(
  { robot, controller, model, dt, status, failure, hash, metrics, controllerMetrics, solverFailure }: ReturnType<typeof resultOf>,
  duration: number,
): string {
  const { bold, dim, bad } = paintFor(process.stdout)
  const under = controller === '' ? '' : `under ${controller}, `
  const lines = [`${bold(robot)} ${dim(`${under}${model} at ${milliseconds(dt)}, ${duration} s`)}`]
  const line = (label: string, value: string) => lines.push(`  ${dim(label.padEnd(24))}${value}`)
  for (const [key, { label, unit }] of Object.entries(metricDefinitions)) {
    const value = metrics?.[key as keyof Metrics]
    if (value !== null && value !== undefined) line(label, `${significant(value, 6)} ${unit}`.trimEnd())
  }
  for (const [name, value] of Object.entries(controllerMetrics)) line(name, `${significant(value, 6)}  (by the controller)`)
  if (hash) line('State hash at the end', hash)
  if (solverFailure) line('Solver', solverFailure)
  if (status === 'failed') lines.push(bad(`failed: ${failure}`))
  return `${lines.join('\n')}\n`
}
