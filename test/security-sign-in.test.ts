import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { databaseContent } from './stage/databases/database-content.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'
import { ask, refusal } from './stage/security-stage.ts'

const login = (client: TestClient, username: string, password: string) =>
  ask(client, contract.accounts.login, { ids: {}, body: JSON.stringify({ username, password }) })
const setUp = (client: TestClient, token: string, username: string) =>
  ask(client, contract.accounts.setup, { ids: {}, body: JSON.stringify({ token, username, password: PASSWORD }) })

describe.each(databases)('sign-in on $name', (database) => {
  test('twenty setups at once make one administrator, and the link is good for nothing afterwards', async () => {
    await using app = await startTestApp({ database })
    const token = new URL(app.setupLink ?? '').searchParams.get('token') ?? ''
    expect((await setUp(app.anonymous(), 'A'.repeat(token.length), 'mallory')).problem?.code).toBe(
      'setup_token_invalid',
    )
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => setUp(app.anonymous(), token, `admin${i}`)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array<number>(19).fill(409)])
    expect((await setUp(app.anonymous(), token, 'mallory')).problem?.code).toBe('setup_done')
    const { read } = app.app.db
    expect(await read.selectFrom('user').select('user_id').execute()).toHaveLength(1)
    expect(await read.selectFrom('session').select('session_id').execute()).toHaveLength(1)
  })

  test('gives a new cookie each time, never the one that was planted, and sign-out ends it', async () => {
    await using app = await startTestApp({ database })
    await app.as('ann')
    const planted = app.anonymous()
    const fixed = 'reeve_session=planted-by-somebody-else-000000000000000'
    const answers = await Promise.all(
      [1, 2].map(() =>
        ask(planted, contract.accounts.login, {
          ids: {},
          headers: { cookie: fixed },
          body: JSON.stringify({ username: 'ann', password: PASSWORD }),
        }),
      ),
    )
    const cookies = answers.map(({ headers }) => headers.getSetCookie()[0]!)
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^reeve_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/)
      expect(cookie).not.toContain('planted')
    }
    const values = cookies.map((cookie) => cookie.split(';')[0]!)
    expect(values[0]).not.toBe(values[1])
    const asks = (cookie: string) => ask(app.anonymous(), contract.accounts.session, { ids: {}, headers: { cookie } })
    expect((await asks(fixed)).status).toBe(401)
    expect((await asks(values[0]!)).status).toBe(200)
    // Two different cookies of the name: one of them was planted, so neither counts.
    expect((await asks(`${values[0]}; ${values[1]}`)).status).toBe(401)

    const { csrf_token } = JSON.parse(answers[0]!.text) as { csrf_token: string }
    const headers = { cookie: values[0]!, 'x-csrf-token': csrf_token }
    const out = await ask(app.anonymous(), contract.accounts.logout, { ids: {}, headers, body: '{}' })
    expect(out.status).toBe(200)
    expect(out.headers.getSetCookie()[0]).toMatch(/^reeve_session=; Path=\/; Expires=Thu, 01 Jan 1970/)
    expect((await asks(values[0]!)).status).toBe(401)
    expect((await asks(values[1]!)).status).toBe(200)
  })

  test('does not tell an unknown name from a wrong password or a disabled account, and slows guessing down', async () => {
    await using app = await startTestApp({ database })
    const ann = await app.as('ann')
    const { user } = await (await app.as('dora')).call(contract.accounts.session)
    await (
      await app.as('admin')
    ).call(contract.accounts.updateUser, { params: { user_id: user.id }, body: { disabled: true } })
    const stranger = app.anonymous()
    const [wrong, unknown, disabled] = [
      await login(stranger, 'ann', 'wrong password'),
      await login(stranger, 'nobody', 'wrong password'),
      await login(stranger, 'dora', PASSWORD),
    ]
    expect(refusal(wrong)).toEqual([401, 'wrong_credentials'])
    expect(unknown.text).toBe(wrong.text)
    expect(disabled.text).toBe(wrong.text)
    const shape = (headers: Headers) => [...headers].filter(([name]) => name !== 'date')
    expect(shape(unknown.headers)).toEqual(shape(wrong.headers))

    const guesses: unknown[] = []
    for (let i = 0; i < 6; i++) guesses.push(refusal(await login(stranger, 'ann', `guess ${i}`))[0])
    expect(guesses).toEqual([401, 401, 401, 401, 429, 429])
    const blocked = await login(stranger, 'ann', PASSWORD)
    expect(refusal(blocked)).toEqual([429, 'too_many_attempts'])
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0)
    // Nobody is locked out of a session by a stranger's guesses.
    expect((await ann.call(contract.accounts.session)).user.username).toBe('ann')
  })

  test('leaves no secret in any table', async () => {
    await using app = await startTestApp({ database })
    const ann = await app.as('ann')
    const { token } = await ann.call(contract.accounts.createToken, { body: { name: 'script' } })
    await login(app.anonymous(), PASSWORD, 'ann')
    const text = JSON.stringify(await databaseContent(app.app.db))
    const link = new URL(app.setupLink ?? '').searchParams.get('token') ?? ''
    for (const secret of [PASSWORD, ...ann.cookie.match(/[^=;]{20,}/g)!, ann.csrfToken!, token, link]) {
      expect(secret.length).toBeGreaterThan(10)
      expect(text).not.toContain(secret)
    }
  })
})
