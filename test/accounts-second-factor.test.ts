import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../contract/route.ts'
import type { Accounts } from '../server/accounts/accounts.ts'
import { databaseContent } from './stage/databases/database-content.ts'
import { addUser, caller, clientAt, openTestAccounts, PASSWORD, setUp, signIn } from './stage/open-accounts.ts'
import { databases } from './stage/servers/postgres.ts'

const HOUR = 3_600_000
const STEP = 30_000
const code = (expected: string) => expect.objectContaining({ code: expected })

describe.each(databases)('the second factor on $name', (database) => {
  /** Root with a second factor: `app` is the app on the phone. */
  async function open() {
    const opened = await openTestAccounts(database)
    const root = await setUp(opened.accounts)
    const { secret, uri } = await opened.call('beginTotp', { caller: root.caller })
    const app = (at = opened.time.now) => codeOf(secret, at)
    return { ...opened, root, secret, uri, app }
  }
  function codeOf(secret: string, at: number): string {
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at })
  }
  async function opened() {
    const stage = await open()
    const body = { code: stage.app() }
    const { backup_codes } = await stage.call('confirmTotp', { caller: stage.root.caller, body })
    stage.time.now += STEP
    return { ...stage, backup_codes }
  }
  const login = (accounts: Accounts, totp?: string, password = PASSWORD, address = '192.0.2.1') =>
    caller(accounts)('login', {
      body: { username: 'root', password, ...(totp === undefined ? {} : { totp }) },
      client: clientAt(address),
    })
  const mine = async (accounts: Accounts, who: Caller) =>
    (await caller(accounts)('mySignInMethods', { caller: who })).totp

  test('counts for nothing until a code confirms it, and cannot be begun again then', async () => {
    const { accounts, call, root, app, uri, secret } = await open()
    expect(uri).toMatch(/^otpauth:\/\/totp\/Reeve:root\?/)
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    await signIn(accounts, 'root')
    expect(await mine(accounts, root.caller)).toBeNull()
    const confirm = (typed: string) => call('confirmTotp', { caller: root.caller, body: { code: typed } })
    await expect(confirm('000000')).rejects.toEqual(code('totp_wrong'))
    const { backup_codes } = await confirm(`${app().slice(0, 3)} ${app().slice(3)}`)
    expect(new Set(backup_codes).size).toBe(10)
    for (const each of backup_codes) expect(each).toMatch(/^[2-9a-z]{5}-[2-9a-z]{5}$/)
    await expect(confirm(app())).rejects.toEqual(code('totp_active'))
    await expect(call('beginTotp', { caller: root.caller })).rejects.toEqual(code('totp_active'))
    expect(await mine(accounts, root.caller)).toEqual({ confirmed_at: expect.any(String), backup_codes: 10 })
  })

  test('is asked for after the right password only', async () => {
    const { accounts, app } = await opened()
    await expect(login(accounts, undefined, 'wrong')).rejects.toEqual(code('wrong_credentials'))
    await expect(login(accounts, app(), 'wrong')).rejects.toEqual(code('wrong_credentials'))
    await expect(login(accounts)).rejects.toEqual(code('totp_required'))
    await expect(login(accounts, ' ')).rejects.toEqual(code('totp_required'))
    await expect(login(accounts, '12345')).rejects.toEqual(code('totp_wrong'))
    expect((await login(accounts, app())).session).toEqual(expect.objectContaining({ token: expect.any(String) }))
  })

  test('takes each code once, also of five at the same moment, and none from before', async () => {
    const { accounts, app, time } = await opened()
    const all = await Promise.allSettled(
      Array.from({ length: 5 }, (_, i) => login(accounts, app(), PASSWORD, `192.0.2.${i}`)),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    time.now += HOUR
    // Clocks may be thirty seconds off, not a minute.
    await expect(login(accounts, app(time.now - 2 * STEP))).rejects.toEqual(code('totp_wrong'))
    await expect(login(accounts, app(time.now + 2 * STEP))).rejects.toEqual(code('totp_wrong'))
    await login(accounts, app(time.now + STEP))
    await expect(login(accounts, app(time.now))).rejects.toEqual(code('totp_wrong'))
  })

  test('takes each backup code once, however it is typed', async () => {
    const { accounts, backup_codes, root } = await opened()
    await login(accounts, backup_codes[0])
    await expect(login(accounts, backup_codes[0])).rejects.toEqual(code('totp_wrong'))
    await login(accounts, backup_codes[1]!.toUpperCase().replace('-', ' '))
    expect((await mine(accounts, root.caller))?.backup_codes).toBe(8)
  })

  test('slows guessing down, and who only has the password cannot start the count anew', async () => {
    const { accounts, app } = await opened()
    for (let i = 0; i < 5; i++) {
      await expect(login(accounts, '000000', PASSWORD, `198.51.100.${i + 10}`)).rejects.toEqual(code('totp_wrong'))
      if (i < 3)
        await expect(login(accounts, undefined, PASSWORD, '198.51.100.1')).rejects.toEqual(code('totp_required'))
    }
    await expect(login(accounts, app(), PASSWORD, '198.51.100.2')).rejects.toEqual(code('too_many_attempts'))
  })

  test('does not count against an address what people do who sign in by two steps', async () => {
    const { accounts, app, time } = await opened()
    for (let i = 0; i < 22; i++) {
      await expect(login(accounts)).rejects.toEqual(code('totp_required'))
      await login(accounts, app())
      time.now += STEP
    }
  })

  test('is changed by who proves it with the password or a code', async () => {
    const { accounts, call, root, app, backup_codes, time } = await opened()
    const off = (body: object) => call('endTotp', { caller: root.caller, body })
    await expect(off({})).rejects.toEqual(code('invalid_request'))
    await expect(off({ password: PASSWORD, code: app() })).rejects.toEqual(code('invalid_request'))
    await expect(off({ password: 'wrong' })).rejects.toEqual(code('wrong_credentials'))
    await expect(off({ code: '000000' })).rejects.toEqual(code('totp_wrong'))
    const renewed = await call('renewBackupCodes', { caller: root.caller, body: { code: app() } })
    await expect(login(accounts, backup_codes[0])).rejects.toEqual(code('totp_wrong'))
    await login(accounts, renewed.backup_codes[0])
    time.now += STEP
    await off({ password: PASSWORD })
    await login(accounts)
    await expect(off({ password: PASSWORD })).rejects.toEqual(code('totp_not_begun'))
    const { items } = await call('audit', { caller: root.caller, query: { limit: 50, q: '' } })
    const actions = items.map(({ action, outcome }) => `${action} ${outcome}`)
    expect(actions).toEqual(
      expect.arrayContaining(['totp.enabled ok', 'totp.codes_renewed ok', 'totp.disabled refused', 'totp.disabled ok']),
    )
  })

  test('can be removed by an administrator for who lost the phone', async () => {
    const { accounts, call, root, time } = await open()
    const ann = await addUser(accounts, root.caller, 'ann')
    const { caller: who } = await signIn(accounts, 'ann')
    const { secret } = await call('beginTotp', { caller: who })
    await call('confirmTotp', { caller: who, body: { code: codeOf(secret, time.now) } })
    await expect(signIn(accounts, 'ann')).rejects.toEqual(code('totp_required'))
    const remove = (user_id: string) => call('removeSecondFactor', { caller: root.caller, params: { user_id } })
    expect(await remove(ann.user_id)).toEqual({ ok: true, totp: true, passkeys: 0 })
    await signIn(accounts, 'ann')
    expect(await remove(ann.user_id)).toEqual({ ok: true, totp: false, passkeys: 0 })
    await expect(remove('usr_nobody')).rejects.toEqual(code('not_found'))
  })

  test('leaves no secret in the database, and goes with its user', async () => {
    const { db, secret, app, backup_codes, accounts, call, root } = await opened()
    await login(accounts, app())
    const text = JSON.stringify(await databaseContent(db))
    for (const each of [secret, ...backup_codes, ...backup_codes.map((one) => one.replace('-', ''))])
      expect(text).not.toContain(each)
    const bea = await addUser(accounts, root.caller, 'bea', 'admin')
    const { caller: by } = await signIn(accounts, 'bea')
    await call('deleteUser', { caller: by, params: { user_id: root.caller.user_id } })
    expect(await db.read.selectFrom('user_totp').selectAll().execute()).toEqual([])
    expect(await db.read.selectFrom('backup_code').selectAll().execute()).toEqual([])
    expect(bea.user_id).not.toBe(root.caller.user_id)
  })
})
