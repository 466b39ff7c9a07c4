import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** docs/papers.md: each number of the papers has its row, and what a row names is declared in the file that it links. */

const page = fileURLToPath(new URL('../docs/papers.md', import.meta.url))

interface Row {
  /** Of the heading "## ...". */
  readonly part: string
  readonly cells: readonly string[]
  /** The cell under "where"; undefined in a table without one. */
  readonly where: string | undefined
}

function rowsOf(text: string): Row[] {
  const rows: Row[] = []
  let part = ''
  let column: number | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) part = line.slice(3)
    const isRow = line.startsWith('| ')
    if (!isRow) {
      column = undefined
      continue
    }
    const cells = line
      .slice(1, line.lastIndexOf('|'))
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
    if (cells.every((cell) => /^-+$/.test(cell))) continue
    if (column === undefined) column = cells.indexOf('where')
    else rows.push({ part, cells, where: column < 0 ? undefined : cells[column] })
  }
  return rows
}

const rows = rowsOf(readFileSync(page, 'utf8'))

const systems = rows.filter(({ part }) => part === 'Systems')

const upTo = (most: number, name: (n: number) => string) => Array.from({ length: most }, (_, k) => name(k + 1))
const equation = (n: number) => `(${n})`
const figure = (n: number) => `figure ${n}`
const footnote = (n: number) => `footnote ${n}`

test.each([
  ['Drumwright', [...upTo(4, equation), ...upTo(15, figure), ...upTo(3, footnote)]],
  ['Baraff', [...upTo(19, equation), ...upTo(4, figure), ...upTo(1, footnote)]],
  ['PEG', [...upTo(32, equation), ...upTo(12, figure), 'table 1']],
])('%s: every equation, figure, table and footnote has one row, in order', (paper, numbers) => {
  const found = rows.filter(({ part }) => part === paper).map(({ cells }) => cells[0])
  expect(found.filter((name) => /^(\(|figure|table|footnote)/.test(name))).toEqual(numbers)
})

test('the four experiments of Drumwright have a row each', () => {
  const found = rows.filter(({ part }) => part === 'Drumwright').map(({ cells }) => cells[0])
  expect(found.filter((name) => name.startsWith('IV-'))).toEqual(['IV-A', 'IV-B', 'IV-C', 'IV-D'])
})

/** Whether a file declares a name, and does not only use it: as a function, a class, a type, a variable, or a member of one of these. */
function declares(source: string, name: string): boolean {
  const variable = `(?:export )?(?:async )?(?:function|class|interface|type|const|let) ${name}\\b`
  const member = `(?:(?:private|protected|readonly|static|override) )*#?${name}\\??(?:[:=<]| =|\\((?:$|.*\\{$|.*\\): ))`
  return new RegExp(`^\\s*(?:${variable}|${member})`, 'm').test(source)
}

test('every file that a row links is there, and declares every name that follows the link', () => {
  const broken: string[] = []
  for (const { part, cells, where } of rows) {
    let file: string | undefined
    for (const [, link, name] of (where ?? '').matchAll(/\]\(([^)#\s]+)\)|`([^`]+)`/g)) {
      const place = `${part}, ${cells[0]}`
      if (link !== undefined) {
        file = join(dirname(page), link)
        if (!existsSync(file)) broken.push(`${place}: ${link}`)
      } else if (file === undefined || !existsSync(file) || !declares(readFileSync(file, 'utf8'), name)) {
        broken.push(`${place}: ${name}`)
      }
    }
  }
  expect(broken).toEqual([])
})

test('every row says where, or that there is nothing; an equation by name', () => {
  const isSaid = ({ cells: [name], where = '' }: Row) =>
    where.startsWith('none') || (name.startsWith('(') ? /\]\([^)]+\) `/.test(where) : /\]\(|^see /.test(where))
  const silent = rows.filter((row) => row.where !== undefined && !isSaid(row))
  expect(silent.map(({ part, cells }) => `${part}, ${cells[0]}`)).toEqual([])
})

test('the state of every system is whole, in part with what is missing, or absent; what is there has a place', () => {
  const wrong = systems.filter(({ cells: [, , where, state] }) =>
    where === 'none' ? !state.startsWith('absent') : !/^(whole\b|in part: \S|absent: \S)/.test(state),
  )
  expect(wrong.map(({ cells }) => cells[0])).toEqual([])
})

/** Authors of the methods that the three papers name, and methods without one. */
const named = [
  ...[
    'Anitescu and Potra',
    'Anitescu and Hart',
    'Baraff',
    'Berard',
    'Cameron and Culley',
    'Canny',
    'Cottle',
    'Cremer',
    'Cundall',
  ],
  ...[
    'Donald',
    'Duff',
    'Erdmann',
    'Featherstone',
    'Fisher and Lin',
    'Frisken',
    'Gilbert and Foo',
    'Gilbert and Hong',
    'GJK',
    'Graham',
  ],
  ...[
    'Guendelman',
    'Hahn',
    'Hasegawa and Sato',
    'Hwang',
    'Ingleton',
    'Jones',
    'Kass',
    'Keller',
    'Kilmister and Reeve',
    'Kim',
    'Kokkevis',
  ],
  ...[
    'Latombe',
    'Lemke',
    'Lin and Canny',
    'LMMCP',
    'LNC',
    'Lötstedt',
    'Marques',
    'Megiddo',
    'Milenkovic',
    'Mirtich',
    'Moore and Wilhelms',
  ],
  ...[
    'Moreau',
    'Muller and Preparata',
    'Murty',
    'Nguyen',
    'PATH',
    'PEG',
    'PM',
    'Potra',
    'Rubin and Ungar',
    'Ruspini and Khatib',
    'Schmidl',
  ],
  ...['Snyder', 'Steiner', 'Stewart and Trinkle', 'Stribeck', 'Stronge', 'V-Clip', 'Von Herzen', 'Wang and Mason', 'Weinstein'],
  ...[
    'Yamane and Nakamura',
    'Ziegler and Nichols',
    'adaptive gains',
    'deepest point',
    'integral',
    'popping',
    'prescribed motion',
  ],
]

test('every method that the papers name is among the systems', () => {
  const text = systems.map(({ cells }) => cells[0]).join('\n')
  expect(named.filter((name) => !text.includes(name))).toEqual([])
})
