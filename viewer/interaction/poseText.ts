import { Euler, Quaternion } from 'three'
import type { Robot } from '../../robots/index.ts'

/** Roll, pitch and yaw about fixed axes, as in URDF [rad], of the quaternion (x, y, z, w) at q[3]. */
export function rpyOf(q: ArrayLike<number>): [number, number, number] {
  const { x, y, z } = new Euler().setFromQuaternion(new Quaternion(q[3], q[4], q[5], q[6]), 'ZYX')
  return [x, y, z]
}

/** Writes the quaternion of roll, pitch and yaw to q[3..6]. */
export function setRpy(q: Float64Array, [roll, pitch, yaw]: readonly number[]): void {
  const { x, y, z, w } = new Quaternion().setFromEuler(new Euler(roll, pitch, yaw, 'ZYX'))
  const norm = Math.hypot(x, y, z, w)
  q.set([x / norm, y / norm, z / norm, w / norm], 3)
}

/** Six digits, so that a pose reads well. */
const short = (x: number) => String(Number(x.toPrecision(6)) + 0)

/** A pose as a scenario's `start:`. */
export function poseAsYaml({ joints, floating }: Pick<Robot, 'joints' | 'floating'>, q: ArrayLike<number>): string {
  const list = (values: ArrayLike<number>) => `[${Array.from(values, short).join(', ')}]`
  const base = floating ? [`  position: ${list([q[0], q[1], q[2]])}`, `  rpy: ${list(rpyOf(q))}`] : []
  const positions = joints.map(({ name, qIndex }) => `    ${JSON.stringify(name)}: ${short(q[qIndex])}`)
  return [`start:`, ...base, ...(joints.length > 0 ? ['  joints:', ...positions] : []), ''].join('\n')
}

/** A pose as a `<group_state>` for an SRDF file, whose group is of all joints. */
export function poseAsSrdf({ joints, floating }: Pick<Robot, 'joints' | 'floating'>, q: ArrayLike<number>): string {
  const escaped = (name: string) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  const base = floating ? [`  <joint name="root_joint" value="${Array.from(q).slice(0, 7).join(' ')}"/>`] : []
  const states = joints.map(({ name, qIndex }) => `  <joint name="${escaped(name)}" value="${short(q[qIndex])}"/>`)
  return ['<group_state name="pose" group="all">', ...base, ...states, '</group_state>', ''].join('\n')
}
