/** Notices of the page: errors, current work, and findings in a file. */
import { type Diagnostic, formatDiagnostic, kindsOf } from '../../robots/index.ts'

const element = (id: string) => document.getElementById(id) as HTMLElement

/** An error, until it is dismissed. */
export function complain(title: string, error: unknown): void {
  notice(title, error instanceof Error ? error.message : String(error), 'alert')
}

/** A success, until it is dismissed. */
export function inform(title: string, text: string): void {
  notice(title, text, 'status')
}

function notice(title: string, text: string, role: 'alert' | 'status'): void {
  const box = element('notice')
  box.hidden = false
  box.role = role
  const [strong, pre] = [box.querySelector('strong'), box.querySelector('pre')]
  if (strong) strong.textContent = title
  if (pre) pre.textContent = text
}

/** While it lasts; '' when it is over. */
export function busy(text: string): void {
  element('busy').hidden = text === ''
  element('busy').textContent = text
}

/** Changes by the loader, its other findings, and parts not shown; one entry a kind. */
export function listFindings(findings: readonly Diagnostic[], problems: readonly string[], file: string): void {
  const box = element('findings')
  box.hidden = findings.length + problems.length === 0
  const changes = findings.filter(({ repaired }) => repaired).length
  const others = findings.length - changes + problems.length
  const count = (n: number, what: string) => (n === 0 ? [] : [`${n} ${what}${n === 1 ? '' : 's'}`])
  const [summary, list] = box.children
  summary.textContent = `${[...count(changes, 'change'), ...count(others, changes > 0 ? 'other finding' : 'finding')].join(', ')} in the file`
  const items = kindsOf(findings).map(({ label, code, findings: all, remedy }) => {
    const places = all.map((finding) => {
      const shown = { ...finding, file: shortened(finding.file, file), remedy: remedy === '' ? finding.remedy : '' }
      return formatDiagnostic(shown)
    })
    return findingItem(label, all.length === 1 ? code : `${code} (${all.length})`, remedy, places)
  })
  if (problems.length > 0) items.push(findingItem('not shown', 'meshes and textures', '', problems))
  list.replaceChildren(...items)
}

function findingItem(label: string, title: string, remedy: string, places: readonly string[]): HTMLElement {
  const item = document.createElement('li')
  const mark = document.createElement('span')
  mark.className = `mark ${label}`
  mark.textContent = label
  const strong = document.createElement('strong')
  strong.textContent = title
  item.append(mark, ' ', strong)
  if (remedy !== '') item.append(` ${remedy}`)
  for (const place of places) {
    const line = document.createElement('p')
    line.textContent = place
    item.append(line)
  }
  return item
}

/** The robot's own file by its name alone, others by the way to them. */
function shortened(path: string, file: string): string {
  return path === file ? path.slice(path.lastIndexOf('/') + 1) : path.replace(/^\//, '')
}
