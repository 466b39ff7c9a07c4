import { escapeHtml } from '../../../compare/report/html.ts'
import { choicesOf, claimStyle, claimsSection, countsOf, figuresOf, heads, paperPage, section, tableCard } from '../page.ts'
import type { BaraffReproduction } from './experiments.ts'
import { modes } from './impacts.ts'
import { short } from './scene.ts'

/** One self-contained page: every claim that can be tried, with results, figures, and tables of all models. */
export function reportOfBaraff(reproduction: BaraffReproduction, command: string): string {
  const { claims, figures, slides, sticking, branches, impacts, configurations } = reproduction
  const left = (text: string) => `<td class="left">${escapeHtml(text)}</td>`
  const number = (x: number) => `<td>${escapeHtml(short(x))}</td>`
  const head = (text: string, unit = '') => `<th>${text}${unit === '' ? '' : `<span class="unit">${unit}</span>`}</th>`
  const slideTable = tableCard(
    heads('model') +
      slides[0].map(({ dt }) => head('last push', `rad, ${1e3 * dt} ms`) + head('error at the end', 'm')).join('') +
      head('breaks away at', 'of the weight') +
      head('slides with'),
    slides.map(
      (list, k) =>
        left(list[0].model) +
        list.map(({ leaves, errorEnd }) => number(leaves) + number(errorEnd)).join('') +
        number(sticking[k].breaks) +
        number(sticking[k].slides),
    ),
  )
  const branchTable = tableCard(
    heads('model', 'one answer', 'inconsistent', 'indeterminate', 'indeterminate, by coordinates of the middle'),
    branches.map(
      (list) => left(list[0].model) + list.map(({ branch, impulse }) => left(`${branch}, ${short(impulse)} N s`)).join(''),
    ),
  )
  const impactTable = tableCard(
    heads('model, hypothesis') + modes.map((mode) => head(mode, 'agree, of; worst')).join(''),
    impacts.map(
      (one) =>
        left(one.name) +
        modes.map((mode) => left(`${one.modes[mode].agree}, ${one.modes[mode].count}; ${short(one.modes[mode].worst)}`)).join(''),
    ),
  )
  const staticTable = tableCard(
    head('contacts') + head('problems') + head('solved') + head('by Newton’s method') + head('by Baraff’s pivoting'),
    configurations.map(({ contacts, problems, solved, newton, baraff }) =>
      [contacts, problems, solved, newton, baraff].map(number).join(''),
    ),
  )
  return paperPage({
    title: 'Baraff (1993) tried',
    heading: 'Non-penetrating Rigid Body Simulation, tried claim by claim',
    intro: `<p class="soft">What D. Baraff, <i>Non-penetrating Rigid Body Simulation</i> (Eurographics ’93 State of the Art Reports), a survey without figures of
measurements, says that a program can try, each beside a solution that is independent of the contact models. ${escapeHtml(countsOf(claims))}</p>`,
    style: claimStyle,
    sections: [
      claimsSection(claims),
      section('Figures', figuresOf(figures)),
      section(
        'All models: the slide off the sphere, and static friction above dynamic',
        `${slideTable}<p class="note">Exact: last push at 0.8588 rad; break at 0.6 of the weight, sliding with 0.4.</p>`,
      ),
      section('All models: Painlevé’s rod', branchTable),
      section(
        'Planar impacts against Routh’s method',
        `${impactTable}<p class="note">Distance of impulses relative to their size; they agree within 1e-4.</p>`,
      ),
      section('Random configurations with static friction', staticTable),
    ],
    choices: choicesOf('baraff'),
    command,
  })
}
