/** What a problem's file may say, and how it is told what is wrong with it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { factorOf } from '../../compare/answers/contactSystem.ts'
import { ProblemFileError, parseProblem, problemText } from '../../compare/inspect/problemFile.ts'
import type { SavedProblem } from '../../contact/index.ts'
import { examples, pointOnGround, refuses } from './problems.ts'

const lcp = { kind: 'lcp', A: [[2]], b: [-1] }
const mlcp = { ...lcp, kind: 'mlcp', free: [0] }
const contact = pointOnGround
/** Two of them. */
const two: SavedProblem = { ...contact, J: [...contact.J, ...contact.J], gap: [0, 0], mu: [0.5, 0.5] }
const oneOf = (...contacts: number[][]) => ({
  kind: 'inter',
  members: contacts.map((list) => ({ pushes: true, contacts: list })),
})
const row = { kind: 'unilateral', J: [1, 0, 0], added: 0 } as const

describe('each problem is one line: the file, the field, what was found, what was expected', () => {
  const cases: [name: string, given: unknown, ...lines: (string | RegExp)[]][] = [
    ['no JSON', '{', /^p\.json: is no JSON: .*give a file with a problem/],
    ['no object', [], 'p.json: found [], expected an object with a kind, one of lcp, mlcp, contact'],
    ['no kind', {}, 'p.json: kind is missing, expected one of lcp, mlcp, contact'],
    ['an unknown kind', { kind: 'qp' }, 'p.json: kind found "qp", expected one of lcp, mlcp, contact'],
    ['a kind that every object has', { kind: 'toString' }, /kind found "toString", expected one of/],
    [
      'a matrix that is not square, and a vector of another size',
      { kind: 'lcp', A: [[1, 2], [3]], b: [1, 2, 3] },
      'p.json: A[1] has 1 entry, expected 2, one for each of its 2 rows',
      'p.json: b has 3 entries, expected 2, one for each row of A',
    ],
    ['no rows', { kind: 'lcp', A: [], b: [] }, 'p.json: A is empty, expected at least one row'],
    [
      'what is no number, and a null where something was not finite',
      { kind: 'lcp', A: [['1']], b: [null] },
      'p.json: A[0][0] found "1", expected a finite number',
      'p.json: b[0] found null, which stands for no finite number, expected a finite number',
    ],
    [
      'a number beyond all numbers',
      '{"kind": "lcp", "A": [[1e999]], "b": [1]}',
      /^p\.json: A\[0\]\[0\] .*expected a finite number$/,
    ],
    [
      'many of one sort are counted',
      { kind: 'lcp', A: [[1]], b: ['a', 'b', 'c', 'd', 'e'] },
      /b\[0\]/,
      /b\[1\]/,
      /b\[2\]/,
      'p.json: b has 2 more like these',
    ],
    ['a field that nothing reads', { ...lcp, free: [0] }, 'p.json: has the unknown field free; known are kind, A, b, origin'],
    [
      'free unknowns that there are not, or twice',
      { ...mlcp, free: [0, 0, 1] },
      'p.json: free[1] found 0 a second time, expected each index once',
      'p.json: free[2] found 1, expected an index below 1, the number of unknowns; they count from 0',
    ],
    ['an index that is none', { ...mlcp, free: [-1] }, 'p.json: free[0] found -1, expected a whole number from 0 up'],
    ['an mlcp without free', { ...lcp, kind: 'mlcp' }, /^p\.json: free is missing, expected the list of the indices/],
    [
      'rows that do not come three a contact',
      { ...contact, J: contact.J.slice(0, 2) },
      'p.json: J has 2 rows, expected three a contact: normal, tangent 1, tangent 2',
    ],
    [
      'sizes that disagree, all of them',
      { ...contact, vFree: [0], gap: [0, 0], mu: [], J: [[0, 1], ...contact.J.slice(1)], softness: [0], allowed: [] },
      'p.json: vFree has 1 entry, expected 3, one for each row of M',
      'p.json: J[0] has 2 entries, expected 3, one for each row of M',
      'p.json: gap has 2 entries, expected 1, one for each contact of J',
      'p.json: mu has 0 entries, expected 1, one for each contact of J',
      'p.json: allowed has 0 entries, expected 1, one for each contact of J',
      'p.json: softness has 1 entry, expected 3, one for each row of J and then of rows',
    ],
    [
      'friction, steps, softness and sides that cannot be',
      { ...contact, mu: [-0.5], dt: 0, softness: [0, 0, -1], sides: 5, law: 'coulomb' },
      'p.json: mu[0] found -0.5, expected a coefficient of friction of at least 0',
      'p.json: dt found 0, expected a time step above 0 s',
      'p.json: softness[2] found -1, expected a number of at least 0',
      'p.json: law found "coulomb", expected one of "pyramid", "cone", "associated", "lagged", "similar", "tamsi"',
      'p.json: sides found 5, expected an even whole number from 4 to 64',
    ],
    [
      'a law with springs that has none',
      { ...contact, law: 'lagged' },
      'p.json: springs is missing, expected five numbers a contact under the law "lagged"',
    ],
    [
      'springs under a law that has none',
      { ...contact, springs: [[0, 1, 0, 0, 1e-4]] },
      'p.json: springs is given under the law "pyramid", expected it under "lagged", "similar" or "tamsi" alone',
    ],
    [
      'springs that cannot be',
      {
        ...contact,
        law: 'similar',
        springs: [
          [0, 1, 0, 0],
          [0, 0, 0, 0, 1e-4],
        ],
      },
      'p.json: springs has 2 entries, expected 1, one for each contact of J',
      'p.json: springs[0] has 4 entries, expected 5: impulse, stiffness, dissipation, before, slip',
      'p.json: springs[1] found stiffness 0 and slip 0.0001, expected both above 0',
    ],
    [
      'a mass matrix that is not symmetric',
      { ...contact, M: [[2, 1, 0], [0, 2, 0], contact.M[2]] },
      'p.json: M[1][0] found 0 where M[0][1] is 1, expected a symmetric matrix; write the same number in both places',
    ],
    [
      'a mass matrix without a mass',
      { ...contact, M: [contact.M[0], [0, 0, 0], contact.M[2]] },
      /^p\.json: M is not positive definite: its first 2 rows and columns .* take out coordinates that nothing moves$/,
    ],
    [
      'a mass matrix with a negative energy',
      { ...contact, M: [[1, 2, 0], [2, 1, 0], contact.M[2]] },
      /^p\.json: M is not positive definite: its first 2 rows/,
    ],
    [
      'other rows of an unknown kind, without their limit, or of another size',
      { ...contact, rows: [{ ...row, kind: 'soft' }, { ...row, kind: 'bounded' }, row] },
      'p.json: rows[0].kind found "soft", expected one of "unilateral", "bilateral", "bounded"',
      'p.json: rows[1].limit is missing, expected the greatest impulse, at least 0',
    ],
    ['a row of another size', { ...contact, rows: [{ ...row, J: [1] }] }, /^p\.json: rows\[0\]\.J has 1 entry, expected 3, /],
    [
      'nothing to solve',
      { ...contact, J: [], gap: [], mu: [] },
      'p.json: J is empty and there are no other rows, expected at least one contact or one row',
    ],
    [
      'constraints of unknown kinds, without members, with members that say nothing of pushing',
      {
        ...two,
        constraints: [{ kind: 'either', members: [] }, { kind: 'inter' }, { kind: 'inter', members: [{ contacts: [0.5] }] }],
        path: 1,
      },
      'p.json: constraints[0].kind found "either", expected one of "unilateral", "inter", "cross"',
      'p.json: constraints[1].members is missing, expected a list of the ways in which the constraint may hold',
      'p.json: constraints[2].members[0].pushes is missing, expected true if the contacts of the member may push, else false',
      'p.json: path found 1, expected true if the constraints have to hold on the way through the step too, else false',
      'p.json: constraints has 1 more like these',
    ],
    [
      'constraints over contacts that there are not, or twice',
      { ...two, constraints: [oneOf([0, 2], [1, 1])], active: [0, 3, 0] },
      'p.json: active[1] found 3, expected an index below 2, the number of contacts; they count from 0',
      'p.json: active[2] found 0 a second time, expected each index once',
      'p.json: constraints[0].members[0].contacts[1] found 2, expected an index below 2, the number of contacts; they count from 0',
      'p.json: constraints[0].members[1].contacts[1] found 1 a second time, expected each index once',
    ],
    [
      'constraints and members that are empty',
      { ...two, constraints: [{ kind: 'inter', members: [] }, oneOf([], [0])] },
      'p.json: constraints[0].members is empty, expected at least one way to hold',
      'p.json: constraints[1].members[0].contacts is empty, expected at least one contact',
    ],
    ['no constraint', { ...two, constraints: [] }, /^p\.json: constraints is empty, expected at least one; take it out/],
    [
      'members that their constraint cannot have',
      {
        ...two,
        constraints: [
          { ...oneOf([0], [1]), kind: 'unilateral' },
          { ...oneOf([0]), kind: 'cross' },
        ],
      },
      'p.json: constraints[0] is unilateral and has 2 members, the first with 1 contact that may push; expected one member of one ' +
        'contact that may push, several are of kind "inter"',
      'p.json: constraints[1].members[0].pushes found true, expected false: nobody pushes for a cross constraint',
      'p.json: constraints[1].members[0].contacts[0] found 0, which may push for constraints[0] already; expected a member of one ' +
        'constraint alone',
    ],
    [
      'a path and a choice without constraints',
      { ...two, path: true, active: [1] },
      'p.json: path is given without constraints, expected those too; take it out where every contact stands by itself',
      'p.json: active is given without constraints, expected those too; take it out where every contact stands by itself',
    ],
    ['a missing mass matrix', { ...contact, M: undefined }, 'p.json: M is missing, expected the mass matrix as a list of rows'],
  ]
  refuses(cases, (given) => parseProblem(typeof given === 'string' ? given : JSON.stringify(given), 'p.json'), ProblemFileError)
})

describe('a problem comes back from its file to the last bit', () => {
  const strange = [1 / 3, 5e-324, Number.MAX_VALUE, -1e-300]
  const A = strange.map((x) => strange.map(() => x))
  for (const problem of [
    { kind: 'lcp', A, b: strange, free: [] },
    { kind: 'mlcp', A, b: strange, free: [2], origin: { note: 'made by hand' } },
    {
      ...contact,
      allowed: [1 / 3],
      rows: [row, { ...row, kind: 'bounded', limit: 0.1 + 0.2 }],
      softness: [1e-9, 0, 0, 0, 1 / 7],
      law: 'cone',
      sides: 8,
      origin: { model: 'convex', robots: ['arm'], t: 0.1 + 0.2, asked: { lemke: 'ray' } },
    },
    { ...two, constraints: [oneOf([0, 1], [1])], path: true, active: [1] } as SavedProblem,
  ] as const) {
    test(problem.kind, () => expect(parseProblem(problemText(problem), 'p.json')).toEqual(problem))
  }
})

test('a mass matrix is factored: M = L Lᵀ', () => {
  // 4 = 2², 2 = 2 · 1, 5 = 1² + 2²
  expect([
    ...factorOf([
      [4, 2],
      [2, 5],
    ]).L,
  ]).toEqual([2, 0, 1, 2])
})

for (const name of readdirSync(examples)) {
  test(`docs/examples/problems/${name} is one`, () => {
    expect(() => parseProblem(readFileSync(join(examples, name), 'utf8'), name)).not.toThrow()
  })
}
