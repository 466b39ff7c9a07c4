/** docs/closed-forms.md: the cases whose law is an order of convergence, under every contact model. */
import { type Chapter, type Claim, chapters, kindOf, type Measured, measureOf, orderOf, type Row } from './convergence.ts'

const introduction = (count: number, models: number) => `# Closed forms under every contact model

${count} motions and loads whose exact values are known, under ${models} contact models, each at three steps. This page is written by

    npm run bench -- forms

and \`npm run bench -- forms NAME\` prints the rows of one; the cases are the files of \`cases/closed-forms/\` ([cases.md](cases.md)): formula, source, scenario, what is measured, and which models miss it.

How to read the tables:

- **exact**: all errors below 2e-5, the default softness of rigid contacts (5e-6) and its consequences.
- **1.0**, **1.0 … 1.3**: order of convergence, log2 of the errors' ratio from the longest step to the shortest, per halving; models of one order are one row, with the least and the largest of their errors and orders. All these models take positions from velocities at the end of the step, so order 1 is that of a correct law.
- **½**: errors fall like the square root of the step. **uneven**: no order at these steps, errors of the size given.
- **→ value**: order 0. The model converges to another value; the reason is under [other limits](#other-limits). **fails**: the run ends with an error.

Errors are relative, at steps of 4, 2 and 1 ms unless others are given. \`npm run bench -- forms --json\` has each model's values, errors and orders.

Springs (\`penalty-deepest\`, \`penalty\`, \`hunt-crossley\`, \`drake\`) are made stiffer along with shorter steps, \`allowedPenetration\` = 10 m/s² dt², so that their limit too is the rigid body: 0.16 mm at 4 ms, 10 µm at 1 ms. At a fixed stiffness they converge to the motion of springs. \`hunt-crossley\` and \`drake\`, which have no impulses by default, resolve impacts in steps of 40, 20 and 10 µs (\`hunt-crossley\` by RK4) with an allowed penetration as many metres as the step has seconds. \`mujoco\` keeps its time constant of 20 ms, with which it tends to the motion of its springs: with the shortest that a step allows sliding bodies are thrown, as under \`convex\`. All other parameters are defaults: \`compliance\`, \`stickSpeed\`, \`stictionTolerance\`, 4 sides of pyramids.

The rattleback is not here, for it has no closed form.
`

/** docs/closed-forms.md. */
export function pageOf(rows: readonly Row[]): string {
  const models = [...new Set(rows.map((row) => row.model))]
  const parts = [introduction(new Set(rows.map((row) => row.claim)).size, models.length), overview(rows, models)]
  for (const chapter of Object.keys(chapters) as Chapter[]) {
    const claims = [...new Set(rows.map((row) => row.claim))].filter((claim) => claim.chapter === chapter)
    parts.push(`## ${chapters[chapter]}`, '')
    for (const claim of claims) {
      const { name, scene, at } = claim
      parts.push(
        `- **${capital(name)}**: ${scene.cases[at].nature}. *${scene.source}.* Exact: ${figure(measureOf(claim).nature)}${unitOf(claim)}.`,
      )
    }
    parts.push('', '| | models | longest step | half | quarter | order |', '| --- | --- | ---: | ---: | ---: | ---: |')
    for (const claim of claims) parts.push(...rowsOf(rows.filter((row) => row.claim === claim)))
    parts.push('')
  }
  return parts.join('\n')
}

const capital = (text: string) => `${text[0].toUpperCase()}${text.slice(1)}`

/** Results that are neither exact nor of first order, by model. */
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
  lines.push('', '## Other limits', '', 'Values are those at the shortest step.', '')
  for (const model of models) {
    const own = asked.filter((row) => row.model === model && ['limit', 'uneven', 'failed'].includes(verdictOf(row)))
    if (own.length === 0) continue
    lines.push(`### \`${model}\``, '')
    for (const reason of new Set(own.map(reasonOf))) {
      const misses = own.filter((row) => reasonOf(row) === reason).map(tendsTo)
      lines.push(`- ${capital(reason)}. *${capital(misses.join('; '))}.*`)
    }
    lines.push('')
  }
  return lines.join('\n')
}

const reasonOf = ({ known }: Row) => known?.because ?? 'Not known'

function tendsTo(row: Row): string {
  const { values, errors, exact, failure } = row.measured as Measured
  const { name } = row.claim
  if (failure !== undefined) return `${name}: the run fails`
  const most = 100 * Math.max(...errors.map(Math.abs))
  if (verdictOf(row) === 'uneven') return `${name}: no order, errors up to ${Number(most.toPrecision(2))} %`
  return `${name}: ${figure(values[2])}${unitOf(row.claim)} in place of ${figure(exact)}`
}

function unitOf(claim: Claim): string {
  const { unit } = measureOf(claim)
  return unit === '' ? '' : ` ${unit}`
}

/** As `kindOf`, but for those known to have no order at these steps, or to tend elsewhere slowly. */
const verdictOf = ({ measured, known }: Row) =>
  known?.uneven !== undefined ? 'uneven' : known?.tendsTo !== undefined ? 'limit' : kindOf(measured as Measured)

/** A line of the table for models that are exact, one for each set of steps at which models are of order 1, and one for each other. */
function rowsOf(rows: readonly Row[]): string[] {
  const measured = rows.flatMap((row) => (row.measured ? [{ ...row, measured: row.measured }] : []))
  const lines: string[] = []
  const add = (own: readonly MeasuredRow[], cells: string) => {
    const title = lines.length === 0 ? capital(rows[0].claim.name) : ''
    lines.push(`| ${title} | ${namedAmong(own, measured)}${stepsOf(own)} | ${cells} |`)
  }
  const exact = measured.filter((row) => verdictOf(row) === 'exact')
  if (exact.length > 0) add(exact, ' | | | exact')
  const first = measured.filter((row) => verdictOf(row) === 'first')
  for (const steps of new Set(first.map(({ measured }) => `${measured.steps}`))) {
    const own = first.filter(({ measured }) => `${measured.steps}` === steps)
    const ends = (of: (one: Measured) => number, text: (x: number) => string) => {
      const values = own.map(({ measured }) => of(measured))
      return range(values, text)
    }
    const errors = [0, 1, 2].map((k) => ends((one) => one.errors[k], shown))
    add(own, [...errors, ends(orderOf, (x) => x.toFixed(1))].join(' | '))
  }
  const others = measured.filter((row) => !['exact', 'first'].includes(verdictOf(row)))
  for (const cells of new Set(others.map(cellsOf))) {
    const own = others.filter((row) => cellsOf(row) === cells)
    add(own, cells)
  }
  for (const reason of new Set(rows.flatMap((row) => row.without ?? []))) {
    const own = rows.filter((row) => row.without === reason)
    lines.push(`| | not of ${named(own)}: ${reason} | | | | |`)
  }
  return lines
}

type MeasuredRow = Row & { readonly measured: Measured }

const named = (rows: readonly Row[]) => rows.map((row) => `\`${row.model}\``).join(', ')

/** The same in fewer words, where they are nearly all that were asked. */
function namedAmong(rows: readonly Row[], all: readonly Row[]): string {
  const others = all.filter(({ model }) => !rows.some((row) => row.model === model))
  if (others.length === 0) return 'all'
  return others.length < rows.length / 2 ? `all but ${named(others)}` : named(rows)
}

/** The steps, where they are not 4, 2 and 1 ms. */
function stepsOf([{ measured }]: readonly MeasuredRow[]): string {
  const [dt] = measured.steps
  return dt === 4e-3 ? '' : ` (from ${dt < 1e-4 ? `${Math.round(1e7 * dt) / 10} µs` : `${Math.round(1e6 * dt) / 1e3} ms`})`
}

function range(values: readonly number[], text: (x: number) => string): string {
  const ends = [text(Math.min(...values)), text(Math.max(...values))]
  return ends[0] === ends[1] ? ends[0] : ends.join(' … ')
}

/** Errors at three steps, and their verdict. */
function cellsOf(row: MeasuredRow): string {
  const { errors, values } = row.measured
  const found = {
    exact: 'exact',
    first: '1',
    half: '½',
    uneven: 'uneven',
    limit: `→ ${figure(values[2])}`,
    failed: 'fails',
  }[verdictOf(row)]
  return [...errors.map(shown), found].join(' | ')
}

const shown = (error: number) =>
  Number.isNaN(error) ? '-' : Math.abs(error) < 1e-12 ? '0' : error.toExponential(1).replace('e+0', '')
/** Rounded, and 0 where only rounding is left. */
const figure = (x: number) => (Math.abs(x) < 1e-9 ? '0' : `${Number(x.toPrecision(4))}`)
