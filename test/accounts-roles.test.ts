import { describe, expect, test } from 'vitest'
import { addUser, openTestAccounts, PASSWORD, setUp } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each(databases)('roles on $name', (database) => {
  const open = (options = {}) => openTestAccounts(database, options)

  test('made, renamed, given rules, deleted; built-in and used ones stay', async () => {
    const { accounts, call } = await open()
    const { caller: root, cookie } = await setUp(accounts)
    const rules = [
      { subject: 'tool:notes.*', effect: 'allow' as const },
      { subject: 'tool:notes.*', effect: 'deny' as const },
      { subject: 'tool:notes.*', effect: 'allow' as const },
    ]
    const { role } = await call('createRole', { caller: root, body: { name: 'Ops', rules } })
    expect(role).toMatchObject({ name: 'Ops', admin: false, builtin: false, users: 0, rules: rules.slice(0, 2) })
    await expect(call('createRole', { caller: root, body: { name: 'óPS', rules: [] } })).rejects.toEqual(
      code('role_exists'),
    )
    const user = await addUser(accounts, root, 'ann', 'Ops')
    const params = { role_id: role.role_id }
    await expect(call('deleteRole', { caller: root, params })).rejects.toEqual(code('role_in_use'))
    const changed = await call('updateRole', { caller: root, params, body: { name: 'Support', rules: [] } })
    expect(changed.role).toMatchObject({ name: 'Support', users: 1, rules: [] })
    await expect(call('updateRole', { caller: root, params, body: { name: 'USER' } })).rejects.toEqual(
      code('role_exists'),
    )
    await call('deleteUser', { caller: root, params: { user_id: user.user_id } })
    await call('deleteRole', { caller: root, params })
    await expect(call('deleteRole', { caller: root, params })).rejects.toEqual(code('not_found'))
    const builtin = { role_id: root.role_id }
    await expect(call('deleteRole', { caller: root, params: builtin })).rejects.toEqual(code('role_builtin'))
    await expect(call('updateRole', { caller: root, params: builtin, body: { name: 'boss' } })).rejects.toEqual(
      code('role_builtin'),
    )
    const deny = [{ subject: 'files.read', effect: 'deny' as const }]
    await call('updateRole', { caller: root, params: builtin, body: { name: 'admin', rules: deny } })
    // As of the next request.
    const now = (await accounts.gate.authenticate({ kind: 'cookie', token: cookie }))!
    expect(await accounts.gate.permission(now, 'files.read')).toMatchObject({
      effect: 'deny',
      reason: expect.stringContaining('files.read: deny') as string,
    })
  })

  test('a role that is deleted while somebody gets it is either used or gone', async () => {
    const { accounts, call } = await open()
    const { caller: root } = await setUp(accounts)
    for (let i = 0; i < 10; i++) {
      const { role } = await call('createRole', { caller: root, body: { name: `r${i}`, rules: [] } })
      const body = { username: `u${i}`, password: PASSWORD, role_id: role.role_id }
      const results = await Promise.allSettled([
        call('createUser', { caller: root, body }),
        call('deleteRole', { caller: root, params: { role_id: role.role_id } }),
      ])
      const codes = results.map((result) =>
        result.status === 'rejected' ? (result.reason as { code: string }).code : 'ok',
      )
      expect([
        ['ok', 'role_in_use'],
        ['unknown_role', 'ok'],
      ]).toContainEqual(codes)
    }
  })

  test('a thousand rules go in and count', async () => {
    const { accounts, call } = await open()
    const { caller: root } = await setUp(accounts)
    const rules = Array.from({ length: 1000 }, (_, i) => ({ subject: `tool:m.t${i}`, effect: 'allow' as const }))
    const { role } = await call('createRole', { caller: root, body: { name: 'wide', rules } })
    expect(role.rules).toHaveLength(1000)
  })
})
