import { expect, test } from 'vitest'
import { addBodyForces, createData, createRandom, kinematics, rnea } from '../../dynamics/index.ts'
import { trials } from '../dailyModels.ts'
import { largestDifference } from '../oracle/dense.ts'
import { askMujoco, differences, mujocoOf, ourAnswers } from '../oracle/mujoco.ts'
import { randomQuestions, randomVector } from './randomTree.ts'

test('M, bias, inverse and forward dynamics of random trees agree with MuJoCo', async () => {
  for (const { model, state, a, tau } of randomQuestions(trials(300))) {
    const mujoco = await mujocoOf(model)
    const errors = differences(ourAnswers(model, state, a, tau), askMujoco(mujoco, model, state, a, tau))
    mujoco.delete()
    // Both round, and the forward problem multiplies that by the condition of M, which reaches 5e6 here.
    for (const error of Object.values(errors)) expect(error).toBeLessThan(1e-9)
  }
})

test('inverse dynamics less forces from outside gives the efforts back under which MuJoCo moves as it does', async () => {
  const random = createRandom(21)
  let asked = 0
  for (const { model, state, a, tau } of randomQuestions(40)) {
    if (model.ns > model.nv) continue // MuJoCo leaves joints that follow others to themselves
    const mujoco = await mujocoOf(model)
    const { mj, model: mjModel, data: mjData } = mujoco
    askMujoco(mujoco, model, state, a, tau) // where bodies are
    const forcesW = randomVector(random, 6 * model.nb, 5)
    for (let i = 1; i < model.nb; i++) {
      const id = mj.mj_name2id(mjModel, mj.mjtObj.mjOBJ_BODY.value, `b${i}`)
      const [x, y, z] = mjData.xipos.subarray(3 * id, 3 * id + 3)
      const [nx, ny, nz, fx, fy, fz] = forcesW.subarray(6 * i)
      mjData.xfrc_applied.set([fx, fy, fz, nx - y * fz + z * fy, ny - z * fx + x * fz, nz - x * fy + y * fx], 6 * id)
    }
    const { forward } = askMujoco(mujoco, model, state, a, tau)
    mujoco.delete()

    const data = createData(model)
    const [inverse, outside] = [new Float64Array(model.nv), new Float64Array(model.nv)]
    kinematics(model, state, data)
    rnea(model, state, forward, data, inverse)
    addBodyForces(model, forcesW, data, outside)
    const efforts = inverse.map((x, k) => x - outside[k])
    // 7e-13 measured; the accelerations of light joints are large
    expect(largestDifference(efforts, tau, outside)).toBeLessThan(1e-11)
    asked++
  }
  expect(asked).toBeGreaterThan(15)
})
