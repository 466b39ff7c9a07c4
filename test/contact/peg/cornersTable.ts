import { mkdirSync, writeFileSync } from 'node:fs'
import { print } from '../solvers/tables.ts'
import { type Count, contenders, judge, questionOf, Tally } from './tally.ts'

/*
 * The table of docs/results.md: two convex bodies that meet corner-on, one step under each model.
 *
 *   node --import ./scripts/typescript.mjs test/contact/peg/cornersTable.ts [COUNT] [MODEL|all] [FOLDER]
 *
 * Into FOLDER go the problems of the steps that took a fallback under peg, by their seeds.
 */

const count = Number(process.argv[2] ?? 10_000)
const wanted = process.argv[3] ?? 'all'
const folder = process.argv[4]
/** Random motions that are tried in the place of each answer of peg. */
const trials = 32

const share = (n: number, of: number) => `${n} (${((100 * n) / Math.max(1, of)).toFixed(2)} %)`
const most = ({ count: n, most: largest, seed }: Count, unit = '') =>
  n === 0 ? '0' : `${n}, ${largest.toPrecision(2)}${unit} (seed ${seed})`

const tallies = new Map(
  contenders.filter(({ name }) => wanted === 'all' || name === wanted).map((c) => [c, new Tally()] as const),
)
const byFeatures = new Map<string, Tally>()
for (let seed = 0; seed < count; seed++) {
  const question = questionOf(seed)
  for (const [contender, tally] of tallies) {
    const judged = judge(question, contender, contender.model === 'peg' ? trials : 0)
    tally.add(judged, contender.hasGaps)
    if (contender.model !== 'peg') continue
    if (contender.name === 'peg') {
      const { features, planar } = question.corner
      const key = `${features}${planar ? ', in the plane' : ''}`
      if (!byFeatures.has(key)) byFeatures.set(key, new Tally())
      byFeatures.get(key)!.add(judged, true)
    }
    if (folder === undefined || !judged.fellBack) continue
    mkdirSync(folder, { recursive: true })
    const file = `${folder}/${contender.name.replaceAll(/[^a-z]+/g, '-')}-${seed}.json`
    writeFileSync(file, JSON.stringify(judged.outcome.problem() ?? null))
  }
}

print([
  '',
  'overlap',
  'legal, changed',
  'nearer legal',
  'beside',
  'from afar',
  'through',
  'gap',
  'p gap',
  'rules',
  'fallbacks',
  'looks',
])
print(Array(12).fill('---'))
for (const [{ name }, tally] of tallies) print(rowOf(name, tally))
process.stdout.write('\n')
for (const [name, tally] of [...byFeatures].sort()) print(rowOf(name, tally))

function rowOf(name: string, tally: Tally): (string | number)[] {
  const { steps, legal, looks, mostLooks, fallbacks } = tally
  return [
    `${name} (${steps} steps, ${tally.pushed} pushed)`,
    most(tally.overlap, ' m'),
    `${most(tally.trapped)} of ${legal}`,
    `${most(tally.nearer)} of ${tally.tried}`,
    most(tally.aside, ' m'),
    most(tally.apart, ' m'),
    most(tally.through, ' m'),
    most(tally.gapMissed, ' m'),
    most(tally.product),
    `${most(tally.forbidden)}; M dv ${most(tally.momentum)}`,
    `${share(fallbacks.length, steps)}, ${tally.failures} failures: ${fallbacks.slice(0, 12).join(' ')}`,
    `${(looks / steps).toFixed(1)}, ${mostLooks}`,
  ]
}
