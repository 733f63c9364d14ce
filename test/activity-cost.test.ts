import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { fieldOf, openFeed } from './stage/activity-feed.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

/** Five sign-ins with as many streams as one may have. */
const SIGN_INS = 5
const PER_SIGN_IN = 10

describe.each(databases)('what activity streams cost on $name', (database) => {
  const statements: string[] = []
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ database, builtins: [], observe: (sql) => void statements.push(sql) })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const eventReads = () => statements.filter((sql) => sql.startsWith('select') && /\bevent\b/.test(sql))

  test('what happens to a user is read once, however many streams wait for it', async () => {
    const client = await app.as('ann')
    const browsers: TestClient[] = []
    for (let n = 0; n < SIGN_INS; n++) browsers.push(await app.signIn('ann'))
    const feeds = await Promise.all(
      browsers.flatMap((each) => Array.from({ length: PER_SIGN_IN }, () => openFeed(each))),
    )
    const { conversation_id } = await client.call(contract.chat.reset)
    const rename = async (title: string) => {
      await client.call(contract.chat.updateConversation, { params: { conversation_id }, body: { title } })
      await Promise.all(feeds.map((feed) => feed.until((event) => fieldOf(event, 'title') === title)))
    }
    await rename('one')
    statements.length = 0
    await rename('two')
    // PostgreSQL also tells a process of what it has told itself, which may come after the next thing has happened.
    expect(eventReads().length).toBeLessThanOrEqual(database.name === 'sqlite' ? 1 : 3)
    for (const feed of feeds) await feed[Symbol.asyncDispose]()
  })

  test('what happens to many users at once is read together', async () => {
    const users = await Promise.all(Array.from({ length: 20 }, (_, n) => app.as(`user${n}`)))
    const feeds = await Promise.all(users.map((client) => openFeed(client)))
    const ids = await app.app.db.read.selectFrom('user').select('user_id').orderBy('user_id').execute()
    const tell = (name: string) =>
      app.app.db.transaction((trx) =>
        app.app.chat.activity.appendForEach(
          trx,
          ids.map(({ user_id }) => user_id),
          { type: 'module.changed', data: { module: name } },
        ),
      )
    for (const name of ['one', 'two']) {
      statements.length = 0
      await tell(name)
      await Promise.all(feeds.map((feed) => feed.until((event) => fieldOf(event, 'module') === name)))
    }
    // There, users are told one after the other.
    expect(eventReads().length).toBeLessThanOrEqual(database.name === 'sqlite' ? 1 : 5)
    for (const feed of feeds) await feed[Symbol.asyncDispose]()
  })

  test('a client that stops reading for a while gets everything, in order, when it goes on', async () => {
    const client = await app.as('slow')
    const { activity } = app.app.chat
    const { user_id } = await app.app.db.read
      .selectFrom('user')
      .select('user_id')
      .where('username', '=', 'slow')
      .executeTakeFirstOrThrow()
    const request = get(`${app.url}/api/chat/activity/stream?after=0`, { headers: { cookie: client.cookie } })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    answer.pause()
    answer.socket.pause()
    const data = { module: 'x'.repeat(7000) }
    for (let n = 0; n < 100; n++) {
      const some = Array.from({ length: 20 }, () => ({ type: 'module.changed', data }) as const)
      await app.app.db.transaction((trx) => activity.append(trx, user_id, some))
    }
    const stored = await app.app.db.read.selectFrom('event').select('id').where('user_id', '=', user_id).execute()
    const ids: number[] = []
    let rest = ''
    answer.socket.resume()
    answer.setEncoding('utf8')
    for await (const chunk of answer) {
      const lines = (rest + String(chunk)).split('\n')
      rest = lines.pop()!
      for (const line of lines) if (line.startsWith('id: ')) ids.push(Number(line.slice(4)))
      if (ids.length >= stored.length) break
    }
    request.destroy()
    expect(ids).toEqual(stored.map(({ id }) => id).sort((a, b) => a - b))
    expect(ids.length).toBeGreaterThanOrEqual(2000)
  })
})
