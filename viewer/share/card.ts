import { sizesOf } from '../../compare/scenario/index.ts'
import type { Files } from '../scenes/sources.ts'

const isScript = (path: string) => /\.[cm]?[jt]s$/.test(path)

/**
 * Lists the files of a run that came from elsewhere, with their sizes, and the rights of its scripts.
 *
 * @param from their source; '' for edits on this page @param trust called by the button that trusts the scripts; undefined where they are trusted
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
  add('summary', `From ${from}: ${files.size === 1 ? '1 file' : `${files.size} files`}`)
  const list = add('ul')
  for (const { name, size } of sizesOf(files)) {
    const item = document.createElement('li')
    item.textContent = `${name}, ${size}${isScript(name) ? ', a script' : ''}`
    list.append(item)
  }
  if (scripts.length === 0) return
  if (trust === undefined) {
    add('p', 'Its scripts run at full speed, in a worker without network access.')
    return
  }
  add('p', 'Its scripts run in a sandbox: an interpreter without network, page, files or clock, ten to ninety times slower.')
  const button = add('button', scripts.length === 1 ? 'Trust this script' : 'Trust these scripts')
  button.type = 'button'
  button.title = 'It then runs at full speed, as code of this page, in a worker without network access.'
  button.onclick = trust
}

/** The source of dropped files: the user knows them, and the card is shown for their scripts alone. */
export const DROPPED = 'a drop'
