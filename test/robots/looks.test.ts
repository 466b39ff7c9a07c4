/** How robots look: materials and shown shapes of each format, in one form. */
import { expect, test } from 'vitest'
import { describeRobot, memoryResolver, shownShapes, writeMjcf, writeSdf, writeUrdf } from '../../robots/index.ts'

const looks = (text: string, file: string) => {
  const { links } = describeRobot(text, { file, resolver: memoryResolver(new Map()) })
  return links.map((link) =>
    shownShapes(link).map(({ geometry: { type }, material }) => [type, material?.rgba.join(' '), material?.texture]),
  )
}

const inMjcf = (body: string, assets = '') =>
  looks(
    `<mujoco><compiler texturedir="pictures"/><asset>${assets}</asset>
      <default><geom rgba="0.8 0.6 0.2 1"/><default class="hidden"><geom group="3"/></default></default>
      <worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>${body}</body></worldbody></mujoco>`,
    'robot.xml',
  )[0]

test('of MJCF all geoms in groups 0 to 2 are shown, those that touch too, in the colours of their classes', () => {
  const shown =
    inMjcf(`<geom size="1"/><geom size="1 1 1" group="2" contype="0" conaffinity="0" type="ellipsoid" rgba="1 0 0 0.5"/>
    <geom size="1 1 1" type="box" class="hidden"/><geom size="1" group="4" contype="0" conaffinity="0"/>`)
  expect(shown.toSorted()).toEqual([
    ['ellipsoid', '1 0 0 0.5', undefined],
    ['sphere', '0.8 0.6 0.2 1', undefined],
  ])
})

test('of a body of MJCF that shows nothing, what touches is shown', () => {
  expect(inMjcf('<geom size="1" class="hidden"/>')).toEqual([['sphere', '0.8 0.6 0.2 1', undefined]])
})

test('a material of MJCF has a colour, an image of a file, or the mean colour of one that MuJoCo makes', () => {
  const assets = `<texture name="photo" type="2d" file="photo.png"/>
    <texture name="check" builtin="checker" rgb1="0 0 0" rgb2="1 0.5 0" width="8" height="8"/>
    <texture name="even" builtin="flat" rgb1="0 1 0" width="8" height="8"/>
    <material name="photo" texture="photo"/><material name="check" texture="check" rgba="1 1 1 0.5"/>
    <material name="even"><layer role="rgb" texture="even"/></material>`
  const geom = (material: string, rgba = '0.5 0.5 0.5 1') => `<geom size="1" material="${material}" rgba="${rgba}"/>`
  expect(
    inMjcf(geom('photo') + geom('check') + geom('even') + geom('photo', '1 0 0 1') + geom('even', '1 0 0 1'), assets),
  ).toEqual([
    ['sphere', '1 1 1 1', 'pictures/photo.png'],
    ['sphere', '0.5 0.25 0 0.5', undefined],
    ['sphere', '0 1 0 1', undefined],
    ['sphere', '1 0 0 1', 'pictures/photo.png'],
    ['sphere', '1 0 0 1', undefined],
  ])
})

test('a visual of SDF has its diffuse colour, else the ambient one, else that of a standard material; and its image', () => {
  const visual = (inside: string) => `<visual name="v"><geometry><sphere><radius>1</radius></sphere></geometry>${inside}</visual>`
  const material = (inside: string) => visual(`<material>${inside}</material>`)
  const link = [
    material('<ambient>0 0 1 1</ambient><diffuse>1 0 0 0.5</diffuse>'),
    material('<ambient>0 0 1 1</ambient><script><name>Gazebo/Red</name></script>'),
    material('<script><name>Gazebo/Orange</name></script>'),
    material('<pbr><metal><albedo_map>model://a/b.png</albedo_map></metal></pbr>'),
    visual('<transparency>0.75</transparency>'),
    visual(''),
  ]
  const sdf = `<sdf version="1.9"><model name="m"><link name="l">${link.join('')}</link></model></sdf>`
  expect(looks(sdf, 'robot.sdf')[0]).toEqual([
    ['sphere', '1 0 0 0.5', undefined],
    ['sphere', '0 0 1 1', undefined],
    ['sphere', '1 0.51 0.05 1', undefined],
    ['sphere', '1 1 1 1', 'model://a/b.png'],
    ['sphere', '1 1 1 0.25', undefined],
    ['sphere', undefined, undefined],
  ])
})

const urdf = `<robot name="r"><material name="blue"><color rgba="0 0 1 1"/></material><link name="l">
  <visual><geometry><sphere radius="1"/></geometry><material name="blue"/></visual>
  <visual><geometry><sphere radius="1"/></geometry><material name="wood"><texture filename="wood.png"/></material></visual>
  <visual><geometry><sphere radius="1"/></geometry><material name="odd"><color rgba="red"/></material></visual>
  <visual><geometry><sphere radius="1"/></geometry><material name="none"/></visual>
  <collision><geometry><sphere radius="1"/></geometry></collision></link></robot>`

test('a visual of URDF has its own material, or the one of that name; collision shapes are not shown', () => {
  expect(looks(urdf, 'robot.urdf')[0]).toEqual([
    ['sphere', '0 0 1 1', undefined],
    ['sphere', '1 1 1 1', 'wood.png'],
    ['sphere', '1 1 1 1', undefined],
    ['sphere', undefined, undefined],
  ])
})

test('a robot written in any format looks as it did, but for images and colours that are not stated', () => {
  const description = describeRobot(urdf, { file: 'robot.urdf' })
  expect(looks(writeUrdf(description), 'robot.urdf')).toEqual(looks(urdf, 'robot.urdf'))
  const colors = ['0 0 1 1', '1 1 1 1', '1 1 1 1']
  const written = { 'robot.xml': writeMjcf(description).text, 'robot.sdf': writeSdf(description).text }
  for (const [file, text] of Object.entries(written))
    expect(
      looks(text, file)[0]
        .map(([, color]) => color)
        .slice(0, 3),
    ).toEqual(colors)
})
