/** Every format by its grammar: how an input is drawn, and how it may end. */
import { deflateRawSync, gzipSync } from 'node:zlib'
import { unpackBundle } from '../../../compare/judge/bundle.ts'
import { parseScenario } from '../../../compare/scenario/index.ts'
import { packRun, unpackRun } from '../../../compare/scenario/sharedRun.ts'
import { logOf } from '../../../compare/scenario/world/log.ts'
import { networkOf } from '../../../control/policy/open.ts'
import { loadRobot, memoryResolver, type TextFile } from '../../../robots/index.ts'
import { readMesh } from '../../../robots/meshes/index.ts'
import { mjcfVocabulary } from '../../../robots/mjcf/schema.ts'
import { sdfVocabulary } from '../../../robots/sdf/schema.ts'
import { srdfVocabulary } from '../../../robots/srdf.ts'
import { urdfVocabulary } from '../../../robots/urdf/vocabulary.ts'
import { type Bytes, block, text, whole, writeOnnx } from '../../control/policy/writeOnnx.ts'
import { type drawn, drawText, type Grammar, lines, listOf, number, oneOf, upTo } from './grammar.ts'
import { gltfJson, solidTriangles, stlBinary, utf8 } from './meshesSamples.ts'
import { loadAndMove } from './urdfLoad.ts'

type Draw = Parameters<Parameters<typeof drawn>[1]>[0]

/** So many joints, each from one of the parts before. */
const joints = (draw: Draw, parts: number, joint: (k: number, parent: number) => string) =>
  Array.from({ length: parts - 1 }, (_, k) => joint(k + 1, upTo(draw, k))).join('')
const inEach = (parts: number, one: (k: number) => string) => Array.from({ length: parts }, (_, k) => one(k)).join('')

const grammars: Readonly<Record<string, Grammar>> = {
  urdf: {
    ...{ vocabulary: urdfVocabulary, root: 'robot', words: ['revolute', 'continuous', 'fixed', 'floating', 'planar', 'spherical', 'prismatic', 'm.stl'] },
    skeleton: (draw, parts, more) =>
      inEach(parts, (k) => `<link name="part${k}">${more('link')}</link>`) +
      joints(draw, parts, (k, parent) => `<joint name="j${k}" type="${oneOf(draw, ['continuous', 'fixed', 'floating', 'spherical', 'revolute'])}"><parent link="part${parent}"/><child link="part${k}"/>${more('joint')}</joint>`),
  },
  srdf: { vocabulary: srdfVocabulary, root: 'robot', words: ['fixed', 'floating', 'planar'], skeleton: (_draw, _parts, more) => more('robot') },
  mjcf: {
    ...{ vocabulary: mjcfVocabulary, root: 'mujoco', words: ['hinge', 'slide', 'ball', 'free', 'box', 'sphere', 'capsule', 'cylinder', 'ellipsoid', 'plane', 'mesh', 'hfield', 'm.stl', 'i.xml', '2', '3'] },
    skeleton: (_draw, parts, more) =>
      `<asset><mesh name="c" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>${more('asset')}</asset><worldbody>${more('worldbody')}${inEach(parts, (k) => `<body name="part${k}"><joint name="j${k}"/><geom size="0.1"/>${more('body')}`)}${'</body>'.repeat(parts)}</worldbody>`,
  },
  sdf: {
    ...{ vocabulary: sdfVocabulary, root: 'sdf', words: ['revolute', 'fixed', 'ball', 'screw', 'universal', 'prismatic', 'm.stl', 'i.sdf', 'model://i'] },
    skeleton: (draw, parts, more) =>
      `<model name="m">${inEach(parts, (k) => `<link name="part${k}">${more('link')}</link>`)}${joints(draw, parts, (k, parent) => `<joint name="j${k}" type="${oneOf(draw, ['revolute', 'fixed', 'ball', 'prismatic', 'universal'])}"><parent>part${parent}</parent><child>part${k}</child></joint>`)}${more('model')}</model>`,
  },
} // biome-ignore format: a table

const beside = memoryResolver(
  new Map([
    ['/p/m.stl', stlBinary(solidTriangles)],
    ['/p/i.xml', utf8('<mujoco><body name="i"><geom size="1"/></body></mujoco>')],
    ['/p/i.sdf', utf8('<sdf version="1.9"><model name="i"><link name="l"/><include><uri>i.sdf</uri></include></model></sdf>')],
    ['/p/i.xacro', utf8('<robot><xacro:property name="q" value="2"/><xacro:include filename="i.xacro"/></robot>')],
  ]),
)

/** Loads a text with so many parts, each of which is in the robot, or there is a finding. */
function load(content: string, parts: number, file: string, srdf?: TextFile): string {
  const options = { file, resolver: beside, environment: {}, srdf }
  const outcome = loadAndMove(content, options)
  if (outcome !== 'Robot') return outcome
  const robot = loadRobot(content, options)
  for (let k = 0; k < parts; k++) {
    const part = `part${k}`
    if (robot.frames.some(({ name }) => name === part || name.endsWith(`::${part}`))) continue
    // models that do not move are surroundings
    if (/<static>\s*(1|true)/i.test(content)) continue
    const isFound = robot.diagnostics.some(
      ({ code, element, message }) => code === 'element-lost' || `${element} ${message}`.includes(part),
    )
    if (!isFound) throw new Error(`${part} is lost without a finding`)
  }
  return outcome
}

const markup = (format: string, file: string) => (draw: Draw) => {
  const { text: content, parts } = drawText(draw, grammars[format], upTo(draw, 3) === 0 ? 60 : 8)
  return () => load(content, parts, file)
}

function drawXacro(draw: Draw) {
  const name = () => oneOf(draw, ['p', 'q', 'm', 'a'])
  const expression = (depth = 0): string =>
    depth > 4 || upTo(draw, 1) === 0
      ? oneOf(draw, ['1', '0', 'p', 'q', "'s'", '[1,2]', 'None', 'pi', '9'.repeat(50), "{'a':1}", 'x'])
      : oneOf(draw, [() => `(${expression(depth + 1)}${oneOf(draw, ['+', '-', '*', '/', '**', '//', '%', ' and ', '<', ' in '])}${expression(depth + 1)})`, () => `${oneOf(draw, ['sin', 'str', 'int', 'len', 'range', 'max', 'list', 'float', 'sorted', 'abs', 'load_yaml'])}(${expression(depth + 1)})`, () => `[x for x in ${expression(depth + 1)}]`, () => `${expression(depth + 1)}[${expression(depth + 1)}]`, () => `'%s' % ${expression(depth + 1)}`])() // biome-ignore format: one line
  const value = () => oneOf(draw, [() => `\${${expression()}}`, () => '$(arg a)', () => '$(find p)', () => '$(env HOME)', () => '1', () => '${', () => '$$(x)'])().replaceAll('<', '&lt;') // biome-ignore format: one line
  const element = (depth: number): string => {
    const inside = depth > 3 ? '' : listOf(draw, 3, () => element(depth + 1)).join('')
    return oneOf(draw, [() => `<xacro:property name="${name()}" value="${value()}"/>`, () => `<xacro:macro name="${name()}" params="a b:=${value()} *c">${inside}</xacro:macro>`, () => `<xacro:${name()} a="${value()}">${inside}</xacro:${name()}>`, () => `<xacro:m a="1">${inside}</xacro:m>`, () => `<xacro:if value="${value()}">${inside}</xacro:if>`, () => `<xacro:include filename="${oneOf(draw, ['i.xacro', 'none.xacro', '*.xacro'])}"/>`, () => '<xacro:insert_block name="c"/>', () => `<xacro:arg name="a" default="${value()}"/>`, () => `<link name="${value()}">${inside}</link>`])() // biome-ignore format: one line
  }
  const content = `<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="base"/>${listOf(draw, 8, () => element(0)).join('')}</robot>`
  return () => loadAndMove(content, { file: '/p/r.xacro', resolver: beside, environment: {} })
}

function drawMesh(draw: Draw) {
  const count = upTo(draw, 12)
  const points = (mark: string) => lines(draw, 12, () => `${mark}${number(draw)} ${number(draw)} ${number(draw)}`)
  const index = () => (upTo(draw, 9) === 0 ? upTo(draw, 14) - 2 : 1 + upTo(draw, 3))
  const [name, content] = oneOf(draw, [
    () => ['m.obj', `v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n${upTo(draw, 1) === 0 ? points('v ') : ''}\n${lines(draw, 6, () => `f ${listOf(draw, 9, () => `${index()}${oneOf(draw, ['', '/1', '//2', '/'])}`).join(' ')}`)}\n`] as const,
    () => ['m.ply', `ply\nformat ascii 1.0\nelement vertex ${count}\n${lines(draw, 5, () => `property ${oneOf(draw, ['float', 'list uchar int', 'double', 'x'])} ${oneOf(draw, ['x', 'y', 'z', 'vertex_indices'])}`)}\nelement face ${upTo(draw, 4)}\nproperty list uchar int vertex_indices\nend_header\n${points('')}\n3 0 1 2\n`] as const,
    () => ['m.stl', `solid x\n${lines(draw, 4, () => `facet normal 0 0 1\nouter loop\n${points('vertex ')}\nendloop\nendfacet`)}\nendsolid`] as const,
    () => ['m.gltf', gltfJson(undefined, { nodes: listOf(draw, 4, () => ({ mesh: index(), children: listOf(draw, 3, index), scale: [1, index(), 1] })), accessors: listOf(draw, 3, () => ({ bufferView: index(), componentType: 5120 + upTo(draw, 6), count: 4 * index(), type: oneOf(draw, ['VEC3', 'SCALAR', 'VEC9']) })) })] as const,
    () => ['m.dae', `<COLLADA><asset><unit meter="${number(draw)}"/></asset><library_geometries><geometry id="g"><mesh><source id="s"><float_array id="a" count="${index()}">${points('')}</float_array><technique_common><accessor source="#a" count="${index()}" stride="${index()}"/></technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices><${oneOf(draw, ['triangles', 'polylist', 'tristrips'])} count="${index()}"><input semantic="VERTEX" source="#v" offset="${index()}"/><vcount>${index()}</vcount><p>${points('')}</p></${'triangles'}></mesh></geometry></library_geometries></COLLADA>`] as const,
    () => ['m.msh', String.fromCharCode(...listOf(draw, 200, () => upTo(draw, 255)))] as const,
  ])() // biome-ignore format: a table
  return () => {
    readMesh(utf8(content), name)
    return 'Mesh'
  }
}

function drawOnnx(draw: Draw) {
  const value = () => oneOf(draw, ['x', 'y', 'v0', 'v1', 'w', '', 'z'])
  const length = () => (upTo(draw, 12) === 0 ? oneOf(draw, [0, 1000, 2 ** 31, 2 ** 53]) : 4)
  const tensor = (): Bytes => [...listOf(draw, 3, () => whole(1, length())).flat(), ...whole(2, upTo(draw, 12)), ...text(8, value()), ...listOf(draw, 4, () => oneOf(draw, [() => block(4, [0, 0, 128, 63]), () => whole(5, length()), () => whole(7, length()), () => block(9, listOf(draw, 16, () => upTo(draw, 255)))])()).flat()] // biome-ignore format: one line
  const operators =
    'Gemm MatMul Add Sub Mul Div Relu LeakyRelu Elu Tanh Sigmoid Softplus Clip Identity Dropout Cast Flatten Reshape Squeeze Unsqueeze Transpose Slice Concat LSTM GRU Constant'.split(
      ' ',
    )
  const names = ['axis', 'axes', 'to', 'perm', 'transB', 'alpha', 'value', 'direction', 'starts', 'ends']
  const nodes = listOf(draw, 6, (k) => ({
    op: oneOf(draw, upTo(draw, 1) === 0 ? ['Relu', 'Tanh', 'Add', 'Mul', 'Identity', 'Transpose'] : operators),
    inputs: ['x', ...listOf(draw, 3, value)],
    outputs: [upTo(draw, 2) === 0 ? 'y' : `v${k}`],
    attributes: Object.fromEntries(listOf(draw, 3, () => [oneOf(draw, names), oneOf(draw, [-1, 0, 1, 2, 7, 'reverse', [0, 1], [1, 0], [-1], []])] as const)), // biome-ignore format: one line
  }))
  nodes.push({ op: 'Identity', inputs: ['x'], outputs: ['y'], attributes: {} })
  const four: Bytes = [...whole(1, 4), ...whole(2, 1), ...text(8, 'w'), ...block(4, new Array(16).fill(1))]
  const weights = oneOf(draw, [[], four, tensor()])
  const more = weights.length === 0 ? [] : block(5, weights)
  const bytes = writeOnnx(
    { nodes, inputs: { x: listOf(draw, 3, length) }, outputs: { y: [1] } },
    upTo(draw, 9) === 0 ? 5 + upTo(draw, 24) : 17,
    more,
  )
  if (upTo(draw, 9) === 0) bytes[upTo(draw, bytes.length - 1)] = upTo(draw, 255)
  return () => {
    networkOf(bytes, 'f.onnx').run()
    return 'Network'
  }
}

const fieldNames =
  'robot robots duration dt models bodies obstacles ground seed start gravity controller controllers terrain sweep limits physical contacts materials sensors companions actions loops tags target medium name base shape size mass position type file options box'.split(
    ' ',
  )
function drawScenario(draw: Draw) {
  const value = (depth: number): string => {
    const kind = upTo(draw, depth > 3 ? 1 : 3)
    if (kind === 0) return number(draw) === '' ? '""' : JSON.stringify(number(draw))
    if (kind === 1)
      return oneOf(draw, [
        'diffdrive',
        'penalty',
        '1 m',
        '2*pi',
        'sin(t)',
        '&a 1',
        '*a',
        '1e999',
        'null',
        '"1 furlong"',
        'box',
        '-1',
        '0.1',
        '~',
        '!!x 1',
      ])
    if (kind === 2) return `[${listOf(draw, 4, () => value(depth + 1)).join(', ')}]`
    return `{${listOf(draw, 4, () => `${oneOf(draw, fieldNames)}: ${value(depth + 1)}`).join(', ')}}`
  }
  const content = `robot: diffdrive\nduration: 1\n${lines(draw, 6, () => `${oneOf(draw, fieldNames)}: ${value(0)}`)}\n`
  return async () => {
    await parseScenario(content, 'f.yaml')
    return 'Scenario'
  }
}

/** A link, a bundle or neither, whole or changed. */
function drawPacked(draw: Draw) {
  const json = (depth: number): unknown => {
    const kind = upTo(draw, depth > 3 ? 2 : 4)
    if (kind === 0) return oneOf(draw, [0, 1, -1, 1e300, null, true])
    if (kind === 1) return oneOf(draw, ['', 'a', 'QUJD', '\ud800', '../x', 'x'.repeat(1000)])
    if (kind === 2) return []
    if (kind === 3) return listOf(draw, 4, () => json(depth + 1))
    return Object.fromEntries(listOf(draw, 4, () => [oneOf(draw, ['version', 'settings', 'files', 'driven', '__proto__', 'scenarios', 'ends', 'missing', 'name', 'size']), json(depth + 1)])) // biome-ignore format: one line
  }
  const content = JSON.stringify(oneOf(draw, [() => ({ version: 1, settings: json(0), files: json(0) }), () => ({ version: 1, scenarios: json(0), ends: json(0), missing: json(0), files: json(0) }), () => json(0)])()) // biome-ignore format: one line
  const packed = deflateRawSync(content).toString('base64url')
  const at = upTo(draw, packed.length)
  const changed = upTo(draw, 2) === 0 ? packed.slice(0, at) + oneOf(draw, ['', 'A', '%', 'zz']) + packed.slice(at + 1) : packed
  const isLink = upTo(draw, 1) === 0
  const length = Buffer.alloc(4)
  length.writeUInt32LE(upTo(draw, 9) === 0 ? upTo(draw, 2 ** 31 - 1) : Buffer.byteLength(content))
  const bundle = gzipSync(Buffer.concat([length, Buffer.from(content)])).toString('base64')
  return async () => {
    if (!isLink) return unpackBundle(bundle) ? 'Bundle' : ''
    const run = await unpackRun(`#run=${changed}`)
    if (run !== undefined && !(run.files instanceof Map)) throw new TypeError('no files')
    return 'Link'
  }
}

/** Links that the page makes come back as they were. */
function drawLink(draw: Draw) {
  const files = new Map(listOf(draw, 3, (k) => [`f${k}`, Uint8Array.from(listOf(draw, 50, () => upTo(draw, 255)))] as const))
  const settings = { a: number(draw), b: listOf(draw, 3, () => upTo(draw, 9)) }
  return async () => {
    const run = await unpackRun(await packRun({ settings, files }))
    if (JSON.stringify([...(run?.files ?? [])]) !== JSON.stringify([...files])) throw new TypeError('other files')
    return 'Link'
  }
}

const drawLog = (draw: Draw) => {
  const content = lines(draw, 8, () =>
    oneOf(draw, [() => listOf(draw, 4, () => number(draw)).join(','), () => '{"a": 1}', () => '"a,b', () => 't,x'])(),
  )
  const file = oneOf(draw, ['l.csv', 'l.jsonl'])
  return () => {
    logOf(file, content)
    return 'Log'
  }
}

const drawSrdf = (draw: Draw) => {
  const links = ['a', 'part0', 'part1', 'part2'].map(
    (name, i) =>
      `<link name="${name}"/>${i === 0 ? '' : `<joint name="${name}" type="fixed"><parent link="a"/><child link="${name}"/></joint>`}`,
  )
  const { text: content } = drawText(draw, grammars.srdf, 40)
  return () => load(`<robot name="r">${links.join('')}</robot>`, 0, '/p/r.urdf', { text: content, file: '/p/r.srdf' })
}

/** Inputs by their format: drawn first, then read. */
export const formats: Readonly<Record<string, (draw: Draw) => () => string | Promise<string>>> = {
  urdf: markup('urdf', '/p/r.urdf'),
  mjcf: markup('mjcf', '/p/r.xml'),
  sdf: markup('sdf', '/p/r.sdf'),
  srdf: drawSrdf,
  xacro: drawXacro,
  mesh: drawMesh,
  onnx: drawOnnx,
  scenario: drawScenario,
  packed: drawPacked,
  link: drawLink,
  log: drawLog,
}

/** Errors that readers document. */
export const documented = /^(RobotError|MeshError|ControllerError|ScenarioError|BundleError)$/
export const isLinkError = (error: Error) => error.name === 'Error' && error.message.startsWith('The link was cut off or changed')
