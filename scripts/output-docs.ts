/**
 * The blocks of output in README.md and docs/*.md: a fenced block marked `text` shows the output of the command in the fenced block before it.
 * A comment directly above it, `<!-- output: paragraphs 1, 2; rows penalty 1 ms, ncp 5 ms; without real time; width 100 -->`, says which part:
 * paragraphs by their number, lines by their first words, rows of a table by their first cells; which columns are left out; and the longest line.
 * A block is kept as it is where computing times alone differ. The commands of a page run one after the other in one new folder.
 *
 *     npm run outputs [-- PAGE...]
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A block of output on a page. */
export interface Output {
  /** Words after `featherbed`. */
  readonly command: readonly string[]
  readonly options: Options
  readonly text: string
  /** Where `text` begins in the page. */
  readonly start: number
}
type Options = Readonly<Partial<Record<'paragraphs' | 'lines' | 'rows' | 'without' | 'width', readonly string[]>>>

/** Whether the command reads robots that are not part of the repository. */
export const needsRobots = ({ command }: Output): boolean => command.some((word) => word.includes('examples/real/'))

/** Pages that have blocks of output, README.md first. */
export const outputPages: readonly string[] = [
  'README.md',
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md') && readFileSync(join(root, name), 'utf8').includes('\n```text\n'))

/** @throws Error for a block without a command before it */
export function outputsOf(name: string): Output[] {
  const page = readFileSync(join(root, name), 'utf8')
  const outputs: Output[] = []
  let before = ''
  for (const { 0: block, 1: language, 2: text, index } of page.matchAll(/^```(\w*)\n([\s\S]*?)\n```$/gm)) {
    if (language === 'text') {
      const [, command] = /^(?:npx )?featherbed (.*)$/.exec(before.replaceAll(/\\\n */g, '').trim()) ?? []
      if (command === undefined) throw new Error(`${name}: no command of featherbed alone in the block before\n${block}`)
      const [, words = ''] = /<!-- output: (.*) -->\n$/.exec(page.slice(0, index)) ?? []
      const options = words.split('; ').map((option) => [option.split(' ', 1)[0], option.replace(/^\w+ /, '').split(', ')])
      outputs.push({
        command: command.split(/ +/),
        options: Object.fromEntries(options),
        text,
        start: index + '```text\n'.length,
      })
    }
    before = text
  }
  return outputs
}

/** Text whose tables, one a paragraph, have these rows alone and nothing below, and not the columns of these titles. */
function cutTables(text: string, options: Options): string {
  if (text.includes('\n\n')) return text.replaceAll(/[^\n](.|\n(?!\n))*/g, (paragraph) => cutTables(paragraph, options))
  const { rows, without = [] } = options
  const lines = text.split('\n')
  const rule = lines.findIndex((line) => /^ *-+( {2}-+)+ *$/.test(line))
  if (rule < 0) return text
  const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
  const first = lines.findIndex((line, i) => line.startsWith('  ') || i === rule - 1)
  const head = lines.slice(first, rule + 1)
  const indent = lines[rule].search('-')
  const cells = [...lines[rule].matchAll(/-+/g)].map(({ 0: { length }, index }) => {
    return (line: string) => line.slice(index, index + length).padEnd(length)
  })
  const kept = cells.filter((cell) => !without.includes(plain(head.slice(0, -1).map(cell).join(' '))))
  const cut = (line: string) => (' '.repeat(indent) + kept.map((cell) => cell(line)).join('  ')).trimEnd()
  const below = lines.slice(rule + 1)
  const chosen = rows?.map((row) => below.find((line) => `${plain(line)} `.startsWith(`${row} `)) ?? `no row ${row}`) ?? below
  return [
    ...lines.slice(0, first),
    ...head.map(cut),
    ...chosen.map((line) => (line.search(/\S/) === indent ? cut(line) : line)),
  ].join('\n')
}

/** A line of prose, of at most `width` characters; the rest of an indented one is indented further. Rows of tables stay. */
function wrap(line: string, width: number, hang = line.startsWith(' ') ? `${/^ */.exec(line)}    ` : ''): string {
  const at = (/^.*(?<![\d=]) (?!=)/.exec(line.slice(0, width + 1))?.[0].length ?? 0) - 1 // a number keeps its unit
  if (line.length <= width || at <= hang.length || /\S {2,}/.test(line)) return line
  return `${line.slice(0, at)}\n${wrap(hang + line.slice(at + 1), width, hang)}`
}

/** What a page shows of a command's output. @throws Error for a part that is not there */
export function shown(printed: string, options: Options): string {
  const { paragraphs, lines = [''], width = ['Infinity'] } = options
  const all = printed.replaceAll(root, '').split('\n\n')
  const picked = paragraphs?.map((number) => all[Number(number) - 1] ?? `no paragraph ${number}`) ?? all
  const kept = cutTables(picked.join('\n\n'), options).split('\n')
  const missing = (words: string) => !kept.some((line) => line.startsWith(words))
  const lost = kept.find((line) => /^no (row|paragraph) /.test(line)) ?? lines.find(missing)
  if (lost !== undefined) throw new Error(`"${lost}" is not there in\n${printed}`)
  return kept
    .filter((line) => lines.some((words) => line.startsWith(words)))
    .map((line) => wrap(line, Number(width)))
    .join('\n')
    .trimEnd()
}

/** Text without computing times, line breaks and widths of columns: two outputs of one command have the same. */
export function timeless(text: string): string {
  return cutTables(text, { without: ['time per step', 'real time', 'time'] })
    .replaceAll(/^ *(Computing time a step|Speed over real time) .*\n/gm, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(-{3,}\s*)+/g, '- ')
    .replaceAll(/ A simulated second took .*? of computing here\./g, '')
}

/** A new folder in which commands of a page run, and where `docs` is that of the repository. */
export function outputFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-outputs-'))
  symlinkSync(join(root, 'docs'), join(folder, 'docs'))
  return folder
}

function renew(name: string): void {
  const featherbed = join(root, 'bin/featherbed.js')
  const folder = outputFolder()
  let page = readFileSync(join(root, name), 'utf8')
  const renewed = outputsOf(name).flatMap((output) => {
    const { command, options, text: before, start } = output
    if (needsRobots(output) && process.env.FEATHERBED_ROBOTS === undefined) {
      console.log(`${name}: not run, for want of FEATHERBED_ROBOTS: featherbed ${command.join(' ')}`)
      return []
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, [featherbed, ...command], { cwd: folder, encoding: 'utf8' })
    if (status !== 0 && status !== 1) throw new Error(`featherbed ${command.join(' ')} ended with ${status}\n${stderr}`)
    const text = shown(stdout, options)
    return timeless(text) === timeless(before) ? [] : [{ text, start, end: start + before.length }]
  })
  // the last one first: those before keep their places
  for (const { start, end, text } of renewed.toReversed()) page = page.slice(0, start) + text + page.slice(end)
  rmSync(folder, { recursive: true })
  writeFileSync(join(root, name), page)
  console.log(`${name}: ${renewed.length} blocks are new`)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const name of outputPages) if (process.argv.length === 2 || process.argv.some((part) => name.endsWith(part))) renew(name)
