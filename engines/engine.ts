/** Interface of an outside engine beside the contact models: see docs/phenomena.md, "Another engine". */
import type { State } from '../dynamics/index.ts'
import type { PrescribedMotion, World } from '../simulation/index.ts'

/** An engine, with settings that somebody recommends or that it comes with. */
export interface EngineAdapter {
  /** As a column has it: the engine's name, then its variant, such as `Rapier, iterated`. */
  readonly name: string
  /** The package that it needs, with its version, and a sentence on these settings and their source. */
  readonly packageName: string
  readonly version: string
  readonly settings: string
  /** Loads it. What it returns makes scenes, and throws UnsupportedScene for features that the engine cannot express. */
  load(): Promise<(scene: EngineScene) => Engine>
}

/** Input of an engine: everything stands in the world, at its start. The engine never steps it. */
export interface EngineScene {
  readonly world: World
  /** Per robot of the world: where it is at each time, if that is prescribed. */
  readonly motions: readonly (PrescribedMotion | undefined)[]
  /** The first robot's file: the engine's own reader makes the scene of it, not this world's description. */
  readonly file?: string
  /** Inputs of that file's actuators, where a controller writes these; else efforts act. */
  readonly inputs?: Float64Array
}

/** A scene inside an engine, advanced by the world's dt. */
export interface Engine {
  /** Features of the scene that the engine leaves out, a phrase each, such as `torsional friction`. */
  readonly lacks: readonly string[]
  /** Time of the last step within the engine, without the way to it [s]. Where it is not known, the caller's clock counts. */
  readonly seconds?: number
  /** @param tau nv of the world's model: efforts of motors and all else but joints' own, held over the step [N m, N] */
  step(tau: Float64Array): void
  /** Writes q and v, in the coordinates of the world's model. */
  read(state: State): void
  /** Goes on from another state. Where it is missing, from its own alone. */
  write?(state: State): void
  /** Contact points or manifolds of the last step, as the engine counts them; 0 where nothing touches. */
  contacts(): number
  delete(): void
}

/** The engine cannot run: the scene has features that it cannot express. */
export class UnsupportedScene extends Error {
  override name = 'UnsupportedScene'
}
