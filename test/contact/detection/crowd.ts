import type { PlacedShape } from '../../../contact/geometry/index.ts'
import { ContactDetector, type DetectorOptions, FeatureContactSet } from '../../../contact/index.ts'
import { type BodyDefinition, buildModel, createData, createRandom, type Data } from '../../../dynamics/index.ts'
import { identity, origin, product, randomRotation, randomShapes, randomUnit, rotation } from '../geometry/poses.ts'
import { floating } from '../laws/scenes.ts'
import { fixedBox, ground } from './scene.ts'

/** Bodies of one shape each that drift and spin in a room, through each other, over the ground and two steps. Seeded. */
export class Crowd {
  readonly shapes: readonly PlacedShape[]
  readonly data: Data
  readonly contacts = new FeatureContactSet()
  readonly detector: ContactDetector
  readonly memory: Float64Array
  readonly #room: number
  readonly #turns: readonly Float64Array[]
  readonly #horizon = new Float64Array(1)

  constructor(
    count: number,
    seed: number,
    options: DetectorOptions = {},
    kinds = Object.keys(randomShapes),
    fixtures: readonly PlacedShape[] = [
      ground,
      fixedBox('step', [1, 1, 0.4], [0.5, 0.5, 0.2]),
      fixedBox('wall', [0.2, 3, 3], [1, 0, 1.5]),
    ],
  ) {
    const random = createRandom(seed)
    const bodies = Array.from({ length: count }, (_, i): BodyDefinition => {
      return { ...floating, name: `body ${i}`, jointName: `free ${i}`, mass: 1, inertia: [1, 1, 1, 0, 0, 0] }
    })
    const model = buildModel('crowd', bodies)
    this.shapes = bodies.map(({ name }, i) => {
      const shape = randomShapes[kinds[i % kinds.length]](random)
      return { name, body: i + 1, shape, R: randomRotation(random), p: origin }
    })
    this.#room = 0.8 * Math.cbrt(count)
    this.data = createData(model)
    this.data.R_WB[0].set(identity)
    for (let i = 1; i <= count; i++) {
      this.data.R_WB[i].set(randomRotation(random))
      for (let k = 0; k < 3; k++) {
        this.data.p_WB[i][k] = random.between(0, this.#room)
        this.data.V[i][3 + k] = random.between(-1, 1)
      }
    }
    this.#turns = bodies.map(() => rotation(randomUnit(random), 0.05))
    this.detector = new ContactDetector(
      model,
      this.shapes,
      fixtures,
      { friction: 0.5, restitution: 0 },
      { selfCollision: 'all', ...options },
    )
    this.memory = new Float64Array(this.detector.memorySize)
  }

  /** `data.V` holds what is used of velocities, here along the world's axes: the detector reads speeds alone. */
  move(dt: number): void {
    const { R_WB, p_WB, V } = this.data
    for (let i = 1; i < p_WB.length; i++) {
      for (let k = 0; k < 3; k++) {
        p_WB[i][k] += dt * V[i][3 + k]
        if (p_WB[i][k] < 0) V[i][3 + k] = Math.abs(V[i][3 + k])
        if (p_WB[i][k] > this.#room) V[i][3 + k] = -Math.abs(V[i][3 + k])
      }
      R_WB[i].set(product(this.#turns[i - 1], R_WB[i]))
    }
  }

  detect(horizon = 0): FeatureContactSet {
    this.#horizon[0] = horizon
    this.detector.detect(this.data, this.#horizon, this.contacts, this.memory)
    return this.contacts
  }
}
