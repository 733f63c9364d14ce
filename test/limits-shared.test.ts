import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { createSharedLimit } from '../server/operation/shared-limit.ts'
import { startTestApp } from './stage/app.ts'
import { ProblemAnswer, type TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const SECRET = { REEVE_SECRET_KEY: 'b2'.repeat(32) }
const SHARED = databases.filter(({ name }) => name === 'postgres')

/** Two services on one database, and how each of them refuses what is sent to them in turn. */
async function openTwo(closing: AsyncDisposableStack, database: (typeof databases)[number]) {
  const one = closing.use(await startTestApp({ database, env: SECRET }))
  await one.as('admin')
  const url = () => Promise.resolve(one.databaseUrl)
  const two = closing.use(await startTestApp({ database: { name: database.name, url }, env: SECRET }))
  const clients = [one.anonymous(), two.anonymous()]
  return {
    db: one.app.db,
    async inTurn(times: number, attempt: (client: TestClient) => Promise<unknown>): Promise<string[]> {
      const codes: string[] = []
      for (let i = 0; i < times; i++)
        codes.push(
          await attempt(clients[i % 2]!).then(
            () => 'ok',
            (error: unknown) => (error instanceof ProblemAnswer ? error.code : String(error)),
          ),
        )
      return codes
    },
  }
}

describe.each(SHARED)('limits of two processes', (database) => {
  test('count failed sign-ins of an account together', async () => {
    await using closing = new AsyncDisposableStack()
    const { inTurn } = await openTwo(closing, database)
    const codes = await inTurn(7, (client) =>
      client.call(contract.accounts.login, { body: { username: 'admin', password: 'a wrong guess' } }),
    )
    expect(codes).toEqual([...Array<string>(5).fill('wrong_credentials'), 'too_many_attempts', 'too_many_attempts'])
  })

  test('count requests with a link of an address together, by the minute, and forget them', async () => {
    await using closing = new AsyncDisposableStack()
    const { db, inTurn } = await openTwo(closing, database)
    const guess = (client: TestClient) =>
      client.call(contract.accounts.acceptInvitation, { body: { token: 'x'.repeat(43), password: 'quiet harbour 48' } })
    // Each process alone would take 30; a new minute may begin in between.
    const codes = await inTurn(58, guess)
    const rows = await db.read
      .selectFrom('request_count')
      .selectAll()
      .where('limit_key', 'like', '%invitation%')
      .execute()
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(58)
    const taken = rows.reduce((sum, { requests }) => sum + Math.min(requests, 30), 0)
    expect(codes.filter((code) => code === 'invitation_invalid')).toHaveLength(taken)
    expect(codes.filter((code) => code === 'too_many_attempts')).toHaveLength(58 - taken)

    // The first request that a process counts in a minute removes the counts from before.
    await db.write.deleteFrom('request_count').execute()
    await db.write.insertInto('request_count').values({ minute: 1, limit_key: 'old', requests: 9 }).execute()
    const count = createSharedLimit(db)!
    expect(await count('a key', 100)).toBeNull()
    expect(await db.read.selectFrom('request_count').select('limit_key').execute()).toEqual([{ limit_key: 'a key' }])
  })
})
