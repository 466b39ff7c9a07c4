import { readFileSync } from 'node:fs'
import { built } from '../../assets.ts'

/** The script of a report behind the licences of its parts, as text that may stand in a script element; undefined where it was not built. */
export function pageScript(): string | undefined {
  try {
    const read = (file: string) => readFileSync(built(`report/${file}`), 'utf8')
    const notices = read('THIRD-PARTY-NOTICES.md').replaceAll('*/', '* /')
    return `/*!\n${notices}*/\n${read('page.js')}`.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

/** The notice in place of a replay until the script is there. */
export const replayMissing = (): string =>
  pageScript()
    ? 'The replay needs JavaScript.'
    : "There is no replay: this copy of Featherbed was built without the page's script. Run npm run build:page and make the report again."
