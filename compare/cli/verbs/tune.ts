import { millimetres, milliseconds, percent, seconds, significant } from '../../measure/numbers.ts'
import { escapeHtml } from '../../report/html.ts'
import { IdleThreads } from '../../run/pool.ts'
import type { ModelChoice } from '../../scenario/index.ts'
import { studyPage } from '../../studies/draw.ts'
import { bestOf, type GainFigure, type TuneResult, tunedModels, tuneOf, type UltimateGain } from '../../studies/tune.ts'
import { UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { isScenarioFile, scenarioFlags, scenarioOf, studyFlags } from '../scenarioArguments.ts'
import { type Cell, left, type Paint, paintFor, right, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'
import { openView, subjectOf } from './map.ts'

const isTuned = (name: string) => (tunedModels as readonly string[]).includes(name)

const flags = {
  ...scenarioFlags,
  ...studyFlags,
  '--model <name>': `${tunedModels.join(' or ')} (default: the scenario's, or penalty)`,
  '--dt <time>': 'time step (default: 1 ms)',
} as const
type TuneFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed tune diffdrive --model penalty --dt 1e-3\n' +
    '  featherbed tune docs/examples/slide.yaml --json\n\n' +
    "Rules: the program's own; 100, 50 and 2 times the mass (Drumwright 2008); those of Ziegler and Nichols. The cost is the\n" +
    'worst depth over the allowed penetration plus the motion error over its limit, or infinite if the run gains energy.\n' +
    'See docs/which-step.md.',
  flags,
  run: (target: string, xacro: string[], flags: TuneFlags) => tune([target, ...xacro], flags),
}

async function tune(targets: readonly string[], flags: TuneFlags): Promise<void> {
  if (flags.model !== undefined && !isTuned(flags.model))
    throw new UsageError(`--model found "${flags.model}", expected ${tunedModels.join(' or ')}: others have no gains`)
  // a scenario's own statements on motion may hold for its duration alone
  const duration = flags.duration ?? (targets.some(isScenarioFile) ? undefined : '1')
  const chosen = await scenarioOf(targets, { ...flags, dt: flags.dt ?? '1e-3', duration })
  if (chosen.dt.length > 1) throw new UsageError(`--dt found "${flags.dt}", expected one step, which gains are of`)
  // a scenario's own choice has its options of friction and impacts
  const choices = tunedModels.flatMap((name) => chosen.models.find((choice) => choice.name === name) ?? [])
  const model: ModelChoice = choices[0] ?? { name: 'penalty', options: {} }
  const scenario = { ...chosen, models: [model] }
  const { robot, robots, prepared } = await subjectOf(scenario)
  const idle = io.idle ?? new IdleThreads()
  try {
    const view = await openView(scenario, flags, robots, idle)
    const result = await tuneOf(scenario, robot, { model, prepared, grid: view.grid })
    const plain = () => `<pre>${escapeHtml(tuneText(result, paintFor({})))}</pre>`
    const title = `${result.robot}: which gains?`
    await view.close('tune', result, () => studyPage(title, plain(), view.command), tuneText(result, paintFor(io.stdout)))
  } finally {
    if (idle !== io.idle) await idle.end()
  }
}

const newtons = (k: number | null) => (k === null ? '-' : `${significant(k, 3)}`)

function tuneText(result: TuneResult, { bold, dim, good, bad }: Paint): string {
  const { robot, model, duration, dt, integrator, rigid, ultimate, rules, search, kass } = result
  const { allowedPenetration_m, motionLimit } = result
  const head = `${bold(`${robot}, ${model}`)} ${dim(`${duration} s at ${milliseconds(dt)}, ${integrator}; motion against ${rigid}; cost: depth over ${millimetres(allowedPenetration_m)} + motion over ${percent(motionLimit)}`)}`
  const { springAndDamper, found } = search
  const steps = [
    springAndDamper && { ...springAndDamper, rule: 'search: kp, kv' },
    found && { ...found, rule: 'search: all four' },
  ]
  const all = [...rules, ...steps.filter((figure) => figure !== null)]
  const best = bestOf(all)
  const rows = all.map((figure): Cell[] => [
    { text: figure.rule, paint: figure === best && figure.cost !== null ? good : undefined },
    { text: newtons(figure.kp) },
    { text: newtons(figure.kv) },
    { text: newtons(figure.ki) },
    { text: figure.ki && figure.lambda !== null ? significant(figure.lambda, 3) : '-' },
    figure.holds ? { text: 'holds' } : { text: figure.failure === null ? 'gains energy' : 'breaks off', paint: bad },
    { text: figure.depthMax_m === null ? '-' : millimetres(figure.depthMax_m) },
    { text: figure.depthEnd_m === null ? '-' : millimetres(figure.depthEnd_m) },
    { text: figure.motion === null ? '-' : percent(figure.motion) },
    { text: figure.invented === null ? '-' : percent(figure.invented) },
    { text: figure.cost === null ? 'infinite' : significant(figure.cost, 3) },
  ])
  const columns = [
    left('\nrule'),
    right('kp\n[N/m]'),
    right('kv\n[N s/m]'),
    right('ki\n[N/m]'),
    right('\nlambda'),
    left('\n'),
    right('depth\nat worst'),
    right('depth\nat the end'),
    right('motion\nerror'),
    right('energy\ninvented'),
    right('\ncost'),
  ]
  const bound =
    kass.largest_s === null
      ? 'Kass: nothing stands on anything fixed.'
      : `Kass's bound on the step, 1 / n for n = ${kass.bodies} on top of each other: ${seconds(kass.largest_s)}; ${dt > kass.largest_s ? bad('this step is above') : 'this step is below'}.`
  const gains =
    ultimate.length > 0 ? ultimate.map(ultimateWords) : ['Ultimate gain: not looked for, nothing touches in the first 500 steps.']
  return [head, '', ...gains, '', table(columns, rows), '', bound, verdictOf(result)].join('\n')
}

function ultimateWords({ integrator, kp, beyond, period_s, theory }: UltimateGain): string {
  const where = `Ultimate gain under ${integrator}:`
  if (kp === null) return `${where} below all that were tried, an undamped spring does not hold.`
  const one = theory === null ? '' : ` All mass on one spring: ${significant(theory, 3)} N/m.`
  if (beyond) return `${where} none up to ${significant(kp, 3)} N/m.${one}`
  return `${where} ${significant(kp, 3)} N/m, ${period_s === null ? 'no single period, so no rules of Ziegler and Nichols' : `period ${milliseconds(period_s)}`}.${one}`
}

/** The rule of least cost, and by how much the search beats the program's own gains. */
export function verdictOf({ rules, search: { runs, found } }: Pick<TuneResult, 'rules' | 'search'>): string {
  const best = bestOf(rules) as GainFigure
  if (best.cost === null || found?.cost == null) return 'No rule has a finite cost, so there is nothing to search from.'
  const physical = rules[0].cost
  const against =
    physical === null
      ? 'the physical gains do not hold'
      : `${significant(physical / found.cost, 3)} times less than the physical gains`
  const ranked = `Of the rules ${best.rule} costs least, ${significant(best.cost, 3)}.`
  const integral = found.ki ? `, ki ${newtons(found.ki)} N/m, lambda ${significant(found.lambda as number, 3)}` : ''
  return found.cost < best.cost
    ? `${ranked} The search (${runs} runs) found kp ${newtons(found.kp)} N/m, kv ${newtons(found.kv)} N s/m${integral} at ${significant(found.cost, 3)}: ${against}.`
    : `${ranked} The search (${runs} runs) found nothing better.`
}
