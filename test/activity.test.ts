import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACTIVITY_EVENT_LIMIT, ActivityEvent, ActivitySnapshot } from '../contract/chat.ts'
import { contract } from '../contract/index.ts'
import { fieldOf, isEvent, openFeed } from './stage/activity-feed.ts'
import { begin, command, decide, openStage, say, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate } from './stage/servers/scripted-model.ts'

describe.each(databases)('activity on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('the snapshot: recent events without deltas, what is active, the time, and a cursor', async () => {
    const { client } = await stage.member('snap')
    expect(await client.call(contract.chat.activity)).toMatchObject({ events: [], active: 0, cancellable: false })
    const open = gate()
    stage.play('alder', [[{ text: 'So' }, { wait: open }, { text: ' far.' }]])
    const { run_id } = await begin(client, 'alder')
    await open.reached
    const during = await client.call(contract.chat.activity)
    expect(during).toMatchObject({ active: 1, cancellable: true })
    expect(Math.abs(during.server_time - Date.now())).toBeLessThan(5000)
    await using feed = await openFeed(client)
    open.open()
    await feed.until(isEvent('run.completed', run_id))
    const after = await client.call(contract.chat.activity)
    expect(after).toMatchObject({ active: 0, cancellable: false, cursor: feed.cursor })
    expect(after.events.map((event) => event.type)).toEqual(['conversation.updated', 'run.started', 'run.completed'])
    expect(after.events.at(-1)?.id).toBe(after.cursor)
  })

  test('the snapshot holds the newest hundred events, oldest first', async () => {
    const { client } = await stage.member('many')
    const { conversation_id } = await client.call(contract.chat.reset)
    for (let n = 0; n < 105; n++) {
      await client.call(contract.chat.updateConversation, {
        params: { conversation_id },
        body: { title: `title ${n}` },
      })
    }
    const { events, cursor } = await client.call(contract.chat.activity)
    expect(events.map((event) => event['title'])).toEqual(Array.from({ length: 100 }, (_, i) => `title ${i + 5}`))
    expect(events.at(-1)?.id).toBe(cursor)
  })

  test('the stream begins with the same snapshot and tells a run from its start to its end', async () => {
    const { client } = await stage.member('whole')
    await say(client, 'before')
    await using feed = await openFeed(client)
    const first = await feed.until(() => true)
    const { server_time: _, ...snapshot } = await client.call(contract.chat.activity)
    expect(first).toMatchObject({ event: 'snapshot', id: snapshot.cursor, data: snapshot })
    ActivitySnapshot.parse(first.data)
    stage.play('aspen', [[{ text: 'I ask.' }, { calls: [command('echo hi')] }], [{ text: 'Done.' }]])
    const { run_id, conversation_id } = await begin(client, 'aspen')
    const requested = await feed.until(isEvent('approval.requested', run_id))
    await feed.until(isEvent('run.waiting', run_id))
    await decide(client, String(fieldOf(requested, 'approval_id')), 'approve')
    await feed.until(isEvent('run.completed', run_id))
    const told = feed.received.slice(1)
    for (const event of told) {
      const data = ActivityEvent.parse(event.data)
      expect(data).toMatchObject({ id: event.id, type: event.event, conversation_id })
    }
    expect(
      told.map((event) => event.event).filter((type, i, all) => type !== all[i - 1] && type !== 'tool.progress'),
    ).toEqual([
      'conversation.updated',
      'run.started',
      'run.delta',
      'approval.requested',
      'run.waiting',
      'approval.decided',
      'tool.started',
      'tool.finished',
      'run.delta',
      'run.completed',
    ])
  })

  test('while five runs stream at once: ids ascend, none twice, none missing', async () => {
    const { client, user_id } = await stage.member('five')
    const words = Array.from({ length: 60 }, (_, i) => `word-${i} `)
    const open = gate()
    stage.play('birch', () => [{ text: 'go ' }, { wait: open }, ...words.map((text) => ({ text }))])
    await using early = await openFeed(client)
    await early.until(isEvent('snapshot'))
    const start = early.cursor
    const runs = await Promise.all(Array.from({ length: 5 }, () => begin(client, 'birch')))
    open.open()
    await Promise.all(runs.map(({ run_id }) => early.until(isEvent('run.completed', run_id))))
    const ids = early.received.slice(1).map((event) => event.id)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => Number(a) - Number(b)))
    const stored = await stage.app.db.read
      .selectFrom('event')
      .select('id')
      .where('user_id', '=', user_id)
      .where('id', '>', start)
      .orderBy('id')
      .execute()
    expect(ids).toEqual(stored.map((row) => row.id))
    for (const { run_id } of runs) {
      const deltas = early.received.filter(isEvent('run.delta', run_id))
      expect(deltas.map((event) => fieldOf(event, 'text')).join('')).toBe(`go ${words.join('')}`)
    }
  })

  test('somebody else sees nothing of it', async () => {
    const [{ client: cal }, { client: eve }] = [await stage.member('cal'), await stage.member('eve')]
    await using feed = await openFeed(eve)
    stage.play('elm', [[{ text: 'secret' }, { calls: [{ name: 'system.host', arguments: {} }] }], [{ text: 'more' }]])
    await say(cal, 'elm')
    const own = await begin(eve, 'mine')
    await feed.until(isEvent('run.completed', own.run_id))
    const [snapshot, ...events] = feed.received
    expect(fieldOf(snapshot!, 'events')).toEqual([])
    expect(new Set(events.map((event) => fieldOf(event, 'conversation_id')))).toEqual(new Set([own.conversation_id]))
    // Not even when asking for everything.
    await using all = await openFeed(eve, { after: 0 })
    await all.until(isEvent('run.completed', own.run_id))
    expect(JSON.stringify(all.received)).not.toContain('secret')
    expect(new Set(all.received.map((event) => fieldOf(event, 'conversation_id')))).toEqual(
      new Set([own.conversation_id]),
    )
  })

  test('every event of a very long answer is at most 8 KB, whatever it is made of', async () => {
    const { client } = await stage.member('long')
    const piece = `${'plain '.repeat(200)}${'"\\\n'.repeat(400)}${'\u0001\u001f'.repeat(1500)}${'漢字'.repeat(600)}${'🐟'.repeat(600)}`
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length))
    stage.play('hornbeam', [
      [{ reasoning: piece.repeat(10) }, { text }, { calls: [command(`printf '%s' '${'x'.repeat(30_000)}'`)] }],
      [{ text: 'End.' }],
    ])
    await using feed = await openFeed(client)
    const { run_id } = await begin(client, 'hornbeam')
    await feed.until(isEvent('run.waiting', run_id))
    const sizes = feed.received.map((event) => Buffer.byteLength(JSON.stringify(event.data)))
    expect(sizes.length).toBeGreaterThan(500)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(ACTIVITY_EVENT_LIMIT)
    const told = feed.received.filter((event) => event.event === 'run.delta' && fieldOf(event, 'part') === 'text')
    expect(told.map((event) => fieldOf(event, 'text')).join('') === text).toBe(true)
  })
})
