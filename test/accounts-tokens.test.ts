import { describe, expect, test } from 'vitest'
import { addUser, openTestAccounts, setUp, signIn } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const HOUR = 3_600_000
const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each(databases)('access tokens on $name', (database) => {
  const open = (options = {}) => openTestAccounts(database, options)

  test('are their owner, no wider, until expired, revoked, or the owner is disabled', async () => {
    const { accounts, call, time } = await open()
    const root = await setUp(accounts)
    const user = await addUser(accounts, root.caller, 'ann')
    const { caller: ann } = await signIn(accounts, 'ann')
    const make = (body: { expires_at?: string; permissions?: string[] }) =>
      call('createToken', { caller: ann, body: { name: 'script', ...body } })
    const by = (token: string) => accounts.gate.authenticate({ kind: 'bearer', token })
    const expires_at = new Date(time.now + HOUR).toISOString()
    const [plain, dated, narrow] = [
      await make({}),
      await make({ expires_at }),
      await make({ permissions: ['files.read'] }),
    ]
    expect(plain.token).toMatch(/^rvt_/)
    expect(await by(plain.token)).toMatchObject({ user_id: ann.user_id, kind: 'token', admin: false, scope: null })
    expect(await accounts.gate.authenticate({ kind: 'cookie', token: plain.token })).toBeNull()
    const narrowed = (await by(narrow.token))!
    expect(narrowed.scope).toEqual(['files.read'])
    expect((await accounts.gate.permission(narrowed, 'files.read')).effect).toBe('allow')
    expect((await accounts.gate.permission(narrowed, 'files.create')).effect).toBe('deny')
    time.now += HOUR
    expect(await by(dated.token)).toBeNull()
    await expect(make({ expires_at })).rejects.toEqual(code('invalid_request'))
    const listed = await call('listTokens', { caller: ann })
    expect(listed.items.map(({ token_id }) => token_id)).toEqual(
      [narrow, dated, plain].map(({ item }) => item.token_id),
    )
    await expect(
      call('revokeToken', { caller: root.caller, params: { token_id: plain.item.token_id } }),
    ).rejects.toEqual(code('not_found'))
    await call('revokeToken', { caller: ann, params: { token_id: plain.item.token_id } })
    expect(await by(plain.token)).toBeNull()
    expect(await accounts.gate.stillValid([narrowed])).toEqual([true])
    await call('updateUser', { caller: root.caller, params: { user_id: user.user_id }, body: { disabled: true } })
    expect(await by(narrow.token)).toBeNull()
    expect(await accounts.gate.stillValid([narrowed])).toEqual([false])
  })

  test('a limited token of an administrator does not administer, and permissions outside of it are denied', async () => {
    const { accounts, call } = await open()
    const root = await setUp(accounts)
    const authenticate = async (permissions?: string[]) => {
      const { token } = await call('createToken', { caller: root.caller, body: { name: 'script', permissions } })
      return (await accounts.gate.authenticate({ kind: 'bearer', token }))!
    }
    const wide = await authenticate()
    const narrow = await authenticate(['codex.use', 'tool:notes.*'])
    expect(wide.admin).toBe(true)
    expect(narrow.admin).toBe(false)
    for (const token of [wide, narrow]) expect((await call('session', { caller: token })).expires_at).toBeNull()
    expect((await call('session', { caller: narrow })).user.permissions).toMatchObject({
      'codex.use': 'allow',
      'files.read': 'deny',
    })
  })

  test('count where they were made for, and at the gateway only for some tools and a while', async () => {
    const { accounts, call, time } = await open()
    const { caller } = await setUp(accounts)
    const DAY = 24 * HOUR
    const make = (body: { days?: number; permissions?: string[]; audience?: 'api' | 'mcp' }) => {
      const { days, ...rest } = body
      const ends = days === undefined ? {} : { expires_at: new Date(time.now + days * DAY).toISOString() }
      return call('createToken', { caller, body: { name: 'client', ...ends, ...rest } })
    }
    const by = (token: string, audience?: 'api' | 'mcp') =>
      accounts.gate.authenticate({ kind: 'bearer', token, ...(audience && { audience }) })
    const tools = ['tool:notes.*']
    const [script, client] = [await make({}), await make({ days: 90, permissions: tools, audience: 'mcp' })]
    expect(script.item.audience).toBe('api')
    expect(client.item).toMatchObject({ audience: 'mcp', permissions: ['codex.use', 'tool:notes.*'] })
    expect(await by(script.token)).toMatchObject({ session_id: script.item.token_id })
    expect(await by(script.token, 'mcp')).toBeNull()
    expect(await by(client.token)).toBeNull()
    const at = await by(client.token, 'mcp')
    expect(at).toMatchObject({ session_id: client.item.token_id, kind: 'token', admin: false })
    expect(await accounts.gate.stillValid([at!])).toEqual([true])
    for (const refused of [
      { days: 30 },
      { days: 30, permissions: [] },
      { days: 30, permissions: ['files.read'] },
      { permissions: tools },
      { days: 91, permissions: tools },
    ])
      await expect(make({ ...refused, audience: 'mcp' })).rejects.toEqual(code('invalid_request'))
  })
})
