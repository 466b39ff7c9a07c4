import { describe, expect, test } from 'vitest'
import { solvers } from '../../compare/inspect/solvers.ts'
import { full } from '../dailyModels.ts'
import { judge } from './board.ts'
import { checked, corpus, differences, everyMode, modeCount, rangesOf, type Stored, storedOf } from './corpus.ts'

const all = corpus()
/** Of each family every so many, and what takes more than a moment when everything is run. */
const some = (every: number, of: readonly Stored[] = all) => (full ? of : of.filter((_, i) => i % every === 0))
const MOST_MODES = full ? Number.POSITIVE_INFINITY : 300
if (!full) console.log('not run: most of cases/problems; set FEATHERBED_FULL')

const byMode = all.filter(({ answers }) => answers.by === 'every mode')
const wrongOf = (some: readonly Stored[], differ: (one: Stored) => readonly string[]) =>
  some.flatMap((one) => differ(one).map((text) => `${one.file}: ${text}`))

describe('the corpus of problems', () => {
  test('has problems of papers, hard ones and at least 300 of robots that brute force can check', () => {
    expect(new Set(all.map(({ family }) => family))).toEqual(new Set(['papers', 'hard', 'robots']))
    expect(byMode.filter(({ family }) => family === 'robots').length).toBeGreaterThanOrEqual(300)
    expect(new Set(all.map(({ answers }) => Math.min(2, answers.sets.length)))).toEqual(new Set([0, 1, 2]))
    expect(all.some(({ answers }) => answers.sets.some(({ velocityDimension }) => velocityDimension > 0))).toBe(true)
  })

  test('the search finds the sets of answers that are stored', () => {
    const quick = some(6).filter(({ problem }) => full || modeCount(problem) <= 3000)
    expect(
      wrongOf(quick, ({ problem, answers }) => {
        const found = storedOf(problem, answers.by)
        if (found === undefined) return ['not complete']
        const dimensions = ({ sets }: typeof found) =>
          sets
            .map((set) => `${set.velocityDimension}/${set.impulseDimension}`)
            .sort()
            .join(' ')
        const same =
          dimensions(found) === dimensions(answers) ? [] : [`dimensions ${dimensions(found)}, stored ${dimensions(answers)}`]
        return [...differences(rangesOf(found), rangesOf(answers), answers.scale), ...same]
      }),
    ).toEqual([])
  })

  test('trying every mode finds the same sets', () => {
    const tried = some(2, byMode).filter(({ problem }) => modeCount(problem) <= MOST_MODES)
    expect(tried.length).toBeGreaterThan(full ? 500 : 100)
    expect(
      wrongOf(tried, ({ problem, answers }) =>
        differences(
          everyMode(problem).map(({ velocity }) => velocity),
          rangesOf(answers),
          answers.scale,
        ),
      ),
    ).toEqual([])
  })

  test('the checker of certificates, which shares no code with the search, accepts its proofs', () => {
    const proved = some(50).filter(({ problem }) => full || modeCount(problem) <= 3000)
    expect(
      wrongOf(proved, ({ problem }) => {
        const { holds, text } = checked(problem)
        return holds ? [] : [text]
      }),
    ).toEqual([])
  })

  // its impulses grow until the velocities without them are lost in rounding, and so does the residual's view of them
  const known = ['hard/driven-into-ground-down.json: contact-pgs-anderson']
  test('no solver reports an answer that lies in none of the sets', () => {
    const wrong = wrongOf(some(7), (one) =>
      judge(one, solvers)
        .filter(({ verdict }) => verdict === 'wrong')
        .map(({ name }) => name),
    )
    expect(wrong.filter((text) => !known.includes(text))).toEqual([])
  })
})
