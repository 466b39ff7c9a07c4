import { views } from './data.ts'
import { joints } from './joints.ts'
import { type BodyDefinition, JointType, type Model } from './model.ts'

/**
 * Makes a model of a list of bodies. The list starts with body 1; body 0, the world, is added. Bodies must be sorted so
 * that every parent stands before its children.
 *
 * @param gravity acceleration of free fall in world axes [m/s^2]
 * @throws RangeError that names the body, what was found and what was expected: parent not before the body, a number not
 *   finite, mass below 0, axis not of length 1, rotation not a rotation, lower limit above upper
 */
export function buildModel(
  name: string,
  bodies: readonly BodyDefinition[],
  gravity: readonly [number, number, number] = [0, 0, -9.81],
): Model {
  checkNumbers(`model "${name}": gravity`, gravity, 3)
  const nb = bodies.length + 1
  const parent = new Int32Array(nb)
  const jointType = new Uint8Array(nb)
  const jointAxis = new Float64Array(3 * nb)
  const qStart = new Int32Array(nb + 1)
  const vStart = new Int32Array(nb + 1)
  const XT = views(nb, 12)
  const I = views(nb, 10)
  parent[0] = -1
  jointType[0] = JointType.fixed
  setIdentity(XT[0])

  bodies.forEach((body, index) => {
    const i = index + 1
    checkBody(body, i)
    parent[i] = body.parent
    jointType[i] = body.jointType
    qStart[i + 1] = qStart[i] + joints[body.jointType].nq
    vStart[i + 1] = vStart[i] + joints[body.jointType].nv
    if (body.axis && needsAxis(body.jointType)) setUnit(jointAxis, 3 * i, body.axis)
    setTransform(XT[i], body)
    setInertia(I[i], body)
  })

  const nv = vStart[nb]
  const model = {
    name,
    nb,
    nq: qStart[nb],
    nv,
    parent,
    jointType,
    jointAxis,
    qStart,
    vStart,
    bodyOfV: new Int32Array(nv),
    vParent: new Int32Array(nv),
    XT,
    I,
    damping: new Float64Array(nv),
    friction: new Float64Array(nv),
    armature: new Float64Array(nv),
    lower: new Float64Array(nv).fill(Number.NEGATIVE_INFINITY),
    upper: new Float64Array(nv).fill(Number.POSITIVE_INFINITY),
    effortLimit: new Float64Array(nv).fill(Number.POSITIVE_INFINITY),
    velocityLimit: new Float64Array(nv).fill(Number.POSITIVE_INFINITY),
    bodyName: ['world', ...bodies.map((body) => body.name)],
    jointName: ['', ...bodies.map((body) => body.jointName)],
    gravity: Float64Array.of(0, 0, 0, ...gravity),
  } satisfies Model

  for (let i = 1; i < nb; i++) {
    const body = bodies[i - 1]
    for (let k = vStart[i]; k < vStart[i + 1]; k++) {
      model.bodyOfV[k] = i
      model.vParent[k] = k > vStart[i] ? k - 1 : lastVelocity(model, parent[i])
      model.damping[k] = body.damping ?? 0
      model.friction[k] = body.friction ?? 0
      model.armature[k] = body.armature ?? 0
      model.lower[k] = body.lower ?? Number.NEGATIVE_INFINITY
      model.upper[k] = body.upper ?? Number.POSITIVE_INFINITY
      model.effortLimit[k] = body.effortLimit ?? Number.POSITIVE_INFINITY
      model.velocityLimit[k] = body.velocityLimit ?? Number.POSITIVE_INFINITY
    }
  }
  return model
}

/** The last velocity that moves a body: its own joint's, or that of the nearest moving joint below it; -1 if none does. */
export function lastVelocity(model: Pick<Model, 'parent' | 'vStart'>, body: number): number {
  let i = body
  while (i > 0 && model.vStart[i + 1] === model.vStart[i]) i = model.parent[i]
  return i > 0 ? model.vStart[i + 1] - 1 : -1
}

function needsAxis(type: JointType): boolean {
  return type === JointType.revolute || type === JointType.prismatic
}

function checkBody(body: BodyDefinition, i: number): void {
  const where = `body ${i} "${body.name}" (joint "${body.jointName}")`
  if (!Number.isInteger(body.parent) || body.parent < 0 || body.parent >= i) {
    throw new RangeError(
      `${where}: parent is ${body.parent}; expected a whole number from 0 (the world) to ${i - 1}. List parents before their children.`,
    )
  }
  if (joints[body.jointType] === undefined) {
    throw new RangeError(`${where}: joint type is ${body.jointType}; expected a value of JointType, 0 to ${joints.length - 1}.`)
  }
  const { axis, rotation, position, centerOfMass } = body
  if (needsAxis(body.jointType)) {
    if (axis === undefined) throw new RangeError(`${where}: a ${joints[body.jointType].name} joint needs an axis; none is given.`)
    checkNumbers(`${where}: axis`, axis, 3)
    const length = Math.hypot(axis[0], axis[1], axis[2])
    if (Math.abs(length - 1) > 1e-9) {
      throw new RangeError(`${where}: axis [${axis}] has length ${length}; expected 1. Divide it by its length.`)
    }
  }
  if (rotation !== undefined) checkRotation(`${where}: rotation`, rotation)
  if (position !== undefined) checkNumbers(`${where}: position`, position, 3)
  if (centerOfMass !== undefined) checkNumbers(`${where}: centerOfMass`, centerOfMass, 3)
  checkNumbers(`${where}: inertia`, body.inertia, 6)
  checkAtLeastZero(`${where}: mass`, body.mass)
  if (!Number.isFinite(body.mass)) throw new RangeError(`${where}: mass is ${body.mass}; expected a finite number.`)
  for (const key of ['damping', 'friction', 'armature'] as const) {
    const value = body[key] ?? 0
    checkAtLeastZero(`${where}: ${key}`, value)
    if (!Number.isFinite(value)) throw new RangeError(`${where}: ${key} is ${value}; expected a finite number.`)
    if (value !== 0 && body.jointType === JointType.floating) {
      throw new RangeError(
        `${where}: ${key} is ${value}; a floating joint has no bearing and no rotor, so it must be 0 or absent.`,
      )
    }
  }
  checkAtLeastZero(`${where}: effortLimit`, body.effortLimit ?? 0)
  checkAtLeastZero(`${where}: velocityLimit`, body.velocityLimit ?? 0)
  const lower = body.lower ?? Number.NEGATIVE_INFINITY
  const upper = body.upper ?? Number.POSITIVE_INFINITY
  if (!(lower <= upper)) throw new RangeError(`${where}: lower limit ${lower} is not below the upper limit ${upper}.`)
  if (body.jointType === JointType.floating && (lower !== Number.NEGATIVE_INFINITY || upper !== Number.POSITIVE_INFINITY)) {
    throw new RangeError(`${where}: limits [${lower}, ${upper}] on a floating joint, which has none. Leave them out.`)
  }
}

function checkNumbers(what: string, numbers: ArrayLike<number>, length: number): void {
  if (numbers.length !== length) throw new RangeError(`${what} has ${numbers.length} entries; expected ${length}.`)
  for (let k = 0; k < length; k++) {
    if (!Number.isFinite(numbers[k])) throw new RangeError(`${what}[${k}] is ${numbers[k]}; expected a finite number.`)
  }
}

function checkAtLeastZero(what: string, value: number): void {
  if (!(value >= 0)) throw new RangeError(`${what} is ${value}; expected 0 or more.`)
}

function checkRotation(what: string, R: ArrayLike<number>): void {
  checkNumbers(what, R, 9)
  let error = 0
  for (let a = 0; a < 3; a++) {
    for (let b = 0; b < 3; b++) {
      const dot = R[3 * a] * R[3 * b] + R[3 * a + 1] * R[3 * b + 1] + R[3 * a + 2] * R[3 * b + 2]
      error = Math.max(error, Math.abs(dot - (a === b ? 1 : 0)))
    }
  }
  const det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) + R[2] * (R[3] * R[7] - R[4] * R[6])
  if (!(error < 1e-9 && det > 0)) {
    throw new RangeError(
      `${what} is no rotation: R R^T is off the identity by ${error}, determinant ${det}; expected orthonormal rows within 1e-9 and determinant 1.`,
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

/** [E, r]: `rotation` turns the joint's axes into the parent's, so E is its transpose. */
function setTransform(X: Float64Array, { rotation, position }: BodyDefinition): void {
  setIdentity(X)
  if (rotation) {
    for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) X[3 * a + b] = rotation[3 * b + a]
  }
  if (position) X.set(position, 9)
}

/** Moves the inertia from the centre of mass to the origin: Ibar = Ic + m (c.c 1 - c c^T) (Steiner). */
function setInertia(I: Float64Array, { mass, centerOfMass = [0, 0, 0], inertia }: BodyDefinition): void {
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
