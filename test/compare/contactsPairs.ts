import { type Contacts, contactsAt } from '../../compare/inspect/contactsAt.ts'
import { type Pair, parsePair } from '../../compare/inspect/pairFile.ts'

/** The body of a pair file. */
export interface Given {
  readonly shape: Record<string, unknown>
  readonly position?: readonly number[]
  readonly orientation?: readonly number[]
}

export function pairOf(a: Given, b: Given, more: Record<string, unknown> = {}, files: Record<string, string> = {}): Pair {
  return parsePair(JSON.stringify({ a, b, ...more }), 'pair.json', (path) => {
    if (!(path in files)) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    return new TextEncoder().encode(files[path])
  })
}

export const readingsOf = (...given: Parameters<typeof pairOf>): Contacts => contactsAt(pairOf(...given))

export const ground: Given = { shape: { type: 'halfspace', normal: [0, 0, 1], offset: 0 } }
export const box = (size: readonly number[], position: readonly number[] = [0, 0, 0], orientation = [0, 0, 0, 1]): Given => ({
  shape: { type: 'box', size },
  position,
  orientation,
})
export const ball = (radius: number, position: readonly number[] = [0, 0, 0], more = {}): Given => ({
  shape: { type: 'sphere', radius, ...more },
  position,
})

/** A turn about an axis. */
export function turn(axis: readonly number[], angle: number): number[] {
  const length = Math.hypot(...axis)
  return [...axis.map((x) => (x / length) * Math.sin(angle / 2)), Math.cos(angle / 2)]
}

/** A block with edges `size` as OBJ text, corner at the origin. */
export function blockObj([x, y, z]: readonly number[]): string {
  const corners = Array.from({ length: 8 }, (_, i) => `v ${i & 1 ? x : 0} ${i & 2 ? y : 0} ${i & 4 ? z : 0}`)
  return `${corners.join('\n')}\nf 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n`
}

/** Two blocks on a common base, 1 wide, that leave a gap of 1 between them: 3 wide, 1 deep, 2 high. */
export const forkObj = `${[
  [0, 0],
  [3, 0],
  [3, 2],
  [2, 2],
  [2, 1],
  [1, 1],
  [1, 2],
  [0, 2],
]
  .flatMap(([x, z]) => [`v ${x} 0 ${z}`, `v ${x} 1 ${z}`])
  .join('\n')}
f 1 3 9\nf 1 9 11\nf 3 5 7\nf 3 7 9\nf 1 11 13\nf 1 13 15
f 2 10 4\nf 2 12 10\nf 4 8 6\nf 4 10 8\nf 2 14 12\nf 2 16 14
f 1 2 4\nf 1 4 3\nf 3 4 6\nf 3 6 5\nf 5 6 8\nf 5 8 7\nf 7 8 10\nf 7 10 9
f 9 10 12\nf 9 12 11\nf 11 12 14\nf 11 14 13\nf 13 14 16\nf 13 16 15\nf 15 16 2\nf 15 2 1\n`
