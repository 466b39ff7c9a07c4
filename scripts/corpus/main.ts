/**
 * `npm run corpus -- urdf|written|mjcf|gymnasium [--dir FOLDER] [--only TEXT] [--check]`: public robot files beside the tools that they were written for, and what
 * `convert` writes in the tools that it is written for.
 *
 * Needs python3 with venv and pip; tools and wheels are put in FOLDER (default: results/corpus, about 2 GB). Writes FOLDER/NAME.json, a row a file, and
 * the table of docs/real-robots.md, or of the corpus's own page. With --check the page is left alone, and the exit code is 1 if something that should hold does not.
 * With --only neither: the rows of the files whose name holds TEXT are printed.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { asker, type Corpus, install } from './corpus.ts'
import { gymnasium } from './gymnasium.ts'
import { mjcf } from './mjcf.ts'
import { urdf } from './urdf.ts'
import { written } from './written.ts'

const corpora: Readonly<Record<string, Corpus<unknown>>> = { urdf, written, mjcf, gymnasium }
const repository = fileURLToPath(new URL('../..', import.meta.url))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { dir: { type: 'string' }, only: { type: 'string' }, check: { type: 'boolean' } },
})
const [name] = positionals
const corpus = corpora[name]
if (corpus === undefined || positionals.length > 1) {
  console.error(
    `usage: npm run corpus -- NAME [--dir FOLDER] [--only TEXT] [--check], with NAME one of ${Object.keys(corpora).join(', ')}`,
  )
  process.exit(2)
}
const page = join(repository, corpus.page ?? 'docs/real-robots.md')
const folder = resolve(values.dir ?? join(repository, 'results/corpus'))
const { python, files } = install(corpus, folder)
const { ask, close } = asker(python, corpus.script)
const rows: unknown[] = []
for (const file of [...files(corpus), ...(corpus.others?.() ?? [])]) {
  if (values.only !== undefined && !file.path.includes(values.only)) continue
  console.error(`${file.package} ${file.name}`)
  rows.push(await corpus.row(file, ask, folder))
}
close()

if (values.only !== undefined) console.log(JSON.stringify(rows, null, 1))
else {
  writeFileSync(join(folder, `${name}.json`), `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`)
  const table = corpus.table(rows)
  console.log(table)
  const faults = corpus.faults(rows)
  for (const fault of faults) console.log(fault)
  if (values.check) process.exitCode = faults.length > 0 ? 1 : 0
  else {
    const place = new RegExp(`(<!-- corpus ${name} -->\n)[^]*?(<!-- end -->)`)
    writeFileSync(
      page,
      readFileSync(page, 'utf8').replace(place, (_, start, end) => `${start}${table}\n${end}`),
    )
  }
}
