/**
 * Writes the tables of docs/solver-problems.md: node --import ./scripts/typescript.mjs test/problems/scoreboard.run.ts [--no-write]
 *
 * Our solvers and those of other programs that are installed (`featherbed engines`), on all of cases/problems.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { solvers as own } from '../../compare/inspect/solvers.ts'
import { outsideSolvers } from '../../engines/index.ts'
import { type Judged, judge, type Verdict } from './board.ts'
import { corpus, type Stored } from './corpus.ts'

const page = fileURLToPath(new URL('../../docs/solver-problems.md', import.meta.url))
const MARKS = ['<!-- scoreboard: scoreboard.run.ts writes what follows -->', '<!-- end of the scoreboard -->'] as const

const outside = outsideSolvers()
const isThere = ([name]: readonly [string, unknown]) => !Object.hasOwn(outside.missing, name.split(':')[0])
const installed = <T>(makers: Readonly<Record<string, T>>) => Object.fromEntries(Object.entries(makers).filter(isThere))
const solvers = {
  complementarity: { ...own.complementarity, ...installed(outside.complementarity) },
  contact: { ...own.contact, ...installed(outside.contact) },
}

/** A problem is in one of the first three, and may be in one of the others too. */
const families: Readonly<Record<string, (one: Stored) => boolean>> = {
  'papers/': ({ family }) => family === 'papers',
  'hard/': ({ family }) => family === 'hard',
  'robots/': ({ family }) => family === 'robots',
  'of all, no answer': ({ answers }) => answers.sets.length === 0,
  'of all, several answers': ({ answers }) =>
    answers.sets.length > 1 || answers.sets.some(({ velocityDimension }) => velocityDimension > 0),
}
const verdicts: readonly Verdict[] = ['right', 'wrong', 'failed', 'not applicable']

const judged = corpus().map((stored) => {
  const results = judge(stored, solvers)
  for (const { name, verdict } of results) if (verdict === 'wrong') console.error(`wrong: ${name} ${stored.file}`)
  return { stored, results }
})

function tableOf(family: string, among: readonly { readonly results: readonly Judged[] }[]): string {
  const names = [...new Set(among.flatMap(({ results }) => results.map(({ name }) => name)))]
  const rows = names.map((name) => {
    const own = among.flatMap(({ results }) => results.filter((one) => one.name === name))
    const count = (verdict: Verdict) => own.filter((one) => one.verdict === verdict).length
    const missing = among.length - own.length
    const cells = verdicts.map((verdict) => count(verdict) + (verdict === 'not applicable' ? missing : 0))
    return { name, cells }
  })
  rows.sort((a, b) => a.cells[1] - b.cells[1] || b.cells[0] - a.cells[0])
  return [
    `| ${family}: ${among.length} problems | ${verdicts.join(' | ')} |`,
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows
      .filter(({ cells }) => cells[0] + cells[1] + cells[2] > 0)
      .map(({ name, cells }) => `| ${name} | ${cells.join(' | ')} |`),
  ].join('\n')
}

const missing = Object.entries(outside.missing).map(([program]) => program)
const tables = Object.entries(families).map(([family, isIn]) =>
  tableOf(
    family,
    judged.filter(({ stored }) => isIn(stored)),
  ),
)
const note = missing.length > 0 ? `Not installed where this was written: ${missing.join(', ')}.` : ''
const text = [...tables, note].filter((part) => part !== '').join('\n\n')
console.log(text)
if (!process.argv.includes('--no-write')) {
  const before = readFileSync(page, 'utf8')
  const [start, end] = MARKS.map((mark) => before.indexOf(mark))
  writeFileSync(page, `${before.slice(0, start + MARKS[0].length)}\n\n${text}\n\n${before.slice(end)}`)
}
process.exit()
