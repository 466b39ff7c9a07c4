/*
 * Run by memberSearchAllocation.test.ts in a process of its own, with WARM_UP ROUNDS. Prints what each of ten times ROUNDS rounds over
 * a few scenes, each from nothing and from the answer, with paths and without, allocated after the warm-up.
 */
import { MemberSearch } from '../../../contact/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { measureWindows } from '../../allocation.ts'
import { DenseMemberProblem } from '../../oracle/denseMemberProblem.ts'
import { cornerScene, sceneOf } from './memberScenes.ts'

const [warmUp, rounds] = process.argv.slice(2)
const random = createRandom(21)
const cases = Array.from({ length: 12 }, (_, k) => {
  const options = { groups: 1 + (k % 3), bodies: 1 + (k % 2), members: [2, 4], contacts: 2, unilateral: k % 2 } as const
  const { scene, constraints } = cornerScene(random, { ...options, cross: k % 4 === 0 ? 1 : 0, silent: k % 3 === 0 ? 0.3 : 0 })
  const numbers = sceneOf(scene, constraints)
  const { n, W, right, startGap, key } = numbers
  return {
    ends: new DenseMemberProblem(W, right, constraints, undefined, key),
    paths: new DenseMemberProblem(W, right, constraints, startGap, key),
    active: new Uint8Array(n),
  }
})
const search = new MemberSearch(1e-9, 50)

function round(): void {
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

for (let i = 0; i < Number(warmUp); i++) round()
const allocation = await measureWindows(() => {
  for (let i = 0; i < Number(rounds); i++) round()
})
process.stdout.write(JSON.stringify({ ...allocation, solves: 4 * cases.length }))
