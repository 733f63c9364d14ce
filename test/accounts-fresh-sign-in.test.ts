import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { Authenticator } from './stage/authenticator.ts'
import { TestClient } from './stage/client.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'

const { accounts, modules } = contract
const MINUTE = 60_000
const again = expect.objectContaining({ status: 403, code: 'sign_in_again' })

/** As if the people of the service had signed in so long ago; negative: by a clock that was ahead. */
async function age({ app }: TestApp, minutes: number): Promise<void> {
  await app.db.transaction((trx) =>
    trx
      .updateTable('session')
      .set({ confirmed_at: Date.now() - minutes * MINUTE })
      .execute(),
  )
}

describe.each(databases)('what wants a fresh sign-in, on $name', (database) => {
  async function open() {
    const app = await startTestApp({ database })
    const admin = await app.as('admin')
    const { items } = await admin.call(accounts.listRoles)
    const roleOf = (name: string) => items.find((role) => role.name === name)!.role_id
    const { user } = await admin.call(accounts.session)
    return { app, admin, adminRole: roleOf('admin'), userRole: roleOf('user'), admin_id: user.id }
  }
  const confirm = (client: TestClient, password = PASSWORD) =>
    client.call(accounts.confirmSignIn, { body: { password } })

  test('ways to sign in, access tokens and backups: ten minutes after the sign-in they ask again, and go on after the answer', async () => {
    const { app, admin } = await open()
    await using _ = app
    await admin.call(modules.uninstallBuiltin, { params: { module_name: 'http' } })
    const { items } = await admin.call(modules.removed)
    const params = { backup: items[0]!.backup }
    const wanted: [string, () => Promise<unknown>][] = [
      ['begin', () => admin.call(accounts.beginTotp, { body: {} })],
      ['passkey', () => admin.call(accounts.beginPasskey, { body: {} })],
      ['token', () => admin.call(accounts.createToken, { body: { name: 'script' } })],
      ['backup', () => admin.call(modules.backup, { params })],
    ]
    await age(app, 9)
    for (const [, ask] of wanted)
      await ask().catch((error: { code: string }) => expect(error.code).toBe('passkeys_unavailable'))
    for (const minutes of [10, 60, -5]) {
      await age(app, minutes)
      for (const [name, ask] of wanted) expect([name, await ask().catch((e: unknown) => e)]).toEqual([name, again])
      await expect(admin.call(accounts.confirmTotp, { body: { code: '123456' } })).rejects.toEqual(again)
      expect((await admin.call(accounts.confirmState)).fresh_until).toBeNull()
    }
    await expect(confirm(admin, 'wrong')).rejects.toMatchObject({ status: 401, code: 'wrong_credentials' })
    await expect(admin.call(accounts.confirmSignIn, { body: {} })).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(admin.call(accounts.confirmSignIn, { body: { password: PASSWORD, code: '1' } })).rejects.toMatchObject(
      { code: 'invalid_request' },
    )
    const { fresh_until } = await confirm(admin)
    expect(Date.parse(fresh_until) - Date.now()).toBeGreaterThan(9 * MINUTE)
    await admin.call(accounts.beginTotp, { body: {} })
    await (await admin.call(modules.backup, { params })).arrayBuffer()
    // Another sign-in of the same person has proved nothing.
    const other = await app.signIn('admin')
    await age(app, 20)
    await confirm(admin)
    await expect(other.call(accounts.beginTotp, { body: {} })).rejects.toEqual(again)
    const log = await admin.call(accounts.audit, { query: { action: 'session.confirmed', limit: 10 } })
    expect(log.items.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'refused'])
  })

  test('making an administrator, and only that: by creating, by the role, by a link, by a password', async () => {
    const { app, admin, adminRole, userRole, admin_id } = await open()
    await using _ = app
    const create = (username: string, role_id: string) =>
      admin.call(accounts.createUser, { body: { username, role_id } })
    await age(app, 11)
    const { user } = await create('ann', userRole)
    const params = { user_id: user.user_id }
    const update = (body: object, user_id = params.user_id) =>
      admin.call(accounts.updateUser, { params: { user_id }, body })
    await admin.call(accounts.invite, { params })
    await update({ display_name: 'Ann' })
    await expect(create('boss', adminRole)).rejects.toEqual(again)
    await expect(update({ role_id: adminRole })).rejects.toEqual(again)
    await expect(update({ password: 'another good one' }, admin_id)).rejects.toEqual(again)
    await expect(admin.call(accounts.invite, { params: { user_id: admin_id } })).rejects.toEqual(again)
    const { items } = await admin.call(accounts.listUsers, { query: {} })
    expect(items.map(({ role }) => role).sort()).toEqual(['admin', 'user'])
    await confirm(admin)
    await create('boss', adminRole)
    await update({ role_id: adminRole })
    await admin.call(accounts.invite, { params })
  })

  test('no access token confirms, or does what wants it', async () => {
    const { app, admin } = await open()
    await using _ = app
    const { token } = await admin.call(accounts.createToken, { body: { name: 'script' } })
    const script = app.anonymous()
    script.bearer = token
    const forbidden = expect.objectContaining({ status: 403, code: 'forbidden' })
    await expect(confirm(script)).rejects.toEqual(forbidden)
    await expect(script.call(accounts.confirmState)).rejects.toEqual(forbidden)
    await expect(script.call(modules.backup, { params: { backup: 'a.mcpb' } })).rejects.toEqual(forbidden)
    await expect(script.call(accounts.createToken, { body: { name: 'more' } })).rejects.toEqual(forbidden)
  })

  test('a passkey confirms its own user, for this very sign-in', async () => {
    const app = await startTestApp({ database })
    await using _ = app
    await app.as('ann')
    // Passkeys want a name and no address.
    const origin = app.url.replace('127.0.0.1', 'localhost')
    const signIn = async (username: string) => {
      const client = new TestClient(() => origin)
      client.csrfToken = (await client.call(accounts.login, { body: { username, password: PASSWORD } })).csrf_token
      return client
    }
    const [admin, ann] = [await signIn('admin'), await signIn('ann')]
    const key = new Authenticator(origin)
    const { options } = await admin.call(accounts.beginPasskey, { body: {} })
    const slip = options as unknown as Parameters<Authenticator['register']>[0]
    await admin.call(accounts.registerPasskey, { body: { name: 'Key', credential: key.register(slip) } })
    const { user } = await admin.call(accounts.session)
    expect(await admin.call(accounts.confirmState)).toMatchObject({
      passkey: true,
      password: true,
      code: false,
      openid: null,
    })
    await age(app, 30)
    const show = async (client: TestClient, asked: TestClient) => {
      const begun = await asked.call(accounts.confirmOptions, { body: {} })
      const credential = key.signIn(begun.options, user.id) as never
      return client.call(accounts.confirmSignIn, { body: { credential } })
    }
    const refused = expect.objectContaining({ code: 'passkey_refused' })
    await expect(show(ann, ann)).rejects.toEqual(refused)
    await expect(show(admin, ann)).rejects.toEqual(refused)
    await show(admin, admin)
    await admin.call(accounts.beginTotp, { body: {} })
  })
})
