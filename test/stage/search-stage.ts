import { mkdtemp, rm } from 'node:fs/promises'
import { plainUser } from './databases/plain-user.ts'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Activity } from '../../server/chat/history/activity.ts'
import { Conversations } from '../../server/chat/conversations/conversations.ts'
import { nameAfter } from '../../server/chat/titles/title-text.ts'
import { addParts, type NewPart } from '../../server/chat/history/parts.ts'
import { indexFirst } from '../../server/chat/history/searchable.ts'
import { ConversationSearch } from '../../server/chat/search/search.ts'
import { Database } from '../../server/db/database.ts'
import { newId } from '../../server/kernel/id.ts'
import type { TestDatabase } from './servers/postgres.ts'

export interface SearchStage extends AsyncDisposable {
  readonly db: Database
  readonly conversations: Conversations
  readonly search: ConversationSearch
  /** What the service would be started with to open the same database. */
  readonly url: string
  readonly folder: string
  addUser(user_id: string): Promise<void>
  /** Opens a conversation, as a first message does. */
  open(user_id: string, title?: string): Promise<string>
  /** Stores a message as the service does; returns its id. */
  say(conversation_id: string, parts: readonly (string | NewPart)[]): Promise<string>
  /** Conversations in which a query finds something, in the order of the answer. */
  find(user_id: string, q: string, query?: Partial<Parameters<Conversations['list']>[1]>): Promise<string[]>
}

/** The tables and the search over them, without the rest of the service. */
export async function openSearchStage(database: TestDatabase, observe?: (sql: string) => void): Promise<SearchStage> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'reeve-search-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const url = await (database.withTables ?? database.url)(folder)
  const onError = (error: Error): never => {
    throw error
  }
  const db = opened.use(await Database.open({ url: url === '' ? null : url, folder, onError, observe }))
  const search = opened.use(new ConversationSearch(db))
  const conversations = new Conversations(db, new Activity(db), search)
  const role = { role_id: 'rol_1', name: 'one', name_folded: 'one', admin: 0, builtin: 0, created_at: 1 }
  await db.write.insertInto('role').values(role).execute()
  const closing = opened.move()
  return {
    db,
    conversations,
    search,
    url,
    folder,
    async addUser(user_id) {
      await db.write.insertInto('user').values(plainUser(user_id)).execute()
    },
    async open(user_id, title = '') {
      return db.transaction(async (trx) => {
        const named = { title: nameAfter(title), title_source: 'auto' as const }
        const conversation_id = await conversations.create(trx, user_id, named)
        await indexFirst(trx, { conversation_id, user_id, title: named.title }, [])
        return conversation_id
      })
    },
    say: (conversation_id, parts) =>
      db.transaction(async (trx) => {
        const message_id = newId('message')
        await trx
          .insertInto('message')
          .values({
            message_id,
            conversation_id,
            parent_id: null,
            position: 1,
            role: 'user',
            status: 'complete',
            run_id: null,
            created_at: Date.now(),
          })
          .execute()
        const all = parts.map((part): NewPart =>
          typeof part === 'string' ? { type: 'text', text: part, data: {} } : part,
        )
        await addParts(trx, { conversation_id, message_id }, 0, all)
        return message_id
      }),
    async find(user_id, q, query = {}) {
      const { items } = await conversations.list(user_id, { q, limit: 200, deleted: 'false', ...query })
      return items.map((item) => item.conversation_id)
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
