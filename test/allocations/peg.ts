import type { PlacedShape } from '../../contact/geometry/index.ts'
import {
  ContactConstraints,
  ContactDetector,
  DisjunctSearch,
  exactRule,
  FeatureContactSet,
  readFeatures,
  vertexRule,
} from '../../contact/index.ts'
import { constrainFeatures } from '../../contact/peg/features/constraintRules.ts'
import { createFeatureBody } from '../../contact/peg/features/featureBody.ts'
import { featureLimits } from '../../contact/peg/features/featureContactSet.ts'
import { featureContacts } from '../../contact/peg/features/featureContacts.ts'
import { buildModel, createData, createRandom, createState, kinematics, velocities } from '../../dynamics/index.ts'
import { Crowd } from '../contact/detection/crowd.ts'
import { ground } from '../contact/detection/scene.ts'
import { colliderAt, identity, origin } from '../contact/geometry/poses.ts'
import { floating } from '../contact/laws/scenes.ts'
import { cornerScene, sceneOf } from '../contact/peg/disjunctScenes.ts'
import { cube, featureMargin, randomNearPair } from '../contact/peg/featureScene.ts'
import { DenseDisjunctProblem } from '../oracle/denseDisjunctProblem.ts'
import { inCrowd, poseOf, throughPoses } from './detection.ts'
import type { Running, Subject } from './subject.ts'

/** Constraints on the contacts of pairs, by both rules. */
function constraints(): Running {
  const random = createRandom(82)
  const pairs = Array.from({ length: 20 }, () => randomNearPair(random).map(createFeatureBody))
  for (let i = 0; i < 5; i++) {
    pairs.push([colliderAt(cube, identity, [0, 0, 0]), colliderAt(cube, identity, [0.2 * i, 0, 1])].map(createFeatureBody))
  }
  const limits = featureLimits({ margin: 0.03, depth: 0.3 })
  const found = pairs.map(([a, b]) => {
    const out = new FeatureContactSet()
    featureContacts(a, b, limits, out)
    return out
  })
  const rules = [exactRule, vertexRule]
  const lists = new ContactConstraints()
  let count = 0
  return {
    units: pairs.length,
    seen: () => count,
    step() {
      lists.clear()
      for (let i = 0; i < pairs.length; i++) {
        for (let r = 0; r < rules.length; r++) {
          constrainFeatures(pairs[i][0], pairs[i][1], found[i], rules[r], limits, 3 * i, lists)
        }
      }
      count += lists.count
    },
  }
}

/** Searches for the contacts of pairs. */
function contacts(): Running {
  const random = createRandom(81)
  const pairs = Array.from({ length: 25 }, () => randomNearPair(random).map(createFeatureBody))
  const halfspace = createFeatureBody(colliderAt(ground.shape, identity, [0, 0, 0]))
  for (let k = 0; k < 25; k++) pairs.push([halfspace, pairs[k][1]])
  const limits = featureLimits({ margin: 0.05, depth: 0.5 })
  const out = new FeatureContactSet()
  const speeds = Float64Array.of(1, 2, 0.3, 0.4, 0.5, 0.6, 9.81)
  const dt = Float64Array.of(0.01)
  const reach = new Float64Array(2)
  let count = 0
  return {
    units: pairs.length,
    seen: () => count,
    step() {
      for (let i = 0; i < pairs.length; i++) {
        featureMargin(speeds, dt, reach)
        limits.margin[0] = reach[0]
        featureContacts(pairs[i][0], pairs[i][1], limits, out)
        count += out.count
      }
    },
  }
}

/** A few scenes, each from nothing and from the answer, with paths and without. */
function search(): Running {
  const random = createRandom(21)
  const cases = Array.from({ length: 12 }, (_, k) => {
    const options = { groups: 1 + (k % 3), bodies: 1 + (k % 2), members: [2, 4], contacts: 2, unilateral: k % 2 } as const
    const { scene, constraints } = cornerScene(random, { ...options, cross: k % 4 === 0 ? 1 : 0, silent: k % 3 === 0 ? 0.3 : 0 })
    const { n, W, rhs, startGap, key } = sceneOf(scene, constraints)
    return {
      ends: new DenseDisjunctProblem(W, rhs, constraints, undefined, key),
      paths: new DenseDisjunctProblem(W, rhs, constraints, startGap, key),
      active: new Uint8Array(n),
    }
  })
  const search = new DisjunctSearch(1e-9, 50)
  return {
    units: 4 * cases.length,
    step() {
      for (let k = 0; k < cases.length; k++) {
        const { ends, paths, active } = cases[k]
        active.fill(0)
        search.solve(ends, active)
        search.solve(ends, active)
        active.fill(0)
        search.solve(paths, active)
        search.solve(paths, active)
      }
    },
  }
}

const options = {
  reading: 'features',
  features: readFeatures({ rule: exactRule, epsilon: 0.01 }),
  selfCollision: 'all',
} as const

/** Readings of ten boxes, one on the other. */
function stack(): Running {
  const bodies = Array.from({ length: 10 }, (_, i) => {
    return { ...floating, name: `${i}`, jointName: `free ${i}`, mass: 1, inertia: [1, 1, 1, 0, 0, 0] as const }
  })
  const model = buildModel('stack', bodies)
  const shapes = bodies.map(({ name }, i): PlacedShape => {
    return { name, body: i + 1, shape: { type: 'box', size: [0.2, 0.2, 0.1] }, R: identity, p: origin }
  })
  const detector = new ContactDetector(model, shapes, [ground], { friction: 0.5, restitution: 0 }, options)
  const random = createRandom(1)
  const state = createState(model)
  const data = createData(model)
  const poses = Array.from({ length: 20 }, () => {
    for (let i = 0; i < 10; i++) {
      state.q[7 * i] = random.between(-0.02, 0.02)
      state.q[7 * i + 1] = random.between(-0.02, 0.02)
      state.q[7 * i + 2] = 0.05 + 0.1 * i + random.between(-1e-5, 1e-5)
      state.q[7 * i + 6] = 1
    }
    kinematics(model, state, data)
    velocities(model, state, data)
    return poseOf(data)
  })
  const horizon = Float64Array.of(0.01)
  const found = new FeatureContactSet()
  const memory = new Float64Array(detector.memorySize)
  const detect = () => detector.detect(data, horizon, found, memory)
  return throughPoses(poses, { data, contacts: found, detect }, 0.01)
}

const subjects: Subject[] = [
  {
    name: 'constraints on feature contacts are made without allocating, by both rules',
    steps: 80,
    limit: 3_200,
    seen: 1,
    setup: constraints,
  },
  {
    name: 'the search for feature contacts allocates nothing',
    steps: 80,
    limit: 3_200,
    seen: 1,
    setup: contacts,
  },
  {
    name: 'the search over members allocates nothing after warm-up',
    steps: 4,
    limit: 1_200,
    bounds: { growth: Number.POSITIVE_INFINITY },
    setup: search,
  },
  {
    suite: 'in a process of its own',
    name: 'reading the features of a crowd allocates nothing',
    steps: 1,
    limit: 200,
    bounds: { growth: 20 },
    seen: 20,
    setup: () => inCrowd(new Crowd(24, 41, options, ['box', 'sphere', 'cylinder', 'hull']), 0.01),
  },
  {
    suite: 'in a process of its own',
    name: 'reading the features of a stack allocates nothing',
    steps: 1,
    limit: 200,
    bounds: { growth: 20 },
    seen: 20,
    setup: stack,
  },
]

export const groups = { peg: subjects }
