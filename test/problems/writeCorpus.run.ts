/**
 * Writes cases/problems: node --import ./scripts/typescript.mjs test/problems/writeCorpus.run.ts [hand|robots [NAME...]]
 *
 * The problems of handProblems.ts, and steps of robots (robotScenes.ts, in the folder that FEATHERBED_ROBOTS names) under three models at
 * two steps. A problem is kept if its answers by two ways agree: of the search and of every mode, or where those are too many, of the search
 * and the checker of its certificates.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Problem, parseProblem, problemText } from '../../compare/inspect/problemFile.ts'
import type { SavedProblem } from '../../contact/index.ts'
import { checked, differences, everyMode, folder, modeCount, rangesOf, type StoredAnswers, storedOf } from './corpus.ts'
import { handProblems } from './handProblems.ts'
import { type RobotScene, stepProblems, tasks, throws } from './robotScenes.ts'

/** Combinations of modes that brute force takes, programs of a search, bytes of a file. */
const MOST = { modes: 10_000, programs: 5000, bytes: 20_000 }
const MODELS = ['stewart-trinkle', 'ncp', 'anitescu-potra']
const STEPS = [1e-3, 5e-3]
/** Where in the list of a run's steps those are taken that are small enough for brute force. */
const TAKEN = [0.25, 0.75]
const MOST_CONTACTS = 8

const counts: Record<string, number> = {}
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
}

/** Brute force takes pivots of 1e-9 for zero, and on ill-conditioned problems finds no rank, or too much of it. */
function wrongByModes(problem: Problem, answers: StoredAnswers): string[] {
  try {
    const sets = everyMode(problem).map(({ velocity }) => velocity)
    return differences(rangesOf(answers), sets, answers.scale)
  } catch (error) {
    return [String(error)]
  }
}

function write(file: string, given: Problem): void {
  const problem = parseProblem(problemText(given), file)
  const few = modeCount(problem) <= MOST.modes
  const answers = storedOf(problem, few ? 'every mode' : 'certificates', MOST.programs)
  if (answers === undefined) {
    count('not complete')
    return
  }
  const wrong = few ? wrongByModes(problem, answers) : [checked(problem)].flatMap(({ holds, text }) => (holds ? [] : [text]))
  // the tolerance of the conditions, times a condition number, looks like a continuum too
  if (!few && answers.sets.some(({ velocityDimension }) => velocityDimension > 0)) wrong.push('a continuum without a second way')
  if (wrong.length > 0) {
    count('left out')
    console.log(`${file}: ${wrong.join('; ')}`)
    return
  }
  const text = problemText({ ...problem, origin: { ...problem.origin, answers } })
  if (text.length > MOST.bytes) {
    count('too large')
    return
  }
  const path = join(folder, `${file}.json`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  count(`${file.split('/')[0]}, ${answers.by}`)
}

/** Under the pyramid of four sides, the law of brute force; default fields left out. */
function trimmed({ softness, sides, springs, active, ...rest }: SavedProblem, { robot, task }: RobotScene): SavedProblem {
  const { contactModel, time } = rest.origin ?? {}
  return {
    ...rest,
    law: 'pyramid',
    ...(softness?.some((x) => x !== 0) && { softness }),
    origin: { note: `${robot} ${task}`, contactModel, time },
  }
}

async function writeRobots(names: readonly string[]): Promise<void> {
  const scenes = [...throws, ...tasks].filter(({ robot, task }) => names.length === 0 || names.includes(`${robot} ${task}`))
  for (const scene of scenes)
    for (const model of MODELS)
      for (const dt of STEPS) {
        const small: { step: number; problem: SavedProblem }[] = []
        const large: typeof small = []
        await stepProblems(scene, model, dt, (given, step) => {
          if (given === undefined || given.mu.length > MOST_CONTACTS || given.mu.length === 0) return
          const problem = trimmed({ ...given, origin: { ...given.origin, contactModel: model, time: step * dt } }, scene)
          ;(modeCount(problem) <= MOST.modes / 3 ? small : large).push({ step, problem })
        })
        const taken = TAKEN.flatMap((part) => small[Math.floor(part * small.length)] ?? [])
        // more programs than modes: fewer of them, of one step
        if (dt === STEPS[0] && (tasks.includes(scene) || scene.task.endsWith('0')))
          taken.push(...large.slice(large.length >> 1, (large.length >> 1) + 1))
        const words = `${scene.robot}-${scene.task}`.replaceAll(/[^a-z0-9]+/g, '-')
        for (const { step, problem } of new Set(taken)) write(`robots/${words}-${model}-${1e3 * dt}ms-${step}`, problem)
      }
}

const [which = 'all', ...names] = process.argv.slice(2)
if (which !== 'robots') {
  for (const own of ['papers', 'hard']) rmSync(join(folder, own), { recursive: true, force: true })
  for (const [file, problem] of Object.entries(handProblems())) write(file, problem)
}
if (which !== 'hand') {
  if (names.length === 0) rmSync(join(folder, 'robots'), { recursive: true, force: true })
  await writeRobots(names)
}
console.log(JSON.stringify(counts, null, 2))
process.exit()
