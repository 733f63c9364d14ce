import { defineConfig } from 'vitest/config'

const SOURCES = ['contract', 'server', 'builtin', 'test']
const E2E = 'test/e2e/**/*.test.ts'
const ARCHITECTURE = 'test/architecture.test.ts'

/** Three projects: rules about the sources, the service through its front door, and whole journeys in a browser. */
export default defineConfig({
  test: {
    // Processes, not threads: the server under test owns signals, native modules and a working folder.
    pool: 'forks',
    maxWorkers: 2,
    retry: 0,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    // A condition is waited for as long as a page is: on a busy machine, one second is too short for what comes at once.
    expect: { poll: { timeout: 15_000 } },
    env: { NODE_ENV: 'test' },
    projects: [
      { extends: true, test: { name: 'architecture', include: [ARCHITECTURE], sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'service',
          include: [...SOURCES.map((folder) => `${folder}/**/*.test.ts`), 'web/**/*.test.{ts,tsx}'],
          exclude: [E2E, ARCHITECTURE, '**/node_modules/**'],
          globalSetup: 'test/start-postgres.ts',
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'journeys',
          include: [E2E],
          globalSetup: 'test/start-postgres.ts',
          testTimeout: 60_000,
          // After the others: a browser on two cores disturbs tests that measure time.
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
