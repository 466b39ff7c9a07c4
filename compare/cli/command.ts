/** The `featherbed` command. Each verb's work is in a file of its own, loaded when it is asked for. */
import { Argument, Command, CommanderError, Option } from 'commander'
import type { RobotError } from '../../robots/index.ts'
import { giveBack } from './atEnd.ts'
import { describeError, exitCodes } from './errors.ts'
import type { CommonFlags } from './flags.ts'
import { beginCommand, type CommandStreams, io } from './io.ts'
import { paintFor } from './terminal.ts'
import type { TransferFlags } from './verbs/transfer.ts'
import { version } from './version.ts'

const aboutRobot =
  'ROBOT is the path of a URDF, xacro, MJCF or SDF file, one of our own (diffdrive, humanoid, quadruped,\n' +
  'gripper, wrist-gripper, mecanum), or the name of a robot that is on this machine, such as unitree_go2\n' +
  '(docs/robots.md). Arguments of xacro are written name:=value after it.\n\n'

function program(): Command {
  const featherbed = new Command('featherbed')
    .description('Compares contact models on articulated robots: how deep, how jittery, how true, how fast.')
    .version(version)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help says more)')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error:/, 'featherbed:')),
    })
    .addHelpText('after', '\nBegin with:\n  featherbed compare diffdrive humanoid --out results\n  featherbed view')
  const verb = (name: string, summary: string, example: string) =>
    featherbed
      .command(name)
      .description(summary)
      .option('--json', 'print one JSON document on stdout and nothing else')
      .option('--quiet', 'no progress on stderr')
      .option('--debug', 'show where an error came from')
      .addHelpText(
        'after',
        `\n${['view', 'contacts', 'solve', 'phenomena', 'fit', 'new'].includes(name) ? '' : aboutRobot}Example:\n${example}`,
      )
  const rootFlag = (command: Command) =>
    command.option(
      '--root <dir>',
      'a folder that robots may read beside their own package; may be repeated',
      (folder: string, all: string[] = []) => [...all, folder],
    )
  const scenarioFlags = (command: Command) =>
    rootFlag(command)
      .option(
        '--controller <file|name>',
        "a controller script, a policy (.onnx, or a .yaml that names one), or a built-in: hold, unicycle, computed-torque, drive-and-wave, balance, capture-step, trot, grip, operational-space, differential-kinematics, impedance, hybrid-force-motion, lqr, none (default: the robot's own)",
      )
      .option(
        '--untrusted',
        'run controller scripts in a sandbox: no files, network or clock, same bits, slower (see docs/controllers.md)',
      )
      .option('--duration <time>', 'simulated time, such as 5 or "5 s" (default: 5 s)')
      .option('--seed <n>', 'of the perturbed start, and handed to the controller as options.seed (default: 1)')
      .option('--concave', 'closed collision meshes stay as concave as they are (default: they are their hulls)')
      .option('--ccd', 'end the motion of a step where shapes would pass through each other (default: they are counted)')
      .option('--patience <time>', 'a controller script that computes for so long without an answer ends its run (default: 5 s)')
      .option('--memory <GB>', 'a run under a controller script that needs more than this is ended (default: 1.5)')
      .option('--step-budget <n>', 'multiply-adds, about 1e9 a second: a step that takes more ends its run (default: 1e10)')
      .option('--floating', "let the robot's base float")
      .option('--fixed', "hold the robot's base where it is")

  const robotFlags = (command: Command) =>
    rootFlag(command)
      .argument('<robot>')
      .argument('[name:=value...]', 'for the arguments of a xacro file')
      .option('--floating', "let the robot's base float")
      .option('--fixed', "hold the robot's base where it is")
      .option('--srdf <file>', 'its SRDF: pairs that do not collide, named poses, how its base hangs on the world')
      .option('--strict', 'refuse a robot that cannot be loaded without changes')

  robotFlags(
    verb(
      'inspect',
      'what a robot is, and what is odd about its file',
      '  featherbed inspect a1.urdf\n' +
        '  featherbed inspect arm.urdf.xacro prefix:=left_ --srdf arm.srdf\n' +
        '  featherbed inspect gripper.urdf --fix repaired.urdf\n\n' +
        'Each finding is an error, a change (the loader chose or repaired something that the motion depends on), a warning or\n' +
        'information. Exit code 0 if the robot loads, with warnings too; 1 if it does not; 2 if the command is wrong.',
    ),
  )
    .option('--pose <name>', 'be at home in this pose of the SRDF: name, or group/name')
    .option('--fit', 'put a cylinder, sphere, capsule or box in place of collision meshes that are one within 1 % of their size')
    .option('--concave', 'let closed collision meshes be as concave as they are')
    .option('--cut', 'cut concave collision meshes into convex parts (needs the package @dimforge/rapier3d-compat)')
    .option('--fix <out.urdf>', 'write the robot with its changes made, each listed')
    .option('--all', 'show every place of every finding')
    .action(async (robot: string, xacro: string[], flags: CommonFlags) =>
      (await import('./verbs/inspect.ts')).inspect(robot, xacro, flags),
    )

  robotFlags(
    verb(
      'convert',
      'a robot in another format, with its changes made, and what that format cannot say',
      '  featherbed convert a1.urdf --to mjcf --out a1.xml\n' +
        '  featherbed convert arm.xml --to urdf --out arm.urdf\n\n' +
        'Without --out the file is printed. What is lost is named on stderr, and with --json in `lost`.',
    ),
  )
    .requiredOption('--to <format>', 'urdf or mjcf')
    .option('--fit', 'put plain shapes in place of collision meshes, as inspect does')
    .option('--cut', 'cut concave collision meshes into convex parts, as inspect does')
    .option('--out <file>', 'where to write it')
    .action(async (robot: string, xacro: string[], flags: CommonFlags & { to: string }) =>
      (await import('./verbs/convert.ts')).convert(robot, xacro, flags),
    )

  robotFlags(
    verb(
      'dynamics',
      'mass matrix, bias, gravity, inverse and forward dynamics, Jacobians at one state',
      '  featherbed dynamics humanoid --state state.json --link head --json\n\n' +
        'state.json: {"q": {"base": [x, y, z, qx, qy, qz, qw], JOINT: number}, "v": {"base": [wx, wy, wz, vx, vy, vz], JOINT: number},\n' +
        '"a": as v, for inverse dynamics, "tau": as v, for forward dynamics}. What is left out is zero, or the identity.\n\n' +
        'The base is given by the velocity of its origin in world axes, angular then linear, by the forces dual to that, and by\n' +
        'the plain time derivatives of it. A floating joint inside the tree is given likewise in the axes of the joint on its\n' +
        'parent; a planar joint by [x, y, angle] and their rates; a spherical one by [qx, qy, qz, qw] and an angular velocity\n' +
        'in the axes of the joint. A joint that follows another (mimic) has no entry. docs/dynamics.md says it at length.',
    ),
  )
    .option('--state <file>', 'a JSON file with q, v, a and tau (default: all zero)')
    .option('--link <name>', "add this link's Jacobian; may be repeated", (name: string, all: string[] = []) => [...all, name])
    .option('--passive', "add the joints' damping and dry friction")
    .action(async (robot: string, xacro: string[], flags: CommonFlags) =>
      (await import('./verbs/dynamics.ts')).dynamics(robot, xacro, flags),
    )

  verb(
    'contacts',
    'every reading of two shapes at their places: distance, manifold, penalty, features',
    '  featherbed contacts docs/examples/pairs/box-on-box.json --out picture.svg\n\n' +
      'PAIR.json: {"a": {"shape": {"type": "box", "size": [x, y, z]}, "position": [x, y, z], "orientation": [x, y, z, w]},\n' +
      '"b": likewise, "margin": metres}. Shapes are halfspace {normal, offset}, sphere {radius}, capsule and cylinder\n' +
      '{radius, length}, box {size}, hull {points}, mesh {file}. docs/geometry.md says it at length.',
  )
    .argument('<pair.json>', 'the two shapes')
    .option('--out <picture.svg>', 'draw the readings')
    .action(async (pair: string, flags: CommonFlags) => (await import('./verbs/contacts.ts')).contacts(pair, flags))

  verb(
    'solve',
    'one problem of complementarity or of contact under every solver, side by side',
    '  featherbed solve docs/examples/problems/box.json\n' +
      '  featherbed solve docs/examples/problems/lcp.json --solver lemke --json\n\n' +
      'PROBLEM.json, by its kind:\n' +
      '{"kind": "lcp", "A": [[..]], "b": [..]}: find z >= 0 with w = A z + b >= 0 and z w = 0.\n' +
      '{"kind": "mlcp", "A", "b", "free": [i, ..]}: the same, with z_i of any sign and w_i = 0 for the indices of free.\n' +
      '{"kind": "contact", "M": [[..]], "J": [[..]], "vFree": [..], "gap": [..], "mu": [..], "dt": s}: the impulses of one step; J has\n' +
      'the rows normal, tangent 1, tangent 2 of each contact, and z their impulses in that order, then those of other rows.\n' +
      'docs/solvers.md says it at length.\n\n' +
      'Exit code 0 if a solver has an answer, 1 if none has, 2 if the command or the file is wrong.',
  )
    .argument('<problem.json>', 'the problem; featherbed run --problem saves that of a step')
    .option('--solver <name>', 'one solver alone; a name that is none lists all', 'all')
    .action(async (problem: string, flags: CommonFlags & { solver: string }) =>
      (await import('./verbs/solve.ts')).solve(problem, flags),
    )

  scenarioFlags(
    verb(
      'run',
      'one run of one model at one step, with its metrics',
      '  featherbed run humanoid --model stewart-trinkle --dt 1e-3 --duration 2\n' +
        '  featherbed run docs/examples/crate.yaml --record crate.mcap\n' +
        '  featherbed run humanoid --checkpoint middle.json --at 1 --duration 2\n' +
        '  featherbed run humanoid --from middle.json --model penalty --duration 2\n' +
        '  featherbed run humanoid --model stewart-trinkle --problem step.json --at 1\n\n' +
        'A run that goes on from a checkpoint under the same model and step has the same bits as one that was never interrupted;\n' +
        'under others it goes on from the same state. Exit code 0 if the run came to its end, 1 if it failed or something could\n' +
        'not be written, 2 if the command or a file it names is wrong.',
    ),
  )
    .argument('<robot|scenario>')
    .argument('[name:=value...]', 'for the arguments of a xacro file')
    .option('--model <name>', "a contact model (default: the scenario's first)")
    .option('--out <dir>', 'write run.json, with the trajectory, into this folder, and the problems of failed steps')
    .option('--dt <time>', 'time step, such as 1e-3 or "1 ms" (default: the scenario\'s smallest)')
    .option('--accuracy <part>', 'choose the steps for this error of the motion in a second, such as 1e-3, in place of --dt')
    .option('--record <file.mcap|file.csv|dir>', 'write every step down: MCAP for Foxglove and programs, or tables')
    .option('--checkpoint <file>', 'write the state at the end, or at --at, to go on from')
    .option('--problem <file>', 'write the problem of the last step, or of that which ends at --at, for featherbed solve')
    .option('--report <page.html>', 'write a page that plays the run: the scene in 3D with its contact forces, and charts')
    .option('--at <time>', 'when the checkpoint and the problem are taken (default: at the end)')
    .option('--from <file>', 'go on from a checkpoint, until --duration')
    .option('--no-timing', 'leave out the second pass, which takes the computing time of a step')
    .action(async (target: string, xacro: string[], flags: CommonFlags) =>
      (await import('./verbs/run.ts')).run(target, xacro, flags),
    )

  scenarioFlags(
    verb(
      'compare',
      'several models at several steps: metrics, errors, costs, and a verdict a robot',
      '  featherbed compare diffdrive humanoid --models all --dt 1e-3,1e-2 --duration 5 --out results\n' +
        '  featherbed compare docs/examples/slide.yaml docs/examples/pile.yaml --out results\n\n' +
        'A scenario file is a comparison of its own; robots named beside it are compared with each other.\n' +
        'The verdict: the cheapest pair of model and step that keeps the laws of mechanics and contact, and whose penetration,\n' +
        "motion and energy errors are within the limits (1 mm, 1 %, 1 %, or the scenario's own); undecided where models that do\n" +
        'contradict each other. Exit code 0 if every robot has a verdict, also if it is that nothing fits or that nothing can be\n' +
        'said; 1 if no run of a robot came to its end; 2 if the command or a file it names is wrong.',
    ),
  )
    .argument('<robot|scenario...>', 'robots, with name:=value for the arguments of xacro files, and scenario files')
    .option('--models <a,b|all>', 'contact models (default: all)')
    .option('--dt <a,b>', 'time steps (default: 1e-3,1e-2)')
    .option('--map <axes>', 'in place of runs side by side, what featherbed map --over draws: dt,stiffness')
    .option('--out <dir>', 'write results.json and report.html into this folder, and the problems of failed steps')
    .option('--no-timing', 'leave out the computing times: errors and laws are judged, and no pair is the cheapest')
    .option(
      '--resume',
      'go on from the finished runs of an interrupted comparison that --out holds; the results are the same bits',
    )
    .option('--serial', 'one run after the other instead of one per processor; the results are the same bits')
    .addOption(new Option('--threads <n>', 'runs at a time (default: one per processor)').conflicts('serial'))
    .action(async (targets: string[], flags: CommonFlags & { map?: string }) =>
      flags.map === undefined
        ? (await import('./verbs/compare.ts')).compareCommand(targets, flags)
        : (await import('./verbs/map.ts')).map(targets, { ...flags, over: flags.map }),
    )

  const gridFlags = (command: Command, models = true) =>
    (models ? scenarioFlags(command).option('--models <a,b|all>', 'contact models (default: all)') : scenarioFlags(command))
      .option('--out <dir>', 'write the figures as JSON and a picture as HTML into this folder')
      .option(
        '--resume',
        'go on from the finished runs of an interrupted command that --out holds; the results are the same bits',
      )
      .option('--serial', 'one run after the other instead of one per processor; the results are the same bits')
      .addOption(new Option('--threads <n>', 'runs at a time (default: one per processor)').conflicts('serial'))

  gridFlags(
    verb(
      'map',
      'which step, which stiffness: where each model is stable and within the limits, and the largest step that is',
      '  featherbed map humanoid --over dt,stiffness --models penalty,stewart-trinkle --duration 2 --out results\n' +
        '  featherbed map diffdrive --over dt=1ms..50ms/9,friction=0.1..1/4 --models mujoco\n' +
        '  featherbed map docs/examples/slide.yaml --over dt,models.penalty.lambda=0.5..0.95\n\n' +
        'Beside dt: stiffness, damping, friction, iterations (of peg), or the path of a field as a sweep has it, FIELD.FIELD=FROM..TO.\n' +
        'The largest safe step of each column is found by bisection to 1 %; its margin is over --dt. docs/which-step.md says more.',
    ),
  )
    .argument('<robot|scenario>')
    .argument('[name:=value...]', 'for the arguments of a xacro file')
    .option('--over <axes>', 'what is varied: dt and one more, with FROM..TO/COUNT where the default does not do', 'dt,stiffness')
    .option('--dt <time>', 'the step that margins are taken of (default: 1 ms)')
    .option('--no-timing', 'leave out what an error costs, for which computing times are taken')
    .action(async (target: string, xacro: string[], flags: CommonFlags & { over: string }) =>
      (await import('./verbs/map.ts')).map([target, ...xacro], flags),
    )

  gridFlags(
    verb(
      'sensitivity',
      'which input matters: friction, stiffness, mass, step, delay of the controller, largest first; or the start',
      '  featherbed sensitivity humanoid --models penalty --dt 1e-3 --duration 2 --by 10%\n' +
        '  featherbed sensitivity humanoid --starts --models penalty,stewart-trinkle --duration 2\n\n' +
        '--starts: 32 runs from starts within a micrometre, and how far they spread, which says whether a comparison of trajectories\n' +
        'means anything. docs/which-step.md says more.',
    ),
  )
    .argument('<robot|scenario>')
    .argument('[name:=value...]', 'for the arguments of a xacro file')
    .option('--dt <time>', 'time step (default: 1 ms)')
    .option('--by <part>', 'by how much each input is off', '10%')
    .option('--starts', 'in place of inputs: how a micrometre at the start grows')
    .action(async (target: string, xacro: string[], flags: CommonFlags & { by: string }) =>
      (await import('./verbs/sensitivity.ts')).sensitivity([target, ...xacro], flags),
    )

  gridFlags(
    verb(
      'transfer',
      'which controller survives which contact model: tracking, effort, slip and falls of each pair',
      '  featherbed transfer humanoid --controllers default,hold --models all --duration 2 --out results\n\n' +
        "A controller is a file or the name of a built-in, as --controller has it, or default, the robot's own.",
    ),
  )
    .argument('<robot|scenario>')
    .argument('[name:=value...]', 'for the arguments of a xacro file')
    .requiredOption('--controllers <a,b>', 'controllers to try')
    .option('--friction <a,b>', 'factors on every coefficient of friction (default: 1)')
    .option('--seeds <n>', 'runs of each, from starts that are a little off (a scenario says by how much: perturb)')
    .option('--limits', 'search for what breaks each: least friction, longest step, longest delay, one at a time, to 5 %')
    .option('--domain <a,b>', 'map where each survives over two of friction, step, delay')
    .option('--dt <a,b>', 'time steps (default: 1 ms)')
    .action(async (target: string, xacro: string[], flags: CommonFlags & Omit<TransferFlags, keyof CommonFlags>) =>
      (await import('./verbs/transfer.ts')).transfer([target, ...xacro], flags),
    )

  gridFlags(
    verb(
      'tune',
      'gains of the penalty models: ultimate gain, what rules give, and an offline search, by one cost',
      '  featherbed tune diffdrive --model penalty --dt 1e-3\n' +
        '  featherbed tune docs/examples/slide.yaml --json\n\n' +
        "Rules: the program's own, 100, 50 and 2 times the mass (Drumwright 2008), and those of Ziegler and Nichols. The cost is the\n" +
        'worst depth over the allowed penetration plus the motion error over its limit, infinite where energy is invented.\n' +
        'docs/which-step.md says more.',
    ),
    false,
  )
    .argument('<robot|scenario>')
    .argument('[name:=value...]', 'for the arguments of a xacro file')
    .option('--model <name>', "penalty or penalty-deepest (default: the scenario's, or penalty)")
    .option('--dt <time>', 'time step (default: 1 ms)')
    .action(async (target: string, xacro: string[], flags: CommonFlags) =>
      (await import('./verbs/tune.ts')).tune([target, ...xacro], flags),
    )

  verb(
    'reproduce',
    "a paper's experiments, run again and judged beside its figures",
    '  featherbed reproduce drumwright --out results\n' +
      '  featherbed reproduce peg --out results\n' +
      '  featherbed reproduce all --out results\n\n' +
      'baraff: Non-penetrating Rigid Body Simulation (Eurographics 1993 State of the Art Reports), sections 2 to 7.\n' +
      'drumwright: A Fast and Stable Penalty Method for Rigid Body Simulation (2008), section IV.\n' +
      'peg: A Complementarity Based Contact Model for Geometrically Accurate Treatment of Polytopes in Simulation (2014), figures 1,\n' +
      '11 and 12 and table 1.\n' +
      'all: every one in turn, a line a claim, and a page over the three reports. Exit code 1 if a claim that follows from a paper did not\n' +
      'come out.',
  )
    .argument('<paper>', 'baraff, drumwright, peg or all')
    .option('--out <dir>', 'write results.json and report.html into this folder; of all, into one a paper, with index.html')
    .option('--seeds <n>', 'drumwright: repetitions of each experiment on the block (default: 10)')
    .option('--bodies <n>', 'drumwright: bodies in the pile (default: 100)')
    .option('--settle <seconds>', 'drumwright: time that the pile has to come to rest (default: 10)')
    .option('--watch <seconds>', 'drumwright: time that it is then watched (default: 10)')
    .action(async (paper: string, flags: CommonFlags) => (await import('./verbs/reproduce.ts')).reproduce(paper, flags))

  verb(
    'phenomena',
    'scenes whose end is known from nature, under every contact model and engines from outside',
    '  featherbed phenomena --out results\n' +
      '  featherbed phenomena newtons-cradle --models ncp,penalty --engines mujoco,rapier\n' +
      '  featherbed phenomena my-scene.yaml --engines none\n\n' +
      'SCENE is the name of one that comes with the program, or a file (docs/phenomena.md). Without any all are run. A cell is the longest\n' +
      'step at which a scene holds. Engines need their packages: @mujoco/mujoco, @dimforge/rapier3d-compat, jolt-physics, cannon-es.',
  )
    .argument('[scene...]')
    .option('--models <a,b>', 'contact models; all, or none (default: all)')
    .option('--engines <a,b>', 'engines from outside; all, or none (default: all that are installed)')
    .option('--cases <log>', "a log in place of the scene's own cases: JSON lines (.jsonl) or a table with a header (.csv)")
    .option('--out <dir>', 'write phenomena.json and index.html into this folder')
    .option('--check <file>', 'compare with the phenomena.json of an earlier run; exit code 1 where a verdict is another')
    .option('--threads <n>', 'how many at once, 0 for none of its own (default: one per processor, at most 8)')
    .action(async (scenes: string[], flags: CommonFlags) => (await import('./verbs/phenomena.ts')).phenomena(scenes, flags))

  verb(
    'fit',
    'parameters of a scene, such as friction and restitution, that bring a model nearest to a log',
    '  featherbed fit cube-tosses --vary mu=0.05..0.6,e=0..0.6 --models ncp,penalty\n' +
      '  featherbed fit my-scene.yaml --vary mu=0.1..0.9 --cases log.csv\n\n' +
      'SCENE is one of `phenomena`, or a file; what varies is one of its `parameters`. Each value has its uncertainty: one standard\n' +
      'deviation, from drawing the cases anew. A log is a file with a case a line: a JSON object each (.jsonl), or a table\n' +
      'whose header names the columns (.csv); they are `$name` in the scene (docs/phenomena.md).',
  )
    .argument('<scene>')
    .requiredOption('--vary <name=from..to,...>', 'up to three parameters, each with the range that is searched')
    .option('--models <a,b>', 'contact models, or all (default: ncp)')
    .option('--dt <seconds>', "the step (default: the least of the scene's)")
    .option('--cases <log>', "a log in place of the scene's own cases")
    .action(async (scene: string, flags: CommonFlags & { vary: string }) => (await import('./verbs/fit.ts')).fit(scene, flags))

  verb(
    'new',
    'a file to begin with: a controller that holds a robot at home',
    '  featherbed new controller my_controller.ts\n  featherbed run humanoid --controller my_controller.ts --duration 2',
  )
    .addArgument(new Argument('<what>', 'what to write').choices(['controller']))
    .argument('<name>', 'the file; one that is there is left as it is')
    .action(async (_what: string, name: string, flags: CommonFlags) =>
      (await import('./verbs/new.ts')).newController(name, flags),
    )

  verb(
    'view',
    'open the page on this machine, with a robot, a scenario, a recording, or a report',
    '  featherbed view --port 4173\n' +
      '  featherbed view docs/examples/pile.yaml\n' +
      '  featherbed view walk.mcap\n' +
      '  featherbed view results/report.html\n' +
      '  featherbed view a1_description/urdf/a1.urdf --out a1.html',
  )
    .argument('[file]', 'a robot by path or name, a scenario, a recording (.mcap), a report.html, or results.json beside one')
    .option('--out <file>', 'write the page with all that the file names as one .html, which runs without a network')
    .option('--port <n>', 'port on 127.0.0.1 (default: any free one)')
    .option('--no-open', 'do not open a browser')
    .action(async (file: string | undefined, flags: CommonFlags) => (await import('./verbs/view.ts')).view(file, flags))
  for (const command of [featherbed, ...featherbed.commands]) command.exitOverride()
  return featherbed
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
    const command = program()
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
