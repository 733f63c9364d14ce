import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../server/db/migrate.ts'
import { MIGRATIONS } from '../server/db/migrations/index.ts'
import { openBareDatabase } from './stage/databases/bare-database.ts'
import { databases } from './stage/servers/postgres.ts'

const BEFORE = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ name }) => name === '0020-engines'),
)
const STORED = {
  provider: 'openai-compatible',
  base_url: 'http://10.0.0.5:11434/v1',
  model: 'Qwen',
  sealed_key: 'sealed as it is',
  key_updated_at: 5,
  context_tokens: 32_000,
  price: { input_micros: 1, output_micros: 2 },
  timeout_ms: 1000,
  idle_timeout_ms: 2000,
  updated_by: 'Ann',
}

describe.each(databases)('the migration of engines on $name', (database) => {
  test('keeps the engine with its sealed key, its use, and the limits of roles', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reeve-engines-migration-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await using opened = await openBareDatabase(await database.url(), folder)
    const { db, dialect } = opened
    await migrate(db, dialect, BEFORE)
    await sql`insert into setting (key, value, updated_at) values ('ai.engine', ${JSON.stringify(STORED)}, 7)`.execute(
      db,
    )
    await sql`insert into role (role_id, name, name_folded, admin, builtin, created_at) values ('rol_1', 'one', 'one', 0, 0, 1)`.execute(
      db,
    )
    await sql`insert into "user" (user_id, username, username_folded, display_name, role_id, language, personal_prompt, created_at)
      values ('usr_1', 'u', 'u', 'u', 'rol_1', 'en', '', 1)`.execute(db)
    for (const model of ['Qwen', 'older'])
      await sql`insert into usage_day (day, user_id, model, messages, input_tokens, output_tokens, cost_micros)
        values ('2026-11-01', 'usr_1', ${model}, 1, 2, 3, 4)`.execute(db)
    await sql`insert into quota (role_id, day_messages) values ('rol_1', 9)`.execute(db)

    await migrate(db, dialect)
    const { updated_by, sealed_key, provider, base_url, context_tokens, timeout_ms, idle_timeout_ms } = STORED
    expect(await db.selectFrom('engine').selectAll().execute()).toEqual([
      {
        engine_id: 'eng_first',
        name: 'Qwen',
        name_folded: 'qwen',
        provider,
        base_url,
        model: 'Qwen',
        models: '["Qwen"]',
        sealed_key,
        key_updated_at: 5,
        context_tokens,
        price: JSON.stringify(STORED.price),
        timeout_ms,
        idle_timeout_ms,
        role_ids: '[]',
        is_default: 1,
        is_naming: 0,
        request: '{}',
        ollama: 0,
        fallback_id: null,
        updated_at: 7,
        updated_by,
      },
    ])
    expect(await db.selectFrom('setting').selectAll().execute()).toEqual([])
    const used = await db
      .selectFrom('usage_day')
      .select(['engine_id', 'model', 'cost_micros'])
      .orderBy('model')
      .execute()
    expect(used.toSorted((a, b) => (a.engine_id < b.engine_id ? -1 : 1))).toEqual([
      { engine_id: '', model: 'older', cost_micros: 4 },
      { engine_id: 'eng_first', model: 'Qwen', cost_micros: 4 },
    ])
    expect(await db.selectFrom('quota').select(['role_id', 'engine_id', 'day_messages']).execute()).toEqual([
      { role_id: 'rol_1', engine_id: '', day_messages: 9 },
    ])
  })
})
