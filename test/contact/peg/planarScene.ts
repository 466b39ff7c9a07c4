import { hullOf, type PlacedShape, type Shape } from '../../../contact/geometry/index.ts'
import {
  type BodyDefinition,
  buildModel,
  createRandom,
  createState,
  JointType,
  type Model,
  type State,
} from '../../../dynamics/index.ts'
import { identity, turned } from '../geometry/poses.ts'

export interface PlanarScene {
  readonly model: Model
  readonly shapes: readonly PlacedShape[]
  readonly fixtures: readonly PlacedShape[]
  readonly state: State
  /** Moves every body on, inside a square of 1.6 m. */
  drift(): void
}

/** An upright prism, along z, over a regular polygon of n sides. */
export function prismOver(n: number, radius: number, height: number): Shape {
  const points: number[] = []
  for (let k = 0; k < n; k++) {
    const angle = (2 * Math.PI * k) / n
    for (const z of [-0.5 * height, 0.5 * height]) points.push(radius * Math.cos(angle), radius * Math.sin(angle), z)
  }
  return { type: 'hull', polyhedron: hullOf(Float64Array.from(points)) }
}

/**
 * Boxes, prisms and cylinders on planar joints in a plane that is turned as `turn` does the world's x and y, and a fixed box. Each shape has
 * an axis of its own across the plane.
 *
 */
export function movingInPlane(count: number, turn: Float64Array = identity, seed = 801): PlanarScene {
  const random = createRandom(seed)
  const bodies = Array.from({ length: count }, (_, i): BodyDefinition => {
    return {
      name: `body ${i}`,
      jointName: `joint ${i}`,
      parent: 0,
      jointType: JointType.planar,
      axis: [0, 0, 1],
      rotation: turn,
      mass: 1,
      inertia: [1, 1, 1, 0, 0, 0],
    }
  })
  const model = buildModel('plane', bodies)
  // z of a box's axes across the plane, or x or y of them
  const turns = [identity, Float64Array.of(0, 0, 1, 1, 0, 0, 0, 1, 0), Float64Array.of(0, 1, 0, 0, 0, 1, 1, 0, 0)]
  const shapes = bodies.map(({ name }, i): PlacedShape => {
    const height = random.between(0.2, 0.4)
    const p = Float64Array.of(random.between(-0.1, 0.1), random.between(-0.1, 0.1), random.between(-0.05, 0.05))
    const kind = i % 4
    if (kind === 0) return { name, body: i + 1, shape: prismOver(3 + random.index(4), 0.25, height), R: identity, p }
    if (kind === 1) return { name, body: i + 1, shape: { type: 'cylinder', radius: 0.2, length: height }, R: identity, p }
    const shape: Shape = { type: 'box', size: [random.between(0.2, 0.4), random.between(0.2, 0.4), random.between(0.2, 0.4)] }
    return { name, body: i + 1, shape, R: turns[random.index(3)], p }
  })
  const state = createState(model)
  const speed = Float64Array.from({ length: 3 * count }, () => random.between(-1, 1))
  for (let k = 0; k < 3 * count; k++) state.q[k] = random.between(-0.8, 0.8)
  state.v.set(speed.map((x) => 0.1 * x))
  const upright = { type: 'box', size: [0.4, 0.3, 0.5] } as const
  return {
    model,
    shapes,
    fixtures: [{ name: 'post', body: 0, shape: upright, R: turn, p: turned(turn, [0.1, 0.2, 0]) }],
    state,
    drift() {
      for (let k = 0; k < 3 * count; k++) {
        state.q[k] += 0.02 * speed[k]
        if (k % 3 < 2 && Math.abs(state.q[k]) > 0.8) speed[k] = -Math.sign(state.q[k]) * Math.abs(speed[k])
      }
    },
  }
}

/** The same shapes at the same places at q = 0 on bodies that are free to move in every way. */
export function freed({ model: { nb }, shapes }: PlanarScene): {
  readonly model: Model
  readonly shapes: readonly PlacedShape[]
} {
  const bodies = Array.from({ length: nb - 1 }, (_, i): BodyDefinition => {
    return {
      name: `body ${i}`,
      jointName: `joint ${i}`,
      parent: 0,
      jointType: JointType.floating,
      mass: 1,
      inertia: [1, 1, 1, 0, 0, 0],
    }
  })
  return { model: buildModel('free', bodies), shapes }
}
