import type { Random } from '../../../dynamics/index.ts'
import { type LcpProblem, violation } from '../solvers/corpus.ts'

/** Contacts of a step: gaps, their rows of J, the inertia (diagonal), and the free velocity. */
export interface CornerScene {
  readonly h: number
  readonly gaps: number[]
  readonly J: number[][]
  readonly mass: number[]
  readonly v: number[]
}

/**
 * Two planar bodies whose convex corners are about to meet. Contacts: the corner of A against both edges of B, the corner of B
 * against both edges of A; six free velocities, x, y and angle of A, then of B. Their start is legal.
 */
export function planarScene(random: Random): CornerScene {
  const h = 0.5
  for (;;) {
    // A's corner at the origin points right, B's near it points left
    const vertexB = [random.between(-0.05, 0.3), random.between(-0.3, 0.3)]
    const halfA = random.between(0.3, 1.2)
    const halfB = random.between(0.3, 1.2)
    const tiltA = random.between(-0.3, 0.3)
    const tiltB = random.between(-0.3, 0.3)
    // outward normals of the edges: A's below and above, B's above and below
    const normal = (angle: number) => [Math.cos(angle), Math.sin(angle)]
    const belowA = normal(tiltA - Math.PI / 2 + halfA)
    const aboveA = normal(tiltA + Math.PI / 2 - halfA)
    const aboveB = normal(Math.PI + tiltB - Math.PI / 2 + halfB)
    const belowB = normal(Math.PI + tiltB + Math.PI / 2 - halfB)
    const along = (n: number[]) => n[0] * vertexB[0] + n[1] * vertexB[1]
    // C1, C2: A's corner against B's edges; C3, C4: B's corner against A's. Normals from A to B
    const contacts = [
      { n: [-aboveB[0], -aboveB[1]], gap: -along(aboveB), point: [0, 0] },
      { n: [-belowB[0], -belowB[1]], gap: -along(belowB), point: [0, 0] },
      { n: belowA, gap: along(belowA), point: vertexB },
      { n: aboveA, gap: along(aboveA), point: vertexB },
    ]
    const gaps = contacts.map((c) => c.gap)
    const legal =
      Math.max(gaps[0], gaps[1]) > 0 &&
      Math.max(gaps[2], gaps[3]) > 0 &&
      Math.max(gaps[0], gaps[3]) > 0 &&
      Math.max(gaps[1], gaps[2]) > 0
    if (!legal) continue

    const centreA = [-random.between(0.3, 0.8), random.between(-0.2, 0.2)]
    const centreB = [vertexB[0] + random.between(0.3, 0.8), vertexB[1] + random.between(-0.2, 0.2)]
    const turn = (n: number[], point: number[], centre: number[]) => (point[0] - centre[0]) * n[1] - (point[1] - centre[1]) * n[0]
    const J = contacts.map(({ n, point }) => [-n[0], -n[1], -turn(n, point, centreA), n[0], n[1], turn(n, point, centreB)])
    const mass = [1, 1, 0.1, 1, 1, 0.1].map((m) => m * random.between(0.5, 2))
    const v = [random.between(0, 2), random.between(-1, 1), random.between(-1, 1)]
    v.push(random.between(-2, 0), random.between(-1, 1), random.between(-1, 1))

    return { h, gaps, J, mass, v }
  }
}

/**
 * The step of a planar scene by the polyhedral exact geometry of Williams, Lu and Trinkle (2014), eqs. 29 to 32: two inter-contact
 * groups, one a corner, and two cross-contact groups, which pair the edges of the same side. No matrix class holds it: several
 * answers lie apart.
 *
 * Unknowns: v of A and B (x, y, angle each); per inter-contact group c, e, d1, d2, p1, p2; per cross-contact group c, e.
 */
export function planarCorners(random: Random): LcpProblem {
  const { h, gaps, J, mass, v } = planarScene(random)
  const n = 22
  const A = new Float64Array(n * n)
  const b = new Float64Array(n)
  const add = (row: number, contact: number, sign: number) => {
    for (let k = 0; k < 6; k++) A[row * n + k] += sign * J[contact][k]
    b[row] += (sign * gaps[contact]) / h
  }
  const push = (column: number, contact: number) => {
    for (let k = 0; k < 6; k++) A[k * n + column] += J[contact][k]
  }
  for (let k = 0; k < 6; k++) {
    A[k * n + k] = -mass[k]
    b[k] = mass[k] * v[k]
  }
  const largest = (at: number, one: number, other: number) => {
    add(at, one, 1) //          c: psi1 + c - psi2
    add(at, other, -1)
    A[at * n + at] = 1
    add(at + 1, one, 1) //      e: psi1 + c - e
    A[(at + 1) * n + at] = 1
    A[(at + 1) * n + at + 1] = -1
  }
  for (let group = 0; group < 2; group++) {
    const at = 6 + 6 * group
    largest(at, 2 * group, 2 * group + 1)
    for (let i = 0; i < 2; i++) {
      add(at + 2 + i, 2 * group + i, 1) // d_i: psi_i + d_i
      A[(at + 2 + i) * n + at + 2 + i] = 1
      add(at + 4 + i, 2 * group, 1) //     p_i: psi1 + c + d_i
      A[(at + 4 + i) * n + at] = 1
      A[(at + 4 + i) * n + at + 2 + i] = 1
      push(at + 4 + i, 2 * group + i)
    }
  }
  largest(18, 0, 3)
  largest(20, 1, 2)
  return { n, A, b, free: Uint8Array.from({ length: n }, (_, i) => (i < 6 ? 1 : 0)) }
}

/**
 * The answers of all complementary bases whose matrix is regular, each once: the truth for small problems, except where all answers
 * belong to singular bases.
 */
export function enumerateAnswers({ n, A, b, free }: LcpProblem, tolerance = 1e-9): Float64Array[] {
  const bound: number[] = []
  for (let i = 0; i < n; i++) if (free[i] === 0) bound.push(i)
  const answers: Float64Array[] = []
  const set = new Int32Array(n)
  const M = new Float64Array(n * (n + 1))
  const z = new Float64Array(n)
  for (let mask = 0; mask < 1 << bound.length; mask++) {
    let m = 0
    for (let i = 0; i < n; i++) if (free[i] === 1) set[m++] = i
    for (let k = 0; k < bound.length; k++) if (mask & (1 << k)) set[m++] = bound[k]
    if (!eliminate(n, A, b, m, set, M)) continue
    z.fill(0)
    for (let k = 0; k < m; k++) z[set[k]] = M[k * (m + 1) + m]
    if (!(violation({ n, A, b, free }, z) < tolerance)) continue
    if (!answers.some((other) => other.every((x, i) => Math.abs(x - z[i]) < 1e-7))) answers.push(z.slice())
  }
  return answers
}

/** [A_set | -b_set] by Gauss and Jordan; the solution ends up in the last column. False if a pivot is below 1e-10. */
function eliminate(n: number, A: Float64Array, b: Float64Array, m: number, set: Int32Array, M: Float64Array): boolean {
  const width = m + 1
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < m; j++) M[i * width + j] = A[set[i] * n + set[j]]
    M[i * width + m] = -b[set[i]]
  }
  for (let k = 0; k < m; k++) {
    let best = k
    for (let i = k + 1; i < m; i++) if (Math.abs(M[i * width + k]) > Math.abs(M[best * width + k])) best = i
    const pivot = M[best * width + k]
    if (Math.abs(pivot) < 1e-10) return false
    for (let j = k; j < width; j++) {
      const swap = M[k * width + j]
      M[k * width + j] = M[best * width + j]
      M[best * width + j] = swap
    }
    for (let i = k + 1; i < m; i++) {
      const factor = M[i * width + k] / pivot
      if (factor !== 0) for (let j = k; j < width; j++) M[i * width + j] -= factor * M[k * width + j]
    }
  }
  for (let k = m - 1; k >= 0; k--) {
    let sum = M[k * width + m]
    for (let j = k + 1; j < m; j++) sum -= M[k * width + j] * M[j * width + m]
    M[k * width + m] = sum / M[k * width + k]
  }
  return true
}
