/** A written file says what the description says: read again, to the last bit, and repaired once is repaired for good. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../dynamics/index.ts'
import { compileRobot } from '../../robots/compile/compile.ts'
import { MeshStore } from '../../robots/compile/meshStore.ts'
import type { RobotDescription } from '../../robots/description.ts'
import { RobotError } from '../../robots/diagnostics.ts'
import { examine } from '../../robots/doctor/index.ts'
import { diskResolver } from '../../robots/files.ts'
import { isXacro } from '../../robots/index.ts'
import type { Robot } from '../../robots/robot.ts'
import { describeUrdf } from '../../robots/urdf/index.ts'
import { type WriteUrdfOptions, writeUrdf } from '../../robots/write/writeUrdf.ts'
import { parseXml } from '../../robots/xml.ts'
import { full } from '../dailyModels.ts'
import { isDear } from '../oracle/corpus.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const ownFolder = fileURLToPath(new URL('../../robots/own', import.meta.url))
const realFolder = process.env.FEATHERBED_ROBOTS

const read = (text: string, file = 'test.urdf') => {
  const source = parseXml(text, file)
  return { source, description: describeUrdf(source, file) }
}

/** All that a description says of the robot; places, tags and findings are about the file, and so is why pairs are apart. */
function meaning(description: RobotDescription): unknown {
  const { name, root, worldUndeclared, links, joints, frames, selfCollide, disabledCollisions } = description
  const kept = { name, root, worldUndeclared, links, joints, frames, selfCollide: [...selfCollide].sort() }
  const pairs = disabledCollisions.map(({ link1, link2 }) => `${link1} ${link2}`)
  return JSON.parse(JSON.stringify({ ...kept, pairs }, (key, value) => (/place$/i.test(key) ? undefined : exact(value))))
}

/** Numbers as JSON would not tell them apart. */
function exact(value: unknown): unknown {
  if (typeof value !== 'number') return value
  if (!Number.isFinite(value)) return String(value)
  return Object.is(value, -0) ? 'minus zero' : value
}

/** A robot without what is about the file. */
function mechanism({ diagnostics: _, tags: __, massDeclared: ___, counts: ____, ...robot }: Robot): unknown {
  return robot
}

/** Written and read again, the description is the same; repaired, written and read again, it is the same and needs no repair. */
function checkRoundTrip(text: string, file: string, options: WriteUrdfOptions = {}, roots = [dirname(file)]): void {
  const { description, source } = read(text, file)
  const again = (d: RobotDescription, more: WriteUrdfOptions) => read(writeUrdf(d, { ...options, ...more }), file).description
  expect(meaning(again(description, {}))).toEqual(meaning(description))
  expect(meaning(again(description, { source }))).toEqual(meaning(description))

  const meshes = new MeshStore(file, diskResolver(roots))
  const repaired = examine(description, { meshes }).description
  for (const more of [{}, { source }]) {
    const second = examine(again(repaired, more), { meshes }).description
    expect(meaning(second)).toEqual(meaning(repaired))
    expect(second.diagnostics.filter((finding) => finding.repaired)).toEqual([])
    expect(mechanism(compileRobot(second, { meshes }))).toEqual(mechanism(compileRobot(repaired, { meshes })))
  }
}

const isUrdf = (file: string) => file.endsWith('.urdf') && (full || !isDear(file))

describe('round trip', () => {
  const folders: [string, string][] = [
    ['own robot', ownFolder],
    ['look-alike', join(here, 'files')],
    ...(realFolder === undefined ? [] : [['real robot', realFolder] as [string, string]]),
  ]
  if (realFolder === undefined) console.log('FEATHERBED_ROBOTS is not set: real robots are not written and read again')
  else if (!full) console.log('not run: R1 is not written and read again; set FEATHERBED_FULL')
  for (const [kind, folder] of folders) {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isUrdf)
    for (const file of files) {
      const path = join(folder, file)
      const text = readFileSync(path, 'utf8')
      let loads = true
      try {
        if (isXacro(parseXml(text, path))) continue
        examine(read(text, path).description, { meshes: new MeshStore(path, diskResolver([folder])) })
      } catch (error) {
        if (!(error instanceof RobotError)) throw error
        loads = false
      }
      if (loads) test(`${kind} ${relative(folder, path)}`, () => checkRoundTrip(text, path, {}, [folder]))
    }
  }
})

/** Something of everything that a description holds. */
const everything = `<robot name="every &amp; &lt;thing&gt; &quot;here&quot;" xmlns:drake="http://drake.mit.edu">
  <link name="base">
    <inertial><origin xyz="0.1 -0 1e-300" rpy="0.1 0.2 0.30000000000000004"/><mass value="1.1"/>
      <inertia ixx="0.1" iyy="0.11" izz="0.12" ixy="1e-3" ixz="-2e-3" iyz="3e-3"/></inertial>
    <visual name="seen"><geometry><mesh filename="a b&amp;c.stl" scale="1 -1 0.001"/></geometry><material name="red"><color rgba="1 0 0 1"/></material></visual>
    <collision name="one"><origin xyz="1 2 3"/><geometry><box size="0.1 0.2 0.3"/></geometry>
      <drake:proximity_properties><drake:mu_dynamic value="0.7"/><drake:compliant_hydroelastic/></drake:proximity_properties></collision>
    <collision><geometry><capsule radius="0.1" length="0.2"/></geometry></collision>
    <contact><lateral_friction value="0.6"/><restitution value="0.25"/><rolling_friction value="0.01"/><spinning_friction value="0.02"/></contact>
  </link>
  <link name="a&#10;b"/><link name="__proto__"/><link name="table"/><link name="ball"/><link name="loose"/><link name="follower"/>
  <joint name="one" type="revolute"><origin rpy="0 1.5707963267948966 0"/><parent link="base"/><child link="a&#10;b"/>
    <axis xyz="0.267261241912 0.534522483825 0.801783725737"/><limit lower="-1" upper="2" effort="3" velocity="4" acceleration="9"/>
    <dynamics damping="0.1" friction="0.2" D="5"/><safety_controller soft_lower_limit="-0.5" soft_upper_limit="0.5" k_velocity="10"/>
    <calibration rising="0"/></joint>
  <joint name="two" type="continuous"><parent link="a&#10;b"/><child link="__proto__"/><axis xyz="0 0 -1"/></joint>
  <joint name="three" type="planar"><parent link="base"/><child link="table"/><axis xyz="0 1 0"/><dynamics damping="0.3"/></joint>
  <joint name="four" type="spherical"><parent link="table"/><child link="ball"/></joint>
  <joint name="five" type="floating"><parent link="ball"/><child link="loose"/></joint>
  <joint name="six" type="prismatic"><parent link="loose"/><child link="follower"/><axis xyz="1 0 0"/>
    <limit lower="-10" upper="10" effort="1" velocity="1"/><mimic joint="one" multiplier="-0.3" offset="1e-7"/></joint>
  <frame name="grip" link="ball" xyz="0 0 1" rpy="0 0 3"/>
  <transmission name="t"><type>simple</type><joint name="one"><hardwareInterface>effort</hardwareInterface></joint>
    <actuator name="m"><drake:rotor_inertia value="1e-3"/><drake:gear_ratio value="30"/></actuator></transmission>
  <drake:collision_filter_group name="g"><drake:member link="base"/><drake:member link="ball"/><drake:member link="loose"/>
    <drake:ignored_collision_filter_group name="g"/></drake:collision_filter_group>
  <gazebo reference="ball"><mu1>0.4</mu1><mu2>0.4</mu2><kp>1e5</kp><kd>10</kd><minDepth>0.001</minDepth><maxVel>0.1</maxVel>
    <maxContacts>3</maxContacts><selfCollide>false</selfCollide><turnGravityOff>true</turnGravityOff></gazebo>
  <gazebo><plugin name="p" filename="libp.so"><rate>100</rate></plugin></gazebo>
</robot>`

describe('what is written', () => {
  test('is everything that a description holds', () => checkRoundTrip(everything, 'every.urdf'))

  test('carries over from the source what a description does not hold', () => {
    const { description, source } = read(everything)
    const text = writeUrdf(description, { source })
    for (const part of [
      '<color rgba="1 0 0 1"/>',
      '<drake:compliant_hydroelastic/>',
      '<plugin name="p" filename="libp.so">',
      '<rate>100</rate>',
      '<calibration rising="0"/>',
      '<hardwareInterface>effort</hardwareInterface>',
      'acceleration="9"',
      'D="5"',
      'k_velocity="10"',
    ]) {
      expect(text.split(part)).toHaveLength(2)
    }
    // friction once, and not in both of the places where it may stand
    expect(text.match(/<mu1>/g)).toHaveLength(1)
    expect(text.match(/lateral_friction/g)).toHaveLength(1)
  })

  test('leaves out what was passed by, so that nothing of it is found again', () => {
    const odd = everything
      .replace('<calibration rising="0"/>', '<limits lower="0"/>')
      .replace('<mu2>0.4</mu2>', '<mu2>0.9</mu2>')
      .replace('value="1e-3"', 'value="-1e-3"')
      .replace('friction="0.2" D="5"', 'frictoin="0.2" D="5"')
    const { description, source } = read(odd)
    const codes = ({ diagnostics }: RobotDescription) => diagnostics.filter((d) => d.repaired).map(({ code }) => code)
    expect(codes(description).sort()).toEqual(['attribute-misspelt', 'element-misspelt', 'rotor-inertia-negative'])
    const text = writeUrdf(description, { source })
    expect(codes(read(text).description)).toEqual([])
    expect(meaning(read(text).description)).toEqual(meaning(description))
  })

  test('takes the rotor from a joint that has no axle for it', () => {
    const odd = everything.replace('<joint name="one"><hard', '<joint name="five"><hard')
    const { description, source } = read(odd)
    const repaired = examine(description, { meshes: new MeshStore('test.urdf') }).description
    const text = writeUrdf(repaired, { source })
    expect(text).toContain('drake:gear_ratio')
    expect(text).not.toContain('drake:rotor_inertia')
  })

  test('has every axis come back to the last bit, though readers divide it by its length', () => {
    const random = createRandom(5)
    const axes = Array.from({ length: 300 }, () => Array.from({ length: 3 }, () => 2 * random.next() - 1))
    const links = axes.map((_, k) => `<link name="l${k}"/>`).join('')
    const joints = axes
      .map((axis, k) => {
        const unit = axis.map((x) => x / Math.hypot(...axis))
        return `<joint name="j${k}" type="continuous"><parent link="base"/><child link="l${k}"/><axis xyz="${unit.join(' ')}"/></joint>`
      })
      .join('')
    const { description } = read(`<robot name="r"><link name="base"/>${links}${joints}</robot>`)
    const again = read(writeUrdf(description)).description
    expect(again.joints.map(({ axis }) => axis)).toEqual(description.joints.map(({ axis }) => axis))
    expect(again.diagnostics.filter(({ repaired }) => repaired)).toEqual([])
  })

  test('has a header whose hyphens and control characters end no comment', () => {
    const header = ['a --> b', '--', 'ends in -', 'two\nlines', 'bell \u0007', '<link name="x"/>']
    const text = writeUrdf(read(everything).description, { header })
    expect(read(text).description.links).toHaveLength(7)
    expect(text).toContain('ends in - \n'.trimEnd())
  })

  test('leaves out visuals and collisions when told to, and declares the world', () => {
    const hung =
      '<robot name="r"><link name="a"><visual><geometry><sphere radius="1"/></geometry></visual></link>' +
      '<joint name="j" type="fixed"><parent link="world"/><child link="a"/></joint></robot>'
    const text = writeUrdf(read(hung).description, { visuals: false, collisions: false, declareWorld: true })
    expect(text).not.toMatch(/visual|collision/)
    expect(read(text).description).toMatchObject({ worldUndeclared: false, root: 'world' })
  })

  test('refers to meshes as the caller says', () => {
    const text = writeUrdf(read(everything).description, { meshReference: (name) => `../${name}` })
    expect(text).toContain('filename="../a b&amp;c.stl"')
  })
})
