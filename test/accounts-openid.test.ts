import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { readConfig } from '../server/app/config.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type OpenidPersonClaims,
  type OpenidProviderStage,
  startOpenidProvider,
} from './stage/servers/openid-provider.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'

const START = '/api/auth/oidc/start'

describe.each(databases)('sign-in at an OpenID Connect provider on $name', (database) => {
  const opened = new AsyncDisposableStack()
  let provider: OpenidProviderStage
  let app: TestApp
  let admin: TestClient

  const settings = (more: Record<string, string> = {}) => ({
    REEVE_OIDC_ISSUER: provider.issuer,
    REEVE_OIDC_CLIENT_ID: CLIENT_ID,
    REEVE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    REEVE_OIDC_NAME: 'Harbour login',
    REEVE_OIDC_SCOPES: 'openid profile email groups',
    REEVE_OIDC_ROLES: 'captains=admin, crew=user',
    ...more,
  })
  beforeAll(async () => {
    provider = opened.use(await startOpenidProvider())
    app = opened.use(await startTestApp({ database, env: settings() }))
    provider.register(app.url)
    admin = await app.as('admin')
  })
  afterAll(() => opened.disposeAsync())

  /** Where a browser ends that was sent to the provider; it follows no further redirect. */
  async function come(
    person: OpenidPersonClaims,
    { client = app.anonymous(), start = START, change = (url: string) => url } = {},
  ): Promise<{ client: TestClient; location: string | null; back: string }> {
    provider.person = person
    const begun = await client.fetch(start)
    expect(begun.status).toBe(303)
    const asked = new URL(begun.headers.get('location') ?? '').searchParams
    expect([asked.get('code_challenge_method'), asked.get('response_type')]).toEqual(['S256', 'code'])
    expect(begun.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^reeve_note=v1\.[\w.-]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/),
    ])
    const back = await provider.visit(change(begun.headers.get('location') ?? ''))
    const answer = await client.fetch(back)
    expect(answer.status).toBe(303)
    return { client, location: answer.headers.get('location'), back }
  }
  const crew = (name: string, more: Partial<OpenidPersonClaims> = {}): OpenidPersonClaims => ({
    sub: `id-of-${name}`,
    preferred_username: name,
    groups: ['crew'],
    ...more,
  })
  const who = async (client: TestClient) => (await client.call(contract.accounts.session)).user
  const failures = async () =>
    (await admin.call(contract.accounts.audit, { query: { limit: 100, action: 'login.failed' } })).items.map(
      ({ details }) => details['reason'],
    )

  test('makes an account, starts a session, and goes where the person wanted to', async () => {
    expect((await app.anonymous().call(contract.accounts.signInMethods)).openid).toEqual({ name: 'Harbour login' })
    const next = '/files?q=a%20b'
    const { client, location } = await come(crew('Ines', { name: 'Inês Duarte' }), {
      start: `${START}?next=${encodeURIComponent(next)}`,
    })
    expect(location).toBe(next)
    expect(await who(client)).toMatchObject({ username: 'Ines', display_name: 'Inês Duarte', role: 'user' })
    expect(await client.call(contract.accounts.mySignInMethods)).toMatchObject({
      password: false,
      openid: [{ issuer: provider.issuer }],
    })
    // The same person, under another name there, is the same person here.
    const again = await come({ ...crew('Ines'), preferred_username: 'ines.d' })
    expect((await who(again.client)).id).toBe((await who(client)).id)
    const { items } = await admin.call(contract.accounts.audit, { query: { limit: 100 } })
    expect(items.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['user.created', 'openid.linked', 'login']),
    )
  })

  test('being recognised at the provider is no fresh sign-in; signing in there anew is', async () => {
    const fresh = async (client: TestClient) => (await client.call(contract.accounts.confirmState)).fresh_until
    expect(await fresh((await come(crew('Pia'))).client)).toBeNull()
    expect(await fresh((await come(crew('Pia'), { start: `${START}?again=true` })).client)).not.toBeNull()
  })

  test('leads to no other site', async () => {
    for (const next of ['//evil.example', 'https://evil.example/', '/\\evil.example', '/login', '/api/auth/logout']) {
      const start = `${START}?next=${encodeURIComponent(next)}`
      expect([next, (await come(crew('Ines'), { start })).location]).toEqual([next, '/'])
    }
  })

  test('gives the role of the groups at each sign-in, and ends what went before', async () => {
    const first = await come(crew('Otto', { groups: ['other', 'crew'] }))
    expect((await who(first.client)).admin).toBe(false)
    const second = await come(crew('Otto', { groups: ['captains', 'crew'] }))
    expect((await who(second.client)).admin).toBe(true)
    expect((await first.client.fetch('/api/auth/session')).status).toBe(401)
    expect((await come(crew('Otto'))).location).toBe('/')
    expect((await second.client.fetch('/api/auth/session')).status).toBe(401)
  })

  test('refuses people without a group that has a role, and disabled ones', async () => {
    const none = await come(crew('Zoe', { groups: ['kitchen'] }))
    expect(none.location).toBe('/login?problem=openid_unknown')
    expect((await none.client.fetch('/api/auth/session')).status).toBe(401)
    expect((await come({ sub: 'x', preferred_username: 'zoe' })).location).toBe('/login?problem=openid_unknown')

    const { client } = await come(crew('Dora'))
    const { id } = await who(client)
    await admin.call(contract.accounts.updateUser, { params: { user_id: id }, body: { disabled: true } })
    expect((await come(crew('Dora'))).location).toBe('/login?problem=openid_disabled')
    expect(await failures()).toEqual(expect.arrayContaining(['openid_unknown', 'openid_disabled']))
  })

  test('takes nobody’s account for having the same name', async () => {
    await app.as('ann')
    expect((await come(crew('ANN'))).location).toBe('/login?problem=openid_name_taken')
    expect((await come(crew('admin', { groups: ['captains'] }))).location).toBe('/login?problem=openid_name_taken')
  })

  test('refuses another state, another browser, an old code and another nonce', async () => {
    const expired = '/login?problem=openid_expired'
    const { back, client, location } = await come(crew('Ines'))
    expect(location).toBe('/')
    // The note is gone with its use, and a stranger never had it.
    for (const other of [client, app.anonymous()])
      expect((await other.fetch(back)).headers.get('location')).toBe(expired)
    const state = await come(crew('Ines'), { change: (url) => url.replace(/state=[^&]+/, 'state=planted') })
    expect(state.location).toBe(expired)
    const nonce = await come(crew('Ines'), { change: (url) => url.replace(/nonce=[^&]+/, 'nonce=planted') })
    expect(nonce.location).toBe('/login?problem=openid_refused')

    const thief = app.anonymous()
    const begun = await thief.fetch(START)
    const { cookie } = thief
    const used = await provider.visit(begun.headers.get('location') ?? '')
    expect((await thief.fetch(used)).headers.get('location')).toBe('/')
    const replayed = await app.anonymous().fetch(used, { headers: { cookie } })
    expect(replayed.headers.get('location')).toBe('/login?problem=openid_refused')
    expect(replayed.headers.getSetCookie().filter((line) => line.includes('session'))).toEqual([])
    expect(await failures()).toContain('openid_refused')
  })

  test('tells a person who said no there', async () => {
    const client = app.anonymous()
    const begun = await client.fetch(START)
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state')
    const denied = await client.fetch(`/api/auth/oidc/callback?error=access_denied&state=${state}`)
    expect(denied.headers.get('location')).toBe('/login?problem=openid_refused')
  })

  test('links by name or checked address where the operator says so, and administrators keep their password', async () => {
    for (const link of ['username', 'email']) {
      await using other = await startTestApp({
        database,
        env: settings({ REEVE_OIDC_LINK: link, REEVE_OIDC_ROLES: '', REEVE_OIDC_DEFAULT_ROLE: '' }),
      })
      provider.register(other.url)
      const root = await other.as('admin')
      const name = link === 'email' ? 'mia@ship.example' : 'mia'
      const mia = await who(await other.as(name))
      const person = { sub: '7', preferred_username: link === 'email' ? 'admin' : 'mia', email: 'mia@ship.example' }
      const sign = async (claims: OpenidPersonClaims) => come(claims, { client: other.anonymous() })
      if (link === 'email')
        expect((await sign({ ...person, email_verified: false })).location).toBe('/login?problem=openid_unknown')
      const { client } = await sign({ ...person, email_verified: true })
      expect((await who(client)).id).toBe(mia.id)
      // Somebody else who has the name there now.
      expect((await sign({ ...person, sub: '8', email_verified: true })).location).toMatch(
        /openid_(name_taken|unknown)$/,
      )
      expect((await sign({ sub: '9', preferred_username: 'new' })).location).toBe('/login?problem=openid_unknown')
      expect((await who(await other.signIn(name))).id).toBe(mia.id)
      expect((await who(root)).admin).toBe(true)
    }
    provider.register(app.url)
  })

  test('never takes the last administrator away', async () => {
    await using other = await startTestApp({ database, env: settings({ REEVE_OIDC_LINK: 'username' }) })
    provider.register(other.url)
    await other.as('admin')
    const { client } = await come(crew('admin'), { client: other.anonymous() })
    expect((await who(client)).admin).toBe(true)
    provider.register(app.url)
  })

  test('leaves no secret in the database', async () => {
    const { cookie } = (await come(crew('Ines'))).client
    const rows = JSON.stringify(await admin.call(contract.accounts.audit, { query: { limit: 200 } }))
    for (const secret of [CLIENT_SECRET, PASSWORD, ...cookie.split(/[=;] ?/).filter((part) => part.length > 20)])
      expect(rows).not.toContain(secret)
  })

  // The last one: the provider does not come back.
  test('says when the provider does not answer', async () => {
    const client = app.anonymous()
    const begun = await client.fetch(START)
    const back = await provider.visit(begun.headers.get('location') ?? '')
    await provider.sleep()
    expect((await client.fetch(back)).headers.get('location')).toBe('/login?problem=openid_unreachable')
    await using other = await startTestApp({ database, env: settings() })
    const answer = await other.anonymous().fetch(`${START}?next=/files`)
    expect(answer.headers.get('location')).toBe('/login?problem=openid_unreachable&next=%2Ffiles')
    await using without = await startTestApp({ database })
    expect((await without.anonymous().fetch(START)).headers.get('location')).toBe('/login?problem=openid_off')
  })
})

describe('settings of a provider', () => {
  const read = (env: Record<string, string>) => () => readConfig({ REEVE_LOG_LEVEL: 'silent', ...env })
  const issuer = { REEVE_OIDC_ISSUER: 'https://login.example/realm', REEVE_OIDC_CLIENT_ID: 'reeve' }

  test('are off when empty, and say what is missing', () => {
    expect(read({})().openid).toBeNull()
    expect(read({ REEVE_OIDC_CLIENT_ID: 'reeve' })).toThrow(/REEVE_OIDC_ISSUER/)
    expect(read({ REEVE_OIDC_ISSUER: 'https://login.example' })).toThrow(/REEVE_OIDC_CLIENT_ID/)
    expect(read({ ...issuer, REEVE_OIDC_ISSUER: 'http://login.example' })).toThrow(/https/)
    expect(read({ ...issuer, REEVE_OIDC_SCOPES: 'email' })).toThrow(/openid/)
    expect(read({ ...issuer, REEVE_OIDC_ROLES: 'captains' })).toThrow(/captains/)
  })

  test('have groups with commas between semicolons', () => {
    const roles = 'cn=captains,dc=ship=admin; crew=user'
    expect(read({ ...issuer, REEVE_OIDC_ROLES: roles })().openid).toMatchObject({
      name: 'login.example',
      clientSecret: null,
      roles: [
        { group: 'cn=captains,dc=ship', role: 'admin' },
        { group: 'crew', role: 'user' },
      ],
    })
  })
})
