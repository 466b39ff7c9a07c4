import { readFileSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../../../assets.ts'
import { reasonOf } from '../../recording/wholeFile.ts'
import { UsageError } from '../errors.ts'
import { io } from '../io.ts'
import type { FlagsOf, Verb } from '../verb.ts'

/** As docs/controllers.md shows it. */
const template = packageFile('docs/examples/controller.ts')

export const verb: Verb = {
  example: '  featherbed new controller my_controller.ts\n  featherbed run humanoid --controller my_controller.ts --duration 2',
  arguments: {
    what: { meaning: 'kind of file', choices: ['controller'] },
    name: 'the new file; an existing one is not overwritten',
  },
  flags: {},
  run: (_what: string, name: string, flags: FlagsOf<object>) => newController(name, flags),
}

/** `featherbed new controller`. @throws UsageError where the file is there, or cannot be written */
function newController(name: string, { json, quiet }: FlagsOf<object>): void {
  const file = extname(name) === '' ? `${name}.ts` : name
  if (!['.ts', '.mts'].includes(extname(file)))
    throw new UsageError(`new controller ${name}: the file has types, so its name ends in .ts or .mts`)
  try {
    writeFileSync(file, readFileSync(fileURLToPath(template)), { flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EEXIST' ? 'is there already, and is left as it is' : `cannot be written (${reasonOf(error)})`
    throw new UsageError(`new controller ${name}: ${file} ${why}; name another`)
  }
  if (json) io.stdout.write(`${JSON.stringify({ file }, null, 2)}\n`)
  else if (!quiet)
    io.stdout.write(`${file} holds a robot at home:\n  featherbed run humanoid --controller ${file} --duration 2\n`)
}
