/**
 * Trains the small policy of docs/examples: our quadruped trots forward at 0.3 m/s, by evolution strategies (Salimans and
 * others 2017) with mirrored samples and ranks in place of rewards. Seeded: the same file every time.
 *
 *     node --import ./scripts/typescript.mjs scripts/train-policy.ts [ITERATIONS]
 *
 * Some minutes on one core. One linear layer and tanh; it begins as a gait by the clock and learns feedback.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Controller, createControllerLoop } from '../control/index.ts'
import type { Graph } from '../control/policy/onnx.ts'
import { type PolicyDescription, policy } from '../control/policy/policy.ts'
import { cos, createRandom, sin } from '../dynamics/index.ts'
import { loadOwnRobot } from '../robots/files.ts'
import { World } from '../simulation/index.ts'
import { writeOnnx } from '../test/control/policy/writeOnnx.ts'

const iterations = Number(process.argv[2] ?? 100)
const PAIRS = 16
const SIGMA = 0.03
const RATE = 0.05
const SECONDS = 3
/** [m/s] */
const SPEED = 0.3

const robot = loadOwnRobot('quadruped')
const joints = robot.joints.map(({ name }) => name)
const description: PolicyDescription = {
  rate: 50,
  servoRate: 500,
  joints,
  stiffness: 40,
  damping: 1,
  pose: robot.joints.map(({ qIndex }) => Number(robot.home[qIndex].toFixed(4))),
  actionScale: 0.5,
  observations: [
    { name: 'phase' },
    { name: 'projected_gravity' },
    { name: 'base_lin_vel' },
    { name: 'base_ang_vel', scale: 0.25 },
    { name: 'joint_pos' },
    { name: 'joint_vel', scale: 0.05 },
  ],
  phasePeriod: 0.5,
}
const columns = 2 + 3 * 3 + 2 * joints.length
const size = joints.length * (columns + 1)

function graphOf(parameters: ArrayLike<number>): Graph {
  const data = Array.from(parameters)
  const weights = { type: 'float' as const, shape: [joints.length, columns], data: data.slice(0, joints.length * columns) }
  const bias = { type: 'float' as const, shape: [joints.length], data: data.slice(joints.length * columns) }
  return {
    nodes: [
      { op: 'Gemm', inputs: ['obs', 'w', 'b'], outputs: ['a'], attributes: new Map([['transB', 1]]) },
      { op: 'Tanh', inputs: ['a'], outputs: ['actions'], attributes: new Map() },
    ],
    weights: new Map(Object.entries({ w: weights, b: bias })),
    inputs: new Map([['obs', { type: 'float', shape: [1, columns] }]]),
    outputs: ['actions'],
    metadata: new Map(),
  }
}

/** A trot by the clock: diagonal legs swing together, and bend their knees while they swing forward. */
function begin(): Float64Array {
  const parameters = new Float64Array(size)
  joints.forEach((name, j) => {
    const side = name.startsWith('front_left') || name.startsWith('rear_right') ? 1 : -1
    if (name.includes('thigh')) parameters[j * columns + 1] = 0.35 * side
    if (name.includes('knee')) parameters[j * columns] = -0.5 * side
  })
  return parameters
}

/** Mean reward of a run: at its speed, upright, straight on; 0 from where it falls. */
function reward(parameters: ArrayLike<number>, friction: number): number {
  const controller = createControllerLoop(policy(graphOf(parameters), description, 'policy') as Controller, robot)
  const world = new World({ robot, contactModel: 'ncp', dt: 2e-3, controller, physical: { friction } })
  const { q, v } = world.state
  const steps = SECONDS / 2e-3
  const height = q[2]
  let sum = 0
  try {
    for (let k = 0; k < steps; k++) {
      world.step()
      const up = 1 - 2 * (q[3] * q[3] + q[4] * q[4])
      if (q[2] < 0.6 * height || up < 0.7) break
      const error = (v[3] - SPEED) ** 2 + 0.5 * v[4] ** 2 + 0.05 * v[2] ** 2
      sum += Math.exp(-10 * error) - 2 * (1 - up) - 0.02 * (v[0] ** 2 + v[1] ** 2) - 2 * q[1] ** 2
    }
  } catch {
    return sum / steps // a run that breaks off has fallen
  }
  return sum / steps
}

const random = createRandom(1)
/** Box and Muller, with functions that do not depend on the engine. */
const normal = () => {
  const [size, angle] = [Math.sqrt(-2 * Math.log(1 - random.next())), 2 * Math.PI * random.next()]
  return size * (random.next() < 0.5 ? sin(angle) : cos(angle))
}

const parameters = begin()
let [best, champion] = [-Infinity, parameters.slice()]
for (let iteration = 0; iteration < iterations; iteration++) {
  const friction = random.between(0.3, 1)
  const samples = Array.from({ length: PAIRS }, () => Float64Array.from(parameters, normal))
  const scores = samples.flatMap((sample) =>
    [SIGMA, -SIGMA].map((sign) =>
      reward(
        Float64Array.from(parameters, (value, i) => value + sign * sample[i]),
        friction,
      ),
    ),
  )
  // the rank of each, from -1/2 to 1/2
  const order = scores.map((_, i) => i).sort((a, b) => scores[a] - scores[b])
  const rank = new Float64Array(scores.length)
  order.forEach((i, place) => {
    rank[i] = place / (scores.length - 1) - 0.5
  })
  for (let i = 0; i < size; i++) {
    let slope = 0
    samples.forEach((sample, k) => {
      slope += (rank[2 * k] - rank[2 * k + 1]) * sample[i]
    })
    parameters[i] += (RATE * slope) / PAIRS
  }
  if (iteration % 5 !== 4) continue
  const score = [0.4, 0.6, 0.8, 1].reduce((sum, friction) => sum + reward(parameters, friction) / 4, 0)
  console.log(`iteration ${iteration + 1}: reward ${score.toFixed(4)}`)
  if (score > best) [best, champion] = [score, parameters.slice()]
}

const { nodes, weights } = graphOf(champion)
const bytes = writeOnnx({
  nodes: nodes.map(({ op, inputs, outputs, attributes }) => ({
    op,
    inputs,
    outputs,
    attributes: Object.fromEntries(attributes) as never,
  })),
  weights: Object.fromEntries(weights),
  inputs: { obs: [1, columns] },
  outputs: { actions: [1, joints.length] },
})
const examples = fileURLToPath(new URL('../docs/examples/', import.meta.url))
writeFileSync(`${examples}trot-policy.onnx`, bytes)
const { stringify } = await import('yaml')
const head = '# A policy for our quadruped, made by scripts/train-policy.ts: one linear layer that trots at 0.3 m/s.\n'
writeFileSync(
  `${examples}trot-policy.yaml`,
  `${head}${stringify({ network: 'trot-policy.onnx', ...description }, { collectionStyle: 'flow', lineWidth: 130 })}`,
)
console.log(`wrote trot-policy.onnx, reward ${best.toFixed(4)}`)
