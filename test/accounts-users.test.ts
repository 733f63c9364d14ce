import { describe, expect, test } from 'vitest'
import { addUser, openTestAccounts, setUp, signIn } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each(databases)('users on $name', (database) => {
  const open = (options = {}) => openTestAccounts(database, options)

  test('listed by pages; a name is taken whatever its case', async () => {
    const { accounts, call } = await open()
    const { caller: root } = await setUp(accounts)
    for (const name of ['ann', 'bob', 'cid']) await addUser(accounts, root, name)
    await expect(addUser(accounts, root, 'ANN')).rejects.toEqual(code('username_taken'))
    await expect(addUser(accounts, root, 'dan', 'nosuch')).rejects.toEqual(code('unknown_role'))
    const names: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await call('listUsers', { caller: root, query: { limit: 3, cursor } })
      names.push(...page.items.map(({ username }) => username))
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(names).toEqual(['root', 'ann', 'bob', 'cid'])
  })

  test('the last administrator stays', async () => {
    const { accounts, call } = await open()
    const { caller: root } = await setUp(accounts)
    const user = await addUser(accounts, root, 'ann')
    const params = { user_id: root.user_id }
    const fails = async () => {
      await expect(call('updateUser', { caller: root, params, body: { disabled: true } })).rejects.toEqual(
        code('last_admin'),
      )
      await expect(call('updateUser', { caller: root, params, body: { role_id: user.role_id } })).rejects.toEqual(
        code('last_admin'),
      )
      await expect(call('deleteUser', { caller: root, params })).rejects.toEqual(code('last_admin'))
    }
    await fails()
    const second = await addUser(accounts, root, 'bob', 'admin')
    await call('updateUser', { caller: root, params: { user_id: second.user_id }, body: { disabled: true } })
    await fails()
    await call('updateUser', { caller: root, params: { user_id: second.user_id }, body: { disabled: false } })
    await call('deleteUser', { caller: root, params })
    await expect(call('deleteUser', { caller: root, params })).rejects.toEqual(code('not_found'))
  })

  test('twenty demotions of the last two administrators leave one', async () => {
    const { accounts, call, db } = await open()
    const { caller: root } = await setUp(accounts)
    const { user_id, role_id } = await addUser(accounts, root, 'bob', 'admin')
    const user = await addUser(accounts, root, 'ann')
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => {
        const params = { user_id: i % 2 ? root.user_id : user_id }
        if (i % 5 === 4) return call('deleteUser', { caller: root, params })
        return call('updateUser', {
          caller: root,
          params,
          body: i % 3 ? { disabled: true } : { role_id: user.role_id },
        })
      }),
    )
    const admins = await db.read
      .selectFrom('user')
      .selectAll()
      .where('role_id', '=', role_id)
      .where('disabled_at', 'is', null)
      .execute()
    expect(admins).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected')
        expect(['last_admin', 'not_found']).toContain((result.reason as { code: string }).code)
    }
  })

  test('deleted with what is theirs, unless a run of theirs is active; the log keeps them', async () => {
    const events: string[] = []
    let active = true
    const { accounts, call, db } = await open({
      hasActiveRun: () => Promise.resolve(active),
      eraseUser: async (user_id: string) => {
        events.push(`erase ${user_id}`)
        if (events.length === 1) throw new Error('a full disk must not bring the user back')
      },
    })
    const { caller: root } = await setUp(accounts)
    const user = await addUser(accounts, root, 'ann')
    const ann = await signIn(accounts, 'ann')
    const { token } = await call('createToken', { caller: ann.caller, body: { name: 'script' } })
    const params = { user_id: user.user_id }
    await expect(call('deleteUser', { caller: root, params })).rejects.toEqual(code('run_active'))
    expect(events).toEqual([])
    active = false
    await call('deleteUser', { caller: root, params })
    await expect(call('deleteUser', { caller: root, params })).rejects.toEqual(code('not_found'))
    await expect(signIn(accounts, 'ann')).rejects.toEqual(code('wrong_credentials'))
    // The name is free at once, and the sweep finishes what could not be removed.
    await addUser(accounts, root, 'ann')
    await accounts.sweep()
    expect(events).toEqual([`erase ${user.user_id}`, `erase ${user.user_id}`])
    const row = db.read.selectFrom('user').select('user_id').where('user_id', '=', user.user_id)
    expect(await row.executeTakeFirst()).toBeUndefined()
    expect(await accounts.gate.authenticate({ kind: 'cookie', token: ann.cookie })).toBeNull()
    expect(await accounts.gate.authenticate({ kind: 'bearer', token })).toBeNull()
    expect(await db.read.selectFrom('access_token').selectAll().execute()).toEqual([])
    const log = await call('audit', { caller: root, query: { limit: 10, actor_id: user.user_id } })
    expect(log.items.map(({ action }) => action)).toEqual(['token.created', 'login'])
  })
})
