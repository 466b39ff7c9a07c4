/** Interface of an outside engine beside the contact models: see docs/phenomena.md, "Another engine". */
import type { State } from '../dynamics/index.ts'
import type { PrescribedMotion, World } from '../simulation/index.ts'

/** An engine, with settings that somebody recommends or that it comes with. */
export interface EngineAdapter {
  /** As a column has it: the engine's name, then its variant, such as `Rapier, iterated`. */
  readonly name: string
  /** The npm package that it needs, and a sentence on these settings and their source. */
  readonly packageName: string
  readonly settings: string
  /** @throws UnsupportedScene for features that the engine cannot express */
  create(scene: EngineScene): Promise<Engine>
}

/** Input of an engine: everything stands in the world, at its start. The engine never steps it. */
export interface EngineScene {
  readonly world: World
  /** Per robot of the world: where it is at each time, if that is prescribed. */
  readonly motions: readonly (PrescribedMotion | undefined)[]
}

/** A scene inside an engine, advanced by the world's dt. */
export interface Engine {
  /** Features of the scene that the engine leaves out, a phrase each, such as `torsional friction`. */
  readonly lacks: readonly string[]
  /** @param tau nv of the world's model: efforts of joints, held over the step [N m, N] */
  step(tau: Float64Array): void
  /** Writes q and v, in the coordinates of the world's model. */
  read(state: State): void
  /** Contact points or manifolds of the last step, as the engine counts them; 0 where nothing touches. */
  contacts(): number
  delete(): void
}

/** The engine cannot run: the scene has features that it cannot express. */
export class UnsupportedScene extends Error {
  override name = 'UnsupportedScene'
}
