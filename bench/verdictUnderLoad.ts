/*
 * npm run bench -- verdict-under-load [RUNS] [LOOPS] [ARGUMENTS OF compare]
 *
 * Whether a verdict holds on a busy machine: so many comparisons (10) beside so many busy loops (4), one after the other, and for each
 * robot the verdicts with their counts, and by how much the costs of each pair differ from comparison to comparison over what all of
 * them differ by, against the spread that they state. Builds first. Default: the scenes of `npm run compare`.
 *
 * Each comparison is a process of its own. Runs end in the same bits every time: the first comparison keeps them, and the others take only
 * their times anew.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ResultsFile } from '../compare/index.ts'

const scenes = 'docs/examples/default'
/** Keeps the finished jobs of a comparison when it ends; the command itself removes them. */
const keeping = `
import { JobStore } from '${new URL('../dist/command/compare/run/jobStore.js', import.meta.url)}'
JobStore.prototype.remove = () => {}
await import('${new URL('../dist/command/compare/cli/main.js', import.meta.url)}')
`

export function verdictUnderLoad(args: readonly string[]): void {
  const first = args.findIndex((arg) => !/^\d+$/.test(arg))
  const counts = args.slice(0, Math.min(2, first < 0 ? 2 : first))
  const [runs = 10, loops = 4] = counts.map(Number)
  const rest = args.slice(counts.length)
  const compared =
    rest.length > 0 ? rest : readdirSync(scenes).flatMap((file) => (file.endsWith('.yaml') ? [`${scenes}/${file}`] : []))
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-under-load-'))
  const script = join(folder, 'compare.mjs')
  writeFileSync(script, keeping)
  execFileSync('npm', ['run', '--silent', 'build:core'], { stdio: 'inherit' })
  const busy: ChildProcess[] = Array.from({ length: loops }, () =>
    spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' }),
  )
  const results: ResultsFile[] = []
  try {
    for (let run = 0; run < runs; run++) {
      const begin = performance.now()
      const flags = ['--json', '--quiet', '--resume', '--out', folder]
      const text = execFileSync(process.execPath, [script, 'compare', ...compared, ...flags], {
        maxBuffer: 2 ** 30,
        encoding: 'utf8',
      })
      const file = JSON.parse(text) as ResultsFile
      results.push(file)
      const verdicts = file.comparisons.flatMap((comparison) => comparison.verdicts)
      console.log(`${run + 1}. ${((performance.now() - begin) / 1e3).toFixed(0)} s, load ${file.machine.load.toFixed(1)}`)
      for (const { sentence } of verdicts) console.log(`   ${sentence}`)
    }
  } finally {
    for (const loop of busy) loop.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  console.log()
  for (const [text, count] of countsOf(results)) console.log(`${count} of ${runs}: ${text}`)
  console.log(costText(results))
}

/** How often each robot had each verdict. */
function countsOf(results: readonly ResultsFile[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { comparisons } of results) {
    for (const { robot, state, set } of comparisons.flatMap(({ verdicts }) => verdicts)) {
      const text = `${robot}: ${state} ${set.map(({ model, dt }) => `${model} at ${1e3 * dt} ms`).join(', ')}`
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
  }
  return counts
}

/** By how much costs differ once the speed that all runs of a comparison share is divided out. */
function costText(results: readonly ResultsFile[]): string {
  const costs = results.map(({ comparisons }) => comparisons.flatMap(({ runs }) => runs.map(({ cost }) => cost)))
  const whole = costs[0].map((_, i) => i).filter((i) => costs.every((own) => own[i] !== null))
  const shared = costs.map((own) => Math.exp(meanOf(whole.map((i) => Math.log(own[i]?.perSecond as number)))))
  const ratios = whole.map((i) => {
    const relative = costs.map((own, k) => (own[i]?.perSecond as number) / shared[k])
    return Math.max(...relative) / Math.min(...relative)
  })
  const sorted = ratios.toSorted((a, b) => a - b)
  const spreads = whole.flatMap((i) => costs.map((own) => own[i]?.spread as number)).sort((a, b) => a - b)
  const middle = <T>(values: readonly T[]) => values[values.length >> 1]
  return `costs of ${whole.length} pairs, largest over least: median ${middle(sorted)?.toFixed(3)}, worst ${sorted.at(-1)?.toFixed(3)}; stated spread: median ${middle(spreads)?.toFixed(3)}, worst ${spreads.at(-1)?.toFixed(3)}; all together ${(Math.max(...shared) / Math.min(...shared)).toFixed(2)}`
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
