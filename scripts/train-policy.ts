/**
 * Trains the small policy of docs/examples: our quadruped trots forward at 0.3 m/s, by evolution strategies (Salimans and
 * others 2017) with mirrored samples and ranks in place of rewards. Seeded: the same file every time.
 *
 *     node --import ./scripts/typescript.mjs scripts/train-policy.ts [ITERATIONS]
 *
 * A minute or two, on all cores. One linear layer and tanh (trotPolicy.ts); it begins as a gait by the clock and learns feedback.
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { cos, createRandom, sin } from '../dynamics/index.ts'
import { createWorldThreads } from '../simulation/threads.ts'
import { writeOnnx } from '../test/control/policy/writeOnnx.ts'
import { begin, columns, description, graphOf, joints, robot, size } from './trotPolicy.ts'

const iterations = Number(process.argv[2] ?? 100)
const PAIRS = 16
const SIGMA = 0.03
const RATE = 0.05
const STEPS = 1500
const DT = 2e-3
/** [m/s] */
const SPEED = 0.3

/** Parameters of the policies of all worlds, one after the other. */
const population = new Float64Array(new SharedArrayBuffer(8 * 2 * PAIRS * size))
const batch = await createWorldThreads({
  ...{ count: 2 * PAIRS, threads: availableParallelism(), robot, contactModel: 'ncp', dt: DT },
  controllers: { module: new URL('trotPolicy.ts', import.meta.url).href, data: population },
})
const { q, v, active } = batch
const [nq, nv] = [robot.model.nq, robot.model.nv]

/** Mean rewards of runs of the first policies, one for each friction: at its speed, upright, straight on; 0 from where one falls or breaks off. */
function rewards(frictions: readonly number[]): Float64Array {
  active.fill(0)
  frictions.forEach((friction, i) => {
    batch.friction[i] = friction
    batch.reset(i)
  })
  const height = q[2]
  const sums = new Float64Array(frictions.length)
  for (let k = 0; k < STEPS; k++) {
    batch.step()
    for (let i = 0; i < sums.length; i++) {
      if (active[i] === 0) continue
      const [a, b] = [i * nq, i * nv]
      const up = 1 - 2 * (q[a + 3] * q[a + 3] + q[a + 4] * q[a + 4])
      if (q[a + 2] < 0.6 * height || up < 0.7) {
        active[i] = 0
        continue
      }
      const error = (v[b + 3] - SPEED) ** 2 + 0.5 * v[b + 4] ** 2 + 0.05 * v[b + 2] ** 2
      sums[i] += Math.exp(-10 * error) - 2 * (1 - up) - 0.02 * (v[b] ** 2 + v[b + 1] ** 2) - 2 * q[a + 1] ** 2
    }
  }
  return sums.map((sum) => sum / STEPS)
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
  for (let k = 0; k < 2 * PAIRS; k++) {
    const step = k % 2 === 0 ? SIGMA : -SIGMA
    for (let i = 0; i < size; i++) population[k * size + i] = parameters[i] + step * samples[k >> 1][i]
  }
  const scores = Array.from(rewards(Array.from({ length: 2 * PAIRS }, () => friction)))
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
  const tried = [0.4, 0.6, 0.8, 1]
  tried.forEach((_, k) => {
    population.set(parameters, k * size)
  })
  const score = rewards(tried).reduce((sum, reward) => sum + reward / tried.length, 0)
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
await batch.close()
console.log(`wrote trot-policy.onnx, reward ${best.toFixed(4)}`)
