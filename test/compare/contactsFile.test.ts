/** What a pair's file may say, and how it is told what is wrong with it. */
import { describe, expect, test } from 'vitest'
import { describeBody, PairFileError, parsePair } from '../../compare/inspect/pairFile.ts'
import { ball, box, ground, pairOf } from './contactsPairs.ts'
import { refuses } from './problems.ts'

const files: Record<string, string> = {
  'empty.obj': '',
  'open.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n',
}

function read(text: string): void {
  parsePair(text, 'pair.json', (path) => {
    if (!(path in files)) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    return new TextEncoder().encode(files[path])
  })
}

const withShapes = (a: unknown, b: unknown = ball(1).shape, more = {}) =>
  JSON.stringify({ a: { shape: a }, b: { shape: b }, ...more })

describe('each problem is one line: the file, the field, what was found, what was expected', () => {
  const cases: [name: string, text: string, ...lines: (string | RegExp)[]][] = [
    ['no JSON', '{', /^pair\.json: is no JSON: /],
    ['no object', '[]', 'pair.json: found [], expected an object with a, b, margin, epsilon'],
    [
      'a body that is missing',
      JSON.stringify({ a: ball(1) }),
      'pair.json: b is missing, expected an object with shape, position, orientation',
    ],
    [
      'a shape that is none',
      withShapes({ type: 'ball' }),
      'pair.json: a.shape.type found "ball", expected one of halfspace, sphere, ellipsoid, capsule, cylinder, box, hull, mesh',
    ],
    [
      'lengths that are none, in both bodies at once',
      withShapes({ type: 'capsule', radius: 0, length: 1 }, { type: 'box', size: [1, -2, 3] }),
      'pair.json: a.shape.radius found 0, expected a length above 0 m',
      'pair.json: b.shape.size[1] found -2, expected a length above 0 m',
    ],
    [
      'a number that is a text, deep inside',
      withShapes({
        type: 'hull',
        points: [
          [0, 0, 0],
          [1, '2', 0],
        ],
      }),
      'pair.json: a.shape.points[1][1] found "2", expected a finite number',
    ],
    [
      'a number beyond all numbers',
      withShapes(ball(1).shape).replace('"radius":1', '"radius":1e999'),
      /^pair\.json: a\.shape\.radius /,
    ],
    [
      'a normal without direction',
      withShapes({ type: 'halfspace', normal: [0, 0, 0], offset: 0 }),
      'pair.json: a.shape.normal found [0,0,0], expected three numbers that are not all 0',
    ],
    [
      'two half-spaces',
      withShapes(ground.shape, ground.shape),
      'pair.json: b.shape.type found a second "halfspace", expected one of the two shapes to be bounded',
    ],
    [
      'a quaternion that is not of length 1',
      JSON.stringify({ a: ball(1), b: box([1, 1, 1], [0, 0, 0], [0, 0, 0, 2]) }),
      'pair.json: b.orientation found [0,0,0,2] of length 2, expected length 1, in the order x, y, z, w',
    ],
    [
      'fields that nothing reads',
      withShapes({ type: 'box', size: [1, 1, 1], radius: 2 }, undefined, { margins: 1 }),
      'pair.json: a.shape has the unknown field radius; known are type, size',
      'pair.json: has the unknown field margins; known are a, b, margin, epsilon',
    ],
    [
      'sides that make no polyhedron',
      withShapes({ type: 'sphere', radius: 1, sides: 2 }),
      'pair.json: a.shape.sides found 2, expected a whole number from 3 to 1024',
    ],
    [
      'a margin below 0',
      withShapes(ball(1).shape, undefined, { margin: -1 }),
      'pair.json: margin found -1, expected a length of at least 0 m',
    ],
    [
      'a mesh that is not there',
      withShapes({ type: 'mesh', file: 'gone.stl' }),
      `pair.json: a.shape.file found "gone.stl", which cannot be read (ENOENT); expected a path from the pair's file`,
    ],
    [
      'a mesh without vertices',
      withShapes({ type: 'mesh', file: 'empty.obj' }),
      'pair.json: a.shape.file found "empty.obj", expected a mesh: it holds no vertices',
    ],
    [
      'a mesh that bounds no solid',
      withShapes({ type: 'mesh', file: 'open.obj' }),
      /^pair\.json: a\.shape .* not closed: edges with one/,
    ],
  ]
  refuses(cases, read, PairFileError)
})

test('place, margin and relaxation may be left out', () => {
  const { a, margin, epsilon } = pairOf({ shape: ball(1).shape }, ball(1))
  expect([[...a.p], [...a.R], margin, epsilon]).toEqual([[0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 1], 0.01, 0.01])
})

test('bodies are described with their sizes', () => {
  const { a, b } = pairOf(ground, { shape: { type: 'cylinder', radius: 0.05, length: 0.16, sides: 12 } })
  expect(describeBody(a)).toBe('half-space, normal 0 0 1, offset 0 m')
  expect(describeBody(b)).toBe('cylinder of radius 0.05 and length 0.16 m, as a polyhedron of 12 sides')
})
