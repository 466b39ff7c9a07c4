/**
 * node --import ./scripts/typescript.mjs scripts/cases.ts BEFORE.json AFTER.json
 *
 * Compares two lists of all test cases, as `FEATHERBED_FULL=1 npx vitest list --json=FILE` writes them: which names are gone, which are
 * new. A case that moved to another file is the same. Ends with 1 if one is gone.
 */
import { readFileSync } from 'node:fs'

const [before, after] = process.argv.slice(2).map((file) => {
  const cases = JSON.parse(readFileSync(file, 'utf8')) as { name: string; file: string }[]
  const counts = new Map<string, { count: number; file: string }>()
  for (const { name, file } of cases) {
    const at = file.indexOf('/test/')
    counts.set(name, { count: (counts.get(name)?.count ?? 0) + 1, file: file.slice(at + 1) })
  }
  return { total: cases.length, counts }
})
const missing = (from: typeof before, there: typeof before) =>
  [...from.counts].flatMap(([name, { count, file }]) => {
    const rest = count - (there.counts.get(name)?.count ?? 0)
    return rest > 0 ? [`${file}: ${name}${rest > 1 ? ` (${rest} times)` : ''}`] : []
  })
const [gone, come] = [missing(before, after), missing(after, before)]
console.log(`${before.total} cases before, ${after.total} after; ${gone.length} names gone, ${come.length} new`)
for (const each of gone) console.log(`- ${each}`)
for (const each of come) console.log(`+ ${each}`)
process.exit(gone.length > 0 ? 1 : 0)
