import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { InstancedMesh } from 'three'
import { describe, expect, test } from 'vitest'
import { ContactArrows } from '../../viewer/overlays/contactArrows.ts'
import { FeatureMarks } from '../../viewer/overlays/featureMarks.ts'
import { temporaryFolder } from '../compare/command.ts'
import { stlBinary } from '../robots/fuzz/meshesSamples.ts'
import { builtViewer, frames, runTo, settled, stepOf, textFile } from './builtViewer.ts'
import { compared } from './pictures.ts'

const viewer = builtViewer()
const { path: folder } = temporaryFolder()

async function shownAt(page: Page, wanted: number): Promise<void> {
  await page.waitForFunction((wanted) => {
    const time = Number.parseFloat(document.querySelector('#time')?.textContent ?? '')
    return Math.abs(time - wanted) < 1e-9
  }, wanted)
}

/** How many points of the finished picture are far from grey. */
async function colourfulPixels(page: Page): Promise<number> {
  await settled(page)
  return (await compared(page, await page.locator('#canvas').screenshot())).colourful
}

test('marks of contacts show nothing before they are given any', () => {
  for (const { group } of [new ContactArrows('#2f9be6'), new FeatureMarks()]) {
    const meshes = group.children.filter((child) => child instanceof InstancedMesh)
    expect(meshes.length).toBeGreaterThan(0)
    for (const { count } of meshes) expect(count).toBe(0)
  }
})

describe('an own robot', () => {
  test('stands on the page, which complains of nothing and asks nobody else', async () => {
    const { page } = await viewer.open('?robot=humanoid&models=penalty&play=0', { draws: true })
    await page.waitForFunction(() => document.querySelector('#runs td.hash')?.textContent?.length === 16)
    // its coloured bands; without the robot there is no colour at all
    expect(await colourfulPixels(page)).toBeGreaterThan(200)
    expect(await page.locator('#notice').isVisible()).toBe(false)
  })

  test('says what an address asks for in vain, and fits a phone', async () => {
    const { page } = await viewer.open('?robot=nosuch&models=penalty,nosuchlaw&dt=7&play=0')
    const notice = page.locator('#notice pre')
    await expect.poll(() => notice.textContent()).toMatch(/robot "nosuch".*models "nosuchlaw".*dt "7"/s)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  })

  test('says of files with nothing to run what it takes', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=penalty&play=0')
    const notice = page.locator('#notice pre')
    for (const [name, words] of [
      ['results.json', 'report.html'],
      [
        'notes.txt',
        'There is no robot (.urdf, .xacro, .xml, .sdf), scenario (.yaml) or controller (.ts, .js, .onnx) or recording (.mcap) among them.',
      ],
    ]) {
      await page.locator('#files').setInputFiles(textFile(name, 'x'))
      await expect.poll(() => notice.textContent()).toContain(words)
    }
  })

  test('plays, pauses, steps by one time step either way, scrubs and restarts, by the same record', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=penalty,stewart-trinkle&dt=0.002&play=0')
    const hashes = () => page.locator('#runs td.hash').allTextContents()
    await shownAt(page, 0)
    await page.keyboard.press('ArrowRight')
    await shownAt(page, 0.002)
    await page.keyboard.press('ArrowRight')
    await shownAt(page, 0.004)
    const second = await hashes()
    expect(new Set(second).size).toBe(2)
    await page.keyboard.press('ArrowLeft')
    await shownAt(page, 0.002)

    await page.keyboard.press(' ')
    await runTo(page, 51)
    await page.keyboard.press(' ')
    const paused = await stepOf(page)
    await frames(page, 5)
    expect(await stepOf(page)).toBe(paused)
    expect(await page.locator('#play').getAttribute('aria-label')).toBe('Play')

    // between two frames of the record the run is computed again from a checkpoint
    await page.keyboard.press('ArrowLeft')
    await shownAt(page, (paused - 1) * 0.002)
    await page.keyboard.press('ArrowRight')
    await shownAt(page, paused * 0.002)

    await page.locator('#scrub').fill('2')
    await shownAt(page, 0.004)
    expect(await hashes()).toEqual(second)

    await page.keyboard.press('Backspace')
    await shownAt(page, 0)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await shownAt(page, 0.004)
    expect(await hashes()).toEqual(second)
  })
})

describe("a user's robot", () => {
  test('comes with its meshes from a folder', async () => {
    mkdirSync(join(folder, 'brick_description/urdf'), { recursive: true })
    mkdirSync(join(folder, 'brick_description/meshes'))
    writeFileSync(join(folder, 'brick_description/package.xml'), '<package><name>brick_description</name></package>')
    writeFileSync(join(folder, 'brick_description/meshes/wedge.stl'), wedge())
    const mesh = '<geometry><mesh filename="package://brick_description/meshes/wedge.stl"/></geometry>'
    writeFileSync(
      join(folder, 'brick_description/urdf/brick.urdf'),
      brick(`<visual>${mesh}<material name="red"><color rgba="1 0 0 1"/></material></visual><collision>${mesh}</collision>`),
    )
    const { page } = await viewer.open('?models=penalty&play=0', { draws: true })
    await page.locator('#folder').setInputFiles(join(folder, 'brick_description'))
    // a floating body has seven coordinates, and at rest the wedge's lowest corner, 0.1 below its origin, is at z = 0
    await page.waitForFunction(() => {
      const q = window.featherbed.session.lanes[0]?.history.at(0)?.q
      return q?.length === 7 && Math.abs(q[2] - 0.1) < 1e-6
    })
    expect(await colourfulPixels(page)).toBeGreaterThan(500)
    expect(await page.locator('#findings').textContent()).not.toContain('wedge')
  })

  test('looks as it touches, whatever format its meshes come in', async () => {
    const root = join(folder, 'wedges_description')
    mkdirSync(root)
    const meshes = wedgeFiles()
    for (const [name, content] of Object.entries(meshes)) writeFileSync(join(root, name), content)
    const names = Object.keys(meshes).filter((name) => !name.endsWith('.bin'))
    const parts = names.map((name) => ({ name, geometry: `<mesh filename="${name}" scale="1 2 0.5"/>` }))
    parts.push({ name: 'capsule', geometry: '<capsule radius="0.1" length="0.3"/>' })
    const links = parts.map(({ name, geometry }, i) => {
      const shape = `<origin xyz="0 0.1 0" rpy="0.3 0.2 0.1"/><geometry>${geometry}</geometry>`
      const joint = `<joint name="j${i}" type="revolute"><parent link="world"/><child link="${name}"/><origin xyz="${i} 0 0"/>
        <axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint>`
      return `<link name="${name}"><visual>${shape}</visual><collision>${shape}</collision></link>${joint}`
    })
    writeFileSync(join(root, 'wedges.urdf'), `<robot name="wedges">${links.join('')}</robot>`)
    const { page } = await viewer.open('?models=penalty&play=0')
    await page.locator('#folder').setInputFiles(root)
    const bounds = await boundsOnceThere(page, names[0])
    for (const { name } of parts) {
      const body = bounds.find((one) => one.body === name)
      // pictures are in single precision; the drawn capsule is made of 32 flat sides, which takes 0.5 % off its radius
      const digits = name === 'capsule' ? 3 : 6
      for (const corner of [0, 1] as const) {
        for (let k = 0; k < 3; k++) {
          expect(body?.seen?.[corner][k], `${name}, corner ${corner}, axis ${k}`).toBeCloseTo(
            body?.touching?.[corner][k] ?? Number.NaN,
            digits,
          )
        }
      }
    }
  })

  test('may be xacro with an SRDF beside it: joints that follow are drawn where they are, poses and changes are listed', async () => {
    const root = join(folder, 'claw_description')
    mkdirSync(root)
    const xacro = 'xmlns:xacro="http://ros.org/wiki/xacro"'
    writeFileSync(
      join(root, 'finger.xacro'),
      `<robot ${xacro}><xacro:macro name="finger" params="name *more">
        <link name="\${name}"><visual><origin xyz="0.5 0 0"/><geometry><box size="1 \${width} 0.1"/></geometry></visual>
          <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="\${name}_joint" type="revolute"><parent link="world"/><child link="\${name}"/><axis xyz="0 0 1"/>
          <limit lower="-3" upper="3"/><xacro:insert_block name="more"/></joint>
      </xacro:macro></robot>`,
    )
    writeFileSync(
      join(root, 'claw.urdf.xacro'),
      `<robot name="claw" ${xacro}><xacro:include filename="$(find claw_description)/finger.xacro"/>
        <xacro:property name="width" value="\${0.2 / 2}"/>
        <xacro:finger name="left"><dynamics damping="1"/></xacro:finger>
        <xacro:finger name="right"><mimic joint="left_joint" multiplier="-1"/></xacro:finger></robot>`,
    )
    writeFileSync(
      join(root, 'claw.srdf'),
      '<robot name="claw"><group name="all"/><group_state name="open" group="all"><joint name="left_joint" value="1.5707963267948966"/></group_state></robot>',
    )
    const { page } = await viewer.open('?models=penalty&play=0')
    await page.locator('#folder').setInputFiles(root)
    const home = await boundsOnceThere(page, 'right')
    expect(home.find(({ body }) => body === 'right')?.seen?.[1][0]).toBeCloseTo(1, 6)
    // the inertia of both fingers is none that a body can have
    expect(await page.locator('#findings li', { hasText: 'inertia-triangle' }).textContent()).toContain('changed')
    expect(await page.locator('#findings summary').textContent()).toContain('2 changes')

    await page.locator('#panel select', { hasText: 'all/open' }).selectOption('all/open')
    const highest = async (body: string) => {
      const bounds = await page.evaluate(() => window.featherbed.bounds())
      return bounds.find((one) => one.body === body)?.seen?.[1][1] ?? Number.NaN
    }
    // the left finger points along y, the right one, which follows the other way round, along -y
    await expect.poll(() => highest('left')).toBeCloseTo(1, 6)
    expect(await highest('right')).toBeCloseTo(0, 6)
  })

  test('is dropped as a file; if the file is wrong, the page says where and what to do, and keeps the robot it had', async () => {
    const { page } = await viewer.open('?models=penalty&play=0')
    const drop = (text: string) =>
      page.evaluate((text) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([text], 'brick.urdf'))
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
      }, text)
    const box = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
    await drop(brick(box))
    const stands = () => window.featherbed.session.lanes[0]?.history.at(0)?.q.length === 7
    await page.waitForFunction(stands)

    await drop(brick(box).replace('value="1.5"', 'value="heavy"'))
    const notice = page.locator('#notice')
    await notice.waitFor()
    expect(await notice.textContent()).toMatch(/brick\.urdf:4 .*mass.*heavy/s)
    expect(await page.evaluate(stands)).toBe(true)
  })
})

async function boundsOnceThere(page: Page, body: string) {
  await page.waitForFunction((name) => window.featherbed.bounds().some((one) => one.body === name && one.seen !== null), body)
  return page.evaluate(() => window.featherbed.bounds())
}

function brick(more: string): string {
  return `<?xml version="1.0"?>
<robot name="brick">
  <link name="body"><inertial>
    <mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    ${more}
  </link>
</robot>`
}

/** Corners of a tetrahedron without any symmetry [m], and its faces. */
const corners = [
  [0.1, 0, 0],
  [0, 0.2, 0],
  [0, 0, 0.3],
  [-0.1, -0.1, -0.1],
]
const faces = [
  [0, 1, 2],
  [0, 3, 1],
  [1, 3, 2],
  [2, 3, 0],
]

/** The tetrahedron as a binary STL. */
const wedge = () => stlBinary(faces.map((face) => face.flatMap((corner) => corners[corner])))

/** The same in every format that is read, by file name. */
function wedgeFiles(): Record<string, string | Uint8Array> {
  const lines = (rows: readonly (readonly number[])[], prefix = '') => rows.map((row) => prefix + row.join(' ')).join('\n')
  const ply = `ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z
element face 4\nproperty list uchar int vertex_indices\nend_header\n${lines(corners)}\n${lines(faces, '3 ')}\n`
  const floats = Buffer.from(Float32Array.from(corners.flat()).buffer)
  const indices = Buffer.from(Uint16Array.from(faces.flat()).buffer)
  return {
    'wedge.stl': wedge(),
    'wedge.obj': `${lines(corners, 'v ')}\n${lines(
      faces.map((face) => face.map((corner) => corner + 1)),
      'f ',
    )}\n`,
    'wedge.ply': ply,
    'z_up.dae': dae('Z_UP'),
    'y_up.dae': dae('Y_UP'),
    'wedge.gltf': gltf(floats.length, indices.length),
    'wedge.bin': Buffer.concat([floats, indices]),
  }
}

/** In millimetres, and turned by its node. */
function dae(up: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="millimeter" meter="0.001"/><up_axis>${up}</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="12">${corners
      .flat()
      .map((x) => 1000 * x)
      .join(' ')}</float_array>
      <technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
        <param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>${faces.flat().join(' ')}</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node id="n"><rotate>0 0 1 90</rotate>
    <instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>`
}

function gltf(floats: number, indices: number): string {
  return JSON.stringify({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, translation: [0.01, 0.02, 0.03] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [-0.1, -0.1, -0.1], max: [0.1, 0.2, 0.3] },
      { bufferView: 1, componentType: 5123, count: 12, type: 'SCALAR' },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: floats },
      { buffer: 0, byteOffset: floats, byteLength: indices },
    ],
    buffers: [{ uri: 'wedge.bin', byteLength: floats + indices }],
  })
}
