/** Steps of a run whose contact problem has several velocities or none, and the states that its other answers lead to. */
import { answerEnds, type FaceProblem } from '../../contact/index.ts'
import { integrateConfiguration } from '../../dynamics/index.ts'
import type { Checkpoint, World } from '../../simulation/index.ts'
import { significant } from '../measure/numbers.ts'
import { type Answers, answersOf, modesOf, whyNotFaces } from './answers.ts'
import { ContactSystem } from './contactSystem.ts'

/** Which steps to search: every n-th; and whether states after the other answers are wanted. */
export interface AnswersChoice {
  readonly every: number
  readonly fork: boolean
}

/** A step with several velocities, or without any. */
export interface AnswersEvent {
  /** The time that the step ends at [s]. */
  readonly t: number
  /** Connected sets of velocities, and whether one of them is a continuum. */
  readonly count: number
  readonly isContinuum: boolean
  /** Greatest difference of two velocities of one row of contact [m/s]; 0 where there are none. */
  readonly apart: number
  /** What tells the sets from each other: "contact 0: stick, slip at 0°". */
  readonly words: string
}

/** Counts over the searched steps, by the problem of the island with the most rows. Structured-cloneable. */
export interface AnswersFound {
  readonly searched: number
  readonly one: number
  readonly several: number
  readonly continuum: number
  readonly none: number
  /** Left open at the limit of programs, or of a law that has no faces. */
  readonly open: number
  /** Of those with one velocity: steps whose impulses are not unique. */
  readonly indeterminate: number
  readonly events: readonly AnswersEvent[]
  /** Of the first event: the world behind that step by each of its answers; of a continuum by its two ends. */
  readonly forks: readonly Checkpoint[]
}

/** Events that are listed, and linear programs of one search. */
const MOST_EVENTS = 100
const MOST_PROGRAMS = { pyramid: 20_000, cone: 4000 }

/** Watches one world: call `before` and `after` around each of its steps. */
export class AnswersWatch {
  readonly #world: World
  readonly #choice: AnswersChoice
  readonly #counts = { searched: 0, one: 0, several: 0, continuum: 0, none: 0, open: 0, indeterminate: 0 }
  readonly #events: AnswersEvent[] = []
  readonly #before: Float64Array
  #forks: Checkpoint[] = []

  constructor(world: World, choice: AnswersChoice) {
    this.#world = world
    this.#choice = choice
    this.#before = world.state.q.slice()
  }

  before(): void {
    this.#before.set(this.#world.state.q)
  }

  after(): void {
    const { contactModel, stepCount, state } = this.#world
    if (stepCount % this.#choice.every !== 0) return
    const problem = contactModel.problem?.()
    if (problem === undefined) return
    const counts = this.#counts
    counts.searched++
    if (whyNotFaces(problem) !== undefined) {
      counts.open++
      return
    }
    const answers = answersOf(problem, MOST_PROGRAMS[problem.law === 'cone' ? 'cone' : 'pyramid'])
    const { sets, complete } = answers
    const isContinuum = sets.some(
      ({ velocityDimension, isVerified }) => velocityDimension > 0 && (problem.law !== 'cone' || !isVerified),
    )
    if (!complete) counts.open++
    else if (sets.length === 0) counts.none++
    else if (sets.length > 1) counts.several++
    else if (isContinuum) counts.continuum++
    else {
      counts.one++
      if (sets[0].impulseDimension > 0) counts.indeterminate++
    }
    if (!complete || (sets.length === 1 && !isContinuum)) return
    const t = state.t[0]
    if (this.#events.length < MOST_EVENTS)
      this.#events.push({ t, count: sets.length, isContinuum, apart: apartOf(answers), words: differenceOf(answers) })
    if (this.#choice.fork && this.#forks.length === 0) this.#forks = this.#forksOf(new ContactSystem(problem), answers)
  }

  found(): AnswersFound {
    return { ...this.#counts, events: this.#events, forks: this.#forks }
  }

  /** The world behind this step, by each answer: velocities of what is in contact, and the configurations that they lead to. */
  #forksOf(system: ContactSystem, { sets, faces }: Answers): Checkpoint[] {
    const { model, state, dt } = this.#world
    const point = this.#world.checkpoint()
    return impulsesOf(faces, sets).map((p) => {
      const answer = system.velocity(p)
      const v = state.v.map((own, i) => (system.moves(i) ? answer[i] : own))
      const q = new Float64Array(state.q.length)
      integrateConfiguration(model, this.#before, v, dt, q)
      return { ...point, q, v }
    })
  }
}

/** Impulses of each set, and of a continuum of its two ends. */
const impulsesOf = (faces: FaceProblem, sets: Answers['sets']): Float64Array[] =>
  sets.flatMap((set) => (set.velocityDimension > 0 ? answerEnds(faces, set) : [set.p]))

function apartOf({ sets }: Answers): number {
  const rows = sets[0]?.velocity.min.length ?? 0
  const apart = Array.from({ length: rows }, (_, r) => {
    const [low, high] = [sets.map(({ velocity }) => velocity.min[r]), sets.map(({ velocity }) => velocity.max[r])]
    return Math.max(...high) - Math.min(...low)
  })
  return apart.reduce((most, x) => (x > most ? x : most), 0)
}

/** Modes that differ between sets; of one set those that it has several of. */
function differenceOf({ sets }: Answers): string {
  const modes = sets.map(modesOf)
  if (modes.length === 0) return 'none: every mode is excluded'
  const parts = modes[0].flatMap((_, g) => {
    const own = [...new Set(modes.map((one) => one[g]))]
    return own.length > 1 || own[0].includes(' or ') ? [`contact ${g}: ${own.join(', ')}`] : []
  })
  return parts.slice(0, 4).join('; ') || 'a continuum of velocities within the same modes'
}

/** The counts in one line. */
export function answersWords({ searched, one, several, continuum, none, open, events }: Omit<AnswersFound, 'forks'>): string {
  const parts = [
    `${one} with one velocity`,
    ...(several > 0 ? [`${several} with several`] : []),
    ...(continuum > 0 ? [`${continuum} with a continuum`] : []),
    ...(none > 0 ? [`${none} with none`] : []),
    ...(open > 0 ? [`${open} not searched to the end`] : []),
  ]
  const [first] = events
  const at =
    first === undefined ? '' : `; first at ${significant(first.t, 6)} s: ${first.words}, ${significant(first.apart, 3)} m/s apart`
  return `of ${searched} steps ${parts.join(', ')}${at}`
}
