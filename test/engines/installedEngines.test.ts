/** Engines of Python as they are, where they are installed: nothing else here runs one. */
import { expect, test } from 'vitest'
import { runPhenomena } from '../../cases/phenomena.ts'
import { adaptersOf, installedVersion, type PythonEngine, pythonEngines } from '../../engines/index.ts'

const full = Boolean(process.env.FEATHERBED_FULL)
const engines = pythonEngines.filter((name) => name !== ('conic' as PythonEngine))
const isThere = (name: PythonEngine) => full && installedVersion(name) !== undefined
const missing = engines.filter((name) => !isThere(name))
if (missing.length > 0)
  console.log(`not run: ${missing.join(', ')}; install them with featherbed engines, and set FEATHERBED_FULL`)

for (const engine of engines)
  test.runIf(isThere(engine))(`a sphere that slides in ${engine} rolls in the end, with five sevenths of its speed`, async () => {
    const { name } = (await adaptersOf(engine))[0]
    const { scenes } = await runPhenomena({ scenes: ['slide-to-roll'], models: [], engines: [engine], threads: 0, version: '' })
    const row = scenes[0].rows.find(({ column, dt }) => column === name && dt === 1e-3)
    expect(row?.verdict).not.toBe('failed')
    // PyBullet slows it further by its damping
    expect(row?.values[0]?.[0]).toBeGreaterThan(1.1)
    expect(row?.values[0]?.[0]).toBeLessThan(1.5)
  })
