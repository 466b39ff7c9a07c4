import {
  type BodyFrame,
  crba,
  createState,
  type Data,
  type Fluid,
  factorize,
  JointType,
  kinematics,
  type LengthConstraint,
  type LengthPart,
  type Model,
  solve,
  type Tendon,
  TendonLengths,
} from '../../dynamics/index.ts'
import type { JointDescription, PartDescription, RobotDescription, SeatDescription } from '../description.ts'
import type { Group } from './groups.ts'
import { zeroPose } from './home.ts'
import { compose, placeOf, poseOfOrigin, quaternionOf } from './pose.ts'

/** From names of links and joints to bodies. */
export class BodyFrames {
  private readonly links: ReadonlyMap<string, readonly [number, Parameters<typeof compose>[0]]>
  private readonly joints: ReadonlyMap<string, number>

  constructor(groups: readonly Group[]) {
    this.links = new Map(
      groups.flatMap(({ links }, body) => links.map(({ link, pose }) => [link.name, [body, pose] as const] as const)),
    )
    this.joints = new Map(groups.flatMap(({ joint }, body) => (joint ? [[joint.name, body] as const] : [])))
  }

  /** The frame of a seat; of an unknown link, such as the world, at body 0. */
  frame({ link, origin }: SeatDescription): BodyFrame {
    const [body, pose] = this.links.get(link) ?? [0, undefined]
    const own = poseOfOrigin(origin)
    const { R, p } = pose ? compose(pose, own) : own
    return { body, point: [p[0], p[1], p[2]], rotation: [...R] }
  }

  parts(parts: readonly PartDescription[]): LengthPart[] {
    return parts.map(({ joint, at, other, ...own }) => ({
      ...own,
      ...(joint !== undefined && { body: this.joints.get(joint) ?? 0 }),
      ...(at && this.frame(at)),
      ...(other && { [others[own.type as keyof typeof others]]: this.frame(other) }),
    })) as LengthPart[]
  }
}

const others = { wrap: 'side', offset: 'from', crank: 'pin' } as const

/** The tendons, the constraints of lengths and the medium of a file. */
export function compileElements(
  { tendons, lengths, fluid }: RobotDescription,
  model: Model,
  groups: readonly Group[],
  floats: boolean,
  data: Data,
): Partial<Pick<Model, 'tendons' | 'lengths' | 'fluid' | 'stiffness' | 'damping'>> {
  const frames = new BodyFrames(groups)
  const own = tendons
    ? compileTendons(
        tendons,
        model,
        frames,
        () => referencePose(model, groups, floats, ({ springReference = 0 }) => springReference),
        data,
      )
    : []
  const tuned = tuneSprings(model, groups, floats, data)
  const all = [...own, ...tuned.tendons]
  const constrained = [
    ...conesOf(groups),
    ...(lengths ? compileLengths(lengths, model, frames, referencePose(model, groups, floats), data) : []),
  ]
  return {
    ...tuned.losses,
    ...(all.length > 0 && { tendons: all }),
    ...(constrained.length > 0 && { lengths: constrained }),
    ...(fluid && {
      fluid: { ...fluid, parts: fluid.parts.map(({ at, ...own }) => ({ ...own, ...frames.frame(at) })) } satisfies Fluid,
    }),
  }
}

function compileTendons(
  tendons: NonNullable<RobotDescription['tendons']>,
  model: Model,
  frames: BodyFrames,
  restPose: () => Float64Array,
  data: Data,
): Tendon[] {
  const parts = tendons.map((own) => frames.parts(own.parts))
  let rest: Float64Array | undefined
  const restLength = (t: number): number => {
    if (rest === undefined) {
      const q = restPose()
      kinematics(model, { ...createState(model), q }, data)
      const lengths = new TendonLengths(
        model,
        parts.map((own) => ({ parts: own })),
      )
      lengths.evaluate(q, data)
      rest = lengths.length
    }
    return rest[t]
  }
  return tendons.map(({ place: _, armature: __, free, ...own }, t): Tendon => {
    const at = free ?? [restLength(t), restLength(t)]
    return { ...own, parts: parts[t], free: [at[0], at[1]] }
  })
}

/** Largest angles of spherical joints. */
const conesOf = (groups: readonly Group[]): LengthConstraint[] =>
  groups.flatMap(({ joint }, body) => {
    if (joint?.type !== 'spherical' || joint.upper === Infinity) return []
    const { name, upper, softness } = joint
    const parts = [{ type: 'turn', body, reference: [0, 0, 0, 1] }] as const
    return [{ name, kind: 'limit', parts, upper, ...(softness?.limit && { softness: softness.limit }) }]
  })

/** Constraints of lengths that something moves; references of couplings are lengths at q. */
function compileLengths(
  lengths: NonNullable<RobotDescription['lengths']>,
  model: Model,
  frames: BodyFrames,
  q: Float64Array,
  data: Data,
): LengthConstraint[] {
  kinematics(model, { ...createState(model), q }, data)
  return lengths.flatMap(({ place: _, parts, other, ...own }) => {
    const both = [parts, other ?? []].map((side) => ({ parts: frames.parts(side) }))
    const at = new TendonLengths(model, both)
    at.evaluate(q, data)
    if (at.velocities.every(({ length }) => length === 0)) return []
    const references = own.kind === 'coupling' && { references: [at.length[0], at.length[1]] as const }
    return [{ ...own, parts: both[0].parts, ...(other && { other: both[1].parts }), ...references }]
  })
}

/** The reference configuration of a file, whatever the limits of its joints; with `at`, joints of one coordinate are there. */
function referencePose(
  model: Model,
  groups: readonly Group[],
  floats: boolean,
  at?: (joint: JointDescription) => number,
): Float64Array {
  const initial = groups.map(({ joint, pose }) => (joint?.mocap ? placeOf(pose) : joint?.initial))
  if (floats) initial[1] = undefined
  const q = zeroPose(model, floats ? groups[1].pose : undefined, initial)
  groups.forEach(({ joint }, body) => {
    const k = model.qStart[body]
    if ((joint?.type === 'revolute' || joint?.type === 'prismatic') && k < model.qStart[body + 1])
      q[k] = at?.(joint) ?? joint.initial?.[0] ?? 0
  })
  return q
}

/**
 * Springs and dampers of `springDamper`: with a time constant T, a ratio r and I = 1 over the mean of (M^-1)_jj of the joint's velocities in the
 * reference configuration, k = I / (T r)^2 and d = 2 I / T. Of joints of several coordinates the spring is a tendon.
 */
function tuneSprings(model: Model, groups: readonly Group[], floats: boolean, data: Data) {
  const tendons: Tendon[] = []
  const stated = groups.flatMap(({ joint, type }, body) =>
    joint?.springDamper ? [{ joint, type, body, own: joint.springDamper }] : [],
  )
  if (stated.length === 0) return { tendons, losses: {} }
  const mobility = new Mobility(model, referencePose(model, groups, floats), data)
  const [stiffness, damping] = [model.stiffness.slice(), model.damping.slice()]
  for (const { joint, type, body, own } of stated) {
    const [time, ratio] = own
    const [first, end] = [model.vStart[body], model.vStart[body + 1]]
    if (first === end) continue
    let sum = 0
    for (let k = first; k < end; k++) sum += mobility.of(Int32Array.of(k), Float64Array.of(1))[0]
    const inertia = (end - first) / sum
    const k = inertia / (time * time * ratio * ratio)
    damping.fill((2 * inertia) / time, first, end)
    if (end - first === 1) stiffness[first] = k
    else {
      const spring = { stiffness: [k, 0, 0], damping: [0, 0, 0], free: [0, 0] } as const
      const pose = groups[body].pose
      const isFree = type === JointType.floating
      const [x, y, z, w] = isFree ? quaternionOf(pose.R) : [0, 0, 0, 1]
      tendons.push({ name: joint.name, parts: [{ type: 'turn', body, reference: [x, y, z, w] }], ...spring })
      const [px, py, pz] = pose.p
      const path = [
        { type: 'site', body: 0, point: [px, py, pz] },
        { type: 'site', body, point: [0, 0, 0] },
      ] as const
      if (isFree) tendons.push({ name: `${joint.name} along`, parts: path, ...spring })
    }
  }
  return { tendons, losses: { stiffness, damping } }
}

/** J M^-1 J^T of rows J, and the size of M^-1 J^T, in a configuration in which M is factored at the first call. */
export class Mobility {
  private readonly model: Model
  private readonly q: Float64Array
  private readonly data: Data
  private isFactored = false

  constructor(model: Model, q: Float64Array, data: Data) {
    this.model = model
    this.q = q
    this.data = data
  }

  of(velocities: Int32Array, J: Float64Array): readonly [mobility: number, acceleration: number] {
    const { model, q, data } = this
    if (!this.isFactored) {
      kinematics(model, { ...createState(model), q }, data)
      crba(model, data)
      factorize(model, data.M, data.L)
    }
    this.isFactored = true
    const x = new Float64Array(model.nv)
    velocities.forEach((k, c) => {
      x[k] = J[c]
    })
    solve(model, data.L, x)
    const mobility = velocities.reduce((sum, k, c) => sum + J[c] * x[k], 0)
    return [mobility, Math.sqrt(x.reduce((sum, entry) => sum + entry * entry, 0))]
  }

  along(parts: readonly LengthPart[]): readonly [mobility: number, acceleration: number] {
    const lengths = new TendonLengths(this.model, [{ parts }])
    if (!this.isFactored) kinematics(this.model, { ...createState(this.model), q: this.q }, this.data)
    lengths.evaluate(this.q, this.data)
    return this.of(lengths.velocities[0], lengths.J[0])
  }
}
