import { TestForceMatrix } from '../../contact/index.ts'
import {
  type ComplementaritySolverName,
  type ContactSolverName,
  complementaritySolvers,
  contactSolvers,
  UNKNOWN_MODE,
} from '../../contact/solvers/index.ts'
import { combineModels, createData, createRandom, createState, kinematics } from '../../dynamics/index.ts'
import { randomContacts } from '../contact/solvers/contactProblems.ts'
import { corpusProblem, problemClasses } from '../contact/solvers/corpus.ts'
import { daily } from '../dailyModels.ts'
import { randomState, randomTree, randomUnit, randomVector } from '../dynamics/randomTree.ts'
import type { Running, Subject } from './subject.ts'

/** A few problems of every class, each solved from nothing and from the answer. */
function complementarity(name: ComplementaritySolverName): Running {
  const solver = complementaritySolvers[name]()
  const problems = Object.keys(problemClasses).flatMap((kind) => [0, 1, 2, 3].map((index) => corpusProblem(kind, 31, index)))
  const chosen = problems.filter(({ n }) => n <= (name === 'enumeration' ? 7 : 18))
  const nothingKnown = new Float64Array(30)
  const start = new Float64Array(30)
  return {
    units: 2 * chosen.length,
    step() {
      for (let k = 0; k < chosen.length; k++) {
        const { n, A, b, free } = chosen[k]
        solver.solve(n, A, b, free, nothingKnown)
        for (let i = 0; i < n; i++) start[i] = solver.z[i]
        solver.solve(n, A, b, free, start)
      }
    },
  }
}

/** Warm and cold solves, sticking and sliding ones, and ones that are hard. */
function contacts(name: ContactSolverName): Running {
  const solvers = (['cone', 'associated', 'pyramid'] as const)
    .map((law) => contactSolvers[name](law, 4))
    .filter((solver) => solver !== undefined)
  const problems = Array.from({ length: 24 }, (_, seed) => {
    const problem = randomContacts(seed, 1 + (seed % 6), { soft: 1e-2, mu: 0.7, spread: 0.5 })
    return {
      problem,
      plain: problem.rhs.slice(),
      p: new Float64Array(problem.rowCount),
      mode: new Int8Array(problem.groupCount).fill(UNKNOWN_MODE),
    }
  })
  let count = 0
  return {
    step() {
      const { problem, plain, p, mode } = problems[count % problems.length]
      const round = Math.floor(count / problems.length)
      for (let r = 0; r < plain.length; r++) problem.rhs[r] = plain[r] * (1 + 0.01 * ((round + r) % 5))
      if (round % 7 === 0) {
        p.fill(0)
        mode.fill(UNKNOWN_MODE)
      }
      for (let k = 0; k < solvers.length; k++) solvers[k].solve(problem, p, mode)
      count++
    },
  }
}

/** Test forces: rounds of begin and build, on sets of rows that come and go. */
function matrices(): Running {
  const random = createRandom(5)
  const one = randomTree(random, { bodies: 12, floating: true })
  const models = [
    one,
    combineModels('two trees', [
      { model: one, prefix: 'a ' },
      { model: one, prefix: 'b ' },
    ]),
    randomTree(random, { bodies: 30 }),
  ]
  const subjects = models.map((model) => {
    const data = createData(model)
    kinematics(model, { ...createState(model), q: randomState(random, model).q }, data)
    const rows = Array.from({ length: 15 }, () => ({
      bodies: [random.index(model.nb), random.index(model.nb)],
      point: randomVector(random, 3),
      axis: Float64Array.from(randomUnit(random)),
    }))
    return { model, matrix: new TestForceMatrix(model), data, added: randomVector(random, model.nv).map(Math.abs), rows }
  })
  const W = new Float64Array(15 * 15)
  let k = 0
  return {
    seen: () => k,
    step() {
      const { model, matrix, data, added, rows } = subjects[k % subjects.length]
      matrix.begin(data, added)
      for (let n = 0; n < 3 * (k % 6); n++) {
        const { bodies, point, axis } = rows[n]
        if (n % 5 === 4) matrix.addJoint(n % model.nv, 1)
        else if (n % 5 === 3) matrix.addCouple(bodies[0], bodies[1], axis, 0)
        else matrix.addForce(bodies[0], bodies[1], point, 0, axis, 0)
      }
      matrix.build(W)
      k++
    },
  }
}

const complementarityOf = (name: ComplementaritySolverName): Subject => ({
  name: `${name}: solves of problems of every class allocate nothing`,
  // windows of two, where problems without an answer take thousands of steps
  steps: 2,
  limit: 200,
  bounds: { growth: Number.POSITIVE_INFINITY },
  setup: () => complementarity(name),
})

const subjects: Subject[] = [
  ...(['newton', 'contact-pgs', 'contact-pgs-anderson'] as const).map((name) => ({
    suite: 'in a process of its own',
    name: `${name}: warm solves allocate nothing`,
    steps: 500,
    limit: 32_000,
    setup: () => contacts(name),
  })),
  {
    suite: 'allocation',
    name: 'test forces: 500 matrices of contacts that come and go allocate nothing',
    steps: 500,
    limit: 11_000,
    bounds: { quietest: 2, middle: 4, growth: 10 },
    seen: 0,
    setup: matrices,
  },
]

const complementarityNames = daily(Object.keys(complementaritySolvers) as ComplementaritySolverName[], 3)

/** Complementarity solvers by themselves: what they share is compiled for the one that ran first. */
export const groups: Readonly<Record<string, readonly Subject[]>> = {
  ...Object.fromEntries(complementarityNames.map((name) => [name, [complementarityOf(name)]])),
  contacts: subjects,
}
