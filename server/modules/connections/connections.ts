import { createHash } from 'node:crypto'
import type { Caller } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { newSecret } from '../../kernel/id.ts'
import { type GuardedFetch, openGuardedFetch } from '../../kernel/network/guarded-fetch.ts'
import { say } from '../../kernel/sentence.ts'
import { SealError, type Vault } from '../../kernel/vault.ts'
import type { Trx } from '../../db/database.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import type { RemoteAccess } from '../spec/remote-access.ts'
import { ONLY_PROTECTED, unprotected } from '../spec/unprotected.ts'
import { Accesses } from './access.ts'
import { ClientForgotten } from './authorization-problem.ts'
import { beginAuthorization, finishAuthorization, type Pending, type Returned } from './authorization.ts'
import { forgetClient, knownClient, keepClient } from './client-rows.ts'
import type { Connectable, ConnectionsOptions } from './connectable.ts'
import { connectedSince, deleteConnection, EVERYBODY, readConnection, saveConnection } from './connection-rows.ts'

/** How long somebody may take at the authorization server. */
const AWAY_MS = 10 * 60_000
const ANSWER_BYTES = 1024 * 1024
const ANSWER_MS = 15_000
/** Tokens of one module that are masked in what it says: those of the last days. */
const MASKED = 100

export const CALLBACK = '/api/connections/callback'
export const CLIENT = '/api/connections/client'

const pendingPurpose = (hash: string): string => `module connecting\0${hash}`
const openPending = (vault: Vault, hash: string, sealed: string) =>
  JSON.parse(vault.open(pendingPurpose(hash), sealed)) as Pending
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
      onBroken: (trx, connection) =>
        this.#changed(trx, connection, null, 'module.connection_lost', () => options.lost.tell(trx, connection)),
      onWanted: (trx, { module }) => this.#news(trx, module),
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

  /** When these persons have connected a module, by person: what was opened with an earlier connection is over. */
  since(module: string, owners: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return connectedSince(this.#options.db.read, module, owners)
  }

  /** The address to send the browser to. @throws {AppError} connect_failed */
  async begin(
    connectable: Connectable,
    owner: string,
    caller: Caller,
    origin: string,
    conversation_id?: string,
  ): Promise<string> {
    const { db, vault, log } = this.#options
    const { name, url: server, allow_private } = connectable
    const redirect_uri = origin + CALLBACK
    if (unprotected(server, allow_private)) throw new AppError('connect_failed', ONLY_PROTECTED)
    const before = await readConnection(db.read, vault, name, owner)
    const away = await this.#away(name, owner)
    const state = newSecret()
    const asking = {
      server,
      fetch: this.#fetch(allow_private),
      redirect_uri,
      client_url: origin.startsWith('https:') ? origin + CLIENT : null,
      challenge: before?.challenge ?? null,
      scope: before?.scope ?? null,
      known: async (issuer: string) => {
        const known = await knownClient(db.read, vault, connectable, issuer, redirect_uri)
        const doubted = connectable.client === null && away.some((id) => id === known?.client_id)
        return doubted ? null : known
      },
      keep: (issuer: string, client: object) => keepClient(db, vault, { module: name, issuer, redirect_uri }, client),
    }
    const { url, pending } = await beginAuthorization(asking, state).catch((error: unknown) => {
      throw connectFailed(error, (cause) => log.warn({ module: name, err: cause }, 'module cannot be connected'))
    })
    const state_hash = hashOfState(state)
    const expires_at = Date.now() + AWAY_MS
    const { user_id, session_id } = caller
    const kept: Pending = { ...pending, ...(conversation_id !== undefined && { conversation_id }) }
    const sealed = vault.seal(pendingPurpose(state_hash), JSON.stringify(kept))
    await db.transaction(async (trx) => {
      await trx.deleteFrom('module_connecting').where('expires_at', '<', Date.now()).execute()
      await trx
        .insertInto('module_connecting')
        .values({ state_hash, module: name, owner, user_id, session_id, sealed, expires_at })
        .execute()
    })
    return url
  }

  /**
   * The registrations with which this owner was sent away and has not come back, unless they were made for that. An
   * authorization server that does not know a client any more keeps whoever comes with it.
   */
  async #away(module: string, owner: string): Promise<string[]> {
    const { db, vault } = this.#options
    const rows = await db.read
      .selectFrom('module_connecting')
      .select(['state_hash', 'sealed'])
      .where('module', '=', module)
      .where('owner', '=', owner)
      .execute()
    return rows.flatMap(({ state_hash, sealed }) => {
      try {
        const { client, registered } = openPending(vault, state_hash, sealed)
        return registered === true ? [] : [client.client_id]
      } catch (error) {
        if (error instanceof SealError) return []
        throw error
      }
    })
  }

  /** What came back counts once, for whoever began it, in the same session. Null: it does not count. */
  async finish(
    state: string | undefined,
    returned: Returned,
    caller: Caller,
  ): Promise<{ module: string; owner: string; conversation_id?: string; problem: ModuleProblem | null } | null> {
    const { db, vault, log, lost } = this.#options
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
    const pending = openPending(vault, state_hash, row.sealed)
    const { conversation_id } = pending
    const about = { module, owner, ...(conversation_id !== undefined && { conversation_id }) }
    try {
      const grant = await finishAuthorization(pending, returned, this.#fetch(connectable.allow_private), Date.now())
      // For all, it does not go with whoever made it; the tools of each person's own are listed with an account of theirs.
      const user_id = owner === EVERYBODY && connectable.sign_in === 'shared' ? null : caller.user_id
      await db.transaction(async (trx) => {
        const over = await saveConnection(trx, vault, { module, owner, user_id, grant }, Date.now())
        await this.#changed(trx, about, caller, 'module.connected', () => lost.end(trx, over))
      })
      return { ...about, problem: null }
    } catch (error) {
      if (!(error instanceof ModuleProblem)) throw error
      log.warn({ module, problem: error.message }, 'module was not connected')
      if (error instanceof ClientForgotten)
        await forgetClient(db, vault, { module, issuer: pending.issuer }, pending.client.client_id)
      return { ...about, problem: error }
    }
  }

  /** Forgets the tokens. False when there are none. */
  async end(module: string, owner: string, caller: Caller): Promise<boolean> {
    const { db, lost } = this.#options
    return db.transaction(async (trx) => {
      const over = await deleteConnection(trx, module, owner)
      if (over === null) return false
      await this.#changed(trx, { module, owner }, caller, 'module.disconnected', () => lost.end(trx, over))
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
    { module, owner }: { readonly module: string; readonly owner: string },
    actor: Caller | null,
    action: string,
    tell: () => Promise<void>,
  ): Promise<void> {
    const { audit } = this.#options
    const details = {
      connection: owner === EVERYBODY ? 'all' : 'own',
      ...(actor === null && owner && { user_id: owner }),
    }
    const outcome = actor === null ? 'failed' : 'ok'
    await audit.record(trx, { actor, action, target: module, outcome, details })
    await tell()
    await this.#news(trx, module)
  }

  async #news(trx: Trx, module: string): Promise<void> {
    const { onChanged, db } = this.#options
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
