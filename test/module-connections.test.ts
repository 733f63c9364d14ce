import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { comeBack, connectedModule, params, type Server } from './stage/modules/connected-module.ts'
import { oauthServer } from './stage/servers/oauth-server.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { connections, modules } = contract

describe.each(databases)('connections to remote modules on $name', (database) => {
  let app: Stage
  let admin: TestClient
  let far: ReturnType<typeof connectedModule>
  beforeAll(async () => {
    app = await openStage(database, { engine: false })
    admin = await app.as('admin')
    far = connectedModule(app, admin)
  })
  afterAll(() => app[Symbol.asyncDispose]())

  async function connectForAll(server: Server): Promise<void> {
    expect(await far.connectForAll(server)).toBe('/modules/far?connected=yes')
    const { module } = await admin.call(modules.enable, { params, body: {} })
    expect(module.tools).toMatchObject([{ name: 'hello', pin: 'agreed' }])
  }
  async function connectOwn(client: TestClient, server: Server, account: string): Promise<void> {
    expect(await far.connectOwn(client, server, account)).toBe('/account?tab=connections&connected=yes')
  }

  test('one for everybody: connected, renewed once however many need it, and ended by the server', async () => {
    await using server = await oauthServer()
    await far.add(server, 'shared')
    expect((await admin.call(modules.module, { params })).module).toMatchObject({
      state: 'needs_configuration',
      connection: { sign_in: 'shared', status: 'never' },
    })
    await connectForAll(server)
    expect((await admin.call(modules.module, { params })).module).toMatchObject({
      state: 'running',
      connection: { status: 'connected', issuer: new URL(server.url).origin },
    })
    expect(await far.hello(admin)).toMatchObject({ status: 'done' })
    server.endTokens()
    const ran = await Promise.all([far.hello(admin), far.hello(await app.signIn('admin'))])
    expect(ran.map(({ status }) => status)).toEqual(['done', 'done'])
    expect(server.log).toEqual(['register', 'authorization_code', 'refresh_token'])
    server.revoke()
    expect(await far.hello(admin)).toMatchObject({
      status: 'failed',
      result_preview: expect.stringContaining('connection_required: Nothing has run.'),
    })
    const { module } = await until(async () => {
      const found = await admin.call(modules.module, { params })
      return found.module.connection?.status === 'disconnected' && found
    })
    expect(module).toMatchObject({ state: 'needs_configuration', problem: expect.stringContaining('Connect it again') })
    await connectForAll(server)
    expect(await far.hello(admin)).toMatchObject({ status: 'done' })
    // It registers once, not for each connection.
    expect(server.clients.size).toBe(1)
    const shown = [
      await admin.call(modules.diagnostics, { params }),
      await admin.call(modules.settings, { params }),
      await admin.call(contract.accounts.audit, { query: { action: 'module.connected' } }),
    ]
    expect(server.used.length).toBeGreaterThan(0)
    for (const { token } of server.used) expect(JSON.stringify(shown)).not.toContain(token)
    await far.remove()
  })

  test('each person’s own: no token is ever sent for somebody else, and who is not connected is told so', async () => {
    await using server = await oauthServer()
    await far.add(server, 'person')
    await connectForAll(server)
    const rules = [{ subject: 'tool:far.*', effect: 'ask' as const, approvers: [] }]
    const { client: ann } = await app.member('ann', rules)
    const { client: ben } = await app.member('ben', rules)
    const refused = await far.hello(ann)
    expect(refused).toMatchObject({
      status: 'failed',
      result_preview: expect.stringMatching(/^connection_required: Nothing has run\..*\/account\?tab=connections/),
    })
    await connectOwn(ann, server, 'ann-there')
    await connectOwn(ben, server, 'ben-there')
    server.used.length = 0
    for (const round of [1, 2]) {
      const results = await Promise.all([far.hello(ann), far.hello(ben), far.hello(admin)])
      expect([round, results.map(({ status }) => status)]).toEqual([round, ['done', 'done', 'done']])
    }
    expect(new Set(server.used.map(({ account }) => account))).toEqual(new Set(['ann-there', 'ben-there', 'root']))
    server.used.length = 0
    await far.hello(ann)
    expect(new Set(server.used.map(({ account }) => account))).toEqual(new Set(['ann-there']))
    await ann.call(connections.disconnect, { params })
    await expect(ann.call(connections.disconnect, { params })).rejects.toMatchObject({ code: 'not_found' })
    expect((await admin.call(connections.listConnections)).items).toEqual([])
    server.used.length = 0
    expect(await far.hello(ann)).toMatchObject({ status: 'failed' })
    expect(server.used).toEqual([])
    expect((await ben.call(connections.listConnections)).items).toMatchObject([{ module: 'far', status: 'connected' }])
    await far.remove()
  })

  test('whoever connects for a conversation comes back to it, unless it was refused', async () => {
    await using server = await oauthServer()
    await far.add(server, 'person')
    await far.start(server)
    const { client: ann } = await far.member('comes-back')
    const query = { conversation_id: 'conversation_of_ann' }
    const begin = async () => (await ann.call(connections.connect, { params, query })).url
    const refused = server.agree(await begin(), 'ann-there')
    refused.searchParams.delete('code')
    refused.searchParams.set('error', 'access_denied')
    expect(await comeBack(ann, refused)).toBe(`/account?tab=connections&from=${query.conversation_id}&connected=no`)
    expect(await comeBack(ann, server.agree(await begin(), 'ann-there'))).toBe(`/chat?c=${query.conversation_id}`)
    const { url } = await ann.call(connections.connect, { params, query: { conversation_id: '//evil.example' } })
    expect(await comeBack(ann, server.agree(url, 'ann-there'))).toBe('/chat?c=%2F%2Fevil.example')
    await far.remove()
  })

  test('what comes back counts once, for whoever began, in the same session, from the server that was asked', async () => {
    await using server = await oauthServer()
    await far.add(server, 'shared')
    const begin = async () => (await admin.call(connections.connectForAll, { params })).url
    const expired = '/account?tab=connections&connected=expired'
    const stolen = server.agree(await begin(), 'root')
    expect(await comeBack(await app.signIn('admin'), stolen)).toBe(expired)
    const other = server.agree(await begin(), 'root', 'https://other.example')
    expect(await comeBack(admin, other)).toBe('/modules/far?connected=no')
    const twice = server.agree(await begin(), 'root')
    expect(await comeBack(admin, twice)).toBe('/modules/far?connected=yes')
    expect(await comeBack(admin, twice)).toBe(expired)
    expect(server.log.filter((each) => each === 'authorization_code')).toHaveLength(1)
    await far.remove()
  })

  test('a server at which nobody can register wants a client ID from the settings', async () => {
    await using server = await oauthServer({ registers: false })
    await far.add(server, 'shared')
    await expect(admin.call(connections.connectForAll, { params })).rejects.toMatchObject({
      code: 'connect_failed',
      problem: { detail: expect.stringContaining('enter its client ID in the settings') },
    })
    await admin.call(modules.saveSettings, { params, body: { values: { client_id: 'as-agreed' } } })
    const { url } = await admin.call(connections.connectForAll, { params })
    expect(new URL(url).searchParams.get('client_id')).toBe('as-agreed')
    await far.remove()
  })
})
