import {
  type ComplementaritySolver,
  type ContactConstraints,
  type ContactProblem,
  complementaritySolvers,
  constraintViolation,
  type DisjunctProblem,
  DisjunctSearch,
  pyramidSides,
  WholeConstraints,
} from '../../../contact/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { DenseDisjunctProblem } from '../../oracle/denseDisjunctProblem.ts'
import { print, timed } from '../solvers/tables.ts'
import {
  constraintsOf,
  cornerGroups,
  cornerScene,
  frictionalDisjuncts,
  frictionalProblem,
  type SceneOptions,
  sceneOf,
  unionGroup,
} from './disjunctScenes.ts'
import { type CornerScene, planarScene } from './planarCorners.ts'

/*
 * The table of docs/solvers.md of problems with alternatives: of each kind of scene, how many every way solves, how many of these with
 * the cheapest answer that any way has found, and the median time.
 *
 *   node --import ./scripts/typescript.mjs test/contact/solvers/disjunctsTable.ts [COUNT [SCENE]]
 */

const count = Number(process.argv[2] ?? 200)
const sides = pyramidSides(4)

interface Case {
  readonly search: DisjunctProblem
  readonly whole: ContactProblem
  readonly constraints: ContactConstraints
}

function caseOf(scene: CornerScene, constraints: ContactConstraints, random: Random, mu: number): Case {
  const contacts = scene.gaps.length
  if (mu > 0) {
    const whole = frictionalProblem(scene, random, mu)
    return { search: frictionalDisjuncts(whole, constraints, contacts), whole, constraints }
  }
  const { W, rhs } = sceneOf(scene, constraints)
  const first = Int32Array.from({ length: contacts + 1 }, (_, i) => i)
  const zeros = new Float64Array(contacts)
  const whole = { rowCount: contacts, W, rhs, groupCount: contacts, first, kind: new Uint8Array(contacts), limit: zeros }
  return { search: new DenseDisjunctProblem(W, rhs, constraints), whole, constraints }
}

const spatial =
  (options: SceneOptions, mu = 0) =>
  (random: Random): Case => {
    const { scene, constraints } = cornerScene(random, options)
    return caseOf(scene, constraints, random, mu)
  }
const one = { groups: 1, bodies: 1, members: [2, 8] } as const
const three = { groups: 3, bodies: 2, members: [2, 5], unilateral: 1 } as const
const flat = { groups: 2, bodies: 2, members: [2, 4], contacts: 4 } as const
const kinds: Record<string, (random: Random) => Case> = {
  'planar, eqs. 29 to 32': (random) => caseOf(planarScene(random), constraintsOf(cornerGroups), random, 0),
  'planar, one group': (random) => caseOf(planarScene(random), constraintsOf(unionGroup), random, 0),
  'one group of 2 to 8': spatial(one),
  'three coupled groups': spatial(three),
  'flat members': spatial(flat),
  'one group, friction': spatial(one, 0.5),
  'three groups, friction': spatial(three, 0.5),
}

const leastTime = (solve: () => void) => timed(solve, 3, 500)
const ways = ['path-following', 'lmmcp', 'lemke'] as const
print(['scene', 'rows', 'member-search', 'subproblems', ...ways])
for (const [name, make] of Object.entries(kinds)) {
  if (process.argv[3] !== undefined && process.argv[3] !== name) continue
  const random = createRandom(1)
  const cases = Array.from({ length: count }, () => make(random))
  const search = new DisjunctSearch()
  const costs: number[][] = []
  const times: number[][] = [[], ...ways.map(() => [])]
  let nodes = 0
  let most = 0
  let rows = 0
  const solvers = ways.map((way): ComplementaritySolver => complementaritySolvers[way]())
  for (const { search: members, whole, constraints } of cases) {
    const active = new Uint8Array(members.contactCount)
    const status = search.solve(members, active)
    nodes += search.nodes
    most = Math.max(most, search.nodes)
    const found = [status === 'solved' ? members.cost[0] : Number.NaN]
    times[0].push(
      leastTime(() => {
        active.fill(0)
        search.solve(members, active)
      }),
    )
    const p = new Float64Array(whole.rowCount)
    for (const [k, solver] of solvers.entries()) {
      const problem = new WholeConstraints(whole, constraints, sides)
      let solved = problem.solve(solver, p) === 'solved'
      rows += k === 0 ? problem.size : 0
      const normals = whole.first.subarray(0, members.contactCount)
      const psi = Float64Array.from(normals, (r) =>
        p.reduce((sum, x, c) => sum + whole.W[r * whole.rowCount + c] * x, whole.rhs[r]),
      )
      const pushed = Float64Array.from(normals, (r) => p[r])
      if (constraintViolation(constraints, psi, pushed) > 1e-7) solved = false
      let cost = 0
      const { rowCount, W } = whole
      for (let r = 0; r < rowCount; r++) for (let c = 0; c < rowCount; c++) cost += p[r] * W[r * rowCount + c] * p[c]
      found.push(solved ? cost : Number.NaN)
      times[k + 1].push(
        leastTime(() => {
          new WholeConstraints(whole, constraints, sides).solve(solver, p)
        }),
      )
    }
    costs.push(found)
  }
  const percent = (k: number) => ((100 * k) / count).toFixed(1)
  const cell = (way: number) => {
    let [solved, nearest] = [0, 0]
    for (const found of costs) {
      if (Number.isNaN(found[way])) continue
      solved++
      // rounding of the terms that the cost sums
      const least = Math.min(...found.filter((cost) => !Number.isNaN(cost)))
      if (found[way] <= least * (1 + 1e-6) + 1e-10) nearest++
    }
    const sorted = times[way].sort((x, y) => x - y)
    return `${percent(solved)}, ${percent(nearest)}, ${Number(sorted[count >> 1].toPrecision(2))}`
  }
  print([name, Math.round(rows / count), cell(0), `${(nodes / count).toFixed(1)}, ${most}`, ...ways.map((_, k) => cell(k + 1))])
}
