import { describe, expect, test } from 'vitest'
import { createRandom, type Model, type Random } from '../../dynamics/index.ts'
import { loadExamined } from '../../robots/index.ts'
import { full, hasRobots } from '../dailyModels.ts'
import { randomBodies, randomState, randomVector, treeKind } from '../dynamics/randomTree.ts'
import { urdfOfTree } from '../dynamics/treeUrdf.ts'
import { isDear, loadWithRepairs, robotFiles } from '../oracle/corpus.ts'
import { compareWithMujoco, type Mujoco } from '../oracle/mujoco.ts'
import { mujocoOfRobot } from '../oracle/urdf.ts'
import { lookalikePath } from './lookalike.ts'

/*
 * Two readers of one file: MuJoCo reads the URDF that is written of each repaired robot. Its mass matrix, bias force,
 * inverse and forward dynamics have to come out the same, which covers what a reader can get wrong: the order of roll, pitch
 * and yaw, the frame of an inertia, oblique axes, merged links, mimic joints, planes.
 */

if (hasRobots('real robots as MuJoCo reads them') && !full) console.log('not run: MuJoCo does not read R1; set FEATHERBED_FULL')

/** At some random states. */
function expectAgreement(mujoco: Mujoco, model: Model, random: Random, states: number): void {
  for (let n = 0; n < states; n++) {
    const state = randomState(random, model)
    const errors = compareWithMujoco(mujoco, model, state, randomVector(random, model.nv, 5), randomVector(random, model.nv, 5))
    // MuJoCo diagonalises each inertia to about 1e-12; the forward problem multiplies that by the condition of M
    for (const error of Object.values(errors)) expect(error).toBeLessThan(1e-9)
  }
}

const files = [
  ...robotFiles().filter(([file]) => full || !isDear(file)),
  ['a look-alike quadruped', lookalikePath('urdf/quadruped.urdf')],
]

describe('M, bias, inverse and forward dynamics are what MuJoCo makes of the same file:', () => {
  test.each(files)('%s', async (_, path) => {
    for (const base of ['auto', 'fixed'] as const) {
      const loaded = loadWithRepairs(path, { base })
      if (loaded.robot.model.nv === 0) continue
      const mujoco = await mujocoOfRobot(loaded)
      expect(mujoco.model.nv).toBe(loaded.robot.model.ns)
      expectAgreement(mujoco, loaded.robot.model, createRandom(3), 10)
      mujoco.delete()
    }
  })

  const count = full ? 300 : 30
  test(`${count} random trees of every joint type, with chains of mimic joints`, async () => {
    const random = createRandom(31)
    const seen = new Set<number>()
    for (let n = 0; n < count; n++) {
      const bodies = randomBodies(random, { bodies: 2 + random.index(59), ...treeKind(n) })
      // a file has one root: where that floats, it carries all
      const rooted = bodies.map((body, index) => (n % 2 === 0 && index > 0 && body.parent === 0 ? { ...body, parent: 1 } : body))
      const loaded = loadExamined(urdfOfTree(rooted), { file: 'tree.urdf' })
      const { model } = loaded.robot
      if (model.nv === 0) continue
      for (const type of model.jointType) seen.add(type)
      const mujoco = await mujocoOfRobot(loaded)
      expectAgreement(mujoco, model, random, 1)
      mujoco.delete()
    }
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5])
  })
})
