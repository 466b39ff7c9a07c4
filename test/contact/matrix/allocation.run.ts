/*
 * Run by allocation.test.ts in a process of its own, with the NAME of a matrix. Prints what windows of 500 rounds of begin and
 * build allocated, on sets of rows that come and go.
 */
import { type ContactMatrix, type ContactMatrixName, createContactMatrix, RowSet } from '../../../contact/index.ts'
import { combineModels, createData, createRandom, createState, kinematics, type Model } from '../../../dynamics/index.ts'
import { measureWindows } from '../../allocation.ts'
import { randomState, randomTree, randomUnit, randomVector } from '../../dynamics/randomTree.ts'

const random = createRandom(5)

interface Subject {
  readonly matrix: ContactMatrix
  readonly begin: () => void
  readonly sets: readonly RowSet[]
  readonly W: Float64Array
}

function subjectOf(name: ContactMatrixName, model: Model): Subject {
  const state = createState(model)
  state.q.set(randomState(random, model).q)
  const data = createData(model)
  kinematics(model, state, data)
  const added = randomVector(random, model.nv).map(Math.abs)
  const sets = Array.from({ length: 6 }, (_, n) => {
    const rows = new RowSet()
    for (let e = 0; e < 3 * n; e++) {
      if (e % 5 === 4) {
        rows.addJoint(random.index(model.nv), 1)
        continue
      }
      const i = rows.addForce(e % 2 === 0 ? 0 : random.index(model.nb), random.index(model.nb), e % 3 === 0 ? 1 : 3)
      rows.point.set(randomVector(random, 3), 3 * i)
      for (let r = 0; r < 3; r++) rows.axes.set(randomUnit(random), 9 * i + 3 * r)
    }
    return rows
  })
  const matrix = createContactMatrix(name, model)
  return {
    matrix,
    begin: () => matrix.begin(data, added),
    sets,
    W: new Float64Array(45 * 45),
  }
}

const name = process.argv[2] as ContactMatrixName
const one = randomTree(random, { bodies: 12, floating: true })
const models = [
  one,
  combineModels('two trees', [
    { model: one, prefix: 'a ' },
    { model: one, prefix: 'b ' },
  ]),
  randomTree(random, { bodies: 30 }),
]
const subjects = models.map((model) => subjectOf(name, model))

function run(rounds: number): void {
  for (let k = 0; k < rounds; k++) {
    const { matrix, begin, sets, W } = subjects[k % subjects.length]
    const rows = sets[k % sets.length]
    begin()
    matrix.build(rows, W)
  }
}
run(6_000)
process.stdout.write(JSON.stringify({ ...(await measureWindows(() => run(500))), x: subjects[0].W[0] }))
