/** What the reproductions of all papers share: a claim and how it is judged, and the page that shows it. */
import { escapeHtml } from '../compare/report/html.ts'
import { style } from '../compare/report/style.ts'

/**
 * How a claim of a paper compares with what was found. Order reproduced: what the paper has as larger is larger here too, by other numbers.
 * Cannot follow: no program could meet what is printed. Not reproduced: it could have come out, and did not.
 */
export type Judgement = 'reproduced' | 'order reproduced' | 'not reproduced' | 'cannot follow'

export interface Claim {
  /** Figure, equation or section. */
  readonly where: string
  /** In words of our own. */
  readonly claim: string
  /** The paper's figure, where the claim is not in words. */
  readonly paper?: string
  readonly found: string
  readonly judgement: Judgement
  readonly why: string
}

/** What a paper leaves open or contradicts, and what was chosen. */
export interface Choice {
  readonly what: string
  readonly choice: string
}

/** What a paper's experiments came to, in every form in which it is shown. */
export interface Reproduced {
  /** For results.json, beside claims and choices. */
  readonly document: Readonly<Record<string, unknown>>
  readonly claims: readonly Claim[]
  readonly choices: readonly Choice[]
  readonly html: string
}

const tags: Readonly<Record<Judgement, string>> = {
  reproduced: 'take',
  'order reproduced': 'fits',
  'cannot follow': 'open',
  'not reproduced': 'failed',
}

export const tagOf = ({ judgement }: Claim) => `<span class="tag ${tags[judgement]}">${judgement}</span>`
export const section = (title: string, inside: string) => `<section>\n<h2>${title}</h2>\n${inside}\n</section>`
/** @param heads as HTML, each a cell with its class. @param rows as HTML, each all cells of one row */
export const tableCard = (heads: string, rows: readonly string[], look = '') =>
  `<div class="card scroll inside"><table${look === '' ? '' : ` class="${look}"`}>
<thead><tr>${heads}</tr></thead>
<tbody>${rows.map((cells) => `<tr>${cells}</tr>`).join('')}</tbody>
</table></div>`
const left = (text: string, look = 'left') => `<th class="${look}">${escapeHtml(text)}</th>`
export const heads = (...texts: readonly string[]) => texts.map((text) => left(text)).join('')

interface Page {
  readonly title: string
  readonly heading: string
  /** As HTML, like all that follows. */
  readonly intro: string
  readonly style: string
  readonly before?: string
  readonly sections: readonly string[]
  readonly choices: readonly Choice[]
  /** What makes it again. */
  readonly command: string
}

/** One self-contained page. */
export function page({ title, heading, intro, style: own, before = '', sections, choices, command }: Page): string {
  const open = choices.map(
    ({ what, choice }) => `<td class="left wrap">${escapeHtml(what)}</td><td class="left wrap">${escapeHtml(choice)}</td>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}
.tag.open { border: 1px solid var(--soft); color: var(--soft); }${own}</style>
</head>
<body>
${before}<main>
<header>
<p class="brand">Featherbed</p>
<h1>${heading}</h1>
${intro}
</header>
${sections.join('\n')}
${section('What the paper leaves open', tableCard(heads('open or contradictory', 'choice made here'), open))}
${section('How to make it again', `<p><code>${escapeHtml(command)}</code></p>`)}
</main>
</body>
</html>
`
}
