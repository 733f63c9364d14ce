import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { accounts as contract } from '../../contract/accounts.ts'
import type { Caller, HandlerInput, HandlerOutput, RequestClient } from '../../contract/route.ts'
import { openAccounts, type Accounts, type AccountsOptions } from '../../server/accounts/accounts.ts'
import { Database } from '../../server/db/database.ts'
import { openLog } from '../../server/kernel/log.ts'
import { openVault } from '../../server/kernel/vault.ts'
import type { TestDatabase } from './servers/postgres.ts'

type Group = typeof contract
type Input<K extends keyof Group> = Partial<HandlerInput<Group[K]>>
export type Call = <K extends keyof Group>(name: K, input?: Input<K>) => Promise<HandlerOutput<Group[K]>>

export const PASSWORD = 'correct horse battery'

/** Accounts on a database of their own, with a clock that stands until it is set. */
export async function openTestAccounts(database: TestDatabase, options: Partial<AccountsOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-accounts-'))
  const url = await (database.withTables ?? database.url)(folder)
  const statements: string[] = []
  const db = await Database.open({
    url: url || null,
    folder,
    observe: (sql) => void statements.push(sql),
    onError: (error) => {
      throw error
    },
  })
  onTestFinished(async () => {
    await db[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  const time = { now: Date.now() }
  const vault = openVault(randomBytes(32))
  /** Another process on the same database, or this one started again. */
  const start = (more: Partial<AccountsOptions> = {}): Promise<Accounts> =>
    openAccounts({
      db,
      vault,
      log: openLog('silent'),
      clock: () => time.now,
      findTool: () => undefined,
      toolNames: () => [],
      toolTitle: (_module, title) => title,
      pastCalls: () => Promise.resolve({ items: [], partial: false }),
      pastArguments: () => Promise.resolve(new Map()),
      callsOfTool: () => Promise.resolve({ items: [], partial: false }),
      hasActiveRun: () => Promise.resolve(false),
      procedure: () => Promise.resolve(null),
      hosts: () =>
        Promise.resolve([{ host_id: 'local', name: 'local', tags: [], local: true, disabled: false, bound: '' }]),
      tellElevation: async () => {},
      eraseUser: async () => {},
      ...options,
      ...more,
    })
  const accounts = await start()
  return { db, time, start, accounts, call: caller(accounts), statements }
}

/** A browser at an address. */
export function clientAt(address: string, device: string | null = null): RequestClient {
  return { address, user_agent: 'test', content_type: '', origin: 'http://localhost:8080', note: null, device }
}

/** Calls a handler as http does, and checks the answer against the contract. */
export function caller(accounts: Accounts): Call {
  return async (name, input = {}) => {
    const handler = accounts.handlers[name] as (input: unknown) => Promise<{ body?: unknown }>
    const client = clientAt('192.0.2.1')
    const answer = await handler({
      params: {},
      query: {},
      headers: {},
      body: {},
      caller: null,
      asks: [],
      client,
      ...input,
    })
    const { response } = contract[name]
    if ('schema' in response) response.schema.parse(response.kind === 'session' ? answer.body : answer)
    return answer as never
  }
}

/** Sets up the administrator `root` and signs them in. */
export async function setUp(accounts: Accounts): Promise<SignedIn> {
  const call = caller(accounts)
  const body = { token: accounts.setupToken ?? '', username: 'root', password: PASSWORD }
  return signedIn(accounts, await call('setup', { body }))
}

export interface SignedIn {
  readonly caller: Caller
  readonly cookie: string
}

/** Signs in as a browser would. */
export async function signIn(
  accounts: Accounts,
  username: string,
  password = PASSWORD,
  address = '192.0.2.1',
): Promise<SignedIn> {
  const client = clientAt(address)
  return signedIn(accounts, await caller(accounts)('login', { body: { username, password }, client }))
}

async function signedIn(accounts: Accounts, answer: HandlerOutput<Group['login']>): Promise<SignedIn> {
  const cookie = answer.session?.token ?? ''
  const found = await accounts.gate.authenticate({ kind: 'cookie', token: cookie })
  if (!found) throw new Error('The new session is not known.')
  return { caller: found, cookie }
}

/** A user with a role of the given name. */
export async function addUser(accounts: Accounts, by: Caller, username: string, role = 'user') {
  const call = caller(accounts)
  const { items } = await call('listRoles', { caller: by })
  const role_id = items.find(({ name }) => name === role)?.role_id ?? ''
  return (await call('createUser', { caller: by, body: { username, password: PASSWORD, role_id } })).user
}
