import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { PERMISSIONS, type Route, TOKEN_SUBJECTS } from '../contract/route.ts'
import type { TestClient } from './stage/client.ts'
import { everyRoute } from './stage/sources/every-route.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'
import { contentOf, ask, idsFor, openSecurityStage, refusal, type SecurityStage } from './stage/security-stage.ts'

const guarded = everyRoute.filter(({ route }) => route.access !== 'public')
// The gateway takes neither sessions nor these tokens: test/gateway.test.ts knocks there.
const atInterface = everyRoute.filter(({ route }) => route.audience === undefined)
const changing = atInterface.filter(({ route }) => route.method !== 'GET')

/** What a person's browser follows: without a session it leads to the sign-in page. */
const LEADS_TO_PAGE = ['page', 'redirect']

/** What a right request gets; the kit for authors is not part of every build. */
function right(name: string): unknown {
  // Away to the provider, or back to the sign-in page.
  if (name === 'accounts.openidStart' || name === 'accounts.openidCallback') return 303
  if (name === 'certificates.page' || name === 'connections.connected') return 303
  // Open to no ordinary person: to administrators and to a collector with its own token.
  if (name === 'operation.metrics') return 403
  // The approval of the stage is open, and the entry of the log that it names is about none.
  if (name === 'receipts.receipt') return 409
  if (name === 'receipts.auditReceipt') return 404
  // The stage names no registry.
  if (name === 'modules.searchRegistry') return 409
  // No picture of the stage has the digest that it asks for, and its machine is for administrators.
  if (name === 'modules.picture' || name === 'hosts.readHost' || name === 'hostWork.hostTools') return 404
  // Without TLS of its own, as in tests, the service has none.
  if (name === 'certificates.download' || name.startsWith('oauth.oauth')) return 404
  return name === 'modules.sdk' ? expect.toBeOneOf([200, 404]) : 200
}

/** The code of a refusal; a page says it in a page. */
function refusedIn({ response }: Route): string | null {
  return response.kind === 'page' ? null : 'forbidden'
}

describe.each(databases)('every route on $name', (database) => {
  let stage: SecurityStage
  beforeAll(async () => {
    stage = await openSecurityStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Who may use the route. */
  const entitled = ({ access, permissions = [] }: Route): TestClient =>
    access === 'admin' || permissions.includes('audit.read') ? stage.admin : stage.ann

  /** Nobody's client whose requests are all refused for want of a session. */
  async function expectSignedOut(client: TestClient): Promise<void> {
    for (const { name, route } of guarded) {
      const answer = await ask(client, route, stage)
      if (LEADS_TO_PAGE.includes(route.response.kind)) {
        const path = route.path.replace(/\{(\w+)\}/g, (_, id: string) => stage.ids[id] ?? id)
        const next = path === '/' ? '' : `?next=${encodeURIComponent(path)}`
        expect([name, answer.status, answer.headers.get('location')]).toEqual([name, 303, `/login${next}`])
      } else expect([name, ...refusal(answer)]).toEqual([name, 401, 'not_signed_in'])
    }
  }

  /** Runs requests that must leave every row of the database as it was. */
  async function expectNoChange(requests: () => Promise<void>): Promise<void> {
    const before = await contentOf(stage)
    await requests()
    expect(await contentOf(stage)).toEqual(before)
  }

  test('is open to somebody who may use it: the requests of this file are right in every other respect', async () => {
    for (const { name, route } of everyRoute.filter(({ route: { method } }) => method === 'GET')) {
      expect([name, (await ask(entitled(route), route, { ids: idsFor(route, stage.ids) })).status]).toEqual([
        name,
        right(name),
      ])
    }
  })

  test('wants a session, whatever else the request claims', async () => {
    await expectNoChange(async () => {
      await expectSignedOut(stage.app.anonymous())
      const forger = stage.app.anonymous()
      for (const [header, value] of Object.entries({
        cookie: 'reeve_session=AAAA; __Host-reeve_session=AAAA; user=admin',
        authorization: 'Basic YWRtaW46YWRtaW4=',
        'x-forwarded-user': 'admin',
        'remote-user': 'admin',
        'x-user-id': stage.ids.user_id!,
        'x-csrf-token': stage.ann.csrfToken!,
      })) {
        const answer = await ask(forger, contract.accounts.listUsers, { ...stage, headers: { [header]: value } })
        expect([header, ...refusal(answer)]).toEqual([header, 401, 'not_signed_in'])
      }
      forger.bearer = 'rvt_AAAA'
      await expectSignedOut(forger)
    })
  })

  test('that changes something wants the CSRF token of this very session', async () => {
    const tokens = [undefined, '', 'wrong', stage.ben.csrfToken!, stage.admin.csrfToken!.slice(0, -1), 'é'.repeat(3)]
    await expectNoChange(async () => {
      for (const { name, route } of changing.filter(({ route: { access } }) => access !== 'public')) {
        const { cookie } = entitled(route)
        for (const token of tokens) {
          const headers = { cookie, ...(token === undefined ? {} : { 'x-csrf-token': token }) }
          const answer = await ask(stage.app.anonymous(), route, { ...stage, headers })
          expect([name, token, ...refusal(answer)]).toEqual([name, token, 403, 'csrf_mismatch'])
        }
      }
    })
  })

  test('that changes something refuses other sites, even with the right token', async () => {
    const { url } = stage.app
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${url}.evil.example` },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'file://' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    await expectNoChange(async () => {
      for (const { name, route } of changing) {
        for (const headers of foreign) {
          const answer = await ask(entitled(route), route, { ...stage, headers })
          expect([name, headers, ...refusal(answer)]).toEqual([name, headers, 403, 'foreign_origin'])
        }
      }
    })
    const own = { origin: url, 'sec-fetch-site': 'same-origin' }
    expect(
      (await ask(stage.ann, contract.chat.cancel, { ...stage, headers: own, body: '{"conversation_id":"cnv_none"}' }))
        .status,
    ).toBe(200)
  })

  test('that reads changes nothing, not even from another site; the audit log tells of exports', async () => {
    const { audit: recorded = [], ...before } = await contentOf(stage)
    for (const { name, route } of everyRoute.filter(({ route: { method } }) => method === 'GET')) {
      const client = entitled(route)
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      for (const method of ['GET', 'HEAD']) {
        const { status } = await ask(client, route, { ids: idsFor(route, stage.ids), headers, method })
        expect([name, method, status]).toEqual([name, method, right(name)])
      }
    }
    const { audit = [], ...after } = await contentOf(stage)
    expect(after).toEqual(before)
    const { items } = await stage.admin.call(contract.accounts.audit, { query: { limit: 200 } })
    const told = items.slice(0, audit.length - recorded.length).map(({ action }) => action)
    // Reads of files are told once an hour, and the hour may turn in between.
    const actions = told.filter((action) => !/^file\.(?:downloaded|previewed)$/.test(action))
    expect([...new Set(actions)].sort()).toEqual(['audit.exported', 'conversation.exported'])
  })

  test('of administration refuses everybody else', async () => {
    const forAdmins = everyRoute.filter(({ route }) => route.access === 'admin')
    expect(forAdmins.length).toBeGreaterThan(0)
    const narrow = stage.app.anonymous()
    const body = { name: 'narrow', permissions: ['codex.use', 'files.read', 'files.create', 'files.delete'] }
    narrow.bearer = (await stage.admin.call(contract.accounts.createToken, { body })).token
    await expectNoChange(async () => {
      for (const { name, route } of forAdmins) {
        for (const client of [stage.ann, narrow]) {
          expect([name, ...refusal(await ask(client, route, stage))]).toEqual([name, 403, refusedIn(route)])
        }
      }
    })
  })

  test('with permissions refuses a token that has none of them, and a user whose role denies one', async () => {
    const withPermissions = atInterface.filter(({ route }) => (route.permissions ?? []).length > 0)
    const token = stage.app.anonymous()
    const none = { name: 'none', permissions: [] }
    token.bearer = (await stage.ann.call(contract.accounts.createToken, { body: none })).token
    const partly = stage.app.anonymous()
    partly.bearer = (
      await stage.ann.call(contract.accounts.createToken, { body: { name: 'some', permissions: ['codex.use'] } })
    ).token
    await expectNoChange(async () => {
      for (const { name, route } of withPermissions) {
        for (const client of route.permissions?.every((each) => each === 'codex.use') ? [token] : [token, partly])
          expect([name, ...refusal(await ask(client, route, stage))]).toEqual([name, 403, refusedIn(route)])
      }
    })
    for (const denied of PERMISSIONS) {
      const needing = withPermissions.filter(({ route }) => route.permissions?.includes(denied))
      if (needing.length === 0) continue
      const rules = [{ subject: denied, effect: 'deny' as const }]
      await stage.admin.call(contract.accounts.updateRole, {
        params: { role_id: stage.ids.role_id! },
        body: { rules },
      })
      await stage.admin.call(contract.accounts.updateUser, {
        params: { user_id: stage.ids.user_id! },
        body: { role_id: stage.ids.role_id! },
      })
      const carl = await signIn('carl')
      for (const { name, route } of needing)
        expect([name, denied, ...refusal(await ask(carl, route, stage))]).toEqual([name, denied, 403, refusedIn(route)])
    }
  })

  test('that changes who may do what, or who gets in, refuses every access token', async () => {
    const token = async (owner: TestClient): Promise<TestClient> => {
      const script = stage.app.anonymous()
      script.bearer = (await owner.call(contract.accounts.createToken, { body: { name: 'whole' } })).token
      return script
    }
    const [whole, own] = [await token(stage.admin), await token(stage.ann)]
    const sessionOnly = everyRoute.filter(({ route }) => route.sessionOnly)
    await expectNoChange(async () => {
      for (const { name, route } of sessionOnly) {
        for (const client of [whole, own])
          expect([name, ...refusal(await ask(client, route, stage))]).toEqual([name, 403, 'forbidden'])
      }
    })
    // Whoever adds a route among these has to say why it is not.
    const meant = everyRoute.filter(
      ({ route: { path, method, access } }) =>
        method !== 'GET' && access !== 'public' && /^\/api\/(auth|admin\/(users|roles))\b/.test(path),
    )
    expect(meant.filter(({ route }) => !route.sessionOnly).map(({ name }) => name)).toEqual([])
    expect(contract.chat.decideApproval.sessionOnly).toBe(true)
  })

  test('is for a narrowed token only when it names what it needs, and the token has that', async () => {
    const all = [...PERMISSIONS, ...TOKEN_SUBJECTS]
    const narrowed = async (permissions: string[]): Promise<TestClient> => {
      const script = stage.app.anonymous()
      const body = { name: 'narrow', permissions }
      script.bearer = (await stage.ann.call(contract.accounts.createToken, { body })).token
      return script
    }
    const without = new Map(
      await Promise.all(all.map(async (one) => [one, await narrowed(all.filter((each) => each !== one))] as const)),
    )
    const everything = await narrowed(all)
    const forTokens = atInterface.filter(({ route }) => route.access === 'session' && !route.sessionOnly)
    await expectNoChange(async () => {
      for (const { name, route } of forTokens) {
        const needs = [...(route.permissions ?? []), ...(route.tokenNeeds === undefined ? [] : [route.tokenNeeds])]
        const clients = needs.length === 0 ? [everything] : needs.map((each) => without.get(each)!)
        for (const client of clients)
          expect([name, ...refusal(await ask(client, route, stage))]).toEqual([name, 403, refusedIn(route)])
      }
    })
    for (const { name, route } of forTokens.filter(
      ({ route: { method, tokenNeeds } }) => method === 'GET' && tokenNeeds,
    )) {
      const only = await narrowed([...(route.permissions ?? []), route.tokenNeeds!])
      expect([name, (await ask(only, route, { ids: idsFor(route, stage.ids) })).status]).toEqual([name, right(name)])
    }
  })

  async function signIn(username: string): Promise<TestClient> {
    const client = stage.app.anonymous()
    const { csrf_token } = await client.call(contract.accounts.login, { body: { username, password: PASSWORD } })
    client.csrfToken = csrf_token
    return client
  }

  test('is closed to a user who is disabled, by cookie and by token, and to sign-ins that ended', async () => {
    const dora = await stage.app.as('dora')
    const { user } = await dora.call(contract.accounts.session)
    const script = stage.app.anonymous()
    script.bearer = (await dora.call(contract.accounts.createToken, { body: { name: 'script' } })).token
    expect((await ask(script, contract.chat.history, stage)).status).toBe(200)
    const disable = (disabled: boolean) =>
      stage.admin.call(contract.accounts.updateUser, { params: { user_id: user.id }, body: { disabled } })
    await disable(true)
    await expectSignedOut(dora)
    await expectSignedOut(script)

    await disable(false)
    const again = await signIn('dora')
    const { session_id } = await again.call(contract.accounts.session)
    const { write } = stage.app.app.db
    await write
      .updateTable('session')
      .set({ expires_at: Date.now() - 1 })
      .where('session_id', '=', session_id)
      .execute()
    await expectSignedOut(again)

    const left = await signIn('dora')
    const { cookie, csrfToken } = left
    await left.call(contract.accounts.logout)
    expect(left.cookie).not.toContain('reeve_session')
    const replayed = stage.app.anonymous()
    replayed.csrfToken = csrfToken
    for (const { name, route } of guarded.filter(({ route }) => !LEADS_TO_PAGE.includes(route.response.kind))) {
      const answer = await ask(replayed, route, { ...stage, headers: { cookie } })
      expect([name, ...refusal(answer)]).toEqual([name, 401, 'not_signed_in'])
    }
  })
})
