import './scripts/typescript.mjs'
import { defineConfig } from 'vitest/config'
import { guestText } from './viewer/guestText.ts'

/** Ends a test that hangs, and nothing else: the slowest machine takes a small part of it [ms]. */
const patience = process.env.FEATHERBED_FULL === undefined ? 600_000 : 8 * 3_600_000

export default defineConfig({
  plugins: [guestText],
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/browser/chromium.ts'],
    setupFiles: ['test/stacks.ts'],
    testTimeout: patience,
    hookTimeout: patience,
    expect: { poll: { timeout: patience } },
    pool: 'forks',
    maxWorkers: 2,
    isolate: false, // files share two processes, in which our own modules are loaded once: half a second less for each file
    // Node loads tests and sources itself, a fifth faster than rewritten by vite; what the page imports is vite's
    execArgv: ['--import', new URL('scripts/typescript.mjs', import.meta.url).href],
    server: { deps: { external: [/^(?!.*\/viewer\/).*\.ts$/, /\/dist\//] } },
  },
})
