/**
 * Scenes whose verdict a mechanician would sign. A few models for a short time; all of them, and all scenes as they stand, with
 * FEATHERBED_FULL=1.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { compare } from '../../compare/judge/compare.ts'
import type { LimitName, VerdictState } from '../../compare/judge/verdict.ts'
import { canUseThreads } from '../../compare/run/pool.ts'
import { parseScenario } from '../../compare/scenario/index.ts'
import { resolvePaths } from '../../compare/scenario/world/files.ts'
import { full } from '../dailyModels.ts'

const folder = fileURLToPath(new URL('../../docs/examples/verdicts/', import.meta.url))

interface Signed {
  readonly state: VerdictState
  /** Models that have to be out at every step, and for what, among others. */
  readonly out: Readonly<Record<string, LimitName>>
  /** Models that have to keep the laws and the limits at the smallest step. */
  readonly fit: readonly string[]
  /** The step that has to be taken [s]. */
  readonly dt?: number
  /** How the scene is made shorter, with these models; without it, it is left to the full run. */
  readonly short?: Readonly<Record<string, unknown>>
}

const signed: Readonly<Record<string, Signed>> = {
  // friction throws the box up; MuJoCo's trembles
  kick: {
    state: 'take',
    out: { convex: 'signorini', mujoco: 'signorini' },
    fit: ['lcp', 'ncp'],
    short: { models: ['convex', 'mujoco', 'lcp', 'ncp'], dt: 2e-3, duration: 0.1 },
  },
  // the hypotheses of Poisson, of Stronge and of dampers are different laws of an impact with friction
  kane: {
    state: 'undecided',
    out: { mujoco: 'inputs' },
    fit: ['lcp', 'ncp'],
    short: { models: ['mujoco', 'hunt-crossley', 'lcp', 'ncp'], dt: 1e-3, duration: 0.1 },
  },
  puck: {
    state: 'take',
    out: { convex: 'signorini', mujoco: 'signorini' },
    fit: ['penalty', 'lcp', 'ncp'],
    short: { models: ['convex', 'mujoco', 'penalty', 'lcp', 'ncp'], dt: 2e-3, duration: 0.1 },
  },
  // springs have no load to hold the block with when it is set down, and static friction is lost
  static: {
    state: 'take',
    out: { penalty: 'tracking', mujoco: 'tracking' },
    fit: ['lcp', 'ncp'],
    short: { models: ['penalty', 'mujoco', 'lcp', 'ncp'], dt: 2e-3, duration: 0.2 },
  },
  bounce: { state: 'take', out: { 'hunt-crossley': 'restitution', mujoco: 'penetration' }, fit: ['lcp', 'ncp'] },
  roll: { state: 'take', out: { mujoco: 'signorini' }, fit: ['penalty', 'lcp', 'ncp', 'convex'] },
  diagonal: { state: 'take', out: { convex: 'signorini', mujoco: 'signorini' }, fit: ['penalty', 'lcp', 'ncp'] },
  hold: { state: 'take', out: { mujoco: 'tracking' }, fit: ['lcp', 'ncp', 'convex'] },
  stack: { state: 'take', out: { lnc: 'tunnelling' }, fit: ['lcp', 'ncp', 'stewart-trinkle'] },
  upslope: { state: 'take', out: { convex: 'signorini' }, fit: ['lcp', 'ncp'] },
  spin: { state: 'take', out: {}, fit: ['lcp', 'ncp'] },
  // all at once they share the speed, one after the other they pass it on
  cradle: { state: 'take', out: { lcp: 'tracking', ncp: 'tracking' }, fit: ['stewart-trinkle', 'anitescu-potra'] },
  soft: { state: 'take', out: { penalty: 'penetration' }, fit: ['lcp', 'ncp'] },
  coarse: { state: 'take', out: {}, fit: ['lcp', 'ncp'], dt: 1e-3 },
  fall: { state: 'take', out: {}, fit: ['penalty', 'hunt-crossley', 'lcp', 'ncp'] },
}

for (const [name, { state, out, fit, dt, short }] of Object.entries(signed)) {
  test.runIf(full || short)(`${name}: ${state}`, async () => {
    const file = `${folder}${name}.yaml`
    const scenario = resolvePaths(await parseScenario(readFileSync(file, 'utf8'), file, full ? {} : short), file)
    const { results } = await compare(scenario, { threads: canUseThreads() ? undefined : 0 })
    const [verdict] = results.verdicts
    expect(verdict, verdict.sentence).toMatchObject(dt === undefined ? { state } : { state, dt })
    for (const [model, limit] of Object.entries(out)) {
      const missed = verdict.missed.filter((pair) => pair.model === model)
      expect(missed, `${model}: ${verdict.sentence}`).toHaveLength(scenario.dt.length)
      for (const { limits } of missed) expect(limits.map((one) => one.limit)).toContain(limit)
    }
    for (const model of fit) {
      const isOut = verdict.missed.some((pair) => pair.model === model && pair.dt === scenario.dt[0])
      expect(isOut, `${model}: ${verdict.sentence}`).toBe(false)
    }
  })
}

test('every scene of the folder has a verdict that is signed', () => {
  const scenes = readdirSync(folder).filter((file) => file.endsWith('.yaml'))
  expect(
    Object.keys(signed)
      .map((name) => `${name}.yaml`)
      .sort(),
  ).toEqual(scenes.sort())
})
