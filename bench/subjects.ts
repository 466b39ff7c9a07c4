import { join } from 'node:path'
import { contactModels } from '../contact/index.ts'
import { createRandom, type Model } from '../dynamics/index.ts'
import { isOwnRobot, loadOwnRobot, loadRobotFile } from '../robots/files.ts'
import type { Robot } from '../robots/index.ts'
import { randomChain } from '../test/dynamics/chains.ts'

const REAL_ROBOTS: Record<string, string> = {
  r1: 'r1/r1_description/R1.urdf',
  a1: 'a1/a1_description/urdf/a1.urdf',
  atlas: 'atlas/drake_models/atlas/atlas_minimal_contact.urdf',
}
const folder = process.env.FEATHERBED_ROBOTS

/** Subjects that are timed: our robots, chains of so many links, and real robots where there are any. */
export const subjects: readonly string[] = [
  'diffdrive',
  'humanoid',
  ...[8, 16, 32, 64].map((n) => `chain ${n}`),
  ...(folder === undefined ? [] : Object.keys(REAL_ROBOTS)),
]

const algorithms = ['rnea', 'crba', 'aba', 'factor+solve', 'rnea compiled', 'crba compiled', 'aba compiled']

export const stepRow = (subject: string, contactModel: string): string => `${subject} step ${contactModel}`

/** The names of a subject's rows. */
export function rowNames(subject: string): string[] {
  const steps = hasSteps(subject) ? Object.keys(contactModels).map((contactModel) => stepRow(subject, contactModel)) : []
  return [...algorithms.map((algorithm) => `${subject} ${algorithm}`), ...steps]
}

/** Robots that stand on the ground on shapes that MuJoCo has too. */
export const hasSteps = (subject: string): boolean => isOwnRobot(subject) || subject === 'atlas'

/** @throws Error if it is not one of `subjects`, or a chain */
export function robotOf(subject: string): Robot {
  if (isOwnRobot(subject)) return loadOwnRobot(subject)
  if (folder === undefined || !(subject in REAL_ROBOTS)) throw new Error(`"${subject}" is none of ${subjects.join(', ')}`)
  return loadRobotFile(join(folder, REAL_ROBOTS[subject]))
}

/** A chain's joints are revolute, about random axes at random places; it is fixed at one end. */
export function modelOf(subject: string): Model {
  const links = /^chain (\d+)$/.exec(subject)
  if (links !== null) return randomChain(createRandom(1), Number(links[1]), () => 1)
  return robotOf(subject).model
}
