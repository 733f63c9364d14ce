import { describe, expect, test } from 'vitest'
import { caller, openTestAccounts, PASSWORD, setUp, signIn } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each(databases)('setup on $name', (database) => {
  const open = (options = {}) => openTestAccounts(database, options)

  test('the link makes the first administrator once, and signs them in', async () => {
    const { accounts, call, start } = await open()
    expect(await accounts.gate.setupNeeded()).toBe(true)
    const body = { token: accounts.setupToken!, username: 'root', password: PASSWORD, language: 'de' as const }
    await expect(call('setup', { body: { ...body, token: 'wrong' } })).rejects.toEqual(code('setup_token_invalid'))
    await expect(call('setup', { body: { ...body, password: 'short' } })).rejects.toEqual(code('weak_password'))
    const answer = await call('setup', { body })
    expect(answer.body.user).toMatchObject({
      username: 'root',
      display_name: 'root',
      role: 'admin',
      admin: true,
      language: 'de',
    })
    expect(answer.body.user.permissions).toEqual({
      'codex.use': 'allow',
      'conversations.import': 'allow',
      'files.read': 'allow',
      'procedures.review': 'allow',
      'files.create': 'allow',
      'files.delete': 'allow',
      'audit.read': 'allow',
    })
    const who = await accounts.gate.authenticate({ kind: 'cookie', token: answer.session!.token })
    expect(accounts.gate.csrfToken(who!)).toBe(answer.body.csrf_token)
    await expect(call('setup', { body: { ...body, username: 'second' } })).rejects.toEqual(code('setup_done'))
    expect(await accounts.gate.setupNeeded()).toBe(false)
    expect((await start()).setupToken).toBeNull()
  })

  test('twenty at once make one administrator', async () => {
    const { accounts, call, db } = await open()
    const tries = Array.from({ length: 20 }, (_, i) =>
      call('setup', { body: { token: accounts.setupToken!, username: `root${i}`, password: PASSWORD } }),
    )
    const results = await Promise.allSettled(tries)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toEqual(code('setup_done'))
    expect(await db.read.selectFrom('user').selectAll().execute()).toHaveLength(1)
  })

  test('every start prints a link of its own; one used ends them all', async () => {
    const { accounts, start } = await open()
    const others = await Promise.all(Array.from({ length: 5 }, () => start()))
    expect(new Set([accounts, ...others].map(({ setupToken }) => setupToken)).size).toBe(6)
    await setUp(accounts)
    await expect(setUp(others[0]!)).rejects.toEqual(code('setup_done'))
    expect(await others[0]!.gate.setupNeeded()).toBe(false)
  })

  test('unattended: once, however many processes start; a weak password stops the start', async () => {
    const { start, db } = await open()
    await expect(start({ firstAdmin: { username: 'root', password: 'short' } })).rejects.toThrow(
      /REEVE_ADMIN_PASSWORD.*10/,
    )
    await expect(start({ firstAdmin: { username: 'a b', password: PASSWORD } })).rejects.toThrow(/REEVE_ADMIN_USERNAME/)
    const started = await Promise.all(
      Array.from({ length: 8 }, () => start({ firstAdmin: { username: 'root', password: PASSWORD } })),
    )
    expect(started.every(({ setupToken }) => setupToken === null)).toBe(true)
    expect(await db.read.selectFrom('user').selectAll().execute()).toHaveLength(1)
    expect((await db.read.selectFrom('role').select('name').orderBy('name').execute()).map(({ name }) => name)).toEqual(
      ['admin', 'everybody', 'user'],
    )
    expect((await signIn(started[0]!, 'root')).caller.admin).toBe(true)
  })

  test('preferences: read, changed, refused', async () => {
    const { accounts, call } = await open()
    const { caller: root } = await setUp(accounts)
    const change = (body: { language?: string; personal_prompt?: string }) =>
      call('updatePreferences', { caller: root, body })
    expect(await call('preferences', { caller: root })).toMatchObject({ language: 'en', personal_prompt: '' })
    await expect(change({ language: 'tlh' })).rejects.toEqual(code('unsupported_language'))
    await expect(change({ personal_prompt: '𝒳'.repeat(4001) })).rejects.toEqual(code('prompt_too_long'))
    await change({ personal_prompt: '𝒳'.repeat(4000) })
    expect(await change({ language: 'uk', personal_prompt: 'Be\0 brief' })).toEqual({
      ok: true,
      language: 'uk',
      personal_prompt: 'Be\uFFFD brief',
    })
    expect(await change({})).toMatchObject({ language: 'uk' })
    expect((await accounts.policy.forUser(root.user_id, null, 'session'))!.personal_prompt).toBe('Be\uFFFD brief')
  })

  test('two processes with one key accept each other’s sign-ins at once', async () => {
    const { accounts, start } = await open()
    const root = await setUp(accounts)
    const other = await start()
    const seen = await other.gate.authenticate({ kind: 'cookie', token: root.cookie })
    expect(seen).toEqual(root.caller)
    expect(other.gate.csrfToken(seen!)).toBe(accounts.gate.csrfToken(root.caller))
    await caller(other)('logout', { caller: root.caller })
    expect(await accounts.gate.authenticate({ kind: 'cookie', token: root.cookie })).toBeNull()
  })
})
