import { createHash } from 'node:crypto'
import type { Caller } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { newSecret } from '../../kernel/id.ts'
import { type GuardedFetch, openGuardedFetch } from '../../kernel/network/guarded-fetch.ts'
import { say } from '../../kernel/sentence.ts'
import type { Trx } from '../../db/database.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import type { RemoteAccess } from '../spec/remote-access.ts'
import { Accesses } from './access.ts'
import { beginAuthorization, finishAuthorization, type Pending, type Returned } from './authorization.ts'
import { knownClient, keepClient } from './client-rows.ts'
import type { Connectable, ConnectionsOptions } from './connectable.ts'
import { EVERYBODY, readConnection, saveConnection } from './connection-rows.ts'

/** How long somebody may take at the authorization server. */
const AWAY_MS = 10 * 60_000
const ANSWER_BYTES = 1024 * 1024
const ANSWER_MS = 15_000
/** Tokens of one module that are masked in what it says: those of the last days. */
const MASKED = 100

export const CALLBACK = '/api/connections/callback'
export const CLIENT = '/api/connections/client'

const pendingPurpose = (hash: string): string => `module connecting\0${hash}`
const hashOfState = (state: string): string => createHash('sha256').update(state).digest('hex')

/** Connections to remote modules: making them, ending them, and the tokens that calls are sent with. */
export class Connections implements AsyncDisposable {
  readonly #options: ConnectionsOptions
  readonly #find: (name: string) => Connectable | null
  readonly #accesses: Accesses
  readonly #fetches = new Map<boolean, GuardedFetch>()
  /** By module, in one array each, because what is masked is asked for again and again. */
  readonly #masked = new Map<string, string[]>()
  /** Those of them that are tokens, the oldest first. */
  readonly #tokens = new Map<string, string[]>()

  constructor(options: ConnectionsOptions, find: (name: string) => Connectable | null) {
    this.#options = options
    this.#find = find
    this.#accesses = new Accesses({
      ...options,
      clock: () => Date.now(),
      fetch: (module) => this.#fetch(this.#find(module)?.allow_private === true),
      onBroken: (trx, { module, owner }) => this.#changed(trx, module, null, 'module.connection_lost', owner, 'failed'),
    })
  }

  /** The tokens with which a module is reached for this owner. */
  access(module: string, owner: string): RemoteAccess {
    return this.#accesses.of(module, owner, (token) => {
      const masked = this.maskedFor(module, [])
      if (masked.includes(token)) return
      masked.push(token)
      const tokens = this.#tokens.get(module) ?? []
      this.#tokens.set(module, tokens)
      tokens.push(token)
      // The oldest tokens are over; the secrets of the settings stay.
      if (tokens.length > MASKED) masked.splice(masked.indexOf(tokens.shift()!), 1)
    })
  }

  /** What to mask in whatever a module says: these, and the tokens that it was sent. It grows by itself. */
  maskedFor(module: string, secrets: readonly string[]): string[] {
    const masked = this.#masked.get(module) ?? []
    this.#masked.set(module, masked)
    masked.push(...secrets.filter((secret) => !masked.includes(secret)))
    return masked
  }

  /** The address to send the browser to. @throws {AppError} connect_failed */
  async begin(connectable: Connectable, owner: string, caller: Caller, origin: string): Promise<string> {
    const { db, vault, log } = this.#options
    const { name, url: server, allow_private } = connectable
    const redirect_uri = origin + CALLBACK
    const before = await readConnection(db.read, vault, name, owner)
    const state = newSecret()
    const asking = {
      server,
      fetch: this.#fetch(allow_private),
      redirect_uri,
      client_url: origin.startsWith('https:') ? origin + CLIENT : null,
      challenge: before?.challenge ?? null,
      scope: before?.scope ?? null,
      known: (issuer: string) => knownClient(db.read, vault, connectable, issuer, redirect_uri),
      keep: (issuer: string, client: object) => keepClient(db, vault, { module: name, issuer, redirect_uri }, client),
    }
    const { url, pending } = await beginAuthorization(asking, state).catch((error: unknown) => {
      throw connectFailed(error, (cause) => log.warn({ module: name, err: cause }, 'module cannot be connected'))
    })
    const state_hash = hashOfState(state)
    const expires_at = Date.now() + AWAY_MS
    const { user_id, session_id } = caller
    const sealed = vault.seal(pendingPurpose(state_hash), JSON.stringify(pending))
    await db.transaction(async (trx) => {
      await trx.deleteFrom('module_connecting').where('expires_at', '<', Date.now()).execute()
      await trx
        .insertInto('module_connecting')
        .values({ state_hash, module: name, owner, user_id, session_id, sealed, expires_at })
        .execute()
    })
    return url
  }

  /** What came back counts once, for whoever began it, in the same session. Null: it does not count. */
  async finish(
    state: string | undefined,
    returned: Returned,
    caller: Caller,
  ): Promise<{ module: string; owner: string; problem: ModuleProblem | null } | null> {
    const { db, vault, log } = this.#options
    const state_hash = hashOfState(state ?? '')
    const row = await db.write
      .deleteFrom('module_connecting')
      .where('state_hash', '=', state_hash)
      .where('user_id', '=', caller.user_id)
      .where('session_id', '=', caller.session_id)
      .returningAll()
      .executeTakeFirst()
    if (row === undefined || Number(row.expires_at) < Date.now()) return null
    const { module, owner } = row
    const connectable = this.#find(module)
    if (connectable === null) return null
    try {
      const pending = JSON.parse(vault.open(pendingPurpose(state_hash), row.sealed)) as Pending
      const grant = await finishAuthorization(pending, returned, this.#fetch(connectable.allow_private), Date.now())
      // For all, it does not go with whoever made it; the tools of each person's own are listed with an account of theirs.
      const user_id = owner === EVERYBODY && connectable.sign_in === 'shared' ? null : caller.user_id
      await db.transaction(async (trx) => {
        await saveConnection(trx, vault, { module, owner, user_id, grant }, Date.now())
        await this.#changed(trx, module, caller, 'module.connected', owner, 'ok')
      })
      return { module, owner, problem: null }
    } catch (error) {
      if (!(error instanceof ModuleProblem)) throw error
      log.warn({ module, problem: error.message }, 'module was not connected')
      return { module, owner, problem: error }
    }
  }

  /** Forgets the tokens. False when there are none. */
  async end(module: string, owner: string, caller: Caller): Promise<boolean> {
    return this.#options.db.transaction(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('module_connection')
        .where('module', '=', module)
        .where('owner', '=', owner)
        .executeTakeFirst()
      if (numDeletedRows === 0n) return false
      await this.#changed(trx, module, caller, 'module.disconnected', owner, 'ok')
      return true
    })
  }

  #fetch(allowPrivate: boolean): GuardedFetch['fetch'] {
    let guarded = this.#fetches.get(allowPrivate)
    if (guarded === undefined) {
      const limits = { maxBytes: ANSWER_BYTES, headers_ms: ANSWER_MS, idle_ms: ANSWER_MS }
      this.#fetches.set(allowPrivate, (guarded = openGuardedFetch({ allowPrivate, ...limits })))
    }
    return guarded.fetch
  }

  /** The audit log names the module and whose connection it is, never an account there. */
  async #changed(
    trx: Trx,
    module: string,
    actor: Caller | null,
    action: string,
    owner: string,
    outcome: 'ok' | 'failed',
  ): Promise<void> {
    const { audit, onChanged, db } = this.#options
    const details = {
      connection: owner === EVERYBODY ? 'all' : 'own',
      ...(actor === null && owner && { user_id: owner }),
    }
    await audit.record(trx, { actor, action, target: module, outcome, details })
    await onChanged(trx, module)
    db.wake(trx, 'modules')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#fetches.values()].map((guarded) => guarded[Symbol.asyncDispose]()))
  }
}

function connectFailed(error: unknown, log: (cause: unknown) => void): unknown {
  if (!(error instanceof ModuleProblem)) return error
  log(error)
  return new AppError('connect_failed', say`The server cannot be connected. ${error.detail}`)
}
