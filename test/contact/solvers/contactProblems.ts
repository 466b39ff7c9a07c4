import { type ContactProblem, GroupKind } from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { cross } from '../geometry/poses.ts'

export interface ProblemOptions {
  /** Masses from 10^-spread to 10^spread. */
  spread?: number
  /** Largest coefficient of friction. */
  mu?: number
  /** What is added to the diagonal of W, relative to it. */
  soft?: number
  frictionalAlone?: boolean
}

/**
 * Contacts at random places of free bodies, half as many as contacts, with each other and with the ground; some without friction, some
 * rows bilateral or bounded. Many rows depend on each other but for the softness.
 */
export function randomContacts(seed: number, contacts: number, options: ProblemOptions = {}): ContactProblem {
  const { spread = 1.5, mu = 1, soft = 1e-5, frictionalAlone = false } = options
  const random = createRandom(seed)
  const bodies = Math.max(1, Math.ceil(contacts / 2))
  const masses = Array.from({ length: bodies }, () => Math.exp(random.between(-spread, spread) * Math.LN10))
  const point = () => [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)]
  const kind: number[] = []
  const limit: number[] = []
  const first = [0]
  const J: number[][] = []
  for (let c = 0; c < contacts; c++) {
    const b = random.index(bodies)
    const a = random.next() < 0.4 ? -1 : random.index(bodies)
    const n = unit(point())
    const t1 = unit(cross(n, point()))
    const [pa, pb] = [point(), point()]
    const row = (direction: number[]) => {
      const entries = new Array<number>(6 * bodies).fill(0)
      const put = (body: number, place: number[], sign: number) =>
        [...cross(place, direction), ...direction].forEach((x, k) => {
          entries[6 * body + k] += sign * x
        })
      put(b, pb, 1)
      if (a >= 0 && a !== b) put(a, pa, -1)
      return entries
    }
    const draw = frictionalAlone ? 0 : random.next()
    const what =
      draw < 0.7 ? GroupKind.frictional : draw < 0.8 ? GroupKind.unilateral : draw < 0.9 ? GroupKind.bilateral : GroupKind.bounded
    kind.push(what)
    limit.push(
      what === GroupKind.frictional ? random.between(0.05, mu) : what === GroupKind.bounded ? random.next() * masses[b] : 0,
    )
    J.push(row(n))
    if (what === GroupKind.frictional) J.push(row(t1), row(cross(n, t1)))
    first.push(J.length)
  }
  const rows = J.length
  const W = new Float64Array(rows * rows)
  J.forEach((r, i) => {
    J.forEach((s, j) => {
      let sum = 0
      for (let k = 0; k < r.length; k++) sum += (r[k] * s[k]) / masses[Math.floor(k / 6)]
      W[i * rows + j] = i === j ? sum * (1 + soft) : sum
    })
  })
  const v = Array.from({ length: 6 * bodies }, () => random.between(-1, 1))
  return {
    rowCount: rows,
    W,
    rhs: Float64Array.from(J, (r) => r.reduce((sum, x, k) => sum + x * v[k], 0)),
    groupCount: contacts,
    first: Int32Array.from(first),
    kind: Uint8Array.from(kind),
    limit: Float64Array.from(limit),
  }
}

/** A problem of one frictional contact. */
export function oneContact(W: readonly number[], rhs: readonly number[], mu: number): ContactProblem {
  return {
    rowCount: 3,
    W: Float64Array.from(W),
    rhs: Float64Array.from(rhs),
    groupCount: 1,
    first: Int32Array.of(0, 3),
    kind: Uint8Array.of(GroupKind.frictional),
    limit: Float64Array.of(mu),
  }
}

/** Mass 0.2 pulled by (-1, 0.8) for half a second on a floor with mu 0.3. */
export const pulledBlock = { mass: 0.2, dt: 0.5, mu: 0.3, pull: Math.hypot(1, 0.8) }
export function pulledBlockProblem(): ContactProblem {
  const { mass, dt, mu } = pulledBlock
  const W = [1 / mass, 0, 0, 0, 1 / mass, 0, 0, 0, 1 / mass]
  return oneContact(W, [-9.81 * dt, (-1 * dt) / mass, (0.8 * dt) / mass], mu)
}

/** Painlevé's rod of 1 kg and 2 m, at 60 degrees, sliding at 1 m/s on its tip: W_nn - mu W_nt < 0; and the impulse that stops it. */
export function wedgedRod() {
  const [c, s] = [0.5, Math.sqrt(0.75)]
  const [a, b, d] = [1 + 3 * c * c, 3 * c * s, 1 + 3 * s * s]
  const fall = -0.00981
  const problem = oneContact([a, b, 0, b, d, 0, 0, 0, 1], [fall, 1, 0], 1.9)
  // sticking: W p = -rhs
  return { problem, expected: [(b - d * fall) / (a * d - b * b), (b * fall - a) / (a * d - b * b), 0] }
}

export const oneRow = (kind: GroupKind, W: number, rhs: number, limit = 0): ContactProblem => ({
  rowCount: 1,
  W: Float64Array.of(W),
  rhs: Float64Array.of(rhs),
  groupCount: 1,
  first: Int32Array.of(0, 1),
  kind: Uint8Array.of(kind),
  limit: Float64Array.of(limit),
})

/** u = W p + rhs. */
export function velocities({ rowCount, W, rhs }: ContactProblem, p: Float64Array): Float64Array {
  return rhs.map((b, i) => {
    let sum = b
    for (let j = 0; j < rowCount; j++) sum += W[i * rowCount + j] * p[j]
    return sum
  })
}

/**
 * The largest violation of the law by p, each condition by itself as a textbook writes it: signs, Signorini's products, the size of
 * friction, and the power that it takes, which is -mu p_n |u_t| when it is against the slip. In the scales of `problem`: square
 * roots of energy, relative to the largest of `rhs`, or of the terms times 1e-5.
 */
export function violation(problem: ContactProblem, law: 'cone' | 'associated', p: Float64Array): number {
  const { rowCount: rows, W, first, kind, limit, rhs } = problem
  const u = velocities(problem, p)
  let worst = 0
  let size = 0
  for (let g = 0; g < problem.groupCount; g++) {
    const n = first[g]
    const dim = first[g + 1] - n
    let trace = 0
    for (let r = n; r < n + dim; r++) trace += W[r * rows + r]
    const s = 1 / Math.sqrt(trace / dim)
    for (let r = n; r < n + dim; r++) {
      size = Math.max(size, Math.abs(rhs[r]) * s)
      for (let j = 0; j < rows; j++) size = Math.max(size, 1e-5 * Math.abs(W[r * rows + j] * p[j]) * s)
    }
    const [pn, un] = [p[n] / s, u[n] * s]
    if (kind[g] === GroupKind.bilateral) worst = Math.max(worst, Math.abs(un))
    else if (kind[g] === GroupKind.unilateral) worst = Math.max(worst, -pn, -un, Math.min(pn, un))
    else if (kind[g] === GroupKind.bounded) {
      const bound = limit[g] / s
      worst = Math.max(worst, Math.abs(pn) - bound, un > 0 ? Math.min(un, pn + bound) : Math.min(-un, bound - pn))
    } else {
      const mu = limit[g]
      const pt = Math.hypot(p[n + 1], p[n + 2]) / s
      const ut = Math.hypot(u[n + 1], u[n + 2]) * s
      const lift = law === 'associated' ? un - mu * ut : un
      worst = Math.max(worst, -pn, -lift, Math.min(pn, lift), pt - mu * pn)
      const power = p[n + 1] * u[n + 1] + p[n + 2] * u[n + 2]
      worst = Math.max(worst, (power + mu * pn * ut) / Math.max(pn, pt, ut, 1e-300))
    }
  }
  return worst / size
}

const unit = (a: number[]) => {
  const length = Math.hypot(...a)
  return a.map((x) => x / length)
}

/**
 * A tower of boxes on the ground, four contacts an interface, one step of 1 ms after it stood; the boxes have been pushed sideways, each by
 * as much of the greatest speed as friction can take within the step, times `push`.
 */
export function tower(contacts: number, push: number, seed = 1): ContactProblem {
  const random = createRandom(seed)
  const [half, height, mu, fall, spin] = [0.5, 0.25, 0.6, 9.81e-3, 10] // spin: inverse of the inertia of a unit mass
  const boxes = contacts / 4
  const v = new Float64Array(6 * boxes)
  const J: number[][] = []
  for (let b = 0; b < boxes; b++) {
    v[6 * b + 3] = mu * fall * push * random.between(0.8, 1.2)
    v[6 * b + 5] = -fall
    for (const [x, y] of [
      [half, half],
      [half, -half],
      [-half, -half],
      [-half, half],
    ]) {
      for (const direction of [
        [0, 0, 1],
        [1, 0, 0],
        [0, 1, 0],
      ]) {
        const row = new Array<number>(6 * boxes).fill(0)
        const put = (body: number, z: number, sign: number) =>
          [...cross([x, y, z], direction), ...direction].forEach((entry, k) => {
            row[6 * body + k] = sign * entry
          })
        put(b, -height, 1)
        if (b > 0) put(b - 1, height, -1)
        J.push(row)
      }
    }
  }
  const rows = J.length
  const W = new Float64Array(rows * rows)
  J.forEach((r, i) => {
    J.forEach((s, j) => {
      let sum = 0
      for (let k = 0; k < r.length; k++) if (r[k] !== 0) sum += r[k] * s[k] * (k % 6 < 3 ? spin : 1)
      W[i * rows + j] = i === j ? sum * (1 + 1e-5) : sum
    })
  })
  return {
    rowCount: rows,
    W,
    rhs: Float64Array.from(J, (r) => r.reduce((sum, x, k) => sum + x * v[k], 0)),
    groupCount: contacts,
    first: Int32Array.from({ length: contacts + 1 }, (_, g) => 3 * g),
    kind: new Uint8Array(contacts).fill(GroupKind.frictional),
    limit: new Float64Array(contacts).fill(mu),
  }
}
