import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { isEvent, openFeed } from './stage/activity-feed.ts'
import { begin, openStage, type Member, type Stage } from './stage/chat-stage.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('streams and their sessions on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('without a session there is no stream', async () => {
    await expect(openFeed(stage.anonymous())).rejects.toMatchObject({ status: 401 })
  })

  test('the headers of a stream: no caching, no buffering', async () => {
    const { client } = await stage.member('header')
    const hangUp = new AbortController()
    const { headers } = await client.call(contract.chat.activityStream, { signal: hangUp.signal })
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(headers.get('cache-control')).toMatch(/no-(store|cache)/)
    expect(headers.get('x-accel-buffering')).toBe('no')
    hangUp.abort()
  })

  test('a session that is revoked ends its stream, and no other', async () => {
    const { client } = await stage.member('twice')
    const second = await stage.signIn('twice')
    const { session_id } = await second.call(contract.accounts.session)
    await using kept = await openFeed(client)
    await using revoked = await openFeed(second)
    await revoked.until(isEvent('snapshot'))
    await client.call(contract.accounts.revokeSession, { params: { session_id } })
    await revoked.ended
    const { run_id } = await begin(client, 'still there')
    await kept.until(isEvent('run.completed', run_id))
    expect(revoked.received.filter(isEvent('run.started'))).toEqual([])
    await expect(openFeed(second)).rejects.toMatchObject({ status: 401 })
  })

  test('signing out ends the stream', async () => {
    const { client } = await stage.member('leaver')
    await using feed = await openFeed(client)
    await feed.until(isEvent('snapshot'))
    await client.call(contract.accounts.logout)
    await feed.ended
    await expect(openFeed(client)).rejects.toMatchObject({ status: 401 })
  })

  test.each([
    ['disabled', () => ({ disabled: true })],
    ['given another role', (role_id: string) => ({ role_id })],
    ['given another password', () => ({ password: `${PASSWORD} again` })],
  ])('a user who is %s loses every stream', async (name, change) => {
    const member: Member = await stage.member(name.replaceAll(' ', '-'))
    const admin = await stage.as('admin')
    const elsewhere = await stage.signIn(name.replaceAll(' ', '-'))
    await using feed = await openFeed(member.client)
    await using second = await openFeed(elsewhere)
    const { items } = await admin.call(contract.accounts.listRoles)
    const other = items.find((role) => role.name === 'user')!.role_id
    await admin.call(contract.accounts.updateUser, { params: { user_id: member.user_id }, body: change(other) })
    await Promise.all([feed.ended, second.ended])
    await expect(openFeed(member.client)).rejects.toMatchObject({ status: 401 })
  })

  test.each([
    ['disabled', () => ({ disabled: true })],
    ['given another role', (role_id: string) => ({ role_id })],
  ])('a user who is %s loses the streams of tokens too', async (name, change) => {
    const { client, user_id } = await stage.member(`script ${name}`.replaceAll(' ', '-'))
    const { token } = await client.call(contract.accounts.createToken, { body: { name: 'feed' } })
    const script = stage.anonymous()
    script.bearer = token
    await using feed = await openFeed(script)
    const admin = await stage.as('admin')
    const { items } = await admin.call(contract.accounts.listRoles)
    const role_id = items.find((role) => role.name === 'user')!.role_id
    await admin.call(contract.accounts.updateUser, { params: { user_id }, body: change(role_id) })
    await feed.ended
    expect(feed.received.map(({ event }) => event)).toEqual(['snapshot'])
  })

  test('a token that is revoked ends its stream', async () => {
    const { client } = await stage.member('tokens')
    const { token, item } = await client.call(contract.accounts.createToken, { body: { name: 'feed' } })
    const script = stage.anonymous()
    script.bearer = token
    await using feed = await openFeed(script)
    await feed.until(isEvent('snapshot'))
    await client.call(contract.accounts.revokeToken, { params: { token_id: item.token_id } })
    await feed.ended
    await expect(openFeed(script)).rejects.toMatchObject({ status: 401 })
  })

  test('the eleventh stream of a session closes the oldest; another session of the same person is not counted', async () => {
    const { client } = await stage.member('tabs')
    const elsewhere = await stage.signIn('tabs')
    await using other = await openFeed(elsewhere)
    await using opened = new AsyncDisposableStack()
    const feeds = []
    for (let n = 0; n < 11; n++) {
      const feed = opened.use(await openFeed(client))
      await feed.until(isEvent('snapshot'))
      feeds.push(feed)
    }
    await feeds[0]?.ended
    const { run_id } = await begin(client, 'to all tabs')
    await Promise.all([other, ...feeds.slice(1)].map((feed) => feed.until(isEvent('run.completed', run_id))))
    expect(feeds[0]?.received.map(({ event, data }) => [event, data])).toEqual([
      ['snapshot', expect.anything()],
      ['end', { type: 'end', reason: 'too_many_streams' }],
    ])
  })

  test('the fifty-first stream of a person closes the oldest with a word, whichever sign-in it is of', async () => {
    const { client } = await stage.member('screens')
    await using opened = new AsyncDisposableStack()
    const feeds = []
    for (let session = 0; session < 6; session++) {
      const browser = session === 0 ? client : await stage.signIn('screens')
      for (let n = 0; n < (session === 5 ? 1 : 10); n++) {
        const feed = opened.use(await openFeed(browser))
        await feed.until(isEvent('snapshot'))
        feeds.push(feed)
      }
    }
    await feeds[0]?.ended
    expect(feeds[0]?.received.at(-1)).toMatchObject({ event: 'end', data: { reason: 'too_many_streams' } })
    const { run_id } = await begin(client, 'to all screens')
    await Promise.all(feeds.slice(1).map((feed) => feed.until(isEvent('run.completed', run_id))))
    await using another = await openFeed(await stage.as('admin'))
    await another.until(isEvent('snapshot'))
  })
})
