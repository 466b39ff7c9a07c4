import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { serve } from '../../compare/cli/verbs/view.ts'
import type { ResultsFile } from '../../compare/judge/compare.ts'
import { builtInControllers } from '../../compare/scenario/controllers.ts'
import { blockUrdf, ended, featherbed, featherbedProcess, main, onlyComparison, refusal, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const block = folder.write('block.urdf', blockUrdf)
const short = ['--duration', '0.05', '--quiet']
const one = [...short, '--models', 'penalty', '--dt', '1e-3']

describe('every verb', () => {
  for (const verb of ['inspect', 'dynamics', 'solve', 'run', 'compare', 'view']) {
    test(`${verb} --help shows an example and exits with 0`, async () => {
      const { stdout } = await ended(0, featherbed([verb, '--help']))
      expect(stdout).toContain('Example:')
      for (const flag of ['--json', '--quiet']) expect(stdout).toContain(flag)
    })
  }

  test('run --help names every built-in controller', async () => {
    const { stdout } = await featherbed(['run', '--help'])
    const [, list] = /built-in: ([\s\S]*?)\(default/.exec(stdout) as RegExpExecArray
    expect(list.trim().split(/,\s+/).sort()).toEqual(Object.keys(builtInControllers).sort())
  })

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
      const { stdout } = await ended(0, featherbedProcess([...args, '--json']))
      expect(() => JSON.parse(stdout)).not.toThrow()
    })
  }
})

describe('examples of --help run as they are printed', () => {
  // shorter, and with files in the place of those that a user has
  const files: readonly (readonly [RegExp, string])[] = [
    [/(--(?:out|record|checkpoint|from|problem|fix)) (?:\/tmp\/)?(\S+)/g, `$1 ${folder.path}/out-$2`],
    [/(?<= )(?:a1|gripper|arm)\.(?:urdf\.xacro prefix:=left_ --srdf arm\.srdf|urdf|xml)/g, block],
    [/ state\.json/g, ` ${folder.write('state.json', '{}')}`],
    [/docs\/examples/g, fileURLToPath(new URL('../../docs/examples', import.meta.url))],
    [/my_controller\.ts/g, join(folder.path, 'my_controller.ts')],
    [/--duration \d+/g, '--duration 0.02'],
    [/--at 1/g, '--at 0.01'],
  ]
  const more: Readonly<Record<string, readonly string[]>> = {
    run: ['--duration', '0.02'],
    compare: ['--models', 'penalty', '--dt', '5e-3', '--duration', '0.02', '--no-timing'],
  }
  for (const verb of ['inspect', 'convert', 'dynamics', 'contacts', 'solve', 'run', 'compare', 'new', 'completion']) {
    test(verb, async () => {
      const { stdout } = await featherbed([verb, '--help'])
      const [, text] = stdout.split('Example:')
      const lines = [...text.matchAll(/^ {2}featherbed (\S.*)$/gm)].map(([, line]) => line.replace(/ > .*/, ''))
      expect(lines.length).toBeGreaterThan(0)
      for (const line of lines) {
        const words = files.reduce((all, [from, to]) => all.replace(from, to), line).split(' ')
        const own = more[words[0]] ?? []
        const { code, stderr } = await featherbed([...words, ...own, '--quiet'])
        expect([code, stderr], line).toEqual([0, expect.not.stringContaining('featherbed:')])
      }
    })
  }
})

describe('a robot by itself', () => {
  test('inspect --joints lists the names that controllers use', async () => {
    const { stdout } = await ended(0, featherbed(['inspect', 'diffdrive', '--joints']))
    expect(stdout).toMatch(/^left_wheel_joint +continuous +- +- /m)
    expect(stdout).not.toContain('tags used')
  })

  test('compare says what was run, and the three commands that come next', async () => {
    const { stdout } = await ended(0, featherbed(['compare', block, ...one]))
    expect(stdout).toMatch(/^What was run: block \(a floating base, 0 joints, [\d.]+ kg\) on level ground for 0\.05 s/m)
    expect(stdout.split('Next:')[1].match(/^ {2}featherbed /gm)?.length).toBe(3)
    const { stdout: driven } = await featherbed(['compare', 'diffdrive', '--controller', 'hold', ...one])
    expect(driven).not.toContain('Next:')
  })
})

describe('new controller', () => {
  test('writes a controller that runs, and leaves one that is there as it is', async () => {
    const file = join(folder.path, 'begun.ts')
    expect(await featherbed(['new', 'controller', file.slice(0, -3), '--json'])).toMatchObject({
      code: 0,
      stdout: JSON.stringify({ file }, null, 2) + '\n',
    })
    const { stdout } = await ended(0, featherbed(['run', 'diffdrive', '--controller', file, ...short, '--json']))
    expect(JSON.parse(stdout)).toMatchObject({ failure: null, controllerMetrics: { worstError_rad: expect.any(Number) } })
    writeFileSync(file, 'mine')
    const again = await featherbed(['new', 'controller', file])
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('is there already, and is left as it is') })
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test('a name with another ending, and a file that cannot be written, are named', async () => {
    expect(await featherbed(['new', 'controller', 'walk.py'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('.ts or .mts'),
    })
    const nowhere = join(folder.path, 'nowhere', 'a.ts')
    expect(await featherbed(['new', 'controller', nowhere])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be written'),
    })
  })
})

/** A slider with a mimic, an inertia of no body, an upside-down range, an undeclared world, and a mesh beside it. */
const oddUrdf = `<robot name="odd">
  <link name="a"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.3"/></inertial>
    <collision><geometry><mesh filename="meshes/part.obj"/></geometry></collision></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.11" izz="0.12"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="world"/><child link="a"/><limit lower="1" upper="-1" effort="1" velocity="1"/></joint>
  <joint name="twin" type="prismatic"><parent link="a"/><child link="b"/><mimic joint="slide" multiplier="-3" offset="0.5"/>
    <limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
</robot>`
const tetrahedron = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n'
const srdf = `<robot name="odd"><group name="all"><joint name="slide"/></group>
  <group_state name="out" group="all"><joint name="slide" value="0.25"/></group_state>
  <disable_collisions link1="a" link2="b" reason="Adjacent"/></robot>`
const xacroUrdf = `<robot name="sized" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="mass" default="1"/>
  <link name="body"><inertial><mass value="$(arg mass)"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
</robot>`

describe('inspect', () => {
  const place = temporaryFolder()
  mkdirSync(join(place.path, 'meshes'))
  place.write('meshes/part.obj', tetrahedron)
  const odd = place.write('odd.urdf', oddUrdf)
  const sized = place.write('sized.urdf.xacro', xacroUrdf)
  const semantics = place.write('odd.srdf', srdf)
  const answerTo = async (args: readonly string[]) => JSON.parse((await featherbed(['inspect', ...args, '--json'])).stdout)

  test('answers in the shape that people build on', async () => {
    const answer = await answerTo(['humanoid'])
    // fields are added, never taken away
    for (const key of ['name', 'links', 'joints', 'dof', 'nq', 'nv', 'mass', 'massUsed', 'centerOfMass', 'doctor', 'tags']) {
      expect(answer).toHaveProperty(key)
    }
    for (const key of ['file', 'base', 'bodies', 'limits', 'shapes', 'mimics', 'freeJoints', 'poses', 'frames']) {
      expect(answer).toHaveProperty(key)
    }
    expect(answer).toMatchObject({ name: 'humanoid', dof: 26, nv: 32, nq: 33 })
    expect(answer).not.toHaveProperty('fixes')
  })

  test('reads well: identity, base and why, what follows, findings by kind, one verdict', async () => {
    const { stdout } = await ended(0, featherbed(['inspect', odd]))
    for (const line of [
      /^odd$/m,
      /^ {2}base +fixed: its root is "world", which no link declares$/m,
      /^ {2}joints +2 prismatic; 1 of them follows another$/m,
      /^ {2}degrees of freedom +1 {2}\(nq 1, nv 1\)$/m,
      /^ {2}joints that follow +twin = -3 × slide \+ 0\.5$/m,
      /^changed limit-reversed$/m,
      /^ {2}odd\.urdf:5 <limit> of joint "slide": .*Swapped\.$/m,
      /^odd loads with 2 changes/m,
    ]) {
      expect(stdout).toMatch(line)
    }
  })

  test('ends with what other tools read otherwise, a line for all that agree; --json has a finding for each', async () => {
    const { stdout } = await ended(0, featherbed(['inspect', odd]))
    const [, section] = stdout.split('\n\nOther tools read this file otherwise:\n')
    expect(section).toMatch(
      /^ {2}odd\.urdf:\d+ <mimic> of joint "twin": sdformat 12\.3\.0, PyBullet 3\.2\.7, .*: passed by, so the joint/m,
    )
    const { otherwise } = await answerTo([odd])
    const message = 'PyBullet 3.2.7: passed by, so the joint moves on its own.'
    expect(otherwise).toContainEqual(expect.objectContaining({ code: 'read-otherwise', file: odd, message }))
    expect((await ended(0, featherbed(['inspect', 'diffdrive']))).stdout).not.toContain('Other tools')
    expect(await answerTo(['diffdrive'])).toMatchObject({ otherwise: [], surroundings: 0 })
  })

  test('counts the surroundings of a file in which nothing moves', async () => {
    const box = '<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>'
    const table = `<model name="table"><static>true</static><link name="l">${box}${box.replace('"c"', '"d"')}</link></model>`
    const still = place.write('still.sdf', `<sdf version="1.9">${table}</sdf>`)
    expect((await ended(0, featherbed(['inspect', still]))).stdout).toMatch(/^ {2}surroundings +2 shapes$/m)
    expect(await answerTo([still])).toMatchObject({ surroundings: 2, otherwise: [] })
  })

  test('--strict refuses what would be changed, all of it at once', async () => {
    const { code, stdout, stderr } = await featherbed(['inspect', odd, '--strict'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/odd\.urdf:5 .*lower 1 is above upper -1/)
    expect(stderr).toMatch(/odd\.urdf:2 .*no body has this/)
    const { error } = await answerTo([odd, '--strict'])
    expect(error.code).toBe(1)
    const refused = error.doctor.filter(({ severity }: { severity: string }) => severity === 'error')
    expect(refused.map(({ code: kind }: { code: string }) => kind).sort()).toEqual(['inertia-triangle', 'limit-reversed'])
  })

  test('--fix writes a file that needs no change, lists what was changed, and keeps its meshes', async () => {
    const out = join(place.path, 'meshes', 'fixed.urdf')
    const answer = await answerTo([odd, '--fix', out])
    expect(answer).toMatchObject({ fixed: out, left: [], outOfReach: 0 })
    const fixes = answer.fixes.map(({ code }: { code: string }) => code)
    expect(fixes.sort()).toEqual(['inertia-triangle', 'limit-reversed', 'world-undeclared'])
    const text = readFileSync(out, 'utf8')
    expect(text).toContain('<mesh filename="part.obj"/>')
    for (const change of ['lower 1 is above upper -1', 'no body has this']) expect(text.split('-->')[0]).toContain(change)
    const again = await answerTo([out, '--strict'])
    expect(again).toMatchObject({ dof: 1, massUsed: answer.massUsed, shapes: { hull: 1 } })
    const unneeded = await answerTo([out, '--fix', join(place.path, 'again.urdf')])
    expect(unneeded).toMatchObject({ fixes: [], fixed: null })
    expect(existsSync(join(place.path, 'again.urdf'))).toBe(false)
  })

  test('--srdf brings poses and pairs, --pose the home', async () => {
    const answer = await answerTo([odd, '--srdf', semantics])
    expect(answer).toMatchObject({ poses: [{ name: 'out', group: 'all' }], disabledCollisions: 1 })
    const posed = await answerTo([odd, '--srdf', semantics, '--pose', 'out'])
    // along x the one body moves by 0.25 m, the other by 0.25 - 3 x 0.25
    expect(posed.centerOfMass[0] - answer.centerOfMass[0]).toBeCloseTo((0.25 - 0.5) / 2, 12)
  })

  test('gives xacro its arguments, as do dynamics, run and compare', async () => {
    expect(await answerTo([sized])).toMatchObject({ mass: 1 })
    expect(await answerTo([sized, 'mass:=3'])).toMatchObject({ mass: 3 })
    const { stdout } = await featherbed(['dynamics', sized, 'mass:=3', '--json'])
    expect(JSON.parse(stdout).massMatrix[5][5]).toBe(3)
    const ran = JSON.parse((await featherbed(['run', sized, 'mass:=3', ...short, '--json'])).stdout)
    expect(ran.status).toBe('ok')
    const compared = onlyComparison((await featherbed(['compare', sized, 'mass:=3', ...one, '--json'])).stdout)
    expect(compared.scenario.xacro).toEqual({ mass: '3' })
  })

  for (const [args, message] of [
    [[odd, '--fix', odd], 'that is a file the robot is read from, which is not overwritten'],
    [[odd, '--fix', 'out.xml'], 'expected a name that ends in .urdf'],
    [[odd, '--fix', join(place.path, 'none', 'out.urdf')], 'cannot be written (ENOENT); name a file in a folder that is there'],
    [[odd, '--fix', 'out.urdf', '--strict'], '--fix and --strict exclude each other'],
    [[odd, '--pose', 'out'], 'named poses stand in an SRDF file; name it with --srdf'],
    [[odd, '--srdf', semantics, '--pose', 'up'], 'the SRDF file has no such pose'],
    [[odd, '--srdf', 'none.srdf'], 'there is no such file'],
    [[odd, '--srdf', odd], 'it is a URDF and no SRDF. Give the SRDF file.'],
    [[odd, 'other.urdf'], 'found "other.urdf" after'],
    [[sized, 'mass:=1', 'mass:=2'], 'the xacro argument "mass" is given twice'],
    [[sized, ':=2'], 'is written name:=value'],
    [[sized, 'mas:=2'], 'mas:=2: the file declares no such argument. Did you mean "mass"?'],
    [[sized, 'x:=2'], 'x:=2: the file declares no such argument. It declares mass.'],
    [[odd, 'mass:=2'], 'is no xacro, so that nothing reads it; leave it out'],
    [[''], 'no robot is named'],
  ] as const) {
    test(`refuses ${args.join(' ').replaceAll(place.path, '')}`, async () => {
      expect(await refusal(['inspect', ...args])).toContain(message)
    })
  }

  test('--fixed holds the base', async () => {
    const { stdout } = await featherbed(['inspect', 'humanoid', '--fixed', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ nv: 26, nq: 26 })
  })

  test('a broken file fails with its file and line, and no stack', async () => {
    const broken = folder.write(
      'broken.urdf',
      '<robot name="r">\n<link name="a"/>\n<joint name="j" type="hinge"><parent link="a"/><child link="b"/></joint>\n</robot>',
    )
    const { stderr, stdout } = await ended(1, featherbed(['inspect', broken]))
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

  test('reads as a table that says what follows and how near M is to singular', async () => {
    const { stdout } = await ended(0, featherbed(['dynamics', folder.write('odd.urdf', oddUrdf)]))
    expect(stdout).toContain('Not among the coordinates: twin = -3 × slide + 0.5.')
    expect(stdout).toMatch(/^slide +\d/m)
    expect(stdout).toMatch(/condition number 1\.$/m)
  })

  test('tells which joint a joint that follows takes its motion from', async () => {
    const state = folder.write('twin.json', '{"q": {"twin": 1}}')
    const { stderr } = await ended(2, featherbed(['dynamics', folder.write('odd.urdf', oddUrdf), '--state', state]))
    expect(stderr).toContain('it follows "slide" (twin = -3 × slide + 0.5); give q.slide')
  })
})

describe('compare', () => {
  test('writes results.json, the same as --json but for what runs it again, and a report that asks nothing of any server', async () => {
    const out = join(folder.path, 'out')
    const { code, stdout, stderr } = await featherbed(['compare', block, ...one, '--out', out, '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { bundle, ...written } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) // what runs it again is in the file alone
    expect(bundle).toBeDefined()
    expect(written).toEqual(JSON.parse(stdout))
    const html = readFileSync(join(out, 'report.html'), 'utf8')
    expect(html).not.toMatch(/(?:src|href)="(?!#|data:)/)
    expect(html).not.toMatch(/url\((?!#)/)
    expect(html.replaceAll(/http:\/\/www\.w3\.org\/(2000\/svg|1999\/xhtml)/g, '').includes('http://')).toBe(false) // names of languages are no addresses
  })

  test('answers in the shape that people build on', async () => {
    const { stdout } = await featherbed(['compare', block, ...one, '--seed', '3', '--json'])
    const { version, command } = JSON.parse(stdout)
    const { scenario, verdicts, runs } = onlyComparison(stdout)
    expect(version).toBe(3)
    expect(command).toContain('compare')
    expect(scenario).toMatchObject({ duration: 0.05, dt: [1e-3], seed: 3 })
    expect(Object.keys(verdicts[0]).sort()).toEqual([
      'closest',
      'dt',
      'health',
      'limits',
      'missed',
      'model',
      'reasons',
      'robot',
      'sentence',
      'set',
      'state',
    ])
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatchObject({ robot: 'block', model: 'penalty', dt: 1e-3, seed: 3, status: 'ok', failure: null })
    expect(runs[0].hash).toMatch(/^[0-9a-f]{16}$/)
    expect(Object.keys(runs[0].metrics ?? {})).toEqual([
      'penetrationMax_m',
      'penetrationMean_m',
      'restKineticEnergy_J',
      'energyGain_J',
      'stickSlip_m',
      'coneViolation_N',
      'complementarity',
      'offSurfaceImpulse_Ns',
      'momentumError',
      'limitPassed_rad',
      'limitPassed_m',
      'trackingRms_rad',
      'trackingRms_m',
      'torqueRms_Nm',
      'contactChanges_Hz',
      'solverFailures',
      'fallbacks',
      'energyGains',
      'strained',
      'tunnelled',
      'step_us',
      'realTimeFactor',
      'impacts',
      'impactMax_Ns',
      'impactConeViolation_Ns',
      'popping_m',
    ])
    expect(Object.keys(runs[0].parameters ?? {})).toEqual(['used', 'derived', 'unused'])
  })

  test('takes a scenario file, whose paths are relative to it', async () => {
    folder.write(
      'slide.yaml',
      'robot: block.urdf\nduration: 50 ms\nmodels: penalty\ndt: 1 ms\nstart: { linearVelocity: [1, 0, 0] }',
    )
    const { stdout } = await ended(0, featherbed(['compare', join(folder.path, 'slide.yaml'), '--json', '--quiet']))
    expect(onlyComparison(stdout).runs).toHaveLength(1)
  })

  test('takes several scenario files and robots: one comparison each, the robots together', async () => {
    const file = folder.write('push.yaml', 'robot: block.urdf\nstart: { linearVelocity: [1, 0, 0] }')
    const { stdout } = await featherbed(['compare', 'diffdrive', file, block, ...one, '--json', '--quiet'])
    const { comparisons } = JSON.parse(stdout) as ResultsFile
    expect(comparisons.map(({ robots }) => robots.map(({ robot }) => robot))).toEqual([['diffdrive', 'block'], ['block']])
    expect(comparisons.map(({ runs }) => runs.length)).toEqual([2, 1])
  })

  test('prints a table and one verdict a robot, without colours where nobody sees them', async () => {
    const { stdout } = await featherbed(['compare', block, 'diffdrive', ...one])
    expect(stdout).toMatch(/^model +step +penetration +error +error/m)
    expect(stdout).toMatch(/^block: /m)
    expect(stdout).toMatch(/^diffdrive: /m)
    expect(stdout).not.toContain('\u001b[')
  })

  const sunken = folder.write(
    'sunk.yaml',
    'robot: block.urdf\nduration: 50 ms\nmodels: penalty\ndt: 1 ms\nstart: { position: [0, 0, 9 cm] }',
  )

  test('marks every limit that a run missed, and says if the robot starts in the ground', async () => {
    const { stdout } = await featherbed(['compare', sunken, '--quiet'])
    expect(stdout).toMatch(/^penalty +1 ms +10 mm !/m)
    expect(stdout).toContain('no verdict on contact, because before the first step it stands 10 mm deep')
    expect(stdout).toMatch(/^ {2}penalty at 1 ms gains 12\.\d % of its energy \(limit 2 %\)/m)
    const { robots } = onlyComparison((await featherbed(['compare', sunken, '--quiet', '--json'])).stdout)
    expect(robots[0].startPenetration_m).toBeCloseTo(0.01, 12)
  })

  test('says an overlap at the start before anything is run', async () => {
    const { stderr } = await featherbed(['compare', sunken])
    const [first, second] = stderr.split('\n')
    expect(first).toContain('note: block: before the first step it stands 10 mm deep')
    expect(second).toContain('simulating')
  })

  test('--fail-on ends with 1 where there is nothing to take, and --summary writes the verdicts as test results or as a page', async () => {
    const out = join(folder.path, 'summaries')
    const sunk = ['compare', sunken, '--quiet', '--out', out]
    await ended(0, featherbed(sunk))
    await ended(1, featherbed([...sunk, '--fail-on', 'none', '--summary', 'junit']))
    await ended(1, featherbed([...sunk, '--fail-on', 'undecided', '--summary', 'markdown']))
    await ended(0, featherbed(['compare', block, ...one, '--fail-on', 'undecided', '--quiet']))
    const xml = readFileSync(join(out, 'summary.xml'), 'utf8')
    expect(xml).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuite name="featherbed compare" tests="1" failures="1">/)
    expect(xml).toContain('<testcase classname="block" name="block"><failure message="unhealthy">block: no verdict on contact')
    expect(readFileSync(join(out, 'summary.md'), 'utf8')).toContain('## block\n\n**unhealthy.** block: no verdict on contact')
    expect((await ended(2, featherbed(['compare', block, ...one, '--summary', 'junit']))).stderr).toContain('name that folder')
    expect((await ended(2, featherbed(['compare', block, ...one, '--fail-on', 'all']))).stderr).toContain(
      'expected none or undecided',
    )
  })

  test('results of version 2 can be run again', async () => {
    const out = join(folder.path, 'second')
    await ended(0, featherbed(['compare', block, ...one, '--quiet', '--out', out]))
    const { comparisons, ...file } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'))
    const [{ verdicts, ...rest }] = comparisons
    const old = verdicts.map(({ state, set, health: _, ...verdict }: Record<string, unknown>) => ({
      ...verdict,
      kind: state,
      equal: set,
    }))
    const second = folder.write('second.json', JSON.stringify({ ...file, version: 2, comparisons: [{ ...rest, verdicts: old }] }))
    expect((await ended(0, featherbed(['compare', second, '--quiet']))).stdout).toContain('1 of 1 runs end in the same bits')
  })

  test('what several runs have in common is said once, with the world of each', async () => {
    const file = folder.write(
      'swept.yaml',
      'robot: block.urdf\nduration: 20 ms\ndt: 1 ms\nmodels: mujoco\nstart: { position: [0, 0, 5 cm] }\nsweep: { physical.friction: [0.1, 0.2, 0.3] }',
    )
    const { stdout } = await featherbed(['compare', file, '--quiet'])
    expect(stdout).toMatch(/^ {2}every run: mujoco: a contact was pressed in by/m)
    const seeds = folder.write(
      'seeds.yaml',
      'robot: block.urdf\nduration: 20 ms\ndt: 1 ms\nmodels: [mujoco, ncp]\nstart: { position: [0, 0, 5 cm] }\nsweep: { physical.friction: [0.1, 0.2] }',
    )
    expect((await featherbed(['compare', seeds, '--quiet'])).stdout).toContain(
      '  mujoco at 1 ms, physical.friction 0.1, mujoco at 1 ms, physical.friction 0.2: mujoco: a contact',
    )
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
    [['compare', 'mass:=1'], 'no robot is named'],
    [['run', 'diffdrive', 'mass:=1'], 'diffdrive is no xacro'],
    [['run', block, 'humanoid'], 'found "humanoid" after the robot'],
    [['run', block, '--model', 'nosuch'], '--model: there is no contact model "nosuch"; choose one of penalty-deepest'],
    [['compare', 'humanoid', 'diffdrive', 'mass:=1'], 'none of humanoid, diffdrive is xacro'],
    [['compare', 'nosuchrobot'], 'there is no robot'],
    [['compare', block, '--models', 'penalty,nosuch'], '--models found "nosuch", expected one of all, penalty-deepest'],
    [['compare', block, '--dt', '1 kg'], '--dt found "1 kg", whose unit does not fit'],
    [['compare', block, '--dt', '1e-3,'], '--dt found "1e-3,"'],
    [['compare', block, '--duration', 'long'], '--duration found "long"'],
    [['compare', block, '--seed', 'x'], '--seed found "x"'],
    [['compare', block, '--nosuch'], "unknown option '--nosuch'"],
    [['compare', block, '--controller', 'nosuch.ts'], 'there is no file'],
    [['compare', block, '--controller', 'nosuch'], 'expected a path to a script or one of hold'],
    [['compare', block, '--out', join(blocked, 'out')], 'cannot be written to (ENOTDIR: a file is in the way)'],
    [['compare', block, '--floating', '--fixed'], 'exclude each other'],
    [['compare', 'nosuch.yaml'], 'nosuch.yaml: cannot be read (ENOENT)'],
    [['compare', 'a.yaml', 'b.yaml'], 'a.yaml: cannot be read'],
    [['compare', block, '--threads', '0'], '--threads found "0"'],
    [['inspect', 'nosuch.urdf'], 'there is no such file'],
    [['dynamics', block, '--state', 'nosuch.json'], 'cannot be read'],
    [['dynamics', block, '--link', 'nose'], 'has no link "nose"'],
    [['view', '--port', 'x'], '--port found "x"'],
  ] as const) {
    test(['featherbed', ...args].join(' ').replaceAll(folder.path, ''), async () => {
      const stderr = await refusal(args)
      expect(stderr).toContain(message)
      expect(stderr).not.toContain('    at ')
    })
  }

  test('an option that a contact model does not know, before anything runs', async () => {
    const file = folder.write('option.yaml', 'robot: block.urdf\nmodels: [{ name: penalty, bogus: 3 }]')
    const { stderr } = await ended(2, featherbed(['compare', file]))
    expect(stderr).toContain('has no option "bogus"; it knows')
    expect(stderr).not.toContain('simulating')
  })

  test('a scenario names its file and line', async () => {
    const bad = folder.write('bad.yaml', 'robot: diffdrive\nlimits:\n  penetration: 10 kg\n')
    const { stderr } = await ended(2, featherbed(['compare', bad]))
    expect(stderr).toContain('bad.yaml:3 limits.penetration: found "10 kg"')
  })

  test('with --json, stdout holds the error as JSON', async () => {
    const { stdout } = await ended(2, featherbed(['compare', block, '--models', 'nosuch', '--json']))
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

test('what goes into files is finished when nobody reads the terminal any more', async () => {
  const out = join(folder.path, 'unread')
  const child = spawn(process.execPath, [main, 'compare', 'diffdrive', '--duration', '0.05', '--models', 'penalty', '--out', out])
  child.stdout.destroy()
  child.stderr.destroy()
  expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0)
  const { comparisons } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as ResultsFile
  expect(comparisons[0].runs.map(({ status }) => status)).toEqual(['ok', 'ok'])
})
