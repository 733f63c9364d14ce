import type { Caller } from '../../../contract/route.ts'
import type { Database, Reader, Trx } from '../../db/database.ts'
import { change, query } from '../../db/statement.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { activeRun } from '../history/active-runs.ts'
import type { Conversations } from './conversations.ts'

const CURRENT = query((db, is: { session_id: string }) =>
  db.selectFrom('chat_session').select('current_conversation_id').where('session_id', '=', is.session_id),
)

const SET_CURRENT = change((db, is: { session_id: string; user_id: string; conversation_id: string }) =>
  db
    .insertInto('chat_session')
    .values({ session_id: is.session_id, user_id: is.user_id, current_conversation_id: is.conversation_id })
    .onConflict((oc) => oc.column('session_id').doUpdateSet({ current_conversation_id: is.conversation_id })),
)

/** The current conversation of each session or token. */
export class ChatSessions {
  readonly #db: Database
  readonly #conversations: Conversations

  constructor(db: Database, conversations: Conversations) {
    this.#db = db
    this.#conversations = conversations
  }

  async current(reader: Reader, caller: Caller): Promise<string | null> {
    const row = await CURRENT.first(reader, { session_id: caller.session_id })
    return row?.current_conversation_id ?? null
  }

  async setCurrent(trx: Trx, caller: Caller, conversation_id: string): Promise<void> {
    await SET_CURRENT.run(trx, { session_id: caller.session_id, user_id: caller.user_id, conversation_id })
  }

  /** Makes a conversation current. @throws {AppError} not_found, run_active while a run is active in the current one */
  async open(caller: Caller, conversation_id: string): Promise<void> {
    await this.#db.transaction(async (trx) => {
      await this.#conversations.find(trx, caller.user_id, conversation_id)
      await this.#leaveCurrent(trx, caller, conversation_id)
      await this.setCurrent(trx, caller, conversation_id)
    })
  }

  /** Makes a new empty conversation current. @throws {AppError} run_active */
  async reset(caller: Caller): Promise<string> {
    return this.#db.transaction(async (trx) => {
      await this.#leaveCurrent(trx, caller, null)
      const conversation_id = await this.#conversations.create(trx, caller.user_id)
      await this.setCurrent(trx, caller, conversation_id)
      await this.#conversations.tell(trx, caller.user_id, conversation_id)
      return conversation_id
    })
  }

  async #leaveCurrent(trx: Trx, caller: Caller, next: string | null): Promise<void> {
    const current = await this.current(trx, caller)
    if (current === null || current === next) return
    if (await activeRun(trx, current)) {
      throw new AppError('run_active', say`A run is active in the current conversation. Wait for it or stop it.`)
    }
  }
}
