import type { InsertObject } from 'kysely'
import type { Database, Trx } from '../../server/db/database.ts'
import { plainUser } from '../stage/databases/plain-user.ts'
import type { Tables } from '../../server/db/schema.ts'
import { appendLines, replaceLines, type SearchableLine } from '../../server/db/search-segments.ts'
import { findable } from '../../server/chat/history/searchable.ts'
import { openRandom, openTexts } from './multilingual-text.ts'

/** One of them wrote most. */
export const OWNER = 'usr_most'
const OWNERS = [OWNER, 'usr_a', 'usr_b', 'usr_c']
const IN_ONE_COMMIT = 50
const IN_ONE_STATEMENT = 50

type MessageRow = InsertObject<Tables, 'message'>
type PartRow = InsertObject<Tables, 'message_part'>

/** How many messages a conversation has: a few mostly, 20 on average, sometimes thousands. */
function lengthOf(random: () => number): number {
  return Math.min(3000, 2 + Math.floor(7 * (1 - random()) ** -0.62))
}

/** Fills an empty database with messages as the service stores them; returns the bytes of their texts. */
export async function fillCorpus(db: Database, messages: number): Promise<number> {
  const random = openRandom(messages)
  const openWriter = openTexts(random)
  await addOwners(db)
  let bytes = 0
  let written = 0
  let conversations = 0
  while (written < messages) {
    await db.transaction(async (trx) => {
      for (let i = 0; i < IN_ONE_COMMIT && written < messages; i++) {
        const count = Math.min(lengthOf(random), messages - written)
        const write = openWriter()
        const texts = Array.from({ length: count }, () => write(40 + 400 * random() ** 2))
        await addConversation(trx, conversations++, random() < 0.8 ? 0 : 1 + Math.floor(random() * 3), texts)
        bytes += texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
        written += count
      }
    })
  }
  return bytes
}

async function addOwners(db: Database): Promise<void> {
  const role = { role_id: 'rol_1', name: 'one', name_folded: 'one', admin: 0, builtin: 0, created_at: 1 }
  await db.write.insertInto('role').values(role).execute()
  for (const user_id of OWNERS) {
    await db.write.insertInto('user').values(plainUser(user_id)).execute()
  }
}

async function addConversation(trx: Trx, number: number, owner: number, texts: readonly string[]): Promise<void> {
  const conversation_id = `cnv_${String(number).padStart(8, '0')}`
  const user_id = OWNERS[owner]!
  const title = texts[0]!.slice(0, 60)
  const at = 1_700_000_000_000 + number * 1000
  await trx
    .insertInto('conversation')
    .values({
      conversation_id,
      user_id,
      folder_id: null,
      title,
      title_source: 'auto',
      pinned: 0,
      head_message_id: null,
      created_at: at,
      updated_at: at,
      deleted_at: null,
      queued: 0,
      kind: 'chat',
    })
    .execute()
  const rows = { message: [] as MessageRow[], message_part: [] as PartRow[] }
  const lines: SearchableLine[] = []
  for (const [i, text] of texts.entries()) {
    const message_id = `msg_${String(number).padStart(8, '0')}_${i}`
    rows.message.push({
      message_id,
      conversation_id,
      parent_id: null,
      position: i + 1,
      role: i % 2 === 0 ? 'user' : 'assistant',
      status: 'complete',
      run_id: null,
      created_at: at,
    })
    rows.message_part.push({ message_id, part_index: 0, step: 0, type: 'text', text, data: '{}' })
    const line = findable(message_id, 0, text)
    if (line) lines.push(line)
  }
  for (let i = 0; i < texts.length; i += IN_ONE_STATEMENT) {
    const some = <T>(all: readonly T[]) => all.slice(i, i + IN_ONE_STATEMENT)
    await trx.insertInto('message').values(some(rows.message)).execute()
    await trx.insertInto('message_part').values(some(rows.message_part)).execute()
  }
  await replaceLines(trx, { conversation_id, user_id, title: title.toLowerCase() }, lines)
}

const said = openTexts(openRandom(7))()
let added = 0

/** Adds a message to a conversation of the owner, as the service stores one: `fillCorpus` was here before. */
export async function addMessage(db: Database): Promise<void> {
  const number = ++added
  const message_id = `msg_added_${number}`
  const text = said(200)
  await db.transaction(async (trx) => {
    const { conversation_id, title } = await trx
      .selectFrom('conversation')
      .select(['conversation_id', 'title'])
      .where('user_id', '=', OWNER)
      .where('conversation_id', '>', `cnv_${String((number * 7919) % 1000).padStart(8, '0')}`)
      .orderBy('conversation_id')
      .limit(1)
      .executeTakeFirstOrThrow()
    const row = { parent_id: null, position: 10_000 + number, role: 'user', status: 'complete', run_id: null } as const
    await trx
      .insertInto('message')
      .values({ ...row, message_id, conversation_id, created_at: Date.now() })
      .execute()
    await trx
      .insertInto('message_part')
      .values({ message_id, part_index: 0, step: 0, type: 'text', text, data: '{}' })
      .execute()
    const found = findable(message_id, 0, text)!
    await appendLines(trx, { conversation_id, user_id: OWNER, title: title.toLowerCase() }, [found])
  })
}
