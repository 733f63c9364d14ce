import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { addUser, openTestAccounts, PASSWORD, setUp, signIn } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const HOUR = 3_600_000
const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each(databases)('sessions on $name', (database) => {
  const open = (options = {}) => openTestAccounts(database, options)

  test('end after 12 idle hours, and after 30 days; used ones go on', async () => {
    const { accounts, time, db } = await open()
    const root = await setUp(accounts)
    const alive = () => accounts.gate.authenticate({ kind: 'cookie', token: root.cookie })
    time.now += 12 * HOUR - 1
    expect(await alive()).not.toBeNull()
    time.now += 12 * HOUR
    expect(await alive()).toBeNull()
    expect(await accounts.gate.stillValid([root.caller])).toEqual([false])
    const again = await signIn(accounts, 'root')
    for (let i = 0; i < 65; i++) {
      time.now += 11 * HOUR
      expect(await accounts.gate.authenticate({ kind: 'cookie', token: again.cookie })).not.toBeNull()
    }
    time.now += 11 * HOUR
    expect(await accounts.gate.authenticate({ kind: 'cookie', token: again.cookie })).toBeNull()
    await accounts.sweep()
    expect(await db.read.selectFrom('session').selectAll().execute()).toEqual([])
    expect(await db.read.selectFrom('login_attempt').selectAll().execute()).toEqual([])
  })

  test('one query per request; the time of use is written once a minute', async () => {
    const { accounts, time, statements } = await open()
    const root = await setUp(accounts)
    const count = async () => {
      statements.length = 0
      await accounts.gate.authenticate({ kind: 'cookie', token: root.cookie })
      return statements.length
    }
    expect(await count()).toBe(1)
    time.now += 61_000
    expect(await count()).toBeGreaterThan(1)
    expect(await count()).toBe(1)
  })

  test('neither the cookie nor a token stands in the database', async () => {
    const { accounts, db, call } = await open()
    const root = await setUp(accounts)
    const { token } = await call('createToken', { caller: root.caller, body: { name: 'script' } })
    const rows = [
      await db.read.selectFrom('session').selectAll().execute(),
      await db.read.selectFrom('access_token').selectAll().execute(),
      await db.read.selectFrom('audit_unchained').selectAll().execute(),
    ]
    expect(JSON.stringify(rows)).not.toContain(root.cookie)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(rows)).not.toContain(PASSWORD)
  })

  test('listed and revoked by their owner only; revoking wakes open streams', async () => {
    const { accounts, call, db } = await open()
    const root = await setUp(accounts)
    const other = await signIn(accounts, 'root')
    await addUser(accounts, root.caller, 'ann')
    const ann = await signIn(accounts, 'ann')
    const params = { session_id: other.caller.session_id }
    await expect(call('revokeSession', { caller: ann.caller, params })).rejects.toEqual(code('not_found'))
    const { items } = await call('listSessions', { caller: root.caller })
    expect(items.map(({ session_id, current }) => [session_id, current])).toEqual(
      expect.arrayContaining([
        [root.caller.session_id, true],
        [other.caller.session_id, false],
      ]),
    )
    let woken = 0
    db.onWake(other.caller.session_id, () => woken++)
    await call('revokeSession', { caller: root.caller, params })
    expect(woken).toBeGreaterThan(0)
    expect(await accounts.gate.stillValid([other.caller])).toEqual([false])
    expect(await accounts.gate.stillValid([root.caller])).toEqual([true])
    expect((await call('logout', { caller: root.caller })).session).toBeNull()
    expect(await accounts.gate.authenticate({ kind: 'cookie', token: root.cookie })).toBeNull()
  })

  test('a new password ends the others and keeps this one', async () => {
    const { accounts, call } = await open()
    const root = await setUp(accounts)
    const other = await signIn(accounts, 'root')
    const change = (current_password: string, new_password: string) =>
      call('changePassword', { caller: root.caller, body: { current_password, new_password } })
    await expect(change('wrong', 'another good one')).rejects.toEqual(code('wrong_credentials'))
    await expect(change(PASSWORD, 'my Root password')).rejects.toEqual(code('weak_password'))
    await change(PASSWORD, 'another good one')
    expect(await accounts.gate.stillValid([root.caller])).toEqual([true])
    expect(await accounts.gate.stillValid([other.caller])).toEqual([false])
    await expect(signIn(accounts, 'root')).rejects.toEqual(code('wrong_credentials'))
    await signIn(accounts, 'root', 'another good one')
    for (let i = 0; i < 5; i++)
      await expect(change('wrong', 'another good one')).rejects.toEqual(code('wrong_credentials'))
    await expect(change('another good one', PASSWORD)).rejects.toEqual(code('too_many_attempts'))
  })

  test.each([
    ['disabled', { disabled: true }],
    ['given another role', { role_id: 'user' }],
    ['given another password', { password: 'reset by the boss' }],
  ])('end when the user is %s', async (_what, change) => {
    const { accounts, call } = await open()
    const root = await setUp(accounts)
    const user = await addUser(accounts, root.caller, 'ann', 'admin')
    const ann = await signIn(accounts, 'ann')
    const { items } = await call('listRoles', { caller: root.caller })
    const body = 'role_id' in change ? { role_id: items.find(({ name }) => name === 'user')!.role_id } : change
    let woken = 0
    accounts.gate.onDoubt(ann.caller, () => woken++)
    await call('updateUser', { caller: root.caller, params: { user_id: user.user_id }, body })
    expect(woken).toBeGreaterThan(0)
    expect(await accounts.gate.authenticate({ kind: 'cookie', token: ann.cookie })).toBeNull()
    expect(await accounts.gate.stillValid([ann.caller])).toEqual([false])
  })

  test('a sign-in under way while the password is reset or the user is deleted leaves nothing behind', async () => {
    const { accounts, call, time } = await open()
    const root = await setUp(accounts)
    for (let i = 0; i < 12; i++) {
      const { user_id } = await addUser(accounts, root.caller, `ann${i}`)
      const params = { user_id }
      const [login] = await Promise.allSettled([
        call('login', { body: { username: `ann${i}`, password: PASSWORD } }),
        i % 3
          ? call('updateUser', { caller: root.caller, params, body: { password: 'reset by the boss' } })
          : sleep(15 + i * 4).then(() => call('deleteUser', { caller: root.caller, params })),
      ])
      if (login.status === 'rejected') expect(login.reason).toEqual(code('wrong_credentials'))
      else expect(await accounts.gate.authenticate({ kind: 'cookie', token: login.value.session!.token })).toBeNull()
      time.now += 2 * HOUR
    }
  })

  test('a change of the name ends none', async () => {
    const { accounts, call } = await open()
    const root = await setUp(accounts)
    const params = { user_id: root.caller.user_id }
    const { user } = await call('updateUser', { caller: root.caller, params, body: { display_name: 'The Root' } })
    expect(user.display_name).toBe('The Root')
    expect(await accounts.gate.stillValid([root.caller])).toEqual([true])
  })
})
