import type { Database } from '../db/database.ts'
import type { NoticeRuleTable } from '../db/rows/notification-tables.ts'

/** Wakes every process after a change of channels or rules. */
export const CHANNELS_TOPIC = 'channels'

/**
 * What has to be known wherever a card goes up, so that it costs nothing while nobody is told of anything: whether there
 * is a mail server, and the rules.
 */
export class KnownChannels implements Disposable {
  readonly #db: Database
  readonly #stopListening: () => void
  #mail = false
  #rules: readonly NoticeRuleTable[] = []

  private constructor(db: Database) {
    this.#db = db
    this.#stopListening = db.revisions.follow(CHANNELS_TOPIC, () => this.read())
  }

  static async open(db: Database): Promise<KnownChannels> {
    const known = new KnownChannels(db)
    await known.read()
    return known
  }

  /** Whether mails can be sent. */
  get mail(): boolean {
    return this.#mail
  }

  get rules(): readonly NoticeRuleTable[] {
    return this.#rules
  }

  /** Whether anybody is told of anything. */
  get any(): boolean {
    return this.#mail || this.#rules.length > 0
  }

  async read(): Promise<void> {
    const server = await this.#db.read
      .selectFrom('channel')
      .select('channel_id')
      .where('kind', '=', 'smtp')
      .where('enabled', '=', 1)
      .executeTakeFirst()
    this.#rules = await this.#db.read.selectFrom('notice_rule').selectAll().orderBy('rule_id').execute()
    this.#mail = server !== undefined
  }

  [Symbol.dispose](): void {
    this.#stopListening()
  }
}
