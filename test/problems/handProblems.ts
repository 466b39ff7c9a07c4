/** Problems of the papers, and hard ones, by their numbers: the corpus but for the steps of robots. */
import type { Problem } from '../../compare/inspect/problemFile.ts'
import type { SavedProblem, SavedRow } from '../../contact/index.ts'
import { createRandom } from '../../dynamics/index.ts'

/** By folder/name. */
export type Named = Readonly<Record<string, Problem>>

type Matrix = readonly (readonly number[])[]
const lcp = (A: Matrix, b: readonly number[], note: string): Problem => ({ kind: 'lcp', A, b, free: [], origin: { note } })
const diagonal = (...values: number[]) => values.map((x, i) => values.map((_, k) => (i === k ? x : 0)))
const list = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i))
const ones = (n: number, x = 1): number[] => list(n, () => x)

/** Least c x with A x >= b and x >= 0, as the complementarity problem of its optimality. */
function program(A: Matrix, b: readonly number[], c: readonly number[], note: string): Problem {
  const [m, n] = [b.length, c.length]
  const rows = [...list(n, (i) => [...ones(n, 0), ...list(m, (k) => 0 - A[k][i])]), ...list(m, (i) => [...A[i], ...ones(m, 0)])]
  return lcp(rows, [...c, ...b.map((x) => 0 - x)], note)
}

/** Linear programs on which the simplex method cycles under Dantzig's rule, and the cube of Klee and Minty. */
function programs(): Named {
  const beale = [
    [-0.25, 60, 0.04, -9],
    [-0.5, 90, 0.02, -3],
    [0, 0, -1, 0],
  ]
  const kuhn = [
    [2, 9, -1, -9],
    [-1 / 3, -1, 1 / 3, 2],
    [-2, -3, 1, 12],
  ]
  const chvatal = [
    [-0.5, 5.5, 2.5, -9],
    [-0.5, 1.5, 0.5, -1],
    [-1, 0, 0, 0],
  ]
  const degenerate = [
    [-0.4, -0.2, 1.4, 0.2],
    [7.8, 1.4, -7.8, -0.4],
    [0, 0, -1, -1],
  ]
  const cube = (n: number) =>
    program(
      list(n, (i) => list(n, (k) => (k > i ? 0 : k === i ? -1 : -(2 ** (i - k + 1))))),
      list(n, (i) => -(5 ** (i + 1))),
      list(n, (i) => -(2 ** (n - 1 - i))),
      `cube of Klee and Minty (1972) in ${n} dimensions: optimality of its linear program`,
    )
  const cycles = 'a linear program on which the simplex method cycles'
  return {
    'papers/beale-1955': program(beale, [0, 0, -1], [-0.75, 150, -0.02, 6], `Beale (1955), ${cycles}`),
    'papers/kuhn-1955': program(kuhn, [0, 0, -2], [-2, -3, 1, 12], `Kuhn, printed by Balinski and Tucker (1969), ${cycles}`),
    'papers/chvatal-1983': program(chvatal, [0, 0, -1], [-10, 57, 9, 24], `Chvatal (1983), page 31, ${cycles}`),
    'hard/degenerate-program': program(
      degenerate,
      [0, 0, -1],
      [-0.4, -0.4, 1.8, 0],
      'a linear program with two of three right-hand sides zero',
    ),
    ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`papers/klee-minty-${n}`, cube(n)])),
  }
}

/** Matrices of papers on pivoting. */
function pivoting(): Named {
  const found: Record<string, Problem> = {}
  for (let n = 2; n <= 12; n++) {
    const lower = list(n, (i) => list(n, (k): number => (k > i ? 0 : k === i ? 1 : 2)))
    found[`papers/murty-1978-${n}`] = lcp(
      lower,
      ones(n, -1),
      `Murty (1978): ${n} unknowns, for which Lemke's and Murty's methods take 2^${n} pivots`,
    )
    if (n > 9) continue
    const product = lower.map((a) => lower.map((b) => a.reduce((sum, x, k) => sum + x * b[k], 0)))
    found[`papers/fathi-1979-${n}`] = lcp(product, ones(n, -1), `Fathi (1979): positive definite, and pivots grow as 2^${n}`)
    found[`hard/murty-powers-${n}`] = lcp(
      lower,
      list(n, (i) => -(2 ** i)),
      "Murty's matrix, the right-hand side in powers of 2",
    )
  }
  const cyclic = [
    [1, 2, 0],
    [0, 1, 2],
    [2, 0, 1],
  ]
  for (const [k, b] of [
    [-1, -1, -1],
    [-1, -1, 1],
    [-1, 2, -1],
    [1, -1, -1],
    [0, -1, -1],
    [-3, -1, -2],
    [0, 0, 0],
  ].entries())
    found[`papers/murty-cycles-${k}`] = lcp(
      cyclic,
      b,
      'P-matrix on which principal pivoting cycles without the rule of the least index (Murty 1988)',
    )
  const stickney = [
    [1, 0, 2],
    [2, 1, 0],
    [0, 2, 1],
  ]
  for (const [k, b] of [
    [-1, -1, -1],
    [-1, 1, 1],
    [-2, -1, 1],
    [-1, 0, 0],
  ].entries())
    found[`papers/stickney-watson-1978-${k}`] = lcp(stickney, b, 'orientations of Stickney and Watson (1978) with a cycle')
  const games: Readonly<Record<string, readonly [Matrix, Matrix]>> = {
    'battle-of-sexes': [
      [
        [1, 3],
        [3, 2],
      ],
      [
        [2, 3],
        [3, 1],
      ],
    ],
    'matching-pennies': [
      [
        [1, 2],
        [2, 1],
      ],
      [
        [2, 1],
        [1, 2],
      ],
    ],
    coordination: [
      [
        [1, 2, 2],
        [2, 1, 2],
        [2, 2, 1],
      ],
      [
        [1, 2, 2],
        [2, 1, 2],
        [2, 2, 1],
      ],
    ],
    shapley: [
      [
        [1, 2, 3],
        [3, 1, 2],
        [2, 3, 1],
      ],
      [
        [3, 1, 2],
        [2, 3, 1],
        [1, 2, 3],
      ],
    ],
    degenerate: [
      [
        [1, 1],
        [1, 2],
      ],
      [
        [1, 2],
        [1, 1],
      ],
    ],
  }
  for (const [name, [A, B]] of Object.entries(games)) {
    const [m, n] = [A.length, A[0].length]
    const rows = [...A.map((row) => [...ones(m, 0), ...row]), ...list(n, (k) => [...list(m, (i) => B[i][k]), ...ones(n, 0)])]
    found[`papers/lemke-howson-1964-${name}`] = lcp(
      rows,
      ones(m + n, -1),
      `equilibria of a game of two in the form of Lemke and Howson (1964): ${name}`,
    )
  }
  return found
}

/** Problems with many solutions, a continuum, or none. */
function severalOrNone(): Named {
  const found: Record<string, Problem> = {}
  for (let n = 1; n <= 6; n++) {
    found[`hard/minus-one-${n}`] = lcp(diagonal(...ones(n, -1)), ones(n), `every z_i is 0 or 1: ${2 ** n} solutions`)
    found[`hard/no-solution-${n}`] = lcp(diagonal(...ones(n - 1), -1), [...ones(n - 1, -1), -1], 'the last row has no solution')
  }
  const cases: Readonly<Record<string, readonly [Matrix, readonly number[], string]>> = {
    skew: [
      [
        [0, 1],
        [-1, 0],
      ],
      [-1, 1],
      'skew-symmetric; z = (1, 1)',
    ],
    'skew-infeasible': [
      [
        [0, 1],
        [-1, 0],
      ],
      [-1, -1],
      'skew-symmetric and infeasible',
    ],
    ray: [
      [
        [0, 0],
        [0, 1],
      ],
      [0, -1],
      'a ray of solutions with one w',
    ],
    'singular-continuum': [
      [
        [1, 1],
        [1, 1],
      ],
      [-1, -1],
      'a segment of solutions with one w',
    ],
    'feasible-unsolvable': [
      [
        [0, 1],
        [0, 1],
      ],
      [-2, -1],
      'feasible, and no solution',
    ],
    'w-continuum': [
      [
        [0, 1],
        [0, 0],
      ],
      [1, 0],
      'a continuum of w',
    ],
    'not-q': [
      [
        [1, -2],
        [-2, 1],
      ],
      [-1, -1],
      'infeasible',
    ],
    'two-of-four': [
      [
        [1, 2],
        [2, 1],
      ],
      [-1, -1],
      'three solutions',
    ],
    zero: [
      [
        [1, 0],
        [0, 1],
      ],
      [0, 0],
      'the right-hand side is zero',
    ],
    tiny: [
      [
        [1, 0],
        [0, 1e-12],
      ],
      [-1, -1e-12],
      'rows of sizes 1 and 1e-12',
    ],
    'cyclic-three': [
      [
        [0, 2, 1],
        [1, 0, 2],
        [2, 1, 0],
      ],
      [-1, -1, -1],
      'rock, paper, scissors',
    ],
    'nearly-singular': [
      [
        [1, 1 - 2 ** -20],
        [1 - 2 ** -20, 1],
      ],
      [-1, -1 - 2 ** -21],
      'condition number 2^21',
    ],
  }
  for (const [name, [A, b, note]] of Object.entries(cases)) found[`hard/lcp-${name}`] = lcp(A, b, note)
  return found
}

/** Painleve's rod of 1 kg and 2 m on its tip, by angle and friction: W_nn and W_nt of its contact, in the plane. */
function rods(): Named {
  const found: Record<string, Problem> = {}
  const angles: Readonly<Record<string, readonly [number, number]>> = {
    45: [Math.SQRT1_2, Math.SQRT1_2],
    60: [0.5, 0.8660254037844386],
    70: [0.3420201433256687, 0.9396926207859084],
  }
  for (const [angle, [c, s]] of Object.entries(angles)) {
    for (const mu of [0.3, 1.9, 3])
      for (const [motion, vn] of [
        ['approaches', -0.00981],
        ['touches', 0],
        ['leaves', 0.00981],
      ] as const)
        found[`papers/painleve-${angle}-mu${mu}-${motion}`] = {
          kind: 'contact',
          origin: {
            note: `Painleve's rod (1895) at ${angle} degrees, sliding at 1 m/s on its tip; friction ${mu}; the tip ${motion}`,
          },
          M: diagonal(1, 1, 1 / 3),
          J: [
            [0, 1, c],
            [1, 0, s],
            [0, 0, 0],
          ],
          vFree: [1, vn, 0],
          gap: [0],
          mu: [mu],
          dt: 1e-3,
        }
    const slope = (mu: number) => 1 + 3 * c * c - 3 * mu * s * c
    for (const mu of [0.3, 1.9, 3])
      for (const b of [-9.81, 9.81])
        found[`papers/painleve-forces-${angle}-mu${mu}-${b < 0 ? 'falls' : 'rises'}`] = lcp(
          [[slope(mu)]],
          [b],
          `the rod at ${angle} degrees in forces and accelerations, friction ${mu} that of sliding; it ${b < 0 ? 'falls' : 'rises'} without`,
        )
  }
  return found
}

interface Scene {
  readonly M: Matrix
  readonly J: Matrix
  readonly vFree: readonly number[]
  readonly mu: readonly number[] | number
  readonly gap?: readonly number[]
  readonly rows?: readonly SavedRow[]
}
const contact = ({ M, J, vFree, mu, gap, rows }: Scene, note: string): SavedProblem => ({
  kind: 'contact',
  origin: { note },
  M,
  J,
  vFree,
  gap: gap ?? ones(J.length / 3, 0),
  mu: typeof mu === 'number' ? ones(J.length / 3, mu) : mu,
  dt: 1e-3,
  ...(rows && { rows }),
})
const still = [0, 0, 0]
/** Rows of a contact of a planar body at (x, y) from its centre, v = [x, y, turn]. */
const planar = (x: number, y: number, normal: readonly [number, number]) => {
  const along = ([a, b]: readonly number[]) => [a, b, x * b - y * a]
  return [along(normal), along([normal[1], 0 - normal[0]]), still]
}
/** Rows of a contact of a body at (x, y, z) on the ground, v = [x, y, z, turns]. */
const spatial = (x: number, y: number, z: number) => [
  [0, 0, 1, y, 0 - x, 0],
  [1, 0, 0, 0, z, 0 - y],
  [0, 1, 0, 0 - z, 0, x],
]
const GRAVITY = 9.81e-3

/** Bodies held, wedged or on more contacts than needed. */
function redundant(): Named {
  const found: Record<string, Problem> = {}
  const box = diagonal(1, 1, 1 / 6)
  for (const mu of [0.1, 0.5, 1])
    for (const [motion, vFree] of Object.entries({
      falls: [0, -GRAVITY, 0],
      turns: [0, -GRAVITY, 0.5],
      squeezed: [0.01, -GRAVITY, 0],
      rests: [0, 0, 0],
    }))
      for (const height of [0, 0.2])
        found[`hard/fingers-mu${mu}-${motion}-${height === 0 ? 'level' : 'askew'}`] = contact(
          { M: box, J: [...planar(-0.5, 0, [1, 0]), ...planar(0.5, height, [-1, 0])], vFree, mu },
          `a box between two fixed fingers, friction ${mu}; ${height === 0 ? 'any squeeze is a solution' : 'they are 0.2 m apart in height'}`,
        )
  for (const angle of [10, 30, 60])
    for (const mu of [0.2, 1, 2]) {
      const [s, c] = [Math.sin((angle * Math.PI) / 180), Math.cos((angle * Math.PI) / 180)]
      found[`hard/wedge-${angle}-mu${mu}`] = contact(
        { M: box, J: [...planar(-0.3, -0.1, [c, s]), ...planar(0.3, -0.1, [0 - c, s])], vFree: [0, -GRAVITY, 0], mu },
        `a body in a groove whose walls are ${angle} degrees off the vertical, friction ${mu}: above 1 / tan of it, it jams`,
      )
    }
  for (let k = 2; k <= 6; k++)
    for (const [motion, vFree] of Object.entries({
      rests: [0, -GRAVITY, 0],
      slides: [0.1, -GRAVITY, 0],
      tips: [0.001, -GRAVITY, 0.02],
    }))
      for (const mu of k <= 5 ? [0.5] : [0])
        found[`hard/beam-${k}-points-${motion}`] = contact(
          { M: box, J: list(k, (i) => planar(-0.5 + i / (k - 1), -0.1, [0, 1])).flat(), vFree, mu },
          `a beam on ${k} points in the plane`,
        )
  const table = diagonal(10, 10, 10, 1, 1, 1.5)
  for (const legs of [3, 4, 5, 6, 8])
    for (const [motion, vFree] of Object.entries({
      stands: [0, 0, -GRAVITY, 0, 0, 0],
      pushed: [0.05, 0.02, -GRAVITY, 0, 0, 0],
      spins: [0, 0, -GRAVITY, 0, 0, 1],
      drops: [0.2, 0, -1, 0.3, -0.4, 0],
    })) {
      const at = list(legs, (i) => [Math.cos((2 * Math.PI * i) / legs), Math.sin((2 * Math.PI * i) / legs)])
      found[`hard/table-${legs}-legs-${motion}`] = contact(
        { M: table, J: at.flatMap(([x, y]) => spatial(0.5 * x, 0.5 * y, -0.7)), vFree, mu: legs > 4 ? 0 : 0.4 },
        `a table of 10 kg on ${legs} legs, ${legs > 4 ? 'without friction' : 'friction 0.4'}: its feet share the load in many ways`,
      )
    }
  return found
}

/** Large ratios of masses, units in which numbers are far from 1, and rows that are no contacts. */
function scaled(): Named {
  const found: Record<string, Problem> = {}
  for (const ratio of [1e3, 1e6, 1e-3, 1e-6])
    for (const bodies of [2, 3, 4])
      for (const mu of bodies < 4 ? [0, 0.5] : [0])
        found[`hard/stack-${bodies}-ratio-${ratio}${mu > 0 ? '-friction' : ''}`] = contact(
          {
            M: diagonal(...list(bodies, (i) => [ratio ** (i / (bodies - 1)), ratio ** (i / (bodies - 1))]).flat()),
            J: list(bodies, (i) => {
              const row = (axis: number) => list(2 * bodies, (k) => (k === 2 * i + axis ? 1 : k === 2 * i - 2 + axis ? -1 : 0))
              return [row(1), row(0), ones(2 * bodies, 0)]
            }).flat(),
            vFree: list(bodies, (i) => [i === 0 ? 0 : 0.02 * i, -GRAVITY]).flat(),
            mu,
          },
          `${bodies} blocks on each other, the top one ${ratio} times as heavy as the lowest`,
        )
  const rod = (length: number, mass: number) => {
    const [c, s] = [0.5 * length, 0.8660254037844386 * length]
    return {
      M: diagonal(mass, mass, (mass * length * length) / 3),
      J: [[0, 1, c], [1, 0, s], still],
      vFree: [1 * length, -GRAVITY * length, 0.1],
    }
  }
  for (const [name, [length, mass]] of Object.entries({
    'mm-t': [1e3, 1e-3],
    'um-kg': [1e6, 1],
    'km-g': [1e-3, 1e3],
    'm-ug': [1, 1e9],
  }))
    for (const mu of [0.5, 1.9])
      found[`hard/units-${name}-mu${mu}`] = contact(
        { ...rod(length, mass), mu },
        `a rod of 1 kg and 2 m on its tip, in units of which a metre has ${length} and a kilogram ${mass}`,
      )
  const random = createRandom(5)
  for (let k = 0; k < 12; k++) {
    const number = () => 2 * random.next() - 1
    const nv = 3 + (k % 2)
    const R = list(nv, () => list(nv, number))
    const M = R.map((a, i) => R.map((b, j) => a.reduce((sum, x, l) => sum + x * b[l], i === j ? 0.5 : 0)))
    const rows: SavedRow[] = [
      { kind: 'bounded', J: list(nv, (i) => (i === 0 ? 1 : 0)), added: 0, limit: 0.05 * (1 + k) },
      { kind: 'unilateral', J: list(nv, (i) => (i === 1 ? (k % 3 === 0 ? -1 : 1) : 0)), added: 0.1 * number() },
      ...(k % 4 === 3 ? [{ kind: 'bilateral' as const, J: list(nv, (i) => (i === 2 ? 1 : 0)), added: 0 }] : []),
    ]
    const J = list(1 + (k % 2), () => [list(nv, number), list(nv, number), ones(nv, 0)]).flat()
    found[`hard/joints-${k}`] = contact(
      { M, J, vFree: list(nv, number), mu: [0, 0.3, 0.8][k % 3], rows },
      'an arm of random inertia that touches, with dry friction in its first joint, a limit of its second and some joints held',
    )
  }
  // two links in a loop: x1, y1, x2, y2 of two masses, the distance between them and that of the first from a pivot held
  for (const [motion, vFree] of Object.entries({
    hangs: [0, -GRAVITY, 0, -GRAVITY],
    slides: [0.5, -GRAVITY, 0.5, -GRAVITY],
    swings: [0.1, -0.2, -0.3, -1],
  }))
    for (const mu of [0, 0.4, 1.5])
      found[`hard/loop-${motion}-mu${mu}`] = contact(
        {
          M: diagonal(1, 1, 2, 2),
          J: [[0, 0, 0, 1], [0, 0, 1, 0], ones(4, 0)],
          vFree,
          mu,
          rows: [
            { kind: 'bilateral', J: [0.6, 0.8, -0.6, -0.8], added: 0 },
            { kind: 'bilateral', J: [0.8, -0.6, 0, 0], added: 0 },
          ],
        },
        'two masses on rods, closed through the ground that the second touches',
      )
  for (const added of [0.1, -0.1])
    found[`hard/driven-into-ground-${added < 0 ? 'away' : 'down'}`] = contact(
      {
        M: diagonal(1, 1),
        J: [
          [0, 1],
          [1, 0],
          [0, 0],
        ],
        vFree: [0.2, -GRAVITY],
        mu: 0.5,
        rows: [{ kind: 'bilateral', J: [0, 1], added }],
      },
      added < 0
        ? 'a drive lifts a block off the ground'
        : 'a drive presses a block into the ground at a given speed: there is no solution',
    )
  return found
}

export const handProblems = (): Named => ({
  ...programs(),
  ...pivoting(),
  ...severalOrNone(),
  ...rods(),
  ...redundant(),
  ...scaled(),
})
