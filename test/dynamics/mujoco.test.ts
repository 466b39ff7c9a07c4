import { expect, test } from 'vitest'
import { askMujoco, differences, mujocoOf, ourAnswers } from '../oracle/mujoco.ts'
import { randomQuestions } from './randomTree.ts'

test('M, bias, inverse and forward dynamics of 300 random trees agree with MuJoCo', async () => {
  for (const { model, state, a, tau } of randomQuestions(300)) {
    const mujoco = await mujocoOf(model)
    const errors = differences(ourAnswers(model, state, a, tau), askMujoco(mujoco, model, state, a, tau))
    mujoco.delete()
    // Both round, and the forward problem multiplies that by the condition of M, which reaches 5e6 here.
    for (const error of Object.values(errors)) expect(error).toBeLessThan(1e-9)
  }
})
