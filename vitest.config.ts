import { defineConfig } from 'vitest/config'

const SOURCES = ['contract', 'server', 'builtin', 'test']
const E2E = 'test/e2e/**/*.test.ts'
const ARCHITECTURE = ['test/architecture.test.ts', 'test/architecture-files.test.ts']
/** As the service runs: the sources themselves, loaded by Node, and once for all files of a worker. */
const LOADED_BY_NODE = {
  globalSetup: 'test/stage/servers/start-postgres.ts',
  experimental: { viteModuleRunner: false, nodeLoader: false },
  isolate: false,
}

/** Four projects: rules about the sources, parts of the pages, the service through its front door, and journeys in a browser. */
export default defineConfig({
  test: {
    // Processes, not threads: the server under test owns signals, native modules and a working folder.
    pool: 'forks',
    // One more than the machine of the pipeline has cores: much of what is tested is waiting.
    maxWorkers: 3,
    retry: 0,
    // For what hangs, not for what is slow: a busy machine is no failure.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    // A condition is waited for as long as a page is: on a busy machine, one second is too short for what comes at once.
    expect: { poll: { timeout: 30_000 } },
    env: { NODE_ENV: 'test' },
    setupFiles: 'test/stage/sources/strict-matching.ts',
    projects: [
      { extends: true, test: { name: 'architecture', include: ARCHITECTURE, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: { name: 'pages', include: ['web/**/*.test.{ts,tsx}'], sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: SOURCES.map((folder) => `${folder}/**/*.test.ts`),
          exclude: [E2E, ...ARCHITECTURE, '**/node_modules/**'],
          ...LOADED_BY_NODE,
          // Two more than cores: a worker here is at work for six tenths of its time, else it waits.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'journeys',
          include: [E2E],
          ...LOADED_BY_NODE,
          testTimeout: 120_000,
          // After the others: a browser on two cores disturbs tests that measure time.
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
