import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { command, decide, openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { pendingOf } from './stage/chat/question-stage.ts'
import { callThrough } from './stage/gateway/mcp-client.ts'
import { type HttpsPlace, openHttpsPlace } from './stage/gateway/https-place.ts'
import { agreeTo, codeRequest, REDIRECT, registeredClient, signInClient } from './stage/gateway/oauth-client.ts'
import { databases } from './stage/servers/postgres.ts'

const SYSTEM = ['tool:system.*']

describe.each(databases)('an MCP client signs in by OAuth, on $name', (database) => {
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

  const post = (path: string, form: Record<string, string>) =>
    fetch(stage.url + path, { method: 'POST', body: new URLSearchParams(form) })
  const answerOf = async (response: Response) => ({
    status: response.status,
    ...((await response.json()) as Partial<Record<'access_token' | 'refresh_token' | 'scope' | 'error', string>>),
  })
  const mcp = async (access_token: string) => {
    const headers = {
      authorization: `Bearer ${access_token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    return (await fetch(`${stage.url}/mcp`, { method: 'POST', headers, body })).status
  }

  async function signedIn(username: string) {
    const member = await stage.member(username)
    const client_id = await registeredClient(admin)
    const signed = await signInClient(stage.url, client_id, (address) => agreeTo(member.client, address, SYSTEM))
    return { ...member, ...signed, [Symbol.asyncDispose]: () => signed.client.close() }
  }

  const request = (client_id: string, more?: Record<string, string>) => codeRequest(stage.url, client_id, more)

  const decideOn = (person: TestClient, query: string, permissions: string[] | null = SYSTEM) =>
    person.call(contract.oauth.decideOauthRequest, { body: { query, permissions } })
  const codeFor = async (person: TestClient, query: string) =>
    new URL((await decideOn(person, query)).location).searchParams.get('code')!
  const exchange = (client_id: string, code: string, verifier: string, more: Record<string, string> = {}) =>
    post('/oauth/token', {
      grant_type: 'authorization_code',
      client_id,
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
      ...more,
    })

  test('finds out where, is let in, calls a tool, and gets the result of a card', async () => {
    await using at = await signedIn('lets-in')
    expect(at.tokens()).toMatchObject({ scope: 'codex.use tool:system.*' })
    const { tools } = await at.client.listTools()
    expect(tools.map(({ name }) => name)).toContain('system__cpu')
    expect(tools.map(({ name }) => name)).not.toContain('files__read')
    const waiting = await callThrough(at.client, 'system__run_command', command('echo let in').arguments)
    expect(waiting).toMatchObject({ status: 'waiting_approval' })
    expect(waiting.open).toContain(`${stage.url}/approvals/`)
    const person = await stage.signIn('lets-in')
    const [card] = await pendingOf(person)
    await decide(person, card!.approval_id, 'approve')
    expect((await callThrough(at.client, 'reeve_result', { call: waiting.call })).text).toContain('let in')
  })

  test('is told what it may claim, and nothing is claimed that is not so', async () => {
    const server = await (await fetch(`${stage.url}/.well-known/oauth-authorization-server/oauth`)).json()
    expect(server).toMatchObject({
      issuer: `${stage.url}/oauth`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
    })
    expect(server).not.toHaveProperty('registration_endpoint')
    const resource = await (await fetch(`${stage.url}/.well-known/oauth-protected-resource/mcp`)).json()
    expect(resource).toMatchObject({ resource: `${stage.url}/mcp`, authorization_servers: [`${stage.url}/oauth`] })
    const refused = await fetch(`${stage.url}/mcp`, { method: 'POST', body: '{}' })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${stage.url}/.well-known/oauth-protected-resource/mcp", scope="codex.use"`,
    )
  })

  test('its client takes an answer from nobody else', async () => {
    const { client: person } = await stage.member('foreign')
    const client_id = await registeredClient(admin)
    const misled = signInClient(stage.url, client_id, async (address) => {
      const back = new URL(await agreeTo(person, address, SYSTEM))
      back.searchParams.set('iss', 'https://elsewhere.example')
      return back.href
    })
    await expect(misled).rejects.toThrow(/iss/i)
  })

  test('a code counts once; used again, it ends the access', async () => {
    const { client: person } = await stage.member('replays')
    const client_id = await registeredClient(admin)
    const { query, verifier } = request(client_id)
    const code = await codeFor(person, query)
    const wrong = await answerOf(await exchange(client_id, code, randomBytes(32).toString('base64url')))
    expect(wrong).toMatchObject({ status: 400, error: 'invalid_grant' })
    const tokens = await answerOf(await exchange(client_id, code, verifier))
    expect(tokens).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 600 })
    expect(await mcp(tokens.access_token!)).toBe(200)
    // It counts nowhere else.
    const session = await fetch(`${stage.url}/api/auth/session`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    expect(session.status).toBe(401)
    expect(await answerOf(await exchange(client_id, code, verifier))).toMatchObject({ error: 'invalid_grant' })
    expect(await mcp(tokens.access_token!)).toBe(401)
    const { items } = await person.call(contract.accounts.listTokens)
    expect(items).toEqual([])
  })

  test('a refresh token changes with each use; an old one ends the access', async () => {
    await using at = await signedIn('refreshes')
    const before = at.tokens()
    const refresh = async (refresh_token: string) =>
      answerOf(await post('/oauth/token', { grant_type: 'refresh_token', client_id: at.client_id, refresh_token }))
    const next = await refresh(before.refresh_token)
    expect(next).toMatchObject({ status: 200, scope: before.scope })
    expect(next.refresh_token).not.toBe(before.refresh_token)
    expect(await mcp(next.access_token!)).toBe(200)
    expect(await refresh(before.refresh_token)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await mcp(next.access_token!)).toBe(401)
    expect(await refresh(next.refresh_token!)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  test('two uses of a refresh token at the same moment: the access ends, and nobody keeps tokens', async () => {
    await using at = await signedIn('races')
    const { refresh_token } = at.tokens()
    const form = { grant_type: 'refresh_token', client_id: at.client_id, refresh_token }
    const answers = await Promise.all([1, 2, 3].map(async () => answerOf(await post('/oauth/token', form))))
    const given = answers.flatMap((answer) => (answer.status === 200 ? [answer.access_token!] : []))
    for (const token of given) expect(await mcp(token)).toBe(401)
    const access = await stage.app.db.read
      .selectFrom('access_token')
      .select('token_id')
      .where('user_id', '=', at.user_id)
      .execute()
    expect(access).toEqual([])
  })

  test('a client revokes its own access', async () => {
    await using at = await signedIn('revokes')
    const { access_token, refresh_token } = at.tokens()
    const revoked = await post('/oauth/revoke', { client_id: at.client_id, token: refresh_token })
    expect(revoked.status).toBe(200)
    expect(await mcp(access_token)).toBe(401)
  })

  test.each<[string, (at: { token_id: string; user_id: string; client_id: string }) => Promise<unknown>]>([
    [
      'the person ends it',
      async ({ token_id }) =>
        (await stage.signIn('ends-0')).call(contract.accounts.revokeToken, { params: { token_id } }),
    ],
    [
      'an administrator disables the person',
      ({ user_id }) => admin.call(contract.accounts.updateUser, { params: { user_id }, body: { disabled: true } }),
    ],
    [
      'an administrator removes the client',
      ({ client_id }) => admin.call(contract.oauth.removeOauthClient, { params: { client_id } }),
    ],
  ])('access ends at once when %s', async (what, end) => {
    const username = `ends-${what.startsWith('the person') ? 0 : what.length}`
    await using at = await signedIn(username)
    const { access_token, refresh_token } = at.tokens()
    const { items } = await (await stage.signIn(username)).call(contract.accounts.listTokens)
    expect(items).toMatchObject([{ name: 'Codex', client_id: at.client_id, audience: 'mcp' }])
    expect(await mcp(access_token)).toBe(200)
    await end({ token_id: items[0]!.token_id, user_id: at.user_id, client_id: at.client_id })
    expect(await mcp(access_token)).toBe(401)
    const form = { grant_type: 'refresh_token', client_id: at.client_id, refresh_token }
    expect((await post('/oauth/token', form)).status).toBeGreaterThanOrEqual(400)
  })

  test('whoever asks wrongly is refused: by the client’s address where that is known, else on the page', async () => {
    const { client: person } = await stage.member('wrong')
    const client_id = await registeredClient(admin)
    const read = (query: string) => person.call(contract.oauth.readOauthRequest, { body: { query } })
    const sentBack = async (more: Record<string, string>) => {
      const { client, location } = await read(request(client_id, more).query)
      expect(client).toBeNull()
      const back = new URL(location!)
      expect(back.origin + back.pathname).toBe(REDIRECT)
      expect(back.searchParams.get('iss')).toBe(`${stage.url}/oauth`)
      return back.searchParams.get('error')
    }
    expect(await sentBack({ resource: 'https://elsewhere.example/mcp' })).toBe('invalid_target')
    expect(await sentBack({ code_challenge: '', code_challenge_method: '' })).toBe('invalid_request')
    expect(await sentBack({ code_challenge_method: 'plain' })).toBe('invalid_request')
    for (const query of [
      request('nobody').query,
      request(client_id, { redirect_uri: 'https://evil.example/' }).query,
      request('https://127.0.0.1/client.json').query,
      '?',
    ])
      await expect(read(query)).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(decideOn(person, request(client_id).query, ['files.read'])).rejects.toMatchObject({
      code: 'invalid_request',
    })
    const narrow = request(client_id, { scope: 'tool:system.cpu' }).query
    await expect(decideOn(person, narrow, SYSTEM)).rejects.toMatchObject({ code: 'invalid_request' })
    const refused = new URL((await decideOn(person, request(client_id).query, null)).location)
    expect(refused.searchParams.get('error')).toBe('access_denied')
    const { items } = await person.call(contract.accounts.listTokens)
    expect(items).toEqual([])
  })

  test('what a token is for is kept, whatever its client asks for later', async () => {
    const { client: person } = await stage.member('wider')
    const client_id = await registeredClient(admin)
    const { query, verifier } = request(client_id)
    const code = await codeFor(person, query)
    const elsewhere = { resource: 'https://elsewhere.example/mcp' }
    expect(await answerOf(await exchange(client_id, code, verifier, elsewhere))).toMatchObject({ status: 400 })
    const again = request(client_id)
    const tokens = await answerOf(await exchange(client_id, await codeFor(person, again.query), again.verifier))
    const wide = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token!, scope: 'files.read' }
    expect(await answerOf(await post('/oauth/token', wide))).toMatchObject({ status: 400, error: 'invalid_scope' })
  })
})

test('without a public address of https there is none of it', async () => {
  await using stage = await openStage(databases[0]!, { engine: false })
  const admin = await stage.as('admin')
  for (const path of ['/.well-known/oauth-authorization-server/oauth', '/.well-known/oauth-protected-resource/mcp'])
    expect((await fetch(stage.url + path)).status).toBe(404)
  expect((await fetch(`${stage.url}/oauth/token`, { method: 'POST', body: '' })).status).toBe(404)
  expect((await fetch(`${stage.url}/mcp`, { method: 'POST' })).headers.get('www-authenticate')).toBe('Bearer')
  expect(await admin.call(contract.oauth.listOauthClients)).toMatchObject({ available: false })
})
