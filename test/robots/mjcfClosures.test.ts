import { expect, test } from 'vitest'
import { LoopRows } from '../../contact/index.ts'
import { kinematics } from '../../dynamics/index.ts'
import { loadRobot, writeMjcf } from '../../robots/index.ts'
import { loadExamined } from '../../robots/load.ts'
import { World } from '../../simulation/index.ts'
import { mjcfModelOf } from '../oracle/mjcf.ts'

/* Loops under the law `mujoco` for 0.3 s beside MuJoCo's Euler, from the file's start, open or closed. */

const geom = (size: string) => `<geom type="box" size="${size}" contype="0" conaffinity="0"/>`
const linkage = `<body name="a" pos="0 0 1"><joint axis="0 1 0"/>${geom('.02 .02 .15')}
  <body name="b" pos="0 0 -.3"><joint axis="0 1 0" damping=".01"/>${geom('.2 .02 .02')}</body></body>
  <body name="c" pos=".5 0 1"><joint axis="0 1 0"/>${geom('.05 .03 .15')}</body>`
const boxes = `<body name="a" pos="0 0 .4"><freejoint/>${geom('.1 .2 .1')}<site name="s" pos=".1 0 .1" euler="0 20 0"/></body>
  <body name="b" pos=".3 .1 .4" euler="10 20 30"><joint axis="0 1 1" pos=".1 0 0"/>${geom('.1 .1 .2')}<site name="t" pos="0 .1 0"/></body>`

const closures = [
  ['linkage', linkage, '<connect body1="b" body2="c" anchor=".4 0 0"/>'],
  ['linkage, slow', linkage, '<connect body1="b" body2="c" anchor=".4 0 0" solref=".1 1"/>'],
  ['linkage of a stiffness', linkage, '<connect body1="b" body2="c" anchor=".4 0 0" solref="-500 -10" solimp=".3 .8 .05 .5 3"/>'],
  ['point on the world', boxes, '<connect body1="b" anchor=".3 .1 0" solref=".1 1"/>'],
  ['points of sites', boxes, '<connect site1="s" site2="t" solref=".2 1"/>'],
  ['weld', boxes, '<weld body1="a" body2="b"/>'],
  ['soft weld', boxes, '<weld body1="a" body2="b" solref=".2 .5" torquescale=".1"/>'],
  ['weld at an anchor', boxes, '<weld body1="a" body2="b" anchor=".2 0 .1" solref=".1 1" torquescale="3"/>'],
  ['open weld', boxes, '<weld body1="a" body2="b" relpose=".35 .15 0 1 .1 .2 .3" anchor=".1 .1 0" solref=".1 1"/>'],
  ['weld to the world by a large angle', boxes, '<weld body1="b" solref=".1 1" relpose="0 0 .2 1 0 .3 0"/>'],
  ['weld of sites', boxes, '<weld site1="s" site2="t" solref=".1 1"/>'],
] as const

async function moved(text: string) {
  const { mj, model } = await mjcfModelOf(text)
  const data = new mj.MjData(model)
  for (let k = 0; k < 300; k++) mj.mj_step(model, data)
  const q = [...data.qpos]
  data.delete()
  model.delete()
  return q
}

test.each(closures)('a %s moves as in MuJoCo, and what is written of it too', async (_, bodies, equality) => {
  const text = `<mujoco><option timestep="0.001"/><worldbody>${bodies}</worldbody><equality>${equality}</equality></mujoco>`
  const robot = loadRobot(text, { file: 'm.xml', ground: false })
  const world = new World({ robot, loops: robot.loops, dt: 1e-3, contactModel: 'mujoco', fixtures: [], selfCollision: 'none' })
  for (let k = 0; k < 300; k++) world.step()
  const theirs = await moved(text)
  const { q } = world.state
  // MuJoCo's quaternions begin with w; here a hinge on the world stands before a free body
  const ours = q.length === 8 ? [1, 2, 3, 7, 4, 5, 6, 0].map((k) => q[k]) : [...q]
  theirs.forEach((x, k) => {
    expect(Math.abs(x - ours[k])).toBeLessThan(1e-9)
  })
  const { text: written, lost } = writeMjcf(loadExamined(text, { file: 'm.xml', ground: false }).examined.repaired)
  expect(lost.filter((text) => !text.startsWith('names of fixed joints'))).toEqual([])
  const again = await moved(written.replace('<option', '<option timestep="0.001"'))
  theirs.forEach((x, k) => {
    expect(Math.abs(x - again[k])).toBeLessThan(1e-6)
  })
})

test.each(['ncp', 'lcp', 'drake', 'penalty', 'peg'] as const)(
  'a loop of MJCF that is open at the start closes under %s',
  (contactModel) => {
    const equality = '<connect body1="b" body2="c" anchor=".4 0 0"/>'
    const text = `<mujoco><worldbody>${linkage}</worldbody><equality>${equality}</equality></mujoco>`
    const robot = loadRobot(text, { file: 'm.xml', ground: false })
    const q = Float64Array.of(0.02, 0, 0)
    const world = new World({ robot, loops: robot.loops, q, dt: 1e-3, contactModel, fixtures: [], selfCollision: 'none' })
    const rows = new LoopRows(world.model, world.loops)
    const gap = () => {
      kinematics(world.model, world.state, world.data)
      rows.build(world.data)
      return Math.hypot(...rows.error)
    }
    expect(gap()).toBeGreaterThan(5e-3)
    for (let k = 0; k < 300; k++) world.step()
    expect(gap()).toBeLessThan(1e-4)
  },
)
