import { expect, test } from 'vitest'
import { ended, featherbed, temporaryFolder } from './command.ts'

const folder = temporaryFolder()

test('run names the inputs that its model drops and the laws that it breaks, in the words of compare', async () => {
  const scenario = folder.write(
    'drop.yaml',
    'name: drop\nduration: 0.6 s\ndt: 2 ms\nground: { friction: 0.5, restitution: 0.5 }\nbodies:\n' +
      '  - { name: b, shape: { type: sphere, radius: 0.1 }, mass: 1, restitution: 0.5, position: [0, 0, 1.1] }\nmodels: [ncp, mujoco]\n',
  )
  const soft = await ended(0, featherbed(['run', scenario, '--model', 'mujoco']))
  expect(soft.stdout).toContain('mujoco cannot do what is stated of surfaces: restitution\n')
  expect(soft.stdout).toMatch(
    /mujoco leaves impacts at speeds that are wrong by [\d.]+ % of those before \(limit 10 %\), most at t = /,
  )
  const rigid = await ended(0, featherbed(['run', scenario, '--model', 'ncp']))
  expect(rigid.stdout).not.toMatch(/Dropped|Broken law/)
  const compared = await ended(0, featherbed(['compare', scenario]))
  expect(compared.stdout).toContain('mujoco cannot do what is stated of surfaces: restitution\n')
})
