import { describe, expect, test } from 'vitest'
import { type Column, table } from '../../compare/cli/terminal.ts'

const columns: Column[] = [
  { title: '\nname', align: 'left' },
  { title: 'time\nper step', align: 'right', dispensable: 1 },
  { title: '\nspeed', align: 'right' },
]
const rows = [[{ text: 'penalty' }, { text: '7 µs' }, { text: '100 x' }]]

describe('a table', () => {
  test('has titles of several lines over its rule', () => {
    expect(table(columns, rows)).toBe(
      ['             time', 'name     per step  speed', '-------  --------  -----', 'penalty      7 µs  100 x'].join('\n'),
    )
  })

  test('leaves out what it can spare where there is no room, and nothing else', () => {
    const narrow = ['', 'name     speed', '-------  -----', 'penalty  100 x'].join('\n')
    expect(table(columns, rows, 23)).toBe(narrow)
    expect(table(columns, rows, 5)).toBe(narrow)
    expect(table(columns, rows, 24)).toBe(table(columns, rows))
  })
})
