import type { Verb } from '../verb.ts'

/** A verb before its module is loaded, which is when it is named. */
interface Row {
  readonly summary: string
  readonly load: () => Promise<{ readonly verb: Verb }>
}

/** The verbs in the order of the help, each by its name and arguments. */
export const verbs: Readonly<Record<string, Row>> = {
  'inspect <robot> [name:=value...]': {
    summary: "a robot's properties, and problems of its file",
    load: () => import('./inspect.ts'),
  },
  'convert <robot> [name:=value...]': {
    summary: 'write a robot in another format; properties that the format lacks are named',
    load: () => import('./convert.ts'),
  },
  'dynamics <robot> [name:=value...]': {
    summary: 'mass matrix, bias, gravity, inverse and forward dynamics, Jacobians at one state',
    load: () => import('./dynamics.ts'),
  },
  'contacts <pair.json>': {
    summary: 'all queries of one pair of shapes: distance, contact manifold, penalty points, feature pairs',
    load: () => import('./contacts.ts'),
  },
  'solve <problem.json>': {
    summary: 'solve one complementarity or contact problem by every solver, side by side',
    load: () => import('./problems/solve.ts'),
  },
  'answers <problem>': {
    summary: 'all solutions of one contact problem or step, with a proof that there are no others',
    load: () => import('./problems/answers.ts'),
  },
  'run <robot|scenario> [name:=value...]': {
    summary: 'simulate under one model at one step, and print metrics',
    load: () => import('./run.ts'),
  },
  'compare <robot|scenario...>': {
    summary: 'simulate under several models and steps: metrics, errors, costs, and a verdict for each robot',
    load: () => import('./compare.ts'),
  },
  'sweep <scenario>': {
    summary: 'run a sweep of any size by threads, by shards on several machines, or by workers of a queue',
    load: () => import('./sweeps/sweep.ts'),
  },
  worker: {
    summary: 'compute chunks of sweeps that a queue on Redis holds',
    load: () => import('./sweeps/worker.ts'),
  },
  'merge <dir...>': {
    summary: 'one result of all shards of a sweep, as Parquet',
    load: () => import('./sweeps/merge.ts'),
  },
  'report <dir>': {
    summary: 'page of a sweep: maps, tornado charts, distributions',
    load: () => import('./sweeps/report.ts'),
  },
  'map <robot|scenario> [name:=value...]': {
    summary: 'map of step and stiffness: where each model is stable and within limits, and its largest such step',
    load: () => import('./map.ts'),
  },
  'sensitivity <robot|scenario> [name:=value...]': {
    summary: 'effect of friction, stiffness, mass, step and controller delay on the motion, largest first; or of the start',
    load: () => import('./sensitivity.ts'),
  },
  'transfer <robot|scenario> [name:=value...]': {
    summary: 'controllers under contact models: tracking, effort, slip and falls of each pair',
    load: () => import('./transfer.ts'),
  },
  'tune <robot|scenario> [name:=value...]': {
    summary: 'gains of the penalty models: ultimate gain, tuning rules and an offline search, compared by one cost',
    load: () => import('./tune.ts'),
  },
  'refute <law>': {
    summary: 'search random scenes for the smallest in which a contact model breaks a law',
    load: () => import('./refute.ts'),
  },
  'reproduce <paper>': {
    summary: "repeat a paper's experiments, and compare them with its figures",
    load: () => import('./reproduce.ts'),
  },
  'phenomena [scene...]': {
    summary: 'scenes with a known physical outcome, under every contact model and external engines',
    load: () => import('./phenomena.ts'),
  },
  'engines [name...]': {
    summary: 'engines of Python that stand beside ours, and their installation',
    load: () => import('./engines.ts'),
  },
  'fit <scene>': {
    summary: 'fit parameters of a scene, such as friction and restitution, to a log',
    load: () => import('./fit.ts'),
  },
  'new <what> <name>': {
    summary: 'write a starting file: a controller that holds a robot at its home pose',
    load: () => import('./new.ts'),
  },
  'completion <shell>': {
    summary: 'print a script that lets bash or zsh complete verbs, flags, models and robots',
    load: () => import('./completion.ts'),
  },
  'view [file]': {
    summary: 'open the page in a browser, with a robot, a scenario, a recording, or a report',
    load: () => import('./view.ts'),
  },
}
