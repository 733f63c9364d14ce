import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { Caller } from '../contract/route.ts'
import { startTestApp } from './stage/app.ts'
import { Authenticator, type Slip } from './stage/authenticator.ts'
import { TestClient } from './stage/client.ts'
import { addUser, clientAt, openTestAccounts, PASSWORD, setUp, signIn } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const MINUTE = 60_000
const ORIGIN = clientAt('').origin
const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each(databases)('passkeys on $name', (database) => {
  async function open() {
    const stage = await openTestAccounts(database)
    const { caller: root } = await setUp(stage.accounts)
    const { call, accounts } = stage
    const begin = async (who: Caller = root) =>
      (await call('beginPasskey', { caller: who })).options as { challenge: string; user: { id: string } }
    const register = async (key: Authenticator, slip: Slip = {}, who: Caller = root, name = 'Laptop') =>
      call('registerPasskey', { caller: who, body: { name, credential: key.register(await begin(who), slip) } })
    const options = async () => (await call('passkeyOptions')).options
    const login = async (key: Authenticator, slip: Slip = {}, user_id = root.user_id) =>
      call('passkeyLogin', { body: { credential: key.signIn(await options(), user_id, slip) } })
    return { ...stage, accounts, root, begin, register, options, login }
  }
  const refused = code('passkey_refused')

  test('are made, named, shown, used without a name, and deleted', async () => {
    const { accounts, call, root, begin, register, login } = await open()
    const { options } = await call('beginPasskey', { caller: root })
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Reeve' },
      user: { id: Buffer.from(root.user_id).toString('base64url'), name: 'root' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: [],
    })
    const key = new Authenticator(ORIGIN)
    const { item } = await register(key)
    expect(item).toMatchObject({ name: 'Laptop', synced: true, last_used_at: null })
    expect((await call('signInMethods')).passkeys).toBe(true)
    expect(await begin()).toMatchObject({ excludeCredentials: [{ id: key.id }] })
    await expect(register(key)).rejects.toEqual(code('passkey_exists'))

    const answer = await login(key)
    const cookie = answer.session?.token ?? ''
    expect((await accounts.gate.authenticate({ kind: 'cookie', token: cookie }))?.user_id).toBe(root.user_id)
    const params = { passkey_id: item.passkey_id }
    await call('renamePasskey', { caller: root, params, body: { name: 'Old laptop' } })
    const { items } = await call('listPasskeys', { caller: root })
    expect(items).toMatchObject([{ name: 'Old laptop', last_used_at: expect.any(String) }])
    await call('deletePasskey', { caller: root, params })
    await expect(login(key)).rejects.toEqual(refused)
    await expect(call('deletePasskey', { caller: root, params })).rejects.toEqual(code('not_found'))
  })

  test('are refused from another origin, for another host, without PIN or finger, or for another challenge', async () => {
    const { register, login } = await open()
    const slips: Slip[] = [
      { origin: 'http://localhost:9999' },
      { origin: 'https://evil.example' },
      { rp_id: 'evil.example' },
      { unverified: true },
      { challenge: Buffer.alloc(32).toString('base64url') },
    ]
    for (const slip of slips) await expect(register(new Authenticator(ORIGIN), slip)).rejects.toEqual(refused)
    const key = new Authenticator(ORIGIN)
    await register(key)
    for (const slip of slips.slice(0, 4)) await expect(login(key, slip)).rejects.toEqual(refused)
    await login(key)
  })

  test('are good for one try of one challenge, within five minutes', async () => {
    const { call, root, register, options, begin, time } = await open()
    const key = new Authenticator(ORIGIN)
    const other = new Authenticator(ORIGIN)
    const begun = await begin()
    const wrong = { name: 'x', credential: other.register(begun, { rp_id: 'evil.example' }) }
    await expect(call('registerPasskey', { caller: root, body: wrong })).rejects.toEqual(refused)
    const late = { name: 'x', credential: other.register(begun) }
    await expect(call('registerPasskey', { caller: root, body: late })).rejects.toEqual(refused)
    await register(key)

    const credential = key.signIn(await options(), root.user_id)
    const tries = await Promise.allSettled([1, 2, 3].map(() => call('passkeyLogin', { body: { credential } })))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    time.now += 60 * MINUTE
    const old = key.signIn(await options(), root.user_id)
    time.now += 5 * MINUTE
    await expect(call('passkeyLogin', { body: { credential: old } })).rejects.toEqual(refused)
  })

  test('are made for the sign-in that asked, and open no account but their own', async () => {
    const { accounts, call, root, begin, register, login, options } = await open()
    await addUser(accounts, root, 'ann')
    const { caller: ann } = await signIn(accounts, 'ann')
    const { caller: again } = await signIn(accounts, 'root')
    const key = new Authenticator(ORIGIN)
    for (const somebody of [ann, again]) {
      const body = { name: 'x', credential: key.register(await begin(somebody)) }
      await expect(call('registerPasskey', { caller: root, body })).rejects.toEqual(refused)
    }
    // A challenge for signing in makes none.
    const body = { name: 'x', credential: key.register(await options()) }
    await expect(call('registerPasskey', { caller: root, body })).rejects.toEqual(refused)

    const { item } = await register(key, {}, ann)
    await expect(login(key, { user_id: root.user_id })).rejects.toEqual(refused)
    const params = { passkey_id: item.passkey_id }
    await expect(call('deletePasskey', { caller: root, params })).rejects.toEqual(code('not_found'))
    await expect(call('renamePasskey', { caller: root, params, body: { name: 'mine' } })).rejects.toEqual(
      code('not_found'),
    )
    // A signature by another key under this name.
    const forged = new Authenticator(ORIGIN)
    const credential = { ...forged.signIn(await options(), ann.user_id), id: key.id, rawId: key.id }
    await expect(call('passkeyLogin', { body: { credential } })).rejects.toEqual(refused)
    await login(key, {}, ann.user_id)
  })

  test('that count give a copy away', async () => {
    const { call, root, register, login } = await open()
    const key = new Authenticator(ORIGIN)
    key.counter = 7
    await register(key)
    await login(key, { counter: 9 })
    await expect(login(key, { counter: 8 })).rejects.toEqual(refused)
    await expect(login(key, { counter: 9 })).rejects.toEqual(refused)
    await login(key, { counter: 10 })
    const { items } = await call('audit', { caller: root, query: { limit: 50, q: '' } })
    expect(items.filter(({ action }) => action === 'login.failed')).toMatchObject([
      { details: { reason: expect.stringContaining('counter') } },
      { details: { reason: expect.stringContaining('counter') } },
    ])
  })

  test('of a disabled user open nothing, and guessing is slowed down', async () => {
    const { accounts, call, root, register, login } = await open()
    const ann = await addUser(accounts, root, 'ann')
    const key = new Authenticator(ORIGIN)
    await register(key, {}, (await signIn(accounts, 'ann')).caller)
    const disable = (disabled: boolean) =>
      call('updateUser', { caller: root, params: { user_id: ann.user_id }, body: { disabled } })
    await disable(true)
    await expect(login(key, {}, ann.user_id)).rejects.toEqual(refused)
    await disable(false)
    await login(key, {}, ann.user_id)
    for (let i = 0; i < 5; i++) await expect(login(key, { unverified: true }, ann.user_id)).rejects.toEqual(refused)
    await expect(login(key, {}, ann.user_id)).rejects.toEqual(code('too_many_attempts'))
    expect((await call('removeSecondFactor', { caller: root, params: { user_id: ann.user_id } })).passkeys).toBe(1)
    // The password is not in their way.
    await signIn(accounts, 'ann', PASSWORD)
  })

  test('answer hostile input with a refusal', async () => {
    const { call, root, options, register } = await open()
    const key = new Authenticator(ORIGIN)
    await register(key)
    const right = key.signIn(await options(), root.user_id)
    const odd = [
      { ...right, response: { clientDataJSON: '' } },
      { ...right, response: { clientDataJSON: Buffer.from('null').toString('base64url') } },
      { ...right, response: { ...right.response, signature: 7, authenticatorData: [] } },
      { ...right, id: '', response: right.response },
      { ...right, response: { ...right.response, userHandle: { a: 1 } } },
    ]
    for (const credential of odd) await expect(call('passkeyLogin', { body: { credential } })).rejects.toEqual(refused)
  })

  test('say where they do not work', async () => {
    const { call, root } = await open()
    const at = (origin: string) => ({ ...clientAt('192.0.2.1'), origin })
    for (const origin of ['http://127.0.0.1:8080', 'https://[::1]', 'http://reeve.example', '']) {
      await expect(call('passkeyOptions', { client: at(origin) })).rejects.toEqual(code('passkeys_unavailable'))
      const mine = await call('mySignInMethods', { caller: root, client: at(origin) })
      expect(mine.passkeys_unavailable).toEqual(expect.stringMatching(/\.$/))
    }
    expect((await call('mySignInMethods', { caller: root })).passkeys_unavailable).toBeNull()
    expect((await call('passkeyOptions', { client: at('https://reeve.example') })).options).toMatchObject({
      rpId: 'reeve.example',
    })
  })
})

test('passkeys belong to the host name of the request where no public address is set', async () => {
  await using app = await startTestApp()
  const asks = (client: TestClient) => client.call(contract.accounts.passkeyOptions)
  await expect(asks(app.anonymous())).rejects.toMatchObject({ code: 'passkeys_unavailable', status: 409 })
  const local = new TestClient(() => app.url.replace('127.0.0.1', 'localhost'))
  expect((await asks(local)).options).toMatchObject({ rpId: 'localhost' })
})
