import type { Robot } from '../../robots/index.ts'
import { forceOn } from '../overlays/contactForces.ts'
import { contactStride, type Snapshot } from '../runs/protocol.ts'

/** A quantity of a run that can be plotted over time. */
export interface Variable {
  /** Path-like, as `joint/elbow/velocity`; unique. */
  readonly name: string
  readonly unit: string
  /** NaN where there is none. */
  of(snapshot: Snapshot): number
}

/** All data of a robot's snapshots, joints in the order of the file. */
export function variablesOf({ joints, model, floating, shapes }: Robot): Variable[] {
  const list: Variable[] = [
    { name: 'energy/mechanical', unit: 'J', of: ({ energy }) => energy },
    { name: 'contact/force', unit: 'N', of: ({ force }) => force },
    { name: 'contact/penetration', unit: 'mm', of: ({ penetration }) => 1e3 * penetration },
    { name: 'contact/count', unit: '', of: found(({ contacts }) => contacts.length / contactStride) },
  ]
  if (floating) list.push(...baseVariables(joints.length))
  joints.forEach(({ name, type, qIndex, vIndex }, joint) => {
    const unit = type === 'prismatic' ? 'm' : 'rad'
    const of = (quantity: string, unit: string, read: Variable['of']) =>
      list.push({ name: `joint/${name}/${quantity}`, unit, of: read })
    of('position', unit, ({ q }) => q[qIndex])
    of('velocity', `${unit}/s`, ({ v }) => v[vIndex])
    of(
      'effort',
      type === 'prismatic' ? 'N' : 'N m',
      found(({ tau }) => tau[vIndex]),
    )
    of('target', unit, ({ target }) => target[joint] ?? Number.NaN)
    of('tracking error', unit, ({ q, target }) => q[qIndex] - (target[joint] ?? Number.NaN))
  })
  const touching = new Set(shapes.map(({ body }) => body).filter((body) => body > 0))
  for (const body of [...touching].sort((a, b) => a - b)) {
    const name = `link/${model.bodyName[body]}`
    list.push(
      { name: `${name}/contact force`, unit: 'N', of: found((snapshot) => Math.hypot(...forceOn(snapshot, body))) },
      { name: `${name}/contact force z`, unit: 'N', of: found((snapshot) => forceOn(snapshot, body)[2]) },
      { name: `${name}/penetration`, unit: 'mm', of: found((snapshot) => 1e3 * depthOf(snapshot, body)) },
    )
  }
  return list
}

/** A quantity that a step finds: there is none before the first step of a run, or of a fork. */
const found =
  (read: Variable['of']): Variable['of'] =>
  (snapshot) =>
    Number.isNaN(snapshot.force) ? Number.NaN : read(snapshot)

/** Of a floating base, in world axes but for its velocity, which is in its own: [angular; linear]. @param targets of joints, before its own */
function baseVariables(targets: number): Variable[] {
  const axes = ['x', 'y', 'z']
  const heading = ({ q: [, , , x, y, z, w] }: Snapshot) => Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
  return [
    ...axes.map((axis, k): Variable => ({ name: `base/position ${axis}`, unit: 'm', of: ({ q }) => q[k] })),
    {
      name: 'base/roll',
      unit: 'rad',
      of: ({ q: [, , , x, y, z, w] }) => Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    },
    {
      name: 'base/pitch',
      unit: 'rad',
      of: ({ q: [, , , x, y, z, w] }) => Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))),
    },
    { name: 'base/yaw', unit: 'rad', of: heading },
    ...axes.map((axis, k): Variable => ({ name: `base/angular velocity ${axis}`, unit: 'rad/s', of: ({ v }) => v[k] })),
    ...axes.map((axis, k): Variable => ({ name: `base/velocity ${axis}`, unit: 'm/s', of: ({ v }) => v[3 + k] })),
    {
      name: 'base/tracking error',
      unit: 'm',
      of: ({ q, target }) => Math.hypot(q[0] - (target[targets] ?? Number.NaN), q[1] - (target[targets + 1] ?? Number.NaN)),
    },
  ]
}

/** The deepest contact of a body, at the start of the step that ended here [m]; 0 where it touches nothing. */
function depthOf({ contacts, contactBodies }: Snapshot, body: number): number {
  let depth = 0
  for (let i = 0; i < contacts.length / contactStride; i++)
    if (contactBodies[2 * i] === body || contactBodies[2 * i + 1] === body)
      depth = Math.max(depth, -contacts[i * contactStride + 9])
  return depth
}
