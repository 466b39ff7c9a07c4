import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { contactsAt } from '../../compare/inspect/contactsAt.ts'
import { type Pair, parsePair } from '../../compare/inspect/pairFile.ts'
import { pairPicture } from '../../compare/inspect/pairPicture.ts'
import { placeLabels, widthOf } from '../../compare/inspect/picture/labels.ts'
import { solidOf } from '../../compare/inspect/picture/solid.ts'
import { Hiding, project, sideView, threeQuarter } from '../../compare/inspect/picture/view.ts'
import { parseXml, type XmlElement } from '../../robots/index.ts'
import { ball, box, forkObj, ground, pairOf, turn } from './contactsPairs.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const folder = join(docs, 'examples', 'pairs')
const examples = readdirSync(folder).filter((name) => name.endsWith('.json'))
const openPair = (name: string) => {
  const file = join(folder, name)
  return parsePair(readFileSync(file, 'utf8'), file, (path) => readFileSync(resolve(dirname(file), path)))
}
const draw = (pair: Pair) => pairPicture(pair, contactsAt(pair), 'a pair')

/** All elements with a class, below one element. */
function withClass(element: XmlElement, name: string): XmlElement[] {
  const here = (element.attributes.class ?? '').split(' ').includes(name) ? [element] : []
  return [...here, ...element.children.flatMap((child) => withClass(child, name))]
}

function panel(svg: string, reading: string, kind: 'three-quarter' | 'side'): XmlElement {
  const [column] = withClass(parseXml(svg, 'picture.svg'), reading)
  return withClass(column, kind)[0]
}

describe('every example is drawn', () => {
  for (const name of examples) {
    const pair = openPair(name)
    const svg = draw(pair)
    const found = contactsAt(pair)

    test(`${name}: each point of each reading has its mark, in the view of the whole`, () => {
      const count = (reading: string, mark: string) => withClass(panel(svg, reading, 'three-quarter'), mark).length
      expect(count('distance', 'on-a')).toBe(1)
      expect(count('distance', 'on-b')).toBe(1)
      expect(count('manifold', 'manifold-point')).toBe(found.manifold.length)
      expect(count('penalty', 'bottom-point')).toBe(found.penalty?.bottom.length ?? 0)
      expect(count('penalty', 'deepest')).toBe(found.penalty === null ? 0 : 1)
      expect(count('features', 'mark')).toBe(found.features.length)
      expect(count('features', 'faint')).toBe(found.features.filter(({ applicable }) => !applicable).length)
      const members = found.groups.filter(({ rule }) => rule === 'exact').flatMap((group) => group.members)
      expect(count('groups', 'mark')).toBe(new Set(members.flatMap(({ contacts }) => contacts)).size)
    })

    test(`${name}: a constraint with a choice has a line to each member, and from a member of several contacts to each of these`, () => {
      const choices = found.groups
        .filter(({ rule, members }) => rule === 'exact' && members.length > 1)
        .flatMap((group) => group.members)
      const within = choices.filter(({ contacts }) => contacts.length > 1).flatMap(({ contacts }) => contacts)
      const lines = withClass(panel(svg, 'groups', 'three-quarter'), 'link')
      // a line without a length is left out: from a middle that is that of a member, or a contact
      expect(lines.length).toBeLessThanOrEqual(choices.length + within.length)
      expect(lines.filter(({ attributes }) => attributes.class.includes('within'))).toHaveLength(within.length)
      expect(lines.length > 0).toBe(choices.length > 0)
    })

    test(`${name}: hidden lines, normals and the gap in mm are there, and the same bits each time`, () => {
      for (const part of ['hidden', 'outline', 'normal']) expect(withClass(parseXml(svg, name), part).length).toBeGreaterThan(0)
      const mm = `${Math.abs(1e3 * found.distance!).toFixed(2)} mm`
      const side = panel(svg, 'distance', 'side')
      expect(withClass(side, 'gap-label').map(({ text }) => text)).toEqual([found.distance! < 0 ? `\u2212${mm}` : mm])
      expect(withClass(side, 'gap')).toHaveLength(1)
      expect(draw(pair)).toBe(svg)
      expect(svg).not.toMatch(/NaN|Infinity|undefined/)
    })

    test(`${name}: no label covers another`, () => {
      for (const reading of ['distance', 'manifold', 'penalty', 'features']) {
        const boxes = withClass(panel(svg, reading, 'side'), 'gap-label').map(({ attributes, text }) => {
          const [x, y] = [Number(attributes.x), Number(attributes.y)]
          const half = 0.5 * widthOf(text)
          return { left: x - half, right: x + half, top: y - 10, bottom: y + 2 }
        })
        boxes.forEach((p, i) => {
          for (const q of boxes.slice(i + 1)) {
            const apart = p.right <= q.left || q.right <= p.left || p.bottom <= q.top || q.bottom <= p.top
            expect(apart, `${reading} of ${name}`).toBe(true)
          }
        })
      }
    })
  }
})

test('a reading that is empty says why in its column', () => {
  const [column] = withClass(parseXml(draw(pairOf(ball(0.1), ball(0.1, [0.21, 0, 0]))), 'picture.svg'), 'features')
  const words = withClass(column, 'sentence').map(({ text }) => text)
  expect(words.join(' ')).toMatch(/^A is a sphere, which is curved: features are those of polyhedra/)
})

test('of many gaps the least and the greatest are told', () => {
  // a plate of 20 corners on a circle, tilted: every pair of corners at another height
  const points = Array.from({ length: 20 }, (_, i) => {
    const angle = 0.1 + (2 * Math.PI * i) / 20
    return [Math.cos(angle), Math.sin(angle), 0]
  })
  const plate = { shape: { type: 'hull', points: [...points, [0, 0, 1]] }, orientation: turn([1, 0, 0], 0.05) }
  const pair = pairOf(ground, { ...plate, position: [0, 0, -0.1] }, { epsilon: 0.1 })
  const labels = withClass(panel(draw(pair), 'features', 'side'), 'gap-label').map(({ text }) => text)
  const gaps = contactsAt(pair)
    .features.filter(({ applicable }) => applicable)
    .map(({ gap }) => gap)
  expect(gaps.length).toBeGreaterThan(8)
  expect(labels).toHaveLength(2)
  expect(labels[0]).toContain((-1e3 * Math.min(...gaps)).toFixed(2))
})

test('words from a file are text, not markup', () => {
  const pair = pairOf(ground, { shape: { type: 'mesh', file: '<b>&.obj' } }, {}, { '<b>&.obj': forkObj })
  const svg = draw(pair)
  expect(svg).toContain('mesh &lt;b&gt;&amp;.obj of 28 triangles')
  expect(() => parseXml(svg, 'picture.svg')).not.toThrow()
})

test('odd pairs are drawn: points, plates, far apart, a mesh, planes seen from below', () => {
  const corner = { shape: { type: 'hull', points: [[0, 0, 0]] } }
  const rod = { shape: { type: 'hull', points: [[0, 0, 0], [0, 0, 1]] } } // biome-ignore format: two points
  const plate = { shape: { type: 'hull', points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]] } } // biome-ignore format: three points
  const ceiling = { shape: { type: 'halfspace', normal: [0, 0, -1], offset: 0 } }
  const fork = { shape: { type: 'mesh', file: 'fork.obj' } }
  for (const [a, b] of [
    [ground, corner],
    [ground, rod],
    [plate, ball(0.1)],
    [ball(0.001), ball(2, [50, 0, 0])],
    [box([0.8, 0.8, 0.8], [1.5, 0.5, 1.35]), fork],
    [ceiling, box([1, 1, 1], [0, 0, -0.5])],
    [ground, ball(0)],
  ]) {
    const svg = draw(pairOf(a, b, {}, { 'fork.obj': forkObj }))
    expect(() => parseXml(svg, 'picture.svg')).not.toThrow()
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
  }
})

describe('the views', () => {
  test('the view from the side looks along the contact: the normal is in the picture at its full length', () => {
    for (const normal of [
      [0, 0, 1],
      [0, 1, 0],
      [0.6, 0, 0.8],
      [0, 0.6, -0.8],
      [1, 0, 0],
    ] as const) {
      // biome-ignore format: normals
      const [x, y, z] = project(sideView(normal, []), normal)
      expect(Math.hypot(x, y)).toBeCloseTo(1, 12)
      expect(z).toBeCloseTo(0, 12)
    }
  })

  test('it looks along an edge that is nearly ahead, so that faces are seen from their edges', () => {
    const edge = [Math.sin(0.4), Math.cos(0.4), 0] as const
    expect(Math.abs(project(sideView([0, 0, 1], [edge]), edge)[2])).toBeCloseTo(1, 12)
  })

  test('of a cube three edges are hidden, from wherever one looks but along its faces', () => {
    const { a, b } = pairOf(box([1, 1, 1], [0, 0, 0], turn([1, 2, 3], 0.3)), ball(0.1, [5, 0, 0]))
    const solid = solidOf(a, b, [0, 1, 0])
    const hiding = new Hiding(threeQuarter, [solid])
    const strokes = solid.edges.map(({ ends: [i, j] }) => hiding.strokes(solid.vertices[i], solid.vertices[j]))
    const hidden = strokes.filter((list) => {
      const length = (seen: boolean) =>
        list
          .filter(({ isSeen }) => isSeen === seen)
          .reduce((sum, { from, to }) => sum + Math.hypot(to[0] - from[0], to[1] - from[1]), 0)
      return length(false) > 0.99 * (length(true) + length(false))
    })
    expect(hidden).toHaveLength(3)
    // Euler: 12 edges, 9 of them around the three faces that are seen
    expect(strokes.filter((list) => list.every(({ isSeen }) => isSeen))).toHaveLength(9)
  })

  test('labels keep off each other and off marks, inside of the frame', () => {
    const labels = Array.from({ length: 6 }, (_, i) => ({ text: `${i}.00 mm`, x: 100 + 4 * i, y: 60 }))
    const placed = placeLabels(
      labels,
      { left: 0, top: 0, right: 300, bottom: 150 },
      labels.map(({ x, y }) => [x, y]),
      [],
    )
    placed.forEach((p, i) => {
      expect(p.left - 0.5 * widthOf(p.text)).toBeGreaterThanOrEqual(0)
      for (const q of placed.slice(i + 1)) {
        const apart = Math.abs(p.left - q.left) >= widthOf(p.text) || Math.abs(p.baseline - q.baseline) >= 12
        expect(apart, `${p.text} and ${q.text}`).toBe(true)
      }
    })
  })
})
