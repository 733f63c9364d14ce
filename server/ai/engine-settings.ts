import type { z } from 'zod'
import type { EngineProviderName, EngineState } from '../../contract/engines.ts'
import type { Caller } from '../../contract/route.ts'
import type { Database, Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { SealError, type Vault } from '../kernel/vault.ts'
import type { AiConfig } from './engine-setting.ts'
import { engineAddress, sameEngine } from './engine-address.ts'
import { toState } from './engine-state.ts'
import { StoredEngine } from './stored-engine.ts'

const KEY = 'ai.engine'
const PURPOSE = 'ai engine key'

export interface EngineOptions {
  readonly db: Database
  readonly vault: Vault
  /** The engine set by the environment, which takes precedence. */
  readonly environment: AiConfig
  readonly audit: {
    record(
      trx: Trx,
      entry: { actor: Caller; action: string; target: string; outcome: 'ok'; details: Record<string, unknown> },
    ): Promise<void>
  }
  readonly onError: (error: unknown) => void
}

/** An engine's address and credentials; `api_key` undefined: the one stored for it. */
export interface EngineConnection {
  readonly provider: z.infer<typeof EngineProviderName>
  readonly base_url: string | null
  readonly api_key?: string | null | undefined
}
export type EngineChange = EngineConnection & {
  readonly model: string
  readonly context_tokens: number
  readonly price: { readonly input: number; readonly output: number } | null
  readonly timeout_ms: number
  readonly idle_timeout_ms: number
}

/**
 * The configured engine: set by the environment, otherwise by an administrator in the pages. Every process sees a
 * change at once.
 */
export class EngineSettings implements Disposable {
  readonly #options: EngineOptions
  readonly #stopListening: () => void
  #listeners: (() => void)[] = []
  #stored: { engine: StoredEngine; updated_at: number } | null = null
  #current: AiConfig = null
  #shown = ''

  private constructor(options: EngineOptions) {
    this.#options = options
    this.#current = options.environment
    this.#stopListening = options.db.onWake(KEY, () => void this.#read().catch(options.onError))
  }

  static async open(options: EngineOptions): Promise<EngineSettings> {
    const settings = new EngineSettings(options)
    await settings.#read()
    return settings
  }

  /** Null: none, so only direct mode. Contains the key: never logged. */
  get current(): AiConfig {
    return this.#current
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  get state(): EngineState {
    return toState(this.#options.environment, this.#stored)
  }

  /** @throws {AppError} engine_read_only, engine_address, engine_key_elsewhere */
  async save(caller: Caller, change: EngineChange): Promise<EngineState> {
    const { vault, audit } = this.#options
    this.#mayChange()
    const { provider, model, context_tokens, timeout_ms, idle_timeout_ms } = change
    const base_url = engineAddress(change)
    const { price } = change
    const api_key = this.keyFor(change)
    const now = Date.now()
    const engine: StoredEngine = {
      provider,
      base_url,
      model,
      sealed_key: api_key === null ? null : vault.seal(PURPOSE, api_key),
      key_updated_at:
        api_key === null ? null : change.api_key === undefined ? (this.#stored?.engine.key_updated_at ?? now) : now,
      context_tokens,
      price: price && { input_micros: micros(price.input), output_micros: micros(price.output) },
      timeout_ms,
      idle_timeout_ms,
      updated_by: caller.display_name || caller.username,
    }
    const value = JSON.stringify(engine)
    await this.#change(async (trx) => {
      await trx
        .insertInto('setting')
        .values({ key: KEY, value, updated_at: now })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at: now }))
        .execute()
      const details = { provider, base_url, model, context_tokens, price, key: keyChange(change.api_key) }
      await audit.record(trx, { actor: caller, action: 'engine.updated', target: model, outcome: 'ok', details })
    })
    return this.state
  }

  /** @throws {AppError} engine_read_only */
  async remove(caller: Caller): Promise<EngineState> {
    this.#mayChange()
    const before = this.#stored?.engine
    await this.#change(async (trx) => {
      await trx.deleteFrom('setting').where('key', '=', KEY).execute()
      const details = { provider: before?.provider ?? null, model: before?.model ?? null }
      const target = before?.model ?? ''
      await this.#options.audit.record(trx, { actor: caller, action: 'engine.removed', target, outcome: 'ok', details })
    })
    return this.state
  }

  /**
   * The key to use with an engine: the given one, or the stored one if it was stored for this engine.
   * @throws {AppError} engine_key_elsewhere: a key is never sent anywhere it was not meant for.
   */
  keyFor(connection: EngineConnection): string | null {
    if (connection.api_key !== undefined) return connection.api_key
    const kept = this.#current
    if (kept?.api_key == null) return null
    if (sameEngine(kept, connection)) return kept.api_key
    throw new AppError(
      'engine_key_elsewhere',
      say`The stored key was given for another address. Enter the key for this one.`,
    )
  }

  #mayChange(): void {
    if (this.#options.environment === null) return
    throw new AppError(
      'engine_read_only',
      say`The engine is set by REEVE_AI_MODEL in the environment of the service. Change it there, or remove it there to configure it here.`,
    )
  }

  async #change(work: (trx: Trx) => Promise<void>): Promise<void> {
    const { db } = this.#options
    await db.transaction(async (trx) => {
      await work(trx)
      db.wake(trx, KEY)
    })
    await this.#read()
  }

  async #read(): Promise<void> {
    const { db, vault, environment } = this.#options
    const row = await db.read.selectFrom('setting').selectAll().where('key', '=', KEY).executeTakeFirst()
    const value = row?.value ?? ''
    if (value === this.#shown) return
    this.#stored = row === undefined ? null : { engine: this.#opened(row.value), updated_at: row.updated_at }
    this.#shown = value
    if (environment !== null) return
    this.#current = this.#stored === null ? null : toConfig(this.#stored.engine, vault)
    for (const listener of this.#listeners) listener()
  }

  /** Without its key if that was sealed with another secret key: the service starts and reports what is missing. */
  #opened(value: string): StoredEngine {
    const engine = StoredEngine.parse(JSON.parse(value))
    try {
      toConfig(engine, this.#options.vault)
      return engine
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      this.#options.onError(error)
      return { ...engine, sealed_key: null, key_updated_at: null }
    }
  }

  [Symbol.dispose](): void {
    this.#stopListening()
  }
}

function toConfig({ sealed_key, ...engine }: StoredEngine, vault: Vault): AiConfig {
  const { provider, base_url, model, context_tokens, price, timeout_ms, idle_timeout_ms } = engine
  const api_key = sealed_key === null ? null : vault.open(PURPOSE, sealed_key)
  return { provider, base_url, model, api_key, context_tokens, price, timeout_ms, idle_timeout_ms }
}

function keyChange(api_key: string | null | undefined): 'kept' | 'removed' | 'replaced' {
  return api_key === undefined ? 'kept' : api_key === null ? 'removed' : 'replaced'
}

function micros(price: number): number {
  return Math.round(price * 1e6)
}
