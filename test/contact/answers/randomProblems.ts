/** Random contact problems small enough for brute force; half of them of small integers, so that ties, rays and continua are common. */
import type { SavedProblem, SavedRow } from '../../../contact/index.ts'
import { createRandom } from '../../../dynamics/index.ts'

export function randomProblem(seed: number): SavedProblem {
  const random = createRandom(seed)
  const pick = (count: number) => Math.floor(count * random.next())
  const isInteger = pick(2) === 0
  const number = (most: number) => (isInteger ? pick(2 * most + 1) - most : most * (2 * random.next() - 1))
  const isPlanar = pick(2) === 0
  const nv = isPlanar ? 2 + pick(2) : 3 + pick(3)
  const contacts = isPlanar ? 1 + pick(3) : 1 + pick(2)
  const vector = (most = 2) => Array.from({ length: nv }, () => number(most))
  const rows: SavedRow[] = Array.from({ length: pick(3) }, () => {
    const added = number(1)
    const kind = pick(3)
    if (kind === 0) return { kind: 'bounded', J: vector(), added, limit: isInteger ? 1 + pick(2) : 2 * random.next() }
    return { kind: 'unilateral', J: vector(), added }
  })
  const root = Array.from({ length: nv }, () => vector(1))
  const zero = Array.from({ length: nv }, () => 0)
  return {
    kind: 'contact',
    // R Rᵀ + 1
    M: root.map((a, i) => root.map((b, k) => a.reduce((sum, x, j) => sum + x * b[j], i === k ? 1 : 0))),
    J: Array.from({ length: contacts }, () => [vector(), vector(), isPlanar ? zero : vector()]).flat(),
    vFree: vector(3),
    gap: Array.from({ length: contacts }, () => (pick(3) === 0 ? number(1) : 0)),
    mu: Array.from({ length: contacts }, () => [0.25, 0.5, 1, 2, 0][pick(5)]),
    dt: 1,
    rows,
    ...(pick(4) === 0 && {
      softness: Array.from({ length: 3 * contacts + rows.length }, () => (pick(2) === 0 ? 0 : 0.5)),
    }),
  }
}
