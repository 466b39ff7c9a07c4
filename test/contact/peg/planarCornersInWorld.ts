import { constraintKind, type FeatureContactSet } from '../../../contact/index.ts'
import { dot, turned } from '../geometry/poses.ts'
import { type CornerBody, cross } from './corners.ts'
import { freeMotion, type Motions, type Outcome } from './outcome.ts'

/*
 * Every answer that the constraints over the contacts of one step without friction have, by trying every set of contacts that may be
 * what pushes: the truth for small scenes.
 */

export interface Answer {
  /** Per contact [N s]; 0 for those that do not push. */
  readonly impulse: Float64Array
  /** Per contact: linearised gap at the end of the step [m]. */
  readonly gap: Float64Array
  /** |v⁺ - v_free|² in M [J]. */
  readonly cost: number
}

export interface Scene {
  readonly count: number
  /** J M⁻¹ Jᵀ of the normals [1/kg]. */
  readonly W: Float64Array
  /** Linearised gaps at the end of the step without contact, and those at its start [m]. */
  readonly freeGap: Float64Array
  readonly startGap: Float64Array
  readonly dt: number
  readonly contacts: FeatureContactSet
}

/** The normals of contacts that were found at the start of the step, from the bodies' own masses. */
export function sceneOf({ corner, start }: Outcome, contacts: FeatureContactSet): Scene {
  const { bodies, dt } = corner
  const { count, point, normal, gap } = contacts
  const free = freeMotion(corner)
  const rows = Array.from({ length: count }, (_, i) => bodies.map((_body, b) => rowOf(start, point, normal, i, b)))
  const W = new Float64Array(count * count)
  const freeGap = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    freeGap[i] = gap[i]
    for (const [b, body] of bodies.entries()) {
      if (body.fixed) continue
      const [n, torque] = rows[i][b]
      freeGap[i] += dt * (dot(n, free[b].v) + dot(torque, free[b].omega))
      const [v, omega] = response(body, n, torque, corner.planar)
      for (let j = 0; j < count; j++) W[j * count + i] += dot(rows[j][b][0], v) + dot(rows[j][b][1], omega)
    }
  }
  return { count, W, freeGap, startGap: gap.slice(0, count), dt, contacts }
}

/** What a unit of impulse along contact i does to body b: force and torque about its origin. */
function rowOf(start: Motions, point: Float64Array, normal: Float64Array, i: number, b: number): [Float64Array, Float64Array] {
  const sign = b === 0 ? -1 : 1
  const n = Float64Array.from([0, 1, 2], (d) => sign * normal[3 * i + d])
  const arm = Float64Array.from([0, 1, 2], (d) => point[3 * i + d] - start[b].p[d])
  return [n, cross(arm, n)]
}

function response({ mass, inertia, R }: CornerBody, force: Float64Array, torque: Float64Array, planar: boolean) {
  const v = force.map((x, d) => (planar && d === 2 ? 0 : x / mass))
  if (planar) return [v, Float64Array.of(0, 0, torque[2] / inertia[2])]
  const [xx, yy, zz, xy, xz, yz] = inertia
  const own = Float64Array.from([0, 1, 2], (k) => R[k] * torque[0] + R[3 + k] * torque[1] + R[6 + k] * torque[2])
  const columns = [Float64Array.of(xx, xy, xz), Float64Array.of(xy, yy, yz), Float64Array.of(xz, yz, zz)]
  const determinant = dot(columns[0], cross(columns[1], columns[2]))
  const rate = [0, 1, 2].map((k) => dot(own, cross(columns[(k + 1) % 3], columns[(k + 2) % 3])) / determinant)
  return [v, turned(R, rate)]
}

/** Gaps may miss zero by so much [m]. */
const zero = 1e-9

/**
 * All answers that differ in velocity. Pushes that depend on others can be left out without a change of the velocity, so sets of
 * independent normals are enough.
 *
 * @param rank      the most normals that can be independent: 3 for two bodies in the plane, 6 in space
 * @param wholeWay  whether constraints have to hold on the straight way from start to end too
 */
export function answersOf(scene: Scene, rank: number, wholeWay: boolean): Answer[] {
  const answers: Answer[] = []
  const mayPush = pushers(scene.contacts)
  const set: number[] = []
  const attempt = (from: number) => {
    const answer = answerOf(scene, set)
    if (answer === 'dependent') return
    if (answer !== undefined && holds(scene, answer, wholeWay)) {
      const differs = (other: Answer) => answer.gap.some((x, i) => Math.abs(x - other.gap[i]) > zero)
      if (answers.every(differs)) answers.push(answer)
    }
    if (set.length === rank) return
    for (let k = from; k < mayPush.length; k++) {
      set.push(mayPush[k])
      attempt(k + 1)
      set.pop()
    }
  }
  attempt(0)
  return answers
}

/** What any constraint lets push. */
function pushers({ constraints }: FeatureContactSet): number[] {
  const { count, kind, memberStart, pushing, contactStart, contact } = constraints
  const out = new Set<number>()
  for (let g = 0; g < count; g++) {
    if (kind[g] === constraintKind.cross) continue
    const end = contactStart[memberStart[g] + pushing[g]]
    for (let k = contactStart[memberStart[g]]; k < end; k++) out.add(contact[k])
  }
  return [...out].sort((a, b) => a - b)
}

/** Impulses that close exactly these gaps; undefined if one would pull. */
function answerOf({ count, W, freeGap, dt }: Scene, set: readonly number[]): Answer | undefined | 'dependent' {
  const n = set.length
  // Cholesky: the first that depends on those before it shows here
  const L = new Float64Array(n * n)
  const p = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = W[set[i] * count + set[j]]
      for (let k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k]
      if (i > j) L[i * n + j] = sum / L[j * n + j]
      else if (sum > 1e-9 * W[set[i] * count + set[i]]) L[i * n + i] = Math.sqrt(sum)
      else return 'dependent'
    }
  }
  for (let i = 0; i < n; i++) {
    let sum = -freeGap[set[i]] / dt
    for (let k = 0; k < i; k++) sum -= L[i * n + k] * p[k]
    p[i] = sum / L[i * n + i]
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = p[i]
    for (let k = i + 1; k < n; k++) sum -= L[k * n + i] * p[k]
    p[i] = sum / L[i * n + i]
  }
  if (p.some((x) => !(x >= 0))) return undefined
  const impulse = new Float64Array(count)
  set.forEach((i, k) => {
    impulse[i] = p[k]
  })
  return answerWith({ count, W, freeGap, dt }, impulse)
}

/** Gaps and cost of given impulses. */
export function answerWith(
  { count, W, freeGap, dt }: Pick<Scene, 'count' | 'W' | 'freeGap' | 'dt'>,
  impulse: Float64Array,
): Answer {
  const gap = freeGap.slice()
  let cost = 0
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      gap[i] += dt * W[i * count + j] * impulse[j]
      cost += impulse[i] * W[i * count + j] * impulse[j]
    }
  }
  return { impulse, gap, cost }
}

/** The rules of `ContactConstraints`; with the way there too, of what holds by a push at the end it is not asked that nothing else holds. */
export function holds({ contacts, startGap }: Scene, { impulse, gap }: Answer, wholeWay: boolean): boolean {
  const { constraints } = contacts
  const { count, kind, memberStart, pushing, contactStart, contact } = constraints
  const allowed = new Uint8Array(contacts.count)
  for (let g = 0; g < count; g++) {
    const members = Array.from({ length: memberStart[g + 1] - memberStart[g] }, (_, k) =>
      Array.from(contact.subarray(contactStart[memberStart[g] + k], contactStart[memberStart[g] + k + 1])),
    )
    const value = (gapAt: (i: number) => number) => Math.max(...members.map((list) => Math.min(...list.map(gapAt))))
    const atEnd = value((i) => gap[i])
    if (atEnd < -zero) return false
    if (wholeWay) {
      const least =
        Math.min(
          0,
          value((i) => startGap[i]),
        ) - zero
      for (const s of turningPoints(members.flat(), startGap, gap)) {
        if (value((i) => startGap[i] + s * (gap[i] - startGap[i])) < least) return false
      }
    }
    if (kind[g] === constraintKind.cross) continue
    // what would be apart at the end without its push may be in need of it on the way
    if (atEnd > zero && !wholeWay) continue
    for (const list of members.slice(0, pushing[g])) {
      const least = Math.min(...list.map((i) => gap[i]))
      for (const i of list) if (Math.abs(gap[i]) <= zero && gap[i] <= least + zero) allowed[i] = 1
    }
  }
  return impulse.every((p, i) => p <= 0 || allowed[i] === 1)
}

/** Where two of the straight lines cross, and half-way between: there the least of a greatest of leasts can be. */
function turningPoints(list: readonly number[], start: Float64Array, end: Float64Array): number[] {
  const out = [0, 1]
  for (let k = 0; k < list.length; k++) {
    for (let l = 0; l < k; l++) {
      const [a, b] = [start[list[k]] - start[list[l]], end[list[k]] - end[list[l]]]
      const s = a / (a - b)
      if (s > 0 && s < 1) out.push(s)
    }
  }
  out.sort((a, b) => a - b)
  return out.flatMap((s, k) => (k > 0 ? [0.5 * (s + out[k - 1]), s] : [s]))
}
