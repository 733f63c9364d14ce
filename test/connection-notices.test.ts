import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { TestClient } from './stage/client.ts'
import { connectedModule, params } from './stage/modules/connected-module.ts'
import { KEY, openNotificationsStage, type NotificationsStage } from './stage/notifications/notifications-stage.ts'
import { noticesOf } from './stage/notifications/telling.ts'
import { startProcess } from './stage/process.ts'
import { oauthServer } from './stage/servers/oauth-server.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { connections, modules, notifications } = contract
const OWN = { event: 'connection_lost', name: 'far', path: '/account?tab=connections', by: null, detail: {} }
const SHARED = { ...OWN, path: '/modules/far' }

describe.each(databases)('a connection that is lost is told, on $name', (database) => {
  let stage: NotificationsStage
  let far: ReturnType<typeof connectedModule>
  beforeAll(async () => {
    stage = await openNotificationsStage(database)
    await stage.addServer()
    far = connectedModule(stage, stage.admin)
  })
  afterEach(() => far.remove())
  afterAll(() => stage[Symbol.asyncDispose]())

  const unread = async (client: TestClient) => (await noticesOf(client, 'true')).items
  const calls = (client: TestClient) => Promise.all([far.hello(client), far.hello(client)])

  test('a person’s to that person, once, until it is connected again or not wanted any more', async () => {
    await using server = await oauthServer()
    await far.add(server, 'person')
    await far.start(server)
    const [{ client: ann }, { client: ben }] = [await far.member('ann'), await far.member('ben')]
    await far.connectOwn(ann, server, 'ann-there')
    await far.connectOwn(ben, server, 'ben-there')
    // What fails in passing is told to nobody.
    server.endTokens()
    server.now.token = { status: 503, body: 'busy' }
    expect(await far.hello(ann)).toMatchObject({ status: 'failed' })
    expect(await unread(ann)).toEqual([])
    server.now.token = null

    server.revoke()
    await calls(ann)
    await calls(ann)
    const [notice, ...more] = await unread(ann)
    expect([notice, more]).toMatchObject([OWN, []])
    expect(JSON.stringify(notice)).not.toMatch(/[ar]t-|there/)
    expect((await noticesOf(ben)).items).toEqual([])
    expect((await unread(stage.admin)).filter(({ path }) => path === OWN.path)).toEqual([])

    await far.connectOwn(ann, server, 'ann-there')
    expect(await unread(ann)).toEqual([])
    expect(await far.hello(ann)).toMatchObject({ status: 'done' })
    // Lost again is told again, and over when she ends it herself, which is told to nobody.
    server.revoke()
    await calls(ann)
    expect(await unread(ann)).toMatchObject([OWN])
    await ann.call(connections.disconnect, { params })
    expect((await noticesOf(ann)).items).toEqual([])
  })

  test('one for everybody to administrators, until the module is gone', async () => {
    await using server = await oauthServer()
    await far.add(server, 'shared')
    await far.start(server)
    const { client: eve } = await far.member('eve')
    server.revoke()
    await calls(eve)
    expect(await unread(stage.admin)).toMatchObject([SHARED])
    expect((await noticesOf(eve)).items).toEqual([])
    await far.connectForAll(server)
    expect(await unread(stage.admin)).toEqual([])
    await until(async () => (await far.shown()).state === 'running')
    server.revoke()
    await calls(eve)
    expect(await unread(stage.admin)).toMatchObject([SHARED])
    await far.remove()
    expect(await unread(stage.admin)).toEqual([])
    await far.add(server, 'shared')
  })

  test('by mail too, unless the person wants none', async () => {
    await using server = await oauthServer()
    await far.add(server, 'person')
    await far.start(server)
    const people = [await stage.reachable('mia'), await stage.reachable('noa')]
    const [mia, noa] = people
    const saved = await noa!.client.call(notifications.saveNoticeSettings, { body: { connections: false } })
    expect(saved).toMatchObject({ settings: { connections: false, watches: true } })
    for (const one of people) {
      await stage.setRules(one, [{ subject: 'tool:far.*', effect: 'ask', approvers: [] }])
      // One message a minute goes to a place, and a card would be the first.
      await one.client.call(notifications.saveNoticeSettings, { body: { approval: false } })
      await far.connectOwn(one.client, server, one.user_id)
    }
    server.revoke()
    for (const { client } of people) await calls(client)
    const subjects = ({ address }: { address: string }) => stage.mail.to(address).map(({ subject }) => subject)
    const [, told] = await until(() => subjects(mia!).length > 1 && subjects(mia!), { what: 'the mail' })
    expect(told).toBe('The connection to “far” was lost. Connect it again.')
    expect(await unread(noa!.client)).toMatchObject([OWN])
    const { items } = await stage.admin.call(notifications.deliveries, { query: {} })
    const lost = items.filter(({ event }) => event === 'connection_lost')
    expect(lost).toMatchObject([{ username: 'mia', attempts: 1 }])
  })
})

describe.each(databases.filter(({ name }) => name === 'postgres'))('with two processes', (database) => {
  test('a lost connection is told once between them', { timeout: 240_000 }, async () => {
    await using server = await oauthServer()
    await using stage = await openNotificationsStage(database)
    const far = connectedModule(stage, stage.admin)
    await far.add(server, 'person')
    await far.start(server)
    const { client: here } = await far.member('ann')
    await far.connectOwn(here, server, 'ann-there')
    const url = () => Promise.resolve(stage.databaseUrl)
    await using other = await startProcess({ database: { ...database, url }, env: { REEVE_SECRET_KEY: KEY } })
    const there = await other.signIn('ann')
    const admin = await other.signIn('admin')
    await until(async () => (await admin.call(modules.module, { params })).module.state === 'running', {
      what: 'the other process runs the module',
      timeout: 120_000,
    })
    server.revoke()
    const calls = await Promise.all([here, there, here, there].map((client) => far.hello(client)))
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 'failed'))
    for (const client of [here, there]) expect((await noticesOf(client)).items).toMatchObject([OWN])
  })
})
