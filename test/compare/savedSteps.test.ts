/** Which steps of a run have their problems saved, and how often its solvers were asked. */
import { describe, expect, test } from 'vitest'
import { parseProblem, problemText } from '../../compare/inspect/problemFile.ts'
import { StepKeeper } from '../../compare/run/savedSteps.ts'
import { chainText, summedChain } from '../../compare/run/solverOutcomes.ts'
import type { SavedProblem } from '../../contact/index.ts'
import { loadRobot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { blockUrdf } from './command.ts'
import { atCorner } from './problems.ts'

const robot = loadRobot(blockUrdf, { file: 'block.urdf' })
const dt = 1e-3
const problem: SavedProblem = {
  kind: 'contact',
  M: [[1]],
  J: [[1], [0], [0]],
  vFree: [-1],
  gap: [0],
  mu: [0],
  dt,
  origin: { asked: 'lemke' },
}

/** A world whose steps are made up: each change of its counts, and then the keeper looks. */
function byHand({ asked, has = () => true }: { asked?: number; has?: (step: number) => boolean } = {}) {
  const world = new World({ robot, contactModel: 'stewart-trinkle', dt })
  Object.assign(world.contactModel, { problem: () => (has(world.stepCount) ? problem : undefined) })
  const { events } = world
  events.failures = 4 // of before this began to watch
  events.solvers[0].solved = 9
  const keeper = new StepKeeper(world, asked)
  return {
    world,
    keeper,
    step(change: (counts: typeof events) => void = () => {}) {
      change(events)
      world.stepCount++
      keeper.after()
    },
    kept: () => keeper.steps.map(({ step, reason }) => [step, reason]),
  }
}

describe('saved are', () => {
  test('the first three steps that failed, however often each did', () => {
    const { step, kept } = byHand()
    step()
    for (let k = 0; k < 5; k++) step((counts) => (counts.failures += 2))
    expect(kept()).toEqual([
      [2, 'failure'],
      [3, 'failure'],
      [4, 'failure'],
    ])
  })

  test('the first step that a fallback answered', () => {
    const { step, kept } = byHand()
    for (let k = 0; k < 3; k++) step((counts) => counts.fallbacks++)
    expect(kept()).toEqual([[1, 'fallback']])
  })

  test('a step that failed in one place and fell back in another once, as a failure', () => {
    const { step, kept } = byHand()
    step((counts) => {
      counts.failures++
      counts.fallbacks++
    })
    step()
    expect(kept()).toEqual([[1, 'failure']])
  })

  test('the step that is asked for', () => {
    const { step, kept } = byHand({ asked: 2 })
    for (let k = 0; k < 3; k++) step()
    expect(kept()).toEqual([[2, 'asked']])
  })

  test('the first that has a problem: those without make room for others', () => {
    const { step, kept } = byHand({ has: (k) => k >= 3, asked: 1 })
    for (let k = 0; k < 4; k++) step((counts) => counts.fallbacks++)
    expect(kept()).toEqual([[3, 'fallback']])
  })

  test('the step that broke the run off, which was never counted', () => {
    const { world, keeper, step, kept } = byHand()
    step()
    world.events.failures++
    world.failure = new Error('the state is not finite')
    keeper.after()
    expect(kept()).toEqual([[2, 'failure']])
    expect(keeper.steps[0].t).toBe(2 * dt)
  })
})

test('a saved problem tells where it came from, and is a copy that a thread can send', () => {
  const { step, keeper } = byHand()
  step((counts) => counts.failures++)
  const [saved] = structuredClone(keeper.steps)
  expect(saved.problem).toEqual({
    ...problem,
    origin: { contactModel: 'stewart-trinkle', robots: ['block'], asked: 'lemke', time: dt, step: 1, reason: 'failure' },
  })
})

test('a step whose search for who pushes fell back is saved with its constraints and its choice', () => {
  // one choice is not enough to find the one that pushes
  const world = new World({ ...atCorner, contactModel: 'peg', contactOptions: { passes: 0, nodes: 1 } })
  const keeper = new StepKeeper(world)
  world.step()
  keeper.after()
  const [{ reason, problem: saved }] = structuredClone(keeper.steps)
  expect(reason).toBe('fallback')
  expect(saved.origin).toMatchObject({ contactModel: 'peg', step: 1, reason: 'fallback' })
  expect(saved.constraints?.length).toBeGreaterThan(0)
  expect(saved.active).toBeDefined()
  expect(parseProblem(problemText(saved), 'problem-0-1.json')).toEqual(JSON.parse(JSON.stringify(saved)))
})

test('solvers are counted from when the run began, which may be at a checkpoint', () => {
  const { step, keeper, world } = byHand()
  const names = world.contactModel.solvers
  step(({ solvers }) => (solvers[0].solved += 5))
  step(({ solvers }) => {
    solvers[0].failed++
    solvers[1].solved++
  })
  expect(keeper.solvers().slice(0, 2)).toEqual([
    { name: names[0], solved: 5, failed: 1 },
    { name: names[1], solved: 1, failed: 0 },
  ])
})

describe('chains in words', () => {
  const guess = { name: 'newton', solved: 998, failed: 2 }
  const lemke = { name: 'lemke', solved: 1, failed: 1 }
  const last = { name: 'dantzig', solved: 0, failed: 0 }
  test('each solver is asked where those before it failed', () => {
    expect(chainText([guess, lemke, last])).toBe('newton solved 998, failed 2; then lemke solved 1, failed 1; dantzig not asked')
  })
  test('those that were never asked are named together', () => {
    expect(chainText([{ ...guess, failed: 0 }, last, { ...last, name: 'murty' }])).toBe(
      'newton solved 998; dantzig, murty not asked',
    )
    expect(chainText([last])).toBe('dantzig not asked')
  })
  test('another chain stands apart', () => {
    const other = { ...guess, name: 'projection/newton', failed: 0 }
    expect(chainText([guess, lemke, other])).toBe(
      'newton solved 998, failed 2; then lemke solved 1, failed 1 | projection/newton solved 998',
    )
  })
  test('those of several runs are summed', () => {
    expect(
      summedChain([
        [guess, lemke],
        [guess, last],
      ]),
    ).toEqual([{ ...guess, solved: 1996, failed: 4 }, lemke, last])
  })
})
