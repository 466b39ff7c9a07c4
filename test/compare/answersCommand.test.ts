import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ended, featherbed } from './command.ts'

const example = (name: string) => `docs/examples/problems/${name}.json`
const folder = mkdtempSync(join(tmpdir(), 'featherbed-answers-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('featherbed answers', () => {
  test('lists each answer with its modes, and ends with 1 where there is none', async () => {
    const several = await ended(0, featherbed(['answers', example('painleve-rod-several'), '--json']))
    const { complete, answers } = JSON.parse(several.stdout)
    expect(complete).toBe(true)
    expect(answers.map(({ modes, impulse }: { modes: string[]; impulse: number[] }) => [modes, impulse.length])).toEqual([
      [['touch'], 1],
      [['apart'], 1],
    ])
    const none = await ended(1, featherbed(['answers', example('painleve-rod-forces')]))
    expect(none.stdout).toContain('All answers: 0 connected sets')
  })
  test('takes the step of a run, under the law of its model', async () => {
    const { stdout } = await ended(
      0,
      featherbed(['answers', 'diffdrive@0.1', '--model', 'ncp', '--dt', '2e-3', '--json', '--quiet']),
    )
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'contact', law: 'cone', complete: true })
  })
  test('says what was left open at the limit, and what random starts found', async () => {
    const { stdout } = await ended(1, featherbed(['answers', example('box'), '--most', '20']))
    expect(stdout).toMatch(/left open at --most/)
    expect(stdout).toMatch(/^1 velocity from \d+ of 64 random starts/m)
  })
  test.each([
    [['answers', 'diffdrive@0.1', '--model', 'penalty'], 'solves no problem of contact'],
    [['answers', example('lcp'), '--law', 'cone'], 'is an lcp, without friction'],
    [['answers', example('box'), '--law', 'dry'], '--law found "dry", expected pyramid, cone or associated'],
    [['answers', example('box'), '--law', 'cone', '--certificates', 'c.json'], 'under the law "pyramid", not under "cone"'],
    [['run', 'diffdrive', '--answers', '0'], '--answers found "0", expected a whole number of steps above 0'],
  ])('%s', async (words, message) => {
    const { stderr } = await ended(2, featherbed([...words, '--quiet']))
    expect(stderr).toContain(message)
  })
})

describe('featherbed run --answers', () => {
  test('lists steps with a continuum of velocities, and runs both ends of the first to the end', async () => {
    const words = ['run', 'diffdrive', '--model', 'stewart-trinkle', '--dt', '2e-3', '--duration', '1', '--no-timing']
    const out = join(folder, 'run')
    const { stdout } = await ended(0, featherbed([...words, '--answers', '25', '--fork', '--out', out, '--quiet']))
    expect(stdout).toMatch(/^ {2}Answers .*with a continuum; first at 0\.\d+ s: /m)
    const { answersFound, forks, hash } = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'))
    expect(answersFound.searched).toBe(20)
    expect(answersFound.continuum).toBeGreaterThan(0)
    expect(answersFound.events[0].apart).toBeGreaterThan(0)
    expect(forks.map(({ status }: { status: string }) => status)).toEqual(['ok', 'ok'])
    // each answer leads elsewhere, and none is the model's
    expect(new Set([hash, ...forks.map((fork: { hash: string }) => fork.hash)]).size).toBe(3)
  })
  test('a run with it has the same bits as one without', async () => {
    const words = ['run', 'diffdrive', '--model', 'ncp', '--dt', '2e-3', '--duration', '0.1', '--no-timing', '--json', '--quiet']
    const [plain, searched] = await Promise.all(
      [[], ['--answers', '20']].map((more) => ended(0, featherbed([...words, ...more]))),
    )
    expect(JSON.parse(searched.stdout).hash).toBe(JSON.parse(plain.stdout).hash)
  })
})
