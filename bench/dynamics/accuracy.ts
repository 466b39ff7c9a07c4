/*
 * node --import ./scripts/typescript.mjs bench/dynamics/accuracy.ts
 *
 * Prints the tables of docs/results.md: how far the dynamics are from MuJoCo's WASM build and from answers without rounding,
 * and the energy that a free flight loses. Real robots are taken from the folder that FEATHERBED_ROBOTS names, if it is set.
 */

import { createRandom, type Model, type Random } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { loadExamined } from '../../robots/index.ts'
import { randomChain } from '../../test/dynamics/chains.ts'
import { box, dzhanibekov, fly, type Method, tumble, weightless } from '../../test/dynamics/flight.ts'
import {
  type Question,
  randomBodies,
  randomQuestions,
  randomState,
  randomVector,
  treeKind,
} from '../../test/dynamics/randomTree.ts'
import { urdfOfTree } from '../../test/dynamics/treeUrdf.ts'
import { loadWithRepairs, robotFiles } from '../../test/oracle/corpus.ts'
import { conditionNumber, largestDifference } from '../../test/oracle/dense.ts'
import { exactDynamics } from '../../test/oracle/exact.ts'
import { askMujoco, differences, type Mujoco, type MujocoAnswers, mujocoOf, ourAnswers } from '../../test/oracle/mujoco.ts'
import { mujocoOfRobot } from '../../test/oracle/urdf.ts'

type Errors = Record<keyof MujocoAnswers, number>
const keys = ['M', 'bias', 'inverse', 'forward'] as const

/** Worst of some states: us against MuJoCo, and each of the two against exact answers. */
interface Worst {
  states: number
  condition: number
  readonly apart: Errors
  readonly ours: Errors
  readonly theirs: Errors
}

function nothingYet(): Worst {
  const none = () => ({ M: 0, bias: 0, inverse: 0, forward: 0 })
  return { states: 0, condition: 0, apart: none(), ours: none(), theirs: none() }
}

function ask(model: Model, random: Random): Question {
  const state = randomState(random, model)
  return { model, state, a: randomVector(random, model.nv, 5), tau: randomVector(random, model.nv, 5) }
}

function look(worst: Worst, mujoco: Mujoco, { model, state, a, tau }: Question): void {
  const ours = ourAnswers(model, state, a, tau)
  const theirs = askMujoco(mujoco, model, state, a, tau)
  const exact = exactDynamics(model, state, a, tau)
  worst.states++
  worst.condition = Math.max(worst.condition, conditionNumber(exact.M, model.nv))
  note(worst.apart, differences(ours, theirs))
  note(worst.ours, differences(ours, exact))
  note(worst.theirs, differences(theirs, exact))
}

function note(worst: Errors, errors: Errors): void {
  for (const key of keys) worst[key] = Math.max(worst[key], errors[key]) // a NaN stays
}

const figure = (x: number) => x.toExponential(0)
const row = (...cells: (string | number)[]) => console.log(`| ${cells.join(' | ')} |`)

function table(...heads: string[]): void {
  row(...heads)
  row(...heads.map((_, k) => (k === 0 ? '---' : '---:')))
}

function worstRow(name: string, { condition, apart, ours, theirs }: Worst): void {
  row(name, figure(condition), ...keys.map((key) => figure(apart[key])), figure(ours.forward), figure(theirs.forward))
}

const heads = ['condition of M', 'M', 'bias', 'inverse', 'forward', 'forward, ours', "forward, MuJoCo's"]

console.log('Robots, through a URDF written of each; 10 random states of each\n')
table('Robot', ...heads)
for (const [name, path] of robotFiles()) {
  const loaded = loadWithRepairs(path)
  const { model } = loaded.robot
  if (model.nv === 0) continue
  const mujoco = await mujocoOfRobot(loaded)
  const worst = nothingYet()
  const random = createRandom(3)
  for (let n = 0; n < 10; n++) look(worst, mujoco, ask(model, random))
  mujoco.delete()
  worstRow(name.replace(/^.*\//, ''), worst)
}

console.log('\n300 random trees of up to 60 bodies, one state of each\n')
table('Trees', ...heads)
{
  const worst = nothingYet()
  for (const question of randomQuestions(300)) {
    const mujoco = await mujocoOf(question.model)
    look(worst, mujoco, question)
    mujoco.delete()
  }
  worstRow('as MJCF, written from the model', worst)
}
{
  const random = createRandom(31)
  const worst = nothingYet()
  while (worst.states < 300) {
    const n = worst.states
    const bodies = randomBodies(random, { bodies: 2 + random.index(59), ...treeKind(n) })
    // a file has one root: where that floats, it carries all
    const rooted = bodies.map((body, index) => (n % 2 === 0 && index > 0 && body.parent === 0 ? { ...body, parent: 1 } : body))
    const loaded = loadExamined(urdfOfTree(rooted), { file: 'tree.urdf' })
    if (loaded.robot.model.nv === 0) continue
    const mujoco = await mujocoOfRobot(loaded)
    look(worst, mujoco, ask(loaded.robot.model, random))
    mujoco.delete()
  }
  worstRow('as URDF, read, written and read again', worst)
}

console.log('\nChains of 100 links, error against exact answers\n')
table('Masses', 'condition of M', 'bias', 'forward')
const chains: [string, (k: number) => number][] = [
  ['equal', () => 1],
  ['1 : 1e6 by turns', (k) => (k % 2 ? 1e-3 : 1e3)],
  ['a tip 1e6 times as heavy', (k) => (k === 99 ? 1e6 : 1)],
  ['a tip 1e6 times as light', (k) => (k === 99 ? 1e-6 : 1)],
  ['growing by 1e6 towards the tip', (k) => 10 ** (-3 + (6 * k) / 99)],
  ['falling by 1e6 towards the tip', (k) => 10 ** (3 - (6 * k) / 99)],
]
for (const [name, mass] of chains) {
  const random = createRandom(5)
  const model = randomChain(random, 100, mass)
  const state = randomState(random, model)
  const tau = randomVector(random, 100, 5)
  const exact = exactDynamics(model, state, tau, tau)
  const ours = ourAnswers(model, state, tau, tau)
  const errors = [largestDifference(ours.bias, exact.bias), largestDifference(ours.forward, exact.forward)]
  row(name, figure(conditionNumber(exact.M, 100)), ...errors.map(figure))
}

const flights: [Method, number[]][] = [
  ['semi-implicit Euler', [2e-3, 1e-3, 5e-4, 2.5e-4]],
  ['RK4', [1.6e-2, 8e-3, 4e-3, 2e-3, 1e-3]],
]
const humanoid = weightless(loadOwnRobot('humanoid').model)
console.log('\nThe humanoid in free flight for 10 s\n')
table('Method', 'step [ms]', 'energy', 'angular momentum', 'linear momentum')
for (const [method, steps] of flights) {
  for (const dt of steps) {
    const { drift } = fly(humanoid, tumble(humanoid), method, dt, 10)
    row(method, 1000 * dt, ...[drift.energy, drift.angular, drift.linear].map((x) => x.toExponential(1)))
  }
}

console.log('\nA box about its middle axis for 10 s\n')
table('Method', 'step [ms]', 'energy', 'angular momentum')
for (const [method, steps] of flights) {
  for (const dt of steps) {
    const { drift } = fly(box(), dzhanibekov(box()), method, dt, 10)
    row(method, 1000 * dt, ...[drift.energy, drift.angular].map((x) => x.toExponential(1)))
  }
}
