import { describe, expect, test } from 'vitest'
import { inOneAnother } from '../../bench/contact/contactScenes.ts'
import { StepKeeper } from '../../compare/run/savedSteps.ts'
import { addWork, limitWork, unlimitWork, WorkLimitError, workOn, workSpent } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import {
  defaultStepBudget,
  ErrorControl,
  SimulationError,
  StepBudgetError,
  World,
  type WorldOptions,
} from '../../simulation/index.ts'
import { dailyModels, full } from '../dailyModels.ts'

/** Boxes that start in one another. */
const overlapping = (count: number, contactModel: string, stepBudget?: number): World => {
  const { robots } = inOneAnother(count)
  return new World({ robots, contactModel, dt: 1e-3, stepBudget } as WorldOptions)
}

/** @returns what it ended in, and after how many steps */
function runOut(world: World, steps: number): StepBudgetError | undefined {
  try {
    for (let k = 0; k < steps; k++) world.step()
  } catch (error) {
    if (!(error instanceof StepBudgetError)) throw error
    return error
  }
  return undefined
}

describe('a step has a budget of work', () => {
  test.each(dailyModels)('%s: a step beyond it ends in a typed error that says where, and the run is over', (model) => {
    const needed = overlapping(8, model)
    needed.step()
    const work = workSpent()
    const world = overlapping(8, model, 0.6 * work)
    const error = runOut(world, 1)
    expect(error).toBeInstanceOf(SimulationError)
    expect(error).toMatchObject({ name: 'StepBudgetError', budget: 0.6 * work, step: 0, time: 0, joint: '' })
    expect(error?.spent).toBeGreaterThan(0.6 * work)
    // it ends soon after: no part of a step counts much at once
    expect(error?.spent).toBeLessThan(work)
    expect(error?.place).not.toBe('')
    expect(error?.message).toMatch(
      /^box and 7 others under .*: step 0 .* took more than its budget of .* at last in .*stepBudget/,
    )
    expect(world.failure).toBe(error)
    expect(world.events.failures).toBe(1)
    expect(world.events.firstFailure).toBe(error?.message)
    expect(() => world.step()).toThrow('this run ended at step 0')
    // on a whole number of multiply-adds, the same wherever it runs
    const again = runOut(overlapping(8, model, 0.6 * work), 1)
    expect([again?.spent, again?.place, again?.rows]).toEqual([error?.spent, error?.place, error?.rows])
  })

  test.each(dailyModels)('%s: one that is not reached changes no bit', (model) => {
    const robot = loadOwnRobot('diffdrive')
    const hashes = [undefined, Number.POSITIVE_INFINITY, 1e8].map((stepBudget) => {
      const world = new World({ robot, contactModel: model, dt: 1e-3, stepBudget })
      for (let k = 0; k < 20; k++) world.step()
      return world.hash()
    })
    expect(new Set(hashes).size).toBe(1)
  })

  test('a run that it ended goes on from a checkpoint as one that it did not', () => {
    const world = overlapping(6, 'stewart-trinkle')
    const start = world.checkpoint()
    for (let k = 0; k < 3; k++) world.step()
    const tight = overlapping(6, 'stewart-trinkle', 1e4)
    expect(runOut(tight, 1)).toBeDefined()
    const other = overlapping(6, 'stewart-trinkle')
    other.restore(start)
    for (let k = 0; k < 3; k++) other.step()
    expect(other.hash()).toBe(world.hash())
  })

  test('where a solver is at work it counts as failed, no other is asked, and the problem is saved', () => {
    for (const model of ['lcp', 'lotstedt', 'stewart-trinkle', 'peg', 'lnc'] as const) {
      const needed = overlapping(12, model)
      needed.step()
      const world = overlapping(12, model, 0.9 * workSpent())
      const keeper = new StepKeeper(world)
      const error = runOut(world, 1)
      keeper.after()
      expect(error?.place, model).toBe('newton')
      expect(error?.contacts).toBeGreaterThan(0)
      expect(error?.rows).toBeGreaterThan(0)
      expect(keeper.solvers().find(({ name }) => name === 'newton')?.failed, model).toBeGreaterThan(0)
      expect(keeper.steps.map(({ step, reason }) => [step, reason])).toEqual([[1, 'failure']])
      expect(keeper.steps[0].problem).toMatchObject({ kind: 'contact', origin: { contactModel: model, reason: 'failure' } })
    }
  })

  test('step size control does not take it for a step that is too long', () => {
    const world = overlapping(6, 'penalty', 1e5)
    const control = new ErrorControl(
      world,
      1e-3,
      world.robots.map(() => 1),
    )
    expect(() => control.choose()).toThrow(StepBudgetError)
  })

  test('it is of the step alone: controllers and what is done between steps may take as much as they like', () => {
    const robot = loadOwnRobot('diffdrive')
    const busy = { everySteps: 1, start() {}, tick: () => addWork(1e6, 1e6, 1), save: () => null, restore() {} }
    const world = new World({ robot, contactModel: 'convex', dt: 1e-3, stepBudget: 1e6, controller: busy })
    world.step()
    addWork(1e6, 1e6, 1)
    world.step()
    expect(world.stepCount).toBe(2)
  })

  test('it is a positive number', () => {
    const robot = loadOwnRobot('diffdrive')
    for (const stepBudget of [0, -1, Number.NaN]) {
      expect(() => new World({ robot, contactModel: 'convex', dt: 1e-3, stepBudget })).toThrow(`stepBudget is ${stepBudget}`)
    }
  })

  test('work that nothing limits is counted too, and a limit tells what was at work', () => {
    limitWork(Float64Array.of(100))
    workOn('a test', 3, 9)
    addWork(5, 5, 4)
    expect(workSpent()).toBe(100)
    expect(() => addWork(1, 1, 1)).toThrow(WorkLimitError)
    try {
      addWork(1, 1, 1)
    } catch (error) {
      expect(error).toMatchObject({ spent: 102, limit: 100, place: 'a test', contacts: 3, rows: 9 })
    }
    unlimitWork()
    addWork(1e6, 1e6, 1)
    expect(workSpent()).toBeGreaterThan(1e12)
  })
})

test('every model of the registry counts its work', () => {
  for (const name of dailyModels) {
    overlapping(4, name).step()
    expect(workSpent(), name).toBeGreaterThan(1e4)
  }
})

describe.runIf(full)('a hundred boxes in one another', () => {
  // without a budget their first step takes up to a minute and more
  test.each(['lotstedt', 'peg', 'lcp', 'lnc', 'stewart-trinkle'])('%s ends within the default budget', (model) => {
    const error = runOut(overlapping(100, model), 3)
    expect(error).toBeInstanceOf(StepBudgetError)
    expect(error?.budget).toBe(defaultStepBudget)
    expect(error?.spent).toBeLessThan(1.2 * defaultStepBudget)
  })
})
