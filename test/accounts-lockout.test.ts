import { describe, expect, test } from 'vitest'
import { addUser, caller, clientAt, openTestAccounts, PASSWORD, setUp } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const DAY = 24 * 3_600_000
const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each(databases)('what strangers do to the sign-in of others, on $name', (database) => {
  async function open() {
    const opened = await openTestAccounts(database)
    const root = await setUp(opened.accounts)
    await addUser(opened.accounts, root.caller, 'ann')
    const call = caller(opened.accounts)
    /** A sign-in from somewhere; gives what the browser keeps. */
    const login = async (address: string, device: string | null = null, password = PASSWORD, username = 'ann') => {
      const client = clientAt(address, device)
      const { session } = await call('login', { body: { username, password }, client })
      return session!.device!
    }
    const guess = (address: string, device: string | null = null, username = 'ann') =>
      login(address, device, 'wrong', username)
    /** Blocks the account for everybody who was never there. */
    const lock = async () => {
      for (let i = 0; i < 5; i++) await expect(guess(`198.51.100.${i}`)).rejects.toEqual(code('wrong_credentials'))
      await expect(login('203.0.113.99')).rejects.toEqual(code('too_many_attempts'))
    }
    return { ...opened, login, guess, lock, root }
  }

  test('a stranger who keeps an account blocked does not lock out a browser that was there, wherever it is', async () => {
    const { time, login, guess, lock } = await open()
    const { token, expires_at } = await login('192.0.2.10')
    expect(expires_at - time.now).toBe(180 * DAY)
    await lock()
    for (let day = 0; day < 3; day++) {
      time.now += DAY / 3
      await lock()
      // Another address each time.
      expect((await login(`203.0.113.${day}`, token)).token).toBe(token)
    }
    // It helps nobody to guess: such a browser has five free tries of its own.
    for (let i = 0; i < 5; i++) await expect(guess('192.0.2.11', token)).rejects.toEqual(code('wrong_credentials'))
    await expect(login('192.0.2.11', token)).rejects.toMatchObject({ code: 'too_many_attempts', retryAfter: 5 })
    // Nor does what its owner mistypes add to the count of the others.
    time.now += DAY
    await expect(guess('198.51.100.77')).rejects.toEqual(code('wrong_credentials'))
  })

  test('nor somebody at an address from which the account was used', async () => {
    const { login, lock, guess } = await open()
    await login('2001:db8:1:2::10')
    await lock()
    // The same network: a browser without cookies, a day later.
    await login('2001:0db8:0001:0002:ffff::1')
    await expect(login('2001:db8:1:3::10')).rejects.toEqual(code('too_many_attempts'))
    for (let i = 0; i < 5; i++)
      await expect(guess(`2001:db8:1:2::${i + 20}`)).rejects.toEqual(code('wrong_credentials'))
    await expect(login('2001:db8:1:2::10')).rejects.toEqual(code('too_many_attempts'))
  })

  test('to be known to one account says nothing to another, and a planted device is replaced', async () => {
    const { accounts, root, login, guess, lock } = await open()
    await addUser(accounts, root.caller, 'bob')
    const bobs = await login('192.0.2.30', null, PASSWORD, 'bob')
    await lock()
    await expect(login('192.0.2.30', bobs.token)).rejects.toEqual(code('too_many_attempts'))
    const planted = 'p'.repeat(43)
    expect((await login('192.0.2.30', planted, PASSWORD, 'bob')).token).not.toBe(planted)
    // Two people at one browser keep one name for it.
    const { token } = await login('192.0.2.31', bobs.token, PASSWORD, 'root')
    expect(token).toBe(bobs.token)
    await expect(guess('203.0.113.7', token, 'root')).rejects.toEqual(code('wrong_credentials'))
  })

  test('places are forgotten after half a year, beyond twenty, and with their user', async () => {
    const { accounts, db, time, login, lock, call, root } = await open()
    const first = await login('192.0.2.40')
    for (let i = 0; i < 25; i++) {
      time.now += 1000
      await login(`192.0.2.${i + 50}`)
    }
    const places = () => db.read.selectFrom('known_place').select(['user_id', 'kind']).execute()
    const others = (await places()).filter(({ user_id }) => user_id === root.caller.user_id)
    expect((await places()).length - others.length).toBe(40)
    await lock()
    await expect(login('192.0.2.40', first.token)).rejects.toEqual(code('too_many_attempts'))
    time.now += 180 * DAY
    const last = await login('192.0.2.41')
    await accounts.sweep()
    expect(await places()).toHaveLength(2)
    await lock()
    await login('203.0.113.1', last.token)
    const { items } = await call('listUsers', { caller: root.caller, query: { limit: 50 } })
    const ann = items.find(({ username }) => username === 'ann')!
    await call('deleteUser', { caller: root.caller, params: { user_id: ann.user_id } })
    expect(await places()).toEqual([])
  })

  test('an IPv6 network is one address: its many addresses are no fresh tries', async () => {
    const { guess } = await open()
    for (let i = 0; i < 20; i++)
      await expect(guess(`2001:db8:7:7:${i}::1`, null, `nobody${i}`)).rejects.toEqual(code('wrong_credentials'))
    await expect(guess('2001:db8:7:7:abcd::1', null, 'nobody99')).rejects.toEqual(code('too_many_attempts'))
    await expect(guess('2001:db8:7:8::1', null, 'nobody99')).rejects.toEqual(code('wrong_credentials'))
  })
})
