/*
 * npm run bench -- 'contact solvers'
 *
 * Problems of 4 to 200 contacts with friction, solved by every solver that answers them, beside our own projected Gauss-Seidel
 * (`contact-pgs`) under the same law. Both are to reach a residual of 1e-8 by `contactResidual`, which knows neither of them; rows say
 * what they reached. Cold is from nothing, warm from the solver's own answer to the step before. Solvers that do not get there are named and have
 * no row; where contact-pgs does not, its time is that of giving up, and the ratio is at least what is printed. When contact-pgs got to
 * 1e-3, with which many are content, stands beside it.
 *
 *   stack   a quarter as many boxes, on top of each other, a little askew: all stick, and all hang together
 *   walker  one robot, a trunk on a quarter as many legs of two joints, four points on each foot, that slides to a halt
 *   heap    boxes and balls in a bin, 0.4 s after they fell into it: some roll, some slide, some are wedged. Its contacts are as many as
 *           there happen to be, about the number in its name; rows say how many
 *
 * Each is two steps in a row of a seeded run, with the same contacts: W = J M⁻¹ Jᵀ + softness as the velocity-level models have it, and
 * the free velocities plus gap / dt of open contacts. Penetrations are held, not removed.
 *
 * Times are least processor times of the process: the machine may be shared. Sweeps are limited to what takes about a tenth of a second.
 * Another solver that would take more than `CAP` at the next size, to go by the third power of the contacts, is not asked there, nor one
 * that had no answer at two sizes in a row. All of it takes about five minutes.
 */

import { fileURLToPath } from 'node:url'
import { ContactRows } from '../../contact/constraints/index.ts'
import {
  type ContactProblem,
  ContactProjectedGaussSeidel,
  type ContactSolver,
  complementaritySolvers,
  contactResidual,
  type FrictionLaw,
  GroupKind,
  NewtonSolver,
  PyramidSolver,
  pyramidSides,
  UNKNOWN_MODE,
} from '../../contact/index.ts'
import { crbaOnBranches, createData, createState, factorize, kinematics, rnea, solve } from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'
import { makeWorld } from '../../test/contact/laws/scenes.ts'
import { clock } from '../clock.ts'
import { inItsOwnProcess, type Row, rowOf } from '../measure.ts'
import { heap, stack, walker } from './contactScenes.ts'

const TOLERANCE = 1e-8
/** What many users of projected Gauss-Seidel are content with. */
const LOOSE = 1e-3
const SIDES = 4
/** Longest single solve that is worth waiting for [µs]. */
const CAP = 1.5e6
/** Sweeps times the square of the rows. */
const SWEPT = 1e8
const dt = 1e-3
/** As the velocity-level models take it: softness of a normal times the mass of the heaviest body or robot; tangents have a tenth. */
const COMPLIANCE = 1e-5

const counts = [4, 8, 16, 32, 64, 128, 200] as const
const laws: readonly FrictionLaw[] = ['pyramid', 'cone', 'associated']
const starts = ['cold', 'warm'] as const

/** Solvers that are made for the law. Those of symmetric complementarity problems alone are not made for pyramids. */
function solversOf(law: FrictionLaw): Record<string, (rows: number) => ContactSolver> {
  const common = {
    newton: () => new NewtonSolver(law, SIDES, TOLERANCE),
    'contact-pgs-anderson': (rows: number) =>
      new ContactProjectedGaussSeidel({
        law,
        sides: SIDES,
        tolerance: TOLERANCE,
        limit: sweepLimit(rows),
        acceleration: 'anderson',
      }),
  }
  if (law !== 'pyramid') return common
  const sides = pyramidSides(SIDES)
  const general = ['lemke', 'murty', 'lmmcp', 'path-following'] as const
  return {
    ...common,
    ...Object.fromEntries(general.map((name) => [name, () => new PyramidSolver(complementaritySolvers[name](), sides)])),
  }
}

const sweepLimit = (rows: number) => Math.min(10_000, 4 * Math.ceil(SWEPT / (4 * rows * rows)))

const rowName = (scene: string, count: number, law: string, solver: string, start: string) =>
  `contact solvers ${scene} ${count} ${law} ${solver} ${start}`
export const contactSolverRowNames: readonly string[] = ['stack', 'walker', 'heap'].flatMap((scene) =>
  counts.flatMap((count) =>
    laws.flatMap((law) =>
      Object.keys(solversOf(law)).flatMap((solver) => starts.map((start) => rowName(scene, count, law, solver, start))),
    ),
  ),
)

/** The same in one line. */
export const contactSolverRowPattern = `contact solvers SCENE COUNT LAW SOLVER START: stack, walker or heap; ${counts.join(', ')}; ${laws.join(', ')}; ${starts.join(' or ')}`

type Message = { readonly row: Row } | { readonly note: string }

/** The rows whose names contain `wanted`, from a process of their own; `tell` receives solvers without a row. */
export async function contactSolverRows(wanted: string, take: (row: Row) => void, tell: (note: string) => void): Promise<void> {
  const each = (message: Message) => ('row' in message ? take(message.row) : tell(message.note))
  await inItsOwnProcess(new URL(import.meta.url), ['rows', wanted], each, 'contact solvers')
}

// problems

const scenes: Readonly<Record<string, (count: number) => readonly ContactProblem[]>> = {
  stack: (count) => twoSteps(makeWorld({ ...stack(count / 4), model: 'stewart-trinkle' }), 20),
  walker: (count) => twoSteps(makeWorld({ ...walker(count / 4), model: 'stewart-trinkle' }), 5),
  heap: (count) => twoSteps(makeWorld({ ...heap(Math.ceil(count / 3)), model: 'penalty' }), 400),
}

/** The problems of two steps in a row with the same contacts, the first after so many steps or later. */
function twoSteps(world: World, steps: number): ContactProblem[] {
  for (let k = 0; k < steps; k++) world.step()
  let before = stepProblem(world)
  for (let k = 0; k < 200; k++) {
    const after = stepProblem(world)
    if (before.contacts !== '' && after.contacts === before.contacts) return [before.problem, after.problem]
    before = after
  }
  throw new Error('no two steps in a row of this scene have the same contacts; take another seed')
}

/** Takes a step, and makes the problem of it: of the contacts that it found, at the state that it found them in. */
function stepProblem(world: World): { contacts: string; problem: ContactProblem } {
  const { model, contacts, tau } = world
  const state = createState(model)
  state.q.set(world.state.q)
  state.v.set(world.state.v)
  world.step()
  const data = createData(model)
  kinematics(model, state, data)
  const keys = Array.from({ length: contacts.count }, (_, i) => `${contacts.pair[i]}/${contacts.feature[i]}`)
  const n = 3 * contacts.count
  const damping = model.damping.map((d) => dt * d)
  // v + (M + h D)⁻¹ h (tau - c - D v)
  const rhs = new Float64Array(n)
  const vFree = new Float64Array(model.nv)
  rnea(model, state, new Float64Array(model.nv), data, vFree)
  for (let k = 0; k < model.nv; k++) vFree[k] = dt * (tau[k] - vFree[k]) - damping[k] * state.v[k]
  crbaOnBranches(model, data)
  for (let k = 0; k < model.nv; k++) data.M[k * model.nv + k] += damping[k]
  factorize(model, data.M, data.L)
  solve(model, data.L, vFree)
  for (let k = 0; k < model.nv; k++) vFree[k] += state.v[k]
  const J = new ContactRows(model)
  J.build(data, contacts)
  J.velocity(rhs, vFree, contacts.count)
  const W = new Float64Array(n * n)
  for (let r = 0; r < n; r++) {
    const dv = Float64Array.from(J.denseRow(Math.floor(r / 3), r % 3))
    solve(model, data.L, dv)
    J.velocity(W.subarray(r * n, (r + 1) * n), dv, contacts.count)
  }
  let heaviest = 0
  for (let i = 1; i < model.nb; i++) if (model.parent[i] === 0) heaviest = Math.max(heaviest, massOn(world, i))
  for (let i = 0; i < contacts.count; i++) {
    for (let r = 3 * i; r < 3 * i + 3; r++) W[r * n + r] += ((r === 3 * i ? 1 : 0.1) * COMPLIANCE) / heaviest
    rhs[3 * i] += Math.max(0, contacts.gap[i]) / dt
  }
  return {
    contacts: keys.join(' '),
    problem: {
      rowCount: n,
      W,
      rhs,
      groupCount: contacts.count,
      first: Int32Array.from({ length: contacts.count + 1 }, (_, i) => 3 * i),
      kind: new Uint8Array(contacts.count).fill(GroupKind.frictional),
      limit: contacts.mu.slice(0, contacts.count),
    },
  }
}

function massOn({ model: { nb, parent, I } }: World, root: number): number {
  const hangs = new Uint8Array(nb)
  let sum = 0
  for (let i = root; i < nb; i++) {
    if (i !== root && hangs[parent[i]] === 0) continue
    hangs[i] = 1
    sum += I[i][0]
  }
  return sum
}

// timing

interface Outcome {
  readonly status: string
  readonly residual: number
  readonly iterations: number
  readonly time: number
  readonly p: Float64Array
  readonly mode: Int8Array
}

const isThere = ({ status, residual }: Outcome) => status === 'solved' && residual <= TOLERANCE

/** @param first impulses and modes to start from; undefined: from nothing */
function outcomeOf(solver: ContactSolver, problem: ContactProblem, first: Outcome | undefined): Outcome {
  const p = new Float64Array(problem.rowCount)
  const mode = new Int8Array(problem.groupCount)
  const solve = () => {
    if (first === undefined) {
      p.fill(0)
      mode.fill(UNKNOWN_MODE)
    } else {
      p.set(first.p)
      mode.set(first.mode)
    }
    return solver.solve(problem, p, mode)
  }
  const begin = clock()
  const status = solve()
  let time = clock() - begin
  const calls = Math.max(1, Math.ceil(500 / Math.max(time, 1)))
  for (const end = clock() + 40e3; time < 20e3 && clock() < end; ) {
    const from = clock()
    for (let k = 0; k < calls; k++) solve()
    time = Math.min(time, (clock() - from) / calls)
  }
  const residual = new Float64Array(1)
  contactResidual(problem, solver.law, SIDES, p, new Float64Array(problem.rowCount), residual)
  return { status, residual: residual[0], iterations: solver.iterations, time, p, mode }
}

function sendRows(wanted: string): void {
  const patience = new Patience()
  for (const [scene, make] of Object.entries(scenes)) {
    for (const count of counts) {
      const isWanted = (law: string, solver: string) =>
        starts.some((start) => rowName(scene, count, law, solver, start).includes(wanted))
      const names = laws.flatMap((law) => Object.keys(solversOf(law)).map((solver) => [law, solver] as const))
      if (!names.some(([law, solver]) => isWanted(law, solver))) continue
      const problems = make(count)
      for (const law of laws) {
        const asked = Object.entries(solversOf(law)).filter(([solver]) => isWanted(law, solver))
        if (asked.length > 0) sendLaw({ scene, count, law, problems, asked, wanted, patience })
      }
    }
  }
}

/** Which solvers have become too slow, or have given up: each is asked at one size after the other. */
class Patience {
  private readonly last = new Map<string, { contacts: number; time: number; failures: number }>()

  /** Words for why not to ask, undefined if there is no reason. */
  reason(key: string, contacts: number): string | undefined {
    const last = this.last.get(key)
    if (last === undefined) return undefined
    if (last.failures > 1) return `not asked: it had no answer twice, up to ${last.contacts} contacts`
    const expected = last.time * (contacts / last.contacts) ** 3
    if (expected <= CAP) return undefined
    return `not asked: ${(last.time / 1e3).toFixed(0)} ms for ${last.contacts} contacts let expect some ${Math.ceil(expected / 1e6)} s`
  }

  note(key: string, contacts: number, time: number, answered: boolean): void {
    const before = this.last.get(key)?.failures ?? 0
    this.last.set(key, { contacts, time, failures: answered ? 0 : before + 1 })
  }
}

/** Those whose time the number of sweeps limits: they are always asked. */
const sweeps = (solver: string) => solver.startsWith('contact-')

interface Asked {
  readonly scene: string
  readonly count: number
  readonly law: FrictionLaw
  /** Of one step and of the next. */
  readonly problems: readonly ContactProblem[]
  readonly asked: readonly (readonly [string, (rows: number) => ContactSolver])[]
  readonly wanted: string
  readonly patience: Patience
}

function sendLaw({ scene, count, law, problems: [before, after], asked, wanted, patience }: Asked): void {
  const send = (message: Message) => process.send?.(message)
  const { rowCount, groupCount } = after
  const peers = peersOf(law, before, after)
  for (const [name, create] of asked) {
    const key = `${scene} ${law} ${name}`
    const reason = sweeps(name) ? undefined : patience.reason(key, groupCount)
    if (reason !== undefined) {
      send({ note: `${rowName(scene, count, law, name, '')}${reason}` })
      continue
    }
    const solver = create(rowCount)
    const known = outcomeOf(solver, before, undefined)
    let quickest = known.time
    let answered = false
    for (const start of starts) {
      const row = rowName(scene, count, law, name, start)
      if (!row.includes(wanted)) continue
      const peer = peers[start]
      const ours = outcomeOf(solver, after, start === 'cold' ? undefined : known)
      quickest = Math.min(quickest, ours.time)
      answered ||= isThere(ours)
      if (isThere(ours)) send({ row: rowOf(row, ours.time, 'contact-pgs', peer.tight.time, compared(groupCount, ours, peer)) })
      else send({ note: `${row}: no answer, "${ours.status}" at ${reached(ours)}, ${(ours.time / 1e3).toFixed(1)} ms` })
    }
    patience.note(key, groupCount, quickest, answered)
  }
}

/** One solver's answers at two tolerances. */
interface Peer {
  readonly tight: Outcome
  readonly loose: Outcome
}

function peersOf(law: FrictionLaw, before: ContactProblem, after: ContactProblem): Record<(typeof starts)[number], Peer> {
  const limit = sweepLimit(after.rowCount)
  const [tight, loose] = [TOLERANCE, LOOSE].map((tolerance) => {
    const pgs = new ContactProjectedGaussSeidel({ law, sides: SIDES, tolerance, limit })
    const known = outcomeOf(pgs, before, undefined)
    return { cold: outcomeOf(pgs, after, undefined), warm: outcomeOf(pgs, after, known) }
  })
  return { cold: { tight: tight.cold, loose: loose.cold }, warm: { tight: tight.warm, loose: loose.warm } }
}

const reached = ({ residual, iterations }: Outcome) =>
  `${residual.toExponential(1)} after ${iterations.toLocaleString('en')} iterations`

function compared(contacts: number, ours: Outcome, { tight, loose }: Peer): string {
  const against = isThere(tight) ? reached(tight) : `no answer, ${reached(tight)}`
  const sooner = loose.residual <= LOOSE ? `1e-3 in ${loose.time.toPrecision(3)} µs` : 'nor 1e-3'
  return `${contacts} contacts, residual ${reached(ours)} against ${against} (${sooner})`
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'rows') sendRows(process.argv[3])
