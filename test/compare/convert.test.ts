import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadRobotFile } from '../../robots/files.ts'
import type { Robot } from '../../robots/index.ts'
import { mjcfModel } from '../oracle/mjcf.ts'
import { ended, featherbed, onlyComparison, refusal, temporaryFolder } from './command.ts'

const inertial = (more = '') =>
  `<inertial>${more}<mass value="1"/><inertia ixx="0.1" iyy="0.11" izz="0.12" ixy="0" ixz="0" iyz="0"/></inertial>`
const corners = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]
const faces = [
  [0, 2, 1],
  [0, 1, 3],
  [0, 3, 2],
  [1, 2, 3],
]
const obj = [...corners.map((v) => `v ${v.join(' ')}`), ...faces.map((f) => `f ${f.map((k) => k + 1).join(' ')}`)].join('\n')
const stlText = `solid s\n${faces
  .map((f) => `facet normal 0 0 0\nouter loop\n${f.map((k) => `vertex ${corners[k].join(' ')}`).join('\n')}\nendloop\nendfacet`)
  .join('\n')}\nendsolid s\n`
const dae = `<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.01" name="centimeter"/></asset>
  <library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">${corners.flat().join(' ')}</float_array>
  <technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>${faces.flat().join(' ')}</p></triangles></mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>`

const place = temporaryFolder()
mkdirSync(join(place.path, 'robot/meshes/more'), { recursive: true })
mkdirSync(join(place.path, 'elsewhere/deep'), { recursive: true })
for (const [name, text] of Object.entries({ 'a.obj': obj, 'b.stl': stlText, 'c.dae': dae, 'more/a.obj': obj }))
  place.write(`robot/meshes/${name}`, text)
const part = (name: string, mesh: string, x = 0) =>
  `<link name="${name}">${inertial()}<collision><origin xyz="${x} 0 0"/><geometry><mesh filename="meshes/${mesh}"/></geometry></collision></link>`
const joint = (name: string, parent: string, child: string, more = '') =>
  `<joint name="${name}" type="revolute"><origin xyz="0.5 0 1"/><parent link="${parent}"/><child link="${child}"/><axis xyz="0 0 1"/>
   <limit lower="-1" upper="1" effort="9" velocity="1"/>${more}</joint>`
// a joint called as MJCF's free joint would be, shapes that overlap at home, a follower, a massless tip, and a part that no body could be
const urdf = place.write(
  'robot/arm.urdf',
  `<robot name="arm">${part('trunk', 'a.obj')}${part('upper', 'b.stl')}${part('lower', 'c.dae')}${part('end', 'more/a.obj')}
  <link name="tip"/><link name="sensor"><inertial><mass value="0.1"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
  ${joint('base', 'trunk', 'upper')}${joint('elbow', 'upper', 'lower', '<mimic joint="base" multiplier="2" offset="0.1"/>')}${joint('wrist', 'trunk', 'end').replace('0.5 0 1', '0 0 0.1')}
  <joint name="t" type="fixed"><parent link="end"/><child link="tip"/></joint><joint name="s" type="fixed"><origin xyz="0.2 0 0"/><parent link="end"/><child link="sensor"/></joint></robot>`,
)
const srdf = place.write(
  'robot/poses.srdf',
  `<robot name="arm"><group name="all"><joint name="base"/></group><group_state name="bent" group="all"><joint name="base" value="0.3"/></group_state>
  <group_state name="bent" group="all"><joint name="base" value="0.2"/><joint name="elbow" value="0"/></group_state>
  <disable_collisions link1="trunk" link2="lower" reason="Never"/></robot>`,
)
const convert = (...args: string[]) => featherbed(['convert', urdf, ...args])

/** Masses and sizes of shapes, which do not depend on the names that a format gives. */
const gist = ({ model, shapes }: Robot) => [
  model.nv,
  ...model.I.slice(1).flatMap((I) => [...I].map((x) => Number(x.toFixed(9)))),
  shapes
    .map(
      ({ shape, body }) =>
        `${body} ${
          shape.type === 'hull'
            ? [...shape.polyhedron.vertices]
                .map((x) => x.toFixed(6))
                .sort()
                .join(' ')
            : shape.type
        }`,
    )
    .sort(),
]

describe('convert writes what its target and we read from where it lies', () => {
  test.each(['urdf', 'sdf', 'mjcf'] as const)('%s, with meshes beside it', async (to) => {
    const out = join(place.path, 'elsewhere', `${to}.${to === 'mjcf' ? 'xml' : to}`)
    await ended(0, convert('--to', to, '--out', out, '--with-meshes', '--srdf', srdf))
    const names = readdirSync(join(place.path, 'elsewhere', `${to}_meshes`)).sort()
    // two files of one name stay apart; MuJoCo reads neither STL in text nor COLLADA
    expect(names).toEqual(to === 'mjcf' ? ['a.obj', 'a_2.obj', 'b.obj', 'c.obj'] : ['a.obj', 'a_2.obj', 'b.stl', 'c.dae'])
    const again = loadRobotFile(out, { ground: false })
    expect(gist(again)).toEqual(gist(loadRobotFile(urdf, { ground: false })))
    if (to !== 'mjcf') return
    const { model } = await mjcfModel(out)
    expect([model.nv, model.ngeom, model.nexclude > 0]).toEqual([9, 4, true])
    // names of keyframes are told apart, and the follower is where its leader puts it
    const bent = again.poses.map(({ name, q }) => [name, Number(q[7].toFixed(12))])
    expect(bent).toEqual([
      ['all/bent', 0.3],
      ['all/bent_', 0.2],
    ])
    const key = [...model.key_qpos.slice(0, model.nq)]
    expect(key[8]).toBeCloseTo(2 * key[7] + 0.1, 12)
    model.delete()
  })

  test('without them it says which it loses, and ends with 1', async () => {
    const out = join(place.path, 'elsewhere/deep/bare.xml')
    const { stderr } = await ended(1, convert('--to', 'mjcf', '--out', out))
    expect(stderr).toContain('4 of 4 meshes lie outside of the folders that are read for')
    expect(existsSync(out)).toBe(true)
    // beside the robot they are found where they are
    const beside = join(place.path, 'robot', 'beside.urdf')
    await ended(0, convert('--to', 'urdf', '--out', beside))
    expect(readFileSync(beside, 'utf8')).toContain('filename="meshes/more/a.obj"')
    expect(gist(loadRobotFile(beside, { ground: false }))).toEqual(gist(loadRobotFile(urdf, { ground: false })))
    expect(await refusal(['convert', urdf, '--to', 'sdf', '--with-meshes'])).toContain('--with-meshes needs --out')
    expect(await refusal(['convert', urdf, '--to', 'step'])).toContain('expected urdf, mjcf or sdf')
  })
})

describe('an SRDF and surroundings in a comparison', () => {
  const short = ['--duration', '0.01', '--models', 'ncp', '--dt', '1e-3', '--quiet', '--json', '--no-timing']

  test('--srdf and `srdf` bring poses and pairs', async () => {
    const file = place.write('robot/posed.yaml', 'robot: arm.urdf\nsrdf: poses.srdf\nstart: {pose: bent}\nbase: fixed\n')
    const posed = onlyComparison((await featherbed(['compare', file, ...short])).stdout)
    expect(posed.scenario.srdf).toBe(srdf)
    const { stdout } = await ended(
      0,
      featherbed([
        'run',
        urdf,
        '--srdf',
        srdf,
        '--fixed',
        '--model',
        'ncp',
        '--dt',
        '1e-3',
        '--duration',
        '0.01',
        '--json',
        '--quiet',
      ]),
    )
    expect(JSON.parse(stdout).status).toBe('ok')
    expect(await refusal(['run', urdf, '--srdf', 'none.srdf'])).toContain('srdf: there is no file')
    expect(await refusal(['run', place.write('robot/bad.yaml', 'robot: arm.urdf\nstart: {pose: bent}\n')])).toContain(
      'which `srdf` or --srdf names',
    )
  })

  test('a file of static models is refused alone, and stands where a companion puts it', async () => {
    const shelf = place.write(
      'shelf.sdf',
      '<sdf version="1.6"><model name="shelf"><static>true</static><link name="board"><pose>0 0 0.5 0 0 0</pose><collision name="c"><geometry><box><size>1 1 0.02</size></box></geometry></collision></link></model></sdf>',
    )
    expect(await refusal(['run', shelf])).toContain('nothing in it moves')
    const scene = place.write(
      'scene.yaml',
      'bodies: [{name: ball, shape: {type: sphere, radius: 0.1}, mass: 1, position: [2, 0, 0.7]}]\ncompanions: [{name: shelf, robot: shelf.sdf, position: [2, 0, 0]}]\nduration: 1 s\n',
    )
    const { stdout } = await ended(
      0,
      featherbed(['run', scene, '--model', 'ncp', '--dt', '1e-3', '--json', '--quiet', '--no-timing']),
    )
    expect(JSON.parse(stdout).status).toBe('ok')
    expect(JSON.parse(stdout).deepestPair).toEqual({ a: 'ball', b: 'shelf::board' })
  })
})
