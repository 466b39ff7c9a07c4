import type { PlacedShape, Shape } from '../../../contact/geometry/index.ts'
import { ContactDetector, type DetectorOptions, type FeatureContactSet } from '../../../contact/index.ts'
import { buildModel, createData, type Data } from '../../../dynamics/index.ts'
import { body, free, solid } from '../../dynamics/bodies.ts'
import { identity, origin } from '../geometry/poses.ts'

export const ground: PlacedShape = {
  name: 'ground',
  body: 0,
  shape: { type: 'halfspace', normal: [0, 0, 1], offset: 0 },
  R: identity,
  p: origin,
}

export function fixedBox(
  name: string,
  size: readonly [number, number, number],
  center: readonly number[],
  R: Float64Array = identity,
): PlacedShape {
  return { name, body: 0, shape: { type: 'box', size }, R, p: Float64Array.from(center) }
}

/** One floating body that carries one shape at its origin, against fixtures. */
export class Scene {
  readonly data: Data
  /** Of the narrow phase's own kind; of features where that is the reading. */
  readonly contacts: FeatureContactSet
  readonly detector: ContactDetector
  readonly memory: Float64Array
  readonly #horizon = new Float64Array(1)

  constructor(shape: Shape, fixtures: readonly PlacedShape[], options: DetectorOptions = {}) {
    const model = buildModel('scene', [body('body', free('free'), solid(1, [1, 1, 1]))])
    this.data = createData(model)
    const placed = { name: 'shape', body: 1, shape, R: identity, p: origin }
    this.detector = new ContactDetector(model, [placed], fixtures, { friction: 0.8, restitution: 0 }, options)
    this.contacts = this.detector.createContacts() as FeatureContactSet
    this.memory = new Float64Array(this.detector.memorySize)
  }

  /** From a fresh memory, as all poses of tests are far from one another. */
  detect(R: Float64Array, p: ArrayLike<number>, horizon = 0): FeatureContactSet {
    this.data.R_WB[1].set(R)
    this.data.p_WB[1].set(p)
    this.#horizon[0] = horizon
    this.memory.fill(0)
    this.detector.detect(this.data, this.#horizon, this.contacts, this.memory)
    return this.contacts
  }
}

export interface Contact {
  readonly feature: number
  readonly point: readonly number[]
  readonly normal: readonly number[]
  readonly tangent1: readonly number[]
  readonly tangent2: readonly number[]
  readonly gap: number
}

export function contactsOf(set: FeatureContactSet): Contact[] {
  const triple = (array: Float64Array, c: number) => Array.from(array.subarray(3 * c, 3 * c + 3))
  return Array.from({ length: set.count }, (_, c) => ({
    feature: set.feature[c],
    point: triple(set.point, c),
    normal: triple(set.normal, c),
    tangent1: triple(set.tangent1, c),
    tangent2: triple(set.tangent2, c),
    gap: set.gap[c],
  }))
}

/** The point on the robot's surface: half the gap beyond the middle, along the normal. */
export function onRobot({ point, normal, gap }: Contact): number[] {
  return point.map((x, k) => x + 0.5 * gap * normal[k])
}
