/** An outside engine in the place of a contact model: it takes the world's steps, under the world's controllers. */
import type { ContactModel, ContactStep, CreateContactModel } from '../contact/index.ts'
import type { State } from '../dynamics/index.ts'
import { type PrescribedMotion, SimulationError, type World } from '../simulation/index.ts'
import { adapterNamed } from './adapters.ts'
import { type Engine, type EngineAdapter, type EngineScene, UnsupportedScene } from './engine.ts'

/** The name of an engine's column where the engine reads the robot's file itself. */
export const byFile = (name: string): string => `${name}${BY_FILE}`
const BY_FILE = ', by its own reader'

/** The model of a column, for the robot's file. @throws UnsupportedScene if no installed engine has it */
export async function outsideModel(column: string, file: string): Promise<OutsideModel> {
  const ownReader = column.endsWith(BY_FILE)
  const adapter = await adapterNamed(ownReader ? column.slice(0, -BY_FILE.length) : column)
  if (adapter === undefined) throw new UnsupportedScene(`there is neither a model nor an installed engine "${column}"`)
  return new OutsideModel({ ...adapter, name: column }, await adapter.load(), ownReader ? file : undefined)
}

/** `attach` it to its world. */
export class OutsideModel {
  readonly create: CreateContactModel
  /** Computing time of the last step [s]. */
  seconds = 0
  engine: Engine | undefined
  private readonly make: (scene: EngineScene) => Engine
  private readonly file: string | undefined
  private world: World | undefined
  /** Features of the scene that the engine leaves out; `attach` fills it. */
  private readonly lacks: string[] = []
  /** Indices in q and v of what moves by itself, and the numbers as it left them. */
  private own: Indices = { q: [], v: [] }
  private left: Pick<State, 'q' | 'v'> = { q: new Float64Array(0), v: new Float64Array(0) }

  /** @param file of the robot, to be read by the engine itself */
  constructor({ name, packageName, version, settings }: EngineAdapter, make: (scene: EngineScene) => Engine, file?: string) {
    this.make = make
    this.file = file
    const used = [
      { name: 'version', value: `${packageName} ${version}`, unit: '', meaning: 'of the engine' },
      { name: 'settings', value: settings, unit: '', meaning: 'of the engine' },
    ]
    this.create = ({ dt }): ContactModel => ({
      name,
      level: 'velocity',
      lookAhead: 0,
      reading: 'manifold',
      memorySize: 0,
      parameters: {
        used: [...used, { name: 'timestep', value: dt, unit: 's', meaning: 'of the run' }],
        derived: [],
        unused: this.lacks,
      },
      solvers: [],
      isOutside: true,
      advance: (step) => this.advance(step),
    })
  }

  /**
   * Makes the scene of a world at its start.
   *
   * @param inputs of the file's actuators, which a controller writes; without them its efforts are applied
   * @throws UnsupportedScene
   */
  attach(world: World, motions: readonly (PrescribedMotion | undefined)[], inputs?: Float64Array): void {
    this.engine?.delete()
    this.world = world
    const { file } = this
    const rounded = world.touching.placed.find(({ shape }) => shape.type === 'box' && shape.rounding)
    if (rounded !== undefined) throw new UnsupportedScene(`boxes with rounding, as "${rounded.name}" has it`)
    this.engine = this.make({ world, motions, ...(file !== undefined && { file, inputs }) })
    this.lacks.splice(0, Number.POSITIVE_INFINITY, ...this.engine.lacks)
    this.own = ownIndices(world, motions)
    this.left = { q: world.state.q.slice(), v: world.state.v.slice() }
  }

  delete(): void {
    this.engine?.delete()
    this.engine = undefined
  }

  private advance({ state, tau }: ContactStep): void {
    const engine = this.engine!
    const { own, left } = this
    const isMoved = own.q.some((k) => state.q[k] !== left.q[k]) || own.v.some((k) => state.v[k] !== left.v[k])
    if (isMoved) {
      if (engine.write === undefined) throw new RangeError(`${this.world?.contactModel.name} goes on from its own state alone`)
      engine.write(state)
    }
    try {
      const start = performance.now()
      engine.step(tau)
      this.seconds = engine.seconds ?? 1e-3 * (performance.now() - start)
      engine.read(state)
    } catch (error) {
      const { stepCount } = this.world!
      throw new SimulationError((error as Error).message.split('\n')[0], stepCount, state.t[0], '', error as Error)
    }
    this.keep(state)
  }

  private keep({ q, v }: State): void {
    this.left.q.set(q)
    this.left.v.set(v)
  }
}

interface Indices {
  readonly q: readonly number[]
  readonly v: readonly number[]
}

function ownIndices({ model, robots }: World, motions: EngineScene['motions']): Indices {
  const given = new Set(robots.flatMap(({ start }, i) => (motions[i] === undefined ? [] : [start.body + 1])))
  const bodies = Array.from({ length: model.nb }, (_, i) => i).filter((i) => !given.has(i))
  const of = (starts: Int32Array) =>
    bodies.flatMap((i) => Array.from({ length: starts[i + 1] - starts[i] }, (_, k) => starts[i] + k))
  return { q: of(model.qStart), v: of(model.vStart) }
}
