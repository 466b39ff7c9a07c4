/** Engines of Python: a process an engine and thread, which makes scene after scene. */
import { fileURLToPath } from 'node:url'
import { asset } from '../../assets.ts'
import { JOINT_STICK_SPEED, type Model, type State } from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'
import type { Engine, EngineAdapter, EngineScene } from '../engine.ts'
import { lacksOf } from '../lacks.ts'
import { type GivenBody, givenBodies } from '../prescribed.ts'
import { FramedProcess } from './framedProcess.ts'
import { installedVersion, type PythonEngine, type PythonProgram, packageOf, pythonOf } from './installation.ts'
import { type SurfaceRules, toOwnAxes, toWorldAxes, treeScene } from './tree.ts'

/** What the other end is asked, see featherbed_engine.py. */
const [BEGIN, STEP, WRITE, CONTACTS, SOLVE] = [0, 1, 2, 3, 4]

/** A column of an engine. */
export type Variant = readonly [
  name: string,
  settings: string,
  options?: Options | ((scene: EngineScene) => Options),
  rules?: SurfaceRules,
]
type Options = Readonly<Record<string, unknown>>

/** What efforts hold, and what surfacesBy states or the engine itself. */
const expressed = ['gravity compensation', 'restitution']

interface Begun {
  /** What joints and contacts have by themselves, in the words of lacks.ts; damping, friction and springs of joints are efforts otherwise. */
  readonly holds: readonly string[]
  readonly lacks: readonly string[]
  /** q and v as `TreeScene` has them. */
  readonly begins: readonly number[]
}

/** Adapters of an engine, in `engines/NAME/engine.py`, by what variants have in common and what is their own. */
export function pythonAdapters(engine: PythonEngine, surfaces: SurfaceRules, variants: readonly Variant[]): EngineAdapter[] {
  return variants.map(([name, settings, options = {}, rules = surfaces]) => ({
    name,
    packageName: packageOf(engine),
    version: installedVersion(engine) ?? '',
    settings,
    load: async () => (scene) => new PythonScene(scene, processOf(engine), options, rules),
  }))
}

/** The answer of `engines/NAME/solver.py`. @throws EngineProcessError */
export const askPython = <T>(program: PythonProgram, question: unknown): T =>
  processOf(program, 'solver').tell<T>(SOLVE, question)

const running = new Map<string, FramedProcess>()

/** The process of this thread, a new one where there is none or it has ended. */
function processOf(engine: PythonProgram, part: 'engine' | 'solver' = 'engine'): FramedProcess {
  const script = `${engine}/${part}.py`
  const before = running.get(script)
  if (before !== undefined && !before.isOver) return before
  const file = (path: string) => fileURLToPath(asset(`engines/${path}`))
  const one = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' }
  const env = { PYTHONPATH: file('python'), PYTHONDONTWRITEBYTECODE: '1', ...one }
  const made = new FramedProcess(engine, { command: [pythonOf(engine), file(script)], env })
  running.set(script, made)
  return made
}

class PythonScene implements Engine {
  readonly lacks: readonly string[]
  seconds = 0
  private readonly process: FramedProcess
  private readonly world: World
  private readonly given: readonly GivenBody[]
  private readonly holds: ReadonlySet<string>
  /** Efforts, then 13 a prescribed body: its pose, and angular and linear velocity over the step; then inputs of actuators. */
  private readonly question: Float64Array
  private readonly inputs: Float64Array
  /** Time of the step, q and v. */
  private readonly answer: Float64Array
  private readonly efforts: Float64Array
  private readonly own: Float64Array

  constructor(scene: EngineScene, process: FramedProcess, options: NonNullable<Variant[2]>, rules: SurfaceRules) {
    const { world, file, inputs = new Float64Array(0) } = scene
    const { model } = world
    this.process = process
    this.world = world
    this.given = givenBodies(scene)
    const own = typeof options === 'function' ? options(scene) : options
    const surfaces: string[] = []
    const told = { scene: treeScene(scene, rules, surfaces), options: { ...own, file, inputs: inputs.length } }
    const { holds, lacks, begins } = process.tell<Begun>(BEGIN, told)
    this.holds = new Set([...holds, ...expressed])
    this.lacks = [...new Set([...lacks, ...surfaces, ...lacksOf(world, this.holds)])]
    this.inputs = inputs
    this.question = new Float64Array(model.nv + 13 * this.given.length + inputs.length)
    this.answer = Float64Array.of(0, ...begins)
    this.efforts = new Float64Array(model.nv)
    this.own = new Float64Array(model.nv)
  }

  step(tau: Float64Array): void {
    const { given, world, question, efforts, own } = this
    const { model, state } = world
    efforts.set(tau)
    for (const { body } of given) efforts.fill(0, model.vStart[body], model.vStart[body + 1])
    addOwn(model, state, this.holds, efforts)
    toWorldAxes(model, state.q, efforts, own)
    question.set(own)
    given.forEach((one, k) => {
      one.next()
      question.set(one.pose, model.nv + 13 * k)
      question.set(one.velocity, model.nv + 13 * k + 7)
    })
    question.set(this.inputs, question.length - this.inputs.length)
    this.process.exchange(STEP, question, this.answer)
    this.seconds = this.answer[0]
  }

  read(state: State): void {
    const { model } = this.world
    state.q.set(this.answer.subarray(1, 1 + model.nq))
    toOwnAxes(model, state.q, this.answer.subarray(1 + model.nq), state.v)
    for (const one of this.given) one.write(state)
  }

  write({ q, v }: State): void {
    const { model } = this.world
    toWorldAxes(model, q, v, this.own)
    this.process.exchange(WRITE, Float64Array.of(...q, ...this.own), new Float64Array(0))
  }

  contacts(): number {
    const count = new Float64Array(1)
    this.process.exchange(CONTACTS, new Float64Array(0), count)
    return count[0]
  }

  /** Its process stays, for the next scene. */
  delete(): void {}
}

/** Efforts of joints' damping, friction and springs where the engine has none, at the start of the step. */
function addOwn(model: Model, { q, v }: State, holds: ReadonlySet<string>, out: Float64Array): void {
  const { damping, friction, stiffness, springReference, bodyOfV, qStart, vStart, nv } = model
  for (let k = 0; k < nv; k++) {
    if (!holds.has('damping')) out[k] -= damping[k] * v[k]
    if (!holds.has('friction')) out[k] -= (friction[k] * v[k]) / Math.max(Math.abs(v[k]), JOINT_STICK_SPEED)
    if (holds.has('springs') || stiffness[k] === 0) continue
    out[k] -= stiffness[k] * (q[qStart[bodyOfV[k]] + k - vStart[bodyOfV[k]]] - springReference[k])
  }
}
