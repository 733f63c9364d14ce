import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp, type App } from '../../server/app/app.ts'
import { readConfig } from '../../server/app/config.ts'
import type { BuiltinModule } from '../../server/modules/spec/builtin-module.ts'
import { openMachine, type Machine } from '../../server/sandbox/machine.ts'
import { openPeople, type People } from './people.ts'
import type { TestDatabase } from './servers/postgres.ts'

/** Found out once: trying takes as long as everything else at a start. */
const MACHINE = openMachine({ node: process.execPath })

export interface AppOptions {
  /** Which database; SQLite when left out. */
  database?: TestDatabase
  /** Further settings: `REEVE_…`. */
  env?: Record<string, string>
  /** A running model endpoint (scripted-model.ts); none means direct mode. */
  model?: { readonly url: string }
  /** Sees every database statement before it runs, and may throw: for fault tests. Not for `startProcess`. */
  observe?: (sql: string) => void
  /** The time that routines go by. Not for `startProcess`. */
  routineClock?: () => number
  /** Milliseconds that an answer to an MCP client waits. Not for `startProcess`. */
  gatewayHold?: number | undefined
  /** Built-in modules instead of those of the product. Not for `startProcess`. */
  builtins?: readonly BuiltinModule[] | undefined
  /** Isolation of another machine than this one. Not for `startProcess`. */
  machine?: Machine
}

export interface TestApp extends People, AsyncDisposable {
  readonly url: string
  readonly setupLink: string | null
  readonly dataFolder: string
  /** Address of its database; empty for SQLite. */
  readonly databaseUrl: string
  /** The service itself, for what cannot be seen through the front door. */
  readonly app: App
}

/** The environment of a service for tests: nothing of this machine's, a port of its own, everything under `dataFolder`. */
export async function testEnvironment(dataFolder: string, options: AppOptions): Promise<Record<string, string>> {
  const model = options.model && {
    REEVE_AI_PROVIDER: 'openai-compatible',
    REEVE_AI_BASE_URL: options.model.url,
    REEVE_AI_MODEL: 'scripted',
    REEVE_AI_API_KEY: 'sk-test-key',
  }
  return {
    NODE_ENV: 'test',
    REEVE_HOST: '127.0.0.1',
    REEVE_PORT: '0',
    REEVE_DATA_DIR: dataFolder,
    REEVE_DATABASE_URL: (await options.database?.url()) ?? '',
    // A script of the engine has no answer to a request for a title; tests of titles switch them on.
    REEVE_AI_TITLES: 'false',
    ...model,
    ...options.env,
  }
}

/**
 * The real service in this process, on a port of its own, with a fresh data folder and database (one of `databases` has
 * its tables already; startProcess starts from nothing). Dispose it (`await using`): the folder is removed then.
 */
export async function startTestApp(options: AppOptions = {}): Promise<TestApp> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'reeve-app-'))
  // What runs in a sandbox ends with it, but a moment later.
  const removeFolder = (): Promise<void> => rm(dataFolder, { recursive: true, force: true, maxRetries: 5 })
  try {
    const { database } = options
    const url = database?.withTables ?? database?.url
    const env = await testEnvironment(dataFolder, {
      ...options,
      ...(database && url && { database: { name: database.name, url: () => url(dataFolder) } }),
    })
    const app = await startApp(readConfig({ REEVE_LOG_LEVEL: 'silent', ...env }), {
      observe: options.observe,
      ...(options.routineClock && { clock: options.routineClock }),
      builtins: options.builtins,
      gatewayHold: options.gatewayHold,
      machine: options.machine ?? MACHINE,
    })
    const people = openPeople(
      () => app.url,
      () => app.setupLink,
    )
    return {
      ...people,
      url: app.url,
      setupLink: app.setupLink,
      dataFolder,
      databaseUrl: env.REEVE_DATABASE_URL ?? '',
      app,
      async [Symbol.asyncDispose]() {
        await app[Symbol.asyncDispose]()
        await removeFolder()
      },
    }
  } catch (error) {
    await removeFolder()
    throw error
  }
}
