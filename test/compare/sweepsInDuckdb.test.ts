import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ended, featherbed, temporaryFolder } from './command.ts'

const python = process.env.FEATHERBED_PYTHON ?? 'python3'
const root = fileURLToPath(new URL('../..', import.meta.url))
const isThere = (() => {
  try {
    return execFileSync(python, ['-c', 'import duckdb, pyarrow'], { stdio: 'ignore' }) !== undefined
  } catch {
    return false
  }
})()
if (!isThere) console.log('not run: queries of docs/scale.md; pip install duckdb pyarrow, FEATHERBED_PYTHON names another python')

test.runIf(isThere)(
  'the queries of docs/scale.md and the lines of docs/python.md run on a sweep, and find its units',
  async () => {
    const { path, write } = temporaryFolder()
    const scenario = join(root, 'docs/examples/scale/brake.yaml')
    await ended(0, featherbed(['sweep', scenario, '--out', join(path, 'results'), '--quiet']))
    const blocks = (page: string, language: string) =>
      [...readFileSync(join(root, 'docs', page), 'utf8').matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
        ([, text]) => text,
      )
    const queries = blocks('scale.md', 'sql').flatMap((text) => text.split(';').filter((query) => query.trim() !== ''))
    expect(queries.length).toBe(5)
    const lines = blocks('python.md', 'python').filter((text) => text.includes('sweep/'))
    expect(lines.length).toBe(2)
    const run = (text: string) => execFileSync(python, [write('script.py', text)], { cwd: path, encoding: 'utf8' })
    const answers = queries.map((query) =>
      run(
        `import duckdb, json\nplain = lambda x: x if isinstance(x, (int, float, str)) else str(x)\nprint(json.dumps([[plain(x) for x in row] for row in duckdb.sql(${JSON.stringify(query)}).fetchall()]))`,
      ),
    )
    const [success, border, broken, wide, units] = answers.map((answer) => JSON.parse(answer) as unknown[][])
    expect(success.map(([model, dt, , runs]) => [model, dt, runs])).toEqual(
    ['convex', 'mujoco', 'ncp'].flatMap((model) => [[model, 1e-3, 96], [model, 2e-3, 96]]),
  ) // biome-ignore format: one line
    expect(border.length).toBe(9)
    expect(broken).toEqual([])
    expect(wide.length).toBeGreaterThan(0)
    expect(units.some(([column, pairs]) => column === 'penetrationMax_m' && String(pairs).includes('unit'))).toBe(true)
    expect(run(lines.join('\n').replaceAll('sweep/', 'results/'))).toContain('m m')
  },
)
