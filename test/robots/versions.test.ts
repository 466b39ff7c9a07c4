import { expect, test } from 'vitest'
import { createRandom } from '../../dynamics/index.ts'
import { hullError } from '../../robots/compile/meshStore.ts'
import { memoryResolver } from '../../robots/files/resolve.ts'
import { inspectRobot, loadRobot, type Robot, writeUrdf } from '../../robots/index.ts'
import { stlBinary } from './fuzz/meshesSamples.ts'
import { describeText } from './reading.ts'

/** The quaternion x, y, z, w of roll, pitch, yaw, as a writer of files computes it. */
function quaternionOf([roll, pitch, yaw]: readonly number[]): number[] {
  const [sr, sp, sy] = [roll, pitch, yaw].map((angle) => Math.sin(angle / 2))
  const [cr, cp, cy] = [roll, pitch, yaw].map((angle) => Math.cos(angle / 2))
  return [sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy]
}

const arm = (turn: string, version: string) => `<robot name="arm" version="${version}">
  <link name="base"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.11" izz="0.12"/></inertial></link>
  <link name="tip"><inertial><origin xyz="0.35 0.1 0" ${turn}/><mass value="2"/><inertia ixx="0.1" iyy="0.11" izz="0.12"/></inertial>
    <collision><origin xyz="0 0 0.5" ${turn}/><geometry><box size="1 2 3"/></geometry></collision></link>
  <joint name="j" type="revolute"><origin xyz="1 2 3" ${turn}/><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>`

const mechanism = ({ model, home, shapes, frames }: Robot) => ({ model, home, shapes, frames })

test('URDF 1.1 with quaternions is its twin of 1.0 with roll, pitch and yaw, to the bit', () => {
  const random = createRandom(11)
  const right = [-Math.PI / 2, 0, Math.PI / 2, Math.PI, Math.PI / 6]
  const turns: number[][] = [
    ...right.flatMap((a) => right.map((b) => [a, 0, b])),
    ...[-1, 1].map((sign) => [0, (sign * Math.PI) / 2, 0.7]),
    // pitches near a right angle leave less than all digits
    ...Array.from({ length: 200 }, (_, n) =>
      [3, 1.2, 3].map((most) => Number((most * (2 * random.next() - 1)).toFixed(1 + (n % 6)))),
    ),
  ]
  for (const turn of turns) {
    const old = loadRobot(arm(`rpy="${turn.join(' ')}"`, '1.0'), { file: 'old.urdf' })
    const young = loadRobot(arm(`quat_xyzw="${quaternionOf(turn).join(' ')}"`, '1.1'), { file: 'young.urdf', strict: true })
    expect(mechanism(young), turn.join(' ')).toEqual(mechanism(old))
  }
})

test('the limits of URDF 1.2 are read, told and written again', () => {
  const text = (limit: string, version: string) =>
    arm('', version).replace('<limit lower="-1" upper="1" effort="1" velocity="1"/>', `<limit ${limit}/>`)
  const description = describeText(text('effort="1" velocity="2" acceleration="3" deceleration="4" jerk="5"', '1.2'))
  const stated = { lower: -Infinity, upper: Infinity, velocity: 2, acceleration: 3, deceleration: 4, jerk: 5 }
  expect(description.joints[0]).toMatchObject(stated)
  expect(description.diagnostics).toEqual([])
  expect(describeText(writeUrdf(description)).joints[0]).toMatchObject(stated)
  expect(describeText(text('effort="1" velocity="2"', '1.0')).diagnostics.map(({ code }) => code)).toEqual(['limit-missing'])
  expect(describeText(text('effort="1" velocity="2"', 'new')).diagnostics.map(({ code }) => code)).toEqual([
    'version',
    'limit-missing',
  ])
})

test('a robot without mass, or that floats without shapes, says so', () => {
  const lacks = (elements: string) => inspectRobot(loadRobot(`<robot name="r">${elements}</robot>`, { file: 'r.urdf' })).lacks
  const joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
  const inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
  const ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
  expect(lacks(`<link name="a"/><link name="b"/>${joint}`)).toHaveLength(2)
  expect(lacks(`<link name="a">${inertial}</link><link name="b">${inertial}</link>${joint}`)).toEqual([
    'it floats and has no collision shape',
  ])
  expect(lacks(`<link name="a">${inertial}${ball}</link><link name="b"/>${joint}`)).toEqual([])
  expect(lacks(`<link name="a">${ball}</link><link name="b"/>${joint}`)).toEqual([])
})

test('hulls keep all their corners up to a bound, and beyond it stay within the stated error, which is told', () => {
  const ball = (rounds: number) => {
    const at = (i: number, j: number) => {
      const [a, b] = [(Math.PI * (i + 0.5)) / rounds, (Math.PI * j) / rounds]
      return [Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a)]
    }
    const triangles: number[][] = []
    for (let i = 0; i + 1 < rounds; i++) {
      for (let j = 0; j < 2 * rounds; j++) triangles.push([...at(i, j), ...at(i + 1, j), ...at(i + 1, j + 1)])
    }
    return stlBinary(triangles)
  }
  const text = `<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="0.3" iyy="0.4" izz="0.5"/></inertial>
    <collision><geometry><mesh filename="ball.stl"/></geometry></collision></link></robot>`
  const load = (rounds: number) =>
    loadRobot(text, { file: 'r.urdf', resolver: memoryResolver(new Map([['ball.stl', ball(rounds)]])) })
  const cornersOf = ({ shapes: [{ shape }] }: Robot) => (shape.type === 'hull' ? shape.polyhedron.vertices.length / 3 : 0)
  const coarse = load(20)
  expect(cornersOf(coarse)).toBe(800)
  expect(coarse.diagnostics.some(({ code }) => code === 'hull-thinned')).toBe(false)
  const fine = load(64)
  const thinned = fine.diagnostics.find(({ code }) => code === 'hull-thinned')!
  expect(cornersOf(fine)).toBeLessThan(64 * 128)
  expect(thinned).toMatchObject({ severity: 'info', code: 'hull-thinned' })
  expect(Number(/([\d.]+) % of its size/.exec(thinned.message)![1])).toBeLessThanOrEqual(100 * hullError)
})
