import { basename, dirname, resolve } from 'node:path'
import { type Contacts, contactsAt, type Vector } from '../../inspect/contactsAt.ts'
import { describeBody, type Pair, parsePair } from '../../inspect/pairFile.ts'
import { pairPicture } from '../../inspect/pairPicture.ts'
import { readBytes, readInput } from '../input.ts'
import { io } from '../io.ts'
import { writeAs } from '../output.ts'
import { type Column, left, type Paint, paintFor, right, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'

const flags = {
  '--out <picture.svg>': 'draw the results',
} as const
type ContactsFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed contacts docs/examples/pairs/box-on-box.json --out picture.svg\n\n' +
    'PAIR.json: {"a": {"shape": {"type": "box", "size": [x, y, z]}, "position": [x, y, z], "orientation": [x, y, z, w]},\n' +
    '"b": likewise, "margin": metres}. Shapes are halfspace {normal, offset}, sphere {radius}, capsule and cylinder\n' +
    '{radius, length}, box {size}, hull {points}, mesh {file}. See docs/geometry.md.',
  arguments: { 'pair.json': 'the two shapes' },
  flags,
  run: contacts,
}

async function contacts(file: string, flags: ContactsFlags): Promise<void> {
  const pair = parsePair(readInput(file, { remedy: 'give the path of a JSON file' }), file, (path) =>
    readBytes(resolve(dirname(file), path), { remedy: 'give the path of a mesh' }),
  )
  const result = contactsAt(pair)
  if (flags.out !== undefined) {
    const title = basename(file)
      .replace(/\.json$/, '')
      .replaceAll(/[-_]+/g, ' ')
    writeAs(flags.out, pairPicture(pair, result, title), '--out', 'give the path of an SVG file')
    if (!flags.quiet) io.stderr.write(`Written: ${flags.out}\n`)
  }
  io.stdout.write(flags.json ? `${JSON.stringify(result)}\n` : contactsText(pair, result, paintFor(io.stdout)))
}

/** Below a picometre there is nothing but rounding. */
const rounding = 1e-12
const millimetres = (m: number) => (Math.abs(m) < rounding ? 0 : 1e3 * m).toFixed(4)
const component = (x: number) => (Math.abs(x) < rounding ? 0 : x).toFixed(6)
const columnsOf = (titles: readonly string[], names: number): Column[] =>
  titles.map((title, i) => (i < names ? left(title) : right(title)))
const cells = (texts: readonly string[]) => texts.map((text) => ({ text }))
const place = (point: Vector) => point.map(millimetres)
const indented = (text: string) => text.replaceAll(/^/gm, '  ')
const listOf = (titles: readonly string[], names: number, rows: readonly (readonly string[])[]) =>
  indented(table(columnsOf(titles, names), rows.map(cells)))

/** Text for the terminal. */
export function contactsText(pair: Pair, result: Contacts, { bold, dim }: Paint): string {
  const { distance, normal, pointA, pointB, closest, manifold, penalty, features, notes } = result
  const out = [
    `A  ${describeBody(pair.a)}`,
    `B  ${describeBody(pair.b)}`,
    dim('Lengths in mm, world axes. Normals point from A to B; gaps and distances below 0 are overlap.'),
    dim(`Contacts with gaps of up to ${millimetres(pair.margin)} mm.`),
  ]
  const section = (title: string, meaning: string, lines: readonly string[], note: string | undefined) => {
    out.push('', `${bold(title)}  ${dim(meaning)}`, ...lines)
    if (note !== undefined) out.push(`  ${lines.length === 0 ? `none: ${note}` : dim(note)}`)
  }

  const first: string[] = []
  if (distance !== null && normal !== null && pointA !== null && pointB !== null && closest !== null) {
    first.push(
      `  distance ${millimetres(distance)}, between ${closest.a} of A and ${closest.b} of B`,
      `  normal ${normal.map(component).join(' ')}`,
      listOf(['point', 'x', 'y', 'z'], 1, [
        ['on A', ...place(pointA)],
        ['on B', ...place(pointB)],
      ]),
    )
  }
  section('1 Closest features', 'how far apart, or the shortest move that parts them', first, notes.distance)

  const second = manifold.map(({ id, point, gap }) => [...place(point), millimetres(gap), String(id)])
  const shared = manifold.length === 0 ? [] : [`  normal ${manifold[0].normal.map(component).join(' ')}`]
  section(
    '2 Manifold',
    'points that stand for the whole contact, midway between the surfaces, one normal',
    second.length === 0 ? [] : [...shared, listOf(['x', 'y', 'z', 'gap', 'id'], 0, second)],
    notes.manifold,
  )

  const third = (penalty?.bottom ?? []).map(({ of, point, depth }) => [`of ${of}`, ...place(point), millimetres(depth)])
  section(
    '3 Penalty',
    'the bottom of the volume of intersection, the deepest point first',
    penalty === null
      ? []
      : [
          `  deepest ${millimetres(penalty.deepest.depth)}, normal ${penalty.normal.map(component).join(' ')}`,
          listOf(['point', 'x', 'y', 'z', 'depth'], 1, third),
        ],
    notes.penalty,
  )

  const fourth = features.map((f) => [
    f.kind,
    String(f.a),
    String(f.b),
    ...place(f.point),
    ...f.normal.map((x) => x.toFixed(3).replace(/^-(0\.0*)$/, '$1')),
    millimetres(f.gap),
    f.applicable ? 'yes' : 'no',
  ])
  section(
    '4 Features',
    'every vertex and face, edge and edge that can touch next; numbered as in the polyhedra',
    fourth.length === 0
      ? []
      : [listOf(['kind', 'of A', 'of B', 'x', 'y', 'z', 'nx', 'ny', 'nz', 'gap', 'applicable'], 1, fourth)],
    notes.features,
  )
  const nameOf = (i: number) => {
    const { kind, a, b } = features[i]
    if (kind === 'edge-edge') return `e${a} e${b}`
    return kind === 'vertex-face' ? `v${a} f${b}` : `f${a} v${b}`
  }
  const fifth = result.groups.map(({ rule, kind, members }) => {
    const of = (pushes: boolean) =>
      members
        .filter((member) => member.pushes === pushes)
        .map(({ contacts }) => contacts.map(nameOf).join(' + '))
        .join(' | ')
    return [rule, kind, of(true), of(false)]
  })
  section(
    '5 Groups',
    'constraints of PEG: of each one member stays apart, with all of its contacts; v, e, f of A, then of B',
    fifth.length === 0 ? [] : [listOf(['rule', 'kind', 'may push', 'only holds'], 4, fifth)],
    notes.groups,
  )
  return `${out.join('\n')}\n`
}
