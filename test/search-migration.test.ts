import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findConversations } from '../server/chat/search/find-conversations.ts'
import { migrate } from '../server/db/migrate.ts'
import { MIGRATIONS } from '../server/db/migrations/index.ts'
import { openBareDatabase } from './stage/databases/bare-database.ts'
import { databases } from './stage/servers/postgres.ts'

const BEFORE = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ name }) => name === '0005-search'),
)

describe.each(databases)('the migration to the search index on $name', (database) => {
  test('what was stored before is found after it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reeve-search-migration-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await using opened = await openBareDatabase(await database.url(), folder)
    const { db, dialect } = opened
    await migrate(db, dialect, BEFORE)
    await sql`insert into role values ('rol_1', 'one', 'one', 0, 0, 1)`.execute(db)
    await sql`insert into "user" (user_id, username, username_folded, display_name, role_id, language, personal_prompt, created_at)
      values ('usr_1', 'u', 'u', 'u', 'rol_1', 'en', '', 1)`.execute(db)
    for (let i = 0; i < 450; i++) {
      const id = `cnv_${String(i).padStart(4, '0')}`
      await sql`insert into conversation (conversation_id, user_id, title, title_folded, title_source, pinned, created_at, updated_at)
        values (${id}, 'usr_1', ${`Żółw ${i}`}, ${`zołw ${i}`}, 'user', 0, 1, ${i})`.execute(db)
      await sql`insert into message (message_id, conversation_id, position, role, status, created_at)
        values (${`msg_${i}`}, ${id}, 1, 'user', 'complete', 1)`.execute(db)
      await sql`insert into message_part (message_id, part_index, step, type, text, data, text_folded) values (${`msg_${i}`}, 0, 0, 'text', ${`Tekst ŁĄKA ${i}x`}, '{}', ${`tekst łaka ${i}x`})`.execute(
        db,
      )
    }
    expect((await migrate(db, dialect)).applied).toContain('0005-search')
    const find = (words: string[]) =>
      findConversations(db, dialect.name, { user_id: 'usr_1', words, limit: 500, before: null, deleted: false })
    expect((await find(['laka', 'zolw'])).found).toHaveLength(450)
    expect((await find(['447x'])).found).toEqual([
      { conversation_id: 'cnv_0447', snippet: 'Tekst ŁĄKA 447x', hit: { message_id: 'msg_447', ranges: [[11, 15]] } },
    ])
    const [newest] = (await find(['laka'])).found
    expect(newest?.conversation_id).toBe('cnv_0449')
  })
})
