import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import loadMujoco from '@mujoco/mujoco'
import { expect, test } from 'vitest'
import { crba, createData, createRandom, createState, kinematics } from '../../dynamics/index.ts'
import { loadRobotFileSync, ownRobotPath } from '../../robots/files.ts'
import { lookalikePath } from './lookalike.ts'

/*
 * Two readers of one file: MuJoCo reads the same URDF, and the joint-space inertia has to come out the same. It covers
 * what a reader can get wrong: the order of roll, pitch and yaw, the frame of an inertia, oblique axes, merged links.
 * MuJoCo welds the base to the world, so ours is fixed too.
 */

const folder = process.env.FEATHERBED_ROBOTS
const files = {
  diffdrive: ownRobotPath('diffdrive'),
  humanoid: ownRobotPath('humanoid'),
  'a look-alike quadruped': lookalikePath('urdf/quadruped.urdf'),
  ...(folder && {
    a1: join(folder, 'a1/a1_description/urdf/a1.urdf'),
    r1: join(folder, 'r1/r1_description/R1.urdf'),
    ur5: join(folder, 'ur5/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf'),
    atlas: join(folder, 'atlas/drake_models/atlas/atlas_minimal_contact.urdf'),
    iiwa14: join(folder, 'iiwa14/drake_models/iiwa_description/urdf/iiwa14_no_collision.urdf'),
    panda: join(folder, 'panda/example-robot-data/robots/panda_description/urdf/panda.urdf'),
  }),
}
if (folder === undefined) console.log('FEATHERBED_ROBOTS is not set: MuJoCo reads our own robots only, no real ones')

/** Without shapes, whose meshes MuJoCo would want, and without a compiler block of the file's own. */
function bare(urdf: string): string {
  return urdf
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(visual|collision|mujoco|mimic)\b[^>]*\/>/g, '')
    .replace(/<(visual|collision|mujoco|mimic)\b[\s\S]*?<\/\1>/g, '')
    .replace(/<robot[^>]*>/, (tag) => `${tag}<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco>`)
}

test.each(Object.entries(files))('M of %s is what MuJoCo makes of the same file', async (_, file) => {
  const mj = await loadMujoco()
  const theirs = mj.MjModel.from_xml_string(bare(readFileSync(file, 'utf8')))
  const data = new mj.MjData(theirs)
  const { model, joints } = loadRobotFileSync(file, { base: 'fixed' })
  expect(theirs.nv).toBe(model.nv)
  const addresses = theirs.jnt_dofadr
  const dofs = joints.map(({ name }) => addresses[mj.mj_name2id(theirs, mj.mjtObj.mjOBJ_JOINT.value, name)])

  const random = createRandom(3)
  const state = createState(model)
  const ours = createData(model)
  const buffer = new mj.DoubleBuffer(model.nv * model.nv)
  for (let trial = 0; trial < 5; trial++) {
    const qpos = new Float64Array(model.nv)
    joints.forEach(({ qIndex }, i) => {
      state.q[qIndex] = 2 * random.next() - 1
      qpos[dofs[i]] = state.q[qIndex]
    })
    kinematics(model, state, ours)
    crba(model, ours)
    data.qpos.set(qpos)
    mj.mj_forward(theirs, data)
    mj.mj_fullM(theirs, data, buffer)
    const M = buffer.GetView()
    let largest = 0
    let difference = 0
    for (const [i, row] of joints.entries()) {
      for (const [j, column] of joints.entries()) {
        const entry = M[dofs[i] * model.nv + dofs[j]]
        largest = Math.max(largest, Math.abs(entry))
        difference = Math.max(difference, Math.abs(ours.M[row.vIndex * model.nv + column.vIndex] - entry))
      }
    }
    // MuJoCo diagonalises each inertia to about 1e-12
    expect(difference).toBeLessThan(1e-9 * largest)
  }
  buffer.delete()
  data.delete()
  theirs.delete()
})
