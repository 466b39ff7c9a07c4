/** Problems of complementarity and of contact, as `featherbed solve` reads them and as runs save their steps. */

import * as z from 'zod'
import { constraintKind, frictionLaws, isCompliant, type SavedConstraint, spring } from '../../contact/index.ts'
import { factorOf, type LinearProblem, type Problem } from '../answers/contactSystem.ts'
import { counted } from '../measure/numbers.ts'
import { expecting, fields, found, Lines, list, number, parseJson } from '../scenario/fileFields.ts'

export type { LinearProblem, Problem }

export class ProblemFileError extends Error {
  override name = 'ProblemFileError'
}

/** Rows of J a contact: normal and two tangents. */
const ROWS_OF_CONTACT = 3
/** Largest difference of M and its transpose, relative to the diagonal. */
const SYMMETRY = 1e-9

const finite = number('a finite number')
const index = number('a whole number from 0 up', (x) => Number.isInteger(x) && x >= 0)
const truth = (expected: string) => z.boolean(expecting(expected))
const matrix = (expected: string) => list(list(finite, 'a row of numbers'), expected)

const constraintKinds = Object.keys(constraintKind) as (keyof typeof constraintKind)[]

const origin = z.record(z.string(), z.unknown(), expecting('an object that says where it came from')).optional()
const linear = {
  A: matrix('a list of rows, as many as each has entries'),
  b: list(finite, 'a list of numbers, one for each row of A'),
  origin,
}
const kinds = {
  lcp: fields({ kind: z.literal('lcp'), ...linear }),
  mlcp: fields({
    kind: z.literal('mlcp'),
    ...linear,
    free: list(index, 'the list of the indices, from 0, of the unknowns that are free of sign'),
  }),
  contact: fields({
    kind: z.literal('contact'),
    M: matrix('the mass matrix as a list of rows'),
    J: matrix('a list of three rows a contact: normal, tangent 1, tangent 2'),
    vFree: list(finite, 'a list of numbers, one for each row of M'),
    gap: list(finite, 'a list of numbers [m], one for each contact'),
    mu: list(
      number('a coefficient of friction of at least 0', (x) => x >= 0),
      'a list of numbers, one for each contact',
    ),
    bounds: list(
      number('the greatest friction [N s], at least 0', (x) => x >= 0),
      'a list of numbers, one for each contact',
    ).optional(),
    dt: number('a time step above 0 s', (x) => x > 0),
    allowed: list(finite, 'a list of numbers [m/s], one for each contact').optional(),
    addedSlip: list(
      list(finite, 'two numbers').refine((slip) => slip.length === 2, 'two numbers, one for each tangent'),
      'a list of pairs of numbers [m/s], one for each contact',
    ).optional(),
    rows: list(
      z.discriminatedUnion(
        'kind',
        [
          fields({ kind: z.literal('unilateral'), J: list(finite, 'a row of numbers'), added: finite }),
          fields({ kind: z.literal('bilateral'), J: list(finite, 'a row of numbers'), added: finite }),
          fields({
            kind: z.literal('bounded'),
            J: list(finite, 'a row of numbers'),
            added: finite,
            limit: number('the greatest impulse, at least 0', (x) => x >= 0),
          }),
        ],
        { error: ({ input }) => `${found(kindOf(input))}, expected one of "unilateral", "bilateral", "bounded"` },
      ),
      'a list of rows that are no contacts',
    ).optional(),
    softness: list(
      number('a number of at least 0', (x) => x >= 0),
      'a list of numbers, one for each row of J and then of rows',
    ).optional(),
    springs: list(
      list(
        number('a number of at least 0', (x) => x >= 0),
        'five numbers: impulse, stiffness, dissipation, before, slip',
      ),
      'a list of lists of five numbers, one for each contact',
    ).optional(),
    constraints: list(
      fields({
        kind: z.enum(constraintKinds, {
          error: ({ input }) => `${found(input)}, expected one of ${constraintKinds.map((name) => `"${name}"`).join(', ')}`,
        }),
        members: list(
          fields({
            pushes: truth('true if the contacts of the member may push, else false'),
            contacts: list(index, 'a list of the indices, from 0, of contacts'),
          }),
          'a list of the ways in which the constraint may hold',
        ),
      }),
      'a list of what contacts have to satisfy together',
    ).optional(),
    path: truth('true if the constraints have to hold on the way through the step too, else false').optional(),
    active: list(index, 'a list of the indices, from 0, of the contacts that were chosen').optional(),
    law: z.enum(frictionLaws, expecting(`one of ${frictionLaws.map((law) => `"${law}"`).join(', ')}`)).optional(),
    sides: number('an even whole number from 4 to 64', (x) => Number.isInteger(x) && x % 2 === 0 && x >= 4 && x <= 64).optional(),
    origin,
  }),
}
type Kind = keyof typeof kinds
type Given = { [K in Kind]: z.infer<(typeof kinds)[K]> }

const kindOf = (input: unknown) =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as { kind?: unknown }).kind : input

/** @throws ProblemFileError with one line for each problem: the file, the field, what was found and what was expected */
export function parseProblem(text: string, file: string): Problem {
  const raw = parseJson(
    text,
    file,
    ProblemFileError,
    'give a file with a problem, such as {"kind": "lcp", "A": [[2]], "b": [-1]}',
  )
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw new ProblemFileError(`${file}: ${found(raw)}, expected an object with a kind, one of ${Object.keys(kinds).join(', ')}`)
  const { kind } = raw as { kind?: unknown }
  if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind))
    throw new ProblemFileError(`${file}: kind ${found(kind)}, expected one of ${Object.keys(kinds).join(', ')}`)

  const result = kinds[kind as Kind].safeParse(raw)
  const lines = new Lines(file)
  for (const { path, message } of result.error?.issues ?? []) lines.add(path, message)
  // sizes are compared of every field that is right by itself, so that a file yields all its problems at once
  const right = Object.fromEntries(Object.entries(raw).filter(([key]) => !lines.has(key)))
  if (kind === 'contact') {
    checkContact(right as Partial<Given['contact']>, lines)
    checkSprings(right as Partial<Given['contact']>, lines)
    checkConstraints(right as Partial<Given['contact']>, lines)
  } else checkLinear(right as Partial<Given['mlcp']>, lines)
  if (lines.all.length > 0 || result.data === undefined) throw new ProblemFileError(lines.all.join('\n'))
  return result.data.kind === 'lcp' ? { ...result.data, free: [] } : (result.data as Problem)
}

function checkLinear({ kind, A, b, free }: Partial<Given['mlcp'] | Given['lcp']> & { free?: number[] }, lines: Lines): void {
  if (A?.length === 0) lines.add(['A'], 'is empty, expected at least one row')
  const n = A?.length
  if (A) checkRows(A, A.length, `one for each of its ${counted(A.length, 'row')}`, ['A'], lines)
  checkSize(['b'], b, n, ', one for each row of A', lines)
  if (kind !== 'mlcp' || !free) return
  free.forEach((index, i) => {
    if (n !== undefined && index >= n)
      lines.add(['free', i], `found ${index}, expected an index below ${n}, the number of unknowns; they count from 0`)
    else if (free.indexOf(index) < i) lines.add(['free', i], `found ${index} a second time, expected each index once`)
  })
}

function checkRows(
  rows: readonly (readonly number[])[],
  width: number,
  why: string,
  path: readonly string[],
  lines: Lines,
): void {
  rows.forEach((row, i) => {
    checkSize([...path, i], row, width, `, ${why}`, lines)
  })
}

/** That a field has so many entries, where both are known. */
function checkSize(
  path: readonly PropertyKey[],
  values: readonly unknown[] | undefined,
  expected: number | undefined,
  why: string,
  lines: Lines,
): void {
  if (values === undefined || expected === undefined || values.length === expected) return
  lines.add(path, `has ${counted(values.length, 'entry', 'entries')}, expected ${expected}${why}`)
}

function checkContact(
  { M, J, vFree, gap, mu, bounds, allowed, addedSlip, rows, softness }: Partial<Given['contact']>,
  lines: Lines,
): void {
  const nv = M?.length ?? vFree?.length
  const perRow = `one for each row of ${M ? 'M' : 'vFree'}`
  if (M) {
    if (M.length === 0) lines.add(['M'], 'is empty, expected at least one row')
    checkRows(M, M.length, `one for each of its ${counted(M.length, 'row')}`, ['M'], lines)
    if (!lines.has('M')) checkMass(M, lines)
  }
  checkSize(['vFree'], vFree, nv, `, ${perRow}`, lines)
  if (J && nv !== undefined) checkRows(J, nv, perRow, ['J'], lines)
  rows?.forEach((row, i) => {
    checkSize(['rows', i, 'J'], row.J, nv, `, ${perRow}`, lines)
  })
  if (J && J.length % ROWS_OF_CONTACT !== 0)
    lines.add(['J'], `has ${counted(J.length, 'row')}, expected three a contact: normal, tangent 1, tangent 2`)
  if (J?.length === 0 && !lines.has('rows') && (rows ?? []).length === 0)
    lines.add(['J'], 'is empty and there are no other rows, expected at least one contact or one row')
  const contacts = J ? Math.ceil(J.length / ROWS_OF_CONTACT) : gap?.length
  const of = J ? `one for each contact of J` : 'as many as gap'
  for (const [name, values] of Object.entries({ gap, mu, bounds, allowed, addedSlip }))
    checkSize([name], values, contacts, `, ${of}`, lines)
  const rowCount = J && !lines.has('rows') ? J.length + (rows?.length ?? 0) : undefined
  checkSize(['softness'], softness, rowCount, ', one for each row of J and then of rows', lines)
}

/** That a compliant law has its springs, and no other law. */
function checkSprings({ J, gap, law, springs }: Partial<Given['contact']>, lines: Lines): void {
  if (lines.has('law') || lines.has('springs')) return
  const needs = law !== undefined && isCompliant(law)
  if (needs && springs === undefined) lines.add(['springs'], `is missing, expected five numbers a contact under the law "${law}"`)
  if (!needs && springs !== undefined)
    lines.add(['springs'], `is given under the law "${law ?? 'pyramid'}", expected it under "lagged", "similar" or "tamsi" alone`)
  const contacts = J ? Math.ceil(J.length / ROWS_OF_CONTACT) : gap?.length
  checkSize(['springs'], springs, contacts, ', one for each contact of J', lines)
  springs?.forEach((numbers, i) => {
    checkSize(['springs', i], numbers, spring.size, ': impulse, stiffness, dissipation, before, slip', lines)
    if (numbers.length === spring.size && !(numbers[spring.stiffness] > 0 && numbers[spring.slip] > 0))
      lines.add(
        ['springs', i],
        `found stiffness ${numbers[spring.stiffness]} and slip ${numbers[spring.slip]}, expected both above 0`,
      )
  })
}

/** That constraints name contacts that there are, and let each push for one of them. */
function checkConstraints({ J, gap, constraints, path, active }: Partial<Given['contact']>, lines: Lines): void {
  const contacts = J ? Math.ceil(J.length / ROWS_OF_CONTACT) : gap?.length
  const checkIndex = (i: number, at: readonly PropertyKey[], all: readonly number[], k: number) => {
    if (contacts !== undefined && i >= contacts)
      lines.add(at, `found ${i}, expected an index below ${contacts}, the number of contacts; they count from 0`)
    else if (all.indexOf(i) < k) lines.add(at, `found ${i} a second time, expected each index once`)
  }
  active?.forEach((i, k) => {
    checkIndex(i, ['active', k], active, k)
  })
  if (constraints === undefined) {
    for (const [name, value] of Object.entries({ path, active })) {
      if (value !== undefined && !lines.has('constraints'))
        lines.add([name], 'is given without constraints, expected those too; take it out where every contact stands by itself')
    }
    return
  }
  if (constraints.length === 0) lines.add(['constraints'], 'is empty, expected at least one; take it out where there are none')
  const pushesFor = new Map<number, number>()
  constraints.forEach((constraint, g) => {
    checkMembers(constraint, ['constraints', g], lines)
    constraint.members.forEach(({ pushes, contacts: named }, m) => {
      named.forEach((i, k) => {
        const at = ['constraints', g, 'members', m, 'contacts', k]
        checkIndex(i, at, named, k)
        if (!pushes) return
        const other = pushesFor.get(i) ?? g
        pushesFor.set(i, other)
        if (other !== g)
          lines.add(at, `found ${i}, which may push for constraints[${other}] already; expected a member of one constraint alone`)
      })
    })
  })
}

function checkMembers({ kind, members }: SavedConstraint, at: readonly PropertyKey[], lines: Lines): void {
  if (members.length === 0) lines.add([...at, 'members'], 'is empty, expected at least one way to hold')
  members.forEach(({ pushes, contacts }, m) => {
    if (contacts.length === 0) lines.add([...at, 'members', m, 'contacts'], 'is empty, expected at least one contact')
    if (kind === 'cross' && pushes)
      lines.add([...at, 'members', m, 'pushes'], 'found true, expected false: nobody pushes for a cross constraint')
  })
  const [first] = members
  if (kind !== 'unilateral' || first === undefined) return
  if (members.length > 1 || first.contacts.length > 1 || !first.pushes)
    lines.add(
      [...at],
      `is unilateral and has ${counted(members.length, 'member')}, the first with ${counted(first.contacts.length, 'contact')} that ` +
        `${first.pushes ? 'may' : 'may not'} push; expected one member of one contact that may push, several are of kind "inter"`,
    )
}

/** That M is symmetric and positive definite, which `factorOf` finds out. */
function checkMass(M: readonly (readonly number[])[], lines: Lines): void {
  const nv = M.length
  for (let i = 0; i < nv; i++) {
    for (let j = 0; j < i; j++) {
      const size = Math.sqrt(Math.abs(M[i][i] * M[j][j]))
      if (Math.abs(M[i][j] - M[j][i]) <= SYMMETRY * size) continue
      lines.add(
        ['M', i, j],
        `found ${M[i][j]} where M[${j}][${i}] is ${M[j][i]}, expected a symmetric matrix; write the same number in both places`,
      )
    }
  }
  if (lines.has('M')) return
  const { broken } = factorOf(M)
  if (broken >= 0)
    lines.add(
      ['M'],
      `is not positive definite: its first ${counted(broken + 1, 'row and column', 'rows and columns')} make a matrix with no inverse ` +
        'or with a negative kinetic energy; check the masses and inertias, and take out coordinates that nothing moves',
    )
}

/** The file of a problem: one row of a matrix a line, every number to the last bit. @unchecked */
export function problemText(problem: Problem): string {
  const { kind, origin: from, ...rest } = problem
  const entries = Object.entries({ kind, ...(from === undefined ? {} : { origin: from }), ...rest })
  return `{\n${entries
    .filter(([key, value]) => value !== undefined && !(kind === 'lcp' && key === 'free'))
    .map(([key, value]) => `  ${JSON.stringify(key)}: ${rowsText(value)}`)
    .join(',\n')}\n}\n`
}

function rowsText(value: unknown): string {
  const isNested = Array.isArray(value) && value.length > 0 && typeof value[0] === 'object'
  return isNested ? `[\n${value.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]` : JSON.stringify(value)
}
