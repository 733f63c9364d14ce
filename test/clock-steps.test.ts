import { afterEach, describe, expect, test, vi } from 'vitest'
import { rateLimit } from '../server/http/request/rate-limit.ts'
import { addUser, openTestAccounts, PASSWORD, setUp, signIn } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const code = (expected: string) => expect.objectContaining({ code: expected })
afterEach(() => vi.useRealTimers())

test('a limit by address does not look at the clock of the wall', () => {
  // Only Date: what counts durations goes on.
  vi.useFakeTimers({ toFake: ['Date'] })
  for (const step of [-10 * MINUTE, 10 * MINUTE, -DAY]) {
    const limit = rateLimit(60_000)
    for (let i = 0; i < 50_000; i++) limit('192.0.2.1')
    vi.setSystemTime(Date.now() + step)
    // Whatever was used up is there again after the same time, a step back or not.
    expect(() => limit('192.0.2.1')).not.toThrow()
  }
})

describe.each(databases)('a clock that jumps, on $name', (database) => {
  const open = async () => {
    const stage = await openTestAccounts(database)
    const root = await setUp(stage.accounts)
    await addUser(stage.accounts, root.caller, 'ann')
    return { ...stage, root }
  }

  test('back: a block ends instead of lasting longer by as much, and the count begins anew', async () => {
    const { accounts, time } = await open()
    const fail = () => signIn(accounts, 'ann', 'wrong', '198.51.100.1')
    for (let i = 0; i < 12; i++) {
      await expect(fail()).rejects.toEqual(code('wrong_credentials'))
      const blocked = await fail().catch((error: { code: string; retryAfter: number }) => error)
      if ('retryAfter' in blocked && blocked.code === 'too_many_attempts') time.now += blocked.retryAfter * 1000
    }
    await expect(fail()).rejects.toEqual(code('wrong_credentials'))
    await expect(fail()).rejects.toMatchObject({ code: 'too_many_attempts' })
    // As much as clocks of several processes may differ, nothing changes.
    time.now -= MINUTE / 2
    await expect(fail()).rejects.toMatchObject({ code: 'too_many_attempts' })
    time.now -= 10 * MINUTE
    for (let i = 0; i < 5; i++) await expect(fail()).rejects.toEqual(code('wrong_credentials'))
    await expect(fail()).rejects.toMatchObject({ code: 'too_many_attempts', retryAfter: 5 })
  })

  test('ahead and back: a sign-in of the wrong time does not live for ever, and one of the right time goes on', async () => {
    const { accounts, time, root } = await open()
    const seen = (cookie: string) => accounts.gate.authenticate({ kind: 'cookie', token: cookie })
    time.now += 400 * DAY
    const ahead = await signIn(accounts, 'ann', PASSWORD, '198.51.100.2')
    time.now -= 400 * DAY
    expect(await seen(root.cookie)).not.toBeNull()
    expect(await seen(ahead.cookie)).not.toBeNull()
    time.now += 13 * 60 * MINUTE
    // Both are idle: twelve hours of the clock as it is now.
    expect(await seen(ahead.cookie)).toBeNull()
    expect(await seen(root.cookie)).toBeNull()
  })

  test('ahead: who was signed in signs in again, and nothing else is lost', async () => {
    const { accounts, time, root } = await open()
    time.now += DAY
    expect(await accounts.gate.authenticate({ kind: 'cookie', token: root.cookie })).toBeNull()
    await signIn(accounts, 'root')
    time.now -= DAY
    expect(await accounts.gate.authenticate({ kind: 'cookie', token: root.cookie })).not.toBeNull()
  })
})
