import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** What a page is called: its first heading. @param page from the root of the repository */
export const titleOf = (page: string): string => /^# (.+)$/m.exec(readFileSync(root + page, 'utf8'))?.[1] ?? page

export interface Group {
  readonly text: string
  readonly items: readonly { readonly text: string; readonly link: string }[]
}

/** Pages of docs/README.md, in its order below its headings, each where it stands first. */
export function groupsOfIndex(): Group[] {
  const seen = new Set<string>()
  const [, ...parts] = readFileSync(`${root}docs/README.md`, 'utf8').split(/^\*\*(.+)\*\*$/m)
  return parts.flatMap((text, i) => {
    if (i % 2 === 1) return []
    const names = [...parts[i + 1].matchAll(/\]\(([\w-]+)\.md/g)].map(([, name]) => name).filter((name) => !seen.has(name))
    for (const name of names) seen.add(name)
    return { text, items: [...new Set(names)].map((name) => ({ text: titleOf(`docs/${name}.md`), link: `/docs/${name}` })) }
  })
}
