import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/sequence.ts'

export default defineConfig({
  test: {
    globalSetup: ['test/browser/chromium.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 30_000 } }, // on a busy machine a page may take seconds to its next picture
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    include: ['test/**/*.test.ts'],
    isolate: false, // files share two processes, in which our own modules are loaded once: half a second less for each file
  },
})
