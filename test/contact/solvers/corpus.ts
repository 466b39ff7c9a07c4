import { createRandom } from '../../../dynamics/index.ts'

type Random = ReturnType<typeof createRandom>

/** Find z and w = A z + b with z_i >= 0, w_i >= 0, z_i w_i = 0, or w_i = 0 where free. */
export interface LcpProblem {
  readonly n: number
  readonly A: Float64Array
  readonly b: Float64Array
  readonly free: Uint8Array
  /** A = J Jᵀ and b = J v, where it was made so; J row-major, n x v.length. */
  readonly J?: Float64Array
  readonly v?: Float64Array
}

interface ProblemClass {
  /** Whether A is symmetric positive semidefinite. */
  readonly convex: boolean
  /** Whether every problem of the class has an answer, and whether only one. */
  readonly solvable: boolean
  readonly unique: boolean
  readonly create: (random: Random) => LcpProblem
}

/** Up to 12 unknowns two times in three, up to 30 otherwise. */
const size = (random: Random) => 1 + random.index(random.next() < 2 / 3 ? 12 : 30)
const nothingFree = (n: number) => new Uint8Array(n)
export const numbers = (random: Random, count: number, low = -1, high = 1) =>
  Float64Array.from({ length: count }, () => random.between(low, high))
const integers = (random: Random, count: number, most: number) =>
  Float64Array.from({ length: count }, () => random.index(2 * most + 1) - most)

/** J Jᵀ, n x n. */
export function gram(J: Float64Array, n: number): Float64Array {
  const dof = J.length / n
  const A = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) for (let k = 0; k < dof; k++) A[i * n + j] += J[i * dof + k] * J[j * dof + k]
  }
  return A
}

/** J v, n rows. */
export function times(J: Float64Array, v: Float64Array, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => v.reduce((sum, x, k) => sum + J[i * v.length + k] * x, 0))
}

/** Positive definite plus skew. */
export function dense(random: Random, n: number, skew: number): LcpProblem {
  const A = gram(numbers(random, n * n), n)
  for (let i = 0; i < n; i++) {
    A[i * n + i] += 0.1
    for (let j = 0; j < i; j++) {
      const entry = skew * random.between(-1, 1)
      A[i * n + j] += entry
      A[j * n + i] -= entry
    }
  }
  return { n, A, b: numbers(random, n), free: nothingFree(n) }
}

/** Legs of one rigid table, or contacts of several bodies: more rows than degrees of freedom, hit with a velocity v. */
function table(random: Random): LcpProblem {
  const n = Math.max(2, size(random))
  if (random.next() < 0.5) {
    const J = new Float64Array(3 * n)
    for (let i = 0; i < n; i++) J.set([1, random.index(5) - 2, random.index(5) - 2], 3 * i)
    const v = Float64Array.of(-1, random.between(-0.3, 0.3), random.between(-0.3, 0.3))
    return { n, A: gram(J, n), b: times(J, v, n), free: nothingFree(n), J, v }
  }
  return normals(random, n, 1 + random.index(Math.ceil(n / 2)))
}

/** Contacts without friction: J Jᵀ z + J v. */
export function normals(random: Random, n: number, dof: number): LcpProblem {
  const J = numbers(random, n * dof)
  const v = numbers(random, dof)
  return { n, A: gram(J, n), b: times(J, v, n), free: nothingFree(n), J, v }
}

/** Semidefinite with any b: rows may contradict each other. */
function semidefinite(random: Random): LcpProblem {
  const n = Math.max(2, size(random))
  const dof = 1 + random.index(n)
  return { n, A: gram(numbers(random, n * dof), n), b: numbers(random, n), free: nothingFree(n) }
}

/**
 * Stewart and Trinkle's problem for random contacts: normals, four tangents each, sigmas. The gaps are not negative, so there
 * is an answer. `degenerate`: of small whole numbers.
 */
export function frictional(random: Random, contacts: number, dof: number, degenerate = random.next() < 0.3): LcpProblem {
  const draw = (count: number) => (degenerate ? integers(random, count, 1) : numbers(random, count))
  const rows: Float64Array[] = []
  const tangents: Float64Array[] = []
  for (let i = 0; i < contacts; i++) {
    rows.push(draw(dof))
    for (let k = 0; k < 2; k++) {
      const t = draw(dof)
      tangents.push(
        t,
        t.map((x) => -x),
      )
    }
  }
  // sides in the order t1, t2, -t1, -t2
  for (let i = 0; i < contacts; i++) rows.push(tangents[4 * i], tangents[4 * i + 2], tangents[4 * i + 1], tangents[4 * i + 3])
  const v = draw(dof)
  const n = 6 * contacts
  const A = new Float64Array(n * n)
  const b = new Float64Array(n)
  for (let i = 0; i < rows.length; i++) {
    for (let j = 0; j < rows.length; j++) A[i * n + j] = rows[i].reduce((sum, x, k) => sum + x * rows[j][k], 0)
    b[i] = rows[i].reduce((sum, x, k) => sum + x * v[k], 0)
    if (i < contacts && random.next() < 0.2) b[i] += random.next()
  }
  for (let i = 0; i < contacts; i++) {
    const sigma = 5 * contacts + i
    A[sigma * n + i] = degenerate ? 1 : random.between(0.1, 1.2)
    for (let k = 0; k < 4; k++) {
      const side = contacts + 4 * i + k
      A[sigma * n + side] = -1
      A[side * n + sigma] = 1
    }
  }
  return { n, A, b, free: nothingFree(n) }
}

/** Small whole numbers: equal rows, empty rows, b with zeros, ties everywhere. Semidefinite, with an answer. */
function degenerate(random: Random): LcpProblem {
  const n = Math.max(2, size(random))
  const dof = 1 + random.index(n)
  const J = integers(random, n * dof, 1)
  for (let i = 1; i < n; i++) {
    if (random.next() < 0.2) J.copyWithin(i * dof, (i - 1) * dof, i * dof)
  }
  const v = integers(random, dof, 1)
  return { n, A: gram(J, n), b: times(J, v, n), free: nothingFree(n), J, v }
}

/** Semidefinite with bilateral rows among the others, some of them twice; with an answer. */
function mixed(random: Random): LcpProblem {
  const n = Math.max(3, size(random))
  const dof = 2 + random.index(n)
  const J = numbers(random, n * dof)
  const v = numbers(random, dof)
  const free = nothingFree(n)
  for (let i = 0; i < n; i++) if (random.next() < 0.3) free[i] = 1
  for (let i = 1; i < n; i++) {
    if (free[i] === 1 && random.next() < 0.3) {
      const j = random.index(i)
      if (free[j] === 1) J.copyWithin(i * dof, j * dof, (j + 1) * dof)
    }
  }
  return { n, A: gram(J, n), b: times(J, v, n), free, J, v }
}

/** Contacts with friction on bodies that bilateral rows tie together; with an answer. */
function mixedFrictional(random: Random): LcpProblem {
  const contacts = 1 + random.index(random.next() < 2 / 3 ? 2 : 5)
  const loops = 1 + random.index(3)
  const dof = 6 + loops
  const base = frictional(random, contacts, dof)
  const n = base.n + loops
  // the last rows: a linear function of velocities that the contacts feel, made as more rows of the same kind
  const A = new Float64Array(n * n)
  const b = new Float64Array(n)
  const rows = 5 * contacts
  const L = numbers(random, rows * loops, -0.3, 0.3)
  for (let i = 0; i < base.n; i++) {
    A.set(base.A.subarray(i * base.n, (i + 1) * base.n), i * n)
    b[i] = base.b[i]
  }
  // W' = [W + L Lᵀ, L; Lᵀ, 1]: a factor [G L; 0 1] of it shows that it is semidefinite
  for (let i = 0; i < contacts * 5; i++) {
    // opposite sides must stay opposite
    const side = i >= contacts && (i - contacts) % 4 >= 2 ? -1 : 1
    const source = side < 0 ? i - 2 : i
    for (let k = 0; k < loops; k++) {
      const entry = side * L[source * loops + k]
      A[i * n + base.n + k] = entry
      A[(base.n + k) * n + i] = entry
    }
  }
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < rows; j++) for (let k = 0; k < loops; k++) A[i * n + j] += A[i * n + base.n + k] * A[j * n + base.n + k]
  }
  const u = numbers(random, loops)
  for (let k = 0; k < loops; k++) {
    A[(base.n + k) * n + base.n + k] = 1
    b[base.n + k] = u[k]
    for (let i = 0; i < rows; i++) b[i] += A[i * n + base.n + k] * u[k]
  }
  const free = nothingFree(n)
  free.fill(1, base.n)
  return { n, A, b, free }
}

/** Any matrix at all: no method is sure of it, and many such problems have no answer or several. */
function anything(random: Random): LcpProblem {
  const n = 1 + random.index(10)
  const whole = random.next() < 0.3
  const draw = (count: number) => (whole ? integers(random, count, 2) : numbers(random, count))
  return { n, A: draw(n * n), b: draw(n), free: nothingFree(n) }
}

const contacts = (random: Random) => 1 + random.index(random.next() < 2 / 3 ? 2 : 8)

/** The classes of the corpus, in the order of the table in docs/solvers.md. */
export const problemClasses: Record<string, ProblemClass> = {
  'P-matrix, symmetric': { convex: true, solvable: true, unique: true, create: (random) => dense(random, size(random), 0) },
  'P-matrix, not symmetric': { convex: false, solvable: true, unique: true, create: (random) => dense(random, size(random), 1) },
  'dependent rows': { convex: true, solvable: true, unique: false, create: table },
  'semidefinite, any b': { convex: true, solvable: false, unique: false, create: semidefinite },
  degenerate: { convex: true, solvable: true, unique: false, create: degenerate },
  frictional: {
    convex: false,
    solvable: true,
    unique: false,
    create: (random) => frictional(random, contacts(random), 3 + random.index(10)),
  },
  'mixed, semidefinite': { convex: true, solvable: true, unique: false, create: mixed },
  'mixed, frictional': { convex: false, solvable: true, unique: false, create: mixedFrictional },
  'any matrix': { convex: false, solvable: false, unique: false, create: anything },
}

/** Problem `index` of a class: the same for ever. */
export function corpusProblem(name: string, seed: number, index: number): LcpProblem {
  const place = Object.keys(problemClasses).indexOf(name)
  return problemClasses[name].create(createRandom(seed + 16 * index + place))
}

/**
 * How far z is from an answer, in units of b: the largest of -z_i and w_i < 0, of the smaller of z_i and w_i, or of |w_i| of
 * a free one, z counted by the largest w that it causes. Written apart from the solvers' own check.
 */
export function violation({ n, A, b, free }: LcpProblem, z: ArrayLike<number>): number {
  const unit = b.reduce((most, x) => Math.max(most, Math.abs(x)), Number.MIN_VALUE)
  let worst = 0
  for (let i = 0; i < n; i++) {
    let w = b[i]
    let effect = 0
    for (let j = 0; j < n; j++) {
      w += A[i * n + j] * z[j]
      effect = Math.max(effect, Math.abs(A[j * n + i] * z[i]))
    }
    const off = free[i] === 1 ? Math.abs(w) : Math.max(z[i] < 0 ? effect : 0, -w, Math.min(effect, w))
    worst = Number.isFinite(off) ? Math.max(worst, off) : Number.POSITIVE_INFINITY
  }
  return worst / unit
}
