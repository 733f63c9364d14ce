import type { OffSwitch } from '../../../contract/runs-admin.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Database } from '../../db/database.ts'
import type { OffSwitchTable } from '../../db/rows/usage-tables.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { iso } from '../../kernel/time.ts'
import type { AuditLog } from '../ports/audit-log.ts'

const TOPIC = 'switches'

interface Watch {
  readonly module: string
  readonly tool: string
  readonly abort: AbortController
}

/**
 * Tools that are switched off for everyone. Every process keeps the full list, so that a lookup costs nothing, and
 * stops running calls of a tool that is being switched off.
 */
export class Switches implements Disposable {
  readonly #db: Database
  readonly #watches = new Set<Watch>()
  readonly #stopListening: () => void
  #off: ReadonlyMap<string, OffSwitchTable> = new Map()

  private constructor(db: Database) {
    this.#db = db
    this.#stopListening = db.revisions.follow(TOPIC, () => this.#read())
  }

  static async open(db: Database): Promise<Switches> {
    const switches = new Switches(db)
    await switches.#read()
    return switches
  }

  /** Who switched the tool off, and why; null while it is on. */
  why(module: string, tool: string): Sentence | null {
    const own = this.#off.get(`tool:${module}.${tool}`)
    const found = own ?? this.#off.get(`tool:${module}.*`)
    if (found === undefined) return null
    if (found.reason === '')
      return own === undefined
        ? say`${found.by} has switched off this module for everyone.`
        : say`${found.by} has switched off this tool for everyone.`
    return own === undefined
      ? say`${found.by} has switched off this module for everyone: ${found.reason}`
      : say`${found.by} has switched off this tool for everyone: ${found.reason}`
  }

  /** A signal that is aborted when the tool is switched off; dispose it when the call has ended. */
  watch(module: string, tool: string): { readonly signal: AbortSignal } & Disposable {
    const watch: Watch = { module, tool, abort: new AbortController() }
    this.#watches.add(watch)
    if (this.why(module, tool) !== null) watch.abort.abort('off')
    return { signal: watch.abort.signal, [Symbol.dispose]: () => void this.#watches.delete(watch) }
  }

  list(): OffSwitch[] {
    return [...this.#off.values()].map(({ subject, reason, by, at }) => ({ subject, reason, by, at: iso(at) }))
  }

  async save(
    audit: AuditLog,
    caller: Caller,
    { subject, off, reason }: { readonly subject: string; readonly off: boolean; readonly reason: string },
  ): Promise<void> {
    await this.#db.transaction(async (trx) => {
      if (off) {
        const values = { reason: storable(reason), by: caller.display_name || caller.username, at: Date.now() }
        await trx
          .insertInto('off_switch')
          .values({ subject, ...values })
          .onConflict((conflict) => conflict.column('subject').doUpdateSet(values))
          .execute()
      } else await trx.deleteFrom('off_switch').where('subject', '=', subject).execute()
      const action = off ? 'tool.switched_off' : 'tool.switched_on'
      await audit.record(trx, { actor: caller, action, target: subject, outcome: 'ok', details: { reason } })
      this.#db.wake(trx, TOPIC)
    })
    await this.#db.revisions.look()
  }

  async #read(): Promise<void> {
    const rows = await this.#db.read.selectFrom('off_switch').selectAll().orderBy('subject').execute()
    this.#off = new Map(rows.map((row) => [row.subject, row]))
    for (const { module, tool, abort } of this.#watches) if (this.why(module, tool) !== null) abort.abort('off')
  }

  [Symbol.dispose](): void {
    this.#stopListening()
  }
}
