import type { Robot } from '../../robots/index.ts'
import type { Controller } from '../controller.ts'

/** Offsets of the numbers of a tick in the arrays into and out of the sandbox. The time is the first. */
export interface Box {
  readonly q: number
  readonly v: number
  readonly contactForces: number
  readonly joints: number
  readonly base: number
  readonly command: number
  readonly mocap: number
  /** One a loop that is on at times only. */
  readonly loops: number
  /** All numbers of sensors, in their order. */
  readonly sensors: number
  /** The answer: efforts, or with `output: 'ctrl'` the inputs of the file's actuators. */
  readonly answer: number
  readonly length: number
}

/** @param answers how many numbers `update` returns @param switched number of loops that are on at times only */
export function boxOf(
  { model, joints: { length: n }, mocaps = [] }: Robot,
  answers: number,
  shown: readonly Float64Array[],
  switched: number,
): Box {
  const q = 1
  const v = q + model.nq
  const contactForces = v + model.nv
  const joints = contactForces + 6 * model.nb
  const base = joints + n
  const command = base + 3
  const mocap = command + 2
  const loops = mocap + 7 * mocaps.length
  const sensors = loops + switched
  const answer = shown.reduce((sum, { length }) => sum + length, sensors)
  return { q, v, contactForces, joints, base, command, mocap, loops, sensors, answer, length: answer + answers }
}

/** How many numbers a controller's `update` returns. */
export const answersOf = ({ joints, controls = [] }: Robot, output: Controller['output']): number =>
  output === 'ctrl' ? controls.length : joints.length
