import type { Files } from '../scenes/sources.ts'

const isScript = (path: string) => /\.[cm]?[jt]s$/.test(path)
const sizeOf = (bytes: number) => (bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`)

/**
 * Says what came from elsewhere: its files with their sizes, and what its scripts may do.
 *
 * @param from who handed it on; '' for the page's own user @param trust called when its user takes it for their own; undefined once they have
 */
export function showCard(box: HTMLElement, from: string, files: Files, trust: (() => void) | undefined): void {
  const scripts = [...files.keys()].filter(isScript)
  box.hidden = files.size === 0 || from === '' || (scripts.length === 0 && from === DROPPED)
  const add = <K extends keyof HTMLElementTagNameMap>(name: K, text = ''): HTMLElementTagNameMap[K] => {
    const element = document.createElement(name)
    element.textContent = text
    box.append(element)
    return element
  }
  box.replaceChildren()
  const total = [...files.values()].reduce((sum, { length }) => sum + length, 0)
  add('summary', `From ${from}: ${files.size === 1 ? '1 file' : `${files.size} files`}, ${sizeOf(total)}`)
  const list = add('ul')
  for (const [path, { length }] of [...files].sort(([, a], [, b]) => b.length - a.length)) {
    const item = document.createElement('li')
    item.textContent = `${path}, ${sizeOf(length)}${isScript(path) ? ', a script' : ''}`
    list.append(item)
  }
  if (scripts.length === 0) return
  if (trust === undefined) {
    add('p', 'Its scripts run at full speed, in a worker without a network.')
    return
  }
  add('p', 'Its scripts run in a sandbox: an interpreter without network, page, files or clock, ten to ninety times slower.')
  const button = add('button', scripts.length === 1 ? 'Trust this script' : 'Trust these scripts')
  button.type = 'button'
  button.title = 'It then runs as the page itself does: at full speed, in a worker of this browser that has no network.'
  button.onclick = trust
}

/** Of what was dropped, whose files are known, scripts alone are told. */
export const DROPPED = 'a drop'
