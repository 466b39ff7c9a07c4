/** Run by meshes.test.ts in a process of its own: FORMAT COUNT. An input is named by its format and its seed. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRandom } from '../../../dynamics/index.ts'
import { MeshError, readMesh } from '../../../robots/meshes/index.ts'
import {
  daeScene,
  daeText,
  dataUri,
  glb,
  gltfBuffer,
  gltfJson,
  objText,
  plyBinary,
  plyText,
  solidTriangles,
  stlBinary,
  stlText,
  utf8,
} from './meshesSamples.ts'
import { mutate } from './mutate.ts'
import { tryInputs } from './tryInputs.ts'

interface Kind {
  readonly samples: readonly Sample[]
  /** Words of the format. */
  readonly dictionary: readonly string[]
  /** Of small real files, in the folder that FEATHERBED_ROBOTS names. */
  readonly real: readonly string[]
}

interface Sample {
  readonly path: string
  readonly bytes: Uint8Array
}

const gltfSample = gltfJson(dataUri(gltfBuffer()), {
  nodes: [
    { children: [1], translation: [1, 0, 0] },
    { mesh: 0, rotation: [0, 0, 0, 1] },
  ],
})

const kinds: Readonly<Record<string, Kind>> = {
  stl: {
    samples: [
      { path: 'a.stl', bytes: stlBinary(solidTriangles, 'solid sample') },
      { path: 'a.stl', bytes: utf8(stlText()) },
    ],
    dictionary: ['solid', 'facet normal', 'outer loop', 'vertex', 'endloop', 'endfacet', 'endsolid', '\n', '\r', '\0'],
    real: [
      'panda/example-robot-data/robots/panda_description/meshes/collision/finger.stl',
      'simple_humanoid/example-robot-data/robots/simple_humanoid_description/meshes/box.stl',
    ],
  },
  obj: {
    samples: [{ path: 'a.obj', bytes: utf8(objText) }],
    dictionary: [
      'v ',
      'f ',
      '\nf 1 2 3',
      '\nv ',
      '/',
      '//',
      '\\\n',
      '\\',
      '#',
      'vt',
      'vn',
      'g',
      'usemtl',
      'l 1 2',
      '1/1/1',
      '-1',
    ],
    real: [
      'iiwa14/drake_models/iiwa_description/meshes/iiwa14/collision/link_7_polytope.obj',
      'atlas/drake_models/atlas/meshes/l_foot_chull.obj',
    ],
  },
  dae: {
    samples: [
      { path: 'a.dae', bytes: utf8(daeText()) },
      { path: 'a.dae', bytes: utf8(daeScene) },
    ],
    dictionary: [
      '<node>',
      '</node>',
      '<node id="outer">',
      '<instance_node url="#outer"/>',
      '<instance_node url="#shared"/>',
      '<instance_geometry url="#g"/>',
      '<matrix>',
      '<p>',
      '<ph>',
      '<vcount>',
      '<triangles>',
      '<polylist>',
      '<polygons>',
      '<trifans>',
      '<tristrips>',
      '<float_array>',
      '<accessor count="4" stride="3"/>',
      '<input semantic="VERTEX" source="#v" offset="1"/>',
      'offset="',
      'stride="',
      'count="',
      'meter="',
      '<up_axis>X_UP</up_axis>',
      '<!DOCTYPE x [<!ENTITY a "b">]>',
      '&a;',
      '&#0;',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '<?',
      '<',
      '>',
      '"',
      '#g',
      '#s',
      '#v',
      'constructor',
      '__proto__',
    ],
    real: [
      'husky/husky_description/meshes/top_plate.dae',
      'robotiq_2f_85/robotiq_2f_85_gripper_visualization/meshes/visual/robotiq_arg2f_85_pad.dae',
    ],
  },
  gltf: {
    samples: [
      { path: 'a.gltf', bytes: utf8(gltfSample) },
      { path: 'a.gltf', bytes: utf8(JSON.stringify(JSON.parse(gltfSample), undefined, 1)) },
      { path: 'a.glb', bytes: glb() },
    ],
    dictionary: [
      '"nodes":[0]',
      '"children":[0]',
      '"mesh":0',
      '"byteStride":',
      '"byteOffset":',
      '"count":',
      '"sparse":{"count":1,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":0}}',
      '"mode":5',
      '"normalized":true',
      '"__proto__":{}',
      '"constructor"',
      '[',
      ']',
      '{',
      '}',
      ',',
      'null',
      'true',
      '"a"',
      '[[',
      '5120',
      '5121',
      '5125',
      '"SCALAR"',
      '"VEC3"',
      'data:;base64,',
      '=',
      '%',
      '"uri":"a.bin"',
    ],
    real: ['atlas/drake_models/atlas/meshes/GRIPPER_OPEN_chull.gltf'],
  },
  ply: {
    samples: [
      { path: 'a.ply', bytes: utf8(plyText) },
      { path: 'a.ply', bytes: plyBinary(true) },
    ],
    dictionary: [
      'element vertex 9\n',
      'element face 9\n',
      'property list uchar int ',
      'property double x\n',
      'end_header\n',
      'ascii',
    ],
    real: [],
  },
}

const [format, count] = process.argv.slice(2)
const kind = kinds[format]
const samples = [...kind.samples]
const folder = process.env.FEATHERBED_ROBOTS
for (const name of folder === undefined ? [] : kind.real) {
  const path = join(folder!, name)
  if (existsSync(path)) samples.push({ path, bytes: readFileSync(path) })
}

/** What a glTF file refers to, damaged in every second input. */
function readBeside(path: string, seed: number): (name: string) => Uint8Array | undefined {
  return (name) => {
    if (name.includes('/') || name.includes('\0')) return undefined
    const file = join(dirname(path), name)
    const bytes = path.startsWith('a.') ? gltfBuffer() : existsSync(file) ? readFileSync(file) : undefined
    return bytes && seed % 2 === 0 ? mutate(createRandom(seed + 1_000_000), bytes, []) : bytes
  }
}

function attempt(name: string): string {
  const seed = Number(name.split(' ')[1])
  const { path, bytes } = samples[seed % samples.length]
  const mutant = mutate(createRandom(seed), bytes, kind.dictionary)
  try {
    const upAxis = seed % 3 === 0 ? 'apply' : 'ignore'
    const { points, triangles } = readMesh(mutant, path, { upAxis, read: readBeside(path, seed) })
    if (points.length === 0 || points.length % 3 !== 0 || !points.every(Number.isFinite)) throw new Error('points that are none')
    if (triangles.length % 3 !== 0 || triangles.some((corner) => 3 * corner >= points.length)) throw new Error('stray triangles')
    return 'mesh'
  } catch (error) {
    if (error instanceof MeshError && error.message.length < 1000) return 'MeshError'
    throw error
  }
}

await tryInputs(
  Array.from({ length: Number(count) }, (_, seed) => `${format} ${seed}`),
  attempt,
)
