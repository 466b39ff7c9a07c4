import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { featherbed, temporaryFolder } from '../command.ts'

const folder = temporaryFolder()

const ball = () =>
  folder.write(
    'ball.yaml',
    'bodies: [{ name: ball, shape: { type: sphere, radius: 10 cm }, mass: 1 kg, position: [0, 0, 9] }]\nmodels: [penalty]\nduration: 0.2 s\n',
  )

// all is safe here, so that nothing is narrowed: that is map.test.ts's
test('map, and compare --map, print one document and write it with two pictures', async () => {
  const words = ['--json', '--quiet', '--serial', '--out', folder.path]
  const first = await featherbed(['map', ball(), '--over', 'dt=0.1ms..0.2ms/2,friction=0.5..1/2', ...words])
  expect(first.stderr).toBe('')
  const result = JSON.parse(first.stdout)
  expect(result).toMatchObject({ kind: 'map', chosen_s: 1e-3, models: [{ model: 'penalty' }] })
  expect(result.work[0].points.length).toBeGreaterThan(0)
  expect(JSON.parse(readFileSync(join(folder.path, 'map.json'), 'utf8')).models).toEqual(result.models)
  for (const file of ['map.html', 'map.svg']) expect(existsSync(join(folder.path, file))).toBe(true)
  const second = await featherbed(['compare', ball(), '--map', 'dt=0.1ms..0.2ms/2,friction=0.5..1/2', ...words])
  expect(JSON.parse(second.stdout).models).toEqual(result.models)
})

test('tune prints one document, the same with any number of threads, and writes it with a page', async () => {
  const file = folder.write(
    'fall.yaml',
    'bodies: [{ name: ball, shape: { type: sphere, radius: 10 cm }, mass: 1 kg, position: [0, 0, 0.1] }]\nduration: 0.1 s\n',
  )
  const words = ['tune', file, '--dt', '5ms', '--json', '--quiet']
  const [serial, threads] = [await featherbed([...words, '--serial']), await featherbed([...words, '--out', folder.path])]
  const [first, second] = [serial, threads].map(({ stdout }) => ({ ...JSON.parse(stdout), command: '' }))
  expect(first).toMatchObject({ kind: 'tune', model: 'penalty', duration: 0.1, dt: 5e-3, rules: { length: 4 } })
  expect(second).toEqual(first)
  expect(readFileSync(join(folder.path, 'tune.html'), 'utf8')).toContain('Ziegler-Nichols PID')
})

test('what is wrong with a command is said in one line, with exit code 2', async () => {
  for (const [words, message] of [
    [['map', ball(), '--over', 'stiffness'], 'expected dt and one more'],
    [['compare', ball(), '--map', 'dt,stifness'], 'Did you mean stiffness?'],
    [['sensitivity', ball(), '--by', '2'], 'expected a part of each input'],
    [['transfer', ball()], "required option '--controllers <a,b>'"],
    [['tune', ball(), '--model', 'ncp'], 'expected penalty or penalty-deepest'],
    [['tune', ball(), '--dt', '1e-3,1e-2'], 'expected one step'],
    [['tune', ball()], 'nothing touches anything in this run'],
    [['run', ball(), '--accuracy', '1e-3', '--dt', '1e-3'], 'give one of the two'],
    [['run', ball(), '--accuracy', '3'], 'between 0 and 1'],
  ] as const) {
    const { code, stderr } = await featherbed(words)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  }
})
