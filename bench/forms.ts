/*
 * npm run bench -- forms [NAME] [--models a,b] [--json] [--check]
 *
 * Motions and loads with closed forms under every contact model, each at three steps: errors relative to the closed form, the order of
 * convergence between them, and where there is none the value that it tends to. NAME keeps the forms whose name contains it.
 * Without NAME and --models it writes docs/closed-forms.md. --check compares with the exceptions of the cases (cases/closed-forms) and exits
 * with 1 where something else is found, better or worse.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { allClaims, kindOf, limitOf, measureOf, orderOf, type Row, rowOf } from '../cases/convergence.ts'
import { pageOf } from '../cases/convergencePage.ts'
import { contactModelNames as models } from '../contact/index.ts'

export async function runForms(args: readonly string[]): Promise<void> {
  const flags = ['--json', '--check', '--models']
  const unknown = args.find((arg) => arg.startsWith('--') && !flags.includes(arg))
  if (unknown !== undefined) {
    refuse(`unknown option ${unknown}; there are ${flags.join(', ')}`)
    return
  }
  const at = args.indexOf('--models')
  const asked = at < 0 ? models : (args[at + 1] ?? '').split(',')
  const strange = asked.find((name) => !models.some((model) => model === name))
  if (strange !== undefined) {
    refuse(`no contact model "${strange}"; there are ${models.join(', ')}`)
    return
  }
  const name = args.find((arg, k) => !arg.startsWith('--') && (at < 0 || k !== at + 1)) ?? ''
  const claims = await allClaims()
  const chosen = claims.filter((claim) => claim.name.includes(name))
  if (chosen.length === 0) {
    refuse(`no form has "${name}" in its name; there are:\n${claims.map((claim) => claim.name).join('\n')}`)
    return
  }

  const json = args.includes('--json')
  const rows: Row[] = []
  for (const claim of chosen) {
    const { nature, unit } = measureOf(claim)
    if (!json) console.log(`\n${claim.name}: ${claim.scene.cases[claim.at].nature}; exact ${nature.toPrecision(6)} ${unit}`)
    for (const model of models) {
      if (!asked.includes(model)) continue
      const row = await rowOf(claim, model)
      rows.push(row)
      if (!json) console.log(`  ${model.padEnd(16)} ${textOf(row)}`)
    }
  }
  if (json) console.log(JSON.stringify({ rows: rows.map(plain) }))
  if (name === '' && at < 0) {
    const file = fileURLToPath(new URL('../docs/closed-forms.md', import.meta.url))
    writeFileSync(file, pageOf(rows))
    console.error(`wrote ${file}`)
  }
  if (!args.includes('--check')) return
  const problems = rows.flatMap((row) => row.problem ?? [])
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}

function refuse(message: string): void {
  console.error(message)
  process.exitCode = 2
}

function textOf({ measured, without, known, problem }: Row): string {
  if (measured === undefined) return `not asked: ${without}`
  const { errors, orders, values, failure } = measured
  const kind = kindOf(measured)
  const error = (x: number) => x.toExponential(1).padStart(9)
  const order = (x: number) => (Number.isFinite(x) ? x.toFixed(2) : '-').padStart(6)
  const found =
    kind === 'failed'
      ? failure
      : kind === 'exact'
        ? 'exact'
        : kind === 'limit'
          ? `order 0: tends to ${limitOf(values).toPrecision(4)}`
          : `order ${orderOf(measured).toFixed(1)}`
  const why = known ? `; ${known.because}` : ''
  return `${errors.map(error).join(' ')}  ${orders.map(order).join(' ')}  ${found}${why}${problem ? '  (not as known)' : ''}`
}

const plain = ({ claim, model, measured, without, known, problem }: Row) => ({
  form: claim.name,
  model,
  unit: measureOf(claim).unit,
  ...(measured && {
    kind: kindOf(measured),
    exact: measured.exact,
    steps_s: measured.steps,
    values: measured.values,
    errors: measured.errors,
    orders: measured.orders,
    failure: measured.failure,
  }),
  without,
  reason: known?.because,
  problem,
})
