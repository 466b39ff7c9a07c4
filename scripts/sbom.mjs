// npm run sbom: sbom.json, CycloneDX, has all that a user gets: packages that come with this one, and those of which dist/ holds parts.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const root = new URL('..', import.meta.url)
const npm = { cwd: root, encoding: 'utf8', maxBuffer: 1e9, shell: process.platform === 'win32' }
const sbom = JSON.parse(execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], npm))

const bundled = new Set(
  ['command', 'compare', 'report', 'viewer'].flatMap((folder) => {
    const notices = readFileSync(new URL(`dist/${folder}/THIRD-PARTY-NOTICES.md`, root), 'utf8')
    return [...notices.matchAll(/^## (\S+) - (\S+) \(/gm)].map(([, name, version]) => `${name}@${version}`)
  }),
)
const isInstalled = ({ properties = [] }) => !properties.some(({ name }) => name === 'cdx:npm:package:development')
sbom.components = sbom.components.filter((component) => isInstalled(component) || bundled.has(component['bom-ref']))
const kept = new Set([sbom.metadata.component, ...sbom.components].map((component) => component['bom-ref']))
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }))
for (const component of sbom.components) {
  if (isInstalled(component)) continue
  component.properties = [{ name: 'featherbed:bundled', value: 'true' }]
}
const missing = [...bundled].filter((one) => !kept.has(one))
if (missing.length > 0)
  throw new Error(`dist/ holds parts of ${missing.join(', ')}, which npm does not list: run npm ci, then npm run build`)
sbom.metadata.component.name = 'featherbed'

writeFileSync(new URL('sbom.json', root), `${JSON.stringify(sbom, null, 2)}\n`)
process.stdout.write(`sbom.json: ${sbom.components.length} packages, ${bundled.size} of them in dist/\n`)
