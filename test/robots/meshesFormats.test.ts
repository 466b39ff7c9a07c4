import { describe, expect, test } from 'vitest'
import { createRandom } from '../../dynamics/math/random.ts'
import { isMeshFormat, type Mesh, MeshError, type MeshOptions, readMesh } from '../../robots/meshes/index.ts'
import { decimal } from '../../robots/meshes/textScanner.ts'
import {
  corners,
  daeScene,
  daeText,
  dataUri,
  faces,
  fan,
  glb,
  gltfBuffer,
  gltfJson,
  objText,
  plyBinary,
  plyText,
  solidTriangles,
  stlBinary,
  stlText,
  strip,
  utf8,
} from './fuzz/meshesSamples.ts'

const read = (text: string, path: string, options?: MeshOptions) => readMesh(utf8(text), path, options)

/** By the divergence theorem; positive when the triangles run anticlockwise as seen from outside. */
function volumeOf({ points, triangles }: Mesh): number {
  let sum = 0
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => [...points.subarray(3 * triangles[t + k], 3 * triangles[t + k] + 3)])
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
  }
  return sum / 6
}

function pointsOf({ points }: Mesh): string[] {
  const rounded = [...points].map((x) => Math.round(1e9 * x) / 1e9 + 0)
  return Array.from({ length: points.length / 3 }, (_, i) => rounded.slice(3 * i, 3 * i + 3).join(' ')).sort()
}

const cornerNames = ['0 0 0', '0 0 3', '0 2 0', '1 0 0']

function primitive(name: string, body: string, more = ''): string {
  return daeText({ primitives: `<${name}><input semantic="VERTEX" source="#v" offset="0"/>${more}${body}</${name}>` })
}

const p = (indices: readonly number[]) => `<p>${indices.join(' ')}</p>`
const lastFace = `<triangles><input semantic="VERTEX" source="#v"/>${p(faces.slice(9))}</triangles>`

const gltf = (changes: Record<string, unknown> = {}, buffer = gltfBuffer()) => gltfJson(dataUri(buffer), changes)
const stripIndices = (mode: number, indices: readonly number[]) => {
  const buffer = gltfBuffer()
  const view = new DataView(buffer.buffer)
  for (const [i, corner] of indices.entries()) view.setUint16(48 + 2 * i, corner, true)
  return gltf(
    {
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, mode }] }],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3' },
        { bufferView: 1, componentType: 5123, count: indices.length, type: 'SCALAR' },
      ],
    },
    buffer,
  )
}

describe('the same solid comes out of', () => {
  test.each<[string, string, string | Uint8Array]>([
    ['binary STL', 'a.stl', stlBinary(solidTriangles)],
    ['binary STL behind the word solid', 'a.STL', stlBinary(solidTriangles, 'solid facet of a binary file')],
    ['binary STL with bytes behind it', 'a.stl', new Uint8Array([...stlBinary(solidTriangles, 'solid facet'), 0, 0])],
    ['ASCII STL', 'a.stl', stlText()],
    [
      'ASCII STL in capitals, with CRLF and tabs',
      'a.stl',
      stlText().toUpperCase().replaceAll('\n', '\r\n').replaceAll('  ', '\t'),
    ],
    ['ASCII STL behind a byte order mark', 'a.stl', `\ufeff${stlText()}`],
    ['ASCII STL with CR alone', 'a.stl', stlText().replaceAll('\n', '\r')],
    ['two solids in one ASCII STL', 'a.stl', stlText(solidTriangles.slice(0, 2)) + stlText(solidTriangles.slice(2))],
    ['OBJ', 'a.obj', objText],
    ['OBJ with CRLF', 'a.obj', objText.replaceAll('\n', '\r\n')],
    ['OBJ with faces before their vertices', 'a.obj', 'f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nv 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3'],
    ['DAE triangles', 'a.dae', daeText()],
    ['DAE polylist', 'a.dae', primitive('polylist', p(faces), '<vcount>3 3 3 3</vcount>')],
    ['DAE polygons', 'a.dae', primitive('polygons', [0, 3, 6, 9].map((k) => p(faces.slice(k, k + 3))).join(''))],
    ['DAE trifans', 'a.dae', primitive('trifans', p(fan)).replace('</trifans>', `</trifans>${lastFace}`)],
    ['DAE tristrips', 'a.dae', primitive('tristrips', p(strip))],
    [
      'DAE triangles with several inputs',
      'a.dae',
      primitive('triangles', p(faces.flatMap((c) => [c, 9])), '<input semantic="NORMAL" source="#n" offset="1"/>'),
    ],
    [
      'DAE with a stride and an offset',
      'a.dae',
      daeText({
        numbers: `7 ${[0, 1, 2, 3].map((i) => [...corners.slice(3 * i, 3 * i + 3), 8].join(' ')).join('\n')}`,
        accessor: '<accessor source="#a" count="4" stride="4" offset="1"/>',
      }),
    ],
    ['DAE without a scene', 'a.dae', daeText({ nodes: '' }).replaceAll('scene', 'other')],
    [
      'DAE skin',
      'a.dae',
      daeText({
        nodes: '<node><instance_controller url="#c"/></node>',
        more: '<library_controllers><controller id="c"><skin source="#g"><bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller></library_controllers>',
      }),
    ],
    ['glTF with a data URI', 'a.gltf', gltf()],
    ['GLB', 'a.glb', glb()],
    ['GLB named gltf', 'a.gltf', glb()],
    ['glTF strips', 'a.gltf', stripIndices(5, strip)],
    ['glTF without indices', 'a.gltf', withoutIndices()],
    ['glTF without nodes', 'a.gltf', gltf({ nodes: undefined, scenes: undefined, scene: undefined })],
    ['glTF without scenes', 'a.gltf', gltf({ scenes: undefined, scene: undefined })],
    ['ASCII PLY', 'a.ply', plyText],
    ['binary PLY', 'a.ply', plyBinary(true)],
    ['binary PLY, big end first', 'a.ply', plyBinary(false)],
  ])('%s', (_, path, content) => {
    const mesh = readMesh(typeof content === 'string' ? utf8(content) : content, path)
    expect(pointsOf(mesh)).toEqual(cornerNames)
    expect(mesh.triangles.length).toBe(12)
    expect(volumeOf(mesh)).toBeCloseTo(1, 12)
  })
})

/** Each face with corners of its own. */
function withoutIndices(): string {
  const source = new Float32Array(gltfBuffer().slice(0, 48).buffer)
  const data = Float32Array.from(faces.flatMap((corner) => [...source.slice(3 * corner, 3 * corner + 3)]))
  return gltfJson(undefined, {
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 12, type: 'VEC3' }],
    bufferViews: [{ buffer: 0, byteLength: 144 }],
    buffers: [{ byteLength: 144, uri: dataUri(new Uint8Array(data.buffer)) }],
  })
}

describe('any mesh', () => {
  test('has each position once, only what faces touch, and no pinched triangles', () => {
    const mesh = read('v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 -0\nv .5 .5 0\nv 9 9 9\nf 1 2 3\nf 4 3 2\nf 1 4 2\n', 'a.obj')
    expect([...mesh.points]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0])
    expect([...mesh.triangles]).toEqual([0, 1, 2, 0, 2, 1])
    expect(mesh.warnings).toEqual(['vertices outside of all faces that belong to none are left out: 1 of 6'])
  })

  test('without faces is its points', () => {
    const mesh = read('v 1 2 3\nv 4 5 6\n', 'a.obj')
    expect([...mesh.points]).toEqual([1, 2, 3, 4, 5, 6])
    expect(mesh.triangles.length).toBe(0)
    expect([...read(daeText({ primitives: '' }), 'a.dae').points]).toEqual([...corners])
  })

  test('of many equal positions is made in good time', () => {
    const triangles = Array.from({ length: 20_000 }, (_, i) => [0, 0, 0, 1, 0, 0, 0, 1, i % 100])
    const mesh = readMesh(stlBinary(triangles), 'a.stl')
    expect(mesh.points.length).toBe(3 * 102)
    expect(mesh.triangles.length).toBe(3 * 20_000)
  })

  test('of another format, or too long, is refused', () => {
    expect(['a.STL', 'b/c.gltf', 'x.glb', 'y.ply', 'z.vtk', 'obj'].map(isMeshFormat)).toEqual([
      true,
      true,
      true,
      true,
      false,
      true,
    ])
    expect(() => read('', 'a.vtk')).toThrow(
      new MeshError('the format "vtk" is not read; expected stl, obj, dae, gltf, glb, ply, msh'),
    )
    expect(() => readMesh(new Uint8Array(64 * 1024 * 1024 + 1), 'a.stl')).toThrow('at most 67108864')
  })
})

describe('faces with many corners become fans', () => {
  const square = 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 .5 0\n'
  test('in OBJ', () => {
    expect([...read(`${square}f 1 2 3 4 5\n`, 'a.obj').triangles]).toEqual([0, 1, 2, 0, 2, 3, 0, 3, 4])
    expect(read(`${square}f 1 2\nf 1 2 3 4 5`, 'a.obj').warnings).toEqual([
      'line 6: a face with 2 corners; passed by, expected 3 or more',
    ])
  })
  test('in PLY', () => {
    const header = 'ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\n'
    const text = `${header}element face 1\nproperty list uchar uint vertex_index\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n`
    expect([...read(text, 'a.ply').triangles]).toEqual([0, 1, 2, 0, 2, 3])
  })
})

describe('COLLADA', () => {
  const bounds = ({ points }: Mesh) => {
    const column = (k: number) => [...points].filter((_, i) => i % 3 === k).map((x) => Math.round(1e9 * x) / 1e9 + 0)
    return [0, 1, 2].map((k) => [Math.min(...column(k)), Math.max(...column(k))])
  }

  test('has transforms in the order of the file, nodes in nodes, and its unit', () => {
    // the shared part: x doubled, up by 5, a quarter turn about z, 10 along x; beside it the part without the first two
    const mesh = read(daeScene, 'a.dae')
    expect(mesh.points.length).toBe(24)
    expect(bounds(mesh)).toEqual([
      [0.008, 0.01],
      [0, 0.002],
      [0, 0.008],
    ])
    expect(volumeOf(mesh)).toBeCloseTo(3e-9, 18)
  })

  test('says nothing of transforms that do not commute but their order', () => {
    const moved = (body: string) => bounds(read(daeText({ nodes: `<node>${body}<instance_geometry url="#g"/></node>` }), 'a.dae'))
    expect(moved('<translate>1 0 0</translate><scale>2 2 2</scale>')[0]).toEqual([1, 3])
    expect(moved('<scale>2 2 2</scale><translate>1 0 0</translate>')[0]).toEqual([2, 4])
    expect(moved('<rotate>1 0 0 90</rotate>').slice(1)).toEqual([
      [-3, 0],
      [0, 2],
    ])
  })

  test('keeps outside outside in a mirror', () => {
    const nodes = '<node><scale>-1 1 1</scale><instance_geometry url="#g"/></node>'
    const mesh = read(daeText({ nodes }), 'a.dae')
    expect(bounds(mesh)[0]).toEqual([-1, 0])
    expect(volumeOf(mesh)).toBeCloseTo(1, 12)
  })

  test('has its axes taken as they are unless they are to be turned', () => {
    const asset = (up: string) => daeText({ asset: `<unit/><up_axis>${up}</up_axis>` })
    for (const up of ['X_UP', 'Y_UP', 'Z_UP']) expect(pointsOf(read(asset(up), 'a.dae'))).toEqual(cornerNames)
    const applied = (up: string) => bounds(read(asset(up), 'a.dae', { upAxis: 'apply' }))
    // y becomes z, z points back to the viewer
    expect(applied('Y_UP')).toEqual([
      [0, 1],
      [-3, 0],
      [0, 2],
    ])
    expect(applied('X_UP')).toEqual([
      [-2, 0],
      [-3, 0],
      [0, 1],
    ])
    expect(applied('Z_UP')).toEqual([
      [0, 1],
      [0, 2],
      [0, 3],
    ])
    expect(volumeOf(read(asset('X_UP'), 'a.dae', { upAxis: 'apply' }))).toBeCloseTo(1, 12)
    expect(() => applied('UP')).toThrow('line 3: <up_axis> is "UP"; expected X_UP, Y_UP or Z_UP')
  })

  test('without a unit is in metres; with several assets its own counts, and that is told', () => {
    expect(pointsOf(read(daeText({ asset: '' }), 'a.dae'))).toEqual(cornerNames)
    const second = '<library_lights><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset></library_lights>'
    const mesh = read(daeText({ more: second }), 'a.dae', { upAxis: 'apply' })
    expect(pointsOf(mesh)).toEqual(cornerNames)
    expect(mesh.warnings).toHaveLength(2)
    expect(mesh.warnings.join()).toContain('a second <up_axis> that says otherwise')
  })

  test('that instances itself without end, or a power of two times, is refused', () => {
    const loop = daeText({ nodes: '<node id="a"><instance_node url="#a"/></node>' })
    expect(() => read(loop, 'a.dae')).toThrow('line 11: its nodes are nested or instanced without end')
    const level = (k: number) => `<node id="n${k}"><instance_node url="#n${k + 1}"/><instance_node url="#n${k + 1}"/></node>`
    const bomb = Array.from({ length: 40 }, (_, k) => level(k)).join('')
    expect(() => read(daeText({ nodes: `${bomb}<node id="n40"><instance_geometry url="#g"/></node>` }), 'a.dae')).toThrow(
      'instanced without end',
    )
  })

  test.each<[string, string, string]>([
    ['is no COLLADA', '<a/>', 'line 1: its root is <a>, expected <COLLADA>'],
    ['is no XML', '<a>', 'line 1: not well-formed XML'],
    [
      'has a word for a number',
      daeText({ numbers: '0 0 0 1 x' }),
      'line 5: number 5 in <float_array> is "x"; expected a finite number',
    ],
    ['has NaN', daeText({ numbers: '0 0 NaN' }), 'number 3 in <float_array> is "NaN"'],
    ['has an infinite number', daeText({ numbers: '0 0 1e999' }), 'number 3 in <float_array> is "1e999"'],
    [
      'claims too many positions',
      daeText({ accessor: '<accessor count="4000000000" stride="3"/>' }),
      'it claims 4000000000 positions, but its <float_array> holds 4',
    ],
    [
      'has a stride that is none',
      daeText({ accessor: '<accessor count="4" stride="1"/>' }),
      'the stride of positions is 1; expected 3 or more',
    ],
    [
      'has an index too large',
      primitive('triangles', p([0, 1, 4])),
      'line 7: <triangles> has vertex 4; expected one of the 4 from 0',
    ],
    ['has a negative index', primitive('triangles', p([0, 1, -1])), '<triangles> has vertex -1'],
    ['has half a triangle', primitive('triangles', p([0, 1, 2, 3])), '<triangles> with 4 corners; expected three each'],
    [
      'has too few indices',
      primitive('polylist', p([0, 1, 2]), '<vcount>3 3</vcount>'),
      '<vcount> asks for more corners than the 3 in <p>',
    ],
    [
      'has an input far away',
      primitive('triangles', p([0, 1, 2]), '<input semantic="NORMAL" offset="1000000000"/>'),
      'an input with offset 1000000000',
    ],
    [
      'has no vertices in a primitive',
      daeText({ primitives: `<triangles>${p([0, 1, 2])}</triangles>` }),
      'has no input with the semantic VERTEX',
    ],
    [
      'has a unit of nothing',
      daeText({ asset: '<unit meter="0"/>' }),
      'line 3: <unit meter="0">; expected a positive length in metres',
    ],
    [
      'has a short matrix',
      daeText({ nodes: '<node><matrix>1 2 3</matrix></node>' }),
      'line 11: <matrix> has 3 numbers; expected 16',
    ],
    [
      'has a perspective',
      daeText({ nodes: '<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 2</matrix></node>' }),
      'the last row of <matrix> is 0 0 0 2',
    ],
    ['looks at something', daeText({ nodes: '<node><lookat>0 0 0 1 1 1 0 0 1</lookat></node>' }), '<lookat> is not read'],
    ['has no geometry', daeText({ nodes: '' }), 'it holds no vertices'],
    ['has a document type', daeText().replace('<COLL', '<!DOCTYPE a>\n<COLL'), 'line 2: document types are refused'],
    [
      'has an endless tag',
      daeText().replace('id="g"', `id="${'g'.repeat(300_000)}"`),
      'line 4: a tag or section longer than 262144',
    ],
    ['has very many attributes', `<a>${`<b${' c=""'.repeat(50_000)}/>`.repeat(21)}</a>`, 'line 1: more than 1000000 attributes'],
    ['has very many references', daeText({ numbers: '&#49; '.repeat(100_001) }), 'line 5: more than 100000 character references'],
    ['has very many tags', `<a>${'<b/>'.repeat(1_000_000)}</a>`, 'line 1: more than 1000000 tags'],
  ])('that %s is refused, with its place', (_, text, message) => {
    expect(() => read(text, 'a.dae')).toThrow(MeshError)
    expect(() => read(text, 'a.dae')).toThrow(message)
  })

  test('that refers to what it does not hold is read without it, which is told', () => {
    const nodes = '<node><instance_geometry url="#g"/><instance_geometry url="#gone"/></node>'
    expect(read(daeText({ nodes }), 'a.dae').warnings).toEqual([
      'line 11: <instance_geometry> refers to "#gone", which is not in the file',
    ])
  })
})

describe('glTF', () => {
  test('finds its buffers through the callback, by the name without escapes', () => {
    const asked: string[] = []
    const mesh = read(gltfJson('the%20part.bin'), 'a.gltf', {
      read: (path) => {
        asked.push(path)
        return gltfBuffer()
      },
    })
    expect(asked).toEqual(['the part.bin'])
    expect(volumeOf(mesh)).toBeCloseTo(1, 12)
    expect(() => read(gltfJson('part.bin'), 'a.gltf')).toThrow('buffers[0].uri: "part.bin" was not found')
    expect(() => read(gltfJson('https://x.org/a.bin'), 'a.gltf', { read: () => gltfBuffer() })).toThrow(
      'expected a relative path',
    )
  })

  test('has matrices, translations, rotations and scales of nodes in nodes', () => {
    const half = Math.sqrt(0.5)
    const mesh = read(
      gltf({
        nodes: [
          { children: [1], matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1] },
          // a quarter turn about their y, our z: x goes to our y
          { mesh: 0, translation: [0, 5, 0], rotation: [0, half, 0, half], scale: [2, 1, 1] },
        ],
      }),
      'a.gltf',
    )
    expect(pointsOf(mesh)).toEqual(['10 0 5', '10 0 8', '10 2 5', '8 0 5'])
    expect(volumeOf(mesh)).toBeCloseTo(2, 12)
    const mirrored = read(gltf({ nodes: [{ mesh: 0, scale: [-1, 1, 1] }] }), 'a.gltf')
    expect(volumeOf(mirrored)).toBeCloseTo(1, 12)
  })

  test('has strides, offsets, small and normalised integers, and sparse elements', () => {
    // four positions of three signed bytes, a byte between each two, behind two bytes; then the faces in bytes
    const bytes = new Uint8Array(2 + 16 + 12 + 2 + 6)
    const signed = new Int8Array(bytes.buffer)
    for (let i = 0; i < 4; i++)
      signed.set(
        [corners[3 * i], corners[3 * i + 2], -corners[3 * i + 1]].map((x) => ((127 / 3) * x) | 0),
        2 + 4 * i,
      )
    bytes.set(faces, 18)
    // sparse: the last position, short index 3, is replaced
    bytes.set([3, 0], 30)
    signed.set([0, 127, 0], 32)
    signed.set([0, -128, 0], 5 + 10) // what is replaced
    const json = gltf(
      {
        accessors: [
          {
            bufferView: 0,
            byteOffset: 2,
            componentType: 5120,
            normalized: true,
            count: 4,
            type: 'VEC3',
            sparse: {
              count: 1,
              indices: { bufferView: 2, componentType: 5123 },
              values: { bufferView: 2, byteOffset: 2 },
            },
          },
          { bufferView: 1, componentType: 5121, count: 12, type: 'SCALAR' },
        ],
        bufferViews: [
          { buffer: 0, byteLength: 18, byteStride: 4 },
          { buffer: 0, byteOffset: 18, byteLength: 12 },
          { buffer: 0, byteOffset: 30, byteLength: 8 },
        ],
      },
      bytes,
    )
    const mesh = read(json, 'a.gltf')
    expect(pointsOf(mesh)).toEqual([
      '0 0 0',
      '0 0 1',
      `0 ${Math.round((1e9 * 84) / 127) / 1e9} 0`,
      `${Math.round((1e9 * 42) / 127) / 1e9} 0 0`,
    ])
  })

  test('has fans, and passes lines by', () => {
    const mesh = read(stripIndices(6, fan), 'a.gltf')
    expect(mesh.triangles.length).toBe(9)
    // faces through the origin add nothing to the volume about it
    expect(volumeOf(mesh)).toBeCloseTo(0, 12)
    expect(read(stripIndices(1, [0, 1]), 'a.gltf').triangles.length).toBe(0)
  })

  const accessors = (first: object, second: object = {}) => [
    { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', ...first },
    { bufferView: 1, componentType: 5123, count: 12, type: 'SCALAR', ...second },
  ]
  const notFinite = gltfBuffer()
  new DataView(notFinite.buffer).setFloat32(4, Number.NaN, true)
  test.each<[string, string, string]>([
    ['is no JSON', '{', 'its JSON cannot be read'],
    ['is no object', '[1]', 'its JSON is no object'],
    ['is glTF 1', gltf({ asset: { version: '1.0' } }), 'asset.version is "1.0"; expected "2.0"'],
    [
      'claims too many elements',
      gltf({ accessors: accessors({ count: 4e9 }) }),
      'accessors[0] takes 48000000000 bytes of bufferViews[0], which has 48',
    ],
    [
      'claims them without bytes',
      gltf({ accessors: accessors({ count: 4e9, bufferView: undefined }) }),
      'accessors[0].count: 4000000000 elements without a bufferView',
    ],
    [
      'claims a negative number',
      gltf({ accessors: accessors({ count: -1 }) }),
      'accessors[0].count is -1; expected a whole number',
    ],
    [
      'has a view beyond its buffer',
      gltf({ bufferViews: [{ buffer: 0, byteOffset: 60, byteLength: 48 }] }),
      'bufferViews[0] ends at byte 108 of a buffer with 72',
    ],
    [
      'has a stride that overlaps',
      gltf({ bufferViews: [{ buffer: 0, byteLength: 48, byteStride: 4 }] }),
      'bufferViews[0].byteStride is 4; expected at least 12',
    ],
    [
      'has an index too large',
      gltf({ accessors: accessors({ count: 3 }) }),
      'indices: number 5 is 3; expected one of the 3 vertices from 0',
    ],
    [
      'has a type that is none',
      gltf({ accessors: accessors({ componentType: 5130 }) }),
      'accessors[0].componentType is 5130; expected 5120',
    ],
    [
      'has positions of two numbers',
      gltf({ accessors: accessors({ type: 'VEC2' }) }),
      'accessors[0].type is "VEC2"; expected "VEC3"',
    ],
    ['has NaN', gltf({}, notFinite), 'accessors[0]: element 0 has NaN; expected finite numbers'],
    ['refers to nothing', gltf({ nodes: [{ mesh: 3 }] }), 'nodes[0].mesh is 3; expected one of 1, from 0'],
    ['has a cycle', gltf({ nodes: [{ children: [1] }, { children: [0] }] }), 'hangs on two parents or on itself'],
    ['has a node that is none', gltf({ nodes: [7] }), 'nodes[0] is 7; expected an object'],
    [
      'has a short matrix',
      gltf({ nodes: [{ mesh: 0, matrix: [1] }] }),
      'nodes[0].matrix is an array of 1; expected 16 finite numbers',
    ],
    ['has half a triangle', stripIndices(4, [0, 1]), '2 corners of triangles; expected three each'],
    [
      'needs Draco',
      gltf({ extensionsRequired: ['KHR_draco_mesh_compression'] }),
      'needs the extension KHR_draco_mesh_compression',
    ],
    ['has broken base64', gltfJson('data:;base64,AA*A'), 'character 15 is "*"; expected base64'],
    ['has a buffer without a place', gltfJson(undefined), 'buffers[0] has no uri, and the file has no binary chunk'],
    ['holds nothing', gltf({ nodes: [{}] }), 'it holds no vertices'],
    ['nests without end', `${'['.repeat(100_000)}`, 'its JSON cannot be read'],
    ['has very many values', `{"a":[${'0,'.repeat(600_000)}0]}`, 'its JSON has more than 500000 values'],
  ])('that %s is refused, with its place', (_, text, message) => {
    expect(() => read(text, 'a.gltf')).toThrow(MeshError)
    expect(() => read(text, 'a.gltf')).toThrow(message)
  })

  test('in a binary file that is cut short is refused', () => {
    expect(() => readMesh(glb().subarray(0, 100), 'a.glb')).toThrow('byte 8: it claims')
    const chunk = glb()
    new DataView(chunk.buffer).setUint32(12, 1e9, true)
    expect(() => readMesh(chunk, 'a.glb')).toThrow('byte 12: a chunk claims 1000000000 bytes')
    const version = glb()
    version[4] = 1
    expect(() => readMesh(version, 'a.glb')).toThrow('byte 4: glTF version 1; expected 2')
  })
})

describe('refused with their place are', () => {
  const nan = stlBinary([[0, 0, 0, 1, 0, 0, 0, Number.NaN, 0]])
  test.each<[string, string, string | Uint8Array, string]>([
    [
      'STL that is cut short',
      'a.stl',
      stlBinary(solidTriangles, '', 50_000_000),
      'byte 80: it claims 50000000 triangles, which take 2500000084 bytes, but has 284',
    ],
    ['STL that is too short', 'a.stl', new Uint8Array(10), '10 bytes are too few for an STL file'],
    ['STL without triangles', 'a.stl', stlBinary([]), 'holds no vertices'],
    ['STL with NaN', 'a.stl', nan, 'byte 120: a corner of triangle 0 is at 0 NaN 0; expected finite numbers'],
    [
      'STL with short vertices',
      'a.stl',
      'solid\nfacet\nvertex 0 0\n',
      'line 3: a vertex needs finite decimal numbers up to 1000000000; the line ends',
    ],
    ['STL with long vertices', 'a.stl', 'solid\nfacet\nvertex 0 0 0 0\n', 'line 3: a vertex has three numbers; found more, "0"'],
    ['STL with infinite vertices', 'a.stl', 'solid\nfacet\nvertex 0 0 1e999\n', 'found "1e999"'],
    [
      'STL with open facets',
      'a.stl',
      'solid\nfacet\nvertex 0 0 0\nvertex 0 0 1\nendfacet',
      'line 3: a facet with 2 vertices; expected 3',
    ],
    [
      'OBJ with a word in a vertex',
      'a.obj',
      'v 1 2 x\n',
      'line 1: a vertex needs finite decimal numbers up to 1000000000; found "x"',
    ],
    ['OBJ with a hexadecimal vertex', 'a.obj', 'v 1 2 0x10\n', 'found "0x10"'],
    ['OBJ with an index too large', 'a.obj', 'v 0 0 0\n\nf 1 1 2\n', 'line 3: a face has vertex 2, but there are 1'],
    [
      'OBJ with an index too small',
      'a.obj',
      'v 0 0 0\nf 1 1 -2\n',
      'line 2: "-2" names no vertex; expected 1 or more, or down to -1',
    ],
    ['OBJ with the index 0', 'a.obj', 'v 0 0 0\nf 0 1 1\n', 'line 2: "0" names no vertex'],
    ['OBJ without vertices', 'a.obj', '# nothing\n', 'it holds no vertices'],
    ['OBJ that is none', 'a.obj', 'hello\n'.repeat(2000), 'line 1001: more than 1000 lines that are not of this format'],
    [
      'PLY that claims too much',
      'a.ply',
      plyText.replace('vertex 4', 'vertex 4000000000'),
      'line 4: it claims 4000000000 of "vertex"',
    ],
    [
      'PLY of nothing, many times',
      'a.ply',
      'ply\nformat ascii 1.0\nelement a 4000000000\nend_header\n',
      'line 3: it claims 4000000000 of "a", at least 0 bytes each',
    ],
    ['PLY without an end of the header', 'a.ply', 'ply\nformat ascii 1.0\n', 'its header has no end_header'],
    ['PLY that is cut short', 'a.ply', plyBinary(true).subarray(0, -4), 'it is cut short'],
    [
      'PLY with an index too large',
      'a.ply',
      plyText.replace('3 1 2 3', '3 1 2 4'),
      'triangle 3 has a corner 4; expected one of the 4 vertices from 0',
    ],
    ['PLY of another kind', 'a.ply', 'PLX', 'line 1: it does not begin with "ply"'],
  ])('%s', (_, path, content, message) => {
    const bytes = typeof content === 'string' ? utf8(content) : content
    expect(() => readMesh(bytes, path)).toThrow(MeshError)
    expect(() => readMesh(bytes, path)).toThrow(message)
  })
})

test('decimal numbers are those that the language reads', () => {
  const random = createRandom(5)
  const digits = (most: number) => Array.from({ length: random.index(most) + 1 }, () => random.index(10)).join('')
  const texts = ['1', '-0', '+.5', '5.', '1e22', '1e23', '123456789012345678', '1E-5', '0.1e+2', '4.9e-324', '00012']
  for (let i = 0; i < 5000; i++) {
    const fraction = random.index(2) === 0 ? `.${digits(10)}` : ''
    const exponent = random.index(2) === 0 ? `e${['', '+', '-'][random.index(3)]}${random.index(40)}` : ''
    texts.push(['', '-', '+'][random.index(3)] + digits(12) + fraction + exponent)
  }
  for (const text of texts) expect([text, decimal(utf8(text), 0, text.length)]).toEqual([text, Number(text)])
  for (const text of ['', '-', '.', 'e5', '1e', '1e+', '0x10', '1.2.3', '1,5', 'NaN', 'Infinity', '1_000', '--1', '1 ']) {
    expect([text, decimal(utf8(text), 0, text.length)]).toEqual([text, Number.NaN])
  }
})
