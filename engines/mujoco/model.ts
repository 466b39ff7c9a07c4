import loadMujoco, { type MainModule, type MjModel } from '@mujoco/mujoco'
import { JointType, type Model, quaternionOfRotation, transposed3 } from '../../dynamics/index.ts'

/*
 * A model of ours as MJCF, with every digit, and its coordinates in MuJoCo's.
 *
 * Joints of several coordinates become, in MuJoCo, a free joint where one may stand (a base in the world's axes), and
 * elsewhere slides along the joint's axes, followed by a ball or a hinge. Then
 *   q: MuJoCo's quaternions are w x y z
 *   v: the slides' velocities are in the joint's axes, ours in the body's; angular velocities are in the body's axes with both
 */

let loading: Promise<MainModule> | undefined

/** MuJoCo, loaded once. */
export function mujocoModule(): Promise<MainModule> {
  loading ??= loadMujoco()
  return loading
}

/** A `Model` inside MuJoCo. `delete()` it when done: its memory is not garbage-collected. */
export type Mujoco = Readonly<ReturnType<typeof mujocoFrom>>

/** The model in MuJoCo, by MJCF. */
export async function mujocoOf(model: Model, extras?: MjcfExtras): Promise<Mujoco> {
  return mujocoIn(await mujocoModule(), model, extras)
}

export function mujocoIn(mj: MainModule, model: Model, extras?: MjcfExtras): Mujoco {
  const mjModel = mj.MjModel.from_xml_string(mjcfOf(model, extras))
  return mujocoFrom(mj, mjModel, model, (i) => `j${i}`)
}

/** @param jointOf the joint under one of our bodies, by name or number */
export function mujocoFrom(mj: MainModule, mjModel: MjModel, model: Model, jointOf: (body: number) => string | number) {
  const data = new mj.MjData(mjModel)
  const qposStart = new Int32Array(model.nb).fill(-1)
  const dofStart = new Int32Array(model.nb).fill(-1)
  const qposadr = mjModel.jnt_qposadr
  const dofadr = mjModel.jnt_dofadr
  for (let i = 1; i < model.nb; i++) {
    if (model.jointType[i] === JointType.fixed) continue
    const joint = jointOf(i)
    const id = typeof joint === 'number' ? joint : mj.mj_name2id(mjModel, mj.mjtObj.mjOBJ_JOINT.value, joint)
    if (id < 0 && typeof joint === 'string') throw new Error(`MuJoCo has no joint "${joint}" ("${model.jointName[i]}")`)
    if (id < 0) continue
    qposStart[i] = qposadr[id]
    dofStart[i] = dofadr[id]
  }
  return {
    mj,
    model: mjModel,
    data,
    /** nb: MuJoCo's first qpos and first dof of the joint under each of our bodies; -1 for a fixed one. */
    qposStart,
    dofStart,
    delete() {
      data.delete()
      mjModel.delete()
    },
  }
}

/** Additions of a scene to the bare mechanism, as MJCF. */
export interface MjcfExtras {
  /** Attributes of <option> besides gravity, and of its <flag>. */
  readonly option: string
  readonly flags: string
  /** Content of <asset>. */
  readonly assets?: string
  /** Geoms of the world, and of each body. */
  readonly world: string
  geoms(body: number): string
  /** In place of the model's own inertia of a body, and attributes of its <body>. */
  inertial?(body: number): string | undefined
  attributes?(body: number): string
  /** What stands behind <worldbody>, such as <contact> and <equality>. */
  readonly behind?: string
}

const rigidBodyOnly: MjcfExtras = {
  option: '',
  flags: 'constraint="disable" contact="disable" spring="disable" damper="disable" autoreset="disable"',
  world: '',
  geoms: () => '',
}

/**
 * MJCF of the bodies and joints. Without extras it is rigid-body physics only: no damping, no friction, no limits, no
 * contacts; with extras joints carry their damping, dry friction and limits. Joints that follow others are left to
 * themselves but for what the extras say (`followers`), and armature stands at the joint followed.
 */
export function mjcfOf(model: Model, extras: MjcfExtras = rigidBodyOnly): string {
  const children: number[][] = Array.from({ length: model.nb }, () => [])
  for (let i = 1; i < model.nb; i++) children[model.parent[i]].push(i)

  const bodyOf = (i: number): string => {
    const X = model.XT[i]
    const q = new Float64Array(4)
    quaternionOfRotation(q, 0, transposed3(X))
    return [
      `<body name="b${i}" pos="${X[9]} ${X[10]} ${X[11]}" quat="${q[3]} ${q[0]} ${q[1]} ${q[2]}" ${extras.attributes?.(i) ?? ''}>`,
      extras.inertial?.(i) ?? inertialOf(model.I[i]),
      jointsOf(model, i, extras !== rigidBodyOnly),
      extras.geoms(i),
      ...children[i].map(bodyOf),
      '</body>',
    ].join('')
  }

  const [, , , gx, gy, gz] = model.gravity
  return `<mujoco><compiler angle="radian" inertiafromgeom="false"/>
    <option gravity="${gx} ${gy} ${gz}" ${extras.option}><flag ${extras.flags}/></option>
    <asset>${extras.assets ?? ''}</asset><worldbody>${extras.world}${children[0].map(bodyOf).join('')}</worldbody>${extras.behind ?? ''}</mujoco>`
}

/** Joints that follow others, as equalities of <equality>. */
export function followers({ follows, multiplier, offset }: Model): string {
  return [...follows]
    .map((lead, i) =>
      lead < 0 ? '' : `<joint joint1="j${i}" joint2="j${lead}" polycoef="${offset[i]} ${multiplier[i]} 0 0 0"/>`,
    )
    .join('')
}

function inertialOf([m, hx, hy, hz, xx, yy, zz, xy, xz, yz]: Float64Array): string {
  if (m === 0) return ''
  const x = hx / m
  const y = hy / m
  const z = hz / m
  const c = [
    xx - m * (y * y + z * z),
    yy - m * (x * x + z * z),
    zz - m * (x * x + y * y),
    xy + m * x * y,
    xz + m * x * z,
    yz + m * y * z,
  ]
  return `<inertial pos="${x} ${y} ${z}" mass="${m}" fullinertia="${c.join(' ')}"/>`
}

function jointsOf(model: Model, i: number, passive: boolean): string {
  const type = model.jointType[i]
  if (type === JointType.fixed) return ''
  if (isFree(model, i)) return `<freejoint name="j${i}"/>`
  if (type !== JointType.revolute && type !== JointType.prismatic) {
    return partsOf(model, i)
      .map(({ kind, axis }, n) => `<joint name="j${i}${n === 0 ? '' : `/${n}`}" type="${kind}" axis="${axis.join(' ')}"/>`)
      .join('')
  }
  const axis = model.jointAxis.slice(3 * i, 3 * i + 3).join(' ')
  const kind = type === JointType.revolute ? 'hinge' : 'slide'
  if (model.follows[i] >= 0) return `<joint name="j${i}" type="${kind}" axis="${axis}"/>`
  const k = model.vStart[i]
  const limited = passive && Number.isFinite(model.lower[k]) && Number.isFinite(model.upper[k])
  const limits = limited ? `limited="true" range="${model.lower[k]} ${model.upper[k]}"` : ''
  const springs = `stiffness="${model.stiffness[k]}" springref="${model.springReference[k]}"`
  const losses = passive ? `damping="${model.damping[k]}" frictionloss="${model.friction[k]}" ${springs}` : ''
  return `<joint name="j${i}" type="${kind}" axis="${axis}" armature="${model.armature[k]}" ${losses} ${limits}/>`
}

/** Whether MuJoCo's free joint serves, whose coordinates are in the world's axes. */
export function isFree({ jointType, parent, XT }: Model, i: number): boolean {
  return jointType[i] === JointType.floating && parent[i] === 0 && XT[i].every((x, k) => x === (k < 9 && k % 4 === 0 ? 1 : 0))
}

/** One of the joints that stand for one of several coordinates. */
export type Part = { readonly kind: 'slide' | 'hinge' | 'ball'; readonly axis: readonly number[] }

export function partsOf({ jointType, jointAxis, planeAxis }: Model, i: number): Part[] {
  const slide = (...axis: number[]): Part => ({ kind: 'slide', axis })
  const ball: Part = { kind: 'ball', axis: [0, 0, 1] }
  switch (jointType[i]) {
    case JointType.floating:
      return [slide(1, 0, 0), slide(0, 1, 0), slide(0, 0, 1), ball]
    case JointType.spherical:
      return [ball]
    case JointType.planar: {
      const [nx, ny, nz] = jointAxis.slice(3 * i, 3 * i + 3)
      const [x, y, z] = planeAxis.slice(3 * i, 3 * i + 3)
      return [slide(x, y, z), slide(ny * z - nz * y, nz * x - nx * z, nx * y - ny * x), { kind: 'hinge', axis: [nx, ny, nz] }]
    }
    default:
      throw new Error(`joint type ${jointType[i]} has one part`)
  }
}
