import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/sequence.ts'

/** Sets flags of its engine and counts what all of its process allocates. */
const alone = ['test/dynamics/allocation.test.ts']

/** To catch hangs alone: no test comes near it on any machine [ms]. */
const hang = process.env.FEATHERBED_FULL === '1' ? 8 * 3_600_000 : 600_000

export default defineConfig({
  test: {
    globalSetup: ['test/browser/chromium.ts'],
    testTimeout: hang,
    hookTimeout: hang,
    expect: { poll: { timeout: 30_000 } }, // on a busy machine a page may take seconds to its next picture
    pool: 'forks',
    maxWorkers: 2,
    server: { deps: { external: [/\/dist\//] } }, // the built command runs as it is
    sequence: { sequencer: LongestFirst },
    projects: [
      // files share two processes, in which our own modules are loaded once: half a second less for each file
      { extends: true, test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: alone, isolate: false } },
      { extends: true, test: { name: 'alone', include: alone } },
    ],
  },
})
