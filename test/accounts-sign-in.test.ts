import { describe, expect, test } from 'vitest'
import { addUser, openTestAccounts, PASSWORD, setUp, signIn } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const HOUR = 3_600_000
const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each(databases)('sign-in on $name', (database) => {
  const open = (options = {}) => openTestAccounts(database, options)

  test('case and accents of the name do not count; wrong password, unknown and disabled user look the same', async () => {
    const { accounts, call } = await open()
    const root = await setUp(accounts)
    const user = await addUser(accounts, root.caller, 'José')
    expect((await signIn(accounts, 'JOSE')).caller.user_id).toBe(user.user_id)
    await call('updateUser', { caller: root.caller, params: { user_id: user.user_id }, body: { disabled: true } })
    const errors = await Promise.all(
      [
        ['José', PASSWORD],
        ['root', 'wrong'],
        ['nobody', PASSWORD],
        ['\0\ud800', PASSWORD],
      ].map(([username, password]) =>
        call('login', { body: { username: username!, password: password! } }).catch((e: unknown) => e),
      ),
    )
    for (const error of errors) expect(error).toEqual(errors[0])
    expect(errors[0]).toEqual(code('wrong_credentials'))
  })

  test('an unknown name costs as much time as a wrong password', async () => {
    const { accounts, call, time } = await open()
    await setUp(accounts)
    const measure = async (username: string) => {
      time.now += 2 * HOUR
      const begin = performance.now()
      await call('login', { body: { username, password: 'wrong password' } }).catch(() => {})
      return performance.now() - begin
    }
    const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
    const known: number[] = []
    const unknown: number[] = []
    for (let i = 0; i < 9; i++) {
      known.push(await measure('root'))
      unknown.push(await measure('nobody'))
    }
    expect(median(unknown) / median(known)).toBeGreaterThan(0.5)
    expect(median(unknown) / median(known)).toBeLessThan(2)
  })

  test('throttled per account: five are free, then longer and longer; not the sign-ins that stand', async () => {
    const { accounts, time } = await open()
    const root = await setUp(accounts)
    const wrong = (address = '192.0.2.9') => signIn(accounts, 'Root', 'wrong', address)
    for (let i = 0; i < 5; i++) await expect(wrong()).rejects.toEqual(code('wrong_credentials'))
    await expect(wrong()).rejects.toMatchObject({ code: 'too_many_attempts', retryAfter: 5 })
    // From anywhere, also with the right password.
    await expect(signIn(accounts, 'root', PASSWORD, '198.51.100.1')).rejects.toEqual(code('too_many_attempts'))
    expect(await accounts.gate.authenticate({ kind: 'cookie', token: root.cookie })).toEqual(root.caller)
    const waits: number[] = []
    for (let i = 0; i < 10; i++) {
      const error = (await wrong().catch((e: unknown) => e)) as { code: string; retryAfter: number }
      expect(error.code).toBe('too_many_attempts')
      waits.push(error.retryAfter)
      time.now += error.retryAfter * 1000
      await expect(wrong('192.0.2.10')).rejects.toEqual(code('wrong_credentials'))
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900, 900])
    time.now += 900_000
    await signIn(accounts, 'root', PASSWORD, '192.0.2.12')
    // Success forgets.
    for (let i = 0; i < 4; i++) await expect(wrong('192.0.2.11')).rejects.toEqual(code('wrong_credentials'))
    await signIn(accounts, 'root')
  })

  test('a hundred guesses at once are no more than five', async () => {
    const { accounts } = await open()
    await setUp(accounts)
    const guesses = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) => signIn(accounts, 'root', 'wrong', `198.51.100.${i}`)),
    )
    const codes = guesses.map((guess) => (guess.status === 'rejected' ? (guess.reason as { code: string }).code : 'in'))
    expect(codes.filter((one) => one === 'wrong_credentials')).toHaveLength(5)
    expect(codes.filter((one) => one === 'too_many_attempts')).toHaveLength(95)
  })

  test('throttled per address over all names; having one account does not help', async () => {
    const { accounts } = await open()
    await setUp(accounts)
    for (let i = 0; i < 20; i++) {
      await expect(signIn(accounts, `name${i}`, 'wrong')).rejects.toEqual(code('wrong_credentials'))
      if (i === 10) await signIn(accounts, 'root')
    }
    await expect(signIn(accounts, 'name21', 'wrong')).rejects.toEqual(code('too_many_attempts'))
    await signIn(accounts, 'root', PASSWORD, '198.51.100.1')
  })
})
