import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { command, openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { pendingOf } from './stage/chat/question-stage.ts'
import { callThrough, clientToken, connectMcp } from './stage/gateway/mcp-client.ts'
import { type HttpsPlace, openHttpsPlace } from './stage/gateway/https-place.ts'
import { agreeTo, codeRequest, REDIRECT, registeredClient, signInClient } from './stage/gateway/oauth-client.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'
import { vote } from './stage/votes-stage.ts'
import { until } from './stage/wait.ts'

const SYSTEM = ['tool:system.*']

describe.each(databases)('what ends with the access of an MCP client, on $name', (database) => {
  let place: HttpsPlace
  let stage: Stage
  let admin: TestClient
  beforeAll(async () => {
    place = await openHttpsPlace()
    stage = await openStage(database, { engine: false, gatewayHold: 300, env: place.env })
    admin = await stage.as('admin')
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  async function signedIn(username: string) {
    const member = await stage.member(username)
    const client_id = await registeredClient(admin)
    const signed = await signInClient(stage.url, client_id, (address) => agreeTo(member.client, address, SYSTEM))
    return { ...member, ...signed, [Symbol.asyncDispose]: () => signed.client.close() }
  }
  const refresh = async (client_id: string, refresh_token: string) => {
    const form = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
    const answer = await fetch(`${stage.url}/oauth/token`, { method: 'POST', body: form })
    return { status: answer.status, ...((await answer.json()) as { error?: string; refresh_token?: string }) }
  }
  const endings = async (user_id: string) => {
    const { items } = await admin.call(contract.accounts.audit, { query: { action: 'oauth.ended' } })
    return items.filter(({ details }) => details['user_id'] === user_id)
  }

  test('a refresh token that is used again later: the audit log says so', async () => {
    await using at = await signedIn('says-reuse')
    const { refresh_token } = at.tokens()
    expect(await refresh(at.client_id, refresh_token)).toMatchObject({ status: 200 })
    expect(await refresh(at.client_id, refresh_token)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await endings(at.user_id)).toMatchObject([{ outcome: 'refused', details: { why: 'reused' } }])
  })

  test('one that the client gives back, though it was used: that it was the client', async () => {
    await using at = await signedIn('gives-back')
    const { refresh_token } = at.tokens()
    const next = await refresh(at.client_id, refresh_token)
    const body = new URLSearchParams({ client_id: at.client_id, token: next.refresh_token! })
    await fetch(`${stage.url}/oauth/revoke`, { method: 'POST', body })
    expect(await endings(at.user_id)).toMatchObject([{ outcome: 'ok', details: { why: 'client' } }])
  })

  test('whoever uses one at the same moment as others is refused, and the server has not failed', async () => {
    await using at = await signedIn('many-at-once')
    const { refresh_token } = at.tokens()
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(at.client_id, refresh_token)))
    for (const { status, error } of answers)
      expect(status === 200 ? 'given' : `${status} ${error}`).toMatch(/^(given|400 invalid_grant)$/)
    const reasons = (await endings(at.user_id)).map(({ details }) => details['why'])
    expect(reasons).toEqual(['reused'])
  })

  test.each(['fragment', 'form_post', 'web_message', 'nonsense'])(
    'an answer by %s is refused',
    async (response_mode) => {
      const { client: person } = await stage.member(`mode-${response_mode.replace('_', '-')}`)
      const { query } = codeRequest(stage.url, await registeredClient(admin), { response_mode })
      const ends = [
        (await person.call(contract.oauth.readOauthRequest, { body: { query } })).location,
        (await person.call(contract.oauth.decideOauthRequest, { body: { query, permissions: SYSTEM } })).location,
      ]
      for (const location of ends) {
        const back = new URL(location!)
        expect(back.origin + back.pathname).toBe(REDIRECT)
        expect(Object.fromEntries(back.searchParams)).toMatchObject({
          error: 'invalid_request',
          state: 's',
          iss: `${stage.url}/oauth`,
        })
      }
      expect((await person.call(contract.accounts.listTokens)).items).toEqual([])
    },
  )

  test('an answer by query may be asked for by name', async () => {
    const { client: person } = await stage.member('mode-query')
    const { query } = codeRequest(stage.url, await registeredClient(admin), { response_mode: 'query' })
    const { location } = await person.call(contract.oauth.decideOauthRequest, { body: { query, permissions: SYSTEM } })
    expect(new URL(location).searchParams.has('code')).toBe(true)
  })

  test.each<[string, (at: { token_id: string; user_id: string; person: TestClient }) => Promise<unknown>]>([
    ['revoked', ({ person, token_id }) => person.call(contract.accounts.revokeToken, { params: { token_id } })],
    [
      'disabled',
      ({ user_id }) => admin.call(contract.accounts.updateUser, { params: { user_id }, body: { disabled: true } }),
    ],
  ])('a call that waits for a card does not run once its access was %s', async (what, end) => {
    const { role } = await admin.call(contract.accounts.createRole, { body: { name: `leads of ${what}`, rules: [] } })
    const body = { username: `lead-${what}`, password: PASSWORD, role_id: role.role_id }
    await admin.call(contract.accounts.createUser, { body })
    const lead = await stage.signIn(body.username)
    const approvers = [{ role_id: role.role_id, count: 1 }]
    const { client: person, user_id } = await stage.member(`card-${what}`, [
      { subject: 'tool:system.run_command', effect: 'ask', approvers },
    ])
    const { token, item } = await clientToken(person, SYSTEM)
    await using client = await connectMcp(stage.url, token, '2026-07-28')
    const file = join(stage.dataFolder, what)
    const called = await callThrough(client, 'system__run_command', command(`touch ${file}`).arguments)
    expect(called).toMatchObject({ status: 'waiting_approval' })
    const [card] = await pendingOf(person)
    await end({ person, user_id, token_id: item.token_id })
    await vote(lead, card!.approval_id).catch((error: unknown) => expect(error).toMatchObject({ status: 409 }))
    const run = await until(async () => {
      const { read } = stage.app.db
      const found = await read
        .selectFrom('run')
        .selectAll()
        .where('run_id', '=', String(called.call))
        .executeTakeFirst()
      return found?.ended_at !== null && found
    })
    expect(run).toMatchObject({ status: 'failed', error_code: 'forbidden' })
    expect(existsSync(file)).toBe(false)
  })
})
