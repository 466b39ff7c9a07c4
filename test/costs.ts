/** Inputs of about so many bytes that hold as many elements of one kind as they can, and their readers. */
import { gzipSync } from 'node:zlib'
import { parsePair } from '../compare/inspect/pairFile.ts'
import { parseProblem } from '../compare/inspect/problemFile.ts'
import { unpackBundle } from '../compare/judge/bundle.ts'
import { parseCheckpoint } from '../compare/recording/checkpointFile.ts'
import { parseScenario } from '../compare/scenario/index.ts'
import { packRun, unpackRun } from '../compare/scenario/sharedRun.ts'
import { logOf } from '../compare/scenario/world/log.ts'
import { networkOf } from '../control/policy/open.ts'
import { loadRobot, memoryResolver } from '../robots/index.ts'
import { readMesh } from '../robots/meshes/index.ts'
import { type Bytes, block, text, type WrittenNode, whole, writeOnnx } from './control/policy/writeOnnx.ts'
import { daeText, gltfJson, utf8 } from './robots/fuzz/meshesSamples.ts'

export interface Costly {
  readonly bytes: number
  readonly read: () => unknown
}
type Make = (size: number) => Costly | Promise<Costly>

/** The text of an element for 0, 1, 2, ..., up to a size. */
function many(size: number, element: (i: number) => string): string {
  const parts: string[] = []
  for (let length = 0; length < size; length += parts.at(-1)!.length) parts.push(element(parts.length))
  return parts.join('')
}

const filesOf = (files: Readonly<Record<string, string>>) =>
  memoryResolver(new Map(Object.entries(files).map(([path, text]) => [path, utf8(text)])))

export function robot(text: string, file: string, files: Readonly<Record<string, string>> = {}, options = {}): Costly {
  const bytes = Object.values(files).reduce((sum, { length }) => sum + length, text.length)
  return { bytes, read: () => loadRobot(text, { file, environment: {}, resolver: filesOf(files), ...options }) }
}
const solid = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
const base = `<link name="a">${solid}</link>`
const urdf = (inside: string) => robot(`<robot name="r">${inside}</robot>`, '/p/r.urdf')
const xacro = (inside: string, files = {}) =>
  robot(`<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">${base}${inside}</robot>`, '/p/r.xacro', files)
const body = '<body name="b"><freejoint/><geom name="g" size=".1"/></body>'
const mjcf = (inside: string, world = body) => robot(`<mujoco>${inside}<worldbody>${world}</worldbody></mujoco>`, '/p/r.xml')
const sdf = (inside: string, files = {}) => robot(`<sdf version="1.9">${inside}</sdf>`, '/p/r.sdf', files)
const srdf = (inside: string): Costly => {
  const links = Array.from(
    { length: 20 },
    (_, i) => `<link name="l${i}"/><joint name="j${i}" type="fixed"><parent link="a"/><child link="l${i}"/></joint>`,
  )
  const text = `<robot name="r">${inside}</robot>`
  const { read } = robot(
    `<robot name="r">${base}${links.join('')}</robot>`,
    '/p/r.urdf',
    {},
    { srdf: { text, file: '/p/r.srdf' } },
  )
  return { bytes: text.length, read }
}
const mesh = (content: string | Uint8Array, name: string): Costly => {
  const bytes = typeof content === 'string' ? utf8(content) : content
  return { bytes: bytes.length, read: () => readMesh(bytes, name) }
}
const onnx = (
  more: Bytes,
  nodes: readonly WrittenNode[] = [{ op: 'Identity', inputs: ['x'], outputs: ['y'] }],
  shape = [1, 4],
): Costly => {
  const bytes = writeOnnx({ nodes, inputs: { x: shape }, outputs: { y: shape } }, 17, more)
  return { bytes: bytes.length, read: () => networkOf(bytes, 'f.onnx') }
}
const tensor = (shape: readonly number[], data: Bytes) =>
  block(5, [...shape.flatMap((length) => whole(1, length)), ...whole(2, 1), ...text(8, 'w'), ...data])
const scenario = (text: string): Costly => ({
  bytes: text.length,
  read: () => parseScenario(`robot: diffdrive\nduration: 1\n${text}`, 's.yaml'),
})
const times = <T>(count: number, entry: (i: number) => T): T[] => Array.from({ length: Math.floor(count) }, (_, i) => entry(i))
const polygon = (n: number) =>
  `${times(n, (i) => `v ${((1 + (i % 2)) * Math.cos((6.283 * i) / n)).toFixed(6)} ${((1 + (i % 2)) * Math.sin((6.283 * i) / n)).toFixed(6)} 0\n`).join('')}f ${times(n, (i) => i + 1).join(' ')}\n`
const ball = (i: number) => {
  const [z, a] = [((i * 0.618034) % 2) - 1, i * 2.399963]
  return `v ${(Math.sqrt(1 - z * z) * Math.cos(a)).toFixed(5)} ${(Math.sqrt(1 - z * z) * Math.sin(a)).toFixed(5)} ${z.toFixed(5)}\n`
}
const meshLink = (i: number, name: string, scale = '1 1 1') =>
  `<link name="m${i}">${solid}<collision><geometry><mesh filename="${name}" scale="${scale}"/></geometry></collision></link><joint name="j${i}" type="continuous"><origin xyz="${3 * i} 0 0"/><parent link="a"/><child link="m${i}"/></joint>`
const scaledMesh = (count: number, points: number) =>
  robot(
    `<robot name="r">${base}${times(count, (i) => meshLink(i, 'm.obj', `${1 + i / 1000} 1 1`)).join('')}</robot>`,
    '/p/r.urdf',
    { '/p/m.obj': times(points, ball).join('') },
  )

/** Formats that state what they hold. */
export const stated: Readonly<Record<string, Make>> = {
  'URDF: links': (s) => urdf(base + many(s, (i) => `<link name="l${i}"/><joint name="j${i}" type="fixed"><parent link="a"/><child link="l${i}"/></joint>`)),
  'URDF: links in a chain': (s) => urdf(base + many(s, (i) => `<link name="l${i}"/><joint name="j${i}" type="fixed"><parent link="${i === 0 ? 'a' : `l${i - 1}`}"/><child link="l${i}"/></joint>`)),
  'URDF: elements that are misspelt': (s) => urdf(base + many(s, () => '<linkk/>')),
  'URDF: collisions': (s) => urdf(`<link name="a">${solid}${many(s, () => '<collision><geometry><box size="1 1 1"/></geometry></collision>')}</link>`),
  'URDF: visuals with materials': (s) => urdf(`<link name="a">${solid}${many(s, (i) => `<visual><geometry><sphere radius="1"/></geometry><material name="m${i}"/></visual>`)}</link>`),
  'URDF: transmissions': (s) => urdf(base + many(s, (i) => `<transmission name="t${i}"><type>x</type><joint name="j${i}"/><actuator name="a${i}"/></transmission>`)),
  'URDF: digits': (s) => urdf(`<link name="a"><inertial><mass value="${'1'.repeat(s)}x"/></inertial></link>`),
  'xacro: properties': (s) => xacro(many(s, (i) => `<xacro:property name="p${i}" value="\${${i}+1}"/>`)),
  'xacro: names that are not defined': (s) => xacro(many(s, (i) => `<x a="\${z${i}}"/>`)),
  'xacro: calls of macros': (s) => xacro(`<xacro:macro name="m" params="a b:=1"><x c="\${a}"/></xacro:macro>${many(s, (i) => `<xacro:m a="${i}"/>`)}`),
  'SRDF: pairs': (s) => srdf(many(s, (i) => `<disable_collisions link1="l${i % 20}" link2="l${(7 * i) % 20}"/>`)),
  'SRDF: links that collide with none': (s) => srdf(many(s, (i) => `<disable_default_collisions link="l${i % 20}"/>`)),
  'MJCF: geoms of the world': (s) => mjcf('', body + many(s, () => '<geom size=".1"/>')),
  'MJCF: elements that are unknown': (s) => mjcf(many(s, () => '<assett/>')),
  'MJCF: classes': (s) => mjcf(`<default><geom/><joint/>${many(s, (i) => `<default class="c${i}"/>`)}</default>`),
  'MJCF: names that are not there': (s) => mjcf(`<sensor>${many(s, (i) => `<framepos objtype="body" objname="z${i}"/>`)}</sensor>`),
  'MJCF: a mesh and its geoms': (s) => mjcf(`<asset><mesh name="m" vertex="${times(s / 400, (i) => ball(i).slice(2)).join(' ')}"/></asset>`, `<body><freejoint/>${many(s / 2, () => '<geom type="mesh" mesh="m"/>')}</body>`),
  'SDF: models': (s) => sdf(`<world name="w">${many(s, (i) => `<model name="m${i}"><static>1</static><link name="l"/></model>`)}</world>`),
  'SDF: frames in a chain': (s) => sdf(`<model name="m"><link name="a"/><frame name="f0"/>${many(s, (i) => `<frame name="f${i + 1}" attached_to="f${i}"><pose relative_to="f${i}">1 0 0 0 0 0</pose></frame>`)}</model>`),
  'SDF: frames that are not there': (s) => sdf(`<model name="m"><link name="a"/>${many(s, (i) => `<frame name="f${i}"><pose relative_to="f${i + 1}"/></frame>`)}</model>`),
  'OBJ: points': (s) => mesh(many(s, ball), 'm.obj'),
  'OBJ: faces': (s) => mesh(`v 0 0 0\nv 1 0 0\nv 0 1 0\n${many(s, () => 'f 1 2 3\n')}`, 'm.obj'),
  'OBJ: a face of many corners': (s) => mesh(polygon(1 + s / 8), 'm.obj'),
  'STL': (s) => mesh(`solid x\n${many(s, (i) => `facet normal 0 0 0\nouter loop\nvertex 0 0 ${i}\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n`)}`, 'm.stl'),
  'PLY': (s) => mesh(`ply\nformat ascii 1.0\nelement vertex ${Math.floor(s / 6)}\nproperty float x\nproperty float y\nproperty float z\nend_header\n${'1 2 3\n'.repeat(Math.floor(s / 6))}`, 'm.ply'),
  'COLLADA: triangles': (s) => mesh(daeText({ more: '', primitives: many(s, () => '<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>') }), 'm.dae'),
  'glTF: nodes': (s) => mesh(gltfJson(undefined, { nodes: times(s / 12, () => ({ mesh: 0 })), scenes: [{ nodes: times(s / 12, (i) => i) }] }), 'm.gltf'),
  'a mesh with its hull': (s) => robot(`<robot name="r"><link name="a">${solid}<collision><geometry><mesh filename="m.obj"/></geometry></collision></link></robot>`, '/p/r.urdf', { '/p/m.obj': many(s / 2, ball) }),
  'a mesh at many scales': (s) => scaledMesh(s / 300, 60),
  'ONNX: weights one by one': (s) => onnx(tensor([Math.floor(s / 6)], times(s / 6, () => block(4, [0, 0, 0, 0])).flat())),
  'ONNX: whole weights one by one': (s) => onnx(tensor([Math.floor(s / 2)], times(s / 2, () => whole(5, 1)).flat())),
  'ONNX: operators': (s) => onnx([], [...times(s / 25, (i) => ({ op: 'Identity', inputs: [i === 0 ? 'x' : `v${i - 1}`], outputs: [`v${i}`] })), { op: 'Identity', inputs: ['x'], outputs: ['y'] }]),
  'ONNX: dimensions': (s) => onnx(tensor(times(s / 2, () => 1), block(4, [0, 0, 0, 0]))),
  'scenario: unknown fields': (s) => scenario(many(s, (i) => `k${i}: 1\n`)),
  'scenario: bodies': (s) => scenario(`bodies:\n${many(s, () => '  - {shape: {type: box, size: [1, 1, 1]}, mass: 1, position: [0, 0, 1]}\n')}`),
  'scenario: a number of many digits': (s) => scenario(`dt: "${'1'.repeat(s)} "\nseed: "${'1'.repeat(s)}x"\n`),
  'scenario: aliases': (s) => scenario(`x: &x 1\n${many(s, (i) => `k${i}: *x\n`)}`),
  'log': (s) => ({ bytes: s, read: () => logOf('log.csv', `t,x\n${many(s, (i) => `${i},1\n`)}`) }),
  'problem': (s) => ({ bytes: s, read: () => parseProblem(JSON.stringify({ kind: 'lcp', q: times(s / 2, () => 1) }), 'p.json') }),
  'pair': (s) => ({ bytes: s, read: () => parsePair(JSON.stringify({ a: times(s / 2, () => 1) }), 'p.json', () => { throw new Error('none') }) }),
  'checkpoint': (s) => ({ bytes: s, read: () => parseCheckpoint(JSON.stringify({ state: times(s / 2, () => 1) }), 'c.json') }),
  'link': async (s) => { const link = await packRun({ settings: { list: times(s, (i) => (i * 7919) % 10007) }, files: new Map() }); return { bytes: link.length, read: () => unpackRun(link) } },
} // biome-ignore format: a table

/** Formats that generate: a few bytes stand for any number of elements. Each with the error that names the limit. */
export const generating: Readonly<Record<string, readonly [Make, RegExp]>> = {
  'xacro: macros in macros': [() => xacro(`<xacro:macro name="m0" params=""><x/></xacro:macro>${times(30, (i) => `<xacro:macro name="m${i + 1}" params=""><xacro:m${i}/><xacro:m${i}/></xacro:macro>`).join('')}<xacro:m30/>`), /exceeds 200000 elements/],
  'xacro: parameters times calls': [(s) => xacro(`<xacro:macro name="m" params="${many(s, (i) => ` a${i}:=1`)}"><x/></xacro:macro>${many(s, () => '<xacro:m/>')}`), /more than 2000000 steps/],
  'MJCF: copies of copies': [() => mjcf('', `${body}<replicate count="900"><geom size=".1"/>${'<site/>'.repeat(300)}</replicate>`), /more than 200000 elements/],
  'MJCF: attributes of a class': [(s) => mjcf(`<default><geom ${times(900, (i) => `a${i}="1"`).join(' ')}/></default>`, body + many(5 * s, () => '<geom size=".1"/>')), /more than 2000000 attributes/],
  'MJCF: height fields': [() => mjcf(`<asset>${times(50, (i) => `<hfield name="h${i}" nrow="1000" ncol="1000" size="1 1 1 1"/>`).join('')}</asset>`), /more than 4000000 points/],
  'SDF: includes of includes': [() => sdf(`<world name="w">${times(30, (i) => `<include><name>n${i}</name><uri>m.sdf</uri></include>`).join('')}</world>`, { '/p/m.sdf': `<sdf version="1.9"><model name="m">${times(30, (i) => `<include><name>n${i}</name><uri>k.sdf</uri></include>`).join('')}</model></sdf>`, '/p/k.sdf': `<sdf version="1.9"><model name="k">${times(100, (i) => `<link name="l${i}"/>`).join('')}</model></sdf>` }), /90000 links; at most 1000/],
  'COLLADA: instances of instances': [() => mesh(daeText({ nodes: '<node><instance_node url="#n0"/></node>', more: `<library_nodes>${times(40, (i) => `<node id="n${i}"><instance_node url="#n${i + 1}"/><instance_node url="#n${i + 1}"/></node>`).join('')}<node id="n40"><instance_geometry url="#g"/></node></library_nodes>` }), 'm.dae'), /without end/],
  'ONNX: an input of a billion numbers': [() => onnx([], undefined, [1, 1e9]), /a tensor of 1000000000 numbers; at most 10000000/],
  'ONNX: sums of all with all': [() => onnx([], [{ op: 'Transpose', inputs: ['x'], outputs: ['z'] }, { op: 'Add', inputs: ['x', 'z'], outputs: ['y'] }], [1, 3000]), /a?tensor of 9000000 numbers|more than 2000000 numbers between operators/],
  'scenario: aliases of aliases': [() => scenario('a: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]\n'), /at most 50 aliases/],
  'scenario: fields of heights by a formula': [() => scenario(`obstacles:\n${times(100, () => '  - {type: heightfield, heights: "sin(x)", size: [1, 1], spacing: 4 mm, position: [0, 0, 0]}').join('\n')}\n`), /make 6300100 grid points/],
  'scenario: formulas': [() => scenario(`dt: [${times(30_000, (i) => `"${i}+1 ms"`).join(',')}]\n`), /more than the 20000 texts/],
  'link: zeros': [async () => { const link = await packRun({ settings: '0'.repeat(40_000_000), files: new Map() }); return { bytes: link.length, read: () => unpackRun(link) } }, /unpacks to more than/],
  'bundle: zeros': [() => { const text = gzipSync(Buffer.alloc(40_000_000)).toString('base64'); return { bytes: text.length, read: () => unpackBundle(text) } }, /unpacks to more than/],
} // biome-ignore format: a table
