import type { Verb } from '../verb.ts'

/** A verb before its module is loaded, which is when it is named. */
interface Row {
  readonly summary: string
  readonly load: () => Promise<{ readonly verb: Verb }>
}

/** The verbs in the order of the help, each by its name and arguments. */
export const verbs: Readonly<Record<string, Row>> = {
  'inspect <robot> [name:=value...]': {
    summary: 'what a robot is, and what is odd about its file',
    load: () => import('./inspect.ts'),
  },
  'convert <robot> [name:=value...]': {
    summary: 'a robot in another format, with its changes made, and what that format cannot say',
    load: () => import('./convert.ts'),
  },
  'dynamics <robot> [name:=value...]': {
    summary: 'mass matrix, bias, gravity, inverse and forward dynamics, Jacobians at one state',
    load: () => import('./dynamics.ts'),
  },
  'contacts <pair.json>': {
    summary: 'every reading of two shapes at their places: distance, manifold, penalty, features',
    load: () => import('./contacts.ts'),
  },
  'solve <problem.json>': {
    summary: 'one problem of complementarity or of contact under every solver, side by side',
    load: () => import('./solve.ts'),
  },
  'run <robot|scenario> [name:=value...]': {
    summary: 'one run of one model at one step, with its metrics',
    load: () => import('./run.ts'),
  },
  'compare <robot|scenario...>': {
    summary: 'several models at several steps: metrics, errors, costs, and a verdict a robot',
    load: () => import('./compare.ts'),
  },
  'map <robot|scenario> [name:=value...]': {
    summary: 'which step, which stiffness: where each model is stable and within the limits, and the largest step that is',
    load: () => import('./map.ts'),
  },
  'sensitivity <robot|scenario> [name:=value...]': {
    summary: 'which input matters: friction, stiffness, mass, step, delay of the controller, largest first; or the start',
    load: () => import('./sensitivity.ts'),
  },
  'transfer <robot|scenario> [name:=value...]': {
    summary: 'which controller survives which contact model: tracking, effort, slip and falls of each pair',
    load: () => import('./transfer.ts'),
  },
  'tune <robot|scenario> [name:=value...]': {
    summary: 'gains of the penalty models: ultimate gain, what rules give, and an offline search, by one cost',
    load: () => import('./tune.ts'),
  },
  'reproduce <paper>': {
    summary: "a paper's experiments, run again and judged beside its figures",
    load: () => import('./reproduce.ts'),
  },
  'phenomena [scene...]': {
    summary: 'scenes whose end is known from nature, under every contact model and engines from outside',
    load: () => import('./phenomena.ts'),
  },
  'fit <scene>': {
    summary: 'parameters of a scene, such as friction and restitution, that bring a model nearest to a log',
    load: () => import('./fit.ts'),
  },
  'new <what> <name>': {
    summary: 'a file to begin with: a controller that holds a robot at home',
    load: () => import('./new.ts'),
  },
  'completion <shell>': {
    summary: 'a script by which bash or zsh completes verbs, flags, models and robots',
    load: () => import('./completion.ts'),
  },
  'view [file]': {
    summary: 'open the page on this machine, with a robot, a scenario, a recording, or a report',
    load: () => import('./view.ts'),
  },
}
