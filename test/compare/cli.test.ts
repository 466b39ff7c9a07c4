import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { serve } from '../../compare/cli/view.ts'
import { blockUrdf, featherbed, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const block = folder.write('block.urdf', blockUrdf)
const short = ['--duration', '0.05', '--quiet']
const one = [...short, '--models', 'penalty', '--dt', '1e-3']

describe('every verb', () => {
  for (const verb of ['inspect', 'dynamics', 'run', 'compare', 'view']) {
    test(`${verb} --help shows an example and exits with 0`, async () => {
      const { code, stdout } = await featherbed([verb, '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain('Example:')
      for (const flag of ['--json', '--quiet']) expect(stdout).toContain(flag)
    })
  }

  test('compare --help names a scenario file that is there', async () => {
    const { stdout } = await featherbed(['compare', '--help'])
    const [named] = /docs\/examples\/\S+/.exec(stdout) as RegExpExecArray
    expect(existsSync(fileURLToPath(new URL(`../../${named}`, import.meta.url)))).toBe(true)
  })

  for (const args of [
    ['inspect', block],
    ['dynamics', block, '--link', 'body'],
    ['run', block, ...short],
    ['compare', block, ...one],
  ]) {
    test(`${args[0]} --json prints one JSON document and nothing else`, async () => {
      const { code, stdout } = await featherbed([...args, '--json'])
      expect(code).toBe(0)
      expect(() => JSON.parse(stdout)).not.toThrow()
    })
  }
})

describe('inspect', () => {
  test('answers in the shape that people build on', async () => {
    const { stdout } = await featherbed(['inspect', 'humanoid', '--json'])
    const answer = JSON.parse(stdout)
    expect(Object.keys(answer).sort()).toEqual([
      'centerOfMass',
      'doctor',
      'dof',
      'joints',
      'links',
      'mass',
      'massUsed',
      'name',
      'nq',
      'nv',
      'tags',
    ])
    expect(answer).toMatchObject({ name: 'humanoid', dof: 26, nv: 32, nq: 33 })
  })

  test('--fixed holds the base', async () => {
    const { stdout } = await featherbed(['inspect', 'humanoid', '--fixed', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ nv: 26, nq: 26 })
  })

  test('a broken file fails with its file and line, and no stack', async () => {
    const broken = folder.write(
      'broken.urdf',
      '<robot name="r">\n<link name="a"/>\n<joint name="j" type="hinge"><parent link="a"/><child link="b"/></joint>\n</robot>',
    )
    const { code, stderr, stdout } = await featherbed(['inspect', broken])
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/broken\.urdf:3 /)
    expect(stderr).not.toContain('    at ')
  })
})

describe('dynamics', () => {
  test('of a free block is its inertia and its weight', async () => {
    const state = folder.write('state.json', '{"tau": {"base": [0, 0, 0, 0, 0, 19.62]}}')
    const { stdout } = await featherbed(['dynamics', block, '--state', state, '--link', 'body', '--json'])
    const { velocityNames, massMatrix, gravityTerm, forwardDynamics, jacobians } = JSON.parse(stdout)
    expect(velocityNames).toEqual(['base/wx', 'base/wy', 'base/wz', 'base/vx', 'base/vy', 'base/vz'])
    expect(massMatrix.map((row: number[], i: number) => row[i])).toEqual([0.0133, 0.0133, 0.0133, 2, 2, 2])
    expect(gravityTerm[5]).toBeCloseTo(2 * 9.81, 12)
    expect(Math.abs(forwardDynamics[5])).toBeLessThan(1e-12)
    expect(jacobians.body).toHaveLength(6)
  })
})

describe('compare', () => {
  test('writes results.json, the same as --json, and a report that asks nothing of any server', async () => {
    const out = join(folder.path, 'out')
    const { code, stdout, stderr } = await featherbed(['compare', block, ...one, '--out', out, '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'))).toEqual(JSON.parse(stdout))
    const html = readFileSync(join(out, 'report.html'), 'utf8')
    expect(html).not.toMatch(/(?:src|href)="(?!#|data:)/)
    expect(html).not.toMatch(/url\((?!#)/)
    expect(html).not.toContain('http://')
  })

  test('answers in the shape that people build on', async () => {
    const { stdout } = await featherbed(['compare', block, ...one, '--seed', '3', '--json'])
    const { version, scenario, verdicts, runs } = JSON.parse(stdout)
    expect(version).toBe(1)
    expect(scenario).toMatchObject({ duration: 0.05, dt: [1e-3], seed: 3 })
    expect(Object.keys(verdicts[0]).sort()).toEqual(['dt', 'limits', 'missed', 'model', 'robot', 'sentence'])
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatchObject({ robot: 'block', model: 'penalty', dt: 1e-3, seed: 3, status: 'ok', failure: null })
    expect(runs[0].hash).toMatch(/^[0-9a-f]{16}$/)
    expect(Object.keys(runs[0].metrics)).toEqual([
      'penetrationMax_m',
      'penetrationMean_m',
      'restKineticEnergy_J',
      'energyGain_J',
      'stickSlip_m',
      'coneViolation_N',
      'complementarity',
      'momentumError',
      'trackingRms_rad',
      'trackingRms_m',
      'torqueRms_Nm',
      'contactChanges_Hz',
      'solverFailures',
      'fallbacks',
      'step_us',
      'realTimeFactor',
    ])
    expect(Object.keys(runs[0].parameters)).toEqual(['used', 'derived', 'unused'])
  })

  test('takes a scenario file, whose paths are relative to it', async () => {
    folder.write(
      'slide.yaml',
      'robot: block.urdf\nduration: 50 ms\nmodels: penalty\ndt: 1 ms\nstart: { linearVelocity: [1, 0, 0] }',
    )
    const { code, stdout } = await featherbed(['compare', join(folder.path, 'slide.yaml'), '--json', '--quiet'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).runs).toHaveLength(1)
  })

  test('prints a table and one verdict a robot, without colours where nobody sees them', async () => {
    const { stdout } = await featherbed(['compare', block, 'diffdrive', ...one])
    expect(stdout).toMatch(/^model +step +penetration +error +error/m)
    expect(stdout).toMatch(/^block: /m)
    expect(stdout).toMatch(/^diffdrive: /m)
    expect(stdout).not.toContain('\u001b[')
  })

  test('marks every limit that a run missed, and says if the robot starts in the ground', async () => {
    const file = folder.write(
      'sunk.yaml',
      'robot: block.urdf\nduration: 50 ms\nmodels: penalty\ndt: 1 ms\nstart: { position: [0, 0, 9 cm] }',
    )
    const { stdout } = await featherbed(['compare', file, '--quiet'])
    expect(stdout).toMatch(/^penalty +1 ms +10 mm !/m)
    expect(stdout).toContain('Before the first step it stands 10 mm deep')
    expect(stdout).toContain('! marks what each one missed')
    const { robots } = JSON.parse((await featherbed(['compare', file, '--quiet', '--json'])).stdout)
    expect(robots[0].startPenetration_m).toBeCloseTo(0.01, 12)
  })

  test('--quiet is silent on stderr; without it, progress goes there', async () => {
    expect((await featherbed(['run', block, ...short])).stderr).toBe('')
    expect((await featherbed(['run', block, '--duration', '0.05'])).stderr).toContain('simulating')
  })
})

describe('wrong usage exits with 2 and says what, in a line, on stderr', () => {
  const blocked = folder.write('file', '')
  for (const [args, message] of [
    [[], 'Usage: featherbed'],
    [['nosuchverb'], "unknown command 'nosuchverb'"],
    [['compare'], 'missing required argument'],
    [['compare', 'nosuchrobot'], 'there is no robot'],
    [['compare', block, '--models', 'penalty,nosuch'], '--models found "nosuch", expected "all" or one of penalty-deepest'],
    [['compare', block, '--dt', '1 kg'], '--dt found "1 kg", whose unit does not fit'],
    [['compare', block, '--dt', '1e-3,'], '--dt found "1e-3,"'],
    [['compare', block, '--duration', 'long'], '--duration found "long"'],
    [['compare', block, '--seed', 'x'], '--seed found "x"'],
    [['compare', block, '--nosuch'], "unknown option '--nosuch'"],
    [['compare', block, '--controller', 'nosuch.ts'], 'there is no file'],
    [['compare', block, '--controller', 'nosuch'], 'expected a path to a script or one of hold'],
    [['compare', block, '--out', join(blocked, 'out')], 'cannot be written to (ENOTDIR)'],
    [['compare', block, '--floating', '--fixed'], 'exclude each other'],
    [['compare', 'nosuch.yaml'], 'nosuch.yaml: cannot be read (ENOENT)'],
    [['compare', 'a.yaml', 'b.yaml'], 'one scenario file and nothing beside it'],
    [['compare', block, '--threads', '0'], '--threads found "0"'],
    [['inspect', 'nosuch.urdf'], 'there is no such file'],
    [['dynamics', block, '--state', 'nosuch.json'], 'cannot be read'],
    [['dynamics', block, '--link', 'nose'], 'has no link "nose"'],
    [['view', '--port', 'x'], '--port found "x"'],
  ] as const) {
    test(['featherbed', ...args].join(' ').replaceAll(folder.path, ''), async () => {
      const { code, stdout, stderr } = await featherbed(args)
      expect(stderr).toContain(message)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).not.toContain('    at ')
    })
  }

  test('an option that a contact model does not know, before anything runs', async () => {
    const file = folder.write('option.yaml', 'robot: block.urdf\nmodels: [{ name: penalty, bogus: 3 }]')
    const { code, stderr } = await featherbed(['compare', file])
    expect(code).toBe(2)
    expect(stderr).toContain('has no option "bogus"; it knows')
    expect(stderr).not.toContain('simulating')
  })

  test('a scenario names its file and line', async () => {
    const bad = folder.write('bad.yaml', 'robot: diffdrive\nlimits:\n  penetration: 10 kg\n')
    const { code, stderr } = await featherbed(['compare', bad])
    expect(stderr).toContain('bad.yaml:3 limits.penetration: found "10 kg"')
    expect(code).toBe(2)
  })

  test('with --json, stdout holds the error as JSON', async () => {
    const { code, stdout } = await featherbed(['compare', block, '--models', 'nosuch', '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 2, message: expect.stringContaining('nosuch') } })
  })
})

describe('view', () => {
  const root = temporaryFolder()
  const outside = temporaryFolder()
  outside.write('secret.txt', 'secret')
  root.write('index.html', '<!doctype html>hello')
  symlinkSync(join(outside.path, 'secret.txt'), join(root.path, 'link.txt'))
  writeFileSync(join(root.path, 'a.js'), 'x')

  const ask = (path: string, { method = 'GET', host }: { method?: string; host?: string } = {}) =>
    new Promise<{ status?: number; type?: string; body: string }>((resolve, reject) => {
      const server = serve(root.path).listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number }
        const headers = host === undefined ? {} : { host }
        const call = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
          let body = ''
          response.on('data', (chunk) => (body += chunk))
          response.on('end', () => {
            server.close()
            resolve({ status: response.statusCode, type: response.headers['content-type'], body })
          })
        })
        call.on('error', reject)
        call.end()
      })
    })

  test('serves the folder', async () => {
    expect(await ask('/')).toMatchObject({ status: 200, type: 'text/html; charset=utf-8', body: '<!doctype html>hello' })
    expect(await ask('/a.js?x=1')).toMatchObject({ status: 200, type: 'text/javascript; charset=utf-8' })
  })
  for (const path of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/link.txt',
    '/nosuch',
    '/%00',
    '/%',
    '//etc/passwd',
  ]) {
    test(`serves nothing for ${path}`, async () => expect((await ask(path)).status).toBe(404))
  }
  test('answers only to this machine’s names, and only GET', async () => {
    expect((await ask('/', { host: 'evil.example' })).status).toBe(403)
    expect((await ask('/', { method: 'POST' })).status).toBe(405)
  })
})
