/** Engines of Python: what is told of them, and what becomes of an installation that fails. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adaptersOf, EngineMissing, installedVersion, pythonEngines } from '../../engines/index.ts'
import { featherbed, refusal, temporaryFolder } from '../compare/command.ts'

const folder = temporaryFolder()
const before = process.env.FEATHERBED_ENGINES

describe('engines of Python', () => {
  beforeAll(() => {
    process.env.FEATHERBED_ENGINES = folder.path
    const packages = join(folder.path, 'drake/lib/python3.11/site-packages')
    mkdirSync(join(packages, 'drake-1.51.1.dist-info'), { recursive: true })
    mkdirSync(join(folder.path, 'drake/bin'))
    writeFileSync(join(folder.path, 'drake/bin/python'), '')
  })
  afterAll(() => {
    if (before === undefined) delete process.env.FEATHERBED_ENGINES
    else process.env.FEATHERBED_ENGINES = before
  })

  test('are listed with their version, or with the command that installs them', async () => {
    const { engines } = JSON.parse((await featherbed(['engines', '--json'])).stdout) as {
      engines: { name: string; version: string | null; packages: string[] }[]
    }
    expect(engines.map(({ name }) => name)).toEqual(pythonEngines)
    expect(engines.filter(({ version }) => version !== null)).toEqual([
      { name: 'drake', version: '1.51.1', packages: ['drake==1.51.1'] },
    ])
    const { stdout } = await featherbed(['engines'])
    expect(stdout).toMatch(/drake +drake==1\.51\.1 +installed 1\.51\.1/)
    expect(stdout).toMatch(/dart +dartpy==6\.20\.0 +missing: featherbed engines dart/)
  })

  test('have adapters where they are installed, as they come first, and else say how to get them', async () => {
    expect((await adaptersOf('drake')).map(({ name, version }) => [name, version])[0]).toEqual(['Drake', '1.51.1'])
    await expect(adaptersOf('newton')).rejects.toThrow(new EngineMissing('newton', 'featherbed engines newton'))
  })

  test('an installation that fails leaves what was there, and nothing of its own', async () => {
    const { code, stderr } = await featherbed(['engines', 'drake', '--python', '/no/python', '--quiet'])
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^drake: \/no\/python -m venv .*: there is no \/no\/python \(ENOENT\)/),
    ])
    expect(installedVersion('drake')).toBe('1.51.1')
    expect(readdirSync(folder.path)).toEqual(['drake'])
    expect(await refusal(['engines', 'bullet'])).toMatch(/engines found "bullet", expected drake, .* or all/)
  })

  test('one that does not start fails its run alone', async () => {
    const words = ['phenomena', 'ball-rolls-on', '--models', 'ncp', '--engines', 'drake', '--threads', '0', '--json']
    const { scenes } = JSON.parse((await featherbed(words)).stdout) as {
      scenes: { rows: { column: string; verdict: string; worst: string }[] }[]
    }
    const of = (column: string) => scenes[0].rows.filter((row) => row.column === column)
    expect(of('ncp').map(({ verdict }) => verdict)).toEqual(['holds', 'holds'])
    for (const { verdict, worst } of of('Drake'))
      expect([verdict, worst]).toEqual(['failed', expect.stringMatching(/^drake did not start/)])
  })
})
