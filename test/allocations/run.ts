import { compilation } from '../../dynamics/index.ts'
import { measured, type Subject } from './subject.ts'

/** Prints a line of JSON, [number, allocation], for each subject of the group that the argument names, as soon as it is measured. */
export async function run(groups: Readonly<Record<string, readonly Subject[]>>): Promise<void> {
  // makes garbage, once
  await compilation.load()
  compilation.after = Infinity
  for (const [i, subject] of groups[process.argv[2]].entries()) {
    process.stdout.write(`${JSON.stringify([i, await measured(subject)])}\n`)
  }
}
