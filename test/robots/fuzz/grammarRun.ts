/** Run by grammar.test.ts in a process of its own: FORMAT COUNT. An input is named by its format and its seed. */
import { drawn } from './grammar.ts'
import { documented, formats, isLinkError } from './grammarFormats.ts'
import { tryInputs } from './tryInputs.ts'

const [format, count] = process.argv.slice(2)

async function attempt(name: string): Promise<string> {
  const read = drawn(Number(name.split(' ')[1]), formats[format])
  try {
    return await read()
  } catch (error) {
    if (error instanceof Error && error.message.length < 20_000 && (documented.test(error.name) || isLinkError(error)))
      return 'refused'
    throw error
  }
}

await tryInputs(
  Array.from({ length: Number(count) }, (_, seed) => `${format} ${seed}`),
  attempt,
)
