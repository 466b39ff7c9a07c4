/** Run by grammar.test.ts in a process of its own: FORMAT COUNT ... An input is named by its format and its seed. */
import { drawn } from './grammar.ts'
import { documented, formats, isLinkError } from './grammarFormats.ts'
import { tryInputs } from './tryInputs.ts'

const words = process.argv.slice(2)

async function attempt(name: string): Promise<string> {
  const [format, seed] = name.split(' ')
  const read = drawn(Number(seed), formats[format])
  try {
    return await read()
  } catch (error) {
    if (error instanceof Error && error.message.length < 20_000 && (documented.test(error.name) || isLinkError(error)))
      return 'refused'
    throw error
  }
}

const namesOf = (format: string, count: number) => Array.from({ length: count }, (_, seed) => `${format} ${seed}`)
await tryInputs(
  words.flatMap((format, k) => (k % 2 === 0 ? namesOf(format, Number(words[k + 1])) : [])),
  attempt,
)
