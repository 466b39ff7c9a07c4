/**
 * All answers of small problems without pruning, linear programs or shared definitions: every combination of modes is a polyhedron of
 * impulses, given by equations and inequalities, and its corners and rays are found by solving for every choice of active ones.
 */

type Row = { readonly c: readonly number[]; readonly least: number }
interface Mode {
  readonly equations: readonly Row[]
  readonly inequalities: readonly Row[]
}
/** Rows of a problem u = W p + rhs from `first` on. Planar: its second tangent, of no effect, has no impulse. */
export interface BruteGroup {
  readonly first: number
  readonly kind: 'contact' | 'planar' | 'unilateral' | 'bilateral' | 'bounded'
  readonly limit: number
}
export interface BruteSet {
  readonly velocity: { readonly min: number[]; readonly max: number[] }
  readonly impulse: { readonly min: number[]; readonly max: number[] }
}

const ZERO = 1e-9
const SAME = 1e-6

export function bruteForceAnswers(
  n: number,
  W: ArrayLike<number>,
  rhs: ArrayLike<number>,
  groups: readonly BruteGroup[],
): BruteSet[] {
  const impulse = (r: number, factor = 1) => Array.from({ length: n }, (_, k) => (k === r ? factor : 0))
  const u = (r: number): Row => ({ c: Array.from({ length: n }, (_, k) => W[r * n + k]), least: -rhs[r] })
  const p = (r: number): Row => ({ c: impulse(r), least: 0 })
  const plus = (...parts: readonly (readonly [number, Row])[]): Row => ({
    c: Array.from({ length: n }, (_, k) => parts.reduce((sum, [factor, { c }]) => sum + factor * c[k], 0)),
    least: parts.reduce((sum, [factor, { least }]) => sum + factor * least, 0),
  })
  const modes = groups.map(({ first: r, kind, limit }): Mode[] => {
    if (kind === 'bilateral') return [{ equations: [u(r)], inequalities: [] }]
    if (kind === 'bounded')
      return [
        {
          equations: [u(r)],
          inequalities: [
            { c: impulse(r), least: -limit },
            { c: impulse(r, -1), least: -limit },
          ],
        },
        { equations: [{ c: impulse(r), least: -limit }], inequalities: [u(r)] },
        { equations: [{ c: impulse(r), least: limit }], inequalities: [plus([-1, u(r)])] },
      ]
    const rows = kind === 'unilateral' ? [r] : [r, r + 1, r + 2]
    const apart = { equations: rows.map(p), inequalities: [u(r)] }
    if (kind === 'unilateral') return [apart, { equations: [u(r)], inequalities: [p(r)] }]
    if (kind === 'planar')
      return [
        apart,
        {
          equations: [u(r), u(r + 1), p(r + 2)],
          inequalities: [plus([limit, p(r)], [1, p(r + 1)]), plus([limit, p(r)], [-1, p(r + 1)])],
        },
        ...[1, -1].map((s) => ({
          equations: [u(r), plus([limit, p(r)], [-s, p(r + 1)]), p(r + 2)],
          inequalities: [p(r), plus([-s, u(r + 1)])],
        })),
      ]
    const signs = [
      [1, 1],
      [-1, 1],
      [-1, -1],
      [1, -1],
    ]
    const facet = ([s, t]: readonly number[]) => plus([limit, p(r)], [-s, p(r + 1)], [-t, p(r + 2)])
    return [
      apart,
      { equations: [u(r), u(r + 1), u(r + 2)], inequalities: signs.map(facet) },
      ...signs.map(([s, t]) => ({
        equations: [u(r), facet([s, t]), plus([s, u(r + 1)], [-t, u(r + 2)])],
        inequalities: [plus([s, p(r + 1)]), plus([t, p(r + 2)]), plus([-s, u(r + 1)])],
      })),
      ...[
        [1, 1],
        [-1, 1],
        [1, 2],
        [-1, 2],
      ].map(([s, k]) => ({
        equations: [u(r), p(r + 3 - k), plus([limit, p(r)], [-s, p(r + k)])],
        inequalities: [p(r), plus([-s, u(r + k)], [1, u(r + 3 - k)]), plus([-s, u(r + k)], [-1, u(r + 3 - k)])],
      })),
    ]
  })
  const normals = groups.flatMap(({ first, kind }) => (kind === 'bounded' || kind === 'bilateral' ? [] : [first]))
  const polyhedra: { points: number[][]; rays: number[][] }[] = []
  const visit = (g: number, equations: readonly Row[], inequalities: readonly Row[]): void => {
    if (g < groups.length) {
      for (const mode of modes[g]) visit(g + 1, [...equations, ...mode.equations], [...inequalities, ...mode.inequalities])
      return
    }
    const points = corners(n, equations, inequalities)
    if (points.length === 0) return
    const flat = ({ c }: Row): Row => ({ c, least: 0 })
    const one: Row = { c: Array.from({ length: n }, (_, k) => (normals.includes(k) ? 1 : 0)), least: 1 }
    polyhedra.push({ points, rays: normals.length > 0 ? corners(n, [...equations.map(flat), one], inequalities.map(flat)) : [] })
  }
  visit(0, [], [])
  return joined(n, W, rhs, polyhedra)
}

/** Joins polyhedra that have the velocity of a corner in common. */
function joined(
  n: number,
  W: ArrayLike<number>,
  rhs: ArrayLike<number>,
  polyhedra: readonly { points: number[][]; rays: number[][] }[],
): BruteSet[] {
  const times = (x: readonly number[]) =>
    Array.from({ length: n }, (_, r) => x.reduce((sum, value, k) => sum + W[r * n + k] * value, 0))
  const scale = Math.max(1e-300, ...Array.from(rhs, Math.abs))
  const all = polyhedra.map(({ points, rays }) => ({
    points,
    rays,
    velocities: points.map((x) => times(x).map((value, r) => value + rhs[r])),
    changes: rays.map(times),
  }))
  const setOf = all.map((_, i) => i)
  for (let i = 0; i < all.length; i++)
    for (let k = 0; k < i; k++) {
      if (setOf[i] === setOf[k]) continue
      const isShared = all[i].velocities.some((a) =>
        all[k].velocities.some((b) => a.every((x, r) => Math.abs(x - b[r]) <= SAME * scale)),
      )
      if (!isShared) continue
      const from = setOf[i]
      for (let l = 0; l < all.length; l++) if (setOf[l] === from) setOf[l] = setOf[k]
    }
  const range = (points: readonly number[][], rays: readonly number[][], zero: number) => {
    const end = (sign: number) =>
      Array.from({ length: n }, (_, r) =>
        rays.some((ray) => sign * ray[r] > zero)
          ? sign * Number.POSITIVE_INFINITY
          : sign * Math.max(...points.map((x) => sign * x[r])),
      )
    return { min: end(-1), max: end(1) }
  }
  return [...new Set(setOf)].map((set) => {
    const own = all.filter((_, i) => setOf[i] === set)
    return {
      velocity: range(
        own.flatMap((one) => one.velocities),
        own.flatMap((one) => one.changes),
        1e-7,
      ),
      impulse: range(
        own.flatMap((one) => one.points),
        own.flatMap((one) => one.rays),
        1e-7,
      ),
    }
  })
}

/** Corners of {equations, inequalities}: the equations, and every choice of inequalities that makes them n independent ones. */
function corners(n: number, equations: readonly Row[], inequalities: readonly Row[]): number[][] {
  const size = (c: readonly number[]) => Math.max(...c.map(Math.abs)) || 1
  const scaled = (row: Row): Row => ({ c: row.c.map((x) => x / size(row.c)), least: row.least / size(row.c) })
  const ownEquations = equations.map(scaled)
  const ownInequalities = inequalities.map(scaled)
  const most = Math.max(1, ...[...ownEquations, ...ownInequalities].map(({ least }) => Math.abs(least)))
  const found: number[][] = []
  const keep = (system: Reduced) => {
    const x = system.solution()
    const value = ({ c, least }: Row) => c.reduce((sum, entry, k) => sum + entry * x[k], 0) - least
    const noise = ZERO * most * (1 + Math.max(...x.map(Math.abs)))
    if (ownEquations.some((row) => Math.abs(value(row)) > noise) || ownInequalities.some((row) => value(row) < -noise)) return
    if (!found.some((y) => y.every((entry, k) => Math.abs(entry - x[k]) <= SAME * (1 + Math.abs(entry))))) found.push(x)
  }
  const start = new Reduced(n)
  for (const row of ownEquations) if (start.add(row) === 'contradiction') return []
  const choose = (system: Reduced, from: number): void => {
    if (system.rank === n) {
      keep(system)
      return
    }
    for (let i = from; i <= ownInequalities.length - (n - system.rank); i++) {
      const next = system.copy()
      if (next.add(ownInequalities[i]) === 'added') choose(next, i + 1)
    }
  }
  choose(start, 0)
  return found
}

/** Equations in reduced row echelon form. */
class Reduced {
  readonly n: number
  readonly rows: number[][] = []
  readonly pivots: number[] = []
  constructor(n: number) {
    this.n = n
  }
  get rank(): number {
    return this.rows.length
  }
  copy(): Reduced {
    const copy = new Reduced(this.n)
    for (const row of this.rows) copy.rows.push([...row])
    copy.pivots.push(...this.pivots)
    return copy
  }
  add({ c, least }: Row): 'added' | 'dependent' | 'contradiction' {
    const { n, rows, pivots } = this
    const row = [...c, least]
    rows.forEach((own, i) => {
      const factor = row[pivots[i]]
      if (factor !== 0) for (let k = 0; k <= n; k++) row[k] -= factor * own[k]
    })
    let pivot = 0
    for (let k = 1; k < n; k++) if (Math.abs(row[k]) > Math.abs(row[pivot])) pivot = k
    if (Math.abs(row[pivot]) <= 1e-9) return Math.abs(row[n]) <= 1e-8 ? 'dependent' : 'contradiction'
    const inverse = 1 / row[pivot]
    for (let k = 0; k <= n; k++) row[k] *= inverse
    for (const own of rows) {
      const factor = own[pivot]
      if (factor !== 0) for (let k = 0; k <= n; k++) own[k] -= factor * row[k]
    }
    rows.push(row)
    pivots.push(pivot)
    return 'added'
  }
  solution(): number[] {
    const x = new Array<number>(this.n).fill(0)
    this.rows.forEach((row, i) => {
      x[this.pivots[i]] = row[this.n]
    })
    return x
  }
}
