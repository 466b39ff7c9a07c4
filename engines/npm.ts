import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Version of an installed npm package; '' where it does not tell. */
export function npmVersion(packageName: string): string {
  for (let at = fileURLToPath(import.meta.resolve(packageName)); at.includes('node_modules'); ) {
    at = at.replace(/[/\\][^/\\]*$/, '')
    try {
      const { name, version } = JSON.parse(readFileSync(`${at}/package.json`, 'utf8')) as { name?: string; version?: string }
      if (name === packageName && version !== undefined) return version
    } catch {}
  }
  return ''
}
