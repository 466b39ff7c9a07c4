import { onFeatures } from '../../../cases/papers/peg/models.ts'
import { contactModels } from '../../../contact/index.ts'
import { print } from '../solvers/tables.ts'
import { tallyOf } from './cornerStep.ts'

/*
 * The table of docs/results.md: two convex bodies that meet corner-on, one step under each model.
 *
 *   node --import ./scripts/typescript.mjs test/contact/peg/cornersTable.ts [COUNT [MODEL]]
 */

const stiff = { compliance: 1e-12 }
const allNear = { ...stiff, activeDistance: Number.POSITIVE_INFINITY }
const models = [
  ['peg', 'peg', { ...stiff, gapTolerance: 5e-9 }],
  ['peg, passes 0', 'peg', { ...stiff, passes: 0 }],
  ['lnc', 'lnc', stiff],
  ['stewart-trinkle', 'stewart-trinkle', stiff],
  ['stewart-trinkle on features', onFeatures(contactModels['stewart-trinkle']), stiff],
  ['anitescu-potra', 'anitescu-potra', stiff],
  ['anitescu-potra, all near', 'anitescu-potra', allNear],
  ["peg with the paper's constraints", 'peg', { ...stiff, constraints: 'literal' }],
] as const

const seeds = Array.from({ length: Number(process.argv[2] ?? 10_000) }, (_, seed) => seed)
print(['', 'overlap', 'legal, changed', 'pushed, apart', 'through', 'fallbacks'])
print(Array(6).fill('---'))
for (const [name, model, options] of models) {
  if (process.argv[3] !== undefined && process.argv[3] !== name) continue
  const { overlap, changed, legal, apart, through, fallbacks } = tallyOf(seeds, model, options)
  print([
    `${name} (${seeds.length} steps)`,
    overlap.length,
    `${changed.length} of ${legal.length}`,
    apart.length,
    through.length,
    `${fallbacks.length}: ${fallbacks.slice(0, 12).join(' ')}`,
  ])
}
