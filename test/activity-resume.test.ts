import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { fieldOf, isEvent, openFeed, type Feed } from './stage/activity-feed.ts'
import { begin, lastAnswer, messagesOf, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import type { ReceivedEvent } from './stage/event-stream.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate, type ScriptedStep } from './stage/servers/scripted-model.ts'

const WEEK = 7 * 24 * 3_600_000

describe.each(databases)('resuming the activity stream on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('Last-Event-ID and ?after= give exactly what was missed, from any point; the header wins', async () => {
    const { client } = await stage.member('resumer')
    await using whole = await openFeed(client)
    await whole.until(isEvent('snapshot'))
    const { conversation_id } = await client.call(contract.chat.reset)
    for (let n = 0; n < 12; n++) {
      await client.call(contract.chat.updateConversation, { params: { conversation_id }, body: { title: `t${n}` } })
    }
    const isLast = (event: ReceivedEvent): boolean => fieldOf(event, 'title') === 't11'
    await whole.until(isLast)
    const stored = whole.received.slice(1)
    for (let i = 0; i < stored.length - 1; i += 3) {
      const id = stored[i]!.id!
      for (const from of [{ after: id }, { lastEventId: id }, { after: 0, lastEventId: id }]) {
        await using feed = await openFeed(client, from)
        await feed.until(isLast)
        expect(feed.received).toEqual(stored.slice(i + 1))
      }
    }
    // With nothing missed the stream is silent until something happens.
    await using silent = await openFeed(client, { after: stored.at(-1)!.id! })
    await client.call(contract.chat.updateConversation, { params: { conversation_id }, body: { title: 'news' } })
    await silent.until((event) => fieldOf(event, 'title') === 'news')
    expect(silent.received).toHaveLength(1)
  })

  test('a cursor from the future, or one that is no number: reset or a plain snapshot, never a guess', async () => {
    const { client } = await stage.member('traveller')
    await say(client, 'hello')
    const { cursor } = await client.call(contract.chat.activity)
    for (const from of [
      { after: cursor + 1000 },
      { lastEventId: cursor + 1 },
      { lastEventId: '-5' },
      { after: 2 ** 52 },
    ]) {
      await using feed = await openFeed(client, from)
      await feed.until(isEvent('snapshot'))
      expect(feed.received.map((event) => event.event)).toEqual(['reset', 'snapshot'])
      expect(feed.received[0]?.id).toBeNull()
      expect(feed.cursor).toBe(cursor)
    }
    await using odd = await openFeed(client, { lastEventId: 'abc' })
    expect((await odd.until(() => true)).event).toBe('snapshot')
  })

  test('reloading anywhere in an answer ends with the same text, byte for byte', async () => {
    const { client } = await stage.member('reloader')
    const chunks = [
      'Fish: ',
      '🐟',
      'a\0b',
      '👩‍👩‍👧',
      'é\u0301',
      '漢字かな',
      '\u2028',
      '```\n',
      '"\\',
      'x'.repeat(5000),
      '🐟🐟'.repeat(900),
      'end',
    ]
    const wire = chunks.map((text): ScriptedStep => (text === '🐟' ? { raw: halves() } : { text }))
    const gates = chunks.map(() => gate())
    stage.play('pike', [
      [{ reasoning: 'Let 🐟 me think. ' }, ...wire.flatMap((step, i) => [step, { wait: gates[i]! }])],
    ])
    // Before the run, or its first words might be stored before this listens.
    await using main = await openFeed(client)
    const sessions = await Promise.all([1, 2, 3].map(() => newSession(client)))
    const { run_id, conversation_id } = await begin(client, 'pike')
    const readers: Reader[] = []
    for (const [i, each] of gates.entries()) {
      await each.reached
      // One page loads when the piece may not be stored yet, the other when it is being stored, some when it was.
      const session = sessions[i % sessions.length]!
      readers.push(await Reader.open(session, conversation_id))
      if (i % 3 === 0) await main.until((event) => String(fieldOf(event, 'text')).endsWith(chunks[i]!.slice(-9)))
      if (i < gates.length - 1) each.open()
      readers.push(await Reader.open(session, conversation_id))
    }
    gates.at(-1)?.open()
    for (const reader of readers) await reader.feed.until(isEvent('run.completed', run_id))
    const answer = await lastAnswer(client, conversation_id)
    const [stored] = partsOf(answer, 'text')
    expect(stored?.text).toBe(chunks.join('').replace('\0', '\uFFFD'))
    for (const reader of readers) {
      expect(reader.textOf(answer.message_id, stored!.index)).toBe(stored?.text)
      expect(reader.textOf(answer.message_id, 0)).toBe('Let 🐟 me think. ')
      await reader.feed[Symbol.asyncDispose]()
    }
  })

  test('a connection that breaks at any point and resumes sees every event once', async () => {
    const { client } = await stage.member('breaker')
    stage.play('carp', () => Array.from({ length: 30 }, (_, i) => ({ text: `${i} ` })))
    const { cursor } = await client.call(contract.chat.activity)
    const { run_id } = await begin(client, 'carp')
    await using whole = await openFeed(client, { after: cursor })
    await whole.until(isEvent('run.completed', run_id))
    const all = whole.received.map((event) => event.id)
    const breaks = fc.array(fc.integer({ min: 1, max: all.length }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(breaks, async (counts) => {
        const seen: (number | null)[] = []
        let lastEventId = cursor
        for (const count of counts) {
          await using feed = await openFeed(client, { lastEventId })
          let got = 0
          if (lastEventId < all.at(-1)!) await feed.until(() => ++got === Math.min(count, all.length - seen.length))
          seen.push(...feed.received.slice(0, got).map((event) => event.id))
          lastEventId = seen.at(-1) ?? cursor
        }
        expect(seen).toEqual(all.slice(0, seen.length))
      }),
      { numRuns: 15 },
    )
  })

  test('pages that open at the very moment of an event do not take it from those that wait', async () => {
    const { client } = await stage.member('crowd')
    const { conversation_id } = await client.call(contract.chat.reset)
    await using waiting = await openFeed(client)
    await waiting.until(isEvent('snapshot'))
    for (let n = 0; n < 40; n++) {
      const title = `moment ${n}`
      const after = waiting.cursor
      const [, ...late] = await Promise.all([
        client.call(contract.chat.updateConversation, { params: { conversation_id }, body: { title } }),
        ...[1, 2, 3, 4].map(() => openFeed(client, { after })),
      ])
      const isNews = (event: ReceivedEvent): boolean => fieldOf(event, 'title') === title
      for (const feed of [waiting, ...late]) {
        await feed.until(isNews)
        expect(feed.received.filter(isNews)).toHaveLength(1)
      }
      await Promise.all(late.map((feed) => feed[Symbol.asyncDispose]()))
    }
  })

  test('deltas are pruned after ten minutes, everything after seven days; whoever missed them gets a reset', async () => {
    const { client, user_id } = await stage.member('pruned')
    const { activity } = stage.app.chat
    const open = gate()
    stage.play('tench', [[{ text: 'Old news.' }], [{ text: 'Going' }, { wait: open }, { text: ' on.' }]])
    const before = await client.call(contract.chat.activity)
    const { conversation_id } = await say(client, 'tench')
    const middle = await client.call(contract.chat.activity)
    const typesNow = async () =>
      (
        await stage.app.db.read
          .selectFrom('event')
          .select('type')
          .where('user_id', '=', user_id)
          .orderBy('id')
          .execute()
      ).map((row) => row.type)
    expect(await typesNow()).toContain('run.delta')
    await activity.prune(Date.now() + 11 * 60_000)
    expect(await typesNow()).toEqual(['conversation.updated', 'run.started', 'run.completed'])
    await expectReset(client, before.cursor)

    // A run that goes on keeps its deltas, however long it takes.
    const { run_id } = await begin(client, 'tench', { conversation_id })
    await using live = await openFeed(client, { after: middle.cursor })
    await live.until(isEvent('run.delta', run_id))
    await activity.prune(Date.now() + 11 * 60_000)
    expect(await typesNow()).toContain('run.delta')
    open.open()
    await live.until(isEvent('run.completed', run_id))

    await activity.prune(Date.now() + WEEK + 60_000)
    expect(await typesNow()).toEqual([])
    await expectReset(client, middle.cursor)
    const after = await client.call(contract.chat.activity)
    expect(after).toMatchObject({ events: [], cursor: live.cursor })
    // Who had seen everything has missed nothing.
    await using current = await openFeed(client, { after: live.cursor })
    await client.call(contract.chat.updateConversation, { params: { conversation_id }, body: { title: 'later' } })
    expect((await current.until(() => true)).event).toBe('conversation.updated')
  })

  /** Another session of the same person: one has no more than ten streams. */
  async function newSession(client: TestClient): Promise<TestClient> {
    const { token } = await client.call(contract.accounts.createToken, { body: { name: 'page' } })
    const session = stage.anonymous()
    session.bearer = token
    return session
  }

  async function expectReset(client: TestClient, after: number): Promise<void> {
    await using feed = await openFeed(client, { after })
    await feed.until(isEvent('snapshot'))
    expect(feed.received.map((event) => event.event).slice(0, 2)).toEqual(['reset', 'snapshot'])
  }
})

/** What a page does when it is loaded: opens the stream, reads the conversation, applies every delta where it belongs. */
class Reader {
  readonly feed: Feed
  readonly #texts: ReadonlyMap<string, string>

  private constructor(feed: Feed, texts: ReadonlyMap<string, string>) {
    this.feed = feed
    this.#texts = texts
  }

  static async open(client: TestClient, conversation_id: string): Promise<Reader> {
    const feed = await openFeed(client)
    await feed.until(isEvent('snapshot'))
    const texts = new Map<string, string>()
    for (const message of await messagesOf(client, conversation_id)) {
      for (const part of message.parts) {
        if (part.type === 'text' || part.type === 'reasoning')
          texts.set(`${message.message_id} ${part.index}`, part.text)
      }
    }
    return new Reader(feed, texts)
  }

  /** @throws when a delta begins after the end of the text, which means that something is missing. */
  textOf(message_id: string, index: number): string {
    let text = this.#texts.get(`${message_id} ${index}`) ?? ''
    for (const event of this.feed.received.filter(isEvent('run.delta'))) {
      if (fieldOf(event, 'message_id') !== message_id || fieldOf(event, 'index') !== index) continue
      const [from, piece] = [Number(fieldOf(event, 'from')), String(fieldOf(event, 'text'))]
      if (from > text.length) throw new Error(`A gap: ${from} after ${text.length}.`)
      text = text.slice(0, from) + piece + text.slice(from + piece.length)
    }
    return text
  }
}

/** Two deltas, each with half of the fish. */
function halves(): string {
  return ['\\ud83d', '\\udc1f']
    .map(
      (half) =>
        `data: {"id":"s","object":"chat.completion.chunk","created":0,"model":"s","choices":[{"index":0,"delta":{"content":"${half}"},"finish_reason":null}]}\n\n`,
    )
    .join('')
}
