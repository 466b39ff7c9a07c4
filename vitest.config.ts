import { defineConfig } from 'vitest/config'

/** Ends a test that hangs, and nothing else: the slowest machine takes a small part of it [ms]. */
const patience = process.env.FEATHERBED_FULL === undefined ? 600_000 : 8 * 3_600_000

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/browser/chromium.ts'],
    testTimeout: patience,
    hookTimeout: patience,
    expect: { poll: { timeout: patience } },
    pool: 'forks',
    maxWorkers: 2,
    isolate: false, // files share two processes, in which our own modules are loaded once: half a second less for each file
    server: { deps: { external: [/\/dist\//] } }, // the built command runs as it is
  },
})
