import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { featherbed, temporaryFolder } from '../command.ts'
import { parseCsv, readIndexed, schemaFaults } from './reading.ts'

const { path: folder } = temporaryFolder()
const base = ['run', 'quadruped', '--model', 'ncp', '--dt', '1e-3', '--duration', '0.02', '--ranges', '5', '--quiet']

test('a run with ranges has them in its result, its folder, its table and its report', async () => {
  const [record, out, report] = ['trot.csv', 'out', 'trot.html'].map((name) => join(folder, name))
  const { code, stdout } = await featherbed([...base, '--json', '--record', record, '--out', out, '--report', report])
  expect(code).toBe(0)
  const { ranges } = JSON.parse(stdout)
  expect(ranges).toMatchObject({ steps: 4, outside: 0, outsideMax_N: 0, relaxed: 0, relaxationMax_N: 0 })
  expect(ranges.joints).toHaveLength(12)
  for (const { model, greatest, width } of ranges.joints) {
    expect(greatest).toBeGreaterThan(model)
    expect(width).toBeLessThanOrEqual(2 * greatest)
  }
  const whole = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'))
  expect(whole.rangeSeries.t).toEqual([0.001, 0.006, 0.011, 0.016])
  expect(whole.rangeSeries.torque).toHaveLength(12)

  const [header, ...rows] = parseCsv(readFileSync(join(folder, 'trot.ranges.csv'), 'utf8'))
  const column = (name: string) => rows.map((row) => row[header.indexOf(name)])
  expect(new Set(column('step'))).toEqual(new Set(['1', '6', '11', '16']))
  expect(new Set(column('kind'))).toEqual(new Set(['torque', 'normal', 'friction1', 'friction2']))
  const [values, least, greatest] = ['value', 'min', 'max'].map((name) => column(name).map(Number))
  values.forEach((value, i) => {
    expect(value).toBeGreaterThanOrEqual(least[i])
    expect(value).toBeLessThanOrEqual(greatest[i])
  })
  expect(Math.max(...values.filter((_, i) => column('kind')[i] === 'normal'))).toBeGreaterThan(10)

  const page = readFileSync(report, 'utf8')
  expect(page).toContain('Torques that explain the motion')
  expect(page.match(/aria-label="Range of/g)).toHaveLength(12)
})

test('the topic of ranges has a message at each step that has them, and no bound is null', async () => {
  const file = join(folder, 'grip.mcap')
  const scene = 'docs/examples/default/grip.yaml'
  const { code } = await featherbed([
    ...['run', scene, '--model', 'ncp', '--dt', '2e-3', '--duration', '0.06', '--ranges', '30', '--record', file, '--quiet'],
    ...['--motorless', 'gripper/slide_joint'],
  ])
  expect(code).toBe(0)
  const { messages: all, reader } = await readIndexed(file)
  const messages = all.filter(({ topic }) => topic === '/ranges')
  expect(messages).toHaveLength(1)
  const [{ schema, json }] = messages
  expect(schema).toBe('featherbed.Ranges')
  expect(json.torques.map(({ name }: { name: string }) => name)).toEqual([
    'gripper/left_finger_joint',
    'gripper/right_finger_joint',
  ])
  expect(json.contacts.length).toBeGreaterThan(0)
  const known = [...reader.schemasById.values()].find(({ name }) => name === schema)
  expect(schemaFaults(json, JSON.parse(Buffer.from(known?.data as Uint8Array).toString()))).toEqual([])
  expect(json).toMatchObject({ step: 1, excess: 0, relaxation: 0 })
})

test.each([
  [['--ranges', '0'], '--ranges found "0", expected a whole number'],
  [['--motorless', 'hip'], '--ranges found "undefined"'],
  [['--ranges', '1', '--record', 'x.mcap', '--profile', 'ros2'], '--ranges has a topic of its own'],
])('%j is refused', async (flags, message) => {
  const { code, stderr } = await featherbed(['run', 'quadruped', '--duration', '0.01', ...flags])
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})

test('a joint that there is not is named, with those that there are', async () => {
  const { code, stdout } = await featherbed([...base, '--motorless', 'hip'])
  expect(code).toBe(1)
  expect(stdout).toContain('there is no joint with a motor "hip"; there are front_left_hip_joint')
})
