import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { connectedModule, params } from './stage/modules/connected-module.ts'
import { oauthServer } from './stage/servers/oauth-server.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { connections, modules } = contract
/** Tokens that are renewed before each call, because they count for less than half a minute more. */
const SHORT = 20
const PASSING = [
  { status: 503, body: 'busy' },
  { status: 429, body: '{"error":"slow_down"}' },
  { status: 500, body: '{"error":"server_error"}' },
  { status: 400, body: '{"error":"temporarily_unavailable"}' },
]

describe.each(databases)('what goes wrong with connections to remote modules, on $name', (database) => {
  let app: Stage
  let admin: TestClient
  let far: ReturnType<typeof connectedModule>
  beforeAll(async () => {
    app = await openStage(database, { engine: false })
    admin = await app.as('admin')
    far = connectedModule(app, admin)
  })
  afterEach(() => far.remove())
  afterAll(() => app[Symbol.asyncDispose]())

  test('a call that needs more than was granted fails by itself, and connecting again asks for that', async () => {
    await using server = await oauthServer()
    await far.add(server, 'shared')
    await far.start(server)
    server.now.needs = 'write'
    expect(await far.hello(admin)).toMatchObject({
      status: 'failed',
      result_preview: expect.stringMatching(/^scope_required: Nothing has run\..*write/),
    })
    expect(await far.shown()).toMatchObject({
      state: 'running',
      connection: { status: 'connected', problem: expect.stringContaining('write') },
    })
    server.now.needs = null
    expect(await far.hello(admin)).toMatchObject({ status: 'done' })
    server.now.needs = 'write'
    const { url } = await admin.call(connections.connectForAll, { params })
    expect(new URL(url).searchParams.get('scope')?.split(' ').toSorted()).toEqual(['tools', 'write'])
    await far.connectForAll(server)
    expect(await until(async () => (await far.hello(admin)).status === 'done')).toBe(true)
    expect(await far.shown()).toMatchObject({ connection: { status: 'connected', problem: null } })
  })

  test('a renewal that fails in passing ends nothing: while the token counts, calls go on', async () => {
    await using server = await oauthServer({ expires_in: SHORT })
    await far.add(server, 'shared')
    await far.start(server)
    for (const token of PASSING) {
      server.now.token = token
      expect([token, (await far.hello(admin)).status]).toEqual([token, 'done'])
    }
    // What it gave does not count any more, and it cannot say yet what does.
    server.endTokens()
    for (const token of PASSING) {
      server.now.token = token
      expect(await far.hello(admin)).toMatchObject({
        status: 'failed',
        result_preview: expect.stringMatching(/^access_not_renewed: Nothing has run\./),
      })
      expect(await far.shown()).toMatchObject({ state: 'running', connection: { status: 'connected' } })
    }
    server.now.token = null
    expect(await far.hello(admin)).toMatchObject({ status: 'done' })
    expect(await far.shown()).toMatchObject({ state: 'running', restarts: 0 })
  })

  test('a renewal that is only early keeps no other call waiting, and is not tried again at once', async () => {
    // All of this comes before it ends.
    await using server = await oauthServer({ expires_in: 29 })
    await far.add(server, 'shared')
    await far.start(server)
    const renewals = () => server.log.filter((each) => each === 'refresh_token').length
    const gate = Promise.withResolvers<void>()
    server.now.held = gate.promise
    server.now.token = { status: 503, body: 'busy' }
    const before = renewals()
    const slow = far.hello(admin)
    await until(() => renewals() > before, { what: 'the token is renewed' })
    // What was granted counts for a while yet.
    expect(await far.hello(admin)).toMatchObject({ status: 'done' })
    gate.resolve()
    expect(await slow).toMatchObject({ status: 'done' })
    expect(await far.hello(admin)).toMatchObject({ status: 'done' })
    expect(renewals()).toBe(before + 1)
    server.now.token = null
    server.endTokens()
    expect(await far.hello(admin)).toMatchObject({ status: 'done' })
  })

  test('what is granted anew while tokens are renewed stays, whatever its number is', async () => {
    await using server = await oauthServer()
    await far.add(server, 'person')
    await far.start(server)
    const { client: ann, user_id } = await far.member('renews')
    await far.connectOwn(ann, server, 'first')
    const row = () =>
      app.app.db.read.selectFrom('module_connection').selectAll().where('owner', '=', user_id).executeTakeFirstOrThrow()
    const { version } = await row()
    const gate = Promise.withResolvers<void>()
    server.endTokens()
    server.now.held = gate.promise
    const renewing = far.hello(ann)
    await until(() => server.log.includes('refresh_token'))
    await ann.call(connections.disconnect, { params })
    server.now.held = null
    await far.connectOwn(ann, server, 'second')
    // The numbers of connections begin with the time, so two of them may be the same.
    await app.app.db.write.updateTable('module_connection').set({ version }).where('owner', '=', user_id).execute()
    const { sealed } = await row()
    gate.resolve()
    await renewing
    expect((await row()).sealed).toBe(sealed)
    server.used.length = 0
    expect(await far.hello(ann)).toMatchObject({ status: 'done' })
    expect(new Set(server.used.map(({ account }) => account))).toEqual(new Set(['second']))
  })

  test('a session that was opened with another connection is not used any more', async () => {
    await using server = await oauthServer()
    await far.add(server, 'person')
    await far.start(server)
    const { client: ann } = await far.member('changes')
    await far.connectOwn(ann, server, 'first')
    expect(await far.hello(ann)).toMatchObject({ status: 'done' })
    const greetings = () => server.methods.filter((method) => method === 'tools/list').length
    const before = greetings()
    await far.connectOwn(ann, server, 'second')
    expect(await far.hello(ann)).toMatchObject({ status: 'done' })
    expect(greetings()).toBe(before + 1)
  })

  test('connecting anew ends no call that is under way, and disconnecting ends it at once', async () => {
    await using server = await oauthServer()
    await far.add(server, 'person')
    await far.start(server)
    const { client: ann } = await far.member('goes-on')
    await far.connectOwn(ann, server, 'first')
    const calls = () => server.methods.filter((method) => method === 'tools/call').length
    const held = async () => {
      const gate = Promise.withResolvers<void>()
      server.now.busy = gate.promise
      const before = calls()
      const calling = far.hello(ann)
      await until(() => calls() > before, { what: 'the call is under way' })
      server.now.busy = null
      return { calling, end: gate.resolve }
    }
    const [one, two] = [await held(), await held()]
    await far.connectOwn(ann, server, 'second')
    server.used.length = 0
    expect(await far.hello(ann)).toMatchObject({ status: 'done' })
    expect(new Set(server.used.map(({ account }) => account))).toEqual(new Set(['second']))
    one.end()
    expect(await one.calling).toMatchObject({ status: 'done' })
    await ann.call(connections.disconnect, { params })
    expect(await two.calling).toMatchObject({ status: 'unknown' })
    two.end()
  })

  test('what is under way when somebody connects with another account stays with the one that it began with', async () => {
    await using server = await oauthServer()
    await far.add(server, 'person')
    await far.start(server)
    const { client: ann } = await far.member('stays')
    await far.connectOwn(ann, server, 'first')
    server.now.tasks = true
    const calling = far.hello(ann)
    const asked = () => server.methods.filter((method) => method === 'tasks/get').length
    await until(() => asked() > 0, { what: 'the task is followed' })
    await far.connectOwn(ann, server, 'second')
    const before = asked()
    await until(() => asked() > before + 2, { what: 'the task is followed further' })
    server.now.tasks = false
    expect(await calling).toMatchObject({ status: 'done', result_preview: 'done by first' })
    expect(await far.hello(ann)).toMatchObject({ status: 'done' })
    const { items } = await ann.call(connections.listConnections)
    expect(items).toMatchObject([{ status: 'connected', problem: null }])
  })

  test('a registration that the authorization server has forgotten is made again, once', async () => {
    await using server = await oauthServer()
    await far.add(server, 'shared')
    await far.start(server)
    server.clients.clear()
    server.endTokens()
    // It says so when tokens are to be renewed, by this call or by what the module asks of itself.
    await far.hello(admin)
    await until(async () => (await far.shown()).connection?.status === 'disconnected')
    expect(await far.connectForAll(server)).toBe('/modules/far?connected=yes')
    expect(server.log.filter((each) => each === 'register')).toHaveLength(2)
    // Or says nothing, and lets nobody come back.
    server.clients.clear()
    const known = async () => {
      const { url } = await admin.call(connections.connectForAll, { params })
      return (await fetch(url, { redirect: 'manual' })).status === 200
    }
    expect([await known(), await known(), await known()]).toEqual([false, true, true])
    expect(server.log.filter((each) => each === 'register')).toHaveLength(3)
  })

  test('what may not be sent without protection is not asked for either', async () => {
    await using server = await oauthServer()
    await far.add(server, 'shared')
    const { db } = app.app
    await db.transaction(async (trx) => {
      const moved = { allow_private: 0, url: 'http://far.example/mcp' }
      await trx.updateTable('module').set(moved).where('module', '=', 'far').execute()
      db.wake(trx, 'modules')
    })
    await until(async () => (await far.shown()).url === 'http://far.example/mcp')
    await expect(admin.call(connections.connectForAll, { params })).rejects.toMatchObject({
      code: 'connect_failed',
      problem: { detail: expect.stringContaining('https') },
    })
    expect(server.log).toEqual([])
    expect((await admin.call(modules.module, { params })).module.connection).toMatchObject({ status: 'never' })
  })
})
