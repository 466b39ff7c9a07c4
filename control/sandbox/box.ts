import type { Robot } from '../../robots/index.ts'
import type { Controller } from '../controller.ts'
import { channelsInto } from '../loop/logChannels.ts'
import { runningLinks } from '../loop/surfaceSpeeds.ts'

/** Offsets of the numbers of a tick in the arrays into and out of the sandbox. The time is the first. */
export interface Box {
  readonly q: number
  readonly v: number
  readonly contactForces: number
  readonly joints: number
  readonly base: number
  readonly command: number
  readonly mocap: number
  readonly surfaces: number
  /** One a channel of the log. */
  readonly log: number
  /** One a loop that is on at times only. */
  readonly loops: number
  /** All numbers of sensors, in their order. */
  readonly sensors: number
  /** The answer: efforts, or with `output: 'ctrl'` the inputs of the file's actuators. */
  readonly answer: number
  readonly length: number
}

/** @param answers how many numbers `update` returns @param switched number of loops that are on at times only @param logged number of channels */
export function boxOf(
  { model, joints: { length: n }, mocaps = [], shapes }: Robot,
  answers: number,
  shown: readonly Float64Array[],
  switched: number,
  logged: number,
): Box {
  const q = 1
  const v = q + model.nq
  const contactForces = v + model.nv
  const joints = contactForces + 6 * model.nb
  const base = joints + n
  const command = base + 3
  const loops = command + 2
  const mocap = loops + switched
  const surfaces = mocap + 7 * mocaps.length
  const log = surfaces + 3 * runningLinks({ shapes }).length
  const sensors = log + logged
  const answer = shown.reduce((sum, { length }) => sum + length, sensors)
  return { q, v, contactForces, joints, base, command, mocap, surfaces, log, loops, sensors, answer, length: answer + answers }
}

/** What a script in a sandbox may write beside its answer, in one array. */
export function writtenIn(at: Box, channels: readonly string[]) {
  const all = new Float64Array(at.sensors - at.mocap)
  const part = (from: number, to: number) => all.subarray(from - at.mocap, to - at.mocap)
  const handed = {
    mocap: part(at.mocap, at.surfaces),
    surfaces: part(at.surfaces, at.log),
    log: channelsInto(channels, part(at.log, at.sensors)),
  }
  return { all, handed }
}

/** How many numbers a controller's `update` returns. */
export const answersOf = ({ joints, controls = [] }: Robot, output: Controller['output']): number =>
  output === 'ctrl' ? controls.length : joints.length
