/*
 * node --import ./scripts/typescript.mjs test/fit/syntheticCubes.run.ts [CUBES]
 *
 * Of cubes tossed by other laws than the one fitted: how often the truth lies in its stated interval, and what is refused (docs/tosses.md).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fitOf } from '../../cases/fit/fit.ts'
import { median } from '../../compare/measure/statistics.ts'
import { Random } from '../../compare/scenario/world/random.ts'
import { type Cube, randomCube, sceneOf, tossed } from './syntheticTosses.ts'

const laws = ['penalty', 'mujoco', 'lcp', 'drake', 'convex', 'stewart-trinkle', 'anitescu-potra', 'peg']
const ranges: Record<keyof Cube | 'mass', readonly [number, number]> = {
  mu: [0.05, 0.5],
  cx: [-0.01, 0.01],
  cz: [-0.015, 0.015],
  s: [0.95, 1.05],
  I: [0.5e-3, 1.4e-3],
  r: [0.0001, 0.008],
  mass: [0.2, 0.6],
}
const vary = Object.entries(ranges).map(([name, [from, to]]) => ({ name, from, to }))
const cubes = Number(process.argv[2] ?? 50)
const folder = mkdtempSync(join(tmpdir(), 'featherbed-cubes-'))
const logOf = (k: number) => join(folder, `tosses${k}.jsonl`)
const found = vary.map(() => ({ inside: 0, refused: 0, errors: [] as number[], widths: [] as number[] }))
try {
  for (let k = 0; k < cubes; k++) {
    const random = new Random(k, 7)
    const cube = randomCube(random)
    const own = logOf(k)
    await tossed(own, cube, laws[k % laws.length], 12, 0.15, random)
    const { values, intervals, isDetermined } = await fitOf({
      ...{ source: sceneOf(own), file: 'cubes.yaml', vary, column: 'ncp', dt: 2e-3, generations: 8 },
    })
    for (const [i, { name }] of vary.entries()) {
      const truth = cube[name as keyof Cube]
      const [low, high] = intervals[i]
      if (truth >= low && truth <= high) found[i].inside++
      if (!isDetermined[i]) found[i].refused++
      found[i].errors.push(Math.abs(values[i] - truth))
      found[i].widths.push(high - low)
    }
    console.error(`${k + 1} of ${cubes}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}
console.log('| parameter | truth in its interval | refused | median error | median width |')
for (const [i, { name }] of vary.entries()) {
  const { inside, refused, errors, widths } = found[i]
  console.log(`| ${name} | ${inside} | ${refused} | ${median(errors)} | ${median(widths)} |`)
}
