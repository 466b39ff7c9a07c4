/* Run by featurePairs.test.ts in a process of its own, with COUNT SCENE. Prints what so many readings of features allocated. */
import type { PlacedShape } from '../../../contact/geometry/index.ts'
import { ContactDetector, exactRule, FeatureContactSet, readFeatures } from '../../../contact/index.ts'
import { buildModel, createData, createRandom, createState, kinematics, velocities } from '../../../dynamics/index.ts'
import { measureAllocation } from '../../allocation.ts'
import { Crowd } from '../detection/crowd.ts'
import { ground } from '../detection/scene.ts'
import { identity, origin } from '../geometry/poses.ts'
import { floating } from '../laws/scenes.ts'

const count = Number(process.argv[2])
const scene = process.argv[3]
const horizon = Float64Array.of(0.01)
const features = readFeatures({ rule: exactRule, epsilon: 0.01 })
const options = { reading: 'features', features, selfCollision: 'all' } as const

interface Pose {
  readonly R: readonly Float64Array[]
  readonly p: readonly Float64Array[]
}

// places are made beforehand, for making them allocates
const poses: Pose[] = []
let detector: ContactDetector
let data: ReturnType<typeof createData>
if (scene === 'crowd') {
  const crowd = new Crowd(24, 41, options, ['box', 'sphere', 'cylinder', 'hull'])
  detector = crowd.detector
  data = crowd.data
  for (let n = 0; n < 50; n++) {
    crowd.move(0.02)
    poses.push({ R: data.R_WB.map((R) => R.slice()), p: data.p_WB.map((p) => p.slice()) })
  }
} else {
  const bodies = Array.from({ length: 10 }, (_, i) => {
    return { ...floating, name: `${i}`, jointName: `free ${i}`, mass: 1, inertia: [1, 1, 1, 0, 0, 0] as const }
  })
  const model = buildModel('stack', bodies)
  const shapes = bodies.map(({ name }, i): PlacedShape => {
    return { name, body: i + 1, shape: { type: 'box', size: [0.2, 0.2, 0.1] }, R: identity, p: origin }
  })
  detector = new ContactDetector(model, shapes, [ground], { friction: 0.5, restitution: 0 }, options)
  const random = createRandom(1)
  const state = createState(model)
  data = createData(model)
  for (let n = 0; n < 50; n++) {
    for (let i = 0; i < 10; i++) {
      state.q[7 * i] = random.between(-0.02, 0.02)
      state.q[7 * i + 1] = random.between(-0.02, 0.02)
      state.q[7 * i + 2] = 0.05 + 0.1 * i + random.between(-1e-5, 1e-5)
      state.q[7 * i + 6] = 1
    }
    kinematics(model, state, data)
    velocities(model, state, data)
    poses.push({ R: data.R_WB.map((R) => R.slice()), p: data.p_WB.map((p) => p.slice()) })
  }
}

const contacts = new FeatureContactSet()
const memory = new Float64Array(detector.memorySize)
const found = new Int32Array(1)

function pass(): void {
  for (let n = 0; n < 100; n++) {
    const { R, p } = poses[n < 50 ? n : 99 - n]
    for (let i = 1; i < R.length; i++) {
      data.R_WB[i].set(R[i])
      data.p_WB[i].set(p[i])
    }
    detector.detect(data, horizon, contacts, memory)
    found[0] += contacts.count
  }
}
function run(times: number): void {
  for (let n = 0; n < times; n += 100) pass()
}

run(count)
found[0] = 0
const allocation = await measureAllocation(() => run(count))
process.stdout.write(JSON.stringify({ ...allocation, contacts: found[0] }))
