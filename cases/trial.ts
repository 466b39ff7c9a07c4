/** One case of a scene under one column at one step: a contact model of ours, or an engine from outside. */

import { stepsOf } from '../compare/run/run.ts'
import { evaluatorOf, parseExpression, type Scenario, variablesOf } from '../compare/scenario/index.ts'
import { createWorld, prepare, type RobotCache, subjectsOf } from '../compare/scenario/world/files.ts'
import { contactModelNames, isEffective } from '../contact/index.ts'
import { type OutsideModel, outsideModel, UnsupportedScene } from '../engines/index.ts'
import type { World } from '../simulation/index.ts'
import { Quantities } from './quantities.ts'
import type { Measure, Reduction, Scene, SceneCase } from './scene.ts'

export interface TrialJob {
  readonly scene: Scene
  /** Index of its cases. */
  readonly at: number
  /** A contact model, or the name of an engine's adapter. */
  readonly column: string
  /** [s] */
  readonly dt: number
}

/** Its outcome. Structured-cloneable. */
export interface Trial {
  /**
   * `measured`; `failed`: it broke off, or a value is not finite; `blocked`: the engine has no word for something in the scene;
   * `inconclusive`: nothing ever touched.
   */
  readonly status: 'measured' | 'failed' | 'blocked' | 'inconclusive'
  /** Why it is not `measured`, or ''. */
  readonly why: string
  /** Of each measure; empty unless measured. */
  readonly values: readonly number[]
  /** The engine's omissions. */
  readonly lacks: readonly string[]
  /** Steps without a valid solution, and steps solved by a fallback. */
  readonly failures: number
  readonly fallbacks: number
  /** Most contact points in an inspected step. */
  readonly contacts: number
  /**
   * Median over parts of the run, the first left out, of computing time over simulated time; 0 where it was too short. Of an engine
   * from outside: its step, and the time to hand it efforts; to read its state into ours is not counted.
   */
  readonly cost: number
}

/** Sees the world at its start, when it is made, and after each step. */
export interface Watcher {
  after(): void
}
export type Watch = (world: World, steps: number) => Watcher

/** Files of robots that were read: many cases share one. */
const robots: RobotCache = new Map()

/** Parts of a run that are timed by themselves. */
const PARTS = 20

const nothing = { why: '', values: [], lacks: [], failures: 0, fallbacks: 0, contacts: 0, cost: 0 }

/** The trial of a job. Whatever goes wrong in the scene is its outcome. */
export async function trialOf({ scene, at, column, dt }: TrialJob, watch?: Watch): Promise<Trial> {
  const one = scene.cases[at]
  try {
    return await runTrial(scene, one, column, dt, watch)
  } catch (error) {
    if (error instanceof UnsupportedScene) return { ...nothing, status: 'blocked', why: error.message }
    return { ...nothing, status: 'failed', why: (error as Error).message.split('\n')[0] }
  }
}

/** The world of a scenario under a column, and the engine that takes its steps, if it is none of our models: `delete` it. */
export async function columnWorld(
  scenario: Scenario,
  column: string,
  dt: number,
): Promise<{ readonly world: World; readonly outside: OutsideModel | undefined }> {
  const { controllers, ...rest } = await prepare(scenario, subjectsOf(scenario)[0], robots)
  // one that does nothing needs no sensors either
  const isIdle = (i: number) => controllers[i]?.name === 'none' && !rest.members[i].robot.actuators
  const prepared = { ...rest, controllers: controllers.map((one, i) => (isIdle(i) ? undefined : one)) }
  const isOurs = (contactModelNames as readonly string[]).includes(column)
  const stated = scenario.models.find(({ name }) => name === column)
  const choice = stated ?? { name: column, options: {} }
  if (!isOurs && scenario.localLaws.some(isEffective)) throw new UnsupportedScene('laws of single contacts (localLaws)')
  const outside = isOurs ? undefined : await outsideModel(column, '')
  const { world } = createWorld(scenario, { ...prepared, outside }, choice as (typeof scenario.models)[number], dt)
  return { world, outside }
}

async function runTrial(
  scene: Scene,
  { scenario, measures }: SceneCase,
  column: string,
  dt: number,
  watch?: Watch,
): Promise<Trial> {
  const { world, outside } = await columnWorld(scenario, column, dt)
  const isOurs = outside === undefined
  const lacks = outside?.engine?.lacks ?? []
  const quantities = new Quantities(world)
  const takers = await Promise.all(measures.map((measure) => takerOf(measure, quantities, dt)))
  const steps = Math.max(stepsOf(scenario.duration, dt), ...takers.map(({ last }) => last))
  const part = Math.max(1, Math.floor(steps / PARTS))
  const times: number[] = []
  let contacts = 0
  let time = 0
  let failure = ''
  if (!isOurs && quantities.ofContacts) throw new UnsupportedScene('contact forces that are read')
  const look = (k: number) => {
    if (!takers.some((taker) => taker.wants(k))) return
    const values = quantities.at(world.state)
    for (const taker of takers) if (taker.wants(k)) taker.look(k, values)
  }
  look(0)
  const watcher = watch?.(world, steps)
  try {
    for (let k = 1; k <= steps; k++) {
      const start = performance.now()
      world.step()
      time += outside?.seconds ?? 1e-3 * (performance.now() - start)
      if (k % part === 0) {
        times.push(time / (part * dt))
        time = 0
      }
      // which of some engines takes time: at each step until there are any
      if (contacts === 0 || k % part === 0) contacts = Math.max(contacts, outside?.engine?.contacts() ?? world.contacts.count)
      look(k)
      watcher?.after()
      if (scene.search !== undefined && takers.every((taker) => taker.happened())) break
    }
  } catch (error) {
    failure = `at t = ${Number((world.stepCount * dt).toPrecision(4))} s: ${(error as Error).message.split('\n')[0]}`
  } finally {
    outside?.delete()
  }
  const { failures, fallbacks } = world.events
  const values = takers.map((taker) => taker.value())
  const cost = times.length > 1 ? times.slice(1).sort((a, b) => a - b)[Math.floor((times.length - 1) / 2)] : 0
  const counted = { lacks, failures, fallbacks, contacts, cost }
  if (failure !== '') return { status: 'failed', why: failure, values: [], ...counted }
  const lost = values.findIndex((value) => !Number.isFinite(value))
  if (lost >= 0 && !(measures[lost].take === 'when' && values[lost] === Infinity))
    return { status: 'failed', why: `"${measures[lost].name}" is ${values[lost]}`, values: [], ...counted }
  if (contacts === 0 && !scene.contactless) return { status: 'inconclusive', why: 'nothing ever touched', values, ...counted }
  return { status: 'measured', why: '', values, ...counted }
}

/** Takes a measure while the run goes on. */
interface Taker {
  /** The last step that it takes anything of. */
  readonly last: number
  /** Whether it takes anything at the end of step k. */
  wants(k: number): boolean
  /** At the end of step k. */
  look(k: number, values: Float64Array): void
  value(): number
  /** Whether the awaited event has happened. */
  happened(): boolean
}

async function takerOf({ of, take, from, to }: Measure, quantities: Quantities, dt: number): Promise<Taker> {
  const program = await parseExpression(of, quantities.names)
  quantities.want(variablesOf(program))
  const evaluate = evaluatorOf(program)
  // whole steps; the very end may lie between two
  const whole = Math.floor(to / dt + 1e-9)
  const rest = to / dt - whole > 1e-6 ? to / dt - whole : 0
  const [first, last] = [Math.round(from / dt), take !== 'at' ? Math.round(to / dt) : whole + (rest > 0 ? 1 : 0)]
  const isOfEnds = ['end', 'at', 'change', 'rate'].includes(take)
  let [begin, end, before, largest, least, sum, count, when] = [NaN, NaN, NaN, -Infinity, Infinity, 0, 0, Infinity]
  const crossings: number[] = []
  const results: Record<Reduction, () => number> = {
    end: () => end,
    at: () => (rest > 0 ? before + rest * (end - before) : end),
    change: () => end - begin,
    rate: () => (end - begin) / ((last - first) * dt),
    largest: () => largest,
    least: () => least,
    range: () => largest - least,
    mean: () => sum / count,
    integral: () => (sum - begin) * dt,
    when: () => when,
    period: () => ((crossings.at(-1) ?? NaN) - crossings[0]) / (crossings.length - 1),
  }
  return {
    wants: (k) => k >= first && k <= last && (!isOfEnds || k === first || k >= last - 1),
    look(k, values) {
      const value = evaluate(values)
      if (k === first) begin = value
      // between two steps the quantity is taken as linear
      if (value > 0 && !(end > 0)) {
        const time = k === first ? k * dt : (k - value / (value - end)) * dt
        when = Math.min(when, time)
        crossings.push(time)
      }
      before = end
      end = value
      largest = Math.max(largest, value)
      least = Math.min(least, value)
      sum += value
      count++
    },
    last,
    value: results[take],
    happened: () => when < Infinity,
  }
}
