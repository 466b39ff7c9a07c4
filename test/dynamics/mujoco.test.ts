import { expect, test } from 'vitest'
import { createRandom } from '../../dynamics/index.ts'
import { compareWithMujoco, mujocoOf } from '../oracle/mujoco.ts'
import { randomState, randomTree, randomVector } from './randomTree.ts'

test('M, bias, inverse and forward dynamics of 100 random trees agree with MuJoCo', async () => {
  const random = createRandom(20)
  const worst = { M: 0, bias: 0, inverse: 0, forward: 0 }
  for (let n = 0; n < 100; n++) {
    const model = randomTree(random, { bodies: 2 + random.index(29), floating: n % 2 === 0, armature: n % 3 === 0 })
    const state = randomState(random, model)
    const mujoco = await mujocoOf(model)
    const errors = compareWithMujoco(mujoco, model, state, randomVector(random, model.nv, 5), randomVector(random, model.nv, 5))
    mujoco.delete()
    for (const key of ['M', 'bias', 'inverse', 'forward'] as const) {
      if (!(errors[key] <= worst[key])) worst[key] = errors[key]
    }
  }
  // MuJoCo diagonalises each inertia to about 1e-12; the forward problem multiplies that by the condition of M
  expect(worst.M).toBeLessThan(1e-9)
  expect(worst.bias).toBeLessThan(1e-9)
  expect(worst.inverse).toBeLessThan(1e-9)
  expect(worst.forward).toBeLessThan(1e-9)
})
