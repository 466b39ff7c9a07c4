/** One solid in every mesh format: corners at the origin and at 1, 2 and 3 along the axes, volume 1. */

export const corners = [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3] as const
/** Anticlockwise from outside. */
export const faces = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3] as const
/** The same surface as one strip of triangles. */
export const strip = [0, 2, 1, 3, 0, 2] as const
/** The three faces around the origin as a fan. */
export const fan = [0, 2, 1, 3, 2] as const

const encoder = new TextEncoder()

export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** @param triangles nine coordinates each */
export function stlBinary(triangles: readonly (readonly number[])[], header = '', claimed = triangles.length): Uint8Array {
  const bytes = new Uint8Array(84 + 50 * triangles.length)
  bytes.set(utf8(header))
  const view = new DataView(bytes.buffer)
  view.setUint32(80, claimed, true)
  for (const [i, triangle] of triangles.entries()) {
    for (const [k, value] of triangle.entries()) view.setFloat32(84 + 50 * i + 12 + 4 * k, value, true)
  }
  return bytes
}

export const solidTriangles: readonly (readonly number[])[] = [0, 3, 6, 9].map((at) =>
  faces.slice(at, at + 3).flatMap((corner) => corners.slice(3 * corner, 3 * corner + 3)),
)

export function stlText(triangles: readonly (readonly number[])[] = solidTriangles): string {
  const facet = (t: readonly number[]) =>
    `  facet normal 0 0 0\n    outer loop\n${[0, 3, 6]
      .map((k) => `      vertex ${t.slice(k, k + 3).join(' ')}\n`)
      .join('')}    endloop\n  endfacet\n`
  return `solid sample\n${triangles.map(facet).join('')}endsolid sample\n`
}

export const objText = `# a comment
mtllib none.mtl
o sample
v 0 0 0
v 1.0 0 0 1.0
v 0 2e0 0 0.5 0.5 0.5
v 0 0 3
vn 0 0 1
vt 0 0
g sides
f 1/1/1 3/1/1 2/1/1
f 1//1 2//1 4//1
usemtl none
f -4 -1 \\
 -2
f 2/1 3/1 4/1
`

/**
 * A COLLADA document around primitives of the sample solid.
 *
 * @param nodes  inside the visual scene
 * @param asset  inside the asset
 */
export function daeText({
  primitives = `<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>${faces.join(' ')}</p></triangles>`,
  nodes = '<node><instance_geometry url="#g"/></node>',
  asset = '<unit meter="1"/><up_axis>Z_UP</up_axis>',
  numbers = corners.join(' '),
  accessor = '<accessor source="#a" count="4" stride="3"/>',
  more = '',
} = {}): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>${asset}</asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="12">${numbers}</float_array><technique_common>${accessor}</technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
${primitives}
</mesh></geometry></library_geometries>
${more}
<library_visual_scenes><visual_scene id="scene">
${nodes}
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
`
}

/** Positions as they stand in a glTF file for the sample, y up: (x, y, z) of ours is (x, z, -y) of theirs; then the faces. */
export function gltfBuffer(): Uint8Array {
  const bytes = new Uint8Array(48 + 24)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < 12; i += 3) {
    view.setFloat32(4 * i, corners[i], true)
    view.setFloat32(4 * i + 4, corners[i + 2], true)
    view.setFloat32(4 * i + 8, 0 - corners[i + 1], true)
  }
  for (const [i, corner] of faces.entries()) view.setUint16(48 + 2 * i, corner, true)
  return bytes
}

/** A glTF document over `gltfBuffer`; what is given replaces what stands here. */
export function gltfJson(uri: string | undefined, changes: Readonly<Record<string, unknown>> = {}): string {
  const buffer = { byteLength: 72, ...(uri === undefined ? {} : { uri }) }
  return JSON.stringify({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3' },
      { bufferView: 1, componentType: 5123, count: 12, type: 'SCALAR' },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: 48 },
      { buffer: 0, byteOffset: 48, byteLength: 24 },
    ],
    buffers: [buffer],
    ...changes,
  })
}

export function dataUri(bytes: Uint8Array): string {
  return `data:application/octet-stream;base64,${btoa(String.fromCharCode(...bytes))}`
}

export function glb(json = gltfJson(undefined), binary = gltfBuffer()): Uint8Array {
  const text = utf8(json.padEnd(Math.ceil(json.length / 4) * 4))
  const bytes = new Uint8Array(12 + 8 + text.length + 8 + binary.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0x46546c67, true)
  view.setUint32(4, 2, true)
  view.setUint32(8, bytes.length, true)
  view.setUint32(12, text.length, true)
  view.setUint32(16, 0x4e4f534a, true)
  bytes.set(text, 20)
  view.setUint32(20 + text.length, binary.length, true)
  view.setUint32(24 + text.length, 0x004e4942, true)
  bytes.set(binary, 28 + text.length)
  return bytes
}

const plyHeader = (format: string) =>
  `ply\nformat ${format} 1.0\ncomment a sample\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n`

export const plyText = `${plyHeader('ascii')}0 0 0 9\n1 0 0 9\n0 2 0 9\n0 0 3 9\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n`

export function plyBinary(little: boolean): Uint8Array {
  const header = utf8(plyHeader(little ? 'binary_little_endian' : 'binary_big_endian'))
  const bytes = new Uint8Array(header.length + 4 * 13 + 4 * 13)
  bytes.set(header)
  const view = new DataView(bytes.buffer)
  let at = header.length
  for (let i = 0; i < 4; i++) {
    for (let k = 0; k < 3; k++) view.setFloat32(at + 4 * k, corners[3 * i + k], little)
    at += 13
  }
  for (let i = 0; i < 4; i++) {
    bytes[at] = 3
    for (let k = 0; k < 3; k++) view.setInt32(at + 1 + 4 * k, faces[3 * i + k], little)
    at += 13
  }
  return bytes
}

/** Twice the tetrahedron's worth of nesting: a part instanced through nodes, in millimetres, with every transform. */
export const daeScene = daeText({
  asset: '<unit name="millimeter" meter="0.001"/><up_axis>Y_UP</up_axis>',
  primitives: `<polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#s" offset="1"/>
<vcount>3 3 3 3</vcount><p>${faces.map((corner) => `${corner} 0`).join(' ')}</p></polylist>
<lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1</p></lines>`,
  more: '<library_nodes><node id="shared"><scale>2 1 1</scale><instance_geometry url="#g"/></node></library_nodes>',
  nodes: `<node id="outer"><translate>10 0 0</translate><rotate>0 0 1 90</rotate>
<node><matrix>1 0 0 0 0 1 0 0 0 0 1 5 0 0 0 1</matrix><instance_node url="#shared"/></node><instance_geometry url="#g"/></node>`,
})
