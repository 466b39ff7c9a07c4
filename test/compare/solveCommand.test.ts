import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { paintFor } from '../../compare/cli/terminal.ts'
import { solutionText } from '../../compare/cli/verbs/problems/solve.ts'
import { parseProblem } from '../../compare/inspect/problemFile.ts'
import { solveProblem, solverNames } from '../../compare/inspect/solve.ts'
import { solvers } from '../../compare/inspect/solvers.ts'
import { blockUrdf, ended, featherbed, refusal, temporaryFolder } from './command.ts'
import { examples } from './problems.ts'

const example = (name: string) => join(examples, `${name}.json`)
const folder = temporaryFolder()

describe('featherbed solve', () => {
  test('--help shows an example and the shapes of problems', async () => {
    const { stdout } = await ended(0, featherbed(['solve', '--help']))
    for (const word of ['Example:', '--json', '--quiet', '--solver', '"lcp"', '"mlcp"', '"contact"', 'vFree'])
      expect(stdout).toContain(word)
  })

  test('--json prints one JSON document and nothing else, in the shape that people build on', async () => {
    const { code, stdout, stderr } = await featherbed(['solve', example('lcp'), '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { solvers } = JSON.parse(stdout)
    expect(solvers.length).toBeGreaterThan(1)
    for (const one of solvers) {
      expect(Object.keys(one)).toEqual(['name', 'status', 'reason', 'z', 'residual', 'iterations', 'microseconds'])
      expect(['solved', 'failed', 'not-applicable']).toContain(one.status)
      if (one.status === 'solved') {
        expect(one).toMatchObject({ reason: null, z: [expect.any(Number), expect.any(Number), expect.any(Number)] })
        expect(one.residual).toBeLessThan(1e-6)
      }
      if (one.status === 'failed') expect(['ray', 'limit', 'residual']).toContain(one.reason)
    }
  })

  test('a contact problem adds its law and the velocity', async () => {
    const { stdout } = await featherbed(['solve', example('box'), '--solver', 'lemke', '--json'])
    const { kind, rows, contacts, solvers, agreement } = JSON.parse(stdout)
    expect({ kind, rows, contacts }).toEqual({ kind: 'contact', rows: 12, contacts: 4 })
    expect(solvers).toHaveLength(1)
    expect(solvers[0]).toMatchObject({ name: 'lemke', law: 'pyramid', status: 'solved' })
    expect({ z: solvers[0].z.length, velocity: solvers[0].velocity.length }).toEqual({ z: 12, velocity: 6 })
    expect(agreement).toEqual([{ law: 'pyramid', of: 'velocity', solvers: 1, largestDifference: null }])
  })

  test('the table has a row a solver and the answer of the first that has one', async () => {
    const { stdout } = await ended(0, featherbed(['solve', example('lcp'), '--quiet']))
    expect(stdout).toMatch(/^ {2}solver +status +residual +iterations +time$/m)
    expect(stdout).toMatch(/^ {2}lemke +solved +\S+ +\d+ +\S+ µs$/m)
    expect(stdout).toMatch(/^the w = A z \+ b of \d+ answers differ by \S+ at most$/m)
    expect(stdout).toMatch(/^ {2}1 +0 +1/m)
    expect(stdout).not.toContain('\u001b[')
  })

  test('no answer is exit code 1, and every solver says why', async () => {
    const { code, stdout, stderr } = await featherbed(['solve', example('painleve-rod-forces')])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(/^ {2}lemke +failed: ray/m)
    expect(stdout).not.toContain('Answer of')
    // the one that is named counts, whatever others find
    expect((await featherbed(['solve', example('lcp'), '--solver', 'contact-pgs'])).code).toBe(1)
  })

  test('a solver that there is not lists those that there are', async () => {
    expect(await refusal(['solve', example('lcp'), '--solver', 'simplex'])).toMatch(
      /--solver found "simplex", expected all or some of lemke, .*contact-pgs, .*siconos:NSGS/,
    )
  })

  test('what is wrong with the file is told line by line, with exit code 2, in JSON too', async () => {
    const wrong = folder.write('wrong.json', JSON.stringify({ kind: 'lcp', A: [[1, 2], [3]], b: [0, 'x'] }))
    const { stdout, stderr } = await ended(2, featherbed(['solve', wrong, '--json']))
    expect(stderr.trimEnd().split('\n')).toEqual([
      `featherbed: ${wrong}: b[1] found "x", expected a finite number`,
      `featherbed: ${wrong}: A[1] has 1 entry, expected 2, one for each of its 2 rows`,
    ])
    expect(JSON.parse(stdout).error.code).toBe(2)
    const gone = await featherbed(['solve', join(folder.path, 'gone.json')])
    expect(gone).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('gone.json: cannot be read (ENOENT)') })
    expect((await featherbed(['solve'])).code).toBe(2)
  })
})

describe('featherbed run --problem', () => {
  const block = folder.write('block.urdf', blockUrdf)
  const run = (model: string, ...args: string[]) =>
    featherbed(['run', block, '--model', model, '--dt', '1e-3', '--duration', '0.3', '--no-timing', '--quiet', ...args])

  test('saves the problem of a step, which every solver can solve again', async () => {
    const file = join(folder.path, 'step.json')
    const { code, stderr } = await run('stewart-trinkle', '--problem', file, '--at', '0.2')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const problem = parseProblem(readFileSync(file, 'utf8'), file)
    expect(problem.origin).toMatchObject({ contactModel: 'stewart-trinkle', robots: ['block'], step: 200, reason: 'asked' })
    const { stdout } = await featherbed(['solve', file, '--json'])
    const solved = JSON.parse(stdout).solvers.filter(({ status }: { status: string }) => status === 'solved')
    expect(solved.map(({ name }: { name: string }) => name)).toContain('lemke')
    // four corners carry 2 kg for a step of 1 ms
    const [{ z }] = solved
    expect(z[0] + z[3] + z[6] + z[9]).toBeCloseTo(2 * 9.81e-3, 5)
  })

  test('says why there is none', async () => {
    const file = join(folder.path, 'none.json')
    const soft = await run('penalty', '--problem', file)
    expect(soft.code).toBe(1)
    expect(soft.stderr).toContain('--problem: penalty solves no problem of contact; --model chooses one that does')
    const flying = folder.write(
      'flying.yaml',
      'robot: block.urdf\nduration: 10 ms\nmodels: stewart-trinkle\ndt: 1 ms\nstart: { position: [0, 0, 5] }',
    )
    const air = await featherbed(['run', flying, '--no-timing', '--quiet', '--problem', file])
    expect(air.code).toBe(1)
    expect(air.stderr).toContain('--problem: nothing was in contact in that step, so there is none; --at chooses another')
  })

  test('refuses a time without a file, and a file in a folder that is not there', async () => {
    expect(await run('penalty', '--at', '0.1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--checkpoint or --problem'),
    })
    const nowhere = await run('penalty', '--problem', join(folder.path, 'no', 'step.json'))
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('--problem') })
  })

  test('results tell how often each solver was asked', async () => {
    const { solvers, problems, metrics } = JSON.parse((await run('stewart-trinkle', '--json')).stdout)
    expect(problems).toEqual([])
    expect(metrics).toMatchObject({ solverFailures: 0, fallbacks: 0 })
    expect(Object.keys(solvers[0])).toEqual(['name', 'solved', 'failed'])
    expect(solvers.map(({ name }: { name: string }) => name)).toContain('lemke')
    expect(solvers[0].solved + solvers[0].failed).toBeGreaterThan(0)
    expect((await run('stewart-trinkle')).stdout).toMatch(new RegExp(`Solvers +${solvers[0].name} solved \\d+`))
  })
})

describe('docs/solvers.md', () => {
  const page = readFileSync(join(examples, '../../solvers.md'), 'utf8')

  test('shows what the command prints, but for what depends on the machine', () => {
    const file = 'docs/examples/problems/mlcp.json'
    expect(page).toContain(`featherbed solve ${file}`)
    const problem = parseProblem(readFileSync(example('mlcp'), 'utf8'), file)
    // numbers of solvers and of machines aside: times, iterations, residuals, differences
    const bare = (text: string) =>
      text
        .replaceAll(/[\d.]+(e-?\d+)?/g, '#')
        .replaceAll(/-{2,}/g, '--')
        .replaceAll(/ +/g, ' ')
    const [, shown] = /```text\n(.*?)```/s.exec(page) as RegExpExecArray
    expect(bare(shown)).toBe(bare(solutionText(problem, solveProblem(problem, solvers), paintFor({ isTTY: false }, {}))))
  })

  test('shows a problem whose answer is the one that it tells', () => {
    const [, shown] = /```json\n(.*?)```/s.exec(page) as RegExpExecArray
    const { z } = solveProblem(parseProblem(shown, 'shown.json'), solvers, 'lemke').solvers[0]
    expect(page).toContain(`The answer is z = (${z?.map((x) => Number(x.toPrecision(12))).join(', ')})`)
  })

  test('names every solver and every field', () => {
    for (const name of solverNames(solvers)) expect(page).toContain(`\`${name}\``)
    for (const field of ['allowed', 'rows', 'softness', 'constraints', 'path', 'active', 'law', 'sides'])
      expect(page).toContain(`| \`${field}\` |`)
  })
})
