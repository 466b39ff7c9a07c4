import { PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import {
  type Acceleration,
  aba,
  abaWithForces,
  biasForces,
  bodyJacobianW,
  buildModel,
  centerOfMass,
  configurationDifference,
  crba,
  createData,
  createRandom,
  createRk4Workspace,
  createState,
  directionRow,
  factorize,
  gravityForces,
  integrateConfiguration,
  JointType,
  kinematics,
  kineticEnergy,
  lastVelocity,
  momentumW,
  pointJacobian,
  pointVelocity,
  potentialEnergy,
  rk4,
  rnea,
  semiImplicitEuler,
  sincos,
  solve,
  solveL,
  solveLTransposed,
  solveLTransposedOnBranch,
  velocities,
} from '../../dynamics/index.ts'
import { randomState, randomTree, randomVector } from './randomTree.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const random = createRandom(1)
// every joint type in one tree
const model = randomTree(random, { bodies: 8, floating: true, armature: true })
const state = randomState(random, model)
const other = randomState(random, model)
const data = createData(model)
const { nb, nq, nv } = model
const tau = randomVector(random, nv)
const a = randomVector(random, nv)
const x = randomVector(random, nv)
const out = new Float64Array(nv)
const q = new Float64Array(nq)
const forcesW = randomVector(random, 6 * nb)
const J3 = new Float64Array(3 * nv)
const J6 = new Float64Array(6 * nv)
const six = new Float64Array(6)
const point = randomVector(random, 3)
const rest = createState(model)
const none = new Float64Array(nv)
const workspace = createRk4Workspace(model)
const options = { dt: 1e-9 } // so that 100,000 steps stay where they began
const last = lastVelocity(model, nb - 1)
const acceleration: Acceleration = {
  evaluate(at, result) {
    kinematics(model, at, data)
    aba(model, at, none, data, result)
  },
}

// the axes of a tree at random lie along no coordinate axis; those of real robots do, which has a way of its own
const axes: [number, number, number][] = [
  [1, 0, 0],
  [0, -1, 0],
  [0, 0, 1],
]
const aligned = buildModel(
  'aligned',
  axes.map((axis, parent) => ({
    name: `body ${parent + 1}`,
    jointName: `joint ${parent + 1}`,
    parent,
    jointType: JointType.revolute,
    axis,
    mass: 1,
    inertia: [1, 1, 1, 0, 0, 0] as const,
  })),
)
const alignedState = randomState(random, aligned)
const alignedData = createData(aligned)

const calls: Record<string, () => void> = {
  sincos: () => sincos(six, state.q, 7),
  kinematics: () => kinematics(model, state, data),
  'kinematics along coordinate axes': () => kinematics(aligned, alignedState, alignedData),
  velocities: () => velocities(model, state, data),
  rnea: () => rnea(model, state, a, data, out),
  biasForces: () => biasForces(model, state, data, out),
  gravityForces: () => gravityForces(model, state, data, out),
  crba: () => crba(model, data),
  factorize: () => factorize(model, data.M, data.L),
  solve: () => {
    out.set(x)
    solve(model, data.L, out)
  },
  'solveL and solveLTransposed': () => {
    out.set(x)
    solveL(model, data.L, out)
    solveLTransposed(model, data.L, out)
    solveLTransposedOnBranch(model, data.L, last, out, 0)
  },
  aba: () => aba(model, state, tau, data, out),
  abaWithForces: () => abaWithForces(model, state, tau, forcesW, data, out),
  pointJacobian: () => pointJacobian(model, data, nb - 1, point, J3),
  bodyJacobianW: () => bodyJacobianW(model, data, nb - 1, J6),
  directionRow: () => directionRow(model, data, nb - 1, forcesW, 1, forcesW, 4, -1, J3, nv),
  pointVelocity: () => pointVelocity(data, nb - 1, point, six),
  'energy and momentum': () => {
    kineticEnergy(model, state, data, six)
    potentialEnergy(model, data, six)
    momentumW(model, data, six)
    centerOfMass(model, data, six)
  },
  integrateConfiguration: () => integrateConfiguration(model, state.q, state.v, options.dt, q),
  configurationDifference: () => configurationDifference(model, state.q, other.q, out),
  semiImplicitEuler: () => semiImplicitEuler(model, rest, none, options.dt),
  rk4: () => rk4(model, rest, acceleration, options.dt, workspace),
}

test('the tree of this file has every joint type', () => {
  expect(new Set(model.jointType)).toEqual(new Set(Object.values(JointType)))
})

for (const [name, call] of Object.entries(calls)) {
  test(`${name} allocates nothing over 100,000 calls`, async () => {
    // The optimising compiler works beside the calls, when it likes, and what it keeps is on the same heap. What a call
    // allocates shows every time; what the compiler does, not.
    let found = await measure(call)
    for (let n = 0; n < 3 && !isNothing(found); n++) found = await measure(call)
    expect(found.scavenges).toBe(0)
    expect(found.allocated).toBeLessThan(1)
    expect(found.growth).toBeLessThan(1)
  })
}

function isNothing({ scavenges, allocated, growth }: Awaited<ReturnType<typeof measure>>): boolean {
  return scavenges === 0 && allocated < 1 && growth < 1
}

test('one small object a call would be seen', async () => {
  const holder: { value: unknown } = { value: 0 }
  const { scavenges, allocated } = await measure(() => {
    holder.value = { x: six[0] }
  })
  // a scavenge in each round would make `allocated` anything
  expect(scavenges > 0 || allocated > 10).toBe(true)
})

const ROUNDS = 5
const CALLS = 20_000

/**
 * Over 100,000 calls: scavenges, and bytes a call that a collection leaves. And the bytes a call allocated in the quietest
 * of five rounds: what the optimising compiler itself allocates when it runs in one of them is not the call's.
 */
async function measure(call: () => void): Promise<{ scavenges: number; allocated: number; growth: number }> {
  for (let n = 0; n < CALLS; n++) call() // warm-up, until the optimising compiler has had its say
  await pause()

  let scavenges = 0
  const observer = new PerformanceObserver((list) => {
    scavenges += list.getEntries().length
  })
  collect()
  observer.observe({ entryTypes: ['gc'] })
  const start = process.memoryUsage().heapUsed
  let allocated = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.memoryUsage().heapUsed
    for (let n = 0; n < CALLS; n++) call()
    allocated = Math.min(allocated, (process.memoryUsage().heapUsed - before) / CALLS)
  }
  await pause()
  observer.disconnect()
  collect()
  const growth = (process.memoryUsage().heapUsed - start) / (ROUNDS * CALLS)
  return { scavenges, allocated, growth }
}

/** Lets the compiler's threads and the observer's queue finish. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30))
}
