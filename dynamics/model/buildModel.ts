import * as is from '../math/arguments.ts'
import { views } from './data.ts'
import { joints } from './joints.ts'
import { type BodyDefinition, type GravityCompensation, JointType, type Model } from './model.ts'

/**
 * Makes a model from a list of bodies, starting with body 1; body 0, the world, is added. Every parent must come before its children. The
 * physical validity of inertias is not checked.
 *
 * @param gravity acceleration of free fall in world axes [m/s^2]
 * @throws RangeError that names the body, the value found and the one expected: parent not before the body, a number not finite, mass,
 * damping, friction, armature or a limit of effort or speed below 0, axis missing or not of length 1, rotation not a rotation, lower limit
 * above upper; a joint of several velocities with limits or stiffness, or a planar one with damping, friction or armature; a joint that follows one that it cannot
 * (`BodyDefinition.follows`)
 */
export function buildModel(
  name: string,
  bodies: readonly BodyDefinition[],
  gravity: readonly [number, number, number] = [0, 0, -9.81],
): Model {
  is.check({ name, bodies, gravity }, modelKind, `model "${name}": `)
  const nb = bodies.length + 1
  const parent = new Int32Array(nb)
  const jointType = new Uint8Array(nb)
  const jointAxis = new Float64Array(3 * nb)
  const planeAxis = new Float64Array(3 * nb)
  const follows = new Int32Array(nb).fill(-1)
  const multiplier = new Float64Array(nb).fill(1)
  const offset = new Float64Array(nb)
  const qStart = new Int32Array(nb + 1)
  const vStart = new Int32Array(nb + 1)
  const sStart = new Int32Array(nb + 1)
  const XT = views(nb, 12)
  const I = views(nb, 10)
  parent[0] = -1
  jointType[0] = JointType.fixed
  setIdentity(XT[0])

  bodies.forEach((body, index) => {
    const i = index + 1
    checkBody(body, i)
    checkFollower(bodies, body, i)
    parent[i] = body.parent
    jointType[i] = body.jointType
    const { nq, nv } = joints[body.jointType]
    const follower = body.follows !== undefined
    qStart[i + 1] = qStart[i] + (follower ? 0 : nq)
    vStart[i + 1] = vStart[i] + (follower ? 0 : nv)
    sStart[i + 1] = sStart[i] + nv
    if (body.follows !== undefined) {
      follows[i] = body.follows
      multiplier[i] = body.multiplier ?? 1
      offset[i] = body.offset ?? 0
    }
    if (body.axis && needsAxis(body.jointType)) setUnit(jointAxis, 3 * i, body.axis)
    if (body.axis && body.jointType === JointType.planar) planeAxis.set(planeDirection(body.axis), 3 * i)
    setTransform(XT[i], body)
    setInertia(I[i], body)
  })

  const nv = vStart[nb]
  const motions = motionsOf(nb, parent, follows, vStart, sStart)
  const model = {
    name,
    nb,
    nq: qStart[nb],
    nv,
    ns: sStart[nb],
    parent,
    jointType,
    jointAxis,
    planeAxis,
    qStart,
    vStart,
    bodyOfV: new Int32Array(nv),
    ...motions,
    ...velocityTree(nb, nv, parent, sStart, motions),
    follows,
    multiplier,
    offset,
    sStart,
    XT,
    I,
    damping: new Float64Array(nv),
    ...polynomialsOf(bodies, motions.vOfS, sStart, multiplier, nv),
    friction: new Float64Array(nv),
    armature: new Float64Array(nv),
    stiffness: new Float64Array(nv),
    springReference: new Float64Array(nv),
    lower: new Float64Array(nv).fill(Number.NEGATIVE_INFINITY),
    upper: new Float64Array(nv).fill(Number.POSITIVE_INFINITY),
    effortLimit: new Float64Array(nv).fill(Number.POSITIVE_INFINITY),
    velocityLimit: new Float64Array(nv).fill(Number.POSITIVE_INFINITY),
    bodyName: ['world', ...bodies.map((body) => body.name)],
    jointName: ['', ...bodies.map((body) => body.jointName)],
    ...(bodies.some(({ compensation }) => compensation) && { compensation: compensationOf(bodies, vStart) }),
    gravity: Float64Array.of(0, 0, 0, ...gravity),
  } satisfies Model

  for (let i = 1; i < nb; i++) {
    const body = bodies[i - 1]
    for (let s = sStart[i]; s < sStart[i + 1]; s++) {
      // a follower acts on its driving joint with equal power at the speed m v: damping and armature times m^2, friction times |m|
      const k = motions.vOfS[s]
      const m = multiplier[i]
      model.damping[k] += m * m * (body.damping ?? 0)
      model.friction[k] += Math.abs(m) * (body.friction ?? 0)
      model.armature[k] += m * m * (body.armature ?? 0)
    }
    for (let k = vStart[i]; k < vStart[i + 1]; k++) {
      model.bodyOfV[k] = i
      model.lower[k] = body.lower ?? Number.NEGATIVE_INFINITY
      model.upper[k] = body.upper ?? Number.POSITIVE_INFINITY
      model.effortLimit[k] = body.effortLimit ?? Number.POSITIVE_INFINITY
      model.velocityLimit[k] = body.velocityLimit ?? Number.POSITIVE_INFINITY
      model.stiffness[k] = body.stiffness ?? 0
      model.springReference[k] = body.springReference ?? 0
    }
  }
  for (let i = 1; i < nb; i++) {
    // a follower's spring, k (m q + offset - rest)² / 2, is added to the driving joint's own
    const [{ stiffness = 0, springReference = 0 }, m] = [bodies[i - 1], multiplier[i]]
    if (follows[i] < 0 || stiffness === 0 || m === 0) continue
    const k = motions.vOfS[sStart[i]]
    const before = model.stiffness[k]
    model.stiffness[k] += m * m * stiffness
    const pull = before * model.springReference[k] + m * stiffness * (springReference - offset[i])
    model.springReference[k] = pull / model.stiffness[k]
  }
  return model
}

/** Of followers too, with equal power at the speed m v. */
function polynomialsOf(
  bodies: readonly BodyDefinition[],
  vOfS: Int32Array,
  sStart: Int32Array,
  multiplier: Float64Array,
  nv: number,
): Pick<Model, 'dampingPolynomial'> {
  if (!bodies.some(({ dampingPolynomial }) => dampingPolynomial)) return {}
  const dampingPolynomial = new Float64Array(2 * nv)
  bodies.forEach(({ dampingPolynomial: [second, third] = [0, 0] }, n) => {
    const m = Math.abs(multiplier[n + 1])
    for (let s = sStart[n + 1]; s < sStart[n + 2]; s++) {
      dampingPolynomial[2 * vOfS[s]] += m * m * m * second
      dampingPolynomial[2 * vOfS[s] + 1] += m * m * m * m * third
    }
  })
  return { dampingPolynomial }
}

function compensationOf(bodies: readonly BodyDefinition[], vStart: Int32Array): GravityCompensation {
  const nb = bodies.length + 1
  const moments = new Float64Array(4 * nb)
  const ranges = new Float64Array(2 * vStart[nb]).fill(Number.NaN)
  bodies.forEach(({ compensation, compensationRange }, k) => {
    if (compensation) moments.set(compensation, 4 * (k + 1))
    if (compensationRange && vStart[k + 2] > vStart[k + 1]) ranges.set(compensationRange, 2 * vStart[k + 1])
  })
  return { moments, ranges }
}

/**
 * Direction of a planar joint's x axis in its plane: x rotated by the shortest rotation from z to the normal; x itself for the normal -z.
 * Its y axis is normal x this.
 */
export function planeDirection([x, y, z]: readonly [number, number, number]): [number, number, number] {
  // Rodrigues about z x n = (-y, x, 0), cosine z: R = z 1 + [z x n]~ + (z x n)(z x n)^T / (1 + z), and of that the first column
  if (z < -1 + 1e-12) return [1, 0, 0]
  return [z + (y * y) / (1 + z), (-x * y) / (1 + z), -x]
}

interface Motions {
  readonly vOfS: Int32Array
  readonly sParent: Int32Array
  readonly sLast: Int32Array
}

/** The velocity that drives each joint motion, and the motions on the path to the root. */
function motionsOf(nb: number, parent: Int32Array, follows: Int32Array, vStart: Int32Array, sStart: Int32Array): Motions {
  const ns = sStart[nb]
  const vOfS = new Int32Array(ns)
  const sParent = new Int32Array(ns)
  const sLast = new Int32Array(nb).fill(-1)
  for (let i = 1; i < nb; i++) {
    sLast[i] = sLast[parent[i]]
    for (let s = sStart[i]; s < sStart[i + 1]; s++) {
      vOfS[s] = vStart[follows[i] < 0 ? i : follows[i]] + s - sStart[i]
      sParent[s] = sLast[i]
      sLast[i] = s
    }
  }
  return { vOfS, sParent, sLast }
}

/**
 * Sets the last velocity that moves each body, and the elimination tree of M for the factorisation from the last velocity to the first: the
 * parent of k is the largest velocity below k with an entry in row k of the factor (Liu, The role of elimination trees in sparse
 * factorization, SIAM J. Matrix Anal. Appl. 11(1), 1990). Two velocities have an entry in M if they move one body. In a tree without
 * followers the parent is the next velocity towards the root.
 */
function velocityTree(
  nb: number,
  nv: number,
  parent: Int32Array,
  sStart: Int32Array,
  { vOfS, sParent, sLast }: Motions,
): { vParent: Int32Array; vLast: Int32Array } {
  const vLast = new Int32Array(nb).fill(-1)
  const above: number[][] = Array.from({ length: nv }, () => []) // velocities after k with an entry in its row of M
  for (let i = 1; i < nb; i++) {
    const inherited = vLast[parent[i]]
    const own = Array.from(vOfS.subarray(sStart[i], sStart[i + 1]))
    // Own velocities after all those of the parent are the only new ones; without followers they always come later. A traversal to the root
    // for every body would take seconds for chains of thousands.
    const falling = own.length === 0 || own[0] > inherited ? [...own.reverse(), inherited] : fallingMovers(i)
    vLast[i] = falling[0]
    // all pairs have entries, but neighbours in elimination order suffice: the others follow from fill-in
    for (let m = 1; m < falling.length && falling[m] >= 0; m++) {
      const meets = above[falling[m]]
      if (meets.at(-1) !== falling[m - 1]) meets.push(falling[m - 1])
    }
  }

  function fallingMovers(i: number): number[] {
    const movers = new Set<number>()
    for (let s = sLast[i]; s >= 0; s = sParent[s]) movers.add(vOfS[s])
    return [...movers].sort((k, l) => l - k)
  }

  // Liu's algorithm in reverse order, with path compression towards the roots
  const vParent = new Int32Array(nv).fill(-1)
  const shortCut = new Int32Array(nv).fill(-1)
  for (let k = nv - 1; k >= 0; k--) {
    for (const start of above[k]) {
      let l = start
      while (l !== k) {
        const next = shortCut[l]
        shortCut[l] = k
        if (next < 0) {
          vParent[l] = k
          break
        }
        l = next
      }
    }
  }
  return { vParent, vLast }
}

function needsAxis(type: JointType): boolean {
  return type === JointType.revolute || type === JointType.prismatic || type === JointType.planar
}

type Called = { name: string; bodies: readonly BodyDefinition[]; gravity: readonly number[] }
const modelKind = is.fields<Called>({ name: is.text, bodies: is.list, gravity: is.numbers(3) }, {})
const [some, limit, bound] = [is.number(0), is.number(0, '', Infinity), is.number(-Infinity, '', Infinity)]
const named = { name: is.text, jointName: is.text, parent: is.whole(0), jointType: is.oneOf(...joints.keys()) }
const bodyKind = is.fields<BodyDefinition>(
  { ...named, mass: some, inertia: is.numbers(6) },
  {
    ...{ axis: is.numbers(3), rotation: is.rotation(1e-9), position: is.numbers(3), centerOfMass: is.numbers(3) },
    ...{ firstMoment: is.numbers(3), damping: some, dampingPolynomial: is.numbers(2), friction: some, armature: some },
    ...{ stiffness: some, springReference: is.finite, lower: bound, upper: bound },
    ...{ effortLimit: limit, velocityLimit: limit, compensation: is.numbers(4), compensationRange: is.array },
    ...{ follows: is.finite, multiplier: is.finite, offset: is.finite },
  },
)

function checkBody(body: BodyDefinition, i: number): void {
  const where = `body ${i} "${body?.name}" (joint "${body?.jointName}"): `
  is.check(body, bodyKind, where)
  const { jointType, axis, parent, centerOfMass, firstMoment, lower = -Infinity, upper = Infinity } = body
  const { name, nv } = joints[jointType]
  if (parent >= i)
    throw new RangeError(`${where}parent is ${parent}; expected 0 (the world) to ${i - 1}. List parents before their children.`)
  if (needsAxis(jointType)) {
    if (axis === undefined) throw new RangeError(`${where}a ${name} joint needs an axis; none is given.`)
    const length = Math.hypot(axis[0], axis[1], axis[2])
    if (Math.abs(length - 1) > 1e-9)
      throw new RangeError(`${where}axis [${axis}] has length ${length}; expected 1. Divide it by its length.`)
  }
  if (firstMoment !== undefined && centerOfMass !== undefined)
    throw new RangeError(`${where}centerOfMass and firstMoment say the same; give one of them.`)
  const isAlike = jointType === JointType.spherical || jointType === JointType.floating
  for (const key of ['damping', 'friction', 'armature', 'stiffness'] as const)
    if ((body[key] ?? 0) !== 0 && nv > 1 && (key === 'stiffness' || !isAlike))
      throw new RangeError(
        `${where}${key} is ${body[key]}; a ${name} joint has none of all its velocities alike, so it must be 0 or absent.`,
      )
  if (lower > upper) throw new RangeError(`${where}lower limit ${lower} is above the upper limit ${upper}.`)
  if (nv > 1 && (lower !== -Infinity || upper !== Infinity))
    throw new RangeError(`${where}limits [${lower}, ${upper}] on a ${name} joint, which has none. Leave them out.`)
}

function checkFollower(bodies: readonly BodyDefinition[], body: BodyDefinition, i: number): void {
  const { follows, jointType } = body
  if (follows === undefined) return
  const where = `body ${i} "${body.name}" (joint "${body.jointName}")`
  const master = bodies[follows - 1]
  if (master === undefined || follows === i) {
    throw new RangeError(`${where}: follows body ${follows}; expected the number of another body, 1 to ${bodies.length}.`)
  }
  for (const type of [jointType, master.jointType]) {
    if (type !== JointType.revolute && type !== JointType.prismatic) {
      throw new RangeError(
        `${where}: follows joint "${master.jointName}"; both have to be revolute or prismatic, found ${joints[type]?.name ?? type}.`,
      )
    }
  }
  if (master.follows !== undefined) {
    throw new RangeError(
      `${where}: follows joint "${master.jointName}", which follows one itself. Name the joint at the end of the chain, with the multipliers and offsets combined.`,
    )
  }
}

function setIdentity(X: Float64Array): void {
  X[0] = 1
  X[4] = 1
  X[8] = 1
}

function setUnit(out: Float64Array, k: number, axis: readonly [number, number, number]): void {
  const length = Math.hypot(axis[0], axis[1], axis[2])
  for (let j = 0; j < 3; j++) out[k + j] = axis[j] / length
}

/** [E, r]: `rotation` rotates the joint's axes into the parent's, so E is its transpose. */
function setTransform(X: Float64Array, { rotation, position }: BodyDefinition): void {
  setIdentity(X)
  if (rotation) {
    for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) X[3 * a + b] = rotation[3 * b + a]
  }
  if (position) X.set(position, 9)
}

/** Moves the inertia from the centre of mass to the origin: Ibar = Ic + m (c.c 1 - c c^T) (Steiner). */
function setInertia(I: Float64Array, { mass, centerOfMass = [0, 0, 0], inertia, firstMoment }: BodyDefinition): void {
  if (firstMoment) {
    I[0] = mass
    I.set(firstMoment, 1)
    I.set(inertia, 4)
    return
  }
  const [x, y, z] = centerOfMass
  const [xx, yy, zz, xy, xz, yz] = inertia
  I[0] = mass
  I[1] = mass * x
  I[2] = mass * y
  I[3] = mass * z
  I[4] = xx + mass * (y * y + z * z)
  I[5] = yy + mass * (x * x + z * z)
  I[6] = zz + mass * (x * x + y * y)
  I[7] = xy - mass * x * y
  I[8] = xz - mass * x * z
  I[9] = yz - mass * y * z
}
