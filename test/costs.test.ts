import { expect, test } from 'vitest'
import { generating, stated } from './costs.ts'
import { countedWork } from './countedWork.ts'
import { full } from './dailyModels.ts'

/** Of an input [bytes]; each twice the one before. */
const sizes = [1, 2, 4, 8].map((times) => 8000 * times).slice(...(full ? [0] : [1, 3]))
/** Asked of meters in one piece beside the input: less than this is not compared. */
const constantAsked = 4000
/** Work that does not depend on the input: less than this is not compared. */
const constantWork = 300_000

for (const [name, make] of Object.entries(stated)) {
  test(`${name}: work grows no faster than bytes to the power of 1.2`, async () => {
    let before: { bytes: number; asked: number; blocks: number } | undefined
    for (const size of sizes) {
      const { bytes, read } = await make(size)
      const { asked, blocks, error } = await countedWork(read, full)
      if (error instanceof Error) expect(error.name).not.toMatch(/^(Type|Range|Reference|Syntax)?Error$/)
      if (before !== undefined) {
        const most = (bytes / before.bytes) ** 1.2
        expect(asked).toBeLessThanOrEqual(most * before.asked + constantAsked)
        // counted by the engine: what the meters are not asked for, too, but for what is built into it
        expect(blocks).toBeLessThanOrEqual(most * before.blocks + constantWork)
      }
      before = { bytes, asked, blocks }
    }
  })
}

for (const [name, [make, limit]] of Object.entries(generating)) {
  test(`${name}: refused before a limit is passed, by its name`, async () => {
    const { read } = await make(8000)
    const { error, asked } = await countedWork(read, false)
    expect(String((error as Error | undefined)?.message)).toMatch(limit)
    expect(asked).toBeLessThan(2e7)
  })
}
