/** Rates of success with their interval, and the borders of a sweep. */
import { describe, expect, test } from 'vitest'
import { type AnsweredRun, answerOf } from '../../../compare/judge/answer.ts'
import { compare } from '../../../compare/judge/compare.ts'
import { wilson } from '../../../compare/measure/statistics.ts'
import { checkScenario } from '../../../compare/scenario/index.ts'
import { materialPairs } from '../../../compare/scenario/materials.ts'
import { pageOf } from '../reportFixtures.ts'

/** As runs of one seed each. */
function runsOf(
  model: string,
  dt: number,
  seeds: number,
  succeeds: (variant: Record<string, unknown>, seed: number) => boolean,
  variants: Record<string, unknown>[] = [{}],
) {
  return variants.flatMap((variant) =>
    Array.from({ length: seeds }, (_, seed): AnsweredRun => {
      return { model, dt, variant, missed: [], outcome: { measures: {}, success: succeeds(variant, seed) } }
    }),
  )
}
const grid = (frictions: readonly unknown[], masses: readonly unknown[]) =>
  frictions.flatMap((friction) => masses.map((mass) => ({ 'physical.friction': friction, 'bodies.bar.mass': mass })))
const friction = (variant: Record<string, unknown>) => variant['physical.friction'] as number

test('the interval of a rate has the figures that Wilson and textbooks have', () => {
  const rounded = (good: number, n: number) => wilson(good, n).map((x) => Number(x.toFixed(4)))
  // Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998), Table I, method 3
  expect(rounded(81, 263)).toEqual([0.2553, 0.3662])
  expect(rounded(15, 148)).toEqual([0.0624, 0.1605])
  expect(rounded(0, 20)).toEqual([0, 0.1611])
  expect(rounded(1, 29)).toEqual([0.0061, 0.1718])
})

describe('the answer', () => {
  test('is the rate over seeds, of pairs with the same rate together', () => {
    const runs = [
      ...runsOf('ncp', 5e-3, 20, (_, seed) => seed > 0),
      ...runsOf('lcp', 5e-3, 20, (_, seed) => seed > 0),
      ...runsOf('mujoco', 1e-3, 20, () => false),
    ]
    expect(answerOf(runs)?.lines).toEqual([
      'ncp and lcp at 5 ms succeed in 19 of 20 runs (76 to 99 %)',
      'mujoco at 1 ms succeeds in 0 of 20 runs (0 to 16 %)',
    ])
  })

  test('is the border over one quantity', () => {
    const variants = grid([0.5, 0.1, 0.35], ['1 kg'])
    const above = (least: number) => runsOf('ncp', 1e-3, 1, (variant) => friction(variant) >= least, variants)
    expect(answerOf(above(0.3))?.lines).toEqual(
      ['ncp at 1 ms succeeds for friction >= 0.35 (not at 0.1) at mass 1 kg'].map((line) => line.replace(' at mass 1 kg', '')),
    )
    expect(answerOf(above(0))?.lines[0]).toMatch(/ everywhere$/)
    expect(answerOf(above(1))?.lines[0]).toMatch(/nowhere/)
    expect(answerOf(runsOf('ncp', 1e-3, 1, (variant) => friction(variant) !== 0.35, variants))?.lines[0]).toMatch(
      /for friction 0.1 and 0.5/,
    )
  })

  test('is the border over two quantities, and some seeds are said', () => {
    const variants = grid([0.2, 0.4], ['1 kg', '2 kg'])
    const runs = runsOf(
      'ncp',
      1e-3,
      4,
      (variant, seed) => friction(variant) > 0.3 || (variant['bodies.bar.mass'] === '1 kg' && seed > 0),
      variants,
    )
    expect(answerOf(runs)?.lines).toEqual([
      'ncp at 1 ms succeeds in some seeds only at friction 0.2; for every mass at friction 0.4',
    ])
  })

  test('without a success is where every law and limit is kept; an option of a model makes pairs', () => {
    const runs = [0.1, 0.5].flatMap((friction) =>
      [0.8, 0.9].map((lambda): AnsweredRun => {
        const variant = { 'physical.friction': friction, 'models.penalty.lambda': lambda }
        return { model: 'penalty', dt: 1e-3, variant, missed: friction * lambda > 0.4 ? ['cone'] : [] }
      }),
    )
    expect(answerOf(runs)?.lines).toEqual([
      'penalty with lambda 0.8 at 1 ms holds everywhere',
      'penalty with lambda 0.9 at 1 ms holds for friction <= 0.1 (not at 0.5)',
    ])
    expect(answerOf(runs.map((run) => ({ ...run, variant: null })))).toBeNull()
  })
})

describe('of a real sweep', () => {
  const incline = (more: object) =>
    checkScenario({
      bodies: [{ name: 'box', shape: { type: 'box', size: [0.1, 0.1, 0.02] }, mass: 1, position: [0, 0, 0.01] }],
      gravity: [9.81 * Math.sin(0.3), 0, -9.81 * Math.cos(0.3)],
      duration: 0.2,
      dt: 5e-3,
      models: ['ncp', 'convex'],
      measure: { slipped: { body: 'box', on: 'ground' } },
      success: 'slipped < 1 mm',
      ...more,
    })

  test('the border is at the tangent of the slope, and stands in verdict, results and report', async () => {
    const friction = [0.25, 0.3, 0.32, 0.4] // tan 0.3 = 0.309
    const made = await compare(await incline({ sweep: { 'physical.friction': friction } }), { threads: 0, timing: false })
    const [verdict] = made.results.verdicts
    const line = 'ncp and convex at 5 ms succeed for friction >= 0.32 (not at 0.3)'
    expect(verdict.answer?.lines).toEqual([line])
    expect(verdict.sentence).toContain(`Answer: ${line}.`)
    expect(made.results.runs.map(({ outcome }) => outcome?.success)).toEqual([false, false, false, false, true, true, true, true])
    const page = pageOf({ results: made.results, plots: made.plots } as never, 'a command')
    expect(page.indexOf('class="answer"')).toBeLessThan(page.indexOf('class="verdict'))
    const missing = [line.replace('>=', '&gt;=').replaceAll(/(\d) ms/g, '$1\u00a0ms'), 'The pair to take', 'slipped [mm]'].filter(
      (words) => !page.includes(words),
    )
    expect(missing).toEqual([])
    expect(page.length).toBeLessThan(3e6)
  })

  test('a pair of materials is stated by name, and what stands beside it stays', async () => {
    const bodies = (more: object) => [
      { name: 'box', shape: { type: 'box', size: [1, 1, 1] }, mass: 1, position: [0, 0, 0.5], ...more },
    ]
    const read = async (more: object) => (await incline({ bodies: bodies(more) })).bodies[0]
    expect(await read({ pair: ['concrete', 'rubber'] })).toMatchObject({ friction: 0.75, staticFriction: 1 })
    expect(await read({ pair: ['rubber', 'concrete', 'wet'], friction: 0.5 })).toMatchObject({
      friction: 0.5,
      staticFriction: 0.6,
    })
    await expect(read({ pair: ['rubber', 'concret'] })).rejects.toThrow(
      /pair: found \["rubber","concret"\], expected one of .*Did you mean rubber, concrete/,
    )
    await expect(read({ pair: ['PTFE', 'steel'], friction: 0.5 })).rejects.toThrow(/staticFriction/)
    const ground = (await incline({ ground: { pair: ['steel', 'steel', 'oiled'] } })).ground
    const obstacles = (await incline({ obstacles: [{ type: 'sphere', radius: 1, pair: ['steel ball', 'hard floor'] }] }))
      .obstacles
    expect([ground?.friction, obstacles[0].restitution]).toEqual([0.06, 0.6])
    expect(ground).not.toHaveProperty('pair')
    for (const { surface } of materialPairs) expect(surface.staticFriction ?? 9).toBeGreaterThanOrEqual(surface.friction ?? 0)
  })
})
