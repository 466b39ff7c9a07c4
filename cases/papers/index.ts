/** The experiments of the papers that contact models here come from, run again and judged claim by claim. */
import { reproduceBaraff } from './baraff/experiments.ts'
import { reportOfBaraff } from './baraff/report.ts'
import { reproduceDrumwright } from './drumwright/experiments.ts'
import { reportOfDrumwright } from './drumwright/report.ts'
import { choicesOf, type Reproduced } from './page.ts'
import { modelIds, models } from './peg/models.ts'
import { reportOfPeg } from './peg/report.ts'
import { reproducePeg, sceneSummary } from './peg/reproduction.ts'

export { type Choice, type Claim, counted, type Judgement, judgements, overview, type Reproduced } from './page.ts'
export { columnNames, type TableRow } from './peg/table.ts'

/** Choices, each with its default and its largest value; every choice is a whole number. */
export type Choosable = Readonly<Record<string, readonly [fallback: number, most: number]>>
type Progress = (what: string, fraction: number) => void

interface Paper {
  readonly options: Choosable
  /** @param command reproduces it */
  run(options: Readonly<Record<string, number>>, command: string, progress: Progress): Reproduced
}

export const papers: Readonly<Record<'baraff' | 'drumwright' | 'peg', Paper>> = {
  baraff: {
    options: {},
    run(_, command, progress) {
      const reproduction = reproduceBaraff(progress)
      const { claims } = reproduction
      const slides = reproduction.slides.map((list) => list.map(({ t, force, ...slide }) => slide))
      return {
        document: { ...reproduction, slides },
        claims,
        choices: choicesOf('baraff'),
        html: reportOfBaraff(reproduction, command),
      }
    },
  },
  drumwright: {
    options: { seeds: [10, 1000], scan: [1, 1000], bodies: [100, 1000], settle: [10, 1000], watch: [10, 10_000] },
    run({ seeds, scan, bodies, settle, watch }, command, progress) {
      const reproduction = reproduceDrumwright({ seeds, scanSeeds: scan, bodies, settle, watch, progress })
      const { claims } = reproduction
      return {
        document: { ...reproduction },
        claims,
        choices: choicesOf('drumwright', bodies),
        html: reportOfDrumwright(reproduction, command),
      }
    },
  },
  peg: {
    options: {},
    run(_, command, progress) {
      const reproduction = reproducePeg(progress)
      const { results, claims, table, largeSteps, scans, stack, solutions } = reproduction
      return {
        document: {
          models: modelIds.map((id) => models[id]),
          table,
          largeSteps,
          scans,
          stack,
          solutions,
          scenes: results.map(sceneSummary),
        },
        claims,
        choices: choicesOf('peg'),
        html: reportOfPeg(reproduction, command),
      }
    },
  },
}
