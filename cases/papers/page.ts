/** Shared by the reproductions of all papers: a claim and its judgement, and the page that shows it. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { asset } from '../../assets.ts'
import { counted as counting } from '../../compare/measure/numbers.ts'
import { chart, type Line, linearRange, logRange, wide } from '../../compare/report/chart.ts'
import { swatch } from '../../compare/report/format.ts'
import { escapeHtml } from '../../compare/report/html.ts'
import { page } from '../../compare/report/page.ts'

/**
 * Comparison of a paper's claim with results. Order reproduced: a larger value of the paper is larger here too, by other numbers.
 * Cannot follow: no program could match the print. Not reproduced: it could have come out, and did not.
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

/** A line of a figure: measurements, thinned for drawing. */
export interface Curve {
  readonly name: string
  readonly x: readonly number[]
  readonly y: readonly number[]
  /** Of a known solution, which may lie upon another line. */
  readonly dashed?: boolean
}

export interface Figure {
  readonly id: string
  readonly title: string
  readonly x: string
  readonly y: string
  /** Of y. */
  readonly logarithmic: boolean
  readonly logarithmicX?: boolean
  readonly curves: readonly Curve[]
}

/** Results of some experiments of a paper. */
export interface Part {
  readonly claims: readonly Claim[]
  readonly figures?: readonly Figure[]
}

/** Open or contradictory point of a paper, and the choice. */
export interface Choice {
  readonly what: string
  readonly choice: string
}

const choices = parse(readFileSync(asset('cases/papers/choices.yaml'), 'utf8')) as Readonly<
  Record<'baraff' | 'drumwright' | 'peg', readonly Choice[]>
>

/** @param bodies how many the pile of `drumwright` has */
export const choicesOf = (paper: keyof typeof choices, bodies = 0): readonly Choice[] =>
  choices[paper].map(({ what, choice }) => ({ what, choice: choice.replace('{bodies}', counting(bodies, 'body', 'bodies')) }))

/** Results of a paper's experiments, in every form of output. */
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

/** Claims one below the other where a page is too narrow for a table of five columns. */
export const claimStyle = `
.claims .wrap { min-width: 14ch; } .who { display: none; } .key > span { display: inline-block; margin-right: 14px; } .charts + .note { margin-top: 10px; }
@media (max-width: 640px) {
  .claims thead { display: none; } .claims tr { display: block; padding: 10px 0; border-bottom: 1px solid var(--line); } .claims tbody tr:last-child { border-bottom: 0; }
  .claims td { display: block; border-bottom: 0; padding: 2px 0; } .claims td:nth-child(-n+2) { display: inline-block; margin-right: 8px; } .claims td:first-child { font-weight: 600; }
  .who { display: inline; font-weight: 600; } .who::after { content: ": "; }
}`

export const claimsSection = (claims: readonly Claim[]) =>
  section(
    'What the paper says, and what was found',
    `${tableCard(heads('where', 'judgement', 'quantity', 'paper', 'here, and why'), claims.map(rowOf), 'claims')}
<p class="note"><b>Order reproduced</b>: what the paper has as larger is larger here too, by other numbers. <b>Cannot follow</b>: the printed number
contradicts what is printed with it, so that no program could meet both. <b>Not reproduced</b>: it could have come out, and did not.</p>`,
  )

/** Of a claim that holds or not. */
export const judged = (holds: boolean): Judgement => (holds ? 'reproduced' : 'not reproduced')
export const judgements = ['reproduced', 'order reproduced', 'cannot follow', 'not reproduced'] as const satisfies Judgement[]
export const counted = (claims: readonly Claim[], judgement: Judgement) => claims.filter((f) => f.judgement === judgement).length

export function countsOf(claims: readonly Claim[]): string {
  const [reproduced, inOrder, open, failed] = judgements.map((judgement) => counted(claims, judgement))
  return (
    `Of ${claims.length} figures and claims ${reproduced} are reproduced, ${inOrder} in their order but not in their numbers; ` +
    `${open} cannot follow from what the paper states, for the reasons given; ${failed} did not come out.`
  )
}

/** All papers on one page, which links to the report of each in a folder of its name. */
export function overview(
  papers: readonly { readonly name: string; readonly claims: readonly Claim[] }[],
  command: string,
): string {
  const all = papers.flatMap(({ claims }) => claims)
  return paperPage({
    title: 'Three papers, run again',
    heading: 'Three papers, run again',
    intro: `<p class="soft">${escapeHtml(countsOf(all))}</p>`,
    style: claimStyle,
    sections: papers.map(({ name, claims }) =>
      section(
        name,
        `<p><a href="${name}/report.html">Report with figures, and the reason beside each judgement</a>. ${escapeHtml(countsOf(claims))}</p>
${tableCard(heads('where', 'judgement', 'quantity', 'here'), claims.map(overviewRow), 'claims')}`,
      ),
    ),
    choices: [],
    command,
  })
}

const overviewRow = (found: Claim) =>
  `<td class="left">${escapeHtml(found.where)}</td><td class="left">${tagOf(found)}</td>` +
  `<td class="left wrap">${escapeHtml(found.claim)}</td><td class="left wrap">${escapeHtml(found.found)}</td>`

function rowOf(found: Claim): string {
  const { where, claim, paper = '', found: ours, why } = found
  return (
    `<td class="left">${escapeHtml(where)}</td><td class="left">${tagOf(found)}</td>` +
    `<td class="left wrap">${escapeHtml(claim)}</td><td class="left wrap"><span class="who">paper</span>${escapeHtml(paper)}</td>` +
    `<td class="left wrap"><span class="who">here</span>${escapeHtml(ours)}<br><span class="soft">${escapeHtml(why)}</span></td>`
  )
}

/** Smallest value that a logarithmic axis shows: rest is 0, or rounding. */
const logFloor = 1e-12

export const figuresOf = (figures: readonly Figure[]) => `<div class="charts two">${figures.map(figureOf).join('')}</div>`

function figureOf({ id, title, x, y, logarithmic, logarithmicX = false, curves }: Figure): string {
  const look = (curve: Curve, k: number) => ({ color: `var(--c${k})`, dash: curve.dashed ? '7 6' : '' })
  const lines = curves.map((curve, k): Line => ({ id: curve.name, x: curve.x, y: curve.y, ...look(curve, k) }))
  const axis = (label: string, log: boolean, of: 'x' | 'y') => {
    const values = curves.map((curve) => curve[of])
    return { label, log, range: log ? logRange(values.flat(), logFloor) : linearRange(values) }
  }
  const axes = { x: axis(x, logarithmicX, 'x'), y: axis(y, logarithmic, 'y') }
  const svg = chart({ id: `figure-${id}`, title, size: wide, lines, ...axes })
  const legend = curves.map((curve, k) => `<span>${swatch(look(curve, k))}${escapeHtml(curve.name)}</span>`).join(' ')
  return `<figure class="card"><figcaption>${escapeHtml(title)}</figcaption>${svg}<p class="key">${legend}</p></figure>`
}

interface PaperPage {
  readonly title: string
  readonly heading: string
  /** As HTML, like all that follows. */
  readonly intro: string
  readonly style: string
  readonly before?: string
  readonly sections: readonly string[]
  readonly choices: readonly Choice[]
  /** Reproduces it. */
  readonly command: string
}

/** One self-contained page. */
export function paperPage({ title, heading, intro, style, before = '', sections, choices, command }: PaperPage): string {
  const open = choices.map(
    ({ what, choice }) => `<td class="left wrap">${escapeHtml(what)}</td><td class="left wrap">${escapeHtml(choice)}</td>`,
  )
  const ownStyle = `\n.tag.open { border: 1px solid var(--soft); color: var(--soft); }${style}`
  const body = `${before}<main>
<header>
<p class="brand">Featherbed</p>
<h1>${heading}</h1>
${intro}
</header>
${sections.join('\n')}
${open.length === 0 ? '' : section('What the paper leaves open', tableCard(heads('open or contradictory', 'choice made here'), open))}
${section('How to make it again', `<p><code>${escapeHtml(command)}</code></p>`)}
</main>`
  return page({ title, body, ownStyle })
}
