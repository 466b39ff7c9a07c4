import { allEntries, type FrameSource, type RecordingFrame, SolverEntry } from './recordingFrame.ts'

/*
 * Recordings as tables (RFC 4180): states, a row per frame, and contacts, a row per contact. A column's name ends in its unit, except for
 * pure numbers. Numbers have the fewest digits that parse to the same double, at most 17.
 */

const END_OF_ROW = '\r\n'

/** A number that parses to the same bits, also -0; '' for numbers that are not finite or not measured. @unchecked */
export function cellOf(x: number): string {
  if (x === 0) return Object.is(x, -0) ? '-0' : '0'
  return Number.isFinite(x) ? String(x) : ''
}

/** A cell with a comma, a quote or a line break is quoted. @unchecked */
export const quotedCell = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

const header = (names: readonly string[]) => names.map(quotedCell).join(',') + END_OF_ROW

/** t_s, q, v and tau by name, energies, solver counts since the last frame, completed steps, and controllers' channels. @unchecked */
export function stateHeader(source: FrameSource): string {
  const entries = allEntries(source)
  const of = (kind: 'q' | 'v' | 'tau') =>
    entries[kind].map(({ name, unit }) => (unit === '' ? `${kind}.${name}` : `${kind}.${name}_${unit}`))
  const energies = ['kineticEnergy_J', 'potentialEnergy_J']
  const solver = ['solverIterations', 'solverFailures', 'solverFallbacks', 'solverResidualMax']
  return header([
    't_s',
    ...of('q'),
    ...of('v'),
    ...of('tau'),
    ...energies,
    ...solver,
    'step',
    ...source.channels.map((name) => `log.${name}`),
  ])
}

/** @unchecked */
export function stateRow({ step, t, q, v, tau, energy, solver, log }: RecordingFrame): string {
  let row = cellOf(t[0])
  for (let i = 0; i < q.length; i++) row += ',' + cellOf(q[i])
  for (let i = 0; i < v.length; i++) row += ',' + cellOf(v[i])
  for (let i = 0; i < tau.length; i++) row += ',' + cellOf(tau[i])
  for (let i = 0; i < energy.length; i++) row += ',' + cellOf(energy[i])
  row += ',' + cellOf(solver[SolverEntry.iterations]) + ',' + cellOf(solver[SolverEntry.failures])
  row += ',' + cellOf(solver[SolverEntry.fallbacks]) + ',' + cellOf(solver[SolverEntry.residualMax])
  row += `,${step}`
  for (let i = 0; i < log.length; i++) row += ',' + cellOf(log[i])
  return row + END_OF_ROW
}

export const contactsHeader: string = header([
  't_s',
  'step',
  'detectedAt_s',
  ...['linkA', 'shapeA', 'linkB', 'shapeB', 'pair', 'feature'],
  ...['pointX_m', 'pointY_m', 'pointZ_m', 'normalX', 'normalY', 'normalZ', 'gap_m'],
  ...['forceX_N', 'forceY_N', 'forceZ_N', 'impulseX_Ns', 'impulseY_Ns', 'impulseZ_Ns', 'impactX_Ns', 'impactY_Ns', 'impactZ_Ns'],
  ...['momentX_Nms', 'momentY_Nms', 'momentZ_Nms'],
])

/** A row per contact of the frame, in world axes; '' if there are none. @unchecked */
export function contactRows({ shapes, world }: FrameSource, { step, t, contacts }: RecordingFrame): string {
  const { count, point, normal, gap, force, impulse, impact, moment } = contacts
  let rows = ''
  for (let c = 0; c < count; c++) {
    const a = shapes[contacts.shapeA[c]]
    const b = shapes[contacts.shapeB[c]]
    rows += `${cellOf(t[0])},${step},${cellOf((step - 1) * world.dt)},`
    rows += `${quotedCell(a.link)},${quotedCell(a.name)},${quotedCell(b.link)},${quotedCell(b.name)},`
    rows += `${contacts.pair[c]},${contacts.feature[c]}`
    rows += three(point, c) + three(normal, c) + ',' + cellOf(gap[c])
    rows += three(force, c) + three(impulse, c) + three(impact, c) + three(moment, c)
    rows += END_OF_ROW
  }
  return rows
}

const three = (x: Float64Array, c: number) => `,${cellOf(x[3 * c])},${cellOf(x[3 * c + 1])},${cellOf(x[3 * c + 2])}`
