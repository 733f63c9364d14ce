import type { Caller } from '../../contract/route.ts'
import type { ModelLesson } from '../chat/ports/model.ts'
import type { Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { type EngineChange, removeRow, writeRow } from './change-engines.ts'
import { sameEngine } from './engine-address.ts'
import type { EngineConnection, EnginesOptions } from './engines-options.ts'
import {
  type FactAbout,
  type FactValues,
  forgetFound,
  isStillThere,
  keepFactsOf,
  placeOf,
  writeFacts,
} from './facts/fact-rows.ts'
import { factsByModel } from './facts/model-facts.ts'
import type { Probed } from './facts/probe.ts'
import { environmentEngine, type KnownEngine, savedEngine } from './known-engine.ts'

/** Wakes every process after a change; also the prefix of its settings. */
const TOPIC = 'ai.engine'
const TITLES = 'ai.titles'

/** All engines: the environment's, and those that administrators saved. Every process sees a change at once. */
export class Engines implements Disposable {
  readonly #options: EnginesOptions
  readonly #stopListening: () => void
  #listeners: (() => void)[] = []
  #shown = ''
  #all: readonly KnownEngine[] = []
  #titles = false

  private constructor(options: EnginesOptions) {
    this.#options = options
    this.#stopListening = options.db.revisions.follow(TOPIC, () => this.#read())
  }

  static async open(options: EnginesOptions): Promise<Engines> {
    const engines = new Engines(options)
    await engines.#read()
    return engines
  }

  /** The default first, then by name. */
  get all(): readonly KnownEngine[] {
    return this.#all
  }

  /** Null: none at all, so only direct mode. */
  get standard(): KnownEngine | null {
    return this.#all[0] ?? null
  }

  /** Whether an engine names conversations after their first exchange. */
  get titles(): boolean {
    return this.#titles
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** @throws {AppError} not_found */
  find(engine_id: string): KnownEngine {
    const engine = this.#all.find((one) => one.engine_id === engine_id)
    if (engine === undefined) throw new AppError('not_found', say`There is no such engine.`)
    return engine
  }

  /**
   * Saves an engine; a new one without an id. The first one is the default.
   * @throws {AppError} not_found, engine_read_only, engine_address, engine_key_elsewhere, engine_exists,
   * too_many_engines, unknown_role
   */
  async save(caller: Caller, engine_id: string | null, change: EngineChange): Promise<KnownEngine> {
    const before = engine_id === null ? null : this.#changeable(engine_id)
    const key = this.keyFor(change, before)
    const saved = await this.#change(async (trx) => {
      const row = await writeRow(trx, this.#options, caller, { change, before, key })
      const place = placeOf({ ...row, request: { ollama: row.ollama === 1 } })
      await keepFactsOf(trx, row.engine_id, { place, models: JSON.parse(row.models) as string[] })
      return row.engine_id
    })
    return this.find(saved)
  }

  /** @throws {AppError} not_found, engine_read_only */
  async remove(caller: Caller, engine_id: string): Promise<void> {
    const engine = this.#changeable(engine_id)
    await this.#change((trx) => removeRow(trx, this.#options, caller, engine))
  }

  async setTitles(caller: Caller, titles: boolean): Promise<void> {
    await this.#change(async (trx) => {
      const row = { value: JSON.stringify(titles), updated_at: Date.now() }
      await trx
        .insertInto('setting')
        .values({ key: TITLES, ...row })
        .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
        .execute()
      const entry = { action: 'engine.titles', target: 'titles', outcome: 'ok', details: { titles } } as const
      await this.#options.audit.record(trx, { actor: caller, ...entry })
    })
  }

  /** Remembers what a failure has taught about a model, unless that is known already. */
  async learn(engine: KnownEngine, model: string, lesson: ModelLesson): Promise<void> {
    const [fact, value] =
      'lacks' in lesson ? ([lesson.lacks, 0] as const) : (['context', lesson.context_tokens] as const)
    const known = this.#all
      .find(({ engine_id }) => engine_id === engine.engine_id)
      ?.facts.get(model)
      ?.get(fact)
    // Against an administrator's word it counts for nothing, and the page shows that it was said.
    if (known?.value === value || known?.against?.value === value) return
    const about = factAbout(engine, model)
    await this.#change(async (trx) => {
      if (await isStillThere(trx, about)) await writeFacts(trx, about, 'learned', { [fact]: value })
    })
  }

  /**
   * Stores what a probe has found of a model. What was found before is forgotten, unless the engine could not be asked;
   * what an administrator has set stays. Of an engine that was changed meanwhile nothing was found.
   */
  async found(engine: KnownEngine, model: string, { told, tried, problem }: Probed): Promise<void> {
    const about = factAbout(engine, model)
    await this.#change(async (trx) => {
      if (!(await isStillThere(trx, about))) return
      if (problem === null) await forgetFound(trx, about)
      await writeFacts(trx, about, 'told', told)
      await writeFacts(trx, about, 'tried', tried)
    })
  }

  /** Sets what an administrator knows of a model; null: as it was found. @throws {AppError} not_found */
  async setFacts(caller: Caller, engine_id: string, model: string, values: FactValues): Promise<KnownEngine> {
    const engine = this.find(engine_id)
    const about = factAbout(engine, model)
    await this.#change(async (trx) => {
      if (!engine.models.includes(model) || !(await isStillThere(trx, about)))
        throw new AppError('not_found', say`This engine has no such model.`)
      await writeFacts(trx, about, 'set', values)
      const details = { engine_id, model, ...values }
      const entry = { action: 'engine.facts', target: engine.name, outcome: 'ok', details } as const
      await this.#options.audit.record(trx, { actor: caller, ...entry })
    })
    return this.find(engine_id)
  }

  /**
   * The key to use with an engine: the given one, or the one stored for `kept` if that is the same place.
   * @throws {AppError} engine_key_elsewhere: a key is never sent anywhere it was not meant for.
   */
  keyFor(connection: EngineConnection, kept: KnownEngine | null): string | null {
    if (connection.api_key !== undefined) return connection.api_key
    if (kept?.api_key == null) return null
    if (sameEngine(kept, connection)) return kept.api_key
    throw new AppError(
      'engine_key_elsewhere',
      say`The stored key was given for another address. Enter the key for this one.`,
    )
  }

  #changeable(engine_id: string): KnownEngine {
    const engine = this.find(engine_id)
    if (engine.source === 'settings') return engine
    throw new AppError(
      'engine_read_only',
      say`The engine is set by REEVE_AI_MODEL in the environment of the service. Change it there, or remove it there to configure it here.`,
    )
  }

  async #change<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    const { db } = this.#options
    const done = await db.transaction(async (trx) => {
      // Which one is the default is a matter of all rows.
      await db.dialect.serialize(trx, 'engines')
      const result = await work(trx)
      db.wake(trx, TOPIC)
      return result
    })
    await db.revisions.look()
    return done
  }

  async #read(): Promise<void> {
    const { db, vault, environment, onError, titles: byDefault } = this.#options
    const rows = await db.read.selectFrom('engine').selectAll().orderBy('name_folded').execute()
    const titles = await db.read.selectFrom('setting').select('value').where('key', '=', TITLES).executeTakeFirst()
    const facts = await db.read.selectFrom('model_fact').selectAll().execute()
    const shown = JSON.stringify([rows, titles, facts])
    if (shown === this.#shown) return
    const own = environment === null ? [] : [environmentEngine(environment)]
    const known = new Set([...own, ...rows].map(({ engine_id }) => engine_id))
    // What the environment set may be gone.
    const fallback = (id: string | null) => (id !== null && known.has(id) ? id : null)
    const saved = rows.map((row) => ({ ...savedEngine(row, vault, onError), fallback_id: fallback(row.fallback_id) }))
    const all = [...own, ...saved.filter((one) => one.isDefault), ...saved.filter((one) => !one.isDefault)]
    this.#all = all.map((engine) => {
      const place = placeOf(engine)
      const about = facts.filter((fact) => fact.engine_id === engine.engine_id && fact.place === place)
      return { ...engine, facts: factsByModel(about) }
    })
    this.#titles = titles === undefined ? byDefault : titles.value === 'true'
    this.#shown = shown
    for (const listener of this.#listeners) listener()
  }

  [Symbol.dispose](): void {
    this.#stopListening()
  }
}

function factAbout(engine: KnownEngine, model: string): FactAbout {
  return { engine_id: engine.engine_id, model, place: placeOf(engine) }
}
