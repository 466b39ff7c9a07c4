import {
  type BodyDefinition,
  buildModel,
  createRandom,
  createState,
  JointType,
  type Model,
  normalizeQuaternion,
  quaternionStart,
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
  /** Every joint type anywhere, some axes along coordinate axes, and now and then a tree of its own on the world. */
  readonly everyType?: boolean
  /** A quarter of the revolute and prismatic joints follow others, further in, further out, on other branches, in chains. */
  readonly followers?: boolean
  /** Some fixed bodies at the tips have no mass. */
  readonly masslessLeaves?: boolean
}

type Triple = [number, number, number]

/** A symbol, as `buildModel` refuses names of fields that it does not know. */
export const statedMimic = Symbol('mimic')

/** A body, and the joint that its own follows as a file would say it, before chains are resolved. */
export interface TreeBody extends BodyDefinition {
  readonly [statedMimic]?: { readonly body: number; readonly multiplier: number; readonly offset: number }
}

/** A tree with random shape, axes, frames and physical inertias (principal moments that some body has, turned at random). */
export function randomTree(random: Random, options: TreeOptions): Model {
  const bodies = randomBodies(random, options)
  return buildModel('random tree', bodies, randomTriple(random, 10))
}

/** A tree at a random state, with an acceleration and an effort to ask about. */
export interface Question {
  readonly model: Model
  readonly state: State
  readonly a: Float64Array
  readonly tau: Float64Array
}

/**
 * Trees of up to 60 bodies with every joint type: random shapes and axes, turned inertias, fixed and floating bases,
 * floating, planar and spherical joints inside, several trees, joints that follow others, rotors, tips without mass.
 */
export function* randomQuestions(count: number): Generator<Question> {
  const random = createRandom(20)
  for (let n = 0; n < count; ) {
    const bodies = randomBodies(random, { bodies: 2 + random.index(59), ...treeKind(n) })
    const model = buildModel('random tree', n % 4 === 0 ? aligned(createRandom(n), bodies) : bodies, randomTriple(random, 10))
    if (model.nv === 0) continue
    n++
    const state = randomState(random, model)
    yield { model, state, a: randomVector(random, model.nv, 5), tau: randomVector(random, model.nv, 5) }
  }
}

/** As in most robots' files: hinges along and against coordinate axes, most of their frames parallel to the parent's. */
const aligned = (random: Random, bodies: readonly TreeBody[]) =>
  bodies.map((body): TreeBody => {
    if (body.jointType !== JointType.revolute) return body
    return { ...body, axis: coordinateAxis(random), rotation: random.next() < 0.7 ? undefined : body.rotation }
  })

/** Everything that a tree may have, by turns. */
export function treeKind(n: number): Omit<TreeOptions, 'bodies'> {
  return { everyType: true, floating: n % 2 === 0, armature: n % 3 === 0, followers: n % 4 > 1, masslessLeaves: true }
}

/** The bodies of such a tree. */
export function randomBodies(random: Random, options: TreeOptions): TreeBody[] {
  const { bodies, floating, floatingAnywhere, armature, everyType, followers, masslessLeaves } = options
  const list: TreeBody[] = []
  for (let i = 1; i <= bodies; i++) {
    const roll = random.next()
    let jointType: JointType = roll < 0.65 ? JointType.revolute : roll < 0.95 ? JointType.prismatic : JointType.fixed
    if (everyType) jointType = typeOf(random.next())
    if (floatingAnywhere && random.next() < 0.2) jointType = JointType.floating
    if (floating && i === 1) jointType = JointType.floating
    const base = floating && i === 1
    const single = jointType !== JointType.floating && jointType !== JointType.planar && jointType !== JointType.spherical
    const mass = random.between(0.1, 5)
    // the nearest three bodies before it, so that chains grow long and branches occur
    let parent = base ? 0 : Math.max(floating ? 1 : 0, i - 1 - random.index(3))
    if (everyType && random.next() < 0.08) parent = 0
    list.push({
      name: `body ${i}`,
      jointName: `joint ${i}`,
      parent,
      jointType,
      axis: everyType && random.next() < 0.4 ? coordinateAxis(random) : randomUnit(random),
      rotation: base ? undefined : randomRotation(random),
      position: base ? undefined : randomTriple(random, 0.5),
      mass,
      centerOfMass: randomTriple(random, 0.2),
      inertia: randomInertia(random, mass),
      armature: armature && single && random.next() < 0.5 ? random.between(0, 0.2) : undefined,
    })
  }
  const parents = new Set(list.map(({ parent }) => parent))
  const light = list.map((body, index): TreeBody => {
    if (!masslessLeaves || body.jointType !== JointType.fixed || parents.has(index + 1)) return body
    return { ...body, mass: 0, centerOfMass: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0], armature: undefined }
  })
  return followers ? withFollowers(random, light) : light
}

function typeOf(roll: number): JointType {
  if (roll < 0.4) return JointType.revolute
  if (roll < 0.62) return JointType.prismatic
  if (roll < 0.72) return JointType.fixed
  if (roll < 0.8) return JointType.floating
  return roll < 0.9 ? JointType.planar : JointType.spherical
}

/** Lets some joints follow others, with the chains that arise resolved: at the end of each is a joint of its own. */
function withFollowers(random: Random, bodies: readonly TreeBody[]): TreeBody[] {
  const singles = bodies.flatMap(({ jointType }, index) =>
    jointType === JointType.revolute || jointType === JointType.prismatic ? [index + 1] : [],
  )
  const mimics = new Map<number, NonNullable<TreeBody[typeof statedMimic]>>()
  for (const i of singles) {
    if (random.next() > 0.25) continue
    const body = singles[random.index(singles.length)]
    const multiplier = random.between(0.3, 2) * (random.next() < 0.5 ? -1 : 1)
    const offset = random.between(-1, 1)
    let end = body
    while (end !== i && mimics.has(end)) end = mimics.get(end)?.body as number
    if (end !== i) mimics.set(i, { body, multiplier, offset })
  }
  return bodies.map((body, index) => {
    const mimic = mimics.get(index + 1)
    if (!mimic) return body
    // q = m1 (m2 q' + o2) + o1
    let { body: follows, multiplier, offset } = mimic
    for (let next = mimics.get(follows); next; next = mimics.get(follows)) {
      offset += multiplier * next.offset
      multiplier *= next.multiplier
      follows = next.body
    }
    return { ...body, [statedMimic]: mimic, follows, multiplier, offset }
  })
}

/** A state with all of its numbers random, quaternions of length 1. */
export function randomState(random: Random, model: Model): State {
  const state = createState(model)
  for (let k = 0; k < model.nq; k++) state.q[k] = random.between(-2, 2)
  for (let i = 1; i < model.nb; i++) {
    const at = quaternionStart(model, i)
    if (at >= 0) normalizeQuaternion(state.q, at)
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

function coordinateAxis(random: Random): Triple {
  const axis: Triple = [0, 0, 0]
  axis[random.index(3)] = random.next() < 0.5 ? -1 : 1
  return axis
}

export function randomRotation(random: Random): Float64Array {
  const q = randomVector(random, 4)
  const R = new Float64Array(9)
  rotationOfQuaternion(R, q, 0)
  return R
}

/** R diag(b + c, a + c, a + b) R^T with a, b, c > 0, which is what masses on three axes have. */
export function randomInertia(random: Random, mass: number): [number, number, number, number, number, number] {
  const [a, b, c] = [0, 1, 2].map(() => mass * random.between(0.001, 0.02))
  return turnedInertia([b + c, a + c, a + b, 0, 0, 0], randomRotation(random))
}

/** R I R^T for I = [xx, yy, zz, xy, xz, yz]. */
export function turnedInertia(
  [xx, yy, zz, xy, xz, yz]: ArrayLike<number> & Iterable<number>,
  R: ArrayLike<number>,
): [number, number, number, number, number, number] {
  const I = [xx, xy, xz, xy, yy, yz, xz, yz, zz]
  const entry = (r: number, s: number) => {
    let sum = 0
    for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) sum += R[3 * r + a] * I[3 * a + b] * R[3 * s + b]
    return sum
  }
  return [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
}
