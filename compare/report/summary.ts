/** The verdicts of a comparison as a file for others: test results for a build server, or a page. */
import type { ResultsFile } from '../judge/compare.ts'
import type { Verdict, VerdictState } from '../judge/verdict.ts'
import { escapeHtml } from './html.ts'

interface NamedVerdict {
  readonly scene: string
  readonly verdict: Verdict
}

/** Every verdict with the name of its scenario. */
export const verdictsOf = ({ comparisons }: ResultsFile): NamedVerdict[] =>
  comparisons.flatMap(({ scenario, verdicts }) => verdicts.map((verdict) => ({ scene: String(scenario.name), verdict })))

interface SummaryFile {
  readonly name: string
  /** @param failing the states that count as failures */
  readonly text: (file: ResultsFile, failing: readonly VerdictState[]) => string
}

/** By the word that --summary takes. */
export const summaryFiles: Readonly<Record<'junit' | 'markdown', SummaryFile>> = {
  junit: { name: 'summary.xml', text: junit },
  markdown: { name: 'summary.md', text: markdown },
}

function junit(file: ResultsFile, failing: readonly VerdictState[]): string {
  const all = verdictsOf(file)
  const isFailing = ({ verdict }: NamedVerdict) => failing.includes(verdict.state)
  const cases = all.map((named) => {
    const { scene, verdict } = named
    const text = escapeHtml([verdict.sentence, ...verdict.reasons].join('\n'))
    const inside = isFailing(named) ? `<failure message="${verdict.state}">${text}</failure>` : `<system-out>${text}</system-out>`
    return `  <testcase classname="${escapeHtml(scene)}" name="${escapeHtml(verdict.robot)}">${inside}</testcase>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="featherbed compare" tests="${all.length}" failures="${all.filter(isFailing).length}">
${cases.join('\n')}
</testsuite>
`
}

function markdown(file: ResultsFile): string {
  const parts = verdictsOf(file).map(
    ({ scene, verdict: { state, sentence, reasons } }) =>
      `## ${scene}\n\n**${state}.** ${sentence}\n${reasons.map((reason) => `\n- ${reason}`).join('')}\n`,
  )
  return `# featherbed compare\n\n${parts.join('\n')}\n\`${file.command}\`\n`
}
