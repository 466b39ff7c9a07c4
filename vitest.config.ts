import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/sequence.ts'

/** Sets flags of its engine and counts what all of its process allocates. */
const alone = ['test/dynamics/allocation.test.ts']

/** Ends a test that hangs, and nothing else: the slowest machine takes a small part of it [ms]. */
const patience = process.env.FEATHERBED_FULL === undefined ? 600_000 : 8 * 3_600_000

export default defineConfig({
  test: {
    testTimeout: patience,
    hookTimeout: patience,
    expect: { poll: { timeout: patience } },
    pool: 'forks',
    maxWorkers: 2,
    server: { deps: { external: [/\/dist\//] } }, // the built command runs as it is
    sequence: { sequencer: LongestFirst },
    projects: [
      // files share two processes, in which our own modules are loaded once: half a second less for each file
      {
        extends: true,
        test: {
          name: 'shared',
          globalSetup: ['test/browser/chromium.ts'],
          include: ['test/**/*.test.ts'],
          exclude: alone,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
    ],
  },
})
