/** A row of the benchmark's table: a scene under one column at one step, all its cases. */
import { parseScene, type Scene } from './scene.ts'
import { type Trial, trialOf } from './trial.ts'

export interface RowJob {
  /** Text and path of the scene's file. */
  readonly source: string
  readonly file: string
  readonly column: string
  /** [s] */
  readonly dt: number
}

const scenes = new Map<string, Promise<Scene>>()

/** The trials of all cases, in their order. */
export async function doRow({ source, file, column, dt }: RowJob): Promise<Trial[]> {
  const key = `${file}\n${source}`
  const reading = scenes.get(key) ?? parseScene(source, file)
  scenes.set(key, reading)
  const scene = await reading
  const trials: Trial[] = []
  for (let at = 0; at < scene.cases.length; at++) trials.push(await trialOf({ scene, at, column, dt }))
  return trials
}
