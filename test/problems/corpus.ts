/** Problems of cases/problems and their sets of answers, found by the search and by trying every mode. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { answersOf, certificatesOf } from '../../compare/answers/answers.ts'
import { ContactSystem } from '../../compare/answers/contactSystem.ts'
import { type Problem, parseProblem } from '../../compare/inspect/problemFile.ts'
import { GroupKind, powerOfTwo } from '../../contact/index.ts'
import { type BruteGroup, type BruteSet, bruteForceAnswers } from '../oracle/bruteForceAnswers.ts'

export const folder = fileURLToPath(new URL('../../cases/problems', import.meta.url))
const checker = fileURLToPath(new URL('../../docs/examples/answers/check.mjs', import.meta.url))

/** Tolerance of a velocity, of the largest without impulses: the conditions of contact hold within 1e-9 of it, times a condition number. */
export const SAME = 1e-6

/** Of a row: its velocity, or the least and the greatest; null along a ray. */
export type StoredRange = number | readonly [number | null, number | null]
export interface StoredSet {
  readonly velocity: readonly StoredRange[]
  readonly velocityDimension: number
  readonly impulseDimension: number
}
/** `origin.answers` of a problem. */
export interface StoredAnswers {
  /** How the sets were found besides by the search. */
  readonly by: 'every mode' | 'certificates'
  /** Unit of velocities: the largest without impulses. */
  readonly scale: number
  readonly sets: readonly StoredSet[]
}
export interface Stored {
  /** Below `folder`. */
  readonly file: string
  readonly family: string
  readonly problem: Problem
  readonly answers: StoredAnswers
}

/** All of the corpus, in the order of their files. */
export const corpus = (): Stored[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => {
      const problem = parseProblem(readFileSync(path, 'utf8'), path)
      const file = relative(folder, path)
      return { file, family: file.split('/')[0], problem, answers: problem.origin?.answers as StoredAnswers }
    })

interface System {
  readonly n: number
  readonly W: Float64Array
  readonly rhs: Float64Array
  readonly groups: readonly BruteGroup[]
}

/** Rows of a problem u = W p + rhs and their kinds. */
export function systemOf(problem: Problem): System {
  if (problem.kind !== 'contact')
    return {
      n: problem.b.length,
      W: Float64Array.from(problem.A.flat()),
      rhs: Float64Array.from(problem.b),
      groups: problem.b.map((_, i) => ({ first: i, kind: problem.free.includes(i) ? 'bilateral' : 'unilateral', limit: 0 })),
    }
  const { rowCount: n, W, rhs, first, kind, limit } = new ContactSystem(problem).problem
  const ofFriction = (g: number) => (problem.J[3 * g + 2].every((x) => x === 0) ? 'planar' : 'contact')
  const other = {
    [GroupKind.unilateral]: 'unilateral',
    [GroupKind.bilateral]: 'bilateral',
    [GroupKind.bounded]: 'bounded',
  } as const
  const groups = Array.from(
    kind,
    (own, g): BruteGroup => ({
      first: first[g],
      kind: own === GroupKind.frictional ? ofFriction(g) : other[own as keyof typeof other],
      limit: limit[g],
    }),
  )
  return { n, W, rhs, groups }
}

const modesOf = { contact: 10, planar: 4, unilateral: 2, bilateral: 1, bounded: 3 }
/** Combinations of modes that brute force has to try. */
export const modeCount = (problem: Problem): number =>
  systemOf(problem).groups.reduce((count, { kind }) => count * modesOf[kind], 1)

/**
 * By brute force. Units of impulses and velocities are chosen by group first, powers of two by which nothing changes but that each group has
 * 1 on its diagonal: the tolerances of brute force are absolute.
 */
export function everyMode(problem: Problem): BruteSet[] {
  const { n, W, rhs, groups } = systemOf(problem)
  const d = new Float64Array(n)
  groups.forEach(({ first }, g) => {
    const own = W[first * n + first]
    d.fill(own > 0 ? powerOfTwo(1 / Math.sqrt(own)) : 1, first, groups[g + 1]?.first ?? n)
  })
  const scale = powerOfTwo(Math.max(0, ...rhs.map((x, r) => Math.abs(d[r] * x))))
  const sets = bruteForceAnswers(
    n,
    W.map((x, i) => x * d[Math.floor(i / n)] * d[i % n]),
    rhs.map((x, r) => (d[r] * x) / scale),
    groups.map((group) => ({ ...group, limit: group.kind === 'bounded' ? group.limit / (d[group.first] * scale) : group.limit })),
  )
  const back = (x: number, r: number) => (x * scale) / d[r]
  return sets.map(({ velocity: { min, max }, impulse }) => ({ velocity: { min: min.map(back), max: max.map(back) }, impulse }))
}

const largestOf = (rhs: Float64Array) => Math.max(...rhs.map(Math.abs)) || 1

/** Velocities, 9 digits of the largest. */
export function storedOf(problem: Problem, by: StoredAnswers['by'], most?: number): StoredAnswers | undefined {
  const { sets, complete, faces } = answersOf(problem, most)
  if (!complete) return undefined
  const scale = largestOf(faces.rhs)
  const digit = 10 ** Math.ceil(Math.log10(scale) - 9)
  const rounded = (x: number) => (Number.isFinite(x) ? Number((Math.round(x / digit) * digit).toPrecision(10)) : null)
  return {
    by,
    scale,
    sets: sets.map(({ velocity: { min, max }, velocityDimension, impulseDimension }) => ({
      velocity: Array.from(min, (x, r) => {
        // within the tolerance of the conditions, times a condition number, it is one velocity
        if (max[r] - x <= 0.1 * SAME * scale) return rounded(0.5 * (x + max[r])) as number
        return [rounded(x), rounded(max[r])] as const
      }),
      velocityDimension,
      impulseDimension,
    })),
  }
}

const ends = (range: StoredRange): readonly [number, number] => {
  const [low, high] = typeof range === 'number' ? [range, range] : range
  return [low ?? Number.NEGATIVE_INFINITY, high ?? Number.POSITIVE_INFINITY]
}
const isNear = (x: number, y: number, most: number) => x === y || Math.abs(x - y) <= most

export type Ranges = readonly { readonly min: ArrayLike<number>; readonly max: ArrayLike<number> }[]
export const rangesOf = ({ sets }: StoredAnswers): Ranges =>
  sets.map(({ velocity }) => ({ min: velocity.map((range) => ends(range)[0]), max: velocity.map((range) => ends(range)[1]) }))

/** Sets of one that the other has not, in words; none if they are the same. */
export function differences(a: Ranges, b: Ranges, scale: number): string[] {
  const isOne = (x: Ranges[number], y: Ranges[number]) =>
    Array.from(x.min).every((_, r) => isNear(x.min[r], y.min[r], SAME * scale) && isNear(x.max[r], y.max[r], SAME * scale))
  const text = ({ min, max }: Ranges[number]) => Array.from(min, (x, r) => (x === max[r] ? x : `${x}..${max[r]}`)).join(' ')
  const only = (own: Ranges, other: Ranges, name: string) =>
    own.filter((x) => !other.some((y) => isOne(x, y))).map((x) => `only the ${name}: ${text(x)}`)
  return [...only(a, b, 'first'), ...only(b, a, 'second')]
}

/** Whether velocities of all rows lie within the ranges of one of the sets. */
export const isAmong = (u: ArrayLike<number>, { sets, scale }: StoredAnswers): boolean =>
  sets.some(({ velocity }) =>
    velocity.every((range, r) => {
      const [low, high] = ends(range)
      return u[r] >= low - SAME * scale && u[r] <= high + SAME * scale
    }),
  )

/** The last line of the checker of certificates, and whether all hold. */
export function checked(problem: Problem): { readonly text: string; readonly holds: boolean } {
  const where = mkdtempSync(join(tmpdir(), 'certificates-'))
  const file = join(where, 'certificates.json')
  writeFileSync(file, JSON.stringify(certificatesOf(problem)))
  const { stdout, stderr, status } = spawnSync(process.execPath, [checker, file], { encoding: 'utf8', maxBuffer: 1 << 26 })
  rmSync(where, { recursive: true })
  return { text: `${stdout}${stderr}`.trim(), holds: status === 0 }
}
