import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResultsFile } from '../../compare/judge/compare.ts'
import { featherbed, onlyComparison, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const scene = folder.write(
  'slide.yaml',
  `bodies: [{ name: box, shape: { type: box, size: [0.2, 0.2, 0.2] }, mass: 1, position: [0, 0, 0.1], linearVelocity: [1, 0, 0] }]
ground: { friction: 0.5 }
measure: { moved: { kind: slipped, body: box, on: ground } }
duration: 0.1 s
dt: [1 ms, 2 ms]
models: [penalty, stewart-trinkle]`,
)
const args = ['compare', scene, '--no-timing', '--quiet']
/** v t - mu g t² / 2 */
const moved = 0.1 - 0.25 * 9.81 * 0.01

test('--error-bars puts a bar on each figure, which holds its truth', async () => {
  const out = join(folder.path, 'bars')
  const { stdout } = await featherbed([...args, '--error-bars', '--out', out])
  expect(stdout).toMatch(/stewart-trinkle +2 ms .*\d ± [\d.e-]+ mm .* 75[\d.]* ± [\d.]+ mm/)
  expect(stdout).toContain('No order, no bar.')
  expect(readFileSync(join(out, 'report.html'), 'utf8')).toMatch(/75[\d.]* ± [\d.]+\s?mm/)
  const file = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as ResultsFile
  for (const { model, dt, bars = {}, outcome, metrics } of file.comparisons[0].runs) {
    const of = `${model} at ${dt}`
    const value = outcome?.measures.moved.value as number
    expect(Math.abs(value - moved), of).toBeLessThanOrEqual(bars['measures.moved'] as number)
    // rigid contact sinks by nothing
    expect(metrics?.penetrationMax_m, of).toBeLessThanOrEqual(bars.penetrationMax_m as number)
    expect(bars, of).toMatchObject({ tracking: expect.any(Number), energy: expect.any(Number) })
  }
})

test('without it nothing is run more, and runs have the same bits with it', async () => {
  const plain = await featherbed(args)
  expect(plain.stdout).not.toContain('±')
  const [without, withBars] = [await featherbed([...args, '--json']), await featherbed([...args, '--json', '--error-bars'])]
  const { runs, verdicts } = onlyComparison(withBars.stdout)
  const known = onlyComparison(without.stdout)
  expect(known.runs.some((run) => 'bars' in run)).toBe(false)
  expect(runs.map(({ bars: _, ...run }) => run)).toEqual(known.runs)
  expect(verdicts).toEqual(known.verdicts)
})
