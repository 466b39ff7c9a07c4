import type { Robot } from '../../robots/index.ts'

/** Offsets of the numbers of a tick in the arrays into and out of the sandbox. The time is the first. */
export interface Box {
  readonly q: number
  readonly v: number
  readonly contactForces: number
  readonly joints: number
  readonly base: number
  readonly command: number
  readonly efforts: number
  readonly length: number
}

export function boxOf({ model, joints: { length: n } }: Robot): Box {
  const q = 1
  const v = q + model.nq
  const contactForces = v + model.nv
  const joints = contactForces + 6 * model.nb
  const base = joints + n
  const command = base + 3
  const efforts = command + 2
  return { q, v, contactForces, joints, base, command, efforts, length: efforts + n }
}
