import { didYouMean } from '../../../dynamics/index.ts'
import {
  install,
  installedVersion,
  installing,
  type PythonEngine,
  pythonEngines,
  pythonPackages,
} from '../../../engines/index.ts'
import { exitCodes, UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { left, paintFor, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'

const flags = {
  '--python <path>': 'the Python that makes the environments (default: python3)',
} as const

export const verb: Verb = {
  example:
    '  featherbed engines                # which there are, and which are installed\n' +
    '  featherbed engines drake newton   # installs these two\n' +
    '  featherbed engines all\n\n' +
    'Each engine gets a Python environment of its own, with pinned packages of PyPI, in FEATHERBED_ENGINES or ~/.cache/featherbed/engines.\n' +
    'Delete a folder there to remove one. Engines of npm come by npm install (docs/phenomena.md).',
  flags,
  run: engines,
}

function engines(asked: readonly string[], { python, json, quiet }: FlagsOf<typeof flags>): void {
  const strange = asked.find((name) => name !== 'all' && !pythonEngines.some((engine) => engine === name))
  if (strange !== undefined)
    throw new UsageError(
      `engines found "${strange}", expected ${pythonEngines.join(', ')} or all${didYouMean(strange, pythonEngines)}`,
    )
  const wanted = asked.includes('all') ? pythonEngines : (asked as readonly PythonEngine[])
  for (const engine of wanted) {
    if (!quiet) io.stderr.write(`${engine}: installing ${pythonPackages[engine].join(', ')}\n`)
    try {
      install(engine, python)
    } catch (error) {
      io.stderr.write(`${engine}: ${(error as Error).message}\n`)
      io.exitCode = exitCodes.failed
    }
  }
  const rows = pythonEngines.map((name) => ({ name, packages: pythonPackages[name], version: installedVersion(name) ?? null }))
  if (json) {
    io.stdout.write(`${JSON.stringify({ engines: rows }, null, 2)}\n`)
    return
  }
  const { dim } = paintFor(io.stdout)
  const cells = rows.map(({ name, packages, version }) => [
    { text: name },
    { text: packages.join(', ') },
    version === null ? { text: `missing: ${installing(name)}`, paint: dim } : { text: `installed ${version}` },
  ])
  io.stdout.write(`${table([left('engine'), left('packages'), left('')], cells)}\n`)
}
