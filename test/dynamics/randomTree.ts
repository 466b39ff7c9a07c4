import {
  type BodyDefinition,
  buildModel,
  createState,
  JointType,
  type Model,
  normalizeQuaternion,
  type Random,
  rotationOfQuaternion,
  type State,
} from '../../dynamics/index.ts'

export interface TreeOptions {
  readonly bodies: number
  /** Body 1 floats; the others hang on revolute, prismatic and now and then fixed joints. */
  readonly floating?: boolean
  /** Floating joints further out too, in frames that are turned and moved. */
  readonly floatingAnywhere?: boolean
  readonly armature?: boolean
}

type Triple = [number, number, number]

/** A tree with random shape, axes, frames and physical inertias (principal moments that some body has, turned at random). */
export function randomTree(random: Random, { bodies, floating, floatingAnywhere, armature }: TreeOptions): Model {
  const list: BodyDefinition[] = []
  for (let i = 1; i <= bodies; i++) {
    const roll = random.next()
    let jointType: JointType = roll < 0.65 ? JointType.revolute : roll < 0.95 ? JointType.prismatic : JointType.fixed
    if (floatingAnywhere && random.next() < 0.2) jointType = JointType.floating
    if (floating && i === 1) jointType = JointType.floating
    const base = floating && i === 1
    const free = jointType === JointType.floating
    const mass = random.between(0.1, 5)
    list.push({
      name: `body ${i}`,
      jointName: `joint ${i}`,
      // the nearest three bodies before it, so that chains grow long and branches occur
      parent: base ? 0 : Math.max(floating ? 1 : 0, i - 1 - random.index(3)),
      jointType,
      axis: randomUnit(random),
      rotation: base ? undefined : randomRotation(random),
      position: base ? undefined : randomTriple(random, 0.5),
      mass,
      centerOfMass: randomTriple(random, 0.2),
      inertia: randomInertia(random, mass),
      armature: armature && !free && random.next() < 0.5 ? random.between(0, 0.2) : undefined,
    })
  }
  return buildModel('random tree', list, randomTriple(random, 10))
}

/** A state with all of its numbers random, quaternions of length 1. */
export function randomState(random: Random, model: Model): State {
  const state = createState(model)
  for (let k = 0; k < model.nq; k++) state.q[k] = random.between(-2, 2)
  for (let i = 1; i < model.nb; i++) {
    if (model.jointType[i] === JointType.floating) normalizeQuaternion(state.q, model.qStart[i] + 3)
  }
  for (let k = 0; k < model.nv; k++) state.v[k] = random.between(-2, 2)
  return state
}

export function randomVector(random: Random, length: number, size = 1): Float64Array {
  return Float64Array.from({ length }, () => random.between(-size, size))
}

/** max |a - b| / max |b| */
export function relativeError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) throw new Error(`lengths ${a.length} and ${b.length} differ`)
  let error = 0
  let size = 0
  for (let k = 0; k < b.length; k++) {
    // not Math.max alone, which would let a NaN that comes first be forgotten
    if (!Number.isFinite(a[k]) || !Number.isFinite(b[k])) return Number.NaN
    error = Math.max(error, Math.abs(a[k] - b[k]))
    size = Math.max(size, Math.abs(b[k]))
  }
  return size === 0 ? error : error / size
}

export function randomTriple(random: Random, size: number): Triple {
  return [random.between(-size, size), random.between(-size, size), random.between(-size, size)]
}

export function randomUnit(random: Random): Triple {
  for (;;) {
    const [x, y, z] = randomTriple(random, 1)
    const length = Math.hypot(x, y, z)
    if (length > 0.1 && length < 1) return [x / length, y / length, z / length]
  }
}

export function randomRotation(random: Random): Float64Array {
  const q = randomVector(random, 4)
  const R = new Float64Array(9)
  rotationOfQuaternion(R, q, 0)
  return R
}

/** R diag(b + c, a + c, a + b) R^T with a, b, c > 0, which is what masses on three axes have. */
function randomInertia(random: Random, mass: number): [number, number, number, number, number, number] {
  const [a, b, c] = [0, 1, 2].map(() => mass * random.between(0.001, 0.02))
  const d = [b + c, a + c, a + b]
  const R = randomRotation(random)
  const entry = (r: number, s: number) =>
    R[3 * r] * d[0] * R[3 * s] + R[3 * r + 1] * d[1] * R[3 * s + 1] + R[3 * r + 2] * d[2] * R[3 * s + 2]
  return [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
}
