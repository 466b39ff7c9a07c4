import { parse } from 'yaml'
import { didYouMean } from '../../../dynamics/index.ts'
import { lawSentence } from '../../measure/laws.ts'
import { type LawName, lawNames } from '../../scenario/index.ts'
import { type Refutation, refute } from '../../studies/refute.ts'
import { commandLine } from '../commandLine.ts'
import { exitCodes, UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { fieldsOf } from '../scenarioArguments.ts'
import { Progress } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'

/** Of joints, loops and statements of a scenario, which random scenes do not have. */
const unmeasured: readonly LawName[] = ['loopOpening', 'jointLimits', 'jointFriction', 'inputs']
const laws = lawNames.filter((name) => !unmeasured.includes(name))

const flags = {
  '--model <name>': { meaning: 'the contact model', isRequired: true },
  '--option <name=value>': { meaning: 'an option of the model (docs/scenario.md); may be repeated', isRepeated: true },
  '--seed <n>': { meaning: 'seed of the scenes', default: '1' },
  '--budget <n>': { meaning: 'most scenes to try, beside those that make a found one simpler', default: '300' },
  '--dt <time>': 'time step of all scenes (default: drawn, 2 to 50 ms)',
} as const
type RefuteFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed refute penetration --model lnc\n' +
    '  featherbed refute signorini --model convex > fault.yaml; featherbed run fault.yaml\n' +
    '  featherbed refute penetration --model peg --option constraints=literal\n\n' +
    'Laws and limits are those of a comparison (docs/verdict.md). Exit code 1 if a scene breaks the law, 0 if none of those tried does,\n' +
    '2 if the command is wrong. See docs/refute.md.',
  arguments: { law: laws.join(', ') },
  flags,
  run,
}

async function run(law: string, flags: RefuteFlags): Promise<void> {
  if (!(laws as readonly string[]).includes(law))
    throw new UsageError(`found the law "${law}", expected ${laws.join(', ')}${didYouMean(law, laws)}`)
  if (!/^[1-9]\d{0,8}$/.test(flags.budget))
    throw new UsageError(`--budget found "${flags.budget}", expected a whole number of scenes from 1 up`)
  // a model is checked with the flags
  const { seed = 1, dt } = await fieldsOf({ model: flags.model, seed: flags.seed, dt: flags.dt }, ['seed', 'dt'])
  if (flags.dt !== undefined && dt.length > 1) throw new UsageError(`--dt found "${flags.dt}", expected one step`)
  const progress = new Progress(flags.quiet === true)
  const result = await refute({
    ...{ law: law as LawName, model: modelOf(flags), seed, budget: Number(flags.budget) },
    dt: flags.dt === undefined ? undefined : dt[0],
    progress: (stage, fraction) => progress.show(stage, fraction),
  }).finally(() => progress.end())
  io.stdout.write(flags.json ? `${JSON.stringify({ version: 1, ...result }, null, 2)}\n` : refutationText(result))
  if (result.found !== null) io.exitCode = exitCodes.failed
}

/** As `models` of a scenario has it. @throws UsageError */
function modelOf({ model, option = [] }: RefuteFlags): Record<string, unknown> {
  const options = option.map((word) => {
    const [, name, value] = /^(\w+)=(.+)$/.exec(word) ?? []
    if (name === undefined) throw new UsageError(`--option found "${word}", expected NAME=VALUE, such as impacts=newton`)
    return [name, parse(value)] as const
  })
  return { name: model, ...Object.fromEntries(options) }
}

/** A scenario file with its fault in comments; or the count of scenes. */
function refutationText({ law, model: { name }, seed, tried, kinds, brokenOff, worst, found }: Refutation): string {
  if (found !== null) {
    const comments = [
      `${name} ${lawSentence(found.check)}`,
      `Of ${tried} scenes of seed ${seed}; made simpler in ${found.runs} runs, until no simpler one breaks it as clearly`,
      commandLine(io.args),
    ]
    return `${comments.map((line) => `# ${line}\n`).join('')}${found.yaml}`
  }
  const counts = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`)
  const most = worst === null ? '' : `\nNearest: ${lawSentence(worst)}${worst.detail === undefined ? '' : `, ${worst.detail}`}.`
  const ended = brokenOff === 0 ? '' : `\n${brokenOff} were ended early, at a step of too much work.`
  return `${name}: no scene of ${tried} breaks ${law}, seed ${seed}; this is no proof.\nScenes: ${counts.join(', ')}.${most}${ended}\n`
}
