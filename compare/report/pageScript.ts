import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where `npm run build:page` puts it, seen from the sources and from what is built. */
const places = ['../../dist/report/page.js', '../../report/page.js']

/** The script of a report, as text that may stand in a script element; undefined where it was not built. */
export function pageScript(): string | undefined {
  for (const place of places) {
    try {
      const text = readFileSync(fileURLToPath(new URL(place, import.meta.url)), 'utf8')
      return text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return undefined
}
