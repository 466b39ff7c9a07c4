/** The `featherbed` command: a loop over the table of verbs, each in a file of its own that is loaded when it is named. */
import { Command, CommanderError, Option } from 'commander'
import type { RobotError } from '../../robots/index.ts'
import { giveBack } from './atEnd.ts'
import { describeError, exitCodes } from './errors.ts'
import { beginCommand, type CommandStreams, io } from './io.ts'
import { paintFor } from './terminal.ts'
import { commonFlags, type Flag, type Flags, type Verb } from './verb.ts'
import { verbs } from './verbs/index.ts'
import { version } from './version.ts'

const aboutRobot =
  'ROBOT is the path of a URDF, xacro, MJCF or SDF file, a built-in robot (diffdrive, humanoid, quadruped,\n' +
  'gripper, wrist-gripper, mecanum), or the name of a robot on this machine, such as unitree_go2\n' +
  '(docs/robots.md). Arguments of xacro follow it as name:=value.\n\n'

/** The parser; of the verbs only the one is loaded that the arguments name. */
async function program(args: readonly string[]): Promise<Command> {
  const featherbed = new Command('featherbed')
    .description('Compares contact models on articulated robots by penetration, jitter, accuracy and speed.')
    .version(version)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error:/, 'featherbed:')),
    })
    .addHelpText('after', '\nBegin with:\n  featherbed compare diffdrive humanoid --out results\n  featherbed view')
    .exitOverride()
  const [first, second] = args.filter((word) => !word.startsWith('-'))
  const named = first === 'help' ? second : first
  for (const [usage, { summary, load }] of Object.entries(verbs)) {
    const command = featherbed.command(usage).description(summary)
    addFlags(command, commonFlags)
    if (command.name() === named) complete(command, (await load()).verb)
  }
  return featherbed
}

function complete(command: Command, { example, flags, run, arguments: own }: Verb): void {
  const meanings: Verb['arguments'] = { 'name:=value': 'arguments of a xacro file', ...own }
  for (const argument of command.registeredArguments) {
    const about = meanings[argument.name()] ?? ''
    argument.description = typeof about === 'string' ? about : about.meaning
    if (typeof about !== 'string') argument.choices(about.choices)
  }
  addFlags(command, flags)
  const takesRobot = command.registeredArguments.some((argument) => argument.name().startsWith('robot'))
  command
    .addHelpText('after', `\n${takesRobot ? aboutRobot : ''}Example:\n${example}`)
    .action((...words) => run(...(words as never[])))
}

function addFlags(command: Command, flags: Flags): void {
  for (const [flag, row] of Object.entries(flags)) {
    const { meaning, ...more }: Flag = typeof row === 'string' ? { meaning: row } : row
    const option = new Option(flag, meaning).default(more.default).makeOptionMandatory(more.isRequired ?? false)
    if (more.isRepeated) option.argParser((value, all: string[] = []) => [...all, value])
    if (more.conflicts !== undefined) option.conflicts(more.conflicts)
    command.addOption(option)
  }
}

/**
 * Runs a command in this process: `featherbed ARGS`, with its streams given. One at a time; files that it names are of this
 * process's working directory.
 *
 * @returns its exit code
 */
export async function runCommand(args: readonly string[], streams: CommandStreams): Promise<number> {
  beginCommand(args, streams)
  try {
    const command = await program(args)
    if (args.length === 0) command.help({ error: true })
    await command.parseAsync(args, { from: 'user' })
    return io.exitCode
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.good
      if (args.includes('--json')) writeError(error.message.replace(/^error: /, ''), exitCodes.usage)
      return exitCodes.usage
    }
    const { lines, code } = describeError(error)
    const { bad } = paintFor(io.stderr)
    for (const line of lines) io.stderr.write(`${bad('featherbed:')} ${line}\n`)
    if (args.includes('--debug') && error instanceof Error) io.stderr.write(`${error.stack}\n`)
    if (args.includes('--json')) writeError(lines.join('\n'), code, error)
    return code
  } finally {
    giveBack()
  }
}

/** Prints an error as JSON on stdout; that of a robot file with all its findings, as `inspect` prints them. */
function writeError(message: string, code: number, error?: unknown): void {
  const doctor = error instanceof Error && error.name === 'RobotError' ? (error as RobotError).diagnostics : undefined
  io.stdout.write(`${JSON.stringify({ error: { message, code, doctor } }, null, 2)}\n`)
}
