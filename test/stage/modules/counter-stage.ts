import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { ModuleDetail } from '../../../contract/modules.ts'
import { contract } from '../../../contract/index.ts'
import { say } from '../chat-stage.ts'
import type { TestClient } from '../client.ts'
import { PASSWORD } from '../people.ts'
import { startProcess, type TestProcess } from '../process.ts'
import type { TestDatabase } from '../servers/postgres.ts'
import { until } from '../wait.ts'
import { S3_BUCKET, S3_KEYS, startS3Server } from '../servers/s3-server.ts'
import { install, makeBundle } from './module-bundles.ts'

const FIXTURE = join(import.meta.dirname, '../../module-fixtures/counter-server.mjs')

export interface Counting {
  readonly process: TestProcess
  readonly admin: TestClient
  /** Somebody who may call its tools. */
  readonly ann: TestClient
}

/** The bundle of a module that counts in a file of its data folder. */
export async function counterBundle(options: Parameters<typeof makeBundle>[0] = {}): Promise<Buffer> {
  return makeBundle({ name: 'counter', files: { 'server.mjs': await counterProgram() }, ...options })
}

export function counterProgram(): Promise<string> {
  return readFile(FIXTURE, 'utf8')
}

/** Where it runs, as a process says. */
export async function runsOf(admin: TestClient): Promise<ModuleDetail['runs']> {
  const { module } = await admin.call(contract.modules.module, { params: { module_name: 'counter' } })
  return module.runs
}

/** Waits until the counter that runs in a process has this number in its file. */
export async function isCounted(process: TestProcess, number: string): Promise<void> {
  const file = join(process.dataFolder, 'modules/data/counter/number')
  await until(async () => (await readFile(file, 'utf8').catch(() => '')) === number, {
    what: `it has counted ${number}`,
  })
}

/** A database and a bucket that several processes use, as behind one address. */
export async function openCounterStage(database: TestDatabase, more: Record<string, string> = {}) {
  await using opened = new AsyncDisposableStack()
  const s3 = opened.use(await startS3Server())
  const url = await database.url()
  const env = {
    REEVE_SECRET_KEY: 'c3'.repeat(32),
    REEVE_FILES_URL: `s3://${S3_BUCKET}/reeve?endpoint=${encodeURIComponent(s3.url)}&path_style=true`,
    REEVE_FILES_ACCESS_KEY: S3_KEYS.access,
    REEVE_FILES_SECRET_KEY: S3_KEYS.secret,
    ...more,
  }
  const start = (through: string) =>
    startProcess({ database: { ...database, url: () => Promise.resolve(through) }, env })

  /** The process that is set up, with its administrator and Ann. `through`: another way to the same database. */
  async function first(through = url): Promise<Counting> {
    const process = await start(through)
    const admin = await process.as('admin')
    const { role } = await admin.call(contract.accounts.createRole, {
      body: { name: 'counts', rules: [{ subject: 'tool:counter.*', effect: 'allow' }] },
    })
    const body = { username: 'ann', password: PASSWORD, role_id: role.role_id }
    await admin.call(contract.accounts.createUser, { body })
    return { process, admin, ann: await process.signIn('ann') }
  }

  async function another(): Promise<Counting> {
    const process = await start(url)
    return { process, admin: await process.signIn('admin'), ann: await process.signIn('ann') }
  }

  async function sql(text: string, values: unknown[]): Promise<Record<string, string>[]> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query<Record<string, string>>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  const closing = opened.move()
  return { first, another, env, sql, url, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

/** Calls a tool of the counter, and gives what it said. */
export async function counted(client: TestClient, tool = 'count', input: object = {}): Promise<string> {
  const { tool_calls_executed } = await say(client, `/counter.${tool} ${JSON.stringify(input)}`)
  const [call] = tool_calls_executed
  if (call === undefined) throw new Error(`There was no call of ${tool}.`)
  return call.status === 'done' ? (call.result_preview ?? '') : `${call.status}: ${call.result_preview ?? ''}`
}

/** Installs the counter and enables it. */
export async function runCounter(admin: TestClient, options: Parameters<typeof makeBundle>[0] = {}): Promise<void> {
  await install(admin, await counterBundle(options))
  await admin.call(contract.modules.enable, { params: { module_name: 'counter' }, body: {} })
}
