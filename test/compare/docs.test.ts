import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { builtInControllers } from '../../compare/controllers.ts'
import { metricDefinitions } from '../../compare/metricDefinitions.ts'
import { doJob } from '../../compare/run.ts'
import { parseScenario } from '../../compare/scenario.ts'
import { resolveBeside } from '../../compare/setup.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const examples = join(docs, 'examples')

test('docs/metrics.md defines every metric', () => {
  const text = readFileSync(join(docs, 'metrics.md'), 'utf8')
  for (const key of Object.keys(metricDefinitions)) expect(text).toContain(`\`${key}\``)
})

test('docs/scenario.md names every built-in controller', () => {
  const text = readFileSync(join(docs, 'scenario.md'), 'utf8')
  for (const name of Object.keys(builtInControllers)) expect(text).toContain(`\`${name}\``)
})

describe('every example runs', () => {
  for (const name of readdirSync(examples).filter((file) => file.endsWith('.yaml'))) {
    test(name, async () => {
      const file = join(examples, name)
      const scenario = await parseScenario(readFileSync(file, 'utf8'), file, { duration: 0.05, dt: [1e-3] })
      for (const model of scenario.models) {
        const outcome = await doJob({ kind: 'run', scenario, robot: resolveBeside(file, scenario.robots[0]), model, dt: 1e-3 })
        expect(outcome).toMatchObject({ status: 'ok', failure: '' })
      }
    })
  }
  test('push.ts', async () => {
    const scenario = await parseScenario('robot: diffdrive\nduration: 0.05\ncontroller: push.ts', join(examples, 'x.yaml'))
    const controller = { file: join(dirname(join(examples, 'x.yaml')), 'push.ts'), options: {} }
    const outcome = await doJob({
      kind: 'run',
      scenario: { ...scenario, controller },
      robot: 'diffdrive',
      model: { name: 'penalty', options: {} },
      dt: 1e-3,
    })
    expect(outcome).toMatchObject({ status: 'ok', controllerMetrics: { worstError_rad: expect.any(Number) } })
  })
})
