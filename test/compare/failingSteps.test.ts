/** A contact model whose solver fails in some steps: what a run and a comparison keep of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compare } from '../../compare/judge/compare.ts'
import { doJob } from '../../compare/run/run.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import { type CreateContactModel, contactModels, type SavedProblem } from '../../contact/index.ts'
import { blockUrdf, temporaryFolder } from './command.ts'

const block = temporaryFolder().write('block.urdf', blockUrdf)
const real = contactModels['stewart-trinkle']
/** Steps, from 1, that fail and that a fallback answers. */
const failing = [3, 5, 6, 8]
const falling = [2, 4]

const failsNowAndThen: CreateContactModel = (context, options) => {
  const model = real(context, options)
  let steps = 0
  return {
    ...model,
    advance(step) {
      model.advance(step)
      steps++
      if (failing.includes(steps)) {
        step.events.failures++
        step.events.solvers[1].failed++
      }
      if (falling.includes(steps)) {
        step.events.fallbacks++
        step.events.solvers[1].solved++
      }
    },
  }
}
const models = contactModels as Record<string, CreateContactModel>
beforeAll(() => {
  models['stewart-trinkle'] = failsNowAndThen
})
afterAll(() => {
  models['stewart-trinkle'] = real
})

const scenario = () =>
  checkScenario({ robots: [block], duration: 0.01, dt: [1e-3, 2e-3], models: ['penalty', 'stewart-trinkle'] })
const steps = [
  { step: 2, reason: 'fallback' },
  { step: 3, reason: 'failure' },
  { step: 5, reason: 'failure' },
  { step: 6, reason: 'failure' },
]

describe('a failing step saves its problem by itself', () => {
  test('in the outcome of a run, besides the one that is asked for', async () => {
    const job = { kind: 'run', scenario: await scenario(), robot: block, dt: 1e-3, problemAt: 7e-3 } as const
    const { problems, solvers, status } = await doJob({ ...job, model: { name: 'stewart-trinkle', options: {} } })
    expect(status).toBe('ok')
    expect(problems).toMatchObject([...steps, { step: 7, reason: 'asked' }])
    expect(problems.map(({ t }) => t)).toEqual([0.002, 0.003, 0.005, 0.006, 0.007])
    expect(solvers[1]).toMatchObject({ failed: failing.length, solved: falling.length })
  })

  test('of a comparison, in a file that is named after the place of the run', async () => {
    const saved: [string, SavedProblem][] = []
    const { results } = await compare(await scenario(), { timing: false, save: (file, problem) => saved.push([file, problem]) })
    const [, , fine, coarse] = results.runs
    expect([fine.model, fine.dt, coarse.dt]).toEqual(['stewart-trinkle', 1e-3, 2e-3])
    expect(fine.problems).toMatchObject(steps.map((step) => ({ ...step, file: `problem-2-${step.step}.json` })))
    expect(coarse.problems.map(({ file }) => file)).toEqual(['problem-3-2.json', 'problem-3-3.json', 'problem-3-5.json'])
    expect(saved.map(([file]) => file)).toEqual([...fine.problems, ...coarse.problems].map(({ file }) => file))
    for (const [, problem] of saved) expect(problem).toMatchObject({ kind: 'contact', mu: expect.any(Array) })
    expect(results.runs[0]).toMatchObject({ model: 'penalty', solvers: [], problems: [] })
    expect(fine.metrics).toMatchObject({ solverFailures: failing.length, fallbacks: falling.length })
  })

  test('and is named without a file where nobody takes it', async () => {
    const { results } = await compare(await scenario(), { timing: false })
    expect(results.runs[2].problems).toMatchObject(steps.map((step) => ({ ...step, file: null })))
  })
})
