/*
 * Solvers on cones, two tables: of so many random problems a class how many each solver answers, from
 * nothing; and the time of a solve, cold and from the answer of a neighbour.
 *
 *   node --import ./scripts/typescript.mjs test/contact/solvers/conesTable.ts [COUNT]
 */
import { ContactProjectedGaussSeidel, NewtonSolver, UNKNOWN_MODE } from '../../../contact/solvers/index.ts'
import { randomContacts, tower, velocities } from './contactProblems.ts'
import { clock, print } from './tables.ts'

const count = Number(process.argv[2] ?? 200)
const tolerance = 1e-8
const limit = 5000
const laws = ['cone', 'associated'] as const
const solversOf = (law: (typeof laws)[number]) => [
  new NewtonSolver(law, 4, tolerance),
  ...(['none', 'anderson'] as const).map(
    (acceleration) => new ContactProjectedGaussSeidel({ law, tolerance, limit, acceleration }),
  ),
]

const classes = {
  'mu to 1, masses 1:10': (seed: number) => randomContacts(seed, 1 + (seed % 30), { spread: 0.5 }),
  'mu to 1, masses 1:1000': (seed: number) => randomContacts(seed, 1 + (seed % 30), { spread: 1.5 }),
  'mu to 2, masses 1:1000': (seed: number) => randomContacts(seed, 1 + (seed % 30), { spread: 1.5, mu: 2 }),
}
for (const law of laws) {
  for (const [name, make] of Object.entries(classes)) {
    const cells: (string | number)[] = [law, name]
    for (const solver of solversOf(law)) {
      let solved = 0
      for (let seed = 0; seed < count; seed++) {
        const problem = make(seed)
        const mode = new Int8Array(problem.groupCount).fill(UNKNOWN_MODE)
        if (solver.solve(problem, new Float64Array(problem.rowCount), mode) === 'solved') solved++
      }
      cells.push(`${((100 * solved) / count).toFixed(1)}`)
    }
    print(cells)
  }
}

const scenes = {
  'tower at rest': (contacts: number) => tower(contacts, 0),
  'pile, sliding': (contacts: number) => randomContacts(contacts, contacts, { spread: 0.2, mu: 0.8, frictionalAlone: true }),
}
for (const [name, make] of Object.entries(scenes)) {
  for (const contacts of [4, 8, 16, 32, 64, 200]) {
    const problem = make(contacts)
    const plain = problem.right.slice()
    // velocities that differ as those of bodies do: by W times something small
    const size = Math.max(...plain.map(Math.abs))
    const neighbours = Array.from({ length: 5 }, (_, k) => {
      const push = Float64Array.from({ length: problem.rowCount }, (_x, r) => ((k + r) % 3) - 1)
      const by = velocities(problem, push).map((u, r) => u - plain[r])
      const most = Math.max(...by.map(Math.abs))
      return plain.map((b, r) => b + (1e-3 * size * by[r]) / most)
    })
    const cells: (string | number)[] = [name, contacts]
    for (const solver of solversOf('cone')) {
      const p = new Float64Array(problem.rowCount)
      const mode = new Int8Array(contacts)
      const times = [true, false].map((cold) => {
        const least = contacts < 64 ? 200 : 2
        const end = clock() + 150e3
        let [solves, solved] = [0, 0]
        const from = clock()
        while (solves < least ? clock() < end + 850e3 : clock() < end) {
          if (cold) {
            p.fill(0)
            mode.fill(UNKNOWN_MODE)
          }
          problem.right.set(neighbours[solves % 5])
          if (solver.solve(problem, p, mode) === 'solved') solved++
          solves++
        }
        const time = (clock() - from) / solves
        return solved < solves / 2 ? '-' : `${Number(time.toPrecision(2))}`
      })
      cells.push(times.every((time) => time === '-') ? '-' : times.join(', '))
    }
    print(cells)
  }
}
