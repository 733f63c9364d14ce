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
  #shared = false
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

  /** Whether anybody can be told of anything. */
  get any(): boolean {
    return this.#shared
  }

  async read(): Promise<void> {
    const open = await this.#db.read
      .selectFrom('channel')
      .select('kind')
      .distinct()
      .where('user_id', 'is', null)
      .where('enabled', '=', 1)
      .execute()
    this.#rules = await this.#db.read.selectFrom('notice_rule').selectAll().orderBy('rule_id').execute()
    this.#mail = open.some(({ kind }) => kind === 'smtp')
    this.#shared = open.length > 0
  }

  [Symbol.dispose](): void {
    this.#stopListening()
  }
}
