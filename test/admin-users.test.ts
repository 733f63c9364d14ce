import { describe, expect, test } from 'vitest'
import { openTestAccounts, PASSWORD, setUp, signIn } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })
const NEW_PASSWORD = 'another quiet harbour'
const DAY_MS = 24 * 3_600_000

describe.each(databases)('the administration of users on $name', (database) => {
  async function open() {
    const stage = await openTestAccounts(database)
    const { caller: root } = await setUp(stage.accounts)
    const { items } = await stage.call('listRoles', { caller: root })
    const role_id = items.find(({ name }) => name === 'user')!.role_id
    const create = async (username: string, more: { password?: string; display_name?: string } = {}) =>
      (await stage.call('createUser', { caller: root, body: { username, role_id, ...more } })).user
    const link = (user_id: string) => stage.call('invite', { caller: root, params: { user_id } })
    const accept = (token: string, password = NEW_PASSWORD) =>
      stage.call('acceptInvitation', { body: { token, password } })
    return { ...stage, root, role_id, create, link, accept }
  }

  test('found by words in any case and script, by role and by state, page by page', async () => {
    const { call, root, role_id, create, link } = await open()
    const ann = await create('ann', { password: PASSWORD, display_name: 'Änne Müller' })
    const bob = await create('bob', { password: PASSWORD, display_name: 'Боб Мёд' })
    const cid = await create('cid')
    await link(cid.user_id)
    await call('updateUser', { caller: root, params: { user_id: bob.user_id }, body: { disabled: true } })
    const names = async (query: object) =>
      (await call('listUsers', { caller: root, query: { limit: 100, ...query } })).items.map((one) => one.username)
    expect(await names({})).toEqual(['root', 'ann', 'bob', 'cid'])
    expect(await names({ q: 'MULLER anne' })).toEqual(['ann'])
    expect(await names({ q: 'мед' })).toEqual(['bob'])
    expect(await names({ q: '%' })).toEqual([])
    expect(await names({ role_id })).toEqual(['ann', 'bob', 'cid'])
    expect(await names({ role_id, state: 'active' })).toEqual(['ann', 'cid'])
    expect(await names({ state: 'disabled' })).toEqual(['bob'])
    expect(await names({ state: 'invited' })).toEqual(['cid'])
    const first = await call('listUsers', { caller: root, query: { limit: 2, q: 'n', role_id } })
    expect(first.items.map(({ user_id }) => user_id)).toEqual([ann.user_id])
    expect(first.next_cursor).toBeNull()
    const page = await call('listUsers', { caller: root, query: { limit: 1, q: 'b' } })
    expect(page).toMatchObject({ items: [{ username: 'bob', disabled: true, password: true }], next_cursor: null })
  })

  test('a search for words goes on over pages without a gap', async () => {
    const { call, root, create } = await open()
    for (let i = 0; i < 7; i++) await create(`${i % 2 ? 'odd' : 'even'}-${i}`)
    const seen: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await call('listUsers', { caller: root, query: { limit: 2, q: 'odd', cursor } })
      seen.push(...page.items.map(({ username }) => username))
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(seen).toEqual(['odd-1', 'odd-3', 'odd-5'])
  })

  test('a person without a password cannot sign in until a link is used, once', async () => {
    const { accounts, call, root, create, link, accept } = await open()
    const ann = await create('ann')
    expect(ann).toMatchObject({ password: false, invited_until: null, second_factor: false })
    for (const guess of ['', PASSWORD, 'null'])
      await expect(signIn(accounts, 'ann', guess)).rejects.toEqual(code('wrong_credentials'))
    const { token, path, expires_at } = await link(ann.user_id)
    expect(path).toBe(`/setup?invite=${token}`)
    expect(await call('readInvitation', { body: { token } })).toEqual({
      username: 'ann',
      display_name: 'ann',
      expires_at,
      replaces: false,
    })
    await expect(accept(token, 'short')).rejects.toEqual(code('weak_password'))
    await expect(accept(token, 'ann is my name')).resolves.toMatchObject({ username: 'ann' })
    await expect(accept(token)).rejects.toEqual(code('invitation_invalid'))
    await expect(call('readInvitation', { body: { token } })).rejects.toEqual(code('invitation_invalid'))
    await signIn(accounts, 'ann', 'ann is my name')
    const log = await call('audit', { caller: root, query: { limit: 100, target: ann.user_id } })
    expect(log.items.map(({ action }) => action)).toEqual([
      'login',
      'invitation.accepted',
      'user.invited',
      'login.failed',
      'login.failed',
      'login.failed',
      'user.created',
    ])
    expect(JSON.stringify(log)).not.toContain(token)
  })

  test('a hundred uses of one link at once set one password', async () => {
    const { accounts, create, link, accept } = await open()
    const { user_id } = await create('ann')
    const { token } = await link(user_id)
    const passwords = Array.from({ length: 100 }, (_, i) => `quiet harbour ${i}`)
    const results = await Promise.allSettled(passwords.map((password) => accept(token, password)))
    const won = passwords.filter((_, i) => results[i]!.status === 'fulfilled')
    expect(won).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toEqual(code('invitation_invalid'))
    await signIn(accounts, 'ann', won[0])
  })

  test('a link ends by time, by a newer one, by being taken back, and with what it was made for', async () => {
    const { call, time, root, create, link, accept } = await open()
    const { user_id } = await create('ann')
    const params = { user_id }
    const dead = async (token: string) => {
      await expect(call('readInvitation', { body: { token } })).rejects.toEqual(code('invitation_invalid'))
      await expect(accept(token)).rejects.toEqual(code('invitation_invalid'))
    }
    const first = await link(user_id)
    const second = await link(user_id)
    await dead(first.token)
    time.now += 7 * DAY_MS
    await dead(second.token)
    const [shown] = (await call('listUsers', { caller: root, query: { limit: 10, q: 'ann' } })).items
    expect(shown!.invited_until).toBeNull()

    const third = await link(user_id)
    await call('revokeInvitation', { caller: root, params })
    await dead(third.token)
    await expect(call('revokeInvitation', { caller: root, params })).rejects.toEqual(code('not_found'))

    const fourth = await link(user_id)
    await call('updateUser', { caller: root, params, body: { password: PASSWORD } })
    await dead(fourth.token)

    const fifth = await link(user_id)
    await call('updateUser', { caller: root, params, body: { disabled: true } })
    await dead(fifth.token)
    await expect(link(user_id)).rejects.toEqual(code('user_disabled'))
    await call('updateUser', { caller: root, params, body: { disabled: false } })
    await dead(fifth.token)

    const sixth = await link(user_id)
    await call('deleteUser', { caller: root, params })
    await dead(sixth.token)
    await expect(link('usr_none')).rejects.toEqual(code('not_found'))
    for (const token of ['', 'x', "' or 1=1 --", '\0']) await dead(token)
  })

  test('a link that resets a password ends the sign-ins, and what the person chose meanwhile ends the link', async () => {
    const { accounts, call, root, create, link, accept } = await open()
    const { user_id } = await create('ann', { password: PASSWORD })
    const ann = await signIn(accounts, 'ann')
    const reset = await link(user_id)
    expect((await call('readInvitation', { body: { token: reset.token } })).replaces).toBe(true)
    // Until it is used, nothing has happened.
    expect(await accounts.gate.stillValid([ann.caller])).toEqual([true])
    await accept(reset.token)
    expect(await accounts.gate.stillValid([ann.caller])).toEqual([false])
    await expect(signIn(accounts, 'ann')).rejects.toEqual(code('wrong_credentials'))

    const again = await signIn(accounts, 'ann', NEW_PASSWORD)
    const late = await link(user_id)
    const body = { current_password: NEW_PASSWORD, new_password: 'a third quiet harbour' }
    await call('changePassword', { caller: again.caller, body })
    await expect(accept(late.token)).rejects.toEqual(code('invitation_invalid'))
    expect((await call('listUsers', { caller: root, query: { limit: 10 } })).items[1]!.invited_until).toBeNull()
  })

  test('sign-ins of others are listed, ended one by one or all, with the tokens where asked for', async () => {
    const { accounts, call, root, create } = await open()
    const { user_id } = await create('ann', { password: PASSWORD })
    await create('bob', { password: PASSWORD })
    const [one, two] = [await signIn(accounts, 'ann'), await signIn(accounts, 'ann')]
    const bob = await signIn(accounts, 'bob')
    await call('createToken', { caller: one.caller, body: { name: 'script' } })
    const params = { user_id }
    const listed = await call('listUserSessions', { caller: root, params })
    expect(listed.items).toHaveLength(2)
    expect(Object.fromEntries(listed.items.map(({ session_id, current }) => [session_id, current]))).toEqual({
      [one.caller.session_id]: false,
      [two.caller.session_id]: false,
    })
    expect(listed.access_tokens).toBe(1)
    const own = await call('listUserSessions', { caller: root, params: { user_id: root.user_id } })
    expect(own.items.map(({ current }) => current)).toEqual([true])

    const end = (session_id: string) => call('endUserSession', { caller: root, params: { user_id, session_id } })
    await end(one.caller.session_id)
    expect(await accounts.gate.stillValid([one.caller])).toEqual([false])
    await expect(end(one.caller.session_id)).rejects.toEqual(code('not_found'))
    // Another person's, named with the wrong owner.
    await expect(end(bob.caller.session_id)).rejects.toEqual(code('not_found'))
    expect(await accounts.gate.stillValid([bob.caller])).toEqual([true])

    const all = (access_tokens: boolean) => call('endUserSessions', { caller: root, params, body: { access_tokens } })
    expect(await all(false)).toEqual({ ok: true, sessions: 1, access_tokens: 0 })
    expect(await accounts.gate.stillValid([two.caller])).toEqual([false])
    expect(await all(true)).toEqual({ ok: true, sessions: 0, access_tokens: 1 })
    expect((await call('listUserSessions', { caller: root, params })).access_tokens).toBe(0)
    await expect(call('listUserSessions', { caller: root, params: { user_id: 'usr_none' } })).rejects.toEqual(
      code('not_found'),
    )
  })
})
