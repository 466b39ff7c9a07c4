/** What goes wrong is said, and keeps nothing that was computed or recorded from being there. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lock } from '../../compare/cli/folderLock.ts'
import { blockUrdf, ended, featherbed, featherbedProcess, main, onlyComparison, refusal, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const block = folder.write('block.urdf', blockUrdf)
const short = ['--duration', '0.05', '--quiet']
const one = [...short, '--models', 'penalty', '--dt', '1e-3']
const at = (...parts: string[]) => join(folder.path, ...parts)
/** A device that takes nothing; a system without it has no full disk to try. */
const hasFullDisk = existsSync('/dev/full')
if (!hasFullDisk) console.log('not run: what happens on a full disk; this system has no /dev/full')

describe.runIf(hasFullDisk)('a full disk', () => {
  const link = (...parts: string[]) => {
    mkdirSync(at(...parts.slice(0, -1)), { recursive: true })
    symlinkSync('/dev/full', at(...parts))
  }

  test('for results.json: the results are printed, the report is written, the exit code is 1', async () => {
    link('full', 'results.json')
    const { stdout, stderr } = await ended(1, featherbed(['compare', block, ...one, '--out', at('full'), '--json']))
    expect(stderr).toMatch(/results\.json: cannot be written \(ENOSPC: the disk is full\)/)
    expect(onlyComparison(stdout).runs[0].status).toBe('ok')
    expect(readFileSync(at('full', 'report.html'), 'utf8')).toContain('</html>')
  })

  test('for report.html: results.json is there', async () => {
    link('late', 'report.html')
    const { stderr } = await ended(1, featherbed(['compare', block, ...one, '--out', at('late')]))
    expect(stderr).toMatch(/report\.html: cannot be written \(ENOSPC/)
    expect(onlyComparison(readFileSync(at('late', 'results.json'), 'utf8')).runs).toHaveLength(1)
  })

  test('for what a recording writes when it is closed: the run has its figures, and the command says what is missing', () => {
    // the limit on the size of a file stands in for the disk's
    const args = ['-c', 'ulimit -f 4; exec "$@"', 'bash', process.execPath, main, 'run', 'diffdrive', '--duration', '0.05']
    const { status, stdout, stderr } = spawnSync('bash', [...args, '--no-timing', '--record', at('closing.csv'), '--json'], {
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(/--record: .*closing.*the recording ended: .*\(EFBIG\)/)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'ok', recorded: expect.arrayContaining([at('closing.csv')]) })
  })

  test('for a recording that cannot even begin: the run ends before its first step, and says why', async () => {
    link('tape', 'run.mcap')
    const args = ['run', block, '--no-timing', '--model', 'penalty', ...short, '--record', at('tape', 'run.mcap'), '--json']
    const { stdout } = await ended(1, featherbed(args))
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', failure: expect.stringMatching(/run\.mcap.*ENOSPC/), steps: 0 })
  })

  test('for a checkpoint, and for run.json', async () => {
    link('cp', 'c.json')
    link('cp', 'run.json')
    const args = ['run', block, '--no-timing', ...short, '--checkpoint', at('cp', 'c.json'), '--out', at('cp')]
    const { stdout, stderr } = await ended(1, featherbed(args))
    expect(stderr).toMatch(/run\.json: cannot be written \(ENOSPC/)
    expect(stderr).toMatch(/c\.json: cannot be written \(ENOSPC/)
    expect(stdout).toContain('State hash')
  })
})

/** A user without write permission: this one, or for root the user `nobody`. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
const isReadable = spawnSync(process.execPath, ['-e', `require('fs').readFileSync(${JSON.stringify(main)})`], nobody).status === 0
test.runIf(isReadable)('a folder that may not be written is refused before anything runs', () => {
  for (const verb of ['compare', 'sensitivity']) {
    const args = [main, verb, 'diffdrive', '--out', '/usr/featherbed']
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', ...nobody })
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/\/usr\/featherbed: cannot be written to \(EACCES/),
    })
  }
})

test('a recording that the disk ends in the middle: the run goes on, its result is printed, the exit code is 1', async () => {
  // the shell lets no file grow beyond 100 blocks of half a kilobyte or of one
  const tape = at('long.mcap')
  const args = ['run', 'diffdrive', '--no-timing', '--duration', '0.5', '--dt', '1e-3', '--quiet', '--json', '--record', tape]
  const { stdout, stderr } = await ended(1, featherbedProcess(args, {}, 'ulimit -f 100'))
  expect(stderr).toMatch(/--record: .*long\.mcap: the recording ended.*EFBIG/)
  expect(JSON.parse(stdout)).toMatchObject({ status: 'ok', steps: 500 })
  expect(readFileSync(tape).length).toBeGreaterThan(0)
})

describe('an output that cannot be written is refused before anything runs', () => {
  const blocked = folder.write('file', '')
  for (const [args, message] of [
    [['compare', block, '--out', join(blocked, 'x', 'y')], 'cannot be written to (ENOTDIR: a file is in the way)'],
    [['run', block, '--out', join(blocked, 'x')], 'cannot be written to (ENOTDIR'],
    [['run', block, '--record', join(blocked, 'x.mcap')], '--record'],
    [['run', block, '--record', join(blocked, 'x')], '--record'],
    [['run', block, '--record', at('none', 'x.mcap')], 'ENOENT: its folder does not exist'],
    [['run', block, '--checkpoint', join(blocked, 'x.json')], 'ENOTDIR: a file is in the way'],
    [['run', block, '--checkpoint', folder.path], 'EISDIR: it is a folder'],
    [
      ['run', block, '--at', '1'],
      '--at says when the checkpoint or the problem is taken; name its file with --checkpoint or --problem',
    ],
    [['run', block, '--problem', join(blocked, 'x.json')], 'ENOTDIR: a file is in the way'],
    [['run', block, '--at', '9', '--checkpoint', at('c.json'), '--duration', '1'], 'is behind the end of the run'],
    [['run', block, '--at', '1 kg', '--checkpoint', at('c.json')], '--at found "1 kg", whose unit does not fit'],
    [
      ['run', block, '--record', at('walk.xyz')],
      'there is no kind of recording that ends in ".xyz". Use .mcap (Foxglove), .csv, or',
    ],
    [['run', block, '--from', at('none.json')], 'cannot be read (ENOENT)'],
    [['run', block, '--from', block], 'is no JSON'],
  ] as const) {
    test(args.slice(0, 1).concat(args.slice(2)).join(' ').replaceAll(folder.path, ''), async () => {
      const stderr = await refusal(args)
      expect(stderr).toContain(message)
      expect(stderr).not.toContain('simulating')
    })
  }
})

test('a folder or a recording that another command writes into is left to it', async () => {
  for (const [name, words] of [
    ['.featherbed.lock', ['compare', block, '--out', at('held')]],
    ['.featherbed.lock', ['map', block, '--out', at('held')]],
    ['.featherbed.lock', ['tune', block, '--out', at('held')]],
    ['.featherbed.lock', ['sensitivity', block, '--out', at('held')]],
    ['.featherbed.lock', ['transfer', block, '--controllers', 'none', '--out', at('held')]],
    ['.featherbed.lock', ['run', block, '--out', at('held')]],
    ['.featherbed.lock', ['run', block, '--record', at('held')]],
    ['.featherbed-0c1e8627.lock', ['run', block, '--record', at('held', 'r.mcap')]],
  ] as const) {
    mkdirSync(at('held'), { recursive: true })
    const release = lock(at('held', name), 'here')
    expect(await refusal(words)).toMatch(new RegExp(`is being written to by process ${process.pid} on .*; wait for its end`))
    release()
    expect(readdirSync(at('held'))).toEqual([])
  }
  expect(existsSync(at('walk.xyz'))).toBe(false)
})

describe('what is no file of ours is refused before it is read', () => {
  const [pipe, zeros] = [at('pipe'), at('zeros')]
  execFileSync('mkfifo', [pipe])
  for (const name of ['zeros.json', 'zeros.yaml', 'zeros.html']) {
    writeFileSync(at(name), '')
    truncateSync(at(name), 5e9) // takes no room on the disk
  }
  symlinkSync('/dev/zero', zeros)
  for (const kind of ['json', 'yaml', 'html']) {
    symlinkSync('/dev/zero', at(`endless.${kind}`))
    symlinkSync(pipe, at(`pipe.${kind}`))
    mkdirSync(at(`folder.${kind}`))
  }
  const verbs: Record<string, (file: string) => string[]> = {
    checkpoint: (file) => ['run', block, '--from', at(`${file}.json`)],
    problem: (file) => ['solve', at(`${file}.json`)],
    pair: (file) => ['contacts', at(`${file}.json`)],
    state: (file) => ['dynamics', block, '--state', at(`${file}.json`)],
    scenario: (file) => ['run', at(`${file}.yaml`)],
    results: (file) => ['compare', at(`${file}.json`)],
    report: (file) => ['compare', at(`${file}.html`)],
  }
  for (const [what, words] of Object.entries(verbs)) {
    test(what, async () => {
      for (const [file, why] of [
        ['endless', 'cannot be read (it is a device or a pipe)'],
        ['pipe', 'cannot be read (it is a device or a pipe)'],
        ['folder', 'cannot be read (it is a folder)'],
        ['zeros', 'cannot be read (it has 5000 MB, and at most'],
      ] as const) {
        expect(await refusal(words(file))).toContain(why)
      }
    })
  }
})

describe('a scenario that cannot be had', () => {
  for (const [name, text, message] of [
    ['companion', 'robot: block.urdf\ncompanions: [{ name: a, robot: nobody.urdf }]', 'companions.a: there is no robot'],
    ['mesh', 'robot: block.urdf\nobstacles: [{ type: mesh, file: none.stl }]', '"mesh1": there is no file'],
    ['model', 'robot: block.urdf\nmodels: [nosuch]', 'model.yaml:2 models[0]: found "nosuch"'],
    ['option', 'robot: block.urdf\nmodels: [penalty]\nsweep: { models.penalty.nosuch: [1, 2] }', 'has no option "nosuch"'],
    [
      'field',
      'robot: block.urdf\nobstacles:\n  - type: ramp\n    length: 2 kg\n    width: 1\n    angle: 5 deg',
      'field.yaml:4 obstacles[0].length',
    ],
  ] as const) {
    test(`${name}: ${message}`, async () => {
      const file = folder.write(`${name}.yaml`, text)
      for (const verb of ['run', 'compare']) {
        if (name === 'option' && verb === 'run') continue // run leaves the sweep out
        expect(await refusal([verb, file])).toContain(message)
      }
    })
  }
})

describe('a run that fails', () => {
  /** Answers NaN from 30 ms on, in any loop. */
  const nan = folder.write(
    'nan.js',
    'export default { init: ({ robot }) => robot.joints.length, update: ({ t, memory }) => new Array(memory).fill(t > 0.03 ? NaN : 0) }',
  )

  test('has its figures, its recording and its exit code: the controller answers NaN', async () => {
    const tape = at('nan.mcap')
    const args = ['run', 'diffdrive', '--controller', nan, '--dt', '1e-3', ...short, '--record', tape, '--json']
    const { stdout } = await ended(1, featherbed(args))
    const { status, failure, steps, metrics, recorded } = JSON.parse(stdout)
    expect({ status, recorded }).toEqual({ status: 'failed', recorded: [tape] })
    expect(failure).toMatch(/update returned NaN in entry 0.*t = 0\.03/)
    expect(steps).toBeGreaterThan(29)
    expect(metrics.penetrationMax_m).toBeGreaterThan(0)
    // MCAP begins and ends with its magic bytes where the file was closed as it should be
    const bytes = readFileSync(tape)
    for (const place of [bytes.subarray(1, 5), bytes.subarray(-7, -3)]) expect(place.toString()).toBe('MCAP')
  })

  test('leaves the other runs alone: a model whose spring is too stiff for one of the steps', async () => {
    const file = folder.write(
      'stiff.yaml',
      'robot: block.urdf\nduration: 0.05\ndt: [1e-4, 1e-2]\nmodels: [penalty, stewart-trinkle]\nstart: { position: [0, 0, 0.099] }\n' +
        'physical: { stiffness: 1e12, damping: 0 }',
    )
    const { stdout } = await ended(0, featherbed(['compare', file, '--json', '--quiet']))
    const { runs, verdicts } = onlyComparison(stdout)
    expect(runs).toHaveLength(4)
    expect(runs.filter(({ model }) => model === 'stewart-trinkle').every(({ status }) => status === 'ok')).toBe(true)
    expect(verdicts).toHaveLength(1)
  })

  test('for a step beyond its budget is counted, says which solver was at work, and saves the problem', async () => {
    const out = at('beyond')
    const args = [
      'run',
      'diffdrive',
      '--model',
      'lotstedt',
      '--dt',
      '1e-3',
      ...short,
      '--step-budget',
      '8e3',
      '--out',
      out,
      '--json',
    ]
    const { stdout } = await ended(1, featherbed(args))
    const { status, failure, metrics, solvers, problems } = JSON.parse(stdout)
    expect(status).toBe('failed')
    expect(failure).toMatch(/step 0 .* took more than its budget of 8e3 multiply-adds: .* in newton on 5 contacts, 15 rows/)
    expect(metrics.solverFailures).toBe(1)
    expect(solvers.map(({ solved, failed }: Record<string, number>) => [solved, failed])).toEqual([
      [0, 1],
      [0, 0],
      [0, 0],
    ])
    expect(problems).toMatchObject([{ step: 1, reason: 'failure' }])
    expect(JSON.parse(readFileSync(join(out, problems[0].file), 'utf8'))).toMatchObject({
      kind: 'contact',
      origin: { contactModel: 'lotstedt' },
    })
    const wrong = await featherbed(['run', 'diffdrive', '--step-budget=0'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--step-budget found "0", expected more than 0')])
  })

  test('ends the command with 1 if no run of a robot came to its end, and the results are written', async () => {
    const out = at('all-failed')
    const args = ['compare', 'diffdrive', '--controller', nan, ...one, '--out', out, '--json']
    const { stdout } = await ended(1, featherbed(args))
    expect(onlyComparison(stdout).verdicts[0].reasons[0]).toContain('breaks off')
    expect(onlyComparison(readFileSync(join(out, 'results.json'), 'utf8')).runs[0].status).toBe('failed')
    expect(existsSync(join(out, 'report.html'))).toBe(true)
  })

  test('of a companion’s controller is the run’s, and says whose it was', async () => {
    const file = folder.write(
      'pair.yaml',
      'robot: block.urdf\nduration: 0.05\ndt: 1e-3\nmodels: penalty\ncompanions: [{ name: other, robot: diffdrive, position: [3, 0], controller: nan.js }]',
    )
    const { stdout } = await ended(1, featherbed(['run', file, '--json', '--quiet']))
    expect(JSON.parse(stdout).failure).toMatch(/controller "nan\.js": update returned NaN/)
  })

  test('by a controller that never returns keeps what was recorded until then', async () => {
    const endless = folder.write(
      'endless.js',
      'export default { init: ({ robot }) => robot.joints.length, update: ({ t, memory }) => { while (t > 1.9) {} return new Array(memory).fill(0) } }',
    )
    const tape = at('endless')
    const args = ['run', 'diffdrive', '--controller', endless, '--dt', '1e-3', '--duration', '2', '--patience', '0.5', '--quiet']
    const { stdout } = await ended(1, featherbed([...args, '--record', tape, '--json']))
    expect(JSON.parse(stdout).failure).toMatch(/controller did not return within 0.5 s at t = 1\.9/)
    // what is written at least every half second of computing, or every hundred frames
    const rows = readFileSync(join(tape, 'state.csv'), 'utf8').trim().split('\n')
    expect(rows.length).toBeGreaterThan(1700)
  })
})
