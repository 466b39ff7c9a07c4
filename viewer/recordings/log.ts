/** Logs of robots in ROS 2 beside simulated runs. */
import { JOINT_STATE, type LoggedState, readMcap, rosLogOf } from '../../compare/scenario/logs/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { RobotFiles } from '../robots/robotFiles.ts'
import type { RunSetup, Snapshot } from '../runs/protocol.ts'

export interface RobotLog {
  readonly name: string
  readonly states: readonly LoggedState[]
}

/** Time from one picture to the next [s], and how many are made at most. */
export const LOG_STEP = 5e-3
const MOST = 120_000

/** The log among dropped recordings; undefined where there is none. @throws ScenarioError for one that cannot be read */
export function logAmong({ recordings, all }: RobotFiles): RobotLog | undefined {
  for (const name of recordings) {
    const bytes = all.get(name) as Uint8Array
    if (isLog(name, bytes)) return { name: name.replace(/^.*\//, ''), states: rosLogOf(name, bytes) }
  }
  return undefined
}

function isLog(name: string, bytes: Uint8Array): boolean {
  try {
    const schemas = readMcap(name, bytes, () => false).channels.map(({ schema }) => schema.name)
    return schemas.includes(JOINT_STATE) && !schemas.includes('featherbed.State')
  } catch {
    return false // its reader tells
  }
}

const [x, none] = [Number.NaN, new Float32Array(0)]
const unknown = { penetration: x, force: x, energy: x, stepTime: x, contacts: none, mu: none, contactBodies: new Int32Array(0) }
const counts = { solverFailures: 0, fallbacks: 0, tunnelled: 0, hash: '', target: new Float64Array(0) }

/** A log as a recording of the robot, at home where nothing is logged; velocities, efforts and contacts are unknown. */
export function recordedOf({ states }: RobotLog, { home, joints, floating, model: { nv } }: Robot): RunSetup['recorded'] {
  const v = new Float64Array(nv).fill(x)
  const snapshots: Snapshot[] = []
  let q = Float64Array.from(home)
  let next = 0
  for (let step = 0; step < MOST && next < states.length; step++) {
    for (; next < states.length && states[next].t <= step * LOG_STEP + 1e-9; next++) {
      const { positions, base } = states[next]
      q = q.slice()
      for (const { name, qIndex } of joints) if (Object.hasOwn(positions, name)) q[qIndex] = positions[name]
      if (floating && base) q.set(base)
    }
    snapshots.push({ step, t: step * LOG_STEP, q, v, tau: v, ...unknown, ...counts })
  }
  return { snapshots, end: 'the log ends here' }
}
