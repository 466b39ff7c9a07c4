import { expect, test } from 'vitest'
import { createRandom } from '../../dynamics/index.ts'
import { loadOwnRobot, OWN_ROBOTS } from '../../robots/files.ts'
import { compareWithMujoco, mujocoOf } from '../oracle/mujoco.ts'
import { randomState, randomVector } from './randomTree.ts'

for (const name of OWN_ROBOTS) {
  test(`M, bias, inverse and forward dynamics of ${name} agree with MuJoCo`, async () => {
    const { model } = loadOwnRobot(name)
    expect(model.nv).toBeGreaterThan(2)
    const mujoco = await mujocoOf(model)
    const random = createRandom(1)
    for (let n = 0; n < 20; n++) {
      const state = randomState(random, model)
      const errors = compareWithMujoco(mujoco, model, state, randomVector(random, model.nv, 5), randomVector(random, model.nv, 5))
      // MuJoCo diagonalises each inertia to about 1e-12; the forward problem multiplies that by the condition of M
      for (const error of Object.values(errors)) expect(error).toBeLessThan(1e-9)
    }
    mujoco.delete()
  })
}
