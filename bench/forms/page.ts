import { chapters } from './chapters.ts'
import type { Row } from './check.ts'
import { type Form, kindOf, type Measured, orderOf, type Steps } from './form.ts'

const introduction = (count: number, models: number) => `# Closed forms under every contact model

${count} motions and loads whose exact values are known, under ${models} contact models, each at three steps. This page is written by

    npm run bench -- forms

and \`npm run bench -- forms NAME\` prints the rows of one; the forms are in \`bench/forms/\`, one object each: formula, source, scene, and what is measured.

How to read the tables:

- **exact**: all errors below 2e-5, the default softness of rigid contacts (5e-6) and what follows from it.
- **1.0**, **1.3**: order of convergence, log2 of the errors' ratio from the longest step to the shortest, per halving. All these models take positions from velocities at the end of the step, so order 1 is what a right law gives.
- **½**: errors fall like the square root of the step. **uneven**: no order at these steps, errors of the size given.
- **→ value**: order 0. The model converges, to something else; why stands under [what tends elsewhere](#what-tends-elsewhere). **fails**: the run ends with an error.

Springs (\`penalty-deepest\`, \`penalty\`, \`hunt-crossley\`) are made stiffer along with shorter steps, \`allowedPenetration\` = 10 m/s² dt², so that their limit too is the rigid body: 0.16 mm at 4 ms, 10 µm at 1 ms. At a fixed stiffness they converge to the motion of springs. \`hunt-crossley\`, which has no impulses by default, resolves impacts by RK4 in steps of 40, 20 and 10 µs with an allowed penetration as many metres as the step has seconds. All other parameters are defaults: \`compliance\`, \`stickSpeed\`, 4 sides of pyramids, 32 of polyhedra for round bodies.

Not here: the rattleback (no closed form), and rolling resistance and pads that spin down, which need friction of those kinds.
`

/** docs/closed-forms.md. */
export function pageOf(rows: readonly Row[]): string {
  const models = [...new Set(rows.map((row) => row.model))]
  const parts = [introduction(new Set(rows.map((row) => row.form)).size, models.length), overview(rows, models)]
  for (const chapter of chapters) {
    parts.push(`## ${chapter.heading}\n`)
    for (const form of chapter.forms) {
      const own = rows.filter((row) => row.form === form)
      parts.push(
        `### ${form.name[0].toUpperCase()}${form.name.slice(1)}\n\n${form.formula}.\n\n*${form.source}.* Exact: ${figure(form.exact())}${unitOf(form)}.\n`,
      )
      parts.push(table(own))
    }
  }
  return `${parts.join('\n')}`
}

/** What is not exact and not of first order, model by model. */
function overview(rows: readonly Row[], models: readonly string[]): string {
  const asked = rows.filter((row) => row.measured)
  const lines = [
    '## Model by model\n',
    '| model | exact | order 1 | order ½ | uneven | order 0 | fails |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  ]
  for (const model of models) {
    const own = asked.filter((row) => row.model === model).map(verdictOf)
    const count = (kind: string) => own.filter((each) => each === kind).length || ''
    lines.push(`| \`${model}\` | ${['exact', 'first', 'half', 'uneven', 'limit', 'failed'].map(count).join(' | ')} |`)
  }
  lines.push('', '## What tends elsewhere', '', 'Values are those at the shortest step.', '')
  for (const model of models) {
    const own = asked.filter((row) => row.model === model && ['limit', 'uneven', 'failed'].includes(verdictOf(row)))
    if (own.length === 0) continue
    lines.push(`### \`${model}\``, '')
    for (const reason of new Set(own.map(reasonOf))) {
      lines.push(`- ${reason[0].toUpperCase()}${reason.slice(1)}.`)
      for (const row of own) if (reasonOf(row) === reason) lines.push(`  - ${tendsTo(row)}`)
    }
    lines.push('')
  }
  return lines.join('\n')
}

const reasonOf = ({ known }: Row) => known?.reason ?? 'Not known'

function tendsTo(row: Row): string {
  const { values, errors, exact, failure } = row.measured as Measured
  const { name } = row.form
  if (failure !== undefined) return `${name}: the run fails`
  const most = 100 * Math.max(...errors.map(Math.abs))
  if (verdictOf(row) === 'uneven') return `${name}: no order, errors up to ${Number(most.toPrecision(2))} %`
  return `${name}: ${figure(values[2])}${unitOf(row.form)} in place of ${figure(exact)}`
}

const unitOf = ({ unit }: Form) => (unit === '1' ? '' : ` ${unit}`)

/** As `kindOf`, but for what is known to have no order at these steps, or to tend elsewhere slowly. */
const verdictOf = ({ measured, known }: Row) =>
  known?.kind === 'uneven' || known?.kind === 'limit' ? known.kind : kindOf(measured as Measured)

/** Models whose rows are the same to the digits shown share one. */
function table(rows: readonly Row[]): string {
  const measured = rows.flatMap((row) => (row.measured ? [{ ...row, measured: row.measured }] : []))
  const exact = measured.filter((row) => verdictOf(row) === 'exact')
  const others = measured.filter((row) => verdictOf(row) !== 'exact')
  const lines: string[] = []
  if (exact.length > 0) lines.push(`Exact: ${named(exact)}.`, '')
  for (const heads of new Set(others.map((row) => headsOf(row.measured.steps)))) {
    const own = others.filter((row) => headsOf(row.measured.steps) === heads)
    lines.push(`| model | ${heads} | order | |`, '| --- | ---: | ---: | ---: | ---: | --- |')
    for (const cells of new Set(own.map(cellsOf)))
      lines.push(`| ${named(own.filter((row) => cellsOf(row) === cells))} | ${cells} |`)
    lines.push('')
  }
  for (const reason of new Set(rows.flatMap((row) => row.without ?? []))) {
    lines.push(`Not asked of ${named(rows.filter((row) => row.without === reason))}: ${reason}.`, '')
  }
  return lines.join('\n')
}

const named = (rows: readonly Row[]) => rows.map((row) => `\`${row.model}\``).join(', ')

/** Errors at three steps, orders between them, and what it comes to. */
function cellsOf(row: Row & { readonly measured: Measured }): string {
  const { errors, orders, values, failure } = row.measured
  const found = verdictOf(row)
  const said = {
    exact: 'exact',
    first: orderOf(row.measured).toFixed(1),
    half: '½',
    uneven: 'uneven',
    limit: `→ ${figure(values[2])}`,
    failed: 'fails',
  }[found]
  const order =
    failure === undefined ? orders.map((x) => (Number.isFinite(x) ? x.toFixed(1).replace('-0.0', '0.0') : '-')).join(', ') : '-'
  return [...errors.map(shown), order, said].join(' | ')
}

const headsOf = (steps: Steps) =>
  steps.map((dt) => (dt < 1e-4 ? `${Math.round(1e7 * dt) / 10} µs` : `${Math.round(1e6 * dt) / 1e3} ms`)).join(' | ')
const shown = (error: number) =>
  Number.isNaN(error) ? '-' : Math.abs(error) < 1e-12 ? '0' : error.toExponential(1).replace('e+0', '')
/** Rounded, and 0 where only rounding is left. */
const figure = (x: number) => (Math.abs(x) < 1e-9 ? '0' : `${Number(x.toPrecision(4))}`)
