/*
 * Run by memberSearchAllocation.test.ts in a process of its own, with WHAT WARM_UP ROUNDS. Prints what each of ten times ROUNDS rounds over
 * a few scenes, each from nothing and from the answer, with paths and without, allocated after the warm-up.
 */
import { LemkeSolver, MemberSearch, pyramidSides, WholeConstraints } from '../../../contact/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { measureWindows } from '../../allocation.ts'
import { DenseMemberProblem } from '../../oracle/denseMemberProblem.ts'
import { cornerScene, sceneOf } from './memberScenes.ts'

const [what, warmUp, rounds] = process.argv.slice(2)
const random = createRandom(21)
const cases = Array.from({ length: 12 }, (_, k) => {
  const options = { groups: 1 + (k % 3), bodies: 1 + (k % 2), members: [2, 4], contacts: 2, unilateral: k % 2 } as const
  const { scene, constraints } = cornerScene(random, { ...options, cross: k % 4 === 0 ? 1 : 0, silent: k % 3 === 0 ? 0.3 : 0 })
  const numbers = sceneOf(scene, constraints)
  const { n, W, right, startGap, key } = numbers
  const first = Int32Array.from({ length: n + 1 }, (_, i) => i)
  return {
    constraints,
    groupOf: first.slice(0, n),
    whole: { rowCount: n, W, right, groupCount: n, first, kind: new Uint8Array(n), limit: new Float64Array(n) },
    ends: new DenseMemberProblem(W, right, constraints, undefined, key),
    paths: new DenseMemberProblem(W, right, constraints, startGap, key),
    active: new Uint8Array(n),
    p: new Float64Array(n),
  }
})
const search = new MemberSearch(1e-9, 50)
const whole = new WholeConstraints(new LemkeSolver(), pyramidSides(4))

function roundOfSearches(): void {
  for (let k = 0; k < cases.length; k++) {
    const { ends, paths, active } = cases[k]
    active.fill(0)
    search.solve(ends, active)
    search.solve(ends, active)
    active.fill(0)
    search.solve(paths, active)
    search.solve(paths, active)
  }
}

function roundOfWholes(): void {
  for (let k = 0; k < cases.length; k++) {
    const { whole: problem, constraints, groupOf, p } = cases[k]
    p.fill(0)
    whole.solve(problem, constraints, groupOf, p)
    whole.solve(problem, constraints, groupOf, p)
  }
}

const round = what === 'search' ? roundOfSearches : roundOfWholes
for (let i = 0; i < Number(warmUp); i++) round()
const allocation = await measureWindows(() => {
  for (let i = 0; i < Number(rounds); i++) round()
})
process.stdout.write(JSON.stringify({ ...allocation, solves: (what === 'search' ? 4 : 2) * cases.length }))
