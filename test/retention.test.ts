import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { createRetention } from '../server/operation/retention.ts'
import { startTestApp } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'

const DAY_MS = 24 * 3_600_000

describe.each(databases)('what is too old on $name', (database) => {
  test('goes: chat sessions of sign-ins that ended, tokens that ended long ago, old days of use; nothing else does', async () => {
    await using app = await startTestApp({ database })
    const admin = await app.as('admin')
    const { db } = app.app
    await admin.call(contract.chat.send, { body: { message: 'first' } })
    const other = await app.signIn('admin')
    await other.call(contract.chat.send, { body: { message: 'second' } })
    await other.call(contract.accounts.logout)
    const { user_id } = await db.read.selectFrom('user').select('user_id').executeTakeFirstOrThrow()
    const now = Date.now()
    for (const [token_id, expires_at] of [
      ['tok_old', now - 40 * DAY_MS],
      ['tok_new', now - DAY_MS],
      ['tok_ever', null],
    ] as const)
      await db.write
        .insertInto('access_token')
        .values({
          token_id,
          user_id,
          name: token_id,
          token_hash: token_id,
          permissions: null,
          created_at: 0,
          expires_at,
          last_used_at: null,
        })
        .execute()
    // More than one batch.
    for (let i = 0; i < 1200; i += 400)
      await db.write
        .insertInto('chat_session')
        .values(
          Array.from({ length: 400 }, (_, k) => ({
            session_id: `gone_${i + k}`,
            user_id,
            current_conversation_id: null,
          })),
        )
        .execute()
    const use = { user_id, engine_id: '', model: 'm', messages: 1, input_tokens: 1, output_tokens: 1, cost_micros: 1 }
    await db.write
      .insertInto('usage_day')
      .values([
        { ...use, day: '2020-01-01' },
        { ...use, day: new Date(now).toISOString().slice(0, 10) },
      ])
      .execute()

    const retain = createRetention(db, { keepUsageDays: 730 })
    expect(await retain()).toEqual({ tokens: 1, chat_sessions: 1201, usage_days: 1 })
    expect(await retain()).toEqual({ tokens: 0, chat_sessions: 0, usage_days: 0 })
    const { messages } = await admin.call(contract.chat.history)
    expect(messages.length).toBeGreaterThan(0)
    const tokens = await db.read.selectFrom('access_token').select('token_id').orderBy('token_id').execute()
    expect(tokens.map(({ token_id }) => token_id)).toEqual(['tok_ever', 'tok_new'])
  })
})
